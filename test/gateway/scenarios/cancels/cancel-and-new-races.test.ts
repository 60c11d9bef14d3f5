// A replacement by cancel and new order (rule O6) that meets other requests, the end of its session, and words of the exchange
// that come before or instead of others.

import { expect, test } from 'vitest';
import { ACCOUNT, Desk, exchangeOrder, field, gatewayConfig, LIMIT, sessionConfig, summary } from '../../desk.ts';
import { cancelled, partlyFilled, REPLACE } from '../../swap-desk.ts';

/** New orders that replaced the first. */
const creates = (desk: Desk): number =>
  desk.submitted.filter(({ command }) => command.kind === 'createOrder').length - 1;
const F = '35=F|11=f-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|';
const ENDED = ['3032', 'Order is either closed or rejected'] as const;

test.each([
  ['F', (desk: Desk) => desk.oms(F), ['4/4 f-1', '9/2 g-1']],
  ['q', (desk: Desk) => desk.oms('35=q|11=q-1|530=7|1=ACC1|'), ['4/4 o-1', '9/2 g-1']],
  [
    'the end of the session',
    (desk: Desk) => desk.feed({ kind: 'sessionDown', sessionId: sessionConfig().sessionId, end: 'disconnect' }),
    ['4/4 o-1', '9/2 g-1'],
  ],
])('O6 no new order after %s, with its cancel refused because that of the G came first', (_, ask, told) => {
  for (const [how, restarts] of [
    ['answer', false],
    ['notice', false],
    ['answer', true],
  ] as const) {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    const { commandId } = desk.last();
    ask(desk);
    const second = desk.last().commandId;
    desk.accepted(commandId, null, 'r-1');
    if (how === 'answer') expect(desk.refused(400, ...ENDED, second)).toEqual([]);
    else {
      desk.accepted(second, null, 'r-2');
      expect(desk.notice({ errorCode: ENDED[0], message: ENDED[1], requestId: 'r-2' })).toEqual([]);
    }
    if (restarts) desk.restart();
    const answers = desk.order(cancelled('0.5'));
    expect(answers.map((text) => `${summary([text])[0]} ${field(text, 11)}`)).toEqual(told);
    desk.advance(60_000);
    expect([creates(desk), desk.alarms]).toEqual([0, []]);
  }
});

test('O6 sends no new order after an F refused as not found, also after a restart', () => {
  for (const restarts of [false, true]) {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    const { commandId } = desk.last();
    desk.oms(F);
    expect(summary(desk.refused(400, '3002', 'Order not found'))).toEqual(['9/1']);
    desk.accepted(commandId);
    if (restarts) desk.restart();
    expect(summary(desk.order(cancelled('0.5')))).toEqual(['4/4', '9/2']);
    desk.advance(60_000);
    expect(creates(desk)).toBe(0);
  }
});

test('O6 an F that is refused so, of an order that works on after all, gets its 9', () => {
  const desk = partlyFilled();
  desk.oms(REPLACE);
  const { commandId } = desk.last();
  desk.oms(F);
  desk.refused(400, ...ENDED);
  expect(summary(desk.refused(400, '3036', 'cannot be cancelled now', commandId))).toEqual(['9/2']);
  let answers: string[] = [];
  for (let i = 0; i < 10 && answers.length === 0; i++) {
    desk.advance(8_000);
    const order = exchangeOrder({ quantityFilled: '0.5', publishedAt: null }, desk.now);
    const found = { kind: 'found', order, trades: [], final: true } as const;
    for (const { lookupId } of desk.lookups.splice(0)) {
      answers = desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId, outcome: found }));
    }
  }
  expect(summary(answers)).toEqual(['9/1']);
  expect([field(answers[0], 11), field(answers[0], 39)]).toEqual(['f-1', '1']);
});

test("C1 O6 sends no new order after the session's end with a cancel to repeat for the rate", () => {
  const desk = partlyFilled();
  desk.oms(REPLACE);
  const { commandId } = desk.last();
  desk.feed({ kind: 'sessionDown', sessionId: sessionConfig().sessionId, end: 'disconnect' });
  desk.refused(429, '96100', 'rate limit');
  desk.accepted(commandId);
  const answers = desk.order(cancelled('0.5'));
  expect(summary(answers)).toEqual(['4/4', '9/2']);
  expect(field(answers[0], 58)).toContain('FIX session ended');
  desk.advance(60_000);
  expect(creates(desk)).toBe(0);
});

test.each([true, false])(
  'C1 O6 no new order behind our own Logout, nor behind the end of a session that it left: connected %s',
  (isUp) => {
    const { sessionId } = sessionConfig();
    const desk = partlyFilled({ cancelOnDisconnect: { on: 'off', graceMs: 0 } });
    desk.oms(REPLACE);
    if (!isUp) desk.feed({ kind: 'sessionDown', sessionId, end: 'disconnect' });
    desk.feed({ kind: 'sessionLeaving', sessionId, by: 'us' });
    if (isUp) desk.feed({ kind: 'sessionDown', sessionId, end: 'logout' });
    desk.accepted();
    const [answer] = desk.order(cancelled('0.5'));
    expect([summary([answer!]), creates(desk)]).toEqual([['4/4'], 0]);
    expect(field(answer, 58)).toContain('The session is being logged out and takes no orders');
  },
);

test('O6 sends the new order of a session that keeps its orders or has returned', () => {
  const { sessionId } = sessionConfig();
  for (const by of ['counterparty', 'us'] as const) {
    const desk = partlyFilled({ cancelOnDisconnect: { on: 'off', graceMs: 0 } });
    desk.oms(REPLACE);
    desk.feed({ kind: 'sessionLeaving', sessionId, by });
    desk.feed({ kind: 'sessionDown', sessionId, end: 'logout' });
    if (by === 'us') desk.feed({ kind: 'sessionUp', sessionId });
    desk.accepted();
    desk.order(cancelled('0.5'));
    expect(creates(desk)).toBe(1);
  }
});

test('O6 assigns fills without a reference to the new order: 150=5 first, then Filled', () => {
  for (const isFrameFirst of [false, true]) {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    desk.accepted();
    desk.order(cancelled('0.5'));
    desk.accepted(undefined, '9002');
    const leg = { orderId: '9002', clientOrderId: null, price: '101' };
    const works = { ...leg, quantity: '4.5' };
    const answers = isFrameFirst ? desk.order(works) : [];
    answers.push(...desk.trade({ ...leg, tradeId: '7002', quantity: '4.5' }));
    expect(summary(answers)).toEqual(['5/1', 'F/2']);
    expect([11, 38, 14, 151].map((tag) => field(answers[1], tag))).toEqual(['g-1', '5', '5', '0']);
    if (!isFrameFirst) desk.order(works);
    const end = { status: 'CLOSED', statusReasonCode: '6002', quantityFilled: '4.5', publishedAt: 9e12 } as const;
    expect(desk.order({ ...works, ...end })).toEqual([]);
    desk.advance(60_000);
    expect([creates(desk), desk.alarms, desk.submitted.length]).toEqual([1, [], 3]);
  }
});

test('U2 O6 looks for a late new order among the days of its own entry', () => {
  const desk = partlyFilled();
  desk.advance(30 * 86_400_000);
  desk.oms(REPLACE);
  desk.accepted();
  desk.order(cancelled('0.5'));
  const legAt = desk.now;
  desk.accepted(undefined, '9002');
  desk.order({ orderId: '9002', clientOrderId: '2', quantity: '4.5', price: '101' });
  desk.advance(30 * 86_400_000);
  desk.restart();
  desk.lookups.length = 0;
  desk.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
  desk.advance(0);
  expect(desk.lookups).toMatchObject([{ orderId: '9002', enteredAt: legAt }]);
});

test('O6 refuses as too late a G for an order ended at the exchange with fills outstanding', () => {
  const desk = partlyFilled();
  expect(desk.order(cancelled('1.25'))).toEqual([]);
  const [reject] = desk.oms(REPLACE);
  expect([35, 434, 102, 39].map((tag) => field(reject, tag))).toEqual(['9', '2', '0', '1']);
  expect(summary(desk.trade({ tradeId: '7002', quantity: '0.75' }))).toEqual(['F/1', '4/4']);
  desk.advance(60_000);
  expect(creates(desk)).toBe(0);
});

test('D5 O6 triggers a stop heard of at its end only: a new stop price came too late', () => {
  const desk = new Desk(gatewayConfig({ replaceByCancelAndNew: true }));
  desk.oms(LIMIT.replace('40=2|44=100', '40=4|44=100|99=99'));
  desk.accepted(undefined, '9001');
  desk.order({ type: 'STOP_LIMIT', stopPrice: '99' });
  desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|40=4|38=2|44=100|99=105|');
  desk.accepted();
  const told = desk.order(cancelled('0', { type: 'LMT' }));
  expect(summary(told)).toEqual(['D/E', '4/4']);
  expect(field(told[0], 58)).toContain('Stop triggered');
  expect(field(told[1], 58)).toContain('StopPx(99)=105 came too late');
  expect(creates(desk)).toBe(0);
});

test('O4 O6 never sends the cancel of a G after its time limit: the order works on, 9', () => {
  const desk = partlyFilled();
  const notAfter = (): unknown => desk.effects.findLast((effect) => effect.kind === 'submit')?.notAfter;
  desk.oms(REPLACE);
  expect([desk.last().command.kind, notAfter()]).toEqual(['cancelOrder', desk.now + 10_000]);
  const [reject] = desk.refused(null, null, 'the journal took too long to record it');
  expect([35, 434, 11, 39].map((tag) => field(reject, tag))).toEqual(['9', '2', 'g-1', '1']);
  desk.oms(F);
  expect([desk.last().command.kind, notAfter()]).toEqual(['cancelOrder', null]);
});

test("O6 keeps the old order if the G's new one would be too small for the market", () => {
  const desk = partlyFilled();
  const sent = desk.submitted.length;
  const [reject] = desk.oms(REPLACE.replace('38=5', '38=0.5001'));
  expect([35, 434, 39].map((tag) => field(reject, tag))).toEqual(['9', '2', '1']);
  expect(field(reject, 58)).toContain('the rest, 0.0001, must be greater than 0.0001');
  expect(desk.submitted).toHaveLength(sent);
  // By fills that come while it is cancelled.
  desk.oms(REPLACE.replace('38=5', '38=0.6').replace('g-1', 'g-2'));
  desk.accepted();
  desk.order(cancelled('0.5999'));
  const [fill, end] = desk.trade({ tradeId: '7002', quantity: '0.0999' });
  expect([...summary([fill!, end!]), field(end, 11)]).toEqual(['F/E', '4/4', 'g-2']);
  expect(field(end, 58)).toContain('the rest, 0.0001, must be greater than 0.0001');
  expect(creates(desk)).toBe(0);
});

const BY_SOMEBODY = /^Cancelled without a request of this session: /;

test.each([
  ['an answer', (desk: Desk) => desk.refused(400, ...ENDED)],
  ['an answer that does not find it', (desk: Desk) => desk.refused(400, '3002', 'Order not found')],
  ['an answer about the rate', (desk: Desk) => desk.refused(429, '96100', 'rate limit')],
  [
    'a notice before the answer',
    (desk: Desk) => {
      expect(desk.notice({ errorCode: ENDED[0], message: ENDED[1], requestId: 'r-1' })).toEqual([]);
      return desk.accepted(undefined, null, 'r-1');
    },
  ],
])('O6 sends no new order after a foreign cancel; the cancel of the G is refused by %s', (_, refuse) => {
  for (const missing of [false, true]) {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    expect(desk.order(cancelled(missing ? '0.75' : '0.5'))).toEqual([]);
    const told = refuse(desk);
    if (missing) {
      expect(told).toEqual([]);
      const [fill, ...rest] = desk.trade({ tradeId: '7002', quantity: '0.25' });
      expect(summary([fill!])).toEqual(['F/E']);
      told.push(...rest);
    }
    expect(summary(told)).toEqual(['4/4', '9/2']);
    expect([11, 378, 151].map((tag) => field(told[0], tag))).toEqual(['o-1', '8', '0']);
    expect(field(told[0], 58)).toMatch(BY_SOMEBODY);
    expect([11, 41, 102, 39].map((tag) => field(told[1], tag))).toEqual(['g-1', 'o-1', '0', '4']);
    desk.advance(60_000);
    expect([creates(desk), desk.alarms]).toEqual([0, []]);
  }
});

test("O6 the new order waits for the cancel's answer, though the old order's end may precede it", () => {
  for (const answer of ['accepted', 'unknown'] as const) {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    expect(desk.order(cancelled('0.5'))).toEqual([]);
    desk.advance(6_000);
    expect([creates(desk), desk.alarms]).toEqual([0, []]);
    const told = desk[answer]();
    expect(creates(desk)).toBe(answer === 'accepted' ? 1 : 0);
    if (answer === 'accepted') expect(told).toEqual([]);
    else expect([...summary(told), field(told[0], 11)]).toEqual(['4/4', 'g-1']);
  }
});

test.each(['before', 'behind'])(
  "O6 cancels the new order if its cancel is refused after the old order's end, %s a restart",
  (when) => {
    const desk = partlyFilled();
    desk.oms(REPLACE);
    desk.accepted(undefined, null, 'r-1');
    desk.order(cancelled('0.5'));
    const create = desk.last();
    expect(create.command).toMatchObject({ kind: 'createOrder', quantity: '4.5' });
    if (when === 'behind') desk.restart();
    const { clientOrderId } = create.command as { clientOrderId: string };
    expect(desk.notice({ errorCode: ENDED[0], message: ENDED[1], requestId: 'r-other' })).toEqual([]);
    const from = desk.submitted.length;
    for (let i = 0; i < 2; i++) {
      expect(desk.notice({ errorCode: ENDED[0], message: ENDED[1], requestId: 'r-1' })).toEqual([]);
    }
    expect(desk.submitted.slice(from).map(({ command }) => command)).toMatchObject([
      { kind: 'cancelOrder', orderId: null, clientOrderId },
    ]);
    const leg = { orderId: '9002', clientOrderId, quantity: '4.5', price: '101' } as const;
    const end = desk.order({ ...leg, status: 'CANCELLED', statusReasonCode: '6005' });
    expect(end.map((text) => `${summary([text])[0]} ${field(text, 11)} ${field(text, 378)}`)).toEqual([
      '5/1 g-1 null',
      '4/4 g-1 8',
    ]);
    expect([creates(desk), desk.alarms]).toEqual([1, []]);
  },
);

test('O6 ends the chain if the gateway dies while the new order waits for that answer', () => {
  const desk = partlyFilled();
  desk.oms(REPLACE);
  desk.order(cancelled('0.5'));
  desk.restart();
  const told = desk.advance(60_000);
  expect([...summary(told), field(told[0], 11)]).toEqual(['4/4', 'g-1']);
  expect(field(told[0], 58)).toContain('the outcome of the cancel was unknown');
  expect([creates(desk), desk.alarms]).toEqual([0, []]);
});

test('O6 ignores repeats of the old order, as by a snapshot, for its replacement', () => {
  const desk = partlyFilled();
  desk.oms(REPLACE);
  desk.accepted();
  desk.order(cancelled('0.5'));
  desk.accepted(undefined, '9002');
  const leg = { orderId: '9002', clientOrderId: '2', quantity: '4.5', price: '101' } as const;
  expect(summary(desk.order(leg))).toEqual(['5/1']);
  expect(desk.order(cancelled('0.5'))).toEqual([]);
  expect(desk.order({ quantityFilled: '0.5', publishedAt: 9e12 })).toEqual([]);
  expect(desk.gateway.openOrderCount(sessionConfig().sessionId)).toBe(1);
  // A reduction by the exchange holds for the new order: its fills make up the rest.
  const less = { ...leg, quantity: '2', statusReasonCode: '6011', publishedAt: 9e12 };
  expect(desk.order(less).map((text) => [field(text, 150), field(text, 38)])).toEqual([['D', '2.5']]);
  const fill = { orderId: '9002', clientOrderId: '2', price: '101' } as const;
  expect(summary(desk.trade({ ...fill, tradeId: '7002', quantity: '2' }))).toEqual(['F/2']);
  expect(desk.alarms).toEqual([]);
  // Late, and after the end: one alarm.
  expect(summary(desk.trade({ tradeId: '7003', quantity: '0.1' }))).toEqual(['F/2']);
  expect(desk.alarmNames().filter((alarm) => alarm === 'late-fill')).toHaveLength(1);
});

test('O1 O6 a late fill of the old order stands in for no fill of the new one that its end waits for', () => {
  const desk = partlyFilled();
  desk.oms(REPLACE);
  desk.accepted();
  desk.order(cancelled('0.5'));
  desk.accepted(undefined, '9002');
  const leg = { orderId: '9002', clientOrderId: '2', quantity: '4.5', price: '101' } as const;
  desk.order(leg);
  expect(desk.order({ ...leg, ...cancelled('1') })).toEqual([]);
  expect(summary(desk.trade({ tradeId: '7002', quantity: '1' }))).toEqual(['F/1']);
  const fill = { orderId: '9002', clientOrderId: '2', tradeId: '7003', quantity: '1', price: '101' } as const;
  expect(summary(desk.trade(fill))).toEqual(['F/1', '4/4']);
});

test('O12 a limit that was lowered while the old order was cancelled holds for the new one', () => {
  const desk = partlyFilled();
  desk.oms(REPLACE);
  desk.accepted();
  const limits = { ...sessionConfig().limits, orderQtyMax: '1' };
  desk.gateway.applyConfig(sessionConfig({ replaceByCancelAndNew: true, limits }));
  const [ended] = desk.order(cancelled('0.5'));
  expect(summary([ended!])).toEqual(['4/4']);
  expect(field(ended, 58)).toContain("exceeds this session's limit of 1 per order");
  expect(desk.submitted).toHaveLength(2);
});

test('D7 O6 a chain replaced twice keeps its first OrderID(37), with the present id in 198', () => {
  const desk = partlyFilled();
  const second = '35=G|11=g-2|41=g-1|1=ACC1|55=BTCUSDC|54=1|40=2|38=5|44=102|';
  for (const [i, request] of [REPLACE, second].entries()) {
    desk.oms(request);
    desk.accepted();
    desk.order(cancelled('0.5', i === 0 ? {} : { orderId: '9002', clientOrderId: '2', quantityFilled: '0' }));
    const leg = { orderId: `${9002 + i}`, clientOrderId: `${2 + i}`, quantity: '4.5', price: `${101 + i}` };
    desk.accepted(undefined, leg.orderId);
    const [replaced] = desk.order({ ...leg, publishedAt: 9e12 + 1 + i });
    expect([150, 37, 198].map((tag) => field(replaced, tag))).toEqual(['5', '9001', leg.orderId]);
  }
});
