// Passwords are hashed a few at a time, and those of one address keep no other out.

import { scryptSync } from 'node:crypto';
import { expect, test } from 'vitest';
import type { HashJob } from '../../../src/engine/logon/hash-job.ts';
import { HashQueue, HashQueueFull } from '../../../src/engine/logon/hash-queue.ts';

const CHEAP = { N: 1_024, r: 8, p: 1 };
const DEAR = { N: 131_072, r: 8, p: 1 };
const jobOf = (password: string, cost = DEAR): HashJob => ({ password, salt: Buffer.from('salt'), cost, bytes: 32 });

/** Hashes that a test lets end, one by one. */
function played() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const queue = new HashQueue((job) => {
    begun.push(job.password);
    return new Promise((resolve) => ends.push(() => resolve(Buffer.from(job.password))));
  });
  const endOne = async (): Promise<void> => {
    ends.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun, queue, endOne };
}

test('gives the key that scrypt gives', async () => {
  const key = await new HashQueue().derive(jobOf('a password', CHEAP), '');
  expect(key.toString('hex')).toBe(scryptSync('a password', 'salt', 32, CHEAP).toString('hex'));
});

test('one dear and one cheap hash are computed at a time, each kind in the order in which they came', async () => {
  const { begun, queue, endOne } = played();
  const all = ['d1', 'd2'].map((name) => queue.derive(jobOf(name), 'a'));
  all.push(...['c1', 'c2'].map((name) => queue.derive(jobOf(name, CHEAP), 'a')));
  expect(begun).toEqual(['d1', 'c1']);
  for (let n = 0; n < 4; n++) await endOne();
  expect(begun).toEqual(['d1', 'c1', 'd2', 'c2']);
  expect((await Promise.all(all)).map(String)).toEqual(['d1', 'd2', 'c1', 'c2']);
  expect(queue.asked).toBe(4);
});

test('beyond 20 expensive hashes the busiest address loses its oldest, a known one last', async () => {
  const { begun, queue, endOne } = played();
  queue.proved('desk');
  const lost: string[] = [];
  const ask = (name: string, origin: string): void => {
    void queue.derive(jobOf(name), origin).catch((error: unknown) => {
      expect(error).toBeInstanceOf(HashQueueFull);
      lost.push(name);
    });
  };
  ask('under way', 'crowd');
  for (let n = 0; n < 10; n++) ask(`desk ${n}`, 'desk');
  for (let n = 0; n < 30; n++) ask(`crowd ${n}`, 'crowd');
  ask('lone', 'lone');
  await endOne();
  expect(lost).toEqual(Array.from({ length: 21 }, (_, n) => `crowd ${n}`));
  for (let n = 0; n < 20; n++) await endOne();
  expect(begun).toHaveLength(21);
  expect(begun.at(-1)).toBe('lone');
});

test('a hash that cannot be computed refuses its own Logon, and the next one is computed', async () => {
  const queue = new HashQueue(async ({ password }) => {
    if (password === 'bad') throw new Error('no memory');
    return Buffer.from(password);
  });
  const bad = queue.derive(jobOf('bad'), '');
  const good = queue.derive(jobOf('good'), '');
  await expect(bad).rejects.toThrow('no memory');
  expect(String(await good)).toBe('good');
});
