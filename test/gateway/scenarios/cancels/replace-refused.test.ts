// OrderCancelReplaceRequests(G) refused before the exchange, beside accepted ones: by time, by order, and by their
// terms (rules J3, O4, O6, T2). Leaves the others to cancel-replace.test.ts.

import { expect, test } from 'vitest';
import { formatUtcTimestamp } from '../../../../src/base/time.ts';
import { fromPrintable, viewOf } from '../../../../src/wire/mod.ts';
import { Desk, field, gatewayConfig, LIMIT, SESSION, summary, workingDesk } from '../../desk.ts';
import { partlyFilled } from '../../swap-desk.ts';

const REPLACE = '35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|40=2|38=3|44=101|';
const CANCEL = '35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|';

/** Types of the commands that were sent behind the order itself. */
const sentBehind = (desk: Desk): string[] => desk.submitted.slice(1).map(({ command }) => command.kind);

test('J3 refuses a G before the account is reconciled, and accepts an F', () => {
  const desk = workingDesk();
  desk.restart({ ready: false });
  desk.feed({ kind: 'tick' });
  const [reject] = desk.oms(REPLACE);
  expect([35, 434, 102].map((tag) => field(reject, tag))).toEqual(['9', '2', '99']);
  expect(field(reject, 58)).toContain('is not reconciled with the exchange yet');
  expect(summary(desk.oms(CANCEL))).toEqual(['6/6']);
  expect(sentBehind(desk)).toEqual(['cancelOrder']);
});

test('D6 a G is not taken before New (150=0), though the exchange has named the order; an F is', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  const [reject] = desk.oms(REPLACE);
  expect([35, 434, 39].map((tag) => field(reject, tag))).toEqual(['9', '2', 'A']);
  expect(field(reject, 58)).toContain('replace it after New (150=0), or cancel it');
  expect(summary(desk.oms(CANCEL))).toEqual(['6/6']);
  expect(sentBehind(desk)).toEqual(['cancelOrder']);
});

test.each([
  ['a market order', '40=1|', 'OrdType(40)=1'],
  ['an order that does not rest', '40=2|44=100|59=3|', 'TimeInForce(59)=3'],
  ['a market-on-close order', '40=1|59=5|', 'OrdType(40)=1'],
])('O6 T2 a G of %s is refused, with cancel and new order on too: nothing of it is cancelled', (_, terms, why) => {
  for (const replaceByCancelAndNew of [false, true]) {
    const desk = new Desk(gatewayConfig({ replaceByCancelAndNew }));
    desk.feed({ kind: 'referencePrice', symbol: 'BTCUSDC', price: '100' });
    desk.oms(`35=D|11=o-1|1=ACC1|55=BTCUSDC|54=1|38=2|${terms}`);
    const timeInForce = terms.includes('59=5') ? 'GTX' : terms.includes('59=3') ? 'IOC' : 'GTC';
    desk.accepted(undefined, '9001');
    desk.order({ timeInForce, ...(terms.includes('40=1') ? { type: 'MKT', price: null } : {}) });
    const [reject] = desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|38=3|');
    expect([35, 434, 39].map((tag) => field(reject, tag))).toEqual(['9', '2', '0']);
    expect(field(reject, 58)).toContain(why);
    expect(sentBehind(desk)).toEqual([]);
  }
});

test.each(['0.5', '0.4'])('O6 refuses as too late a G for OrderQty(38)=%s of an order with 0.5 filled', (orderQty) => {
  const desk = partlyFilled();
  const [reject] = desk.oms(`35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|40=2|38=${orderQty}|44=100|`);
  expect([35, 434, 102, 39].map((tag) => field(reject, tag))).toEqual(['9', '2', '0', '1']);
  expect(field(reject, 58)).toBe(`Too late to replace: OrderQty(38)=${orderQty}, CumQty(14)=0.5 is filled`);
  expect(sentBehind(desk)).toEqual([]);
});

test('T3 a G does not make an auction order post-only', () => {
  const desk = new Desk();
  desk.oms(LIMIT.replace('59=1', '59=5'));
  desk.order({ timeInForce: 'GTX' });
  expect(field(desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|40=p|')[0], 58)).toContain('only Price(44)');
  expect(sentBehind(desk)).toEqual([]);
});

test('a G that repeats 40=2 without 18 leaves an order post-only that was written as 40=2 with 18=6', () => {
  const desk = new Desk();
  desk.oms(`${LIMIT}18=6|`);
  desk.order({ type: 'POST_ONLY' });
  desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|40=2|38=2|44=101|');
  expect(desk.last().command).toMatchObject({ kind: 'amendOrder', type: null, price: '101', quantity: null });
});

test('O4 sends a first-seen G with any TransactTime(60); one that waited must be young', () => {
  const old = (desk: Desk): string => formatUtcTimestamp(desk.now - 10_001);
  const first = workingDesk();
  expect(summary(first.oms(`${REPLACE}60=${old(first)}|`))).toEqual(['E/E']);
  const waited = workingDesk();
  const text = `35=G|34=9|49=OMS|56=XG|52=${formatUtcTimestamp(waited.now)}|60=${old(waited)}|${REPLACE.slice(5)}`;
  const view = viewOf(fromPrintable(text, 'FIX.4.4'))!;
  waited.feed({ kind: 'throttled', sessionId: SESSION, view, possDup: false, excess: 'hold', waitMs: 40 });
  const [reject] = waited.advance(40);
  expect([35, 434, 102].map((tag) => field(reject, tag))).toEqual(['9', '2', '99']);
  expect(field(reject, 58)).toContain('Request is 10041 ms old');
  expect(sentBehind(waited)).toEqual([]);
});

test('U4 O5 the ClOrdID(11) of a G in a killed process finds its order, and makes no second one', () => {
  const desk = workingDesk();
  desk.oms(REPLACE);
  desk.restart();
  desk.order({});
  expect(field(desk.oms('35=H|11=g-1|55=BTCUSDC|54=1|')[0], 37)).toBe('9001');
  for (const more of ['97=Y|', '']) {
    const [answer] = desk.oms(LIMIT.replace('35=D|', `35=D|${more}`).replace('o-1', 'g-1'));
    expect(summary([answer!])).toEqual([more === '' ? '8/E' : 'I/E']);
  }
  expect(summary(desk.oms(CANCEL.replace('41=o-1', '41=g-1')))).toEqual(['6/6']);
  expect(sentBehind(desk)).toEqual(['amendOrder', 'cancelOrder']);
});
