// What comes over a connection and is no whole request, of which no route hears: it is refused and its connection ended, behind
// the answers to what came whole before it. That is being carried out, and its caller must not take this for its answer.

import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { PROBLEM_TYPE, Problem } from './problem.ts';

export class UnreadRequests {
  /** What a connection is still to be answered. */
  private readonly due = new WeakMap<Socket, Set<ServerResponse>>();
  /** Whatever else comes over these is not looked at. */
  private readonly refused = new WeakSet<Socket>();

  watch(server: Server): void {
    server.on('request', ({ socket }, response) => {
      const due = this.due.get(socket) ?? new Set();
      this.due.set(socket, due.add(response));
      response.once('close', () => due.delete(response));
    });
  }

  refuse({ code }: NodeJS.ErrnoException, socket: Socket): void {
    if (!socket.writable || code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    if (this.refused.has(socket)) return;
    this.refused.add(socket);
    // What this is the rest of never becomes whole.
    const before = [...(this.due.get(socket) ?? [])].filter(({ req }) => req.complete);
    let left = before.length;
    if (left === 0) end(socket, problemOf(code));
    for (const response of before) {
      response.once('close', () => {
        if (--left === 0) end(socket, problemOf(code));
      });
    }
  }
}

function problemOf(code: string | undefined): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Problem('too-slow', 'Nothing of it was carried out. Send it again, whole.');
  }
  return code === 'HPE_HEADER_OVERFLOW'
    ? new Problem('too-large', 'The headers are too long.', { status: 431 })
    : new Problem('malformed', 'This is no HTTP request.');
}

function end(socket: Socket, problem: Problem): void {
  if (!socket.writable) return;
  const body = JSON.stringify(problem);
  const head = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nConnection: close\r\n`;
  socket.end(`${head}Content-Type: ${PROBLEM_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  socket.destroySoon();
}
