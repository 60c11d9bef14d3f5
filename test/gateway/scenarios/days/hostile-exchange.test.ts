// Impossible data of an exchange: fewer fills than reported, another order under our names, an ended order open. It
// never moves an order or its money; operations get one alarm, and the exchange is asked.

import { describe, expect, test } from 'vitest';
import { DIRECTIONS } from '../../../../src/cli/kit/message-remarks.ts';
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
  T0,
} from '../../desk.ts';

function live(config = gatewayConfig()): Desk {
  const desk = new Desk(config);
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  desk.order({});
  return desk;
}

const cancels = (desk: Desk): number => desk.submitted.filter(({ command }) => command.kind === 'cancelOrder').length;

describe('O1 O3 an end with fewer fills than were reported', () => {
  test('O1 is reported as it is, CumQty stands, and the disagreement is an alarm', () => {
    const desk = live();
    desk.trade({ quantity: '0.5' });
    const end = desk.order({ status: 'CANCELLED', statusReasonCode: '6005', quantityFilled: '0.2' });
    expect(summary(end)).toEqual(['4/4']);
    expect([field(end[0], 14), field(end[0], 151)]).toEqual(['0.5', '0']);
    expect(desk.alarmNames()).toEqual(['fills-disagree']);
    expect(desk.alarms[0]!.text).toContain('CumQty(14)=0.5');
    expect(desk.alarms[0]!.text).toContain('0.2');
  });

  test('O3 alarms once for an order already filled by trades, despite repeats and restarts', () => {
    const desk = live();
    desk.trade({ quantity: '2' });
    expect(desk.order({ status: 'CLOSED', statusReasonCode: '6002', quantityFilled: '1.5' })).toEqual([]);
    desk.order({ status: 'CLOSED', statusReasonCode: '6002', quantityFilled: '1.5', publishedAt: T0 + 5 });
    desk.restart();
    desk.order({ status: 'CLOSED', statusReasonCode: '6002', quantityFilled: '1.5', publishedAt: null });
    expect(desk.alarmNames()).toEqual(['fills-disagree']);
  });

  test('O1 raises no alarm for agreeing trades, early orders, or an open frame behind its trades', () => {
    const desk = live();
    desk.trade({ quantity: '0.5' });
    desk.order({ quantityFilled: '0.2' });
    desk.order({ status: 'CANCELLED', statusReasonCode: '6005', quantityFilled: '0.5' });
    const behind = live();
    behind.order({ status: 'CLOSED', statusReasonCode: '6002', quantityFilled: '2' });
    behind.trade({ quantity: '2' });
    expect([...desk.alarmNames(), ...behind.alarmNames()]).toEqual([]);
  });
});

describe('O1 a frame under our names that is about another order', () => {
  const OTHERS = [
    ['side', { side: 'SELL' }],
    ['symbol', { symbol: 'ETHUSDC' }],
    ['account', { tradingAccountId: '111000000000009' }],
  ] as const;

  for (const [what, other] of OTHERS) {
    test(`O1 another ${what} under our OrderID: no report, no fill, one alarm, one look-up`, () => {
      const desk = live();
      const before = desk.lookups.length;
      const said = [
        ...desk.order({ ...other, status: 'CANCELLED', statusReasonCode: '6005', publishedAt: T0 + 10 }),
        ...desk.trade({ ...other, tradeId: '1' }),
        ...desk.trade({ ...other, tradeId: '2' }),
        ...desk.order({ ...other, quantityFilled: '2', publishedAt: T0 + 20 }),
        ...desk.advance(500),
      ];
      expect(said).toEqual([]);
      expect(desk.alarmNames()).toEqual(['another-order']);
      expect(desk.alarms[0]!.text).toContain('9001');
      expect(desk.lookups.slice(before)).toMatchObject([{ orderId: '9001', tradingAccountId: ACCOUNT }]);
      // The order itself goes on.
      expect(summary(desk.trade({ quantity: '2' }))).toEqual(['F/2']);
    });

    test(`O1 another ${what} under our reference with an open outcome: it is not taken for the order`, () => {
      const desk = new Desk();
      desk.oms(LIMIT);
      desk.unknown();
      expect(
        summary([...desk.order({ ...other, orderId: '6666' }), ...desk.trade({ ...other, orderId: '6666' })]),
      ).toEqual([]);
      expect(desk.alarmNames().filter((name) => name === 'another-order')).toHaveLength(other === OTHERS[2][1] ? 0 : 1);
      // The true one is.
      expect(summary(desk.order({}))).toEqual(['0/0']);
      expect(field(desk.sent.at(-1), 37)).toBe('9001');
    });
  }

  test('O1 the answer to our own look-up is believed no more than a frame, and the order stays visible', () => {
    const desk = new Desk();
    desk.oms(LIMIT);
    desk.unknown();
    for (let i = 0; i < 12; i++) {
      desk.advance(8_000);
      const { lookupId } = desk.lookups.at(-1)!;
      const order = exchangeOrder({ side: 'SELL', publishedAt: null }, desk.now);
      const trades = [exchangeTrade({ side: 'SELL' }, desk.now)];
      desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'found', order, trades, final: true } });
    }
    expect(summary(desk.sent)).toEqual(['A/A']);
    expect(desk.alarmNames()).toEqual(expect.arrayContaining(['another-order', 'unknown-outcome']));
    expect(desk.alarmNames().filter((name) => name === 'another-order')).toHaveLength(1);
    expect(cancels(desk)).toBe(0);
  });
});

describe('O2 D7 the OrderID of one order under the name of another', () => {
  const second = (): Desk => {
    const desk = live();
    desk.oms(LIMIT.replace('o-1', 'o-2'));
    return desk;
  };

  test("O2 U1 treats it in an acknowledgement as unknown, looks it up, and keeps the first order's fills", () => {
    const desk = second();
    expect(desk.accepted(undefined, '9001')).toEqual([]);
    expect(desk.alarmNames()).toEqual(['order-id-mismatch', 'outcome-open']);
    const [fill] = desk.trade({});
    expect([11, 17, 14].map((tag) => field(fill, tag))).toEqual(['o-1', '9001-7001-F', '0.5']);
    expect(desk.trade({ tradeId: '7002', clientOrderId: null }).map((text) => field(text, 11))).toEqual(['o-1']);
    desk.advance(1_000);
    expect(desk.lookups.at(-1)).toMatchObject({ orderId: null, clientOrderId: '2' });
    expect(summary(desk.order({ orderId: '9002', clientOrderId: '2' }))).toEqual(['0/0']);
  });

  test('O2 in the answer to a look-up by reference: nothing of it is reported for the requested order', () => {
    const desk = second();
    desk.unknown();
    desk.advance(500);
    const { lookupId } = desk.lookups.at(-1)!;
    const outcome = {
      kind: 'found',
      order: exchangeOrder({}, desk.now),
      trades: [exchangeTrade({}, desk.now)],
    } as const;
    const told = desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId, outcome }));
    expect(told).toEqual([]);
    expect(desk.alarmNames()).toEqual(['outcome-open', 'order-id-mismatch']);
  });
});

test('O3 a trade of zero or less is no fill, but an alarm, once despite repeats', () => {
  for (const quantity of ['0', '0.00000000', '-0.5']) {
    const desk = live();
    for (let n = 0; n < 3; n++) expect(desk.trade({ quantity })).toEqual([]);
    expect(desk.alarmNames()).toEqual(['trade-unreadable']);
    for (let n = 0; n < 3; n++) desk.trade({ tradeId: `71${n}`, orderId: '9009' });
    expect(desk.alarmNames()).toEqual(['trade-unreadable', 'order-id-mismatch']);
  }
});

test('O2 O3 nor does an overlong id raise an alarm with every frame', () => {
  const desk = live();
  for (let n = 0; n < 3; n++) desk.trade({ tradeId: 't'.repeat(600), quantity: '0' });
  expect(desk.alarmNames()).toEqual(['trade-unreadable']);
  for (let n = 0; n < 3; n++) desk.trade({ tradeId: `71${n}`, orderId: '9'.repeat(600) });
  expect(desk.alarmNames()).toEqual(['trade-unreadable', 'order-id-mismatch']);
});

describe('J3 an order that ended here and is open where REST lists it', () => {
  function reconciled(desk: Desk): string[] {
    const order = exchangeOrder({ publishedAt: null }, desk.now);
    return desk.answers(() => {
      desk.feed({ kind: 'order', order, source: 'reconciliation' });
      desk.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
    });
  }
  function answer(desk: Desk, more: Parameters<typeof exchangeOrder>[0]): void {
    const order = exchangeOrder({ publishedAt: null, ...more }, desk.now);
    const { lookupId } = desk.lookups.at(-1)!;
    desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'found', order, trades: [], final: false } });
  }
  function ended(): Desk {
    const desk = live();
    desk.order({ status: 'CANCELLED', statusReasonCode: '6019', publishedAt: T0 + 10 });
    desk.now += 60_000;
    return desk;
  }

  test('J3 looks it up again later: still open, it alarms with order and command and is cancelled', () => {
    const desk = ended();
    const before = desk.lookups.length;
    expect(reconciled(desk)).toEqual([]);
    desk.advance(4_999);
    expect([desk.lookups.length - before, desk.alarmNames()]).toEqual([0, []]);
    desk.advance(1);
    expect(desk.lookups).toHaveLength(before + 1);
    answer(desk, {});
    expect(desk.alarmNames()).toEqual(['ended-order-works']);
    expect(desk.alarms[0]!.text).toContain(`crossgate orders find --session '${SESSION}' --cl-ord-id 'o-1'`);
    expect(desk.alarms[0]!.fields).toMatchObject({ clOrdID: 'o-1', orderID: '9001' });
    expect(cancels(desk)).toBe(1);
    expect(summary(desk.sent.slice(2))).toEqual([]);
  });

  test('J3 a list that was behind raises no alarm: the look-up says that it ended', () => {
    const desk = ended();
    reconciled(desk);
    desk.advance(5_000);
    answer(desk, { status: 'CANCELLED', statusReasonCode: '6019' });
    desk.advance(600_000);
    expect([desk.alarmNames(), cancels(desk), desk.lookups.length]).toEqual([[], 0, 1]);
  });

  test('J3 the same for one that trades had filled, and after a restart for one that left memory', () => {
    const filled = live();
    filled.trade({ quantity: '2' });
    filled.now += 60_000;
    reconciled(filled);
    filled.advance(5_000);
    answer(filled, { quantityFilled: '1' });
    expect([filled.alarmNames(), cancels(filled)]).toEqual([['ended-order-works'], 1]);

    const desk = new Desk(gatewayConfig(), { ended: true });
    desk.oms(LIMIT);
    desk.accepted(undefined, '9001');
    desk.order({});
    desk.order({ status: 'CANCELLED', statusReasonCode: '6019', publishedAt: T0 + 10 });
    desk.now += 60_000;
    desk.restart();
    reconciled(desk);
    desk.advance(5_000);
    answer(desk, {});
    expect([desk.alarmNames(), cancels(desk)]).toEqual([['ended-order-works'], 1]);
  });
});

describe('an F or G that names its order by OrderID alone, as 5.0 SP1 and later may', () => {
  const config = gatewayConfig({ beginString: 'FIXT.1.1', defaultApplVerID: '9' });

  test('is carried out, and its answers name the order by the ClOrdID that it has', () => {
    const desk = live(config);
    const [replacing] = desk.oms('35=G|37=9001|11=g-1|1=ACC1|55=BTCUSDC|54=1|38=1|40=2|44=100|59=1|');
    expect([150, 11, 41].map((tag) => field(replacing, tag))).toEqual(['E', 'g-1', 'o-1']);
    desk.order({ clientOrderId: '2', quantity: '1', publishedAt: T0 + 1 });
    const [cancelling] = desk.oms('35=F|37=9001|11=c-1|1=ACC1|55=BTCUSDC|54=1|');
    expect([150, 11, 41].map((tag) => field(cancelling, tag))).toEqual(['6', 'c-1', 'g-1']);
    const [again] = desk.oms('35=F|37=9001|11=c-2|1=ACC1|55=BTCUSDC|54=1|');
    expect([35, 11, 41, 102].map((tag) => field(again, tag))).toEqual(['9', 'c-2', 'g-1', '3']);
  });

  test('is refused if it names none', () => {
    const [refused] = live(config).oms('35=F|11=c-1|1=ACC1|55=BTCUSDC|54=1|');
    expect([35, 41, 102, 58].map((tag) => field(refused, tag))).toEqual([
      '9',
      'NONE',
      '1',
      'OrigClOrdID(41) or OrderID(37) must name the order',
    ]);
  });
});

describe('D12 an order that a mass cancel does not cancel after all', () => {
  test('D12 a 9 has the reason, because r had counted it; a repeated request gets r', () => {
    for (const fate of [
      (desk: Desk) => desk.refused(429, '96000', 'rate limit'),
      (desk: Desk) => desk.refused(400, '3036', 'cannot be cancelled now'),
    ]) {
      const desk = live(gatewayConfig({ beginString: 'FIXT.1.1', defaultApplVerID: '9' }));
      const [r] = desk.oms('35=q|11=q-1|530=7|');
      expect(field(r, 533)).toBe('1');
      const stays = fate(desk);
      expect(summary(stays)).toEqual(['9/1']);
      expect([11, 41, 39].map((tag) => field(stays[0], tag))).toEqual(['q-1', 'o-1', '0']);
      expect(field(stays[0], 58)).toContain('Refused by the exchange');
      expect(desk.alarmNames()).toEqual(['cancel-incomplete']);
      expect(field(desk.oms('35=q|11=q-2|530=7|')[0], 533)).toBe('1');
    }
  });

  test('D12 one that was filled meanwhile is reported as filled and nothing else', () => {
    const desk = live();
    desk.oms('35=q|11=q-1|530=7|');
    expect(summary([...desk.trade({ quantity: '2' }), ...desk.refused(400, '3002', 'not found')])).toEqual(['F/2']);
  });
});

describe('an amendment of an order filled when it takes effect (FIX 4.4 vol. 4 App. D, C.3.b)', () => {
  const G = '35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|38=1|40=2|44=100|59=1|';
  const amended = { clientOrderId: '2', quantity: '1' } as const;

  function asked(): Desk {
    const desk = live();
    desk.oms(G);
    desk.accepted();
    expect(summary(desk.trade({ quantity: '1' }))).toEqual(['F/E']);
    return desk;
  }

  test('D9 the fill is heard before the amendment: 150=5 says Filled, and nothing follows', () => {
    const desk = asked();
    const done = desk.order({ ...amended, status: 'CLOSED', statusReasonCode: '6002', quantityFilled: '1' });
    expect(summary(done)).toEqual(['5/2']);
    expect([11, 41, 38, 14, 151].map((tag) => field(done[0], tag))).toEqual(['g-1', 'o-1', '1', '1', '0']);
    expect(desk.advance(60_000)).toEqual([]);
    expect(desk.alarmNames()).toEqual([]);
  });

  test('D9 an open frame, the trade itself or a look-up reports the amendment', () => {
    const open = asked();
    expect(summary(open.order({ ...amended, quantityFilled: '0', publishedAt: open.now + 1 }))).toEqual(['5/2']);
    expect(open.order({ ...amended, status: 'CLOSED', statusReasonCode: '6002', quantityFilled: '1' })).toEqual([]);

    const trade = live();
    trade.oms(G);
    trade.accepted();
    trade.trade({ quantity: '0.4' });
    expect(summary(trade.trade({ tradeId: '7002', clientOrderId: '2', quantity: '0.6' }))).toEqual(['5/1', 'F/2']);

    const found = asked();
    found.advance(8_000);
    const order = exchangeOrder(
      { ...amended, status: 'CLOSED', statusReasonCode: '6002', quantityFilled: '1', publishedAt: null },
      found.now,
    );
    const { lookupId } = found.lookups.at(-1)!;
    const done = found.answers(() =>
      found.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'found', order, trades: [], final: false } }),
    );
    expect(summary(done)).toEqual(['5/2']);
    for (const desk of [open, trade, found]) expect(desk.alarmNames()).toEqual([]);
  });

  test('D9 more is filled than it asks for: OrderQty becomes CumQty, and the disagreement is an alarm', () => {
    const desk = live();
    desk.oms(G);
    desk.accepted();
    desk.trade({ quantity: '1.5' });
    const done = desk.order({ ...amended, status: 'CLOSED', statusReasonCode: '6002', quantityFilled: '1' });
    expect(summary(done)).toEqual(['5/2']);
    expect([38, 14, 151].map((tag) => field(done[0], tag))).toEqual(['1.5', '1.5', '0']);
    expect(desk.alarmNames()).toEqual(['overfill']);
  });

  for (const beginString of ['FIX.4.2', 'FIXT.1.1']) {
    test(`D9 in ${beginString}: 150=5 with 39=2`, () => {
      const desk = live(
        gatewayConfig({ beginString, ...(beginString === 'FIXT.1.1' ? { defaultApplVerID: '9' } : {}) }),
      );
      desk.oms(G);
      desk.accepted();
      desk.trade({ quantity: '1' });
      const done = desk.order({ ...amended, status: 'CLOSED', statusReasonCode: '6002', quantityFilled: '1' });
      expect(summary(done)).toEqual(['5/2']);
    });
  }
});

/** Members of every object, and of no table of ours. */
const OBJECT_NAMES = ['constructor', 'toString', '__proto__'];

test.each(OBJECT_NAMES)('O11 reports an external order with type or TimeInForce %s like any unknown one', (name) => {
  const desk = new Desk({ ...gatewayConfig(), sessions: [sessionConfig(), dropCopyConfig()] });
  expect(desk.order({ orderId: '77', clientOrderId: null, type: name })).toEqual([]);
  const [copy] = desk.order({ orderId: '78', clientOrderId: null, timeInForce: name });
  expect([field(copy, 40), field(copy, 59)]).toEqual(['2', '1']);
  desk.restart();
  expect(summary(desk.order({ orderId: '78', clientOrderId: null, status: 'CANCELLED' }))).toEqual(['4/4']);
});

test.each(OBJECT_NAMES)('U1 a refusal with the code %s is a refusal for another reason', (name) => {
  const desk = new Desk();
  desk.oms(LIMIT);
  const [refused] = desk.refused(400, name, 'no');
  expect([field(refused, 150), field(refused, 103)]).toEqual(['8', '99']);
});

test.each(OBJECT_NAMES)('D13 35=%s is answered with 380=3, and no call of the bridge is named', (name) => {
  const [answer] = new Desk().oms(`35=${name}|11=o-1|`);
  expect([field(answer, 380), field(answer, 58)]).toEqual([
    '3',
    `MsgType(35)=${name} is not carried on this session; this gateway has no such function, over FIX or over its bridge`,
  ]);
});

test('D13 answers messages outside the rules of engagement with 380=3, and expects none of ours', () => {
  const desk = new Desk(gatewayConfig({ beginString: 'FIXT.1.1' }));
  const refused = (msgType: string): boolean =>
    desk.oms(`35=${msgType}|11=o-${msgType}|`).some((answer) => field(answer, 380) === '3');
  const types = Object.entries(DIRECTIONS).filter(
    ([, direction]) => direction === 'from OMS' || direction === 'not carried',
  );
  for (const [msgType, direction] of types) {
    // Of a drop copy alone.
    if (msgType === 'UDC') continue;
    expect([msgType, refused(msgType)]).toEqual([msgType, direction === 'not carried']);
  }
  expect(types.length).toBeGreaterThan(12);
});
