// OrderMassCancelRequest(q), OrderStatusRequest(H) and OrderMassStatusRequest(AF): which orders they find, and the answers.

import { describe, expect, test } from 'vitest';
import {
  ACCOUNT,
  Desk,
  exchangeOrder,
  field,
  gatewayConfig,
  LIMIT,
  sessionConfig,
  summary,
  workingDesk,
} from '../../desk.ts';

test('D12 q cancels its selection singly; r carries 37 and 533; a second q of that ClOrdID is refused', () => {
  const desk = workingDesk();
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
  const desk = workingDesk();
  expect(field(desk.oms('35=q|11=q-1|530=5|')[0], 532)).toBe('0');
  expect(field(desk.oms('35=q|11=q-2|530=1|')[0], 532)).toBe('1');
  expect(field(desk.oms('35=q|11=q-3|530=7|1=OTHER|')[0], 532)).toBe('99');
  expect(desk.submitted).toHaveLength(1);
  const venue = workingDesk(gatewayConfig({ dialect: 'venue' }));
  for (const q of ['35=q|11=q-1|530=5|', '35=q|11=q-2|530=1|', '35=q|11=q-3|530=7|1=OTHER|']) {
    // All that the exchange's own FIX has.
    expect(field(venue.oms(q)[0], 532)).toBe('99');
  }
});

test('D12 1369 ties the reports of a mass cancel to its r in the venue dialect', () => {
  const desk = workingDesk(gatewayConfig({ dialect: 'venue' }));
  const [report] = desk.oms('35=q|11=q-1|530=7|1=ACC1|');
  const [cancelled] = desk.order({ status: 'CANCELLED', statusReasonCode: '6005' });
  expect(field(cancelled, 1369)).toBe(field(report, 1369));
});

test.each([
  ['FIX.4.4', '9', false],
  ['FIXT.1.1', '7', false],
  ['FIXT.1.1', '8', true],
  ['FIXT.1.1', '9', true],
] as const)('D1 r of %s with 1137=%s has 1369 (%s) where its version requires it; no 8 has', (...version) => {
  const [beginString, defaultApplVerID, has] = version;
  const desk = workingDesk(gatewayConfig({ beginString, defaultApplVerID }));
  const answers = desk.oms('35=q|11=q-1|530=7|1=ACC1|');
  expect(answers.map((text) => field(text, 1369) !== null)).toEqual([has]);
  const [cancelled] = desk.order({ status: 'CANCELLED', statusReasonCode: '6005' });
  expect([field(cancelled, 150), field(cancelled, 1369)]).toEqual(['4', null]);
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

test('O7 refuses q and AF of FIX.5.0SP2 for some parties only, and never widens them', () => {
  const desk = workingDesk();
  const parties = '1461=1|1462=TRADER-7|1463=D|1464=36|';
  const [refused] = desk.oms(`35=q|11=q-1|530=7|${parties}`);
  expect([field(refused, 531), field(refused, 532), field(refused, 533)]).toEqual(['0', '99', null]);
  expect(field(desk.oms(`35=AF|584=m-1|585=7|${parties}`)[0], 58)).toContain('NoTargetPartyIDs(1461)');
});

test.each([
  ['336=A-1', 'TradingSessionID(336)=A-1 is not carried here'],
  ['167=OPT', 'SecurityType(167)=OPT without Symbol(55) is not carried here'],
  ['55=[N/A]|461=FXXXXX', 'CFICode(461)=FXXXXX without Symbol(55) is not carried here'],
])('D12 refuses q and AF limited to an auction or instrument kind (%s), and never widens them', (said, why) => {
  const desk = workingDesk();
  const [r] = desk.oms(`35=q|11=q-1|530=7|${said}|`);
  expect([531, 532, 533].map((tag) => field(r, tag))).toEqual(['0', '99', null]);
  const [j] = desk.oms(`35=AF|584=m-1|585=7|${said}|`);
  expect([field(j, 35), field(j, 379)]).toEqual(['j', 'm-1']);
  for (const answer of [r, j]) expect(field(answer, 58)).toContain(why);
  expect(desk.submitted).toHaveLength(1);
  // The platform is no restriction, nor what describes the market that is named.
  expect(field(desk.oms('35=AF|584=m-2|585=7|336=1|55=BTCUSDC|167=FOR|')[0], 11)).toBe('o-1');
  expect(field(desk.oms('35=q|11=q-2|530=7|336=1|')[0], 533)).toBe('1');
});

test('D15 AF keeps to the side that it names, as it keeps to the account and the symbol', () => {
  const desk = workingDesk();
  desk.oms(LIMIT.replace('o-1', 'o-2').replace('54=1', '54=2'));
  const named = (more: string): (string | null)[] =>
    desk.oms(`35=AF|584=m|585=7|${more}`).map((text) => field(text, 11));
  expect(named('54=1|')).toEqual(['o-1']);
  expect(named('54=2|')).toEqual(['o-2']);
  expect(named('1=ACC1|55=BTCUSDC|')).toEqual(['o-1', 'o-2']);
});

test('O8 answers an AF by an unknown account or market so, not as without orders', () => {
  const desk = workingDesk();
  const said = (more: string): (string | null)[] =>
    desk.oms(`35=AF|584=m|585=7|${more}`).map((text) => field(text, 58));
  expect(said('1=ACC9|')).toEqual(["Account(1)=ACC9 is not on this session's list of accounts"]);
  expect(said('55=NOSUCH|')).toEqual(['Symbol(55)=NOSUCH is no market of the exchange and no alias here']);
  expect(said('48=NOSUCH|')).toEqual(['SecurityID(48)=NOSUCH is no market of the exchange and no alias here']);
  expect(said('55=ETHUSDC|')).toEqual(['No open order matches']);
  // Of two markets none is guessed, whichever has the order.
  const two = 'Symbol(55)=BTCUSDC and SecurityID(48)=ETHUSDC name different markets';
  expect(said('55=BTCUSDC|48=ETHUSDC|')).toEqual([two]);
  const [refused] = desk.oms('35=q|11=q-1|530=7|48=NOSUCH|');
  expect(field(refused, 58)).toBe('SecurityID(48)=NOSUCH is no market of the exchange and no alias here');
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

test('D12 answers a q without the exchange by r, then a 9 per order with both ClOrdIDs', () => {
  const desk = workingDesk();
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

test('D12 reports an order filled during a q as filled, without 9 or alarm', () => {
  const ended = (): Desk => {
    const desk = workingDesk();
    desk.oms('35=q|11=q-1|530=7|1=ACC1|');
    expect(desk.refused(400, '3032', 'Order is either closed or rejected')).toEqual([]);
    return desk;
  };
  const desk = ended();
  expect(summary(desk.trade({ quantity: '2' }))).toEqual(['F/2']);
  desk.order({ status: 'CLOSED', statusReasonCode: '6002', quantityFilled: '2', publishedAt: desk.now + 5 });
  desk.advance(60_000);
  expect([desk.alarms, desk.gateway.settled()]).toEqual([[], true]);
  // It works after all, as a look-up shows: then it is reported.
  const open = ended();
  const answers: string[] = [];
  for (let i = 0; i < 5; i++) {
    answers.push(...open.advance(8_000));
    for (const { lookupId } of open.lookups.splice(0)) {
      const outcome = { kind: 'found', order: exchangeOrder({ publishedAt: null }, open.now), trades: [] } as const;
      answers.push(...open.answers(() => open.feed({ kind: 'lookedUp', lookupId, outcome })));
    }
  }
  expect(summary(answers)).toEqual(['9/1']);
  expect(open.alarmNames()).toEqual(['cancel-incomplete']);
});

test('D12 does not count pending cancels in 533, as Text(58) says', () => {
  const desk = workingDesk();
  for (const n of [2, 3]) {
    desk.oms(LIMIT.replace('o-1', `o-${n}`));
    desk.order({ orderId: `900${n}`, clientOrderId: `${n}` });
  }
  const counted = (q: string): (string | null)[] => {
    const [r] = desk.oms(q);
    return [field(r, 533), field(r, 58)];
  };
  desk.oms('35=F|11=f-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|');
  expect(counted('35=q|11=q-1|530=7|54=2|')).toEqual(['0', null]);
  expect(counted('35=q|11=q-2|530=7|')).toEqual(['2', '1 order is being cancelled already, and is not counted']);
  expect(counted('35=q|11=q-3|530=7|')).toEqual(['0', '3 orders are being cancelled already, and are not counted']);
});

test('D12 a q cancels an order with an open G: a G reduces no risk', () => {
  const desk = workingDesk();
  desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=50001|');
  expect(desk.last().command.kind).toBe('amendOrder');
  const [r] = desk.oms('35=q|11=q-1|530=7|');
  expect([field(r, 533), field(r, 58), desk.last().command.kind]).toEqual(['1', null, 'cancelOrder']);
});

test('U2 D12 a q cancels an order again if the outcome of its cancel is unknown', () => {
  const desk = workingDesk();
  desk.oms('35=F|11=f-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|');
  const { commandId } = desk.last();
  desk.unknown();
  const [r] = desk.oms('35=q|11=q-1|530=7|');
  expect([field(r, 533), field(r, 58)]).toEqual(['1', null]);
  expect(desk.last()).toMatchObject({ command: { kind: 'cancelOrder' } });
  expect(desk.last().commandId).not.toBe(commandId);
});

test('D12 sends no ninth cancel by a q for an order under eight cancels, and does not count it', () => {
  const desk = workingDesk();
  for (let n = 1; n <= 8; n++) {
    const [before] = desk.oms(`35=q|115=FIRM-${n}|11=q-1-${n}|530=7|`);
    expect(field(before, 533)).toBe('1');
  }
  const { commandId } = desk.last();
  const [r] = desk.oms('35=q|115=FIRM-9|11=q-1|530=7|');
  const text = '1 order is being cancelled already, and is not counted';
  expect([field(r, 533), field(r, 58), desk.last().commandId]).toEqual(['0', text, commandId]);
});

test("D12 O7 r names another session's open order by OrderID(37), never by its ClOrdID", () => {
  const risk = 'FIXT.1.1:XG->RISK';
  const sessions = [sessionConfig(), sessionConfig({ sessionId: risk, beginString: 'FIXT.1.1', reach: 'accounts' })];
  const desk = new Desk(gatewayConfig({}, { sessions }));
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  desk.phase({});
  desk.oms(LIMIT.replace('o-1', 'secret-1').replace('59=1', '59=5'));
  desk.order({ timeInForce: 'GTX' });
  desk.oms(LIMIT.replace('o-1', 'r-2').replace('59=1', '59=5'), { sessionId: risk });
  desk.order({ timeInForce: 'GTX', orderId: '9002', clientOrderId: '2' });
  desk.phase({ eventType: 'AUCTION_LOCKDOWN', phase: 'LOCKDOWN', cancelAuctionOrderEnabled: false });
  const [r] = desk.oms('35=q|11=q-1|530=7|', { sessionId: risk });
  expect(r).not.toContain('secret-1');
  expect(field(r, 58)).toBe("2 orders stay open, the auction's phase forbids cancelling: r-2, OrderID(37)=9001");
  expect(r).toContain('|1370=2|1372=r-2|1371=9002|1372=NONE|1371=9001|');
});

test('D12 O9 counts an order that another firm is cancelling: its F may be refused', () => {
  const desk = workingDesk();
  desk.oms('35=F|115=FIRM-A|11=f-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|');
  const [ofB] = desk.oms('35=q|115=FIRM-B|11=q-1|530=7|');
  expect([field(ofB, 533), field(ofB, 58)]).toEqual(['1', null]);
  const [ofA] = desk.oms('35=q|115=FIRM-A|11=q-2|530=7|');
  expect(field(ofA, 533)).toBe('0');
});

describe('O8 an order with a renamed or removed account', () => {
  const renamed = (accounts: Parameters<typeof sessionConfig>[0]): Desk => {
    const desk = workingDesk();
    desk.gateway.applyConfig(sessionConfig(accounts));
    return desk;
  };
  const named = (account: string) => ({ accounts: [{ account, tradingAccountId: ACCOUNT, credential: 'main' }] });

  test.each(['ACC1', 'NEW'])('is found by F, H, q and AF under Account(1)=%s', (account) => {
    const desk = (): Desk => renamed(named('NEW'));
    const [status] = desk().oms(`35=H|11=o-1|1=${account}|55=BTCUSDC|54=1|`);
    expect([150, 39].map((tag) => field(status, tag))).toEqual(['I', '0']);
    const [all] = desk().oms(`35=AF|584=m-1|585=7|1=${account}|`);
    expect([11, 911].map((tag) => field(all, tag))).toEqual(['o-1', '1']);
    const [r] = desk().oms(`35=q|11=q-1|530=7|1=${account}|`);
    expect([531, 533].map((tag) => field(r, tag))).toEqual(['7', '1']);
    expect(summary(desk().oms(`35=F|11=f-1|41=o-1|1=${account}|55=BTCUSDC|54=1|`))).toEqual(['6/6']);
  });

  test("accepts a q by the account's reported name; an unknown account or order is refused", () => {
    const desk = renamed({ accounts: [] });
    expect(field(desk.oms('35=q|11=q-1|530=7|1=NONE|')[0], 531)).toBe('0');
    const [r] = desk.oms('35=q|11=q-2|530=7|1=ACC1|');
    expect([531, 533].map((tag) => field(r, tag))).toEqual(['7', '1']);
  });
});
