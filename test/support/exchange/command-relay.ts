// A relay before an exchange, like a proxy on the way. It notes passing requests, holds a POST on request, and may
// deliver one twice and pass on the second answer only, as a proxy does that lost the first.

import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

export interface Passed {
  readonly path: string;
  readonly window: string | undefined;
  /** Of every delivery, in their order; the last is what was passed on. */
  readonly statuses: readonly number[];
  readonly body: string;
}

export interface CommandRelay {
  readonly url: string;
  /** The POSTs, in the order of their answers. */
  readonly passed: Passed[];
  /** Keep a POST on its way until this resolves. */
  hold: (path: string) => Promise<void>;
  /** Whether a POST is delivered twice. */
  isTwice: (path: string) => boolean;
  /** Requests between the two deliveries. */
  between: () => Promise<void>;
  close(): void;
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

export async function startCommandRelay(exchangeUrl: string): Promise<CommandRelay> {
  const passed: Passed[] = [];
  const server = createServer((request, response) => {
    const pass = async (): Promise<void> => {
      const { method = 'GET', url = '', headers } = request;
      const body = await bodyOf(request);
      const path = url.split('?')[0]!;
      if (method === 'POST') await relay.hold(path);
      const sent = Object.fromEntries(
        Object.entries(headers).filter(([name]) => /^(authorization|content-type|bx-)/.test(name)),
      ) as Record<string, string>;
      const deliver = () => fetch(exchangeUrl + url, { method, headers: sent, ...(body === '' ? {} : { body }) });
      const statuses: number[] = [];
      if (method === 'POST' && relay.isTwice(path)) {
        statuses.push((await deliver()).status);
        await relay.between();
      }
      const answer = await deliver();
      const text = await answer.text();
      statuses.push(answer.status);
      if (method === 'POST') passed.push({ path, window: sent['bx-nonce-window-enabled'], statuses, body });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    };
    void pass();
  });
  const { hostname, port } = new URL(exchangeUrl);
  server.on('upgrade', ({ url = '', rawHeaders }, socket) => {
    const onward = connect(Number(port), hostname);
    const lines = rawHeaders.map((part, i) => (i % 2 === 0 ? `${part}: ` : `${part}\r\n`)).join('');
    onward.write(`GET ${url} HTTP/1.1\r\n${lines}\r\n`);
    onward.pipe(socket).pipe(onward);
    for (const [one, other] of [[socket, onward] as const, [onward, socket] as const]) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const relay: CommandRelay = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    hold: async () => {},
    isTwice: () => false,
    between: async () => {},
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return relay;
}
