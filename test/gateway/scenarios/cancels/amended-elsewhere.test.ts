// Orders amended elsewhere, as on the exchange's page, during an outage: the end shows it, and the order ends by its
// terms of then (rules O1, O11, D5).

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Decimal } from '../../../../src/base/decimal.ts';
import type { ExchangeOrder } from '../../../../src/exchange/mod.ts';
import { checkProperty } from '../../../support/random/seeded-property.ts';
import {
  ACCOUNT,
  Desk,
  dropCopyConfig,
  exchangeOrder,
  exchangeTrade,
  field,
  gatewayConfig,
  LIMIT,
  SESSION,
  sessionConfig,
  summary,
  workingDesk,
} from '../../desk.ts';
import { Day, day } from '../../random-day.ts';

const EXECUTED = { status: 'CLOSED', statusReasonCode: '6002', statusReason: 'Executed' } as const;
const CANCELLED = { status: 'CANCELLED', statusReasonCode: '6005', statusReason: 'User cancelled' } as const;

const shown = (text: string | undefined): (string | null)[] =>
  [150, 39, 38, 44, 14, 151].map((tag) => field(text, tag));

test('O1 an order reduced elsewhere and filled ends as Filled, not Expired: 150=D has its quantity', () => {
  const desk = workingDesk();
  desk.trade({ quantity: '1.5' });
  const told = desk.order({ ...EXECUTED, quantity: '1.5', quantityFilled: '1.5', publishedAt: desk.now + 1 });
  expect(told.map(shown)).toEqual([['D', '2', '1.5', '100', '1.5', '0']]);
  expect(desk.gateway.openOrderCount(SESSION)).toBe(0);
  expect(desk.order({ ...EXECUTED, quantity: '1.5', quantityFilled: '1.5', publishedAt: desk.now + 2 })).toEqual([]);
  expect(desk.alarms).toEqual([]);
});

test.each([
  ['smaller', '1.5'],
  ['larger', '3'],
])('O1 fills an order made %s elsewhere by its last fill, with its end before its fills', (_, quantity) => {
  const desk = workingDesk();
  const told = desk.order({ ...EXECUTED, price: '101', quantity, quantityFilled: quantity, publishedAt: null });
  expect(told.map(shown)).toEqual([['D', '0', quantity, '101', '0', quantity]]);
  expect(desk.trade({ quantity: '1' }).map((text) => [field(text, 39), field(text, 38)])).toEqual([['1', quantity]]);
  const rest = quantity === '3' ? '2' : '0.5';
  expect(desk.trade({ tradeId: '2', quantity: rest }).map(shown)).toEqual([['F', '2', quantity, '101', quantity, '0']]);
  expect(desk.gateway.openOrderCount(SESSION)).toBe(0);
  expect(desk.alarms).toEqual([]);
});

test('O1 a word of before the end, which comes behind it, takes nothing of that back', () => {
  const desk = workingDesk();
  desk.order({ ...EXECUTED, quantity: '0.5', quantityFilled: '0.5', publishedAt: desk.now + 2 });
  expect(desk.order({ quantity: '1', publishedAt: desk.now + 1 })).toEqual([]);
  expect(summary(desk.trade({}))).toEqual(['F/2']);
});

test('O1 reports an order increased elsewhere and cancelled as increased before 150=4', () => {
  const desk = workingDesk();
  const told = desk.order({ ...CANCELLED, quantity: '3', publishedAt: desk.now + 1 });
  expect(told.map(shown)).toEqual([
    ['D', '0', '3', '100', '0', '3'],
    ['4', '4', '3', '100', '0', '0'],
  ]);
});

test('D6 New comes before that too', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  expect(summary(desk.order({ ...CANCELLED, quantity: '3' }))).toEqual(['0/0', 'D/0', '4/4']);
});

test('O1 does not ask the exchange about a repeated fill, as of a snapshot', () => {
  const desk = workingDesk();
  expect(summary(desk.trade({ quantity: '1.5' }))).toEqual(['F/1']);
  const asked = desk.lookups.length;
  expect(desk.trade({ quantity: '1.5' })).toEqual([]);
  desk.advance(1);
  expect(desk.lookups.length).toBe(asked);
});

test('O1 does the same after a looked-up G: the end shows neither old nor requested terms', () => {
  const desk = workingDesk();
  desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|38=3|44=99|');
  desk.unknown();
  desk.advance(1_000);
  const order = exchangeOrder(
    { clientOrderId: '2', quantity: '3', price: '99', publishedAt: null, createdAt: 0 },
    desk.now,
  );
  const { lookupId } = desk.lookups.at(-1)!;
  const outcome = { kind: 'found', order, trades: [], final: false } as const;
  expect(summary(desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId, outcome })))).toEqual(['5/0']);
  desk.trade({ quantity: '2.5', clientOrderId: '2' });
  const end = { ...EXECUTED, clientOrderId: '2', price: '99', quantity: '2.5', quantityFilled: '2.5' } as const;
  expect(desk.order({ ...end, publishedAt: desk.now + 1 }).map(shown)).toEqual([['D', '2', '2.5', '99', '2.5', '0']]);
  expect(desk.alarmNames()).toEqual(['outcome-open']);
});

test.each<[string, Partial<ExchangeOrder>]>([
  ['shows less than was filled', { ...CANCELLED, quantity: '0.4', quantityFilled: '0.5' }],
  [
    'shows as its quantity what was filled until it was cancelled',
    { ...CANCELLED, quantity: '0.5', quantityFilled: '0.5' },
  ],
  ['shows no price', { ...CANCELLED, price: '0.0000', quantityFilled: '0.5' }],
])('O1 an end that %s restates nothing', (_, end) => {
  const desk = workingDesk();
  desk.trade({});
  expect(summary(desk.order({ ...end, publishedAt: desk.now + 1 }))).toEqual(['4/4']);
});

test('D9 answers an open G by 9 with 39=2, and copies 39=2 by the restatement', () => {
  const desk = workingDesk(gatewayConfig({}, { sessions: [sessionConfig(), dropCopyConfig()] }));
  desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|44=99|');
  desk.trade({ quantity: '1.5' });
  const told = desk.order({ ...EXECUTED, quantity: '1.5', quantityFilled: '1.5', publishedAt: desk.now + 1 });
  expect(told.map((text) => [35, 150, 39, 797].map((tag) => field(text, tag)))).toEqual([
    ['8', 'D', 'E', null],
    ['8', 'D', '2', 'Y'],
    ['9', null, '2', null],
  ]);
});

test('D9 takes an end with the terms of an open G as its execution, also without a time', () => {
  const desk = workingDesk();
  desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|38=3|44=99|');
  desk.accepted();
  const end = { ...EXECUTED, clientOrderId: null, price: '99', quantity: '3', quantityFilled: '3', publishedAt: null };
  expect(summary(desk.order(end))).toEqual(['5/0']);
  expect(summary(desk.trade({ quantity: '3' }))).toEqual(['F/2']);
});

test.each([
  [
    'is about that order',
    {},
    [
      ['D', '0', '3', '100', '0', '3'],
      ['F', '1', '3', '100', '2', '1'],
      ['F', '2', '3', '100', '3', '0'],
    ],
  ],
  [
    'names another one',
    { side: 'SELL' },
    [
      ['F', '2', '2', '100', '2', '0'],
      ['F', '2', '2', '100', '3', '0'],
    ],
  ],
] as const)(
  'D6 reports an increase during an outage before its fills, with data read beside them %s',
  (_, more, told) => {
    const desk = workingDesk();
    const order = exchangeOrder(
      { ...EXECUTED, quantity: '3', quantityFilled: '3', publishedAt: null, ...more },
      desk.now,
    );
    const trades = ['2', '1'].map((quantity, i) =>
      exchangeTrade({ tradeId: `${i}`, quantity, publishedAt: null }, desk.now),
    );
    const reports = desk.answers(() => {
      desk.feed({ kind: 'trade', trade: trades[0]!, source: 'reconciliation', order });
      desk.feed({ kind: 'trade', trade: trades[1]!, source: 'reconciliation' });
      desk.feed({ kind: 'order', order, source: 'reconciliation' });
    });
    expect(reports.map(shown)).toEqual(told);
    expect(desk.alarmNames().includes('overfill')).toBe(told.length === 2);
  },
);

test.each<[string, Partial<ExchangeOrder>, string[]]>([
  ['its own reference, so that the G was not carried out', {}, ['D/E', 'F/E']],
  ['the reference of the G', { clientOrderId: '2' }, ['5/0', 'F/1']],
  ['no reference', { clientOrderId: null }, ['5/0', 'F/1']],
  ['what the G asked for', { quantity: '4', price: '99' }, ['5/0', 'F/1']],
])('D9 the same holds while a G is open, where the order is read under %s', (_, more, told) => {
  const desk = workingDesk();
  desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|38=4|44=99|');
  desk.unknown();
  const order = exchangeOrder({ quantity: '3', quantityFilled: '2.5', publishedAt: null, ...more }, desk.now);
  const trade = exchangeTrade({ quantity: '2.5', publishedAt: null }, desk.now);
  const reports = desk.answers(() => desk.feed({ kind: 'trade', trade, source: 'reconciliation', order }));
  expect(summary(reports)).toEqual(told);
  const [quantity, leaves] = told[0] === 'D/E' ? ['3', '0.5'] : ['4', '1.5'];
  expect([38, 14, 151].map((tag) => field(reports[1], tag))).toEqual([quantity, '2.5', leaves]);
});

describe('a fill beyond the rest of the order without a reported increase', () => {
  const larger = { quantity: '5', quantityFilled: '3' } as const;

  function filledAbove(config = gatewayConfig()): Desk {
    const desk = workingDesk(config);
    expect(desk.trade({ quantity: '3' })).toEqual([]);
    return desk;
  }

  function lookedUp(desk: Desk, more: Partial<ExchangeOrder>): string[] {
    desk.advance(0);
    const { lookupId } = desk.lookups.at(-1)!;
    const order = exchangeOrder({ publishedAt: null, ...more }, desk.now);
    const trades = [exchangeTrade({ quantity: '3', publishedAt: null }, desk.now)];
    return desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'found', order, trades } }));
  }

  test('O1 holds the fill until the exchange answers, reports the increase first, cancels nothing', () => {
    const desk = filledAbove();
    expect(lookedUp(desk, larger).map(shown)).toEqual([
      ['D', '0', '5', '100', '0', '5'],
      ['F', '1', '5', '100', '3', '2'],
    ]);
    desk.order({ ...larger, publishedAt: desk.now + 1 });
    desk.advance(60_000);
    expect([desk.alarms, desk.submitted.length, desk.sent.length]).toEqual([[], 1, 2]);
    expect(summary(desk.trade({ tradeId: '2', quantity: '2' }))).toEqual(['F/2']);
  });

  test("O1 is reported with the exchange's next event, also if that is its end", () => {
    const open = filledAbove();
    expect(summary(open.order({ ...larger, quantityFilled: '0' }))).toEqual(['D/0', 'F/1']);
    const ended = filledAbove();
    expect(summary(ended.order({ ...EXECUTED, quantity: '3', quantityFilled: '3' }))).toEqual(['D/0', 'F/2']);
    const cancelled = filledAbove();
    expect(summary(cancelled.order({ ...CANCELLED, ...larger }))).toEqual(['D/0', 'F/1', '4/4']);
    for (const desk of [open, ended, cancelled]) expect(desk.alarms).toEqual([]);
  });

  test.each([false, true])(
    'O1 O6 is a fill to a G that comes meanwhile, which it does not carry out (cancel and new: %s)',
    (isSwap) => {
      const desk = filledAbove(gatewayConfig({ replaceByCancelAndNew: isSwap }));
      const answers = desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|40=2|38=9|44=100|');
      expect(summary(answers)).toEqual([isSwap ? 'E/E' : '9/2']);
      expect(desk.submitted.slice(1).map(({ command }) => command.kind)).toEqual(isSwap ? ['cancelOrder'] : []);
      if (!isSwap) expect(field(answers[0], 58)).toContain('replaces only orders without fills');
      // The increase of the order went unreported: it is reported as it is.
      expect(summary(desk.advance(5_000))).toEqual(isSwap ? ['F/E', '9/2'] : ['F/2']);
    },
  );

  test('O1 keeps its place before the fills that come behind it', () => {
    const desk = filledAbove();
    expect(desk.trade({ tradeId: '2', quantity: '1' })).toEqual([]);
    expect(desk.trade({ quantity: '3' })).toEqual([]);
    // Read before the second of them.
    const [restated, ...fills] = lookedUp(desk, larger);
    expect(field(restated, 150)).toBe('D');
    expect(fills.map((text) => [field(text, 32), field(text, 14)])).toEqual([
      ['3', '3'],
      ['1', '4'],
    ]);
  });

  test.each([
    ['does not know it as larger', (desk: Desk) => lookedUp(desk, { ...EXECUTED, quantityFilled: '3' })],
    ['cannot be asked', (desk: Desk) => desk.advance(5_000)],
    [
      'says only what it was before',
      (desk: Desk) => {
        expect(lookedUp(desk, { quantityFilled: '0' })).toEqual([]);
        return desk.advance(5_000);
      },
    ],
  ])('O1 is reported as it is, with an alarm, where the exchange %s', (_, asked) => {
    const desk = filledAbove();
    expect(asked(desk).map(shown)).toEqual([['F', '2', '2', '100', '3', '0']]);
    expect(desk.alarmNames()).toEqual(['overfill']);
  });

  test('D9 the same where it is more than an open G asks for, which the exchange carried out before', () => {
    const desk = workingDesk();
    desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|38=3|44=100|');
    desk.unknown();
    expect(desk.trade({ quantity: '4', clientOrderId: '2' })).toEqual([]);
    desk.advance(0);
    const { lookupId } = desk.lookups.at(-1)!;
    const order = exchangeOrder(
      { clientOrderId: '2', quantity: '6', quantityFilled: '4', publishedAt: null },
      desk.now,
    );
    const trades = [exchangeTrade({ quantity: '4', clientOrderId: '2', publishedAt: null }, desk.now)];
    const outcome = { kind: 'found', order, trades } as const;
    expect(desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId, outcome })).map(shown)).toEqual([
      ['5', '0', '3', '100', '0', '3'],
      ['D', '0', '6', '100', '0', '6'],
      ['F', '1', '6', '100', '4', '2'],
    ]);
    expect(desk.alarmNames()).toEqual(['outcome-open']);
  });

  test('O1 leaves with an unreadable event behind it, and ends no process', () => {
    const desk = filledAbove();
    expect(desk.trade({ tradeId: '2', quantity: 'much' })).toEqual([]);
    expect(lookedUp(desk, { quantityFilled: '0' })).toEqual([]);
    expect(summary(desk.advance(5_000))).toEqual(['F/2']);
    expect(desk.alarmNames()).toEqual(['overfill', 'trade-unreadable']);
  });

  test('O1 waits for nothing where the order has ended, which said how large it was', () => {
    const desk = workingDesk();
    expect(desk.order({ ...EXECUTED, quantityFilled: '2' })).toEqual([]);
    expect(desk.trade({ quantity: '3' }).map(shown)).toEqual([['F', '2', '2', '100', '3', '0']]);
    expect(desk.alarmNames()).toEqual(['overfill']);
  });

  test('U3 delays no F, and is reported once over a restart', () => {
    const desk = filledAbove();
    expect(summary(desk.oms('35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|'))).toEqual(['6/6']);
    expect(desk.last().command).toMatchObject({ kind: 'cancelOrder', orderId: '9001' });
    desk.restart();
    const order = exchangeOrder({ ...CANCELLED, ...larger, publishedAt: null }, desk.now);
    const trade = exchangeTrade({ quantity: '3', publishedAt: null }, desk.now);
    const told = desk.answers(() => {
      desk.feed({ kind: 'trade', trade, source: 'reconciliation', order });
      desk.feed({ kind: 'order', order, source: 'reconciliation' });
    });
    expect(summary(told)).toEqual(['D/6', 'F/6', '4/4']);
    expect(desk.trade({ quantity: '3' })).toEqual([]);
  });

  test('O1 does the same with orders read before fills, and the increase in between', () => {
    const desk = workingDesk();
    const before = exchangeOrder({ publishedAt: null }, desk.now);
    const trade = exchangeTrade({ quantity: '3', publishedAt: null }, desk.now);
    const read = desk.answers(() => {
      desk.feed({ kind: 'trade', trade, source: 'reconciliation', order: before });
      desk.feed({ kind: 'order', order: before, source: 'reconciliation' });
      desk.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
    });
    expect(read).toEqual([]);
    expect(summary(lookedUp(desk, { ...EXECUTED, quantity: '3', quantityFilled: '3' }))).toEqual(['D/0', 'F/2']);
    expect(desk.alarms).toEqual([]);
  });
});

/** Amendments by another user: the step of the day that they precede, the order, its new quantity. */
const amendments = fc.array(fc.tuple(fc.nat(1_000), fc.nat(1_000), fc.nat(50)), { maxLength: 40 });

test.each([false, true])(
  'O1 reports executions as Filled with all fills under random amendments elsewhere (cancel and new %s)',
  (swaps) => {
    let filled = 0;
    checkProperty(
      fc.property(day, amendments, (steps, amends) => {
        const run = new Day({ replaceByCancelAndNew: swaps });
        const { desk, exchange } = run;
        for (const [i, step] of steps.entries()) {
          for (const [at, which, amount] of amends) {
            const order = exchange.orders[which % Math.max(1, exchange.orders.length)];
            if (at % steps.length !== i || order?.status !== 'OPEN' || !order.filled.isZero()) continue;
            exchange.restate(order, new Decimal(BigInt(1 + amount), 1));
          }
          run.step(step);
        }
        run.settle();
        for (const { chain, cumQty, ordStatus, pending, references } of desk.gateway.orders()) {
          const legs = exchange.orders.filter(({ reference }) => references.includes(reference));
          if (legs.length === 0) continue;
          const inWords = `${chain} ${ordStatus} ${pending}`;
          const sum = legs.reduce((all, leg) => all.add(leg.filled), Decimal.ZERO);
          expect(cumQty, inWords).toBe(sum.trimmed().toString());
          expect('0156AE'.includes(ordStatus), inWords).toBe(legs.some(({ status }) => status === 'OPEN'));
          if (legs.at(-1)!.code !== '6002') continue;
          expect(ordStatus, inWords).toBe('2');
          filled++;
        }
      }),
    );
    expect(filled).toBeGreaterThan(20);
  },
);
