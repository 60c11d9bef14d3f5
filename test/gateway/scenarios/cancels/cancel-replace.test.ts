// OrderCancelRequest and OrderCancelReplaceRequest: FIX 4.4 Appendix D B and D, rules O7, D8, D9. Leaves mass requests to mass-requests.test.ts,
// and what becomes of a request once the exchange has it to change-outcome.test.ts.

import { expect, test } from 'vitest';
import {
  ACCOUNT,
  Desk,
  dropCopyConfig,
  field,
  gatewayConfig,
  LIMIT,
  market,
  SESSION,
  sessionConfig,
  summary,
  workingDesk,
} from '../../desk.ts';

const CANCEL = '35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|';
const REPLACE = '35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|';

test('F is answered by PendingCancel and, when the exchange cancelled, by Canceled under the new ClOrdID', () => {
  const desk = workingDesk();
  expect(desk.oms(CANCEL)).toEqual([
    '35=8|37=9001|11=c-1|41=o-1|17=9001-6-1|150=6|39=6|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=100|59=1|151=2|14=0|6=0|' +
      '60=20260105-12:00:00.000|',
  ]);
  expect(desk.last().command).toEqual({
    kind: 'cancelOrder',
    orderId: '9001',
    clientOrderId: null,
    symbol: 'BTCUSDC',
    tradingAccountId: ACCOUNT,
  });
  expect(desk.accepted()).toEqual([]);
  expect(desk.order({ status: 'CANCELLED', statusReasonCode: '6005', statusReason: 'User cancelled' })).toEqual([
    '35=8|37=9001|11=c-1|41=o-1|17=9001-4|150=4|39=4|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=100|59=1|151=0|14=0|6=0|' +
      '60=20260105-12:00:00.000|58=User cancelled (exchange reason 6005)|',
  ]);
});

test('D9 fills during a pending cancel carry 39=6 and the accepted ClOrdID; then 9 with 39=2', () => {
  const desk = workingDesk();
  desk.oms(CANCEL);
  const [partial] = desk.trade({});
  expect([field(partial, 39), field(partial, 11), field(partial, 151)]).toEqual(['6', 'o-1', '1.5']);
  const last = desk.trade({ tradeId: '7002', quantity: '1.5' });
  expect(summary(last)).toEqual(['F/6', '9/1']);
  expect(field(last[0], 151)).toBe('0');
  expect(last[1]).toBe(
    '35=9|37=9001|11=c-1|41=o-1|39=2|1=ACC1|60=20260105-12:00:00.000|434=1|102=0|' +
      '58=Too late: order ClOrdID(11)=o-1 is filled|',
  );
  expect(desk.accepted()).toEqual([]);
  expect(desk.order({ status: 'CLOSED', statusReasonCode: '6002', quantityFilled: '2' })).toEqual([]);
});

test('D9 the fill that outran the cancel comes after the exchange said cancelled: the cancel waits for it', () => {
  const desk = workingDesk();
  desk.oms(CANCEL);
  expect(desk.order({ status: 'CANCELLED', statusReasonCode: '6005', quantityFilled: '0.5' })).toEqual([]);
  const reports = desk.trade({});
  expect(summary(reports)).toEqual(['F/6', '4/4']);
  expect(field(reports[1], 11)).toBe('c-1');
  expect(field(reports[1], 14)).toBe('0.5');
});

test('an order that expires while a cancel is pending ends as C, and the cancel is refused as too late', () => {
  const desk = workingDesk();
  desk.oms(CANCEL);
  expect(summary(desk.order({ status: 'CLOSED', statusReasonCode: '6004' }))).toEqual(['C/C', '9/1']);
  expect(field(desk.sent.at(-1), 39)).toBe('C');
});

test('D8 answers a refused cancel by 9 with the true status, its text in 58 or, in `venue`, in 1328', () => {
  const desk = workingDesk();
  desk.oms(CANCEL);
  const [reject] = desk.refused(400, '3002', 'Order is not found');
  expect([field(reject, 39), field(reject, 102), field(reject, 37)]).toEqual(['0', '1', '9001']);
  expect(field(reject, 58)).toContain('3002');
  expect(field(reject, 1328)).toBeNull();
  const venue = workingDesk(gatewayConfig({ dialect: 'venue' }));
  venue.oms(CANCEL);
  const [other] = venue.refused(400, '3085', 'not now');
  expect([field(other, 1328), field(other, 58)]).toEqual([expect.stringContaining('3085'), null]);
});

test('D8 FIX.5.0SP2 as published has no RejectText(1328) in 9, and in the standard dialect none is sent', () => {
  for (const dialect of ['standard', 'venue'] as const) {
    const desk = workingDesk(gatewayConfig({ dialect, beginString: 'FIXT.1.1' }));
    desk.oms(CANCEL);
    const [reject] = desk.refused(400, '3085', 'not now');
    expect(field(reject, 58)).toContain('3085');
    expect(field(reject, 1328)).toBe(dialect === 'venue' ? field(reject, 58) : null);
  }
});

test("D8 an unsent G has 39=8 in the venue dialect; an F after 150=6 has the order's status", () => {
  for (const [dialect, httpStatus, status] of [
    ['standard', null, '0'],
    ['venue', null, '8'],
    ['venue', 429, '0'],
  ] as const) {
    const desk = workingDesk(gatewayConfig({ dialect }));
    desk.oms(`${REPLACE}44=101|`);
    const [replace] = desk.refused(httpStatus, null, 'waited as long as a command may');
    expect([field(replace, 434), field(replace, 39)]).toEqual(['2', status]);
    desk.oms(CANCEL);
    const [cancel] = desk.refused(httpStatus, null, 'waited as long as a command may');
    expect([field(cancel, 434), field(cancel, 39)]).toEqual(['1', '0']);
  }
});

test('D1 reports a G refused for its rate, and an F for an unknown order, by their numbers in 102', () => {
  for (const [dialect, rate] of [
    ['standard', '99'],
    ['venue', '3034'],
  ] as const) {
    const desk = workingDesk(gatewayConfig({ dialect }));
    desk.oms(`${REPLACE}44=101|`);
    const [tooFast] = desk.refused(429, '96000', 'Rate limit exceeded');
    expect([field(tooFast, 35), field(tooFast, 434), field(tooFast, 102)]).toEqual(['9', '2', rate]);
    desk.oms(CANCEL);
    expect(field(desk.refused(400, '2017', 'Invalid order id')[0], 102)).toBe('1');
  }
});

test('T3 releases cancels held by the last phase if the market loses its auctions or listing', () => {
  for (const markets of [[market('BTCUSDC', { auctionEnabled: false })], [market('ETHUSDC')]]) {
    const desk = new Desk();
    desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
    desk.phase({});
    desk.oms(LIMIT.replace('59=1', '59=5'));
    desk.accepted(undefined, '9001');
    desk.order({ timeInForce: 'GTX' });
    desk.phase({ eventType: 'AUCTION_LOCKDOWN', phase: 'LOCKDOWN', cancelAuctionOrderEnabled: false });
    expect(field(desk.oms(CANCEL)[0], 35)).toBe('9');
    desk.feed({ kind: 'markets', markets });
    expect(field(desk.oms(CANCEL.replace('11=c-1', '11=c-2'))[0], 150)).toBe('6');
  }
});

test('T4 answers a cancel that the exchange refuses in lockdown with the configured 102 and status', () => {
  for (const [lockdownCxlRejReason, dialect] of [
    ['0', 'standard'],
    ['99', 'standard'],
    ['0', 'venue'],
  ] as const) {
    const refused = workingDesk(gatewayConfig({ lockdownCxlRejReason, dialect }));
    refused.oms(CANCEL);
    const later = workingDesk(gatewayConfig({ lockdownCxlRejReason, dialect }));
    later.oms(CANCEL);
    later.accepted();
    for (const [reject] of [
      refused.refused(400, '3085', 'Auction order cancellation is disabled in this phase'),
      later.notice({ errorCode: '3085', message: 'Auction order cancellation is disabled in this phase' }),
    ]) {
      expect([field(reject, 35), field(reject, 39), field(reject, 102)]).toEqual(['9', '0', lockdownCxlRejReason]);
    }
  }
});

test('a cancel that was acknowledged and then refused by a notice is answered by 9', () => {
  const desk = workingDesk();
  desk.oms(CANCEL);
  desk.accepted();
  const answers = desk.notice({ clientOrderId: null, errorCode: '3002', message: 'Order is not found' });
  expect(summary(answers)).toEqual(['9/1']);
  expect(field(answers[0], 102)).toBe('1');
});

test('O7 F and G reach the session’s own orders only; anything else answers as unknown with 102=1', () => {
  const desk = new Desk({
    ...gatewayConfig(),
    sessions: [...gatewayConfig().sessions, { ...gatewayConfig().sessions[0]!, sessionId: 'FIX.4.4:XG->OTHER' }],
  });
  desk.oms(LIMIT);
  desk.order({});
  for (const text of [CANCEL, REPLACE, CANCEL.replace('41=o-1', '41=none|37=9001')]) {
    const [reject] = desk.oms(text, { sessionId: 'FIX.4.4:XG->OTHER' });
    expect([field(reject, 35), field(reject, 102), field(reject, 39), field(reject, 37)]).toEqual([
      '9',
      '1',
      '8',
      'NONE',
    ]);
  }
  const [status] = desk.oms('35=H|11=o-1|55=BTCUSDC|54=1|', { sessionId: 'FIX.4.4:XG->OTHER' });
  expect([field(status, 150), field(status, 39), field(status, 103)]).toEqual(['I', '8', '5']);
  expect(desk.submitted).toHaveLength(1);
});

test('D3 F without 54 and 38 finds the order by OrderID, by either, and refuses two that disagree', () => {
  const desk = workingDesk();
  expect(summary(desk.oms('35=F|11=c-9|41=nothing|37=9001|1=ACC1|55=BTCUSDC|'))).toEqual(['6/6']);
  const two = workingDesk();
  two.oms(LIMIT.replace('o-1', 'o-2'));
  two.order({ orderId: '9002', clientOrderId: '2' });
  const [reject] = two.oms('35=F|11=c-9|41=o-1|37=9002|1=ACC1|55=BTCUSDC|');
  expect(field(reject, 58)).toContain('two different orders');
});

test('O7 refuses F and G with a wrong OrderID(37), and accepts one of a leg', () => {
  const desk = workingDesk();
  for (const body of ['35=F|', '35=G|44=101|40=2|']) {
    const [reject] = desk.oms(`${body}11=x-${body[3]}|41=o-1|37=4711|1=ACC1|55=BTCUSDC|54=1|38=2|`);
    expect([field(reject, 102), field(reject, 39), field(reject, 41)]).toEqual(['1', '8', 'o-1']);
    expect(field(reject, 58)).toContain('OrderID(37)=4711 is not that of ClOrdID(11)=o-1, which is 9001');
  }
  expect(desk.submitted).toHaveLength(1);
  expect(summary(desk.oms('35=F|11=c-1|41=o-1|37=9001|1=ACC1|55=BTCUSDC|'))).toEqual(['6/6']);
  // Before the exchange named it here, the OMS may know its id from elsewhere (rule U3).
  const unnamed = new Desk();
  unnamed.oms(LIMIT);
  expect(summary(unnamed.oms('35=F|11=c-1|41=o-1|37=9001|1=ACC1|55=BTCUSDC|'))).toEqual(['6/6']);
});

test('an absent OrigClOrdID(41) does not mean an order with ClOrdID(11) NONE', () => {
  const desk = new Desk();
  desk.oms(LIMIT.replace('o-1', 'NONE'));
  desk.order({});
  desk.oms(LIMIT.replace('o-1', 'o-2'));
  desk.order({ orderId: '9002', clientOrderId: '2' });
  expect(field(desk.oms('35=F|11=c-1|37=4711|1=ACC1|55=BTCUSDC|')[0], 102)).toBe('1');
  expect(field(desk.oms('35=F|11=c-2|37=9002|1=ACC1|55=BTCUSDC|')[0], 41)).toBe('o-2');
  expect(summary(desk.oms('35=F|11=c-3|37=9001|1=ACC1|55=BTCUSDC|'))).toEqual(['6/6']);
});

test('a wrong account, symbol or side on F is refused and names the order’s own', () => {
  for (const [change, words] of [
    ['1=ACC2', 'ACC1'],
    ['55=ETHUSDC', 'BTCUSDC'],
    ['54=2', 'Side(54)=2'],
  ] as const) {
    const tag = change.slice(0, change.indexOf('='));
    const kept = CANCEL.split('|').filter((part) => part !== '' && !part.startsWith(`${tag}=`));
    const desk = workingDesk();
    const [reject] = desk.oms(`${[...kept, change].join('|')}|`);
    expect([field(reject, 35), field(reject, 39)]).toEqual(['9', '0']);
    expect(field(reject, 58)).toContain(words);
    expect(desk.submitted).toHaveLength(1);
  }
});

test('a second F while one is pending is refused with 102=3, a used ClOrdID with 102=6', () => {
  const desk = workingDesk();
  desk.oms(CANCEL);
  expect(field(desk.oms(CANCEL.replace('c-1', 'c-2'))[0], 102)).toBe('3');
  expect(field(desk.oms(CANCEL)[0], 102)).toBe('6');
  expect(desk.submitted).toHaveLength(2);
});

test('U3 an F without an answer holds up no other; of eight of them one more waits (102=3)', () => {
  const desk = workingDesk();
  for (let n = 1; n <= 8; n++) {
    expect(summary(desk.oms(CANCEL.replace('c-1', `c-${n}`)))).toEqual(['6/6']);
    desk.unknown();
  }
  expect(field(desk.oms(CANCEL.replace('c-1', 'c-9'))[0], 102)).toBe('3');
  expect(desk.submitted).toHaveLength(9);
});

test('U4 an F that comes again with 97=Y runs no second time', () => {
  const desk = workingDesk();
  desk.oms(CANCEL);
  const [status] = desk.oms(`${CANCEL}97=Y|`);
  expect([field(status, 150), field(status, 39)]).toEqual(['I', '6']);
  expect(desk.submitted).toHaveLength(2);
});

test('O4 F is always processed, however old', () => {
  const desk = workingDesk();
  expect(summary(desk.oms(`${CANCEL}43=Y|122=20260101-00:00:00|`, { possDup: true }))).toEqual(['6/6']);
  const [reject] = desk.oms(`${REPLACE}44=101|43=Y|122=20260101-00:00:00|`, { possDup: true });
  expect([field(reject, 35), field(reject, 102)]).toEqual(['9', '99']);
});

test('G becomes an amendment; Replaced follows its frame, with the new ClOrdID and the same OrderID', () => {
  const desk = workingDesk();
  expect(summary(desk.oms(`${REPLACE}44=101|38=3|40=2|54=1|`))).toEqual(['E/E']);
  expect(desk.last().command).toEqual({
    kind: 'amendOrder',
    orderId: '9001',
    clientOrderId: '2',
    type: null,
    price: '101',
    quantity: '3',
    symbol: 'BTCUSDC',
    tradingAccountId: ACCOUNT,
  });
  expect(desk.accepted()).toEqual([]);
  desk.now += 1;
  expect(desk.order({ clientOrderId: '2', price: '101.0', quantity: '3.0' })).toEqual([
    '35=8|37=9001|11=g-1|41=o-1|17=9001-5-1|150=5|39=0|1=ACC1|55=BTCUSDC|54=1|38=3|40=2|44=101|59=1|151=3|14=0|6=0|' +
      '60=20260105-12:00:00.001|',
  ]);
  expect(desk.order({ publishedAt: desk.now - 1 })).toEqual([]);
  expect(summary(desk.trade({ clientOrderId: '2', quantity: '3', price: '101' }))).toEqual(['F/2']);
  expect(field(desk.sent.at(-1), 11)).toBe('g-1');
});

test('G is accepted by a fill under the new reference when the order frame is late', () => {
  const desk = workingDesk();
  desk.oms(`${REPLACE}44=101|`);
  expect(summary(desk.trade({ clientOrderId: '2', price: '101', createdAt: desk.now + 5 }))).toEqual(['5/0', 'F/1']);
  expect(desk.order({ clientOrderId: '2', price: '101', quantityFilled: '0.5', publishedAt: desk.now + 6 })).toEqual(
    [],
  );
});

test('D9 a fill while a replace is pending carries 39=E; the refused replace is answered by 9 with 434=2', () => {
  const desk = workingDesk();
  desk.oms(`${REPLACE}44=101|`);
  const [fill] = desk.trade({});
  expect([field(fill, 39), field(fill, 11), field(fill, 44)]).toEqual(['E', 'o-1', '100']);
  const [reject] = desk.refused(400, '3032', 'no longer amendable');
  expect([field(reject, 434), field(reject, 39), field(reject, 41)]).toEqual(['2', '1', 'o-1']);
});

test('O6 cancel-and-new is off: a G that the exchange cannot do is refused precisely, without a command', () => {
  for (const [setup, fields, words] of [
    [LIMIT.replace('40=2|44=100|59=1', '40=4|44=100|99=101|59=1'), '44=101|', 'OrdType(40)=4'],
    [LIMIT.replace('59=1', '59=3'), '44=101|', 'TimeInForce(59)=3'],
    [LIMIT, '44=100|', 'Nothing changes'],
    [LIMIT, '44=100.01|', 'Price(44)=100.01'],
    [LIMIT, '38=1.123456789|', 'OrderQty(38)=1.123456789'],
    [LIMIT, '38=0|', 'OrderQty(38)=0'],
    [LIMIT, '40=4|', 'OrdType(40)=4'],
    [LIMIT, '59=4|44=101|', 'TimeInForce(59)=4'],
    [LIMIT, '38=101|', 'limit of 100'],
  ] as const) {
    const desk = new Desk();
    desk.oms(setup);
    desk.order({});
    const [reject] = desk.oms(REPLACE + fields);
    expect([field(reject, 35), field(reject, 434), field(reject, 39)]).toEqual(['9', '2', '0']);
    expect(field(reject, 58)).toContain(words);
    expect(desk.submitted).toHaveLength(1);
  }
  const filled = workingDesk();
  filled.trade({});
  expect(field(filled.oms(`${REPLACE}44=101|`)[0], 58)).toContain('without fills');
});

test('D8 refuses in the venue dialect with 39=8 before the exchange, and sends no PendingReplace', () => {
  const desk = workingDesk(gatewayConfig({ dialect: 'venue' }));
  const [reject] = desk.oms(`${REPLACE}44=100.01|`);
  expect([field(reject, 39), field(reject, 1328)]).toEqual(['8', expect.stringContaining('Price(44)')]);
  expect(desk.oms(`${REPLACE.replace('g-1', 'g-2')}44=101|`)).toEqual([]);
  desk.now += 1;
  expect(summary(desk.order({ clientOrderId: '2', price: '101' }))).toEqual(['5/0']);
});

test('G with an outdated OrigClOrdID is refused and names the present one; F with it still cancels', () => {
  const desk = workingDesk();
  desk.oms(`${REPLACE}44=101|`);
  desk.now += 1;
  desk.order({ clientOrderId: '2', price: '101' });
  expect(field(desk.oms('35=G|11=g-2|41=o-1|1=ACC1|55=BTCUSDC|44=102|')[0], 58)).toContain('g-1');
  expect(summary(desk.oms(CANCEL))).toEqual(['6/6']);
});

test("answers a G by a refused G's or F's id that it never named the order, also behind another G", () => {
  const desk = workingDesk();
  const named = (origClOrdID: string, i: number): string | null =>
    field(desk.oms(`35=G|11=x-${i}|41=${origClOrdID}|1=ACC1|55=BTCUSDC|44=102|`)[0], 58);
  const refused = (name: string, present: string): string =>
    `OrigClOrdID(41)=${name} was refused and never became a name of the order: its present one is ${present}`;
  desk.oms(`${REPLACE.replace('g-1', 'g-0')}44=100.01|`);
  expect(named('g-0', 0)).toBe(refused('g-0', 'o-1'));
  expect(named('x-0', 1)).toBe(refused('x-0', 'o-1'));
  desk.oms(`${REPLACE}44=101|`);
  desk.now += 1;
  desk.order({ clientOrderId: '2', price: '101' });
  desk.oms(CANCEL);
  desk.refused(400, '3085', 'Cancel disabled');
  desk.restart();
  for (const [i, name] of ['g-0', 'x-1', 'c-1'].entries()) expect(named(name, 10 + i)).toBe(refused(name, 'g-1'));
  expect(named('o-1', 3)).toBe("OrigClOrdID(41)=o-1 is outdated: the order's present one is g-1");
});

test('terms changed outside the session are restated: 150=D with 378, never by an older frame', () => {
  const desk = workingDesk();
  const [restated] = desk.order({ quantity: '1.5', statusReasonCode: '6011', publishedAt: desk.now + 2 });
  expect([field(restated, 150), field(restated, 38), field(restated, 378)]).toEqual(['D', '1.5', '5']);
  expect(desk.order({ quantity: '2', publishedAt: desk.now + 1 })).toEqual([]);
  // 378=5 is a decline: what grows or has another price says so.
  const [larger] = desk.order({ quantity: '3', publishedAt: desk.now + 3 });
  expect([field(larger, 150), field(larger, 38), field(larger, 378)]).toEqual(['D', '3', '8']);
  const [repriced] = desk.order({ quantity: '4', price: '101.00', publishedAt: desk.now + 4 });
  expect([field(repriced, 38), field(repriced, 44), field(repriced, 378)]).toEqual(['4', '101', '3']);
  expect(field(desk.order({ quantity: '3', price: '101', publishedAt: desk.now + 5 })[0], 58)).toContain(
    'Price(44)=101)',
  );
  // A quantity below what was filled is none.
  desk.trade({ quantity: '1' });
  const [kept] = desk.order({ quantity: '0.5', price: '102', publishedAt: desk.now + 6 });
  expect([field(kept, 150), field(kept, 38), field(kept, 44), field(kept, 151)]).toEqual(['D', '3', '102', '2']);
});

test('O10 DontKnowTrade raises an alarm and shows in the order’s timeline, also after a restart', () => {
  const desk = workingDesk();
  desk.trade({});
  desk.oms('35=Q|37=9001|17=9001-7001-F|127=A|55=BTCUSDC|54=1|58=not ours|');
  expect(desk.alarmNames()).toEqual(['dont-know-trade']);
  desk.restart();
  const timeline = desk.gateway.findOrder('FIX.4.4:XG->OMS', 'o-1')!.timeline.map(([, what]) => what);
  expect(timeline.some((what) => what.includes('dont-know-trade') && what.includes('9001-7001-F'))).toBe(true);
});

test('a valid message that is not carried is answered by j with 380=3 and the bridge call that does it', () => {
  const desk = new Desk();
  const [reject] = desk.oms('35=R|131=q-1|146=1|55=BTCUSDC|');
  expect([field(reject, 35), field(reject, 372), field(reject, 380), field(reject, 379)]).toEqual([
    'j',
    'R',
    '3',
    'q-1',
  ]);
  expect(field(reject, 58)).toContain('/trading-api/v2/otc-trades');
  expect(field(desk.oms('35=k|')[0], 58)).toContain('not carried');
});

test('a j names its message in 379: the list of E, K, L or M, the request of AF, else the order', () => {
  const desk = new Desk(gatewayConfig({}, { sessions: [dropCopyConfig({ sessionId: SESSION })] }));
  for (const [message, id] of [
    ['35=E|66=L-1|394=3|68=1|73=1|11=l-1|67=1|55=BTCUSDC|54=1|', 'L-1'],
    ['35=K|66=L-2|', 'L-2'],
    ['35=AF|584=m-1|585=7|', 'm-1'],
    ['35=F|66=L-1|11=f-1|41=l-1|55=BTCUSDC|54=1|', 'f-1'],
  ] as const) {
    expect([35, 379].map((tag) => field(desk.oms(message)[0], tag))).toEqual(['j', id]);
  }
});

test('a BusinessMessageReject(j) of the OMS is not answered, for two that answer each other never stop', () => {
  expect(new Desk().oms('35=j|372=8|380=0|58=no such tag|')).toEqual([]);
});

test('D13 a G repeats unreplaceable terms, or is refused: no request is ignored', () => {
  const desk = new Desk(gatewayConfig({ beginString: 'FIXT.1.1' }));
  desk.oms(LIMIT);
  desk.order({});
  const asked = ['18=G', '18=6 G', '18=n', '18=o', '544=2', '20002=Y', '20003=Y', '386=1|336=A-1', '336=2'];
  for (const extra of asked) {
    const [reject] = desk.oms(`35=G|11=g-${extra}|41=o-1|1=ACC1|55=BTCUSDC|44=101|${extra}|`);
    expect([extra, summary([reject!]), field(reject, 102)]).toEqual([extra, ['9/2'], '99']);
  }
  expect(desk.submitted).toHaveLength(1);
  desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|44=101|544=1|20002=N|336=1|');
  expect(desk.submitted).toHaveLength(2);
});

test('a G with ExecInst(18)=6 makes a limit order post-only without OrdType(40) too', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.order({});
  desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|44=101|18=6|');
  expect(desk.last().command).toMatchObject({ kind: 'amendOrder', type: 'POST_ONLY', price: '101' });
});

test.each([
  ['Account(1)', { accounts: [] }, 'Account(1)=ACC1 is not on this session'],
  [
    'Account(1) by another',
    { accounts: [{ account: 'ACC2', tradingAccountId: '111000000000002', credential: 'main' }] },
    'Account(1)=ACC1 is not on this session',
  ],
  ['Symbol(55)', { symbols: ['ETHUSDC'] }, 'Symbol(55)=BTCUSDC is not on this session'],
] as const)('O7 O12 cancels, but does not replace, an order with a %s removed from the session', (_, more, why) => {
  const desk = workingDesk();
  desk.gateway.applyConfig(sessionConfig(more));
  const [reject] = desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|38=3|40=2|44=100|');
  expect([35, 434, 102, 39].map((tag) => field(reject, tag))).toEqual(['9', '2', '99', '0']);
  expect(field(reject, 58)).toContain(why);
  expect(summary(desk.oms('35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|'))).toEqual(['6/6']);
});

test('C3 refuses a G on a chain without free ClOrdIDs; an F cancels it, and its ClOrdID counts', () => {
  const desk = workingDesk();
  const refused = (n: number): string => `35=G|11=g-${n}|41=o-1|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=100|`;
  for (let n = 1; n < 1_000; n++) desk.oms(refused(n));
  const [full] = desk.oms(refused(1_000).replace('44=100', '44=101'));
  expect(field(full, 58)).toContain('cancel it and send a new order');
  expect(summary(desk.oms(CANCEL))).toEqual(['6/6']);
  desk.restart();
  expect(field(desk.oms(LIMIT.replace('o-1', 'c-1'))[0], 103)).toBe('6');
  const [cancelled] = desk.order({ status: 'CANCELLED', statusReasonCode: '6005' });
  expect([150, 39, 11, 41].map((tag) => field(cancelled, tag))).toEqual(['4', '4', 'c-1', 'o-1']);
});

test('a G with an off-grid Price(44) repeated amends the quantity alone; a new price must fit', () => {
  const replace = (desk: Desk, clOrdID: string, more: string): string[] =>
    desk.oms(`35=G|11=${clOrdID}|41=o-1|1=ACC1|55=BTCUSDC|54=1|40=2|${more}|`);
  for (const replaceByCancelAndNew of [false, true]) {
    const desk = workingDesk(gatewayConfig({ replaceByCancelAndNew }));
    desk.feed({ kind: 'markets', markets: [market('BTCUSDC', { tickSize: '0.7', minQuantityLimit: '0.5' })] });
    expect(field(replace(desk, 'g-1', '38=1|44=100.2')[0], 58)).toContain('a multiple of 0.7');
    expect(replace(desk, 'g-2', '38=1|44=100').map((text) => field(text, 150))).toEqual(['E']);
    expect(desk.last().command).toMatchObject({ kind: 'amendOrder', price: null, quantity: '1' });
  }
  // O6: a new order would be sent with it, once the old one is cancelled.
  const desk = workingDesk(gatewayConfig({ replaceByCancelAndNew: true }));
  desk.trade({});
  desk.feed({ kind: 'markets', markets: [market('BTCUSDC', { tickSize: '0.7' })] });
  expect(field(replace(desk, 'g-1', '38=1|44=100')[0], 58)).toContain('a multiple of 0.7');
});
