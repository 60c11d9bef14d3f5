import { expect, test } from 'vitest';
import { decodeNonceRange, NonceAllocator, nonceRangeOfDay } from '../../src/exchange/mod.ts';

const DAY = Date.UTC(2026, 8, 23);
const NOON = DAY + 12 * 3_600_000;

function allocator(mode: 'window' | 'serial' = 'window', ceiling: bigint | null = null): NonceAllocator {
  const nonces = new NonceAllocator(mode, ceiling);
  nonces.setRange(nonceRangeOfDay(NOON));
  return nonces;
}

function next(nonces: NonceAllocator, now: number, above: bigint | null = null): bigint {
  const allocation = nonces.allocate(now, above);
  if (allocation.kind !== 'nonce') throw new Error(allocation.kind);
  return allocation.nonce;
}

test('X3 nonces are epoch microseconds and rise, although the clock stands still or goes back', () => {
  const nonces = allocator();
  const first = next(nonces, NOON);
  expect(first).toBe(BigInt(NOON) * 1000n);
  nonces.settle(first, true);
  const second = next(nonces, NOON);
  nonces.settle(second, true);
  expect(second).toBe(first + 1n);
  expect(next(nonces, NOON - 5000)).toBe(first + 2n);
});

test('X3 while commands are unanswered the nonces stay within a window of 100, and then wait', () => {
  const nonces = allocator();
  const first = next(nonces, NOON);
  let last = first;
  for (let i = 1; i < 100; i++) last = next(nonces, NOON + i * 1000);
  expect(last - first).toBe(99n);
  expect(nonces.allocate(NOON + 1_000_000)).toEqual({ kind: 'full' });
  nonces.settle(first, true);
  expect(next(nonces, NOON + 1_000_000)).toBe(last + 1n);
});

test('X3 after a fence the next nonces follow it within a window', () => {
  const nonces = allocator();
  let last = 0n;
  for (let i = 0; i < 100; i++) last = next(nonces, NOON);
  const fence = next(nonces, NOON + 1000, last);
  expect(fence).toBe(BigInt(NOON + 1000) * 1000n);
  for (let i = 1n; i < 100n; i++) expect(next(nonces, NOON + 5000)).toBe(fence + i);
  expect(nonces.allocate(NOON + 5000)).toEqual({ kind: 'full' });
});

test('X3 a fence leaves commands inside the window in flight', () => {
  const nonces = allocator();
  const first = next(nonces, NOON);
  expect(next(nonces, NOON, first + 99n)).toBe(first + 100n);
  expect(nonces.inFlight).toBe(2);
  next(nonces, NOON, first + 100n);
  expect(nonces.inFlight).toBe(2);
});

test('X3 leaves an old unanswered one behind once a later is answered; in serial mode none', () => {
  const nonces = allocator();
  const all = Array.from({ length: 100 }, () => next(nonces, NOON));
  expect(nonces.leaveBehind(NOON), 'nothing was answered').toBe(false);
  for (const nonce of all.slice(1)) nonces.settle(nonce, true);
  expect(nonces.leaveBehind(NOON - 1), 'it is young').toBe(false);
  expect(nonces.allocate(NOON)).toEqual({ kind: 'full' });
  expect(nonces.leaveBehind(NOON)).toBe(true);
  expect(nonces.leaveBehind(NOON)).toBe(false);
  expect(next(nonces, NOON)).toBe(all.at(-1)! + 1n);
  nonces.settle(all[0]!, false);
  const serial = allocator('serial');
  next(serial, NOON);
  serial.settle(next(serial, NOON, serial.last), true);
  expect(serial.leaveBehind(NOON)).toBe(false);
});

test('X3 in serial mode one command waits for the answer to the one before', () => {
  const nonces = allocator('serial');
  const first = next(nonces, NOON);
  expect(nonces.allocate(NOON + 1)).toEqual({ kind: 'full' });
  nonces.settle(first, false);
  expect(next(nonces, NOON + 1)).toBe(first + 1000n);
});

test('X3 after a restart nonces start above the ceiling that was made durable', () => {
  const before = allocator();
  const allocation = before.allocate(NOON);
  if (allocation.kind !== 'nonce' || allocation.ceiling === null) throw new Error('the first nonce sets a ceiling');
  expect(allocation.ceiling).toBeGreaterThan(allocation.nonce);
  expect(next(allocator('window', allocation.ceiling), NOON + 1)).toBe(allocation.ceiling + 1n);
});

test('X3 a new ceiling is asked for before a nonce passes the old one, and seldom', () => {
  const nonces = allocator();
  const ceilings: bigint[] = [];
  for (let ms = 0; ms < 60_000; ms += 700) {
    const allocation = nonces.allocate(NOON + ms);
    if (allocation.kind !== 'nonce') throw new Error(allocation.kind);
    if (allocation.ceiling !== null) ceilings.push(allocation.ceiling);
    const ceiling = ceilings.at(-1)!;
    expect(allocation.nonce).toBeLessThanOrEqual(ceiling);
    nonces.settle(allocation.nonce, true);
  }
  // Each waits for a write: one in ten seconds.
  expect(ceilings).toHaveLength(6);
});

test("X3 keeps the durable ceiling in the day's range for the next process", () => {
  const nonces = allocator();
  const { upperBound } = nonceRangeOfDay(NOON);
  const allocation = nonces.allocate(DAY + 86_399_000);
  expect(allocation).toMatchObject({ kind: 'nonce', ceiling: upperBound });
});

test('nonces stay inside the range of the day and follow it into the next', () => {
  const nonces = allocator();
  const end = DAY + 86_400_000;
  const last = next(nonces, end - 1);
  nonces.settle(last, true);
  expect(nonces.needsRange(end - 1)).toBe(false);
  expect(nonces.needsRange(end)).toBe(true);
  // The exchange's clock is behind ours: what is left of its day is used.
  expect(next(nonces, end)).toBe(last + 1n);
  nonces.settle(last + 1n, true);
  nonces.setRange(nonceRangeOfDay(end));
  expect(next(nonces, end)).toBe(BigInt(end) * 1000n);
});

test('X3 the day changes while commands are unanswered: the next nonce is one of the new day', () => {
  const nonces = allocator();
  const end = DAY + 86_400_000;
  const last = next(nonces, end - 1);
  nonces.setRange(nonceRangeOfDay(end));
  const first = next(nonces, end);
  expect(first).toBe(BigInt(end) * 1000n);
  nonces.settle(last, true);
  expect(next(nonces, end + 1)).toBe(first + 1n);
});

test('X3 a clock that was ahead into another day, and is set right, blocks no nonce of this one', () => {
  const nonces = allocator();
  const before = next(nonces, NOON);
  nonces.settle(before, true);
  const tomorrow = NOON + 86_400_000;
  // The exchange could not be asked: the clock alone said which day it is.
  nonces.setRange(nonceRangeOfDay(tomorrow));
  nonces.settle(next(nonces, tomorrow), false);
  expect(nonces.needsRange(NOON)).toBe(true);
  nonces.setRange(nonceRangeOfDay(NOON));
  // The ceiling on record is one of tomorrow: the next process would begin below what this one uses.
  const ceiling = before + 1n + 10_000_000n;
  expect(nonces.allocate(NOON - 1_000)).toEqual({ kind: 'nonce', nonce: before + 1n, ceiling });
  expect(nonces.isFenced(before)).toBe(false);
  // The same for a ceiling that such a process left behind.
  const restarted = allocator('window', nonceRangeOfDay(tomorrow).upperBound);
  expect(next(restarted, NOON)).toBe(BigInt(NOON) * 1000n);
});

test('a used-up range gives no nonce at all', () => {
  const nonces = new NonceAllocator('window', null);
  expect(nonces.allocate(NOON)).toEqual({ kind: 'exhausted' });
  nonces.setRange({ lowerBound: 5n, upperBound: 6n });
  nonces.settle(next(nonces, NOON), true);
  nonces.settle(next(nonces, NOON), true);
  expect(nonces.allocate(NOON)).toEqual({ kind: 'exhausted' });
  // Read once more, the same day gives none of them again.
  nonces.setRange({ lowerBound: 5n, upperBound: 6n });
  expect(nonces.allocate(NOON)).toEqual({ kind: 'exhausted' });
});

test('U2 a nonce is fenced off in window mode only when one beyond the window was acknowledged', () => {
  const nonces = allocator();
  const lost = next(nonces, NOON);
  nonces.settle(lost, false);
  const near = next(nonces, NOON, lost + 99n);
  nonces.settle(near, true);
  expect(near).toBe(lost + 100n);
  expect(nonces.isFenced(lost)).toBe(false);
  const fence = next(nonces, NOON, nonces.fenceAbove(lost));
  expect(nonces.isFenced(lost)).toBe(false);
  nonces.settle(fence, true);
  expect(nonces.isFenced(lost)).toBe(true);
  // A fence is greater than what it is asked for, and an answer that comes late takes nothing back.
  const clock = BigInt(NOON + 1_000) * 1000n;
  const before = next(nonces, NOON + 500);
  const above = next(nonces, NOON + 1_000, clock);
  expect(above).toBe(clock + 1n);
  nonces.settle(above, true);
  nonces.settle(before, true);
  expect(nonces.isFenced(before)).toBe(true);
});

test("U2 in serial mode a later acknowledged nonce, or the day's end, fences one off", () => {
  const nonces = allocator('serial');
  const lost = next(nonces, NOON);
  nonces.settle(lost, false);
  expect(nonces.isFenced(lost)).toBe(false);
  const refused = next(nonces, NOON);
  nonces.settle(refused, false);
  expect(nonces.isFenced(lost)).toBe(false);
  nonces.settle(next(nonces, NOON), true);
  expect(nonces.isFenced(lost)).toBe(true);
  expect(nonces.isFenced(nonces.last)).toBe(false);
  nonces.setRange(nonceRangeOfDay(NOON + 86_400_000));
  expect(nonces.isFenced(nonces.last)).toBe(true);
});

test('the nonce range is read from numbers and digits, and nothing else', () => {
  expect(decodeNonceRange({ lowerBound: 1, upperBound: '2' })).toEqual({ lowerBound: 1n, upperBound: 2n });
  expect(decodeNonceRange({ lowerBound: '0', upperBound: 0 })).toEqual({ lowerBound: 0n, upperBound: 0n });
  for (const bad of [null, [], {}, { lowerBound: 3, upperBound: 2 }, 'x']) expect(decodeNonceRange(bad)).toBeNull();
  for (const lowerBound of [1.5, -1, null, [1], '1x', '', '-1']) {
    expect(decodeNonceRange({ lowerBound, upperBound: 2 }), JSON.stringify(lowerBound)).toBeNull();
  }
});

test('C4 a refused nonce sends the next further ahead each time, and anew after an accepted one', () => {
  const nonces = allocator();
  const clock = BigInt(NOON) * 1000n;
  const aheadS: bigint[] = [];
  for (let i = 0; i < 3; i++) {
    nonces.settle(next(nonces, NOON), false);
    expect(nonces.stepAhead(NOON)).toBe(true);
    aheadS.push((nonces.last - clock) / 1_000_000n);
  }
  expect(aheadS).toEqual([11n, 55n, 231n]);
  nonces.settle(next(nonces, NOON), true);
  nonces.stepAhead(NOON);
  expect((nonces.last - clock) / 1_000_000n).toBe(242n);
  // After an hour without a command it is the clock that the next one is ahead of.
  const later = NOON + 3_600_000;
  expect(nonces.stepAhead(later)).toBe(true);
  expect(nonces.last).toBeGreaterThanOrEqual(BigInt(later) * 1000n + 11_000_000n);
});

test('C4 no refused nonce sends the next ones further ahead of the clock than an hour, or out of the range', () => {
  for (const now of [NOON, DAY + 86_340_000, DAY + 86_399_000]) {
    const nonces = allocator();
    const clock = BigInt(now) * 1000n;
    for (let i = 0; i < 1_000; i++) {
      nonces.settle(next(nonces, now), false);
      nonces.stepAhead(now);
    }
    expect(nonces.stepAhead(now)).toBe(false);
    expect(nonces.last - clock).toBeLessThanOrEqual(3_600_001_000n);
    expect(nonces.allocate(now).kind).toBe('nonce');
  }
});
