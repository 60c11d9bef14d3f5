// Entry script of the floor of the market data benchmark: a process that does nothing but write the bytes that it gets on its
// control connection to every reader, with one write each. Says its ports as one line of JSON.

import { createServer, type Socket } from 'node:net';
import process from 'node:process';

const readers = new Set<Socket>();
const port = (server: ReturnType<typeof createServer>): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
const forReaders = createServer({ noDelay: true }, (socket) => {
  readers.add(socket);
  socket.on('error', () => {});
  socket.on('close', () => readers.delete(socket));
});
const forControl = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    for (const reader of readers) reader.write(chunk);
  });
});
console.log(JSON.stringify({ readers: await port(forReaders), control: await port(forControl) }));
process.once('SIGINT', () => process.exit(0));
