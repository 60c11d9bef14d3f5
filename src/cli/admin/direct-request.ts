// One HTTP request to a gateway, on the straight way to it: a proxy that the environment names for everything (NODE_USE_ENV_PROXY,
// HTTP_PROXY) would be given the token, and finds no gateway at a loopback address.

import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { ConnectionOptions } from 'node:tls';

interface DirectRequest {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** For an https: address. */
  readonly tls?: ConnectionOptions;
}

export interface DirectAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Ask, and read the whole answer. @throws the system's error, or a TimeoutError if all of it takes longer than
 * `timeoutMs`
 */
export async function askDirectly(
  url: URL,
  { method, headers, body, timeoutMs, tls = {} }: DirectRequest,
): Promise<DirectAnswer> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      // The agent of all others is the one that goes by the environment.
      const options = { method, headers: { ...headers }, agent: false, signal } as const;
      const isSecure = url.protocol === 'https:';
      (isSecure ? secureRequest(url, { ...options, ...tls }, resolve) : request(url, options, resolve))
        .on('error', reject)
        .end(body);
    });
    answer.setEncoding('utf8');
    let text = '';
    for await (const chunk of answer) text += String(chunk);
    return { status: answer.statusCode!, headers: answer.headers, text };
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}
