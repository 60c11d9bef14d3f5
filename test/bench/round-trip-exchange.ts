// Entry script of a simulated exchange under measurement: `crossgate sim` in a process that notes when a command has come and
// when the first frame about it leaves.

import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { ORDERS_PATH } from '../../src/exchange/mod.ts';
import { keepMarks } from './marks.ts';

const mark = keepMarks({ withProcessorTime: true });
subscribe('http.server.request.start', (message) => {
  const { request } = message as { request: IncomingMessage };
  if (request.method === 'POST' && request.url === ORDERS_PATH) mark('request in');
});
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (this: WebSocket, ...args: unknown[]): void {
  send.apply(this, args as Parameters<typeof send>);
  mark('frame out');
};
subscribe('http.server.response.finish', () => mark('answer out'));

await import('../../src/cli/main.ts');
