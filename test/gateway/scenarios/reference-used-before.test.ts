// Our own reference names more than one order at the exchange: ClOrdIDs pass as references, or the journal was lost, so that they
// begin again. An order without an answer is not taken for one of long ago (rule U2).

import { expect, test } from 'vitest';
import type { ExchangeOrder } from '../../../src/exchange/mod.ts';
import { Desk, exchangeOrder, exchangeTrade, field, LIMIT, summary } from '../desk.ts';

const DAY_MS = 86_400_000;
const CANCEL = '35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|38=2|';

function unanswered(): Desk {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.unknown();
  return desk;
}

/** The result of the next look-up under the order's reference, and the OMS's report of it. */
function found(desk: Desk, more: Partial<ExchangeOrder>, clockOffsetMs?: number): string[] {
  const before = desk.lookups.length;
  while (desk.lookups.length === before) desk.advance(500);
  const { lookupId } = desk.lookups.at(-1)!;
  const order = exchangeOrder({ publishedAt: null, ...more }, desk.now);
  const trades =
    order.quantityFilled === '2' ? [exchangeTrade({ quantity: '2', publishedAt: null }, order.createdAt)] : [];
  const offset = clockOffsetMs === undefined ? {} : { clockOffsetMs };
  return desk.answers(() =>
    desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'found', order, trades, ...offset } }),
  );
}

test('U2 does not take an old filled order with the same reference for the unanswered one', () => {
  const desk = unanswered();
  const old = { createdAt: desk.now - 3 * DAY_MS, status: 'CLOSED', quantityFilled: '2' } as const;
  for (let i = 0; i < 12; i++) expect(summary(found(desk, old)).filter((told) => told !== 'A/A')).toEqual([]);
  expect(desk.alarmNames()).toEqual(['outcome-open', 'another-order', 'unknown-outcome', 'order-pending']);
  expect(desk.alarms[1]!.text).toMatch(/of 20..-..-..T.*as this one, which was sent later; the gateway ignores it/);
  // The true one is, when it shows up.
  expect(summary(found(desk, { orderId: '9002' }))).toEqual(['0/0']);
  expect(field(desk.sent.at(-1), 37)).toBe('9002');
});

test('U2 nor is it by the stream, after a restart neither', () => {
  const desk = unanswered();
  desk.restart();
  const old = { createdAt: desk.now - DAY_MS };
  expect(summary([...desk.order(old), ...desk.trade(old)])).toEqual([]);
  expect(desk.alarmNames().filter((name) => name === 'another-order')).toHaveLength(1);
  expect(summary(desk.order({ orderId: '9002' }))).toEqual(['0/0']);
});

test('U2 nor while the answer to the command is awaited: its own order is the one that the answer names', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  const old = { createdAt: desk.now - DAY_MS, status: 'CANCELLED', statusReasonCode: '6005' } as const;
  expect(summary([...desk.trade({ createdAt: old.createdAt }), ...desk.order(old)])).toEqual([]);
  expect(desk.alarmNames()).toEqual(['another-order']);
  desk.accepted(undefined, '9002');
  expect(summary(desk.order({ orderId: '9002' }))).toEqual(['0/0']);
  expect(field(desk.sent.at(-1), 37)).toBe('9002');
});

test('U2 an F that is refused as of an ended order is answered though only the order of long ago is found', () => {
  const desk = unanswered();
  desk.oms(CANCEL);
  desk.refused(400, '3032', 'Order closed already');
  const told = found(desk, { createdAt: desk.now - DAY_MS, status: 'CLOSED', quantityFilled: '2' });
  expect(told.map((report) => [field(report, 35), field(report, 39)])).toEqual([['9', 'A']]);
});

test.each([
  ['a minute before and within', { quantity: '5' }, -30_000],
  ['with another price', { price: '99.0' }, -30_000],
  ['long after the command', { quantity: '5' }, 120_000],
])('U2 one with other terms is another: %s', (_, terms, fromNow) => {
  const desk = unanswered();
  expect(summary(found(desk, { ...terms, createdAt: desk.now + fromNow }))).toEqual([]);
  expect(desk.alarmNames()).toContain('another-order');
});

test.each([
  ['by clocks that differ a little', { createdAt: -30_000 }, undefined],
  ['by a clock of ours that is known to be two hours ahead', { createdAt: -7_200_000 }, -7_200_000],
  ['by a clock of ours that is known to be two hours behind', { createdAt: 7_200_000 }, 7_200_000],
  ['created in time and changed since, by others', { createdAt: 600, quantity: '1' }, undefined],
  ['without a time', { createdAt: Number.NaN }, undefined],
])('U2 it is the one that was sent: %s', (_, { createdAt, ...terms }, clockOffsetMs) => {
  const desk = unanswered();
  const at = Number.isNaN(createdAt) ? 0 : desk.now + createdAt;
  expect(summary(found(desk, { ...terms, createdAt: at }, clockOffsetMs))[0]).toBe('0/0');
  expect(desk.alarmNames()).not.toContain('another-order');
});
