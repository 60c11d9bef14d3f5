// OrderCancelRequest, OrderCancelReplaceRequest and OrderMassCancelRequest: FIX 4.4 Appendix D B and D, rules O7, D8, D9.

import { expect, test } from 'vitest';
import { ACCOUNT, Desk, exchangeOrder, field, gatewayConfig, LIMIT, summary } from './desk.ts';

const CANCEL = '35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|';
const REPLACE = '35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|';

function working(config = gatewayConfig()): Desk {
  const desk = new Desk(config);
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  desk.order({});
  desk.sent.length = 0;
  return desk;
}

test('F is answered by PendingCancel and, when the exchange cancelled, by Canceled under the new ClOrdID', () => {
  const desk = working();
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

test('D9 fills while a cancel is pending carry 39=6 and the last accepted ClOrdID; the complete fill too, then 9 with 39=2', () => {
  const desk = working();
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
  const desk = working();
  desk.oms(CANCEL);
  expect(desk.order({ status: 'CANCELLED', statusReasonCode: '6005', quantityFilled: '0.5' })).toEqual([]);
  const reports = desk.trade({});
  expect(summary(reports)).toEqual(['F/6', '4/4']);
  expect(field(reports[1], 11)).toBe('c-1');
  expect(field(reports[1], 14)).toBe('0.5');
});

test('an order that expires while a cancel is pending ends as C, and the cancel is refused as too late', () => {
  const desk = working();
  desk.oms(CANCEL);
  expect(summary(desk.order({ status: 'CLOSED', statusReasonCode: '6004' }))).toEqual(['C/C', '9/1']);
  expect(field(desk.sent.at(-1), 39)).toBe('C');
});

test('D8 a cancel that the exchange refuses is answered by 9 with the true status, Text always and 37 present', () => {
  const desk = working();
  desk.oms(CANCEL);
  const [reject] = desk.refused(400, '3032', 'Order is either closed or rejected');
  expect([field(reject, 39), field(reject, 102), field(reject, 37)]).toEqual(['0', '0', '9001']);
  expect(field(reject, 58)).toContain('3032');
  expect(field(reject, 1328)).toBeNull();
  const venue = working(gatewayConfig({ dialect: 'venue' }));
  venue.oms(CANCEL);
  const [other] = venue.refused(400, '3085', 'not now');
  expect(field(other, 1328)).toBe(field(other, 58));
});

test('a cancel that was acknowledged and then refused by a notice is answered by 9', () => {
  const desk = working();
  desk.oms(CANCEL);
  desk.accepted();
  const answers = desk.answers(() =>
    desk.feed({
      kind: 'errorNotice',
      notice: {
        tradingAccountId: ACCOUNT,
        orderId: '9001',
        clientOrderId: null,
        requestId: null,
        errorCode: '3002',
        errorCodeName: null,
        message: 'Order is not found',
      },
    }),
  );
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
  const desk = working();
  expect(summary(desk.oms('35=F|11=c-9|41=nothing|37=9001|1=ACC1|55=BTCUSDC|'))).toEqual(['6/6']);
  const two = working();
  two.oms(LIMIT.replace('o-1', 'o-2'));
  two.order({ orderId: '9002', clientOrderId: '2' });
  const [reject] = two.oms('35=F|11=c-9|41=o-1|37=9002|1=ACC1|55=BTCUSDC|');
  expect(field(reject, 58)).toContain('two different orders');
});

test('a wrong account, symbol or side on F is refused and names the order’s own', () => {
  for (const [change, words] of [
    ['1=ACC2', 'ACC1'],
    ['55=ETHUSDC', 'BTCUSDC'],
    ['54=2', 'Side(54)=2'],
  ] as const) {
    const tag = change.slice(0, change.indexOf('='));
    const kept = CANCEL.split('|').filter((part) => part !== '' && !part.startsWith(`${tag}=`));
    const desk = working();
    const [reject] = desk.oms(`${[...kept, change].join('|')}|`);
    expect([field(reject, 35), field(reject, 39)]).toEqual(['9', '0']);
    expect(field(reject, 58)).toContain(words);
    expect(desk.submitted).toHaveLength(1);
  }
});

test('a second F while one is pending is refused with 102=3, a used ClOrdID with 102=6', () => {
  const desk = working();
  desk.oms(CANCEL);
  expect(field(desk.oms(CANCEL.replace('c-1', 'c-2'))[0], 102)).toBe('3');
  expect(field(desk.oms(CANCEL)[0], 102)).toBe('6');
  expect(desk.submitted).toHaveLength(2);
});

test('U4 an F that comes again with 97=Y runs no second time', () => {
  const desk = working();
  desk.oms(CANCEL);
  const [status] = desk.oms(`${CANCEL}97=Y|`);
  expect([field(status, 150), field(status, 39)]).toEqual(['I', '6']);
  expect(desk.submitted).toHaveLength(2);
});

test('O4 F is always processed, however old', () => {
  const desk = working();
  expect(summary(desk.oms(`${CANCEL}43=Y|122=20260101-00:00:00|`, { possDup: true }))).toEqual(['6/6']);
  const [reject] = desk.oms(`${REPLACE}44=101|43=Y|122=20260101-00:00:00|`, { possDup: true });
  expect([field(reject, 35), field(reject, 102)]).toEqual(['9', '99']);
});

test('G becomes an amendment; Replaced follows the frame that shows it, under the new ClOrdID and the same OrderID', () => {
  const desk = working();
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
  const desk = working();
  desk.oms(`${REPLACE}44=101|`);
  expect(summary(desk.trade({ clientOrderId: '2', price: '101', createdAt: desk.now + 5 }))).toEqual(['5/0', 'F/1']);
  expect(desk.order({ clientOrderId: '2', price: '101', quantityFilled: '0.5', publishedAt: desk.now + 6 })).toEqual(
    [],
  );
});

test('D9 a fill while a replace is pending carries 39=E; the refused replace is answered by 9 with 434=2', () => {
  const desk = working();
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
  const filled = working();
  filled.trade({});
  expect(field(filled.oms(`${REPLACE}44=101|`)[0], 58)).toContain('without fills');
});

test('D8 in the venue dialect a request refused before the exchange heard of it has 39=8, and PendingReplace is not sent', () => {
  const desk = working(gatewayConfig({ dialect: 'venue' }));
  const [reject] = desk.oms(`${REPLACE}44=100.01|`);
  expect([field(reject, 39), field(reject, 1328)]).toEqual(['8', field(reject, 58)]);
  expect(desk.oms(`${REPLACE.replace('g-1', 'g-2')}44=101|`)).toEqual([]);
  desk.now += 1;
  expect(summary(desk.order({ clientOrderId: '2', price: '101' }))).toEqual(['5/0']);
});

test('G with an outdated OrigClOrdID is refused and names the present one; F with it still cancels', () => {
  const desk = working();
  desk.oms(`${REPLACE}44=101|`);
  desk.now += 1;
  desk.order({ clientOrderId: '2', price: '101' });
  expect(field(desk.oms('35=G|11=g-2|41=o-1|1=ACC1|55=BTCUSDC|44=102|')[0], 58)).toContain('g-1');
  expect(summary(desk.oms(CANCEL))).toEqual(['6/6']);
});

test('terms changed outside the session are restated: 150=D with 378, never by an older frame', () => {
  const desk = working();
  const [restated] = desk.order({ quantity: '1.5', statusReasonCode: '6011', publishedAt: desk.now + 2 });
  expect([field(restated, 150), field(restated, 38), field(restated, 378)]).toEqual(['D', '1.5', '5']);
  expect(desk.order({ quantity: '2', publishedAt: desk.now + 1 })).toEqual([]);
});

test('D12 q cancels what it selects by an own command each; r carries 37 and 533; a second q of that ClOrdID does not run', () => {
  const desk = working();
  desk.oms(LIMIT.replace('o-1', 'o-2').replace('BTC', 'ETH'));
  desk.order({ orderId: '9002', clientOrderId: '2', symbol: 'ETHUSDC' });
  const from = desk.submitted.length;
  const [unknown] = desk.oms('35=q|11=q-0|530=1|55=NOSUCH|');
  expect([field(unknown, 531), field(unknown, 532), field(unknown, 58)]).toEqual([
    '0',
    '1',
    'Symbol(55)=NOSUCH is no market of the exchange and no alias here',
  ]);
  const [bySymbol] = desk.oms('35=q|11=q-1|530=1|55=ETHUSDC|1=ACC1|');
  expect([field(bySymbol, 531), field(bySymbol, 533), field(bySymbol, 11)]).toEqual(['1', '1', 'q-1']);
  expect(field(bySymbol, 37)).not.toBeNull();
  expect(desk.submitted.slice(from).map(({ command }) => command)).toMatchObject([
    { kind: 'cancelOrder', orderId: '9002' },
  ]);
  const [all] = desk.oms('35=q|11=q-2|530=7|1=ACC1|');
  expect([field(all, 531), field(all, 533)]).toEqual(['7', '1']);
  const [cancelled] = desk.order({ status: 'CANCELLED', statusReasonCode: '6005' });
  expect([field(cancelled, 150), field(cancelled, 11), field(cancelled, 378)]).toEqual(['4', 'o-1', null]);
  expect(field(cancelled, 58)).toContain('q-2');
  desk.restart();
  const [again] = desk.oms('35=q|11=q-2|530=7|1=ACC1|');
  expect([field(again, 531), field(again, 532)]).toEqual(['0', '99']);
});

test('q that is not carried is refused: 530, a missing symbol, a foreign account', () => {
  const desk = working();
  expect(field(desk.oms('35=q|11=q-1|530=5|')[0], 532)).toBe('0');
  expect(field(desk.oms('35=q|11=q-2|530=1|')[0], 532)).toBe('1');
  expect(field(desk.oms('35=q|11=q-3|530=7|1=OTHER|')[0], 532)).toBe('99');
  expect(desk.submitted).toHaveLength(1);
});

test('D12 1369 ties the reports of a mass cancel to its r in the venue dialect', () => {
  const desk = working(gatewayConfig({ dialect: 'venue' }));
  const [report] = desk.oms('35=q|11=q-1|530=7|1=ACC1|');
  const [cancelled] = desk.order({ status: 'CANCELLED', statusReasonCode: '6005' });
  expect(field(cancelled, 1369)).toBe(field(report, 1369));
});

test('D15 H and AF are answered from the book at once; 39=A while the outcome is open', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  const [open] = desk.oms('35=H|11=o-1|55=BTCUSDC|54=1|790=s-1|');
  expect([field(open, 150), field(open, 39), field(open, 17), field(open, 790)]).toEqual(['I', 'A', '0', 's-1']);
  desk.order({});
  desk.trade({});
  desk.oms(LIMIT.replace('o-1', 'o-2'));
  const reports = desk.oms('35=AF|584=m-1|585=7|');
  expect(reports.map((text) => [field(text, 584), field(text, 911), field(text, 912), field(text, 39)])).toEqual([
    ['m-1', '2', 'N', '1'],
    ['m-1', '2', 'Y', 'A'],
  ]);
  const [none] = desk.oms('35=AF|584=m-2|585=1|55=ETHUSDC|');
  expect([field(none, 911), field(none, 912), field(none, 103)]).toEqual(['0', 'Y', '5']);
  expect(field(desk.oms('35=AF|584=m-3|585=8|')[0], 35)).toBe('j');
});

test('O7 q and AF of FIX.5.0SP2 that are about the orders of some parties only are turned down, not taken for all', () => {
  const desk = working();
  const parties = '1461=1|1462=TRADER-7|1463=D|1464=36|';
  const [refused] = desk.oms(`35=q|11=q-1|530=7|${parties}`);
  expect([field(refused, 531), field(refused, 532), field(refused, 533)]).toEqual(['0', '99', null]);
  expect(field(desk.oms(`35=AF|584=m-1|585=7|${parties}`)[0], 58)).toContain('NoTargetPartyIDs(1461)');
});

test('D15 AF keeps to the side that it names, as it keeps to the account and the symbol', () => {
  const desk = working();
  desk.oms(LIMIT.replace('o-1', 'o-2').replace('54=1', '54=2'));
  const named = (more: string): (string | null)[] =>
    desk.oms(`35=AF|584=m|585=7|${more}`).map((text) => field(text, 11));
  expect(named('54=1|')).toEqual(['o-1']);
  expect(named('54=2|')).toEqual(['o-2']);
  expect(named('1=ACC1|55=BTCUSDC|')).toEqual(['o-1', 'o-2']);
});

test('O8 F, q and AF find an order by any name that leads to its market, SecurityID(48) included', () => {
  const config = gatewayConfig({ beginString: 'FIXT.1.1', symbolAliases: { XBT: 'BTCUSDC' } });
  const desk = new Desk(config);
  const orders = ['55=BTCUSDC|', '55=XBT|', '55=[N/A]|48=XBT|', '48=BTCUSDC|'];
  orders.forEach((symbol, i) => {
    desk.oms(LIMIT.replace('o-1', `o-${i}`).replace('55=BTCUSDC|', symbol));
    desk.order({ orderId: `900${i}`, clientOrderId: `${i + 1}` });
  });
  expect(desk.submitted).toHaveLength(4);
  for (const symbol of orders) {
    expect(desk.oms(`35=AF|584=m|585=1|${symbol}`).map((text) => field(text, 11))).toEqual([
      'o-0',
      'o-1',
      'o-2',
      'o-3',
    ]);
  }
  expect(field(desk.oms('35=F|11=f-1|41=o-1|55=BTCUSDC|')[0], 150)).toBe('6');
  expect(field(desk.oms('35=F|11=f-2|41=o-0|48=ETHUSDC|')[0], 58)).toBe(
    "Symbol(55)=ETHUSDC is not the order's symbol BTCUSDC",
  );
  const [contradiction] = desk.oms('35=q|11=q-1|530=7|55=XBT|48=ETHUSDC|');
  expect([field(contradiction, 531), field(contradiction, 532)]).toEqual(['0', '1']);
  expect(field(desk.oms('35=q|11=q-2|530=7|48=ETHUSDC|')[0], 533)).toBe('0');
  expect(field(desk.oms('35=q|11=q-3|530=1|48=XBT|')[0], 533)).toBe('3');
});

test('O10 DontKnowTrade raises an alarm and shows in the order’s timeline, also after a restart', () => {
  const desk = working();
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

test('a BusinessMessageReject(j) of the OMS is not answered, for two that answer each other never stop', () => {
  expect(new Desk().oms('35=j|372=8|380=0|58=no such tag|')).toEqual([]);
});

test('a refusal after the acknowledgement answers the request whose command it names, be its code what it may', () => {
  const desk = working();
  desk.oms(`${REPLACE}44=101|`);
  desk.accepted(undefined, '9001', '501');
  desk.oms(CANCEL);
  desk.accepted(undefined, '9001', '502');
  const refuse = (requestId: string): string[] =>
    desk.answers(() =>
      desk.feed({
        kind: 'errorNotice',
        notice: {
          tradingAccountId: ACCOUNT,
          orderId: '9001',
          clientOrderId: '1',
          requestId,
          errorCode: '3032',
          errorCodeName: null,
          message: 'too late',
        },
      }),
    );
  expect(refuse('777')).toEqual([]);
  expect(summary(refuse('501'))).toEqual(['9/2']);
  expect(summary(refuse('502'))).toEqual(['9/1']);
  expect(refuse('502')).toEqual([]);
});

test('an amended order whose frames keep the old reference is recognised by its terms, never by an older frame', () => {
  const desk = working();
  desk.oms(`${REPLACE}44=101|`);
  expect(desk.order({ price: '101', publishedAt: desk.now - 1 })).toEqual([]);
  expect(desk.order({ price: '101', publishedAt: null })).toEqual([]);
  expect(summary(desk.order({ price: '101', publishedAt: desk.now + 1 }))).toEqual(['5/0']);
});

/** Answer every look-up within `ms` by the order as it is on the exchange, or as `more` says. */
function lookedUpFor(desk: Desk, ms: number, more: Parameters<typeof exchangeOrder>[0] = {}): string[] {
  return desk.answers(() => {
    const end = desk.now + ms;
    let answered = desk.lookups.length;
    while (desk.now < end) {
      desk.advance(500);
      for (const { lookupId } of desk.lookups.slice(answered)) {
        answered++;
        const order = exchangeOrder({ publishedAt: null, ...more }, desk.now);
        desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'found', order, trades: [] } });
      }
    }
  });
}

test('an acknowledged F or G whose refusal was lost is answered by 9 once a later look-up finds the order unchanged', () => {
  for (const [request, responseTo] of [
    [CANCEL, '1'],
    [`${REPLACE}44=101|`, '2'],
  ] as const) {
    const desk = working();
    desk.oms(request);
    desk.accepted();
    expect(lookedUpFor(desk, 9_500)).toEqual([]);
    const answers = lookedUpFor(desk, 20_000);
    expect(summary(answers)).toEqual([`9/${responseTo}`]);
    expect(field(answers[0], 39)).toBe('0');
    expect(summary(desk.oms(CANCEL.replace('c-1', 'c-2')))).toEqual(['6/6']);
  }
});

test('an acknowledged G that a later look-up shows as done is answered by Replaced, also under the old reference', () => {
  const desk = working();
  desk.oms(`${REPLACE}44=101|`);
  desk.accepted();
  expect(summary(lookedUpFor(desk, 30_000, { price: '101' }))).toEqual(['5/0']);
});

test('an acknowledged F survives a restart with its time of acknowledgement', () => {
  const desk = working();
  desk.oms(CANCEL);
  desk.accepted();
  desk.restart();
  expect(lookedUpFor(desk, 9_500)).toEqual([]);
  expect(summary(lookedUpFor(desk, 20_000))).toEqual(['9/1']);
});

const withdrawn = {
  kind: 'refused',
  httpStatus: null,
  errorCode: null,
  errorCodeName: null,
  message: 'cancelled while it waited for its turn',
  withdrawn: true,
} as const;

test('S7 X3 an F for an order that still waits for its turn at the exchange client ends it as Canceled, never New', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  const create = desk.last().commandId;
  expect(summary(desk.oms(CANCEL))).toEqual(['6/6']);
  const cancel = desk.last().commandId;
  desk.sent.length = 0;
  desk.feed({ kind: 'outcome', commandId: create, outcome: withdrawn });
  desk.feed({ kind: 'outcome', commandId: cancel, outcome: { ...withdrawn, message: 'never sent' } });
  expect(desk.sent).toHaveLength(1);
  expect(summary(desk.sent)).toEqual(['4/4']);
  expect([11, 41, 37, 151, 14, 58].map((tag) => field(desk.sent[0], tag))).toEqual([
    'c-1',
    'o-1',
    'NONE',
    '0',
    '0',
    'Cancelled while it waited for its turn; it was never sent to the exchange',
  ]);
  // It is not remembered as one that may still turn up.
  desk.advance(120_000);
  expect([desk.lookups, desk.alarmNames()]).toEqual([[], []]);
});

test('S7 X3 a q finds it too, and nobody waits for an order that was withdrawn', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  const create = desk.last().commandId;
  desk.oms('35=q|11=q-1|530=7|');
  desk.sent.length = 0;
  desk.feed({ kind: 'outcome', commandId: create, outcome: withdrawn });
  expect(summary(desk.sent)).toEqual(['4/4']);
  expect(field(desk.sent[0], 58)).toBe('Cancelled by OrderMassCancelRequest(q) ClOrdID(11)=q-1');
});

test('S7 X3 withdrawn by a cancel of everything that nobody here asked for, it is rejected as not sent', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  const create = desk.last().commandId;
  desk.feed({ kind: 'outcome', commandId: create, outcome: withdrawn });
  expect(summary(desk.sent).at(-1)).toBe('8/8');
  expect(field(desk.sent.at(-1), 58)).toBe('Not sent: cancelled while it waited for its turn');
});

test('D13 a G repeats what cannot be replaced, or is refused: nothing it asks for is passed over', () => {
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

test('D12 a q while the exchange is not there: r, then for each order a 9 with the ClOrdIDs of the q and of the order', () => {
  const desk = working();
  expect(summary(desk.oms('35=q|11=q-1|530=7|'))).toEqual(['r/']);
  const [reject] = desk.refused(null, null, 'connection refused');
  expect([35, 434, 11, 41, 37, 39, 102].map((tag) => field(reject, tag))).toEqual([
    '9',
    '1',
    'q-1',
    'o-1',
    '9001',
    '0',
    '99',
  ]);
  // The same one does not run again; another one does.
  expect(field(desk.oms('35=q|11=q-1|530=7|')[0], 531)).toBe('0');
  desk.oms('35=q|11=q-2|530=7|');
  desk.accepted();
  const [report] = desk.order({ status: 'CANCELLED', statusReasonCode: '6005' });
  expect([150, 11].map((tag) => field(report, tag))).toEqual(['4', 'o-1']);
});
