// For how long a node stands by, over looks that the test gives. Over a database, as a process, it is in postgres-gateway.test.ts.

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { CrossgateError } from '../../../src/base/errors.ts';
import { type LeaseSeen, standBy as standByOver, untilItMayBeHad } from '../../../src/store/postgres/standby.ts';

const TIMES = { lookMs: 1, renewalMs: 40 };

const held = (ends: string | number, holder = 'first'): LeaseSeen => ({ holder, ends: String(ends), left: 30_000 });

/** Stand by over these looks, the last of them repeated; the reports, and the number of requests. */
async function standBy(
  looks: readonly (LeaseSeen | null | Error)[],
  stopped = new AbortController().signal,
): Promise<{ told: string[]; looks: number }> {
  const told: string[] = [];
  let count = 0;
  const look = async (): Promise<LeaseSeen | null> => {
    const seen = looks[Math.min(count++, looks.length - 1)]!;
    if (seen instanceof Error) throw seen;
    return seen;
  };
  const listener = {
    onWriter: (writer: string) => told.push(`writer ${writer}`),
    onTrouble: (reason: string | null) => told.push(`trouble ${reason}`),
  };
  await untilItMayBeHad(look, listener, stopped, TIMES);
  return { told, looks: count };
}

test('a node stands by until the lease is free, and names its holder once', async () => {
  const released = { ...held('epoch'), left: -1 };
  expect(await standBy([held(1), held(2), held(3), held(4, 'second'), released])).toEqual({
    told: ['writer first', 'writer second'],
    looks: 5,
  });
  expect(await standBy([null])).toEqual({ told: [], looks: 1 });
});

test('a holder that does not renew its lease is waited for no longer, whatever the end of it says', async () => {
  const { told, looks } = await standBy([held(1), held(2)]);
  expect(told).toEqual(['writer first']);
  expect(looks).toBeGreaterThan(2);
});

test('of a time in which the database could not be asked the holder has not to answer for', async () => {
  const away = new Error('gone');
  const before = [held(1), ...Array.from({ length: 60 }, () => away)];
  const { told, looks } = await standBy([...before, held(1), held(2), { ...held(3), left: 0 }]);
  expect(told).toEqual(['writer first', 'trouble gone', 'trouble null']);
  expect(looks).toBe(before.length + 3);
});

test('a database that cannot be asked at first, or that a later program has used, ends the wait', async () => {
  await expect(standBy([new Error('gone')])).rejects.toThrow('gone');
  const later = new CrossgateError('XG_CONFIG_INVALID', 'it was used by a later one');
  await expect(standBy([held(1), held(2), later])).rejects.toBe(later);
  const listener = { onWriter: () => {}, onTrouble: () => {} };
  const looks = [() => Promise.reject(new Error('gone')), async () => null];
  await untilItMayBeHad(() => looks.shift()!(), listener, new AbortController().signal, { ...TIMES, isKnown: true });
});

test('a standby node reads its database address anew for each connection', async () => {
  const asked = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    asked.resolve();
    socket.destroy();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  let address = 'postgresql://me:hunter1@127.0.0.1:1/crossgate';
  const stop = new AbortController();
  const told: (string | null)[] = [];
  const onTrouble = (reason: string | null): void => {
    told.push(reason);
    address = `postgresql://me:hunter2@127.0.0.1:${(server.address() as AddressInfo).port}/crossgate`;
  };
  const place = { isKnown: true, url: () => address, journal: 'crossgate', requestTimeoutMs: 5_000 };
  const waiting = standByOver(place, { onWriter: () => {}, onTrouble }, stop.signal);
  await asked.promise;
  stop.abort();
  await waiting;
  expect(told).toEqual([expect.stringContaining('ECONNREFUSED')]);
});

test('a stopped node stands by no longer, though its look is unanswered', async () => {
  const stop = new AbortController();
  const waits = untilItMayBeHad(
    () => new Promise(() => {}),
    { onWriter: () => {}, onTrouble: () => {} },
    stop.signal,
    TIMES,
  );
  stop.abort();
  await waits;
});
