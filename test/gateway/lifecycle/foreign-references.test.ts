// References of this gateway's range that only the exchange has (rule J3).

import { describe, expect, test } from 'vitest';
import { ReferenceAllocator } from '../../../src/gateway/book/reference-allocator.ts';
import { Gateway } from '../../../src/gateway/mod.ts';
import { ACCOUNT, Desk, field, gatewayConfig, LIMIT, T0 } from '../desk.ts';

test('J3 compares an account only once its surplus orders are adopted, and they stay adopted', () => {
  const desk = new Desk(undefined, { ready: false });
  desk.order({ orderId: '555', clientOrderId: '7' });
  desk.open();
  expect(desk.alarmNames()).toEqual(['own-reference-unknown', 'journal-behind-exchange']);
  expect(desk.gateway.isReconciled(ACCOUNT)).toBe(false);
  expect(desk.gateway.strayReferences()).toEqual([
    { tradingAccountId: ACCOUNT, count: 1, highest: '7', isNewer: true },
  ]);

  desk.feed({ kind: 'adoptJournal', who: 'ann', why: 'a new disk' });
  expect(desk.gateway.isReconciled(ACCOUNT)).toBe(true);
  expect(desk.gateway.strayReferences()).toEqual([]);
  desk.oms(LIMIT);
  expect(desk.last().command).toMatchObject({ clientOrderId: '8' });

  const next = new Gateway(desk.config, { orders: new Map(desk.records) });
  desk.gateway = next;
  desk.order({ orderId: '555', clientOrderId: '7' });
  desk.open();
  expect(next.isReconciled(ACCOUNT)).toBe(true);
  expect(desk.alarmNames().filter((name) => name === 'journal-behind-exchange')).toHaveLength(1);
});

test('J3 lists five of thousands of surplus orders, and the others as a number', () => {
  const desk = new Desk(undefined, { ready: false });
  for (let n = 1; n <= 60; n++) desk.order({ orderId: `9${n}`, clientOrderId: `${n}` });
  desk.open();
  expect(desk.alarmNames()).toEqual([...Array(5).fill('own-reference-unknown'), 'journal-behind-exchange']);
  desk.advance(60_000);
  const last = desk.alarms.at(-1)!;
  expect(last).toMatchObject({ alarm: 'own-reference-unknown', fields: { tradingAccountId: ACCOUNT } });
  expect(last.text).toBe(`55 more orders of account ${ACCOUNT}, with the same alarm as the ones before`);
  expect(last.fields.clOrdIDs!.split(',').slice(0, 2)).toEqual(['6', '7']);
  expect(desk.gateway.strayReferences()).toMatchObject([{ count: 60, highest: '60' }]);
});

test('J3 ignores foreign references, and our own orders that appear later', () => {
  const desk = new Desk(undefined, { ready: false });
  desk.order({ orderId: '556', clientOrderId: null });
  desk.open();
  expect(desk.gateway.isReconciled(ACCOUNT)).toBe(true);
  desk.order({ orderId: '557', clientOrderId: '9' });
  desk.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
  expect(desk.gateway.isReconciled(ACCOUNT)).toBe(true);
  expect(desk.alarmNames()).toEqual(['own-reference-unknown']);
});

test('J3 an order of another user under a text of his own is none of ours', () => {
  const desk = new Desk(undefined, { ready: false });
  for (const clientOrderId of ['desk-7', '', '07', '7 ', '-7', '7.0', '1000001']) desk.order({ clientOrderId });
  desk.open();
  expect(desk.alarmNames()).toEqual([]);
  expect(desk.gateway.strayReferences()).toEqual([]);
});

test('O5 gives out no reference that may stand in lost records, and treats none there as newer', () => {
  const allocator = new ReferenceAllocator({ first: '1', last: '1000000000' }, () => false);
  allocator.recover({ tradingAccountId: ACCOUNT, ceiling: '1001', wrapped: false });
  allocator.skip(500);
  expect(allocator.isBeyondRecord(ACCOUNT, '1000')).toBe(false);
  expect(allocator.isBeyondRecord(ACCOUNT, '1001')).toBe(true);
  expect(allocator.allocate(ACCOUNT, T0, () => {})).toBe('1501');
  // An unknown account may have had as many.
  expect(allocator.allocate('another', T0, () => {})).toBe('501');
});

test('O5 never reuses a reference that one of our orders received elsewhere, as by a REST amendment', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.order({});
  expect(field(desk.order({ clientOrderId: '3', price: '99.0', publishedAt: desk.now + 1 })[0], 150)).toBe('D');
  const next = ['o-2', 'o-3'].map((clOrdID) => {
    desk.oms(LIMIT.replace('o-1', clOrdID));
    return (desk.last().command as { clientOrderId: string }).clientOrderId;
  });
  expect(next).toEqual(['4', '5']);
  expect(desk.alarmNames()).toEqual([]);
});

/** As in the samples: more numbers than any account enters orders. */
const LARGE_RANGE = { first: '90000000000000000', last: '99999999999999999' };

test('J3 O5 a new journal gives out no reference of an older one, even if the exchange lists none', () => {
  const config = gatewayConfig({}, { referenceRange: LARGE_RANGE });
  const used = new Set<string>();
  let n = 0;
  const entered = (desk: Desk): string => {
    desk.oms(LIMIT.replace('o-1', `o-${++n}`));
    return (desk.last().command as { clientOrderId: string }).clientOrderId;
  };
  // As many as the exchange takes in a second, then a journal that knows of nothing, a second later.
  const earlier = new Desk(config);
  for (let i = 0; i < 50; i++) used.add(entered(earlier));
  expect(used.size).toBe(50);
  const copied = new Map(earlier.records);
  for (let i = 0; i < 50; i++) used.add(entered(earlier));
  const next = new Desk(config);
  next.advance(1_000);
  expect(used.has(entered(next))).toBe(false);
  // Nor does a copy of the journal from before the last orders.
  const restored = new Desk(config);
  restored.advance(1_000);
  restored.gateway = new Gateway(config, { orders: copied });
  restored.open();
  expect(used.has(entered(restored))).toBe(false);
});

test('J3 O5 counts references past the time-based ceiling as surplus; wrapped and small ranges by record', () => {
  const desk = new Desk(gatewayConfig({}, { referenceRange: LARGE_RANGE }), { ready: false });
  desk.order({ orderId: '555', clientOrderId: '99999999999999990' });
  desk.open();
  desk.feed({ kind: 'adoptJournal', who: 'ann', why: 'a new disk' });
  desk.oms(LIMIT);
  expect(desk.last().command).toMatchObject({ clientOrderId: '99999999999999991' });

  const wrapped = new ReferenceAllocator(LARGE_RANGE, () => false);
  wrapped.recover({ tradingAccountId: ACCOUNT, ceiling: '90000000000000005', wrapped: true });
  expect(wrapped.allocate(ACCOUNT, T0, () => {})).toBe('90000000000000005');
  const small = new ReferenceAllocator({ first: '1', last: '1000000000000' }, () => false);
  expect(small.allocate(ACCOUNT, T0, () => {})).toBe('1');
});

describe('the allocator', () => {
  const allocatorOf = (first: string, last: string) => {
    const allocator = new ReferenceAllocator({ first, last }, () => false);
    return { allocator, next: () => allocator.allocate(ACCOUNT, 0, () => {}) };
  };

  test('O5 gives out nothing that the exchange was seen to use, no stray, and none that an operator adopted', () => {
    const { allocator, next } = allocatorOf('1', '8');
    for (let n = 1; n <= 8; n++) next();
    expect(next(), 'the second round begins').toBe('1');
    allocator.stray(ACCOUNT, '2');
    allocator.adoptStrays(ACCOUNT);
    allocator.stray(ACCOUNT, '3');
    allocator.observe(ACCOUNT, '4');
    expect([next(), next()]).toEqual(['5', '6']);
  });

  test('O5 continues after the recorded ceiling, never behind first-round orders or out of its range', () => {
    const seen = allocatorOf('1', '8');
    seen.allocator.observe(ACCOUNT, '6');
    seen.allocator.recover({ tradingAccountId: ACCOUNT, ceiling: '5', wrapped: false });
    expect(seen.next()).toBe('7');
    seen.allocator.recover({ tradingAccountId: ACCOUNT, ceiling: '3', wrapped: true });
    expect(seen.next()).toBe('3');
    const moved = allocatorOf('100', '200');
    moved.allocator.recover({ tradingAccountId: ACCOUNT, ceiling: '5', wrapped: true });
    expect(moved.next()).toBe('100');
  });
});
