// A port for programs that cannot take 0, and for addresses without a listener.

import { createServer } from 'node:net';
import process from 'node:process';

// Below Linux's range for other connections and listeners, so that a free port stays free until used: one was taken in
// between, or connected to itself.
const FIRST = 20_000;
const COUNT = 12_000;
/** Ports that a process tries before it comes to those of the next one. */
const OF_A_PROCESS = 40;

let next = process.pid * OF_A_PROCESS;

/** A TCP port of the loopback interface that is free, and that this process has not been given lately. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries++) {
    const port = FIRST + (next++ % COUNT);
    if (await isFree(port)) return port;
  }
  throw new Error(`no port between ${FIRST} and ${FIRST + COUNT} is free`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listens = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (listens) await new Promise((resolve) => server.close(resolve));
  return listens;
}
