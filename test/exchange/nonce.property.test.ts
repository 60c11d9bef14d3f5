// Nonces under any departures, arrivals, answers, losses, fences and waits: the exchange, by the simulated one's rules,
// refuses none that it must accept, and accepts none that is fenced off.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NONCE_WINDOW, NonceAllocator, type NonceMode, nonceRangeOfDay } from '../../src/exchange/mod.ts';
import { NonceGuard } from '../../src/simulator/access/nonce-guard.ts';
import { checkProperty } from '../support/random/seeded-property.ts';

const NOON = Date.UTC(2026, 8, 23, 12);
const DAY_MS = 86_400_000;
const HEADROOM = 50;

interface Sent {
  readonly nonce: bigint;
  /** Its command takes no window. */
  readonly mustBeHighest: boolean;
  readonly day: number;
  /** Whether the exchange took it; null while it is on its way. */
  taken: boolean | null;
  /** Handed out below it since, where it must be the highest; null once one went above it. */
  below: number | null;
}

/** Events, and the choice among the possible ones. */
type Step = readonly [
  'windowed' | 'many' | 'highest' | 'fence' | 'arrive' | 'answer' | 'lose' | 'later' | 'leave behind' | 'ahead' | 'day',
  number,
];

class World {
  readonly #nonces: NonceAllocator;
  readonly #mode: NonceMode;
  readonly #exchange = new NonceGuard();
  #now = NOON;
  #day = 0;
  #ceiling = -1n;
  readonly #handedOut = new Set<bigint>();
  /** Without an outcome here, in the order in which they left. */
  #open: Sent[] = [];
  /** Of them, those with a window that the allocator holds a place for. */
  #held: Sent[] = [];
  /** Given up here; they may arrive all the same. */
  #lost: Sent[] = [];

  constructor(mode: NonceMode) {
    this.#mode = mode;
    this.#nonces = new NonceAllocator(mode, null);
    this.#nonces.setRange(nonceRangeOfDay(NOON));
  }

  step([kind, choice]: Step): void {
    const pick = <T>(list: readonly T[]): T | undefined => list[choice % Math.max(1, list.length)];
    if (kind === 'windowed') this.#send(null, false);
    else if (kind === 'many') for (let i = choice % 60; i > 0; i--) this.#send(null, false);
    else if (kind === 'highest') this.#send(null, true);
    else if (kind === 'fence') this.#send(this.#nonces.fenceAbove(pick([...this.#handedOut]) ?? 0n), false);
    else if (kind === 'arrive')
      this.#arrive(pick([...this.#open, ...this.#lost].filter(({ taken }) => taken === null)));
    else if (kind === 'answer') this.#settle(pick(this.#open.filter(({ taken }) => taken !== null)));
    else if (kind === 'lose') this.#settle(pick(this.#open));
    else if (kind === 'later') this.#now += choice % 2_000;
    else if (kind === 'leave behind') this.#leaveBehind();
    else if (kind === 'ahead') this.#nonces.stepAhead(this.#now);
    else this.#nextDay(choice);
    for (const { nonce, taken } of [...this.#open, ...this.#lost]) {
      if (taken !== null || !this.#nonces.isFenced(nonce)) continue;
      const refusal = this.#exchange.refusal('key', String(nonce), this.#mode === 'window', this.#now);
      expect(refusal, `${nonce} is fenced off`).not.toBeNull();
    }
  }

  #send(above: bigint | null, mustBeHighest: boolean): void {
    const { last } = this.#nonces;
    const allocation = this.#nonces.allocate(this.#now, above, mustBeHighest);
    const lowest = this.#held.find(({ day }) => day === this.#day)?.nonce;
    if (allocation.kind !== 'nonce') {
      expect(allocation.kind).toBe('full');
      if (this.#mode === 'serial') expect(this.#open.length).toBeGreaterThan(0);
      else expect(last + 1n - lowest!).toBeGreaterThanOrEqual(NONCE_WINDOW);
      return;
    }
    const { nonce, ceiling } = allocation;
    if (ceiling !== null) this.#ceiling = ceiling;
    expect(this.#handedOut.has(nonce), `${nonce} was handed out before`).toBe(false);
    expect(nonce).toBeLessThanOrEqual(this.#ceiling);
    if (this.#mode === 'serial' || mustBeHighest || above !== null) expect(nonce).toBeGreaterThan(last);
    if (above !== null) expect(nonce).toBeGreaterThan(above);
    this.#handedOut.add(nonce);
    for (const other of this.#open) {
      if (!other.mustBeHighest || other.below === null) continue;
      if (nonce < other.nonce) other.below++;
      else other.below = null;
    }
    const sent: Sent = { nonce, mustBeHighest, day: this.#day, taken: null, below: 0 };
    this.#open.push(sent);
    if (above !== null) this.#held = this.#held.filter((other) => this.#nonces.fenceAbove(other.nonce) >= nonce);
    if (!mustBeHighest || this.#mode === 'serial') this.#held.push(sent);
    const held = this.#held.find(({ day }) => day === this.#day);
    if (held !== undefined) expect(this.#nonces.last - held.nonce).toBeLessThanOrEqual(NONCE_WINDOW);
  }

  #arrive(sent: Sent | undefined): void {
    if (sent === undefined) return;
    const window = this.#mode === 'window' && !sent.mustBeHighest;
    const refusal = this.#exchange.refusal('key', String(sent.nonce), window, this.#now);
    sent.taken = refusal === null;
    if (sent.taken) this.#exchange.use('key', String(sent.nonce));
    const isOfToday = sent.day === this.#day && this.#open.includes(sent);
    const isCovered = sent.mustBeHighest ? sent.below !== null : this.#held.includes(sent);
    if (isOfToday && isCovered && this.#mode === 'window') expect(refusal).toBeNull();
  }

  #settle(sent: Sent | undefined): void {
    if (sent === undefined) return;
    this.#nonces.settle(sent.nonce, sent.taken === true);
    this.#open = this.#open.filter((other) => other !== sent);
    this.#held = this.#held.filter((other) => other !== sent);
    if (sent.taken === null) this.#lost.push(sent);
  }

  #leaveBehind(): void {
    if (!this.#nonces.leaveBehind(this.#now - 1_000)) return;
    const left = this.#held.shift();
    expect(left?.nonce).toBeLessThan(this.#nonces.highestAcknowledged);
  }

  #nextDay(choice: number): void {
    if (choice % 10 > 0) return;
    this.#day++;
    this.#now = Math.floor(this.#now / DAY_MS) * DAY_MS + DAY_MS + choice;
    this.#nonces.setRange(nonceRangeOfDay(this.#now));
  }
}

const kinds: readonly (readonly [Step[0], number])[] = [
  ['windowed', 12],
  ['many', 1],
  ['arrive', 8],
  ['answer', 8],
  ['highest', 3],
  ['later', 2],
  ['lose', 1],
  ['fence', 1],
  ['leave behind', 1],
  ['ahead', 1],
  ['day', 1],
];
const steps = fc.array(
  fc.tuple(
    fc.oneof(...kinds.map(([arbitrary, weight]) => ({ arbitrary: fc.constant(arbitrary), weight }))),
    fc.nat(9_999),
  ),
  { minLength: 1, maxLength: 250, size: 'max' },
);

test.each(['window', 'serial'] as const)(
  'X3 U2 no nonce is reused, outside the window, overtaken, or accepted when fenced (%s)',
  (mode) => {
    checkProperty(
      fc.property(steps, (taken) => {
        const world = new World(mode);
        for (const step of taken) world.step(step);
      }),
      200,
    );
  },
);

test('X3 one without a window leaves room for fifty below it, fewer with others under way', () => {
  const nonces = new NonceAllocator('window', null);
  nonces.setRange(nonceRangeOfDay(NOON));
  let now = NOON;
  const next = (mustBeHighest = false): bigint => {
    const allocation = nonces.allocate(now, null, mustBeHighest);
    if (allocation.kind !== 'nonce') throw new Error(allocation.kind);
    return allocation.nonce;
  };
  const answered = next(true);
  nonces.settle(answered, true);
  expect(next(), 'nothing is on its way').toBe(answered + 1n);
  nonces.settle(answered + 1n, true);
  now += 1;
  const ahead = next(true);
  expect(ahead).toBe(BigInt(now) * 1000n + BigInt(HEADROOM));
  const below = Array.from({ length: HEADROOM }, () => next());
  expect(below).toEqual(below.map((_, i) => ahead - BigInt(HEADROOM - i)));
  expect(next()).toBe(ahead + 1n);
  // The first of them has no answer: the highest may be 99 above it.
  expect(next(true) - below[0]!).toBe(NONCE_WINDOW - 1n);
  while (next() < below[0]! + NONCE_WINDOW - 2n);
  expect(nonces.allocate(now).kind).toBe('full');
  expect(nonces.allocate(now, null, true).kind).toBe('full');
});
