// Where passwords are hashed: in a thread that stands back, and elsewhere where that has no time or is not to be had.

import { scryptSync } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { HashJob } from '../../../src/engine/logon/hash-job.ts';
import { HashThread } from '../../../src/engine/logon/hash-thread.ts';

const COST = { N: 256, r: 1, p: 1 };
const GIVEN_MAX = 8;
const WAITING_MAX = 10_000;
const jobOf = (password: string): HashJob => ({ password, salt: Buffer.from('salt'), cost: COST, bytes: 32 });
const keyOf = (password: string): string => scryptSync(password, 'salt', 32, COST).toString('hex');
const hex = (keys: readonly Buffer[]): string[] => keys.map((key) => key.toString('hex'));

/** A thread that a test plays. */
class PlayedThread extends EventEmitter {
  readonly asked: { readonly id: number; readonly password: string }[] = [];
  postMessage(job: { id: number; password: string }): void {
    this.asked.push(job);
  }
  ref(): void {}
  unref(): void {}
  async terminate(): Promise<void> {}
  answer(password: string): void {
    const job = this.asked.find((one) => one.password === password)!;
    this.emit('message', { kind: 'done', id: job.id, key: scryptSync(password, 'salt', 32, COST) });
  }
}

const played = (threads: PlayedThread[]) => (): Worker => {
  threads.push(new PlayedThread());
  return threads.at(-1) as unknown as Worker;
};

/** Niceness of the threads of this process. */
function niceness(): number[] {
  return readdirSync('/proc/self/task').map((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });
}

test.skipIf(process.platform !== 'linux')('hashes are right, and their thread stands back', async () => {
  const thread = new HashThread();
  const names = Array.from({ length: 40 }, (_, i) => `pw-${i}`);
  expect(hex(await Promise.all(names.map((name) => thread.derive(jobOf(name)))))).toEqual(names.map(keyOf));
  const own = niceness()[readdirSync('/proc/self/task').indexOf(`${process.pid}`)]!;
  expect(niceness()).toContain(Math.min(19, own + 15));
});

test('what cannot be hashed is refused in words, and what follows is hashed', async () => {
  const thread = new HashThread();
  const refused = thread.derive({ ...jobOf('a'), cost: { N: 3, r: 1, p: 1 } });
  const next = thread.derive(jobOf('b'));
  await expect(refused).rejects.toMatchObject({
    code: 'XG_SECRET_MISSING',
    message: expect.stringContaining('a password cannot be hashed: '),
  });
  expect(hex([await next])).toEqual([keyOf('b')]);
});

test('where the process may have no further thread, passwords are hashed all the same', async () => {
  const thread = new HashThread(() => {
    throw new Error('ERR_WORKER_INIT_FAILED');
  });
  expect(hex(await Promise.all(['a', 'b', 'c'].map((name) => thread.derive(jobOf(name)))))).toEqual(
    ['a', 'b', 'c'].map(keyOf),
  );
});

test('who waits for long behind a thread without a processor is served elsewhere, first come first served', async () => {
  const threads: PlayedThread[] = [];
  let now = 0;
  const thread = new HashThread(played(threads), () => now);
  const served: string[] = [];
  const names = Array.from({ length: GIVEN_MAX + 3 }, (_, i) => `pw-${i}`);
  const all = names.map(async (name) => {
    const [key] = hex([await thread.derive(jobOf(name))]);
    expect(key).toBe(keyOf(name));
    served.push(name);
  });
  expect(threads[0]!.asked).toHaveLength(GIVEN_MAX);
  expect(served).toEqual([]);
  now = 1_000;
  await Promise.all(all);
  expect(served).toEqual(names);
  for (const { password } of threads[0]!.asked) threads[0]!.answer(password);
  expect(threads).toHaveLength(1);
});

test('serves jobs of a silent thread elsewhere without waiters, and leaves running ones to it', async () => {
  const threads: PlayedThread[] = [];
  let now = 0;
  const thread = new HashThread(played(threads), () => now);
  const alone = thread.derive(jobOf('a'));
  const second = thread.derive(jobOf('b'));
  now = 900;
  threads[0]!.answer('a');
  await alone;
  let isServed = false;
  void second.then(() => {
    isServed = true;
  });
  now = 1_800;
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect(isServed).toBe(false);
  now = 1_900;
  expect(hex([await second])).toEqual([keyOf('b')]);
});

test('a thread that ends takes those with it that it was given; the others get another one', async () => {
  const threads: PlayedThread[] = [];
  const thread = new HashThread(played(threads), () => 0);
  const names = Array.from({ length: GIVEN_MAX + 1 }, (_, i) => `pw-${i}`);
  const all = names.map((name) => thread.derive(jobOf(name)));
  const outcomes = Promise.allSettled(all);
  threads[0]!.emit('error', new Error('out of memory'));
  threads[0]!.emit('exit', 1);
  expect(threads[1]!.asked.map(({ password }) => password)).toEqual([names.at(-1)]);
  threads[1]!.answer(names.at(-1)!);
  const settled = await outcomes;
  expect(settled.map(({ status }) => status)).toEqual([
    ...Array.from({ length: GIVEN_MAX }, () => 'rejected'),
    'fulfilled',
  ]);
  expect(settled[0]).toMatchObject({ reason: { message: 'a password cannot be hashed: out of memory' } });
});

test('only so many wait: further ones are refused', async () => {
  // They are left to wait.
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const thread = new HashThread(played([]), () => 0);
  for (let i = 0; i < GIVEN_MAX + WAITING_MAX; i++) thread.derive(jobOf('a')).catch(() => {});
  await expect(thread.derive(jobOf('b'))).rejects.toMatchObject({ code: 'XG_SECRET_MISSING' });
});
