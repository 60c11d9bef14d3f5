// Handles input of an HTTP connection that never becomes a request, so no route sees it. It is refused and the
// connection closed, after the answers to complete requests before it. Those are still being served, and the client
// must not mistake the refusal for their answer. The server words the refusal.

/** As Node.js has it. */
export interface RequestConnection {
  readonly writable: boolean;
  end(text: string): unknown;
  destroy(): unknown;
  destroySoon(): unknown;
}

interface DueAnswer {
  readonly req: { readonly complete: boolean };
  once(event: 'close', listener: () => void): unknown;
}

interface RequestServer {
  on(
    event: 'request',
    listener: (request: { readonly socket: RequestConnection }, response: DueAnswer) => void,
  ): unknown;
}

export interface Refusal {
  /** With its reason phrase: `400 Bad Request`. */
  readonly status: string;
  readonly type: string;
  /** Characters of ASCII. */
  readonly body: string;
}

/** Answer to each kind. */
export interface Refusals {
  readonly tooSlow: Refusal;
  readonly headersTooLong: Refusal;
  readonly noRequest: Refusal;
}

/** By the code of Node.js's error; all others are no request at all. */
const KINDS: ReadonlyMap<string | undefined, keyof Refusals> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'tooSlow'],
  ['HPE_HEADER_OVERFLOW', 'headersTooLong'],
]);

export class UnreadRequests {
  private readonly refusals: Refusals;
  /** Requests of a connection that still wait for an answer. */
  private readonly due = new WeakMap<RequestConnection, Set<DueAnswer>>();
  /** Further input on these connections is ignored. */
  private readonly refused = new WeakSet<RequestConnection>();

  constructor(refusals: Refusals) {
    this.refusals = refusals;
  }

  watch(server: RequestServer): void {
    server.on('request', ({ socket }, response) => {
      const due = this.due.get(socket) ?? new Set();
      this.due.set(socket, due.add(response));
      response.once('close', () => due.delete(response));
    });
  }

  refuse({ code }: { readonly code?: string | undefined }, socket: RequestConnection): void {
    // A peer that speaks no TLS here reads no answer either.
    if (!socket.writable || code === 'ECONNRESET' || code?.startsWith('ERR_SSL_') || code?.startsWith('ERR_TLS_')) {
      socket.destroy();
      return;
    }
    if (this.refused.has(socket)) return;
    this.refused.add(socket);
    // The message that this belongs to can never become complete.
    const before = [...(this.due.get(socket) ?? [])].filter(({ req }) => req.complete);
    let left = before.length;
    if (left === 0) this.end(socket, code);
    for (const response of before) {
      response.once('close', () => {
        if (--left === 0) this.end(socket, code);
      });
    }
  }

  private end(socket: RequestConnection, code: string | undefined): void {
    if (!socket.writable) return;
    const { status, type, body } = this.refusals[KINDS.get(code) ?? 'noRequest'];
    const head = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: ${type}\r\n`;
    socket.end(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    socket.destroySoon();
  }
}
