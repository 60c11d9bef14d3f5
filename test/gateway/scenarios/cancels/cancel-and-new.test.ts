// OrderCancelReplaceRequest(G) as a cancel and a new order (rule O6): the sequence of commands, and the OMS's reports
// at each turn of the exchange.

import { describe, expect, test } from 'vitest';
import {
  ACCOUNT,
  Desk,
  exchangeOrder,
  field,
  gatewayConfig,
  LIMIT,
  market,
  SESSION,
  sessionConfig,
  summary,
  workingDesk,
} from '../../desk.ts';
import { cancelled, partlyFilled, REPLACE } from '../../swap-desk.ts';

describe('OrderCancelReplaceRequest by cancel and new order', () => {
  test('O6 is off by default: a partly filled order is refused with the reason', () => {
    const desk = partlyFilled({ replaceByCancelAndNew: false });
    const [answer] = desk.oms(REPLACE);
    expect(summary([answer!])).toEqual(['9/2']);
    expect(field(answer, 58)).toContain('only orders without fills');
    expect(desk.submitted).toHaveLength(1);
    // Also if the exchange has counted the unreported fill.
    const untold = workingDesk();
    untold.order({ quantityFilled: '0.5', publishedAt: untold.now + 1 });
    expect(field(untold.oms(REPLACE)[0], 58)).toContain('only orders without fills');
  });

  test("O1 O6 sends no new leg without the old order's fill in time, and reports the reason", () => {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    desk.accepted();
    expect(desk.order(cancelled('0.75'))).toEqual([]);
    const ended = desk.advance(5_000);
    expect(summary(ended)).toEqual(['4/4', '9/2']);
    expect(field(ended[0], 58)).toMatch(
      /^Cancelled for its replacement ClOrdID\(11\)=\S+, which is not sent: not all fills/,
    );
    expect(desk.submitted).toHaveLength(2);
    expect(summary(desk.trade({ tradeId: '7002', quantity: '0.25' }))).toEqual(['F/4']);
    expect(desk.submitted).toHaveLength(2);
  });

  test('O7 O12 an account taken off the session meanwhile, or its symbol, gets no new leg', () => {
    for (const [more, why] of [
      [{ accounts: [] }, 'list of accounts'],
      [{ symbols: ['ETHUSDC'] }, 'list of symbols'],
    ] as const) {
      const desk = partlyFilled();
      desk.oms(REPLACE);
      desk.accepted();
      desk.gateway.applyConfig(sessionConfig({ replaceByCancelAndNew: true, ...more }));
      const [ended] = desk.order(cancelled('0.5'));
      expect(summary([ended!])).toEqual(['4/4']);
      expect(field(ended, 58)).toContain(why);
      expect(desk.submitted).toHaveLength(2);
    }
  });

  test('O6 a market that takes no orders now leaves the old order where it is: its new one would be refused', () => {
    const desk = partlyFilled();
    desk.feed({ kind: 'markets', markets: [market('BTCUSDC', { createOrderEnabled: false })] });
    const [answer] = desk.oms(REPLACE);
    expect([35, 434, 39].map((tag) => field(answer, tag))).toEqual(['9', '2', '1']);
    expect(field(answer, 58)).toContain('takes no orders now');
    expect(desk.submitted).toHaveLength(1);
  });

  test('O1 O6 waits for the fills of a new leg closed as filled without a code', () => {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    desk.accepted();
    desk.order(cancelled('0.5'));
    desk.accepted(undefined, '9002');
    const leg = { orderId: '9002', clientOrderId: '2', quantity: '4.5', price: '101' } as const;
    desk.order(leg);
    const closed = { status: 'CLOSED', statusReasonCode: null, statusReason: null, quantityFilled: '4.5' } as const;
    expect(desk.order({ ...leg, ...closed, publishedAt: desk.now + 5 })).toEqual([]);
    expect(desk.advance(20_000)).toEqual([]);
    const fill = desk.trade({ orderId: '9002', clientOrderId: '2', tradeId: '7002', quantity: '4.5', price: '101' });
    expect(summary(fill)).toEqual(['F/2']);
  });

  test('O6 sends the new leg after the final cancel with OrderQty − CumQty; 37 stays, 198 is new', () => {
    const desk = partlyFilled();
    expect(summary(desk.oms(REPLACE))).toEqual(['E/E']);
    expect(desk.last().command).toMatchObject({ kind: 'cancelOrder', orderId: '9001' });
    expect(desk.accepted()).toEqual([]);
    expect(desk.submitted).toHaveLength(2);
    expect(desk.order(cancelled('0.5'))).toEqual([]);
    expect(desk.last().command).toMatchObject({
      kind: 'createOrder',
      quantity: '4.5',
      price: '101',
      clientOrderId: '2',
      symbol: 'BTCUSDC',
    });
    expect(desk.accepted(undefined, '9002')).toEqual([]);
    const [replaced] = desk.order({ orderId: '9002', clientOrderId: '2', quantity: '4.5', price: '101' });
    expect(summary([replaced!])).toEqual(['5/1']);
    for (const [tag, value] of [
      [37, '9001'],
      [198, '9002'],
      [11, 'g-1'],
      [41, 'o-1'],
      [38, '5'],
      [14, '0.5'],
      [151, '4.5'],
    ] as const) {
      expect([tag, field(replaced, tag)]).toEqual([tag, value]);
    }
    const [fill] = desk.trade({ orderId: '9002', clientOrderId: '2', tradeId: '7002', quantity: '4.5', price: '101' });
    expect(summary([fill!])).toEqual(['F/2']);
    expect([field(fill, 14), field(fill, 151), field(fill, 6)]).toEqual(['5', '0', '100.9']);
    expect(desk.alarms).toEqual([]);
  });

  test('O6 nothing is sent before all fills of the old order are in; they are taken off the new quantity', () => {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    desk.accepted();
    expect(desk.order(cancelled('1.25'))).toEqual([]);
    expect(desk.submitted).toHaveLength(2);
    expect(summary(desk.trade({ tradeId: '7002', quantity: '0.75' }))).toEqual(['F/E']);
    expect(desk.last().command).toMatchObject({ kind: 'createOrder', quantity: '3.75' });
  });

  test('O1 O6 ends the chain without a new leg if a fill of the old order never comes', () => {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    desk.accepted();
    expect(desk.order(cancelled('1'))).toEqual([]);
    expect(summary(desk.advance(6_000))).toEqual(['4/4', '9/2']);
    expect(desk.submitted).toHaveLength(2);
    expect(desk.alarmNames()).toContain('trades-missing');
  });

  test('O6 fills that leave nothing to send: 9 with 102=0, then the end of the order', () => {
    const desk = partlyFilled();
    desk.oms(REPLACE.replace('38=5', '38=1'));
    desk.accepted();
    desk.trade({ tradeId: '7002', quantity: '0.75' });
    const answers = desk.order(cancelled('1.25'));
    expect(summary(answers)).toEqual(['9/2', '4/4']);
    expect([field(answers[0], 102), field(answers[0], 11)]).toEqual(['0', 'g-1']);
    expect(field(answers[1], 11)).toBe('o-1');
    expect(field(answers[1], 58)).toContain(
      'cancelled for its replacement ClOrdID(11)=g-1, for which the fills left nothing',
    );
    expect(desk.submitted).toHaveLength(2);
  });

  test('O6 an order that fills whole while it is cancelled is filled; G is answered 102=0', () => {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    desk.accepted();
    const answers = desk.trade({ tradeId: '7002', quantity: '1.5' });
    expect(summary(answers)).toEqual(['F/E', '9/2']);
    expect([field(answers[1], 102), field(answers[1], 39)]).toEqual(['0', '2']);
    expect(desk.submitted).toHaveLength(2);
  });

  test('O6 a cancel of unknown outcome sends nothing, also when the order turns out to be gone', () => {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    desk.unknown();
    const answers = desk.order(cancelled('0.5'));
    expect(summary(answers)).toEqual(['4/4']);
    expect(field(answers[0], 58)).toContain('replacement was not sent: the outcome of the cancel was unknown');
    expect([field(answers[0], 11), field(answers[0], 41)]).toEqual(['g-1', 'o-1']);
    expect(desk.submitted).toHaveLength(2);
  });

  test('O6 a refused cancel leaves the order as it was: 9 with its status', () => {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    const answers = desk.refused(400, '3036', 'cannot be cancelled now');
    expect(summary(answers)).toEqual(['9/2']);
    expect(field(answers[0], 39)).toBe('1');
  });

  test.each([
    ['refused by the command', (desk: Desk) => desk.refused(400, '2015', 'no margin')],
    [
      'rejected on the stream',
      (desk: Desk) => {
        desk.accepted(undefined, '9002');
        return desk.order({ orderId: '9002', clientOrderId: '2', status: 'REJECTED', statusReasonCode: '3003' });
      },
    ],
    [
      'never arrived',
      (desk: Desk) => {
        desk.unknown();
        desk.advance(500);
        return desk.answers(() =>
          desk.feed({
            kind: 'lookedUp',
            lookupId: desk.lookups.at(-1)!.lookupId,
            outcome: { kind: 'absent', final: true },
          }),
        );
      },
    ],
  ])('O6 a new leg that is %s ends the chain: 150=4 with the reason, for the ClOrdID of the G', (_, refuse) => {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    desk.accepted();
    desk.order(cancelled('0.5'));
    const answers = refuse(desk);
    expect(summary(answers)).toEqual(['4/4']);
    expect([field(answers[0], 11), field(answers[0], 41), field(answers[0], 37)]).toEqual(['g-1', 'o-1', '9001']);
    expect(field(answers[0], 58)).toContain('replacement');
    expect([field(answers[0], 14), field(answers[0], 151)]).toEqual(['0.5', '0']);
    expect(desk.gateway.openOrderCount(SESSION)).toBe(0);
    // Nothing that is looked up has the name of another command.
    const ids = desk.submitted.map(({ commandId }) => commandId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("O6 ends the chain once with the notice's words if a notice precedes the leg's rejection", () => {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    desk.accepted();
    desk.order(cancelled('0.5'));
    desk.accepted(undefined, '9002');
    expect(desk.notice({ orderId: '9002', clientOrderId: '2', errorCode: '3003', message: 'no margin' })).toEqual([]);
    const answers = desk.order({ orderId: '9002', clientOrderId: '2', status: 'REJECTED', statusReasonCode: '3003' });
    expect(answers.map((text) => `${summary([text])[0]} ${field(text, 11)}`)).toEqual(['4/4 g-1']);
  });

  test('O6 no new leg follows an order that the exchange cancelled of itself while its cancel was under way', () => {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    desk.accepted();
    const answers = desk.order(cancelled('0.5', { statusReasonCode: '6019' }));
    expect(answers.map((text) => `${summary([text])[0]} ${field(text, 11)}`)).toEqual(['4/4 o-1', '9/2 g-1']);
    expect(desk.submitted.map(({ command }) => command.kind)).toEqual(['createOrder', 'cancelOrder']);
  });

  test('O6 reports fills of the new leg before its answer, without a reference, after that', () => {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    desk.accepted();
    desk.order(cancelled('0.5'));
    expect(desk.trade({ tradeId: '7002', orderId: '9002', clientOrderId: null, quantity: '4.5' })).toEqual([]);
    expect(summary(desk.accepted(undefined, '9002'))).toEqual(['5/1', 'F/2']);
  });

  test('O6 an F that comes meanwhile ends the chain; nothing new is sent', () => {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    desk.accepted();
    desk.oms('35=F|11=f-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|');
    const answers = desk.order(cancelled('0.5'));
    expect(summary(answers)).toEqual(['4/4', '9/2']);
    expect(field(answers[0], 11)).toBe('f-1');
    expect(desk.submitted.filter(({ command }) => command.kind === 'createOrder')).toHaveLength(1);
  });

  test("O6 cancels a new leg under way by reference at the session's end, and again when seen", () => {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    desk.accepted();
    desk.order(cancelled('0.5'));
    desk.feed({ kind: 'sessionDown', sessionId: sessionConfig().sessionId, end: 'disconnect' });
    expect(desk.last().command).toMatchObject({ kind: 'cancelOrder', orderId: null, clientOrderId: '2' });
    desk.refused(400, '3002', 'Order is not found');
    desk.accepted(desk.last(1).commandId, '9002');
    desk.order({ orderId: '9002', clientOrderId: '2', quantity: '4.5', price: '101' });
    desk.advance(0);
    desk.order({ orderId: '9002', clientOrderId: '2', quantity: '4.5', price: '101', publishedAt: desk.now + 5 });
    desk.advance(0);
    expect(desk.last().command).toMatchObject({ kind: 'cancelOrder', orderId: '9002' });
  });

  test('O6 a late fill that completes the old order does not end the chain: the new one is on its way', () => {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    desk.accepted();
    desk.order(cancelled('0.5'));
    expect(desk.last().command).toMatchObject({ kind: 'createOrder', quantity: '4.5' });
    const fills = desk.trade({ tradeId: '7002', quantity: '1.5' });
    expect(summary(fills)).toEqual(['F/E']);
    expect([field(fills[0], 14), field(fills[0], 151)]).toEqual(['2', '0']);
    expect(desk.alarmNames()).toEqual(['late-fill']);
    // By the G's quantity there is more to fill: the new one is not cancelled.
    desk.advance(0);
    expect(desk.last().command.kind).toBe('createOrder');
    desk.accepted(undefined, '9002');
    const works = { orderId: '9002', clientOrderId: '2', quantity: '4.5', price: '101' };
    expect(summary(desk.order(works))).toEqual(['5/1']);
    // The new order is larger by the late fill, as reported to the OMS.
    const [restated] = desk.order({ ...works, publishedAt: desk.now + 5 });
    expect(summary([restated!])).toEqual(['D/1']);
    expect([field(restated, 38), field(restated, 14), field(restated, 151)]).toEqual(['6.5', '2', '4.5']);
    desk.oms('35=F|11=f-1|41=g-1|1=ACC1|55=BTCUSDC|54=1|38=5|');
    expect(desk.last().command).toMatchObject({ kind: 'cancelOrder', orderId: '9002' });
  });

  test('O6 cancels a new order without remaining quantity after a late fill, and again when seen', () => {
    const desk = partlyFilled();
    desk.oms(REPLACE.replace('38=5', '38=1'));
    desk.accepted();
    desk.order(cancelled('0.5'));
    expect(desk.last().command).toMatchObject({ kind: 'createOrder', quantity: '0.5' });
    expect(summary(desk.trade({ tradeId: '7002', quantity: '1.5' }))).toEqual(['F/E']);
    desk.advance(0);
    expect(desk.last().command).toMatchObject({ kind: 'cancelOrder', orderId: null, clientOrderId: '2' });
    desk.refused(400, '3002', 'Order is not found');
    desk.accepted(desk.last(1).commandId, '9002');
    desk.order({ orderId: '9002', clientOrderId: '2', quantity: '0.5', price: '101' });
    desk.advance(0);
    expect(desk.last().command).toMatchObject({ kind: 'cancelOrder', orderId: '9002' });
    const gone = { orderId: '9002', clientOrderId: '2', quantity: '0.5', price: '101' };
    const [end] = desk.order({ ...gone, ...cancelled('0') });
    expect([...summary([end!]), field(end, 14), field(end, 151)]).toEqual(['4/4', '2', '0']);
  });

  test('C1 O6 does the same for an ended session, and reports that reason first', () => {
    const desk = partlyFilled();
    desk.oms(REPLACE.replace('38=5', '38=1'));
    desk.accepted();
    desk.order(cancelled('0.5'));
    desk.feed({ kind: 'sessionDown', sessionId: sessionConfig().sessionId, end: 'disconnect' });
    desk.refused(400, '3002', 'Order is not found');
    expect(summary(desk.trade({ tradeId: '7002', quantity: '1.5' }))).toEqual(['F/E']);
    desk.accepted(desk.last(1).commandId, '9002');
    const leg = { orderId: '9002', clientOrderId: '2', quantity: '0.5', price: '101' };
    desk.order(leg);
    desk.advance(0);
    expect(desk.last().command).toMatchObject({ kind: 'cancelOrder', orderId: '9002' });
    desk.accepted();
    const [end] = desk.order({ ...leg, ...cancelled('0') });
    expect([...summary([end!]), field(end, 58)]).toEqual(['4/4', expect.stringContaining('FIX session ended')]);
  });

  /** The new order 9002 works, and 3 of its 4.5 are filled: CumQty(14) is 3.5 of 5. */
  function replacedAndFilled(): Desk {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    desk.accepted();
    desk.order(cancelled('0.5'));
    desk.accepted(undefined, '9002');
    desk.order({ orderId: '9002', clientOrderId: '2', quantity: '4.5', price: '101' });
    desk.trade({ tradeId: '7003', quantity: '3', orderId: '9002', clientOrderId: '2' });
    return desk;
  }
  const ended = { orderId: '9002', clientOrderId: '2', quantity: '4.5', price: '101' };

  test('O6 cancels the new order if a late fill of the old one completes the quantity', () => {
    const desk = replacedAndFilled();
    const [late] = desk.trade({ tradeId: '7004', quantity: '1.5' });
    expect([...summary([late!]), field(late, 14), field(late, 151)]).toEqual(['F/1', '5', '0']);
    desk.advance(0);
    expect(desk.last().command).toMatchObject({ kind: 'cancelOrder', orderId: '9002' });
    desk.accepted();
    const [end] = desk.order({ ...ended, ...cancelled('3') });
    expect([...summary([end!]), field(end, 14), field(end, 151)]).toEqual(['4/4', '5', '0']);
  });

  test('O6 the same by a look-up: the new order is no larger one, and is cancelled', () => {
    const desk = replacedAndFilled();
    desk.trade({ tradeId: '7004', quantity: '1.5' });
    desk.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
    desk.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
    desk.advance(0);
    const order = exchangeOrder({ ...ended, quantityFilled: '3', publishedAt: null }, desk.now);
    const outcome = { kind: 'found', order, trades: [] } as const;
    const told = desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId: desk.lookups.at(-1)!.lookupId, outcome }));
    expect(told).toEqual([]);
    expect(desk.last().command).toMatchObject({ kind: 'cancelOrder', orderId: '9002' });
  });

  test('O6 cancels the new order if it completes the quantity after a late fill with more to fill', () => {
    for (const restarts of [false, true]) {
      const desk = replacedAndFilled();
      desk.trade({ tradeId: '7004', quantity: '0.5' });
      if (restarts) desk.restart();
      const [fill] = desk.trade({ tradeId: '7005', quantity: '1', orderId: '9002', clientOrderId: '2' });
      expect([...summary([fill!]), field(fill, 14)]).toEqual(['F/1', '5']);
      desk.advance(0);
      expect(desk.last().command).toMatchObject({ kind: 'cancelOrder', orderId: '9002' });
      // The cancel does not outrun its last fill: that is reported, and the chain is complete.
      const [last] = desk.trade({ tradeId: '7006', quantity: '0.5', orderId: '9002', clientOrderId: '2' });
      expect([...summary([last!]), field(last, 14)]).toEqual(['F/2', '5.5']);
      expect(desk.alarmNames()).toContain('overfill');
    }
  });

  test.each([0, 1])('O6 a gateway that dies on the way (leg %i) never sends the new order twice', (leg) => {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    if (leg === 1) {
      desk.accepted();
      desk.order(cancelled('0.5'));
    }
    const sent = desk.submitted.length;
    desk.restart();
    desk.advance(500);
    if (leg === 0) {
      const answers = desk.order(cancelled('0.5'));
      expect(summary(answers)).toEqual(['4/4']);
      expect(desk.submitted).toHaveLength(sent);
      return;
    }
    const [replaced] = desk.order({ orderId: '9002', clientOrderId: '2', quantity: '4.5', price: '101' });
    expect(summary([replaced!])).toEqual(['5/1']);
    expect(field(replaced, 37)).toBe('9001');
    expect(desk.submitted).toHaveLength(sent);
  });

  test('O6 a cancel that takes longer than an order may be old sends nothing (rule O4)', () => {
    const desk = partlyFilled({ staleOrderMs: 2_000 });
    desk.oms(REPLACE);
    desk.accepted();
    desk.advance(2_001);
    const [answer] = desk.order(cancelled('0.5'));
    expect(field(answer, 150)).toBe('4');
    expect(field(answer, 58)).toContain('2001 ms old');
  });

  test('O6 the stop price of a stop order is replaced; once triggered its next leg is a limit order', () => {
    const desk = new Desk(gatewayConfig({ replaceByCancelAndNew: true }));
    desk.oms('35=D|11=o-1|1=ACC1|55=BTCUSDC|54=1|38=2|40=4|44=100|99=99|59=1|');
    desk.accepted(undefined, '9001');
    desk.order({ type: 'STOP_LIMIT', stopPrice: '99' });
    const [tooFine] = desk.oms('35=G|11=g-9|41=o-1|1=ACC1|55=BTCUSDC|54=1|40=4|38=2|44=100|99=98.01|');
    expect([field(tooFine, 35), field(tooFine, 58)]).toEqual(['9', expect.stringContaining('StopPx(99)=98.01')]);
    expect(summary(desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|40=4|38=2|44=100|99=98|'))).toEqual(['E/E']);
    desk.accepted();
    desk.order(cancelled('0', { type: 'STOP_LIMIT' }));
    expect(desk.last().command).toMatchObject({ kind: 'createOrder', type: 'STOP_LIMIT', stopPrice: '98' });
    desk.accepted(undefined, '9002');
    desk.order({ orderId: '9002', clientOrderId: '2', type: 'LMT', publishedAt: desk.now + 1 });
    expect(summary(desk.oms('35=G|11=g-0|41=g-1|1=ACC1|55=BTCUSDC|54=1|40=4|38=3|44=100|99=97|'))).toEqual(['9/2']);
    // The order's own values may be repeated.
    desk.oms('35=G|11=g-2|41=g-1|1=ACC1|55=BTCUSDC|54=1|40=4|38=3|44=100|99=98.0|');
    desk.accepted();
    desk.order(cancelled('0', { orderId: '9002', clientOrderId: '2' }));
    expect(desk.last().command).toMatchObject({ kind: 'createOrder', type: 'LIMIT', stopPrice: null, quantity: '3' });
  });

  test('O6 sends no limit order for a new stop price if the order is triggered during its cancel', () => {
    const desk = new Desk(gatewayConfig({ replaceByCancelAndNew: true }));
    desk.oms(LIMIT.replace('40=2|44=100', '40=4|44=100|99=99'));
    desk.accepted(undefined, '9001');
    desk.order({ type: 'STOP_LIMIT', stopPrice: '99' });
    desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|40=4|38=2|44=100|99=105|');
    desk.accepted();
    desk.order({ publishedAt: desk.now + 1 });
    const [ended, ...more] = desk.order(cancelled('0'));
    expect([150, 39, 11].map((tag) => field(ended, tag))).toEqual(['4', '4', 'g-1']);
    expect(field(ended, 58)).toContain('the stop was triggered meanwhile; StopPx(99)=105 came too late');
    expect([more, desk.submitted.length]).toEqual([[], 2]);
  });

  test('O6 refuses another type for a stop order; once triggered, 40=2 is its type', () => {
    const desk = new Desk(gatewayConfig({ replaceByCancelAndNew: true }));
    desk.oms('35=D|11=o-1|1=ACC1|55=BTCUSDC|54=1|38=2|40=4|44=100|99=99|59=1|');
    desk.order({ type: 'STOP_LIMIT', stopPrice: '99' });
    for (const [i, ordType] of ['1', '2', 'p'].entries()) {
      const answer = desk.oms(`35=G|11=g-${i}|41=o-1|1=ACC1|55=BTCUSDC|54=1|40=${ordType}|38=3|44=100|`);
      expect(summary(answer)).toEqual(['9/2']);
      expect(field(answer[0], 58)).toContain(`OrdType(40)=${ordType}`);
    }
    expect(desk.submitted).toHaveLength(1);
    desk.order({ type: 'LMT', publishedAt: desk.now + 1 });
    expect(summary(desk.oms('35=G|11=g-3|41=o-1|1=ACC1|55=BTCUSDC|54=1|40=2|38=3|44=100|'))).toEqual(['E/E']);
    desk.accepted();
    desk.order(cancelled('0'));
    expect(desk.last().command).toMatchObject({ kind: 'createOrder', type: 'LIMIT', stopPrice: null, quantity: '3' });
  });
});
