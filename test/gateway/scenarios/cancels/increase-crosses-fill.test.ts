// A G that makes an order larger while a fill makes up its old quantity: the exchange says which came first, not the gateway. FIX
// 4.4 Appendix D C.1, rules O1 and D9.

import { expect, test } from 'vitest';
import {
  ACCOUNT,
  Desk,
  exchangeOrder,
  exchangeTrade,
  field,
  gatewayConfig,
  LIMIT,
  SESSION,
  summary,
} from '../../desk.ts';

const INCREASE = '35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|38=3|44=101|';
const FILLED = { status: 'CLOSED', statusReasonCode: '6002', statusReason: 'Executed', quantityFilled: '2' } as const;

/** An order of 2, a G to 3 that the exchange has not answered, and then fills of 2. */
function crossed(config = gatewayConfig(), request = INCREASE): Desk {
  const desk = new Desk(config);
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  desk.order({});
  desk.oms(request);
  desk.trade({ quantity: '0.5' });
  return desk;
}

test('D9 a fill of the old quantity ends nothing while the G is open: the rest works', () => {
  const desk = crossed();
  expect(summary(desk.trade({ tradeId: '2', quantity: '1.5' }))).toEqual(['F/E']);
  const [replaced] = desk.order({ quantity: '3', price: '101', quantityFilled: '2', publishedAt: desk.now + 1 });
  expect([150, 39, 11, 38, 14, 151].map((tag) => field(replaced, tag))).toEqual(['5', '1', 'g-1', '3', '2', '1']);
  const [rest] = desk.trade({ tradeId: '3', quantity: '1', price: '101' });
  expect([150, 39, 14, 151].map((tag) => field(rest, tag))).toEqual(['F', '2', '3', '0']);
  expect(desk.alarms).toEqual([]);
});

test.each([
  ['by a refusal', (desk: Desk) => desk.refused(400, '3002', 'Order not found')],
  [
    'by a notice',
    (desk: Desk) => {
      desk.accepted(undefined, null, '55');
      return desk.notice({ requestId: '55', errorCode: '6042', clientOrderId: null, tradingAccountId: null });
    },
  ],
  ['by the end of the order', (desk: Desk) => desk.order(FILLED)],
])('D9 the fill came first, as the exchange says %s: 9 with 39=2, and the order is filled', (_, says) => {
  const desk = crossed();
  desk.trade({ tradeId: '2', quantity: '1.5' });
  const [reject, ...more] = says(desk);
  expect(more).toEqual([]);
  expect([35, 434, 39].map((tag) => field(reject, tag))).toEqual(['9', '2', '2']);
  expect(desk.gateway.findOrder(SESSION, 'o-1')).toMatchObject({ ordStatus: '2' });
  expect(desk.gateway.openOrderCount(SESSION)).toBe(0);
  expect(desk.order({ ...FILLED, publishedAt: desk.now + 5 })).toEqual([]);
  expect(desk.alarms).toEqual([]);
});

test('D9 a fill beyond the old quantity proves the G carried out, with any reference', () => {
  for (const clientOrderId of [null, '1']) {
    const desk = crossed();
    const told = desk.trade({ tradeId: '2', quantity: '2', clientOrderId });
    expect(summary(told)).toEqual(['5/1', 'F/1']);
    expect([38, 14, 151].map((tag) => field(told[1], tag))).toEqual(['3', '2.5', '0.5']);
    expect(desk.order({ quantity: '3', price: '101', quantityFilled: '2.5', publishedAt: desk.now + 1 })).toEqual([]);
    expect(desk.alarms).toEqual([]);
  }
  const whole = crossed();
  const createdAt = whole.now - 700;
  const filled = whole.trade({ tradeId: '2', quantity: '2.5', clientOrderId: null, createdAt });
  expect(summary(filled)).toEqual(['5/1', 'F/2']);
  expect(filled.map((text) => field(text, 60))).toEqual(Array(2).fill('20260105-11:59:59.300'));
  // More than the G would have made of it is too much for both, if the exchange says nothing else in time.
  const desk = crossed();
  expect(desk.trade({ tradeId: '2', quantity: '3', clientOrderId: null })).toEqual([]);
  expect(summary(desk.advance(5_000))).toEqual(['F/E', '9/2']);
  expect(desk.alarmNames()).toEqual(['overfill']);
});

test('D9 the end comes before the fill that makes it up: the order is filled, never expired', () => {
  const desk = crossed();
  expect(desk.order(FILLED)).toEqual([]);
  expect(summary(desk.trade({ tradeId: '2', quantity: '1.5' }))).toEqual(['F/E', '9/2']);
  expect(desk.gateway.findOrder(SESSION, 'o-1')).toMatchObject({ ordStatus: '2' });
});

test('D9 a G that makes it smaller, or changes its price only, keeps nothing open', () => {
  for (const request of [INCREASE.replace('38=3', '38=1.75'), INCREASE.replace('38=3|', '')]) {
    const desk = crossed(gatewayConfig(), request);
    expect(summary(desk.trade({ tradeId: '2', quantity: '1.5' }))).toEqual(['F/E', '9/2']);
  }
});

test('D9 a G that makes it as small as its fills ends it as filled, and the order is open no more', () => {
  const desk = crossed(gatewayConfig(), INCREASE.replace('38=3', '38=1'));
  desk.trade({ tradeId: '2', quantity: '0.5' });
  const [replaced] = desk.order({ quantity: '1', price: '101', quantityFilled: '1', publishedAt: desk.now + 1 });
  expect([150, 39, 11, 38, 14, 151].map((tag) => field(replaced, tag))).toEqual(['5', '2', 'g-1', '1', '1', '0']);
  expect(desk.gateway.openOrderCount(SESSION)).toBe(0);
});

test('D9 it holds over a restart', () => {
  const desk = crossed();
  desk.trade({ tradeId: '2', quantity: '1.5' });
  desk.restart();
  expect(summary(desk.order({ quantity: '3', price: '101', quantityFilled: '2', publishedAt: desk.now + 1 }))).toEqual([
    '5/1',
  ]);
});

test('D9 an F that came too ends as filled with the G, both answered by 9', () => {
  const desk = crossed();
  desk.oms('35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|');
  expect(summary(desk.trade({ tradeId: '2', quantity: '1.5' }))).toEqual(['F/6']);
  expect(summary(desk.order(FILLED)).sort()).toEqual(['9/1', '9/2']);
});

test('O1 an order that fills made up and that then works on as a larger one is cancelled, with an alarm', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  desk.order({});
  expect(summary(desk.trade({ quantity: '2' }))).toEqual(['F/2']);
  // An older word of it says nothing, nor one that only lags behind its fills.
  desk.order({ quantity: '3', publishedAt: desk.now - 1 });
  desk.order({ quantityFilled: '1', publishedAt: desk.now + 1 });
  expect(desk.alarms).toEqual([]);
  desk.order({ quantity: '3', quantityFilled: '2', publishedAt: desk.now + 2 });
  expect(desk.alarmNames()).toEqual(['ended-order-works']);
  expect(desk.last().command).toMatchObject({ kind: 'cancelOrder', orderId: '9001' });
});

test('O1 fills beyond OrderQty(38) before the increase: it says nothing of a working rest', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  desk.order({});
  desk.trade({ quantity: '3' });
  expect(summary(desk.advance(5_000))).toEqual(['F/2']);
  desk.order({ quantity: '3', publishedAt: desk.now + 1 });
  desk.order({ quantity: '3', quantityFilled: '3', publishedAt: desk.now + 2 });
  expect([desk.alarmNames(), desk.submitted.length]).toEqual([['overfill'], 1]);
  desk.order({ quantity: '3.1', quantityFilled: '3', publishedAt: desk.now + 3 });
  expect([desk.alarmNames(), desk.submitted.length]).toEqual([['overfill', 'ended-order-works'], 2]);
});

test.each([
  ['works on', { status: 'OPEN', quantityFilled: '3' }, ['D/0', 'F/1', 'F/1'], '2'],
  ['is filled as that', { ...FILLED, quantity: '3', quantityFilled: '3' }, ['D/0', 'F/1', 'F/2'], '0'],
  ['works on with its old quantity filled', { status: 'OPEN', quantityFilled: '2' }, ['D/0', 'F/1'], '3'],
] as const)(
  'O1 an order that was made larger elsewhere, and %s, as a look-up finds, was made so before its fills',
  (_, more, told, leavesQty) => {
    const desk = new Desk();
    desk.oms(LIMIT);
    desk.accepted(undefined, '9001');
    desk.order({});
    desk.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
    desk.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
    desk.advance(0);
    const { lookupId } = desk.lookups[0]!;
    const order = exchangeOrder({ quantity: '5', price: '101.0', publishedAt: null, ...more }, desk.now);
    const at = desk.now;
    const trades = [
      exchangeTrade({ tradeId: '1', quantity: '2', publishedAt: null }, at),
      exchangeTrade({ tradeId: '2', quantity: '1', publishedAt: null }, at),
    ].slice(0, Number(more.quantityFilled) - 1);
    const outcome = { kind: 'found', order, trades } as const;
    const reports = desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId, outcome }));
    expect(summary(reports)).toEqual(told);
    expect([38, 44, 14, 151].map((tag) => field(reports[0], tag))).toEqual([
      order.quantity,
      '101',
      '0',
      order.quantity,
    ]);
    expect(field(reports.at(-1), 151)).toBe(leavesQty);
    desk.advance(60_000);
    expect([desk.alarms, desk.submitted.length]).toEqual([[], 1]);
  },
);
