// A TCP server that answers each HTTP request with exactly the bytes of a script: what a real server would never send.

import { createServer, type Socket } from 'node:net';

/** Treatment of one request: bytes to answer, or an action on the connection. */
export type RawAnswer = string | ((socket: Socket) => void);

export interface RawHttpServer {
  readonly url: string;
  /** Requests received whole, head and body as one text. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** An answer with the right length and a content type. */
export function rawAnswer(status: number, body: string, type = 'application/json', headers = ''): string {
  return `HTTP/1.1 ${status} X\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
}

/** Start on any free port; `answer` is asked with each whole request. */
export async function startRawHttpServer(answer: (request: string) => RawAnswer): Promise<RawHttpServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = '';
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? '0');
      if (text.length < end + 4 + length) return;
      const request = text.slice(0, end + 4 + length);
      text = text.slice(request.length);
      requests.push(request);
      const reply = answer(request);
      if (typeof reply === 'string') socket.write(reply);
      else reply(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
