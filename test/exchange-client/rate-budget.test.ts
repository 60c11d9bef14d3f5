import { expect, test } from 'vitest';
import type { HttpAnswer } from '../../src/exchange-client/http.ts';
import { RateBudget, type RateCategory, type RatePriority } from '../../src/exchange-client/rate-budget.ts';

const RATES = {
  ordersPerSecond: 50,
  otherPerSecond: 50,
  publicPerSecond: 50,
  addressPer10Seconds: 500,
  cancelShare: 0.2,
  orderShare: 0.2,
};

function budgetAt(clock: { now: number }, rates = RATES): RateBudget {
  return new RateBudget(rates, () => clock.now);
}

/** How many may leave at once. */
function drain(budget: RateBudget, category: RateCategory, priority: RatePriority): number {
  let count = 0;
  while (budget.waitMs(category, priority) === 0) {
    budget.take(category);
    count++;
  }
  return count;
}

function answer(status: number, headers: Record<string, string>): HttpAnswer {
  return { kind: 'answer', status, headers, body: '' };
}

test('C3 B4 whoever is less urgent leaves the rest to whoever is more: bridge, reads, orders, cancels', () => {
  const budget = budgetAt({ now: 1_000_000 });
  expect(drain(budget, 'other', 'bridge')).toBe(20);
  expect(drain(budget, 'other', 'read')).toBe(10);
  expect(drain(budget, 'other', 'order')).toBe(10);
  expect(drain(budget, 'other', 'cancel')).toBe(10);
  expect(budget.waitMs('other', 'cancel')).toBe(20);
});

test('what was used comes back with time, never more than the limit', () => {
  const clock = { now: 1_000_000 };
  const budget = budgetAt(clock);
  drain(budget, 'orders', 'cancel');
  clock.now += 100;
  expect(drain(budget, 'orders', 'cancel')).toBe(5);
  clock.now += 3_600_000;
  expect(drain(budget, 'orders', 'cancel')).toBe(50);
});

test('the limit of the address holds over all categories', () => {
  const budget = budgetAt({ now: 1_000_000 }, { ...RATES, addressPer10Seconds: 60 });
  const sent = drain(budget, 'orders', 'cancel') + drain(budget, 'other', 'cancel') + drain(budget, 'public', 'cancel');
  expect(sent).toBe(60);
});

test('the headers of the exchange correct what is left, downwards only', () => {
  const budget = budgetAt({ now: 1_000_000 });
  budget.learn('orders', answer(200, { 'x-ratelimit-remaining': '1000' }));
  budget.learn('orders', answer(200, { 'x-ratelimit-remaining': '3' }));
  expect(drain(budget, 'orders', 'cancel')).toBe(3);
});

test('after a 429 nothing leaves until the exchange said, and not at all for one of the whole exchange', () => {
  const clock = { now: 1_000_000 };
  const budget = budgetAt(clock);
  budget.learn('orders', answer(429, { 'x-ratelimit-reset': '1000300' }));
  expect(budget.waitMs('orders', 'cancel')).toBe(300);
  expect(budget.waitMs('other', 'order')).toBe(0);
  budget.learn('orders', answer(429, { 'x-ratelimit-global-breach': 'true' }));
  expect(budget.waitMs('other', 'cancel')).toBe(1000);
  clock.now += 2_000;
  expect(budget.waitMs('other', 'cancel')).toBe(0);
});
