// Adoption of external orders (rule O11) on the pure machine: the session's reports, the names used, and an ordinary
// life afterwards, in any order of events and over a restart.

import { describe, expect, test } from 'vitest';
import { type Adoption, traceIdOf } from '../../../src/gateway/mod.ts';
import {
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
} from '../desk.ts';
import { cancelled, partlyFilled, REPLACE } from '../swap-desk.ts';

const OLD = { orderId: '501', clientOrderId: '77', publishedAt: 5, createdAt: 4 } as const;
const FILL = { orderId: '501', clientOrderId: '77', tradeId: '11' } as const;

function adoption(more: Partial<Adoption> = {}): Adoption {
  return { sessionId: SESSION, order: exchangeOrder(OLD, 0), trades: [], clOrdID: null, ...more };
}

function adopt(desk: Desk, more: Partial<Adoption> = {}): string[] {
  return desk.answers(() => desk.feed({ kind: 'adoptOrder', adoption: adoption(more), who: 'ann', why: 'moved here' }));
}

const partly: Partial<Adoption> = {
  order: exchangeOrder({ ...OLD, quantityFilled: '0.5' }, 0),
  trades: [exchangeTrade(FILL, 0)],
  clOrdID: 'old-9',
};
const copies = dropCopyConfig();

describe('O11 a session adopts an external order', () => {
  test('O11 reports earlier fills once by 150=D with 378=1, and does not report them again', () => {
    const desk = new Desk();
    const [report, ...more] = adopt(desk, partly);
    expect([summary([report!]), more]).toEqual([['D/1'], []]);
    const tags = [11, 41, 37, 17, 1, 378, 38, 14, 151, 6, 44];
    expect(tags.map((tag) => field(report, tag))).toEqual([
      'old-9',
      null,
      '501',
      '501-D-0',
      'ACC1',
      '1',
      '2',
      '0.5',
      '1.5',
      '100',
      '100',
    ]);
    expect(desk.trade(FILL)).toEqual([]);
    expect(adopt(desk, partly)).toEqual([]);
    // An older word of the exchange says nothing new.
    expect(desk.order({ ...OLD, quantity: '3', publishedAt: 4 })).toEqual([]);
    const rest = desk.trade({ ...FILL, tradeId: '12', quantity: '1.5' });
    expect([summary(rest), field(rest[0], 14)]).toEqual([['F/2'], '2']);
  });

  test("O11 it is cancelled, replaced and asked for as any other, by the exchange's id", () => {
    const desk = new Desk();
    adopt(desk);
    expect(summary(desk.oms('35=H|11=77|55=BTCUSDC|54=1|'))).toEqual(['I/0']);
    desk.oms('35=G|11=g-1|41=77|1=ACC1|55=BTCUSDC|54=1|40=2|38=3|44=100|');
    expect(desk.last().command).toMatchObject({ kind: 'amendOrder', orderId: '501' });
    desk.accepted();
    expect(summary(desk.order({ ...OLD, quantity: '3', publishedAt: 9e12 }))).toEqual(['5/0']);
    desk.oms('35=F|11=f-1|41=g-1|1=ACC1|55=BTCUSDC|54=1|');
    expect(desk.last().command).toMatchObject({ kind: 'cancelOrder', orderId: '501' });
    const end = desk.order({ ...OLD, quantity: '3', status: 'CANCELLED', statusReasonCode: '6005' });
    expect([summary(end), field(end[0], 11)]).toEqual([['4/4'], 'f-1']);
  });

  test("O11 takes the ClOrdID of the imported store, else the exchange's reference, else its id", () => {
    expect(field(adopt(new Desk(), { clOrdID: 'stored' })[0], 11)).toBe('stored');
    expect(field(adopt(new Desk())[0], 11)).toBe('77');
    expect(field(adopt(new Desk(), { order: exchangeOrder({ ...OLD, clientOrderId: null }, 0) })[0], 11)).toBe('X501');
    const desk = new Desk();
    desk.oms(LIMIT.replace('o-1', 'stored'));
    desk.oms(LIMIT.replace('o-1', '77'));
    desk.oms(LIMIT.replace('o-1', 'X501'));
    expect(field(adopt(desk, { clOrdID: 'stored' })[0], 11)).toBe('X501-2');
    // From now on it is used on this session.
    const [duplicate] = desk.oms(LIMIT.replace('o-1', 'X501-2'));
    expect(field(duplicate, 103)).toBe('6');
  });

  test("O11 makes a numeric ClOrdID from the exchange's id in the venue dialect", () => {
    const nameless = { order: exchangeOrder({ ...OLD, clientOrderId: null }, 0) };
    expect(field(adopt(new Desk(gatewayConfig({ dialect: 'venue' })), nameless)[0], 11)).toBe('501');
    const desk = new Desk(gatewayConfig({ dialect: 'venue' }));
    desk.oms(LIMIT.replace('o-1', '501'));
    expect(field(adopt(desk, nameless)[0], 11)).toBe('5012');
  });

  test('O12 refuses an adoption under a kill switch that covers the order, until it is lifted', () => {
    const desk = new Desk();
    const name = adoption().order.tradingAccountId;
    const kill = (action: 'throw' | 'lift', who: string): void =>
      void desk.feed({ kind: 'killSwitch', action, scope: 'account', name, who, why: 'runaway model' });
    kill('throw', 'ann');
    expect(desk.gateway.adoptProblem(adoption())).toBe(
      "The kill switch of this account is on (runaway model). Lift it first, or cancel the order on the exchange's page.",
    );
    expect(adopt(desk)).toEqual([]);
    kill('lift', 'ann');
    kill('lift', 'ben');
    expect(summary(adopt(desk))).toEqual(['D/0']);
  });

  test.each<[string, Partial<Adoption>, RegExp]>([
    ['of another account', { order: exchangeOrder({ ...OLD, tradingAccountId: '9' }, 0) }, /account 9 is not on/],
    ['that has ended', { order: exchangeOrder({ ...OLD, status: 'CANCELLED' }, 0) }, /has ended at the exchange/],
    ['whose trades are not all there', { ...partly, trades: [] }, /states 0.5\d* as filled, its trades sum to 0/],
    ['that is filled by its trades', { trades: [exchangeTrade({ ...FILL, quantity: '2' }, 0)] }, /is filled/],
    ['of a liquidation', { order: exchangeOrder({ ...OLD, isLiquidation: true }, 0) }, /belongs to no session/],
    ['of a kind that is not known', { order: exchangeOrder({ ...OLD, type: 'ICEBERG' }, 0) }, /cannot be read/],
    ['for a session that is not there', { sessionId: 'FIX.4.4:XG->NOBODY' }, /is no session that enters orders/],
    ['for a drop copy session', { sessionId: copies.sessionId }, /is no session that enters orders/],
  ])('O11 an order %s is refused with the reason', (_, more, reason) => {
    const desk = new Desk();
    desk.gateway.applyConfig(copies);
    expect(desk.gateway.adoptProblem(adoption(more))).toMatch(reason);
    expect(adopt(desk, more)).toEqual([]);
    expect(desk.gateway.findByOrderID('501')).toBeNull();
  });

  test("O11 a session's own order cannot be adopted", () => {
    const desk = new Desk();
    desk.oms(LIMIT);
    desk.accepted(undefined, '501');
    expect(desk.gateway.adoptProblem(adoption())).toBe(`It is an order of ${SESSION} already.`);
    expect(adopt(desk)).toEqual([]);
  });

  test.each(['D', 'G by cancel and new'])(
    'O11 U2 refuses to adopt an order that may be the result of an unanswered or lost %s',
    (what) => {
      const desk = what === 'D' ? new Desk() : partlyFilled();
      if (what === 'D') desk.oms(LIMIT);
      else {
        desk.oms(REPLACE);
        desk.accepted();
        desk.order(cancelled('0.5'));
      }
      const { command } = desk.last();
      if (command.kind !== 'createOrder') throw new Error('nothing was entered');
      const { clientOrderId } = command;
      const found = { ...OLD, clientOrderId, createdAt: desk.now };
      for (const isLost of [false, true]) {
        if (isLost) desk.unknown();
        expect(desk.gateway.adoptProblem(adoption({ order: exchangeOrder(found, 0) }))).toBe(
          `It may be ClOrdID(11)=o-1 of ${SESSION}, which has no id of the exchange yet: wait for its outcome.`,
        );
        expect(adopt(desk, { order: exchangeOrder(found, 0) })).toEqual([]);
      }
      // References of others are free to repeat: what was entered long before is theirs, and what comes when this one is known.
      const earlier = { order: exchangeOrder({ ...found, orderId: '502', createdAt: desk.now - 7_200_000 }, 0) };
      expect(desk.gateway.adoptProblem(adoption(earlier))).toBeNull();
      const [heard] = desk.order({ ...found, publishedAt: 9e12 });
      expect([field(heard, 11), field(heard, 37)]).toEqual(what === 'D' ? ['o-1', '501'] : ['g-1', '9001']);
      expect(summary(adopt(desk, { order: exchangeOrder({ ...found, orderId: '503' }, 0) }))).toEqual(['D/0']);
    },
  );

  test('O11 an order followed for drop copies changes owner with its state, over a restart too', () => {
    const desk = new Desk(gatewayConfig(), { ended: true });
    desk.gateway.applyConfig(copies);
    desk.order(OLD);
    desk.trade(FILL);
    const [report] = adopt(desk, { ...partly, clOrdID: 'old-9' }).filter((text) => field(text, 797) === null);
    expect([field(report, 150), field(report, 11), field(report, 14)]).toEqual(['D', 'old-9', '0.5']);
    desk.restart();
    expect(desk.gateway.findByOrderID('501')).toMatchObject({ sessionId: SESSION, clOrdID: 'old-9', cumQty: '0.5' });
    expect([...desk.gateway.orders()]).toHaveLength(1);
    expect([desk.gateway.openOrderCount(SESSION), desk.gateway.openOrderCount('')]).toEqual([1, 0]);
    expect(desk.trade(FILL)).toEqual([]);
  });

  test.each([true, false])(
    'S9 O11 copies every fill of an adopted order, even before the stream (order known before: %s)',
    (isKnown) => {
      const desk = new Desk();
      desk.gateway.applyConfig(copies);
      if (isKnown) desk.order(OLD);
      const told = adopt(desk, partly);
      const ofCopy = [...desk.sent].filter((text) => field(text, 797) === 'Y');
      expect(summary(ofCopy)).toEqual(['0/0', 'F/1', 'D/1']);
      expect(ofCopy.map((text) => field(text, 14))).toEqual(['0', '0.5', '0.5']);
      expect(summary(told.filter((text) => field(text, 797) === null))).toEqual(['D/1']);
      expect(desk.trade(FILL)).toEqual([]);
    },
  );

  test.each(['0', '1', '2', 'none'])(
    'O11 a fill and the end cross the adoption, restart before event %s: each is reported once',
    (restartAt) => {
      const words = ['fill', 'end', 'adopt'] as const;
      for (const order of permutations(words)) {
        const desk = new Desk(gatewayConfig(), { ended: true });
        const end = { ...OLD, quantityFilled: '2', status: 'CLOSED', statusReasonCode: '6002' } as const;
        const trades = [exchangeTrade(FILL, 0), exchangeTrade({ ...FILL, tradeId: '12', quantity: '1.5' }, 0)];
        const say = {
          fill: () => desk.trade(trades[1]!),
          end: () => desk.order(end),
          adopt: () => adopt(desk, partly),
        };
        for (const [i, word] of order.entries()) {
          if (String(i) === restartAt) desk.restart();
          say[word]();
        }
        // Whatever was said before anybody listened is asked for.
        desk.advance(10);
        for (const { lookupId } of desk.lookups.slice(-1)) {
          const found = { kind: 'found', order: exchangeOrder(end, desk.now), trades, final: false } as const;
          desk.feed({ kind: 'lookedUp', lookupId, outcome: found });
        }
        desk.advance(60_000);
        const told = summary(desk.sent);
        expect(told, `${order} ${restartAt}`).toEqual(['D/1', 'F/2']);
      }
    },
  );
});

function permutations<T>(of: readonly T[]): T[][] {
  if (of.length <= 1) return [[...of]];
  return of.flatMap((first) => permutations(of.filter((one) => one !== first)).map((rest) => [first, ...rest]));
}

test('O11 notes the adoption on the log with the trace id of the order', () => {
  const desk = new Desk();
  adopt(desk, { clOrdID: 'old-9' });
  const notes = desk.effects.flatMap((effect) => (effect.kind === 'note' ? [effect] : []));
  expect(notes).toMatchObject([
    {
      text: 'an external order was adopted',
      fields: { orderID: '501', trace: traceIdOf(SESSION, 'old-9'), who: 'ann' },
    },
  ]);
});

test('O11 counts an adopted order for the session and the account', () => {
  const desk = new Desk(gatewayConfig({ limits: { ...sessionConfig().limits, openOrdersMax: 1 } }));
  adopt(desk);
  expect(desk.gateway.openOrderCount(SESSION)).toBe(1);
  expect(field(desk.oms(LIMIT)[0], 103)).toBe('3');
});
