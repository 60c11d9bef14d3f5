// A receiver of webhooks over real HTTP: keeps what it is sent, and answers as a test says.

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface WebhookServer {
  readonly url: string;
  readonly received: Received[];
  /** Answers to the next requests; 200 when there is none. */
  readonly answers: number[];
}

/** Start one; it ends with the test. */
export async function webhookServer(): Promise<WebhookServer> {
  const received: Received[] = [];
  const answers: number[] = [];
  const server = createServer(async (request, response) => {
    const body: unknown = JSON.parse(await text(request));
    received.push({ path: request.url ?? '', headers: request.headers, body });
    response.writeHead(answers.shift() ?? 200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, answers };
}
