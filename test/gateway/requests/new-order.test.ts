// NewOrderSingle turned down before the exchange hears of it: every refusal names tag and value.

import { describe, expect, test } from 'vitest';
import { Gateway } from '../../../src/gateway/mod.ts';
import { Desk, field, gatewayConfig, LIMIT, market, SESSION, sessionConfig, summary, workingDesk } from '../desk.ts';

/** Replace or add a field of the plain limit order; `44=` removes it. */
function order(...changes: string[]): string {
  let text = LIMIT;
  for (const change of changes) {
    const tag = change.slice(0, change.indexOf('=') + 1);
    const kept = text.split('|').filter((part) => part !== '' && !part.startsWith(tag));
    text = `${[...kept, ...(change === tag ? [] : [change])].join('|')}|`;
  }
  return text;
}

/** The reject's 103 and Text; nothing was submitted. */
function refusal(desk: Desk, text: string): [string | null, string] {
  const answers = desk.oms(text);
  expect(summary(answers)).toEqual(['8/8']);
  expect(desk.submitted).toEqual([]);
  return [field(answers[0], 103), field(answers[0], 58) ?? ''];
}

test('O7 an Account that is not on the list of the session is refused with 103=15', () => {
  const [reason, text] = refusal(new Desk(), order('1=OTHER'));
  expect(reason).toBe('15');
  expect(text).toContain('Account(1)=OTHER');
  expect(refusal(new Desk(), order('1='))[0]).toBe('15');
});

test('O8 a refusal names the market as the order did, not as the exchange does', () => {
  const limits = { ...sessionConfig().limits!, priceBandPercent: '5' };
  const config = gatewayConfig({ symbolAliases: { 'BTC/USDC': 'BTCUSDC', ether: 'ETHUSDC' }, limits });
  const wrong = ['44=100.12345', '38=0.00000000001', '38=5000', '15=EUR', '120=EUR', '231=7', '167=OPT', '200=202601'];
  const texts = [...wrong, '1=ACC1'].map((more) => refusal(new Desk(config), order('55=BTC/USDC', more))[1]);
  const [gtx] = new Desk(config).oms(LIMIT.replace('BTCUSDC', 'ether').replace('59=1', '59=5'));
  for (const text of [...texts, field(gtx, 58) ?? '']) {
    expect(text).toMatch(/BTC\/USDC|ether/);
    expect(text).not.toMatch(/BTCUSDC|ETHUSDC/);
  }
  const desk = new Desk(gatewayConfig({ symbolAliases: { 'BTC/USDC': 'BTCUSDC' } }));
  desk.oms(order('55=BTC/USDC'));
  desk.accepted(undefined, '9001');
  desk.order({});
  const [refused] = desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTC/USDC|54=1|40=2|38=2|44=100.12345|');
  expect(field(refused, 58)).toContain('BTC/USDC');
});

test('O8 symbols go by this session’s aliases; an unknown one is refused, never guessed', () => {
  const config = gatewayConfig({ symbolAliases: { 'BTC/USDC': 'BTCUSDC' }, symbols: ['BTCUSDC'] });
  const desk = new Desk(config);
  desk.oms(order('55=BTC/USDC'));
  expect(desk.last().command).toMatchObject({ symbol: 'BTCUSDC' });
  expect(field(desk.order({})[0], 55)).toBe('BTC/USDC');
  expect(refusal(new Desk(config), order('55=BTC-USDC'))).toEqual([
    '1',
    expect.stringContaining('Symbol(55)=BTC-USDC'),
  ]);
  expect(refusal(new Desk(config), order('55=ETHUSDC'))[0]).toBe('1');
  expect(refusal(new Desk(config), order('48=ETHUSDC', '22=8'))[0]).toBe('1');
  const byId = new Desk(config);
  byId.oms(order('55=[N/A]', '48=BTC/USDC'));
  expect(byId.last().command).toMatchObject({ symbol: 'BTCUSDC' });
});

test('D13 refuses a missing conditional field with 103=99 (13 for quantity), naming the tag', () => {
  expect(refusal(new Desk(), order('44='))).toEqual(['99', expect.stringContaining('Price(44) is required')]);
  expect(refusal(new Desk(), order('40=4'))).toEqual(['99', expect.stringContaining('StopPx(99) is required')]);
  expect(refusal(new Desk(), order('38='))).toEqual(['13', expect.stringContaining('OrderQty(38)')]);
});

test('D13 a standard value that is not supported is refused with 103=11 and Text', () => {
  for (const [change, words] of [
    ['40=3', 'OrdType(40)=3'],
    ['59=2', 'TimeInForce(59)=2'],
    ['54=5', 'Side(54)=5'],
    ['544=3', 'CashMargin(544)=3'],
    ['18=1', 'ExecInst(18)=1'],
  ] as const) {
    expect(refusal(new Desk(), order(change))).toEqual(['11', expect.stringContaining(words)]);
  }
});

test('T1 TimeInForce absent means GTC by setting, else it is refused; 0 and 6 are always refused', () => {
  const desk = new Desk();
  desk.oms(order('59='));
  expect(desk.last().command).toMatchObject({ timeInForce: 'GTC' });
  expect(refusal(new Desk(gatewayConfig({ timeInForceAbsent: 'refuse' })), order('59='))[0]).toBe('99');
  for (const value of ['0', '6']) expect(refusal(new Desk(), order(`59=${value}`))[0]).toBe('11');
});

test('T2 only 7, 9 and B may mean GTX, by setting; market with GTX is a market-on-close auction order', () => {
  for (const value of ['7', '9', 'B']) {
    expect(refusal(new Desk(), order(`59=${value}`))[0]).toBe('11');
    const desk = new Desk(gatewayConfig({ gtxAliases: [value] }));
    desk.oms(order(`59=${value}`));
    expect(desk.last().command).toMatchObject({ timeInForce: 'GTX', type: 'LIMIT' });
  }
  expect(refusal(new Desk(gatewayConfig({ gtxAliases: ['2'] })), order('59=2'))[0]).toBe('11');
  const desk = new Desk();
  desk.feed({ kind: 'referencePrice', symbol: 'BTCUSDC', price: '100' });
  desk.oms(order('40=1', '44=', '59=5'));
  expect(desk.last().command).toMatchObject({ timeInForce: 'GTX', type: 'MARKET', price: null });
  expect(refusal(new Desk(), order('40=p', '59=5'))).toEqual(['11', expect.stringContaining('GTX')]);
});

test('T2 GTX on a symbol without auctions, or outside one, is refused with a text that explains it', () => {
  const [reason, text] = refusal(new Desk(), order('55=ETHUSDC', '59=5'));
  expect(reason).toBe('11');
  expect(text).toContain('call auction');
  const alias = refusal(new Desk(gatewayConfig({ gtxAliases: ['7'] })), order('55=ETHUSDC', '59=7'));
  expect(alias).toEqual(['11', text!.replaceAll('59)=5', '59)=7')]);
  const desk = new Desk();
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  desk.phase({ eventType: 'AUCTION_CROSS_COMPLETED', phase: 'CROSS' });
  expect(refusal(desk, order('59=5'))).toEqual(['2', expect.stringContaining('no auction is running')]);
});

test('T3 refuses a TradingSessionID of another auction, or on an order without GTX', () => {
  const desk = new Desk();
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  desk.phase({});
  expect(refusal(desk, order('59=5', '386=1', '336=A-2'))).toEqual(['99', expect.stringContaining('336')]);
  expect(refusal(desk, order('11=o-2', '386=1', '336=A-1'))[1]).toContain('not 5 (GTX)');
  expect(refusal(desk, `${order('11=o-4', '59=5', '386=2', '336=A-1')}336=A-2|`)[1]).toContain('A-2');
  desk.oms(order('11=o-3', '59=5', '386=1', '336=A-1'));
  expect(desk.submitted).toHaveLength(1);
});

test('T3 T4 applies the public auction feed to orders of logins that do not carry it', () => {
  const desk = new Desk();
  desk.feed({ kind: 'feed', credential: 'first', feed: 'auction', live: true });
  desk.phase({});
  expect(refusal(desk, order('59=5', '386=1', '336=A-2'))).toEqual(['99', expect.stringContaining('336')]);
  desk.phase({ phase: 'COOLING', createAuctionOrderEnabled: false });
  expect(refusal(desk, order('11=o-2', '59=5'))[1]).toContain('COOLING');
});

test('T3 a phase that the exchange refuses to tell any more refuses no order of that market', () => {
  const desk = new Desk();
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  desk.phase({ phase: 'COOLING', createAuctionOrderEnabled: false });
  expect(refusal(desk, order('59=5'))[1]).toContain('COOLING');
  desk.feed({ kind: 'phaseUnknown', symbol: 'BTCUSDC' });
  desk.oms(order('11=o-2', '59=5'));
  expect(desk.submitted).toHaveLength(1);
});

test.each([
  ['FIX.4.4', '99', '99'],
  ['FIXT.1.1', '18', '18'],
  ['FIX.4.2', '0', '2'],
] as const)(
  'D13 in %s refuses a price off the grid with 103=%s and 102=%s, by either side',
  (beginString, ordRejReason, cxlRejReason) => {
    const desk = new Desk(gatewayConfig({ beginString }));
    expect(field(desk.oms(order('44=100.05', '11=o-0'))[0], 103)).toBe(ordRejReason);
    desk.oms(order());
    expect(field(desk.refused(400, '6018', 'Price must be of tick size')[0], 103)).toBe(ordRejReason);
    desk.oms(order('11=o-2'));
    desk.accepted(undefined, '9002');
    desk.order({ orderId: '9002', clientOrderId: '2' });
    const [reject] = desk.oms('35=G|11=g-1|41=o-2|1=ACC1|55=BTCUSDC|54=1|40=2|44=100.05|');
    expect(field(reject, 102)).toBe(cxlRejReason);
    const venue = new Desk(gatewayConfig({ beginString, dialect: 'venue' }));
    expect(refusal(venue, order('44=100.05'))[0]).toBe('18');
  },
);

test('D13 accepts MmpEnabled by either number for options only, and refuses contradictions', () => {
  const name = 'BTC-USDC-20260327-90000-C';
  const deskOf = (): Desk => {
    const desk = new Desk();
    desk.feed({ kind: 'markets', markets: [market('BTCUSDC'), market(name, { marketType: 'OPTION' })] });
    return desk;
  };
  const sent = (symbol: string, ...said: string[]): unknown => {
    const desk = deskOf();
    desk.oms(order(`55=${symbol}`, ...said));
    return desk.last().command;
  };
  expect(sent(name)).toMatchObject({ isMMP: null });
  expect(sent(name, '20002=Y')).toMatchObject({ isMMP: true });
  expect(sent(name, '20003=Y')).toMatchObject({ isMMP: true });
  // Nothing is said that is not asked for: only options have the field at the exchange, and V2CreateOrder has none.
  for (const symbol of [name, 'BTCUSDC']) expect(sent(symbol, '20002=N', '20003=N')).toMatchObject({ isMMP: null });
  expect(refusal(deskOf(), order('20002=Y', '20003=N'))).toEqual([
    '99',
    'MmpEnabled(20002)=Y and MmpEnabledAlternate(20003)=N contradict each other',
  ]);
  for (const tag of ['MmpEnabled(20002)', 'MmpEnabledAlternate(20003)']) {
    expect(refusal(deskOf(), order(`${/\d+/.exec(tag)}=Y`))).toEqual([
      '11',
      `${tag}=Y is for options only, and Symbol(55)=BTCUSDC is none: leave it out`,
    ]);
  }
});

test('T3 the local phase refuses only while its feed is live; otherwise the exchange decides', () => {
  const desk = new Desk();
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  desk.phase({ phase: 'COOLING', createAuctionOrderEnabled: false });
  expect(refusal(desk, order('59=5'))[1]).toContain('COOLING');
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: false });
  desk.oms(order('11=o-2', '59=5'));
  expect(desk.submitted).toHaveLength(1);
});

test('refuses too fine quantities and prices with the allowed increment, and never rounds', () => {
  const desk = (): Desk => new Desk();
  expect(refusal(desk(), order('38=0.123456789'))).toEqual([
    '13',
    expect.stringContaining('OrderQty(38)=0.123456789 is too fine for BTCUSDC: a multiple of 0.00000001'),
  ]);
  expect(refusal(desk(), order('44=100.05'))).toEqual([
    '99',
    expect.stringContaining('Price(44)=100.05 is too fine for BTCUSDC: a multiple of 0.1'),
  ]);
  expect(refusal(desk(), order('38=0.0001'))).toEqual(['13', expect.stringContaining('greater than 0.0001')]);
  expect(refusal(desk(), order('38=1000'))).toEqual(['13', expect.stringContaining('less than 1000')]);
  expect(refusal(desk(), order('38=0'))[0]).toBe('13');
  expect(refusal(desk(), order('44=-1'))[0]).toBe('99');
  const coarse = new Desk();
  coarse.feed({ kind: 'markets', markets: [market('BTCUSDC', { tickSize: '0.5' })] });
  expect(refusal(coarse, order('44=100.2'))).toEqual(['99', expect.stringContaining('multiple of 0.5')]);
  const venue = new Desk(gatewayConfig({ dialect: 'venue' }));
  expect(refusal(venue, order('44=100.05'))[0]).toBe('18');
  const fine = new Desk();
  fine.oms(order('38=2.00000000', '44=100.000'));
  expect(fine.last().command).toMatchObject({ quantity: '2', price: '100' });
});

test('an option takes limit orders only, and the refusal says so', () => {
  const name = 'BTC-USDC-20260327-90000-C';
  const desk = new Desk();
  desk.feed({ kind: 'markets', markets: [market(name, { marketType: 'OPTION' })] });
  const option = (...fields: string[]): string => order(...fields).replace('55=BTCUSDC', `55=${name}`);
  const words = expect.stringContaining(`does not exist for options (Symbol(55)=${name})`);
  expect(refusal(desk, option('40=1').replace('44=100|', ''))).toEqual(['11', words]);
  expect(refusal(desk, option('11=o-2', '40=4', '99=101'))).toEqual(['11', words]);
  desk.oms(option('11=o-3'));
  expect(desk.last().command).toMatchObject({ symbol: name, type: 'LIMIT' });
});

test('a market order carries no price, a limit order no stop price', () => {
  expect(refusal(new Desk(), order('40=1'))[1]).toContain('Price(44)=100 must be absent');
  expect(refusal(new Desk(), order('99=101'))[1]).toContain('StopPx(99)=101');
  expect(refusal(new Desk(), order('40=4', '99=101', '59=3'))[0]).toBe('11');
  expect(refusal(new Desk(), order('40=p', '59=4'))[0]).toBe('11');
});

test('O12 limits on quantity, notional and open orders refuse with 103=3 and the limit in Text', () => {
  const limits = { ...sessionConfig().limits, orderQtyMax: '5', notionalMax: '400', openOrdersMax: 1 };
  const desk = new Desk(gatewayConfig({ limits }));
  expect(refusal(desk, order('38=5.1'))).toEqual(['3', expect.stringContaining('limit of 5')]);
  expect(refusal(desk, order('11=o-2', '38=4.1'))).toEqual(['3', expect.stringContaining('410')]);
  desk.oms(order('11=o-3'));
  expect(desk.submitted).toHaveLength(1);
  expect(field(desk.oms(order('11=o-4'))[0], 58)).toContain('1 open orders');
});

test('O12 values a sell below the market at the reference price or stop for the notional limit', () => {
  const limits = { ...sessionConfig().limits, notionalMax: '400' };
  const desk = new Desk(gatewayConfig({ limits }));
  desk.oms(order('11=o-1', '54=2', '38=5', '44=10'));
  expect(desk.submitted).toHaveLength(1);
  desk.feed({ kind: 'referencePrice', symbol: 'BTCUSDC', price: '100' });
  for (const [text, ...fields] of [
    ['OrderQty(38)=5 at reference price 100 is 500, over', '54=2', '38=5', '44=10'],
    ['OrderQty(38)=2 at Price(44)=201 is 402, over', '54=2', '38=2', '44=201'],
    ['OrderQty(38)=5 at StopPx(99)=81 is 405, over', '54=2', '38=5', '40=4', '44=10', '99=81'],
  ] as const) {
    const [report] = desk.oms(order(`11=r-${text}`, ...fields));
    expect([field(report, 150), field(report, 103)]).toEqual(['8', '3']);
    expect(field(report, 58)).toContain(text);
  }
  for (const [i, fields] of [
    ['54=2', '38=4', '44=10'],
    ['54=2', '38=5', '40=4', '44=10', '99=80'],
    ['54=1', '38=5', '44=10'],
  ].entries()) {
    desk.oms(order(`11=p-${i}`, ...fields));
    expect(desk.submitted).toHaveLength(2 + i);
  }
  // A price that is too old says nothing, and no order waits for one.
  desk.now += 60_001;
  desk.oms(order('11=o-5', '54=2', '38=5', '44=10'));
  expect(desk.submitted).toHaveLength(5);
});

test('O12 a limit that needs a reference price refuses with 103=3 when that price is stale', () => {
  const limits = { ...sessionConfig().limits, priceBandPercent: '5' };
  const desk = new Desk(gatewayConfig({ limits }));
  expect(refusal(desk, order())).toEqual(['3', expect.stringContaining('reference price')]);
  desk.feed({ kind: 'referencePrice', symbol: 'BTCUSDC', price: '100' });
  expect(refusal(desk, order('11=o-2', '44=105.1'))).toEqual(['3', expect.stringContaining('5 %')]);
  desk.oms(order('11=o-3', '44=105'));
  expect(desk.submitted).toHaveLength(1);
  desk.now += 60_001;
  expect(field(desk.oms(order('11=o-4'))[0], 103)).toBe('3');
  expect(field(desk.oms(order('11=o-5', '40=1', '44='))[0], 103)).toBe('3');
});

test.each(['1', '2'])(
  'O12 Side(54)=%s: a price is refused as far below the reference price as above it, to the tick',
  (side) => {
    const limits = { ...sessionConfig().limits, priceBandPercent: '5' };
    const desk = new Desk(gatewayConfig({ limits }));
    desk.feed({ kind: 'referencePrice', symbol: 'BTCUSDC', price: '1000' });
    for (const [n, price] of ['949.9', '1050.1', '0.1'].entries()) {
      const refused = refusal(desk, order(`11=r-${n}`, `54=${side}`, `44=${price}`));
      expect(refused).toEqual(['3', expect.stringContaining(`Price(44)=${price} is more than 5 % away`)]);
    }
    for (const [n, price] of ['950', '1050'].entries()) desk.oms(order(`11=o-${n}`, `54=${side}`, `44=${price}`));
    expect(desk.submitted).toHaveLength(2);
  },
);

test('O12 a session without usable limits cannot be constructed', () => {
  for (const limits of [
    undefined,
    { ...sessionConfig().limits, orderQtyMax: '0' },
    { ...sessionConfig().limits, notionalMax: 'much' },
    { ...sessionConfig().limits, openOrdersMax: 0 },
  ]) {
    const session = { ...sessionConfig(), limits } as ReturnType<typeof sessionConfig>;
    expect(() => new Gateway({ ...gatewayConfig(), sessions: [session] }, { orders: new Map() })).toThrow(/O12/);
  }
});

test('O4 refuses a first-seen D with 43=Y or 97=Y that is too old by 122, else 60, else 52', () => {
  for (const [fields, possDup] of [
    ['97=Y|60=20260105-11:59:49.999|', false],
    ['43=Y|122=20260105-11:59:49.999|', true],
    ['43=Y|122=20260105-11:59:49.999|60=20260105-12:00:00|', true],
    // A time that is still to come says nothing of the age: written in local time, or by a clock that is off.
    ['97=Y|60=20260105-13:00:00|', false],
    ['43=Y|122=20260106-12:00:00|', true],
  ] as const) {
    const desk = new Desk();
    const answers = desk.oms(LIMIT + fields, { possDup });
    expect([field(answers[0], 150), field(answers[0], 103)]).toEqual(['8', '8']);
    expect(desk.submitted).toEqual([]);
  }
  const young = new Desk();
  young.oms(`${LIMIT}97=Y|60=20260105-11:59:51|`);
  young.oms(`${LIMIT.replace('o-1', 'o-2')}97=Y|60=20260105-12:01:59|`);
  expect(young.submitted).toHaveLength(2);
});

test('D14 PossResend of a known order is answered with its status, of an unknown one it is processed', () => {
  const desk = new Desk();
  desk.oms(`${LIMIT}97=Y|`);
  expect(desk.submitted).toHaveLength(1);
  desk.order({});
  const [status] = desk.oms(`${LIMIT}97=Y|`);
  expect([field(status, 150), field(status, 39), field(status, 17)]).toEqual(['I', '0', '0']);
  expect(desk.submitted).toHaveLength(1);
});

test('U4 a ClOrdID runs once: also after a refusal, a restart, and with 43=Y', () => {
  const desk = new Desk();
  desk.oms(order('38=0'));
  desk.oms(order('11=o-2'));
  desk.order({});
  desk.restart();
  expect(field(desk.oms(`${order()}97=Y|`)[0], 39)).toBe('8');
  expect(field(desk.oms(order())[0], 103)).toBe('6');
  expect(field(desk.oms(order('11=o-2'), { possDup: true })[0], 150)).toBe('I');
  expect(desk.submitted).toHaveLength(1);
});

test.each(['standard', 'venue'] as const)("D14 a repeated D keeps its order's history (%s)", (dialect) => {
  const desk = new Desk(gatewayConfig({ dialect }));
  desk.oms(LIMIT);
  desk.order({});
  const before = desk.gateway.findOrder(SESSION, 'o-1')!;
  for (let i = 0; i < 100; i++) desk.oms(i < 50 ? LIMIT : `${LIMIT}97=Y|`);
  const { timeline, ...order } = desk.gateway.findOrder(SESSION, 'o-1')!;
  const { timeline: told, ...rest } = before;
  expect(order).toEqual(rest);
  expect(timeline.slice(0, told.length)).toEqual(told);
  expect(timeline.length - told.length).toBeLessThanOrEqual(2);
});

test("D14 repeats an earlier process's last report with its time, not today's", () => {
  const desk = new Desk(gatewayConfig({ dialect: 'venue' }));
  desk.oms(LIMIT);
  desk.order({});
  const sent = desk.sent.at(-1)!;
  desk.restart();
  desk.advance(86_400_000);
  const [again] = desk.oms(`${LIMIT}97=Y|`);
  expect([97, 150, 17].map((tag) => field(again, tag))).toEqual(['Y', ...[150, 17].map((tag) => field(sent, tag))]);
  expect(field(again, 60)!.slice(0, 8)).toBe(field(sent, 60)!.slice(0, 8));
});

test('O5 a duplicate ClOrdID is rejected with 103=6 and the status of the order that has it', () => {
  const desk = new Desk();
  desk.oms(order());
  desk.order({});
  desk.trade({});
  const [answer] = desk.oms(order('38=7'));
  expect([field(answer, 150), field(answer, 39), field(answer, 103)]).toEqual(['8', '1', '6']);
  expect([field(answer, 38), field(answer, 14), field(answer, 151)]).toEqual(['2', '0.5', '1.5']);
  expect(desk.submitted).toHaveLength(1);
  // Of a chain too: a D names no order before it.
  const replaced = workingDesk();
  replaced.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|44=101|');
  replaced.order({ clientOrderId: '2', price: '101', publishedAt: replaced.now + 1 });
  const [again] = replaced.oms(LIMIT);
  expect([150, 39, 11, 41, 103].map((tag) => field(again, tag))).toEqual(['8', '0', 'o-1', null, '6']);
});

test('O5 the allocator never gives a reference twice, in an 8-bit range, over restarts', () => {
  const limits = { ...sessionConfig().limits, openOrdersMax: 1_000 };
  const config = gatewayConfig({ limits }, { referenceRange: { first: '1', last: '255' } });
  const desk = new Desk(config);
  for (let i = 0; i < 300; i++) {
    if (i % 50 === 49) desk.restart();
    desk.oms(order(`11=n-${i}`));
  }
  const references = desk.submitted.map(({ command }) => ('clientOrderId' in command ? command.clientOrderId : null));
  expect(new Set(references).size).toBe(255);
  expect(references).toHaveLength(255);
  expect(field(desk.sent.at(-1), 58)).toContain('No exchange reference is left');
  expect(desk.alarmNames()).toContain('references-used-up');
});

test('O5 integer ClOrdIDs pass through by setting, outside the allocator’s range only', () => {
  const config = gatewayConfig({ clOrdIDPassThrough: true }, { referenceRange: { first: '1', last: '1000' } });
  const desk = new Desk(config);
  const sent = ['5000', '500', '007', 'a-1', '99999999999999999999'].map((clOrdID) => {
    desk.oms(order(`11=${clOrdID}`));
    const { command } = desk.last();
    return 'clientOrderId' in command ? command.clientOrderId : null;
  });
  expect(sent).toEqual(['5000', '1', '2', '3', '4']);
});

test('J3 orders of an account are refused until it is reconciled', () => {
  const desk = new Desk(gatewayConfig(), { ready: false });
  desk.feed({ kind: 'markets', markets: [market('BTCUSDC')] });
  expect(refusal(desk, order())).toEqual(['2', expect.stringContaining('not reconciled')]);
  desk.feed({ kind: 'reconciled', tradingAccountId: '111000000000001', ok: false });
  expect(refusal(desk, order('11=o-2'))[0]).toBe('2');
  desk.feed({ kind: 'reconciled', tradingAccountId: '111000000000001', ok: true });
  desk.oms(order('11=o-3'));
  expect(desk.submitted).toHaveLength(1);
});

test('J2 U5 refuses orders without a working journal and during shutdown; cancels still leave', () => {
  for (const input of [{ kind: 'journal', healthy: false }, { kind: 'shutdown' }] as const) {
    const desk = new Desk();
    desk.oms(order());
    desk.order({});
    desk.feed(input);
    expect(field(desk.oms(order('11=o-2'))[0], 150)).toBe('8');
    expect(field(desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|44=101|')[0], 35)).toBe('9');
    expect(summary(desk.oms('35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|'))).toEqual(['6/6']);
    expect(desk.last().command.kind).toBe('cancelOrder');
  }
});

const NOT_SENT = { kind: 'refused', httpStatus: null, errorCode: null, errorCodeName: null } as const;

test('a refused command is Rejected with the words and code of the exchange (rule U1)', () => {
  for (const [status, code, reason] of [
    [400, '3005', '3'],
    [401, null, '99'],
    [429, '96000', '99'],
    [null, null, '99'],
  ] as const) {
    const desk = new Desk();
    desk.oms(order());
    const [answer] = desk.refused(status, code, 'the exchange says why');
    expect([field(answer, 150), field(answer, 103)]).toEqual(['8', reason]);
    expect(field(answer, 58)).toContain('the exchange says why');
    expect(field(answer, 37)).toBe('NONE');
  }
});

test('U1 D8 refuses an unsent D, G or F with words that say so, and the remedy', () => {
  const desk = new Desk();
  desk.oms(order());
  desk.order({});
  const unsent = { ...NOT_SENT, message: 'connect failed (ECONNREFUSED)' } as const;
  const requests = ['35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|44=101|', '35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|'];
  for (const message of [order('11=o-2'), ...requests]) {
    desk.oms(message);
    const outcome = { kind: 'outcome', commandId: desk.last().commandId, outcome: unsent } as const;
    const [answer] = desk.answers(() => desk.feed(outcome));
    expect(field(answer, 58)).toBe(
      'Not sent to the exchange: connect failed (ECONNREFUSED); it was not carried out, send it again under a new ClOrdID(11)',
    );
  }
});

test.each([
  ['venue', '3034'],
  ['standard', '99'],
] as const)(
  'D1 refuses a command that waited too long for the rate in `%s` with 103=%s and 102 likewise',
  (dialect, reason) => {
    const desk = new Desk(gatewayConfig({ dialect }));
    const refuse = (): string | undefined =>
      desk.answers(() =>
        desk.feed({
          kind: 'outcome',
          commandId: desk.last().commandId,
          outcome: { ...NOT_SENT, message: 'the rate limit of the exchange is used up', overRate: true },
        }),
      )[0];
    desk.oms(order());
    expect(field(refuse(), 103)).toBe(reason);
    desk.oms(order('11=o-2'));
    desk.accepted(undefined, '9002');
    desk.order({ orderId: '9002', clientOrderId: '2' });
    desk.oms('35=G|11=g-1|41=o-2|1=ACC1|55=BTCUSDC|54=1|40=2|44=101|');
    expect(field(refuse(), 102)).toBe(reason);
  },
);

test("D1 reports a refused command with the number of the exchange's own FIX in `venue`", () => {
  for (const [status, code, reason] of [
    [429, '96000', '3034'],
    [429, '96001', '3035'],
    [400, '6018', '18'],
    [400, '2012', '18'],
    [400, '6023', '13'],
    [400, '21000', '1'],
    [400, '3001', '3001'],
    [400, '2018', '99'],
    [400, '6044', '99'],
    // Its own FIX has no 3 either.
    [400, '3005', '99'],
    [400, '3006', '99'],
  ] as const) {
    const desk = new Desk(gatewayConfig({ dialect: 'venue' }));
    desk.oms(order());
    const [answer] = desk.refused(status, code, 'the exchange says why');
    expect([code, field(answer, 150), field(answer, 103)]).toEqual([code, '8', reason]);
  }
});

test('a disabled market takes no orders; reference data must be loaded', () => {
  const desk = new Desk(gatewayConfig(), { ready: false });
  desk.feed({ kind: 'reconciled', tradingAccountId: '111000000000001', ok: true });
  expect(refusal(desk, order())[1]).toContain('not loaded');
  desk.feed({ kind: 'markets', markets: [market('BTCUSDC', { createOrderEnabled: false })] });
  expect(refusal(desk, order('11=o-2'))[1]).toContain('disabled');
});

test('ClOrdID is any printable text up to 64 characters', () => {
  const desk = new Desk();
  desk.oms(order(`11=${'x'.repeat(64)}`));
  expect(desk.submitted).toHaveLength(1);
  expect(field(desk.oms(order(`11=${'x'.repeat(65)}`))[0], 58)).toContain('64');
});

test('D13 a field that would change the order is refused, never ignored', () => {
  for (const fields of ['110=1', '111=1', '126=20260106-00:00:00', '210=1', '1138=1', '78=1', '854=1', '77=C']) {
    const [reason, text] = refusal(new Desk(), order(fields));
    expect(reason).toBe('11');
    expect(text).toContain(`(${fields.replace('=', ')=')}`);
  }
  const late = ['957=1', '1083=1', '1089=1', '1090=3', '1092=2', '1094=2', '1100=4', '1102=99', '1138=1'];
  for (const fields of late) {
    const [reason, text] = refusal(new Desk(gatewayConfig({ beginString: 'FIXT.1.1' })), order(fields));
    expect([reason, text]).toEqual(['11', expect.stringContaining(`(${fields.replace('=', ')=')} is not supported`)]);
  }
  const desk = new Desk();
  desk.oms(order('77=O|423=2|854=0|1028=Y|1091=Y|1092=0'));
  expect(desk.submitted).toHaveLength(1);
  desk.order({});
  const [reject] = desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|44=101|210=1|');
  expect([field(reject, 35), field(reject, 102)]).toEqual(['9', '99']);
});

test('O8 Currency(15) must be one of the market’s two assets; another one is refused, on D and on G', () => {
  for (const currency of ['USD', 'EUR', 'usdc']) {
    const [reason, text] = refusal(new Desk(), order(`15=${currency}`));
    expect(reason).toBe('99');
    expect(text).toContain(`Currency(15)=${currency} is no currency of BTCUSDC`);
  }
  for (const currency of ['USDC', 'BTC']) {
    const desk = new Desk();
    desk.oms(order(`15=${currency}`));
    expect(desk.submitted).toHaveLength(1);
    desk.order({});
    const [reject] = desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|44=101|15=USD|');
    expect([field(reject, 35), field(reject, 102)]).toEqual(['9', '99']);
  }
});

test('a number with too many digits is refused as that', () => {
  const long = `1${'0'.repeat(60)}`;
  expect(refusal(new Desk(), order(`38=${long}`))).toEqual(['13', expect.stringContaining('more digits than the 60')]);
  expect(refusal(new Desk(), order(`44=${long}`))).toEqual(['99', expect.stringContaining('more digits than the 60')]);
  expect(refusal(new Desk(), order('38=0'))[1]).toContain('not positive');
});

describe('where the session does not validate messages (validateIncoming)', () => {
  test.each(['1e3', '1,000.5', '+1', '1.2.3', 'abc'])('a quantity or price %s is refused as no number', (value) => {
    const no = (name: string): string => `${name}=${value} is no number: digits with a point at most`;
    expect(refusal(new Desk(), order(`38=${value}`))).toEqual(['13', expect.stringContaining(no('OrderQty(38)'))]);
    expect(refusal(new Desk(), order(`44=${value}`))).toEqual(['99', expect.stringContaining(no('Price(44)'))]);
  });

  test('names the missing Side(54) or request id, and does nothing without it, however often it comes', () => {
    const [, text] = refusal(new Desk(), order('54='));
    expect(text).toBe('Side(54) is required to say whether it buys or sells');
    const requests = [
      '35=F|41=o-1|1=ACC1|55=BTCUSDC|54=1|',
      '35=G|41=o-1|1=ACC1|55=BTCUSDC|54=1|44=99|',
      '35=q|530=7|',
      '35=E|394=3|68=1|73=1|11=e-1|67=1|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=100|',
      '35=c|321=3|',
      '35=AF|585=7|',
    ];
    const desk = workingDesk();
    for (const request of [...requests, ...requests]) {
      expect(desk.oms(request).join()).toContain('must have 1 to 255 characters, this one has 0');
      expect(desk.submitted).toHaveLength(1);
    }
  });
});

test('O4 a D that is first seen goes out, whatever its TransactTime(60) is', () => {
  const desk = new Desk();
  expect(desk.oms(`${LIMIT}60=20260105-11:00:00.000|`)).toEqual([]);
  expect(desk.last().command.kind).toBe('createOrder');
});

test.each(['', '97=Y|'])('U4 D14 a D with the ClOrdID(11) of a q makes no order (%s)', (more) => {
  const desk = new Desk();
  desk.oms('35=q|11=q-1|530=7|');
  const [answer] = desk.oms(LIMIT.replace('35=D|', `35=D|${more}`).replace('o-1', 'q-1'));
  expect([...summary([answer!]), field(answer, 103)]).toEqual(['8/8', '6']);
  expect(desk.submitted).toEqual([]);
});

test('O5 an integer ClOrdID(11) is the reference at the exchange by setting only, and of one account once', () => {
  const second = 'FIX.4.4:XG->OMS2';
  const number = LIMIT.replace('o-1', '5000000');
  const references = (clOrdIDPassThrough: boolean): unknown[] => {
    const sessions = [SESSION, second].map((sessionId) => sessionConfig({ sessionId, clOrdIDPassThrough }));
    const desk = new Desk(gatewayConfig({}, { sessions }));
    for (const { sessionId } of sessions) desk.oms(number, { sessionId });
    return desk.submitted.map(({ command }) => 'clientOrderId' in command && command.clientOrderId);
  };
  expect(references(true)).toEqual(['5000000', '1']);
  expect(references(false)).toEqual(['1', '2']);
});
