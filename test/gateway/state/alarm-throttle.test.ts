// Alarms that one trouble of the exchange raises for every order: few of them, whatever the number of orders.

import { expect, test } from 'vitest';
import { ACCOUNT, Desk, gatewayConfig, SESSION } from '../desk.ts';

const ORDERS = 60;

/** A desk with so many orders that work at the exchange. */
function working(): Desk {
  const desk = new Desk(gatewayConfig({}, { pendingAlarmMs: 20_000 }));
  for (let i = 1; i <= ORDERS; i++) {
    desk.oms(`35=D|11=o-${i}|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=100|59=1|`);
    desk.accepted(undefined, `9${i}`);
    desk.order({ orderId: `9${i}`, clientOrderId: `${i}` });
  }
  return desk;
}

/** One answer after the other, as the exchange's rate has it. */
function findNothing(desk: Desk): void {
  for (const { lookupId } of desk.lookups.splice(0)) {
    desk.advance(20);
    desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'absent', final: true } });
  }
}

test('U2 alarms singly for five orders of a lost book, and counts the others', () => {
  const desk = working();
  desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: false });
  desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: true });
  desk.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
  desk.advance(0);
  findNothing(desk);
  expect(desk.alarmNames()).toEqual(Array(5).fill('order-not-found'));
  desk.advance(60_000);
  expect(desk.alarms).toHaveLength(6);
  expect(desk.alarms[5]!.text).toBe(`55 more orders of account ${ACCOUNT}, with the same alarm as the ones before`);
  expect(desk.alarms[5]!.fields).toMatchObject({ tradingAccountId: ACCOUNT });
  expect(desk.alarms[5]!.fields.clOrdIDs!.split(',')).toHaveLength(20);
  const remembered = [...desk.gateway.orders()].filter(({ timeline }) =>
    timeline.some(([, what]) => what.includes('order-not-found')),
  );
  expect(remembered).toHaveLength(ORDERS);
  expect(desk.gateway.deadline()).toBeNull();
});

test('U1 alarms singly for five orders per kind with unanswered cancels, and counts the others', () => {
  const desk = working();
  for (let i = 1; i <= ORDERS; i++) desk.oms(`35=F|11=f-${i}|41=o-${i}|1=ACC1|55=BTCUSDC|54=1|`);
  for (const { commandId } of desk.submitted.slice(ORDERS)) desk.unknown(commandId);
  const told = (alarm: string): number => desk.alarmNames().filter((name) => name === alarm).length;
  expect(told('outcome-open')).toBe(5);
  desk.advance(30_000);
  expect([told('outcome-open'), told('order-pending')]).toEqual([6, 6]);
  expect(desk.effects.filter((effect) => effect.kind === 'note' && effect.level === 'warn')).toEqual([]);
});

test('U5 C1 reports the count of refused cancels before the process ends', () => {
  const desk = working();
  desk.feed({ kind: 'shutdown' });
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'shutdown' });
  for (const { commandId } of desk.submitted.slice(ORDERS)) desk.refused(400, '3047', 'Not now', commandId);
  const incomplete = () => desk.alarms.filter(({ alarm }) => alarm === 'cancel-on-disconnect-incomplete');
  expect([desk.gateway.settled(), incomplete().length]).toEqual([true, 5]);
  desk.feed({ kind: 'lastWords' });
  expect(incomplete().at(-1)!.text).toBe(
    `55 more orders of account ${ACCOUNT}, with the same alarm as the ones before`,
  );
  desk.feed({ kind: 'lastWords' });
  expect(incomplete()).toHaveLength(6);
});

test('alarms singly for orders that come slowly', () => {
  const desk = working();
  for (let i = 1; i <= 12; i++) {
    desk.oms(`35=F|11=f-${i}|41=o-${i}|1=ACC1|55=BTCUSDC|54=1|`);
    desk.unknown();
    desk.advance(10_000);
    const kept = desk.lookups.splice(0);
    for (const { lookupId } of kept) {
      desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'failed', message: 'not asked' } });
    }
  }
  const told = desk.alarms.filter(({ alarm }) => alarm === 'outcome-open');
  expect(new Set(told.map(({ fields }) => fields.clOrdID)).size).toBe(12);
});
