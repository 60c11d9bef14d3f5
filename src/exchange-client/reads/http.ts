// One HTTP origin over kept-alive connections, for logins and reads: sends a request once and reports its fate
// truthfully. Commands have their own connections (command-connections.ts). outcome.ts interprets answers; callers
// supply headers, signatures and rates.

import { StringDecoder } from 'node:string_decoder';
import { type Dispatcher, Pool } from 'undici';
import { assert } from '../../base/assert.ts';

/** Most bytes of one answer that are read. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/** Client certificate for an exchange, or a proxy before it, besides the API key; PEM. */
export interface ExchangeTls {
  readonly cert?: string;
  readonly key?: string;
  /** Authorities of the exchange's certificate, in place of the system's. */
  readonly ca?: string;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path with query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** A whole answer. Header names are in lower case. */
export interface HttpAnswer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Fate of a request. Rule U1 rests on the line between the last two. */
export type HttpResult =
  | HttpAnswer
  /** Failed before any byte left: the exchange cannot have seen it. */
  | { readonly kind: 'notSent'; readonly message: string }
  /** Bytes may have left and no whole answer came. */
  | { readonly kind: 'broken'; readonly message: string };

/** Connections to one origin. */
export class HttpOrigin {
  readonly #pool: Pool;
  readonly #requestMs: number;
  #closed = false;

  constructor(
    baseUrl: string,
    limits: { connections: number; connectMs: number; requestMs: number; tls?: ExchangeTls },
  ) {
    this.#requestMs = limits.requestMs;
    this.#pool = new Pool(baseUrl, {
      connections: limits.connections,
      // One request at a time on a connection: with more, a reset would send the waiting ones again.
      pipelining: 1,
      // HTTP/2 would carry several on one, and a GOAWAY says of each anew whether it was seen (rule U1).
      allowH2: false,
      connect: { timeout: limits.connectMs, ...limits.tls },
      // Time limits are kept here, so that they cover the whole exchange of a request.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 4_000,
    });
  }

  /** Send once; resolves always. `requestMs` bounds it from here to the last byte of the answer. */
  send(request: HttpRequest, requestMs: number = this.#requestMs): Promise<HttpResult> {
    if (this.#closed) return Promise.resolve({ kind: 'notSent', message: 'the client is closed' });
    return new Promise((resolve) => {
      const attempt = new Attempt(resolve, requestMs);
      try {
        this.#pool.dispatch(
          {
            path: request.target,
            method: request.method,
            headers: request.headers,
            body: request.body,
          },
          attempt,
        );
      } catch (error) {
        // undici refuses malformed paths and headers by throwing; nothing left then.
        attempt.onResponseError(null, error instanceof Error ? error : new Error('request refused'));
      }
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#pool.destroy();
  }
}

/** One request on its way; whether it was started decides between `notSent` and `broken`. */
class Attempt implements Dispatcher.DispatchHandler {
  readonly #resolve: (result: HttpResult) => void;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #settled = false;
  #status = 0;
  #headers: HttpAnswer['headers'] = {};
  /** Chunk by chunk: a long one is not decoded in one turn. */
  readonly #decoder = new StringDecoder('utf8');
  #body = '';
  #bytes = 0;

  constructor(resolve: (result: HttpResult) => void, requestMs: number) {
    this.#resolve = resolve;
    this.#timer = setTimeout(() => this.#fail(`no answer within ${requestMs} ms`), requestMs);
  }

  /** undici calls this when a connection is there and before it writes. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Timed out while waiting for a connection, or started a second time: it must not leave.
    if (this.#settled || this.#controller !== null) {
      controller.abort(new Error('request was given up'));
      return;
    }
    this.#controller = controller;
  }

  onResponseStart(_controller: unknown, status: number, headers: HttpAnswer['headers']): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > ANSWER_BYTES_MAX) this.#fail(`answer longer than ${ANSWER_BYTES_MAX} bytes`);
    else this.#body += this.#decoder.write(chunk);
  }

  onResponseEnd(): void {
    assert(this.#status !== 0 || this.#settled, 'an answer has a status before it ends');
    const body = this.#body + this.#decoder.end();
    this.#settle({ kind: 'answer', status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#fail(errorText(error));
  }

  #fail(message: string): void {
    const started = this.#controller !== null;
    this.#settle({ kind: started ? 'broken' : 'notSent', message });
    this.#controller?.abort(new Error('request was given up'));
  }

  #settle(result: HttpResult): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#body = '';
    this.#resolve(result);
  }
}

/** Words for errors with the address, or certificate content, in their own text. */
const WORDS: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of the exchange is for other names',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
};

/**
 * Reason of a network error without headers, bodies and addresses: it goes into Text(58) of unsent orders. Node's texts
 * of failed system calls name the address.
 */
export function errorText(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (code === null) return error.message.slice(0, 200);
  if ('syscall' in error) return `${error.syscall} failed (${code})`;
  // OpenSSL's text around its reason is for its developers.
  const reason = code.startsWith('ERR_SSL_') && 'reason' in error ? String(error.reason) : error.message;
  return `${code}: ${WORDS[code] ?? reason}`.slice(0, 200);
}
