// A bare TCP echo in a process of its own, beside which the stages of an order are read: what a process pays at a given pace
// for nothing but reading and writing. Marks are kept as in a gateway (marks.ts). Prints its port; ends with SIGINT.

import { createServer } from 'node:net';
import process from 'node:process';
import { keepMarks } from './marks.ts';

const mark = keepMarks();
const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    mark('frame in');
    socket.write(chunk);
    mark('bytes out');
  });
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify(server.address())));
process.once('SIGINT', () => process.exit(0));
