// Unreadable records at a gateway's start: their owners, and the keys that stay used.

import { expect, test } from 'vitest';
import { Gateway } from '../../../src/gateway/mod.ts';
import { ACCOUNT, Desk, field, LIMIT, SESSION } from '../desk.ts';

const OTHER = LIMIT.replace('o-1', 'o-2');

/** A desk with two open orders, restarted; `spoil` changes the record of o-1. */
function spoiled(spoil: (text: string) => string): Desk {
  const desk = new Desk(undefined, { ended: true });
  for (const [order, id] of [LIMIT, OTHER].map((one, k) => [one, `${9001 + k}`] as const)) {
    desk.oms(order);
    desk.accepted(undefined, id);
    const { command } = desk.last();
    desk.order({ orderId: id, clientOrderId: command.kind === 'createOrder' ? command.clientOrderId : null });
  }
  const key = `${SESSION}|o-1`;
  desk.records.set(key, spoil(desk.records.get(key)!));
  desk.gateway = new Gateway(desk.config, {
    orders: new Map(desk.records),
    ended: { find: (k) => desk.ended?.get(k) ?? null },
  });
  return desk;
}

const SPOILT: readonly (readonly [string, (text: string) => string])[] = [
  ['is of a later version', (text) => text.replace('"v":2', '"v":3')],
  ['is cut off', (text) => text.slice(0, -40)],
  ['lacks a field', (text) => text.replace('"timeline"', '"tymeline"')],
  ['has an amount that is none', (text) => text.replace(/"orderQty":"[^"]*"/, '"orderQty":"0x"')],
];

test.each(SPOILT)(
  'O5 an order with a record %s keeps out its session only, and its ClOrdID stays used',
  (_what, spoil) => {
    const desk = spoiled(spoil);
    expect(desk.gateway.unreadable()).toMatchObject([{ key: `${SESSION}|o-1`, sessionId: SESSION }]);
    desk.open();
    expect(desk.gateway.findOrder(SESSION, 'o-2')).toMatchObject({ clOrdID: 'o-2' });
    const again = (): string[] => desk.oms(LIMIT).map((message) => `${field(message, 150)} ${field(message, 103)}`);
    expect(again()).toEqual(['8 6']);
    expect(desk.submitted.filter(({ command }) => command.kind === 'createOrder')).toHaveLength(2);
    // Set aside, it stays so after the next start, and keeps no session out.
    desk.feed({ kind: 'putAside', sessionId: SESSION, who: 'ann', why: 'compared' });
    expect(desk.gateway.unreadable()).toEqual([]);
    desk.restart();
    expect(desk.gateway.unreadable()).toEqual([]);
    expect(again()).toEqual(['8 6']);
  },
);

test('O5 reuses no reference that may be in an unreadable record or lost bytes', () => {
  const desk = spoiled((text) => text.slice(0, 60));
  const next = (): string | null => {
    desk.oms(LIMIT.replace('o-1', `o-${desk.now++}`));
    const { command } = desk.last();
    return command.kind === 'createOrder' ? command.clientOrderId : null;
  };
  desk.open();
  desk.feed({ kind: 'putAside', sessionId: SESSION, who: 'ann', why: 'compared' });
  const behindRecord = Number(next());
  expect(behindRecord).toBeGreaterThan(60);
  desk.gateway = new Gateway(desk.config, { orders: new Map(desk.records), lostBytes: 5_000 });
  desk.open();
  expect(Number(next())).toBeGreaterThan(behindRecord + 5_000);
});

test('J3 an order with an unreadable record is no stranger if its references are readable', () => {
  const desk = spoiled((text) => text.replace('"v":2', '"v":3'));
  desk.order({ orderId: '9001', clientOrderId: '1' });
  desk.open();
  expect(desk.gateway.strayReferences()).toEqual([]);
  const cut = spoiled((text) => text.slice(0, 60));
  cut.order({ orderId: '9001', clientOrderId: '1' });
  cut.open();
  expect(cut.gateway.strayReferences()).toMatchObject([{ tradingAccountId: ACCOUNT, highest: '1', isNewer: false }]);
});

test('an unreadable record without an owner keeps all out, until the gateway rewrites it', () => {
  const desk = new Desk(undefined, { ended: true });
  desk.records.set('kill|all', '{"v":7}');
  desk.records.set(`refs|${ACCOUNT}`, '{"v":2,"kind":"references"}');
  desk.records.set('elsewhere|77', '{');
  desk.restart();
  expect(desk.gateway.unreadable()).toMatchObject([
    { key: 'kill|all', sessionId: null },
    { key: `refs|${ACCOUNT}`, sessionId: null },
  ]);
  expect(desk.alarmNames()).toContain('record-unreadable');
  desk.oms(LIMIT);
  expect(desk.gateway.unreadable()).toMatchObject([{ key: 'kill|all' }]);
  desk.feed({ kind: 'putAside', sessionId: null, who: 'ann', why: 'compared' });
  const told = desk.alarmNames().length;
  desk.restart();
  expect([desk.gateway.unreadable(), desk.alarmNames().length]).toEqual([[], told]);
});
