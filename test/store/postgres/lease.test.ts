// How long a lease may be relied on, over a database that the test plays. Over PostgreSQL it is in postgres-journal.test.ts.

import type { Pool } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { Lease } from '../../../src/store/postgres/lease.ts';

afterEach(() => {
  vi.useRealTimers();
});

interface LeaseSeen {
  readonly lost: () => number | null;
  /** When the database was asked. */
  readonly asked: readonly number[];
}

/**
 * The epoch is given after each of these times; then nothing is answered any more.
 * @param leaseMs how long it lasts
 * @param looks done once it is there
 */
async function leaseOver(
  answersAfterMs: readonly number[],
  leaseMs = 12_000,
  looks: (lease: Lease) => void = () => {},
): Promise<LeaseSeen> {
  vi.useFakeTimers();
  const waits = [...answersAfterMs];
  const asked: number[] = [];
  const query = async (): Promise<{ rows: { epoch: string }[] }> => {
    asked.push(performance.now() - begun);
    const ms = waits.shift();
    if (ms === undefined) return await new Promise(() => {});
    await new Promise((resolve) => setTimeout(resolve, ms));
    return { rows: [{ epoch: '1' }] };
  };
  const begun = performance.now();
  let lostAt: number | null = null;
  const onLost = (): void => {
    lostAt = performance.now() - begun;
  };
  const pool = { query } as unknown as Pool;
  const told = { onHealth: () => {}, onLost, log: () => {} };
  const taken = Lease.take({ pool, name: 'main', holder: 'first', leaseMs, ...told });
  void taken.then(looks);
  await vi.advanceTimersByTimeAsync(60_000);
  await taken;
  return { lost: () => lostAt, asked };
}

test('gives up a lease after three quarters of its time from the request', async () => {
  expect((await leaseOver([0])).lost()).toBe(9_000);
  expect((await leaseOver([5_000])).lost()).toBe(9_000);
});

test('so is one that was renewed, from when that was asked for', async () => {
  // Renewed after a third of it, with an answer that took two seconds.
  expect((await leaseOver([0, 2_000])).lost()).toBe(13_000);
});

test('renews a lease of any length every ten seconds, which also probes the database', async () => {
  expect((await leaseOver([0, 0, 0], 300_000)).asked.slice(0, 3)).toEqual([0, 10_000, 20_000]);
});

test('runs one renewal at a time, for all callers', async () => {
  const twice = (lease: Lease): void => {
    lease.look();
    lease.look();
  };
  expect((await leaseOver([0, 1_000, 0], 12_000, twice)).asked.slice(0, 3)).toEqual([0, 0, 4_000]);
});

test('a node stopped while waiting for a lease takes none', async () => {
  vi.useFakeTimers();
  const asked: string[] = [];
  const query = async (text: string): Promise<{ rows: unknown[] }> => {
    asked.push(text);
    return { rows: text.startsWith('select') ? [{ epoch: '1', holder: 'killed', ends: 'later', left: 600_000 }] : [] };
  };
  const stop = new AbortController();
  const told = { onHealth: () => {}, onLost: () => {}, log: () => {} };
  const lease = { pool: { query } as unknown as Pool, name: 'main', holder: 'next', leaseMs: 600_000 };
  const taken = Lease.take({ ...lease, ...told, stopped: stop.signal }).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(1_000);
  stop.abort();
  await vi.advanceTimersByTimeAsync(250);
  const before = asked.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveLength(before);
  expect(await taken).toMatchObject({ code: 'XG_JOURNAL_LOCKED' });
});
