// One bad peer never holds up another: the server is a process of its own, the peers are here.

import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fromPrintable } from '../../../src/wire/mod.ts';
import { BenchClient, openSocket, roundTrip } from '../../bench/session-client.ts';
import { LineProcess } from '../../support/processes/line-process.ts';

const SERVER = join(import.meta.dirname, '../../bench/session-server.ts');
const ROUNDS = 50;
/** Far above what a round trip takes on a busy machine, far below what a held-up loop would cost. */
const ROUND_TRIP_MS_MAX = 4000;

let server: LineProcess;
let port = 0;
let healthy: BenchClient;

beforeEach(async () => {
  const options = { kind: 'fix', store: null, sessions: 3, tls: null, password: null };
  server = new LineProcess(process.execPath, [SERVER, JSON.stringify(options)]);
  ({ port } = JSON.parse(await server.line(/^\{/)) as { port: number });
  healthy = await BenchClient.open({ port, sender: 'C0', target: 'SERVER' });
  await healthy.logOn();
});
afterEach(async () => {
  healthy.socket.destroy();
  await server.kill();
});

/** Round trips of the healthy session until `done`, at least ROUNDS of them. */
async function staysServed(done: () => boolean): Promise<void> {
  for (let i = 0; i < ROUNDS || !done(); i++) {
    expect((await roundTrip(healthy)) / 1000).toBeLessThan(ROUND_TRIP_MS_MAX);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Write the same bytes as fast as they are taken; true once the connection is closed. */
async function flood(bytes: Buffer): Promise<() => boolean> {
  const socket = await openSocket({ port });
  let closed = false;
  socket.on('error', () => {});
  socket.on('close', () => {
    closed = true;
  });
  const more = (): void => {
    while (!closed && socket.write(bytes)) if (socket.writableLength > 1_000_000) return;
  };
  socket.on('drain', more);
  more();
  return () => closed;
}

test('garbage at full speed ends its own connection', async () => {
  const frame = fromPrintable('35=0|49=C1|56=SERVER|34=1|52=20260105-12:00:00.000|', 'FIX.4.4');
  frame[frame.length - 2] = frame[frame.length - 2] === 0x30 ? 0x31 : 0x30;
  await staysServed(await flood(Buffer.concat(Array.from({ length: 500 }, () => frame))));
});

test('bytes that are no FIX at all end their own connection', async () => {
  await staysServed(await flood(Buffer.alloc(65_536, 'x')));
});

test('a counterparty that sends and never reads is dropped with an alarm', async () => {
  const slow = await BenchClient.open({ port, sender: 'C1', target: 'SERVER' });
  await slow.logOn();
  slow.socket.pause();
  let closed = false;
  slow.socket.on('close', () => {
    closed = true;
  });
  const feed = (): void => {
    if (closed) return;
    if (slow.socket.writableLength < 100_000) {
      slow.socket.write(Buffer.concat(Array.from({ length: 200 }, () => slow.order())));
    }
    setImmediate(feed);
  };
  feed();
  await staysServed(() => server.lines.some((line) => line.includes('FIX.4.4:SERVER->C1: slow consumer')));
  closed = true;
  slow.socket.destroy();
});

test('hundreds of silent or half-logged-on connections delay no session', async () => {
  const half = fromPrintable('35=A|49=C2|56=SERVER|34=1|52=20260105-12:00:00.000|98=0|108=30|', 'FIX.4.4').subarray(
    0,
    40,
  );
  const idle = await Promise.all(Array.from({ length: 400 }, () => openSocket({ port })));
  for (const [i, socket] of idle.entries()) if (i % 2 === 0) socket.write(half);
  await staysServed(() => true);
  const late = await BenchClient.open({ port, sender: 'C2', target: 'SERVER' });
  await late.logOn();
  for (const socket of [...idle, late.socket]) socket.destroy();
});
