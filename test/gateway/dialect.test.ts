// Rule D1: what is sent in the `standard` dialect stands in the version's stock dictionary; what is sent in `venue`
// stands in ours. One day with every kind of answer, in every version.

import { expect, test } from 'vitest';
import type { Validator } from '../../src/dictionary/mod.ts';
import type { AmendOrderCommand } from '../../src/exchange/command.ts';
import { fromPrintable, viewOf } from '../../src/wire/mod.ts';
import { Desk, field, gatewayConfig, LIMIT, sessionConfig } from './desk.ts';
import { faultIn, overFixt, plain, STOCK } from './message-faults.ts';

/** Every kind of message that a gateway sends, on one session. */
function wholeDay(
  beginString: string,
  dialect: 'standard' | 'venue',
  defaultApplVerID: '7' | '8' | '9' = '9',
): string[] {
  const limits = { ...sessionConfig().limits, orderQtyMax: '50' };
  const desk = new Desk(gatewayConfig({ beginString, dialect, defaultApplVerID, limits, pendingNewAfterMs: 0 }));
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  desk.phase({});
  let orders = 0;
  const next = (text: string): { orderId: string; clientOrderId: string } => {
    orders++;
    desk.oms(text.replace('11=o-1|', `11=o-${orders}|50=trader|115=FIRM|21=1|15=USDC|`));
    return { orderId: `${9000 + orders}`, clientOrderId: `${orders}` };
  };
  const full = next(`${LIMIT}544=1|`);
  desk.order(full);
  desk.trade({ ...full, baseFee: '0.0001', quoteFee: '0.05', tradeRebateAmount: '1', tradeRebateAssetSymbol: 'USDC' });
  desk.trade({ ...full, tradeId: '7002', quantity: '1.5', isTaker: true });
  const cancelled = next(LIMIT.replace('40=2', '40=p'));
  desk.order({ ...cancelled, type: 'POST_ONLY' });
  desk.oms('35=G|11=g-1|41=o-2|1=ACC1|55=BTCUSDC|54=1|21=1|40=2|18=6|38=2|44=101|');
  desk.now += 1;
  desk.order({ ...cancelled, clientOrderId: '3', price: '101', type: 'POST_ONLY' });
  orders++;
  desk.oms('35=G|11=g-2|41=g-1|1=ACC1|55=BTCUSDC|54=1|21=1|40=2|38=2|44=101.01|');
  desk.oms('35=F|11=c-1|41=g-1|1=ACC1|55=BTCUSDC|54=1|');
  desk.order({ ...cancelled, clientOrderId: '3', price: '101', status: 'CANCELLED', statusReasonCode: '6005' });
  desk.oms('35=F|11=c-2|41=g-1|1=ACC1|55=BTCUSDC|54=1|');
  desk.oms('35=F|11=c-3|41=nothing|1=ACC1|55=BTCUSDC|54=1|');
  const stop = next(LIMIT.replace('40=2|44=100', '40=4|44=100|99=101'));
  desk.order({ ...stop, type: 'STOP_LIMIT' });
  desk.order({ ...stop, type: 'LMT', publishedAt: desk.now + 1 });
  desk.order({ ...stop, type: 'LMT', quantity: '1', publishedAt: desk.now + 2 });
  desk.order({ ...stop, status: 'CANCELLED', statusReasonCode: '3020' });
  const ioc = next(LIMIT.replace('59=1', '59=3'));
  desk.order({ ...ioc, status: 'CLOSED', statusReasonCode: '6004' });
  const auction = next(LIMIT.replace('59=1', '59=5'));
  desk.order({ ...auction, timeInForce: 'GTX' });
  desk.trade({ ...auction, auctionId: 'A-1' });
  desk.order({ ...auction, status: 'CLOSED', statusReasonCode: '6021', quantityFilled: '0.5' });
  next(LIMIT);
  desk.refused(400, '3005', 'Insufficient balance');
  for (const bad of ['38=60', '1=NONE', '55=XXX', '44=100.01', '59=6']) {
    const tag = bad.slice(0, bad.indexOf('=') + 1);
    const kept = LIMIT.split('|').filter((part) => part !== '' && !part.startsWith(tag));
    desk.oms(`${kept.join('|').replace('o-1', `bad-${bad}`)}|21=1|${bad}|`);
  }
  desk.oms(`${LIMIT}21=1|`);
  desk.oms(`${LIMIT}21=1|97=Y|`);
  desk.oms('35=H|11=o-1|55=BTCUSDC|54=1|');
  desk.oms('35=H|11=nothing|55=BTCUSDC|54=1|');
  desk.oms('35=AF|584=m-1|585=7|');
  desk.oms('35=AF|584=m-2|585=1|55=ETHUSDC|');
  const swept = next(LIMIT);
  desk.order(swept);
  desk.oms('35=q|11=q-1|530=7|1=ACC1|');
  desk.order({ ...swept, status: 'CANCELLED', statusReasonCode: '6005' });
  desk.oms('35=q|11=q-2|530=4|1=ACC1|');
  desk.oms('35=V|262=md-1|263=1|264=1|');
  const tooMuch = viewOf(fromPrintable(`35=H|34=9|49=OMS|56=XG|11=o-1|55=BTCUSDC|54=1|`, beginString))!;
  const { sessionId } = desk.config.sessions[0]!;
  desk.feed({ kind: 'throttled', sessionId, view: tooMuch, possDup: false, excess: 'refuse', waitMs: 40 });
  next(LIMIT);
  desk.unknown();
  const last = next(LIMIT);
  desk.order(last);
  desk.feed({ kind: 'sessionDown', sessionId: desk.config.sessions[0]!.sessionId, end: 'disconnect' });
  desk.order({ ...last, status: 'CANCELLED', statusReasonCode: '6005' });
  return desk.sent;
}

function faultsIn(sent: readonly string[], beginString: string, validator: Validator): string[] {
  return sent.flatMap((text, i) => {
    const fault = faultIn(text, beginString, validator, i + 1);
    return fault === null ? [] : [`${fault} in ${text}`];
  });
}

for (const [beginString, validator] of [
  ['FIX.4.2', plain(`${STOCK}/FIX42.xml`)],
  ['FIX.4.4', plain(`${STOCK}/FIX44.xml`)],
  ['FIXT.1.1', overFixt(`${STOCK}/FIX50SP2.xml`)],
] as const) {
  test(`D1 in the standard dialect the stock dictionary of ${beginString} accepts every message that is sent`, () => {
    const sent = wholeDay(beginString, 'standard');
    expect(sent.length).toBeGreaterThan(30);
    expect(faultsIn(sent, beginString, validator)).toEqual([]);
  });
}

for (const [beginString, validator] of [
  ['FIX.4.2', plain('dictionaries/FIX42.xml')],
  ['FIX.4.4', plain('dictionaries/FIX44.xml')],
  ['FIXT.1.1', overFixt('dictionaries/FIX50SP2.xml')],
] as const) {
  test(`D1 in the venue dialect our own dictionary of ${beginString} accepts every message that is sent`, () => {
    const sent = wholeDay(beginString, 'venue');
    expect(faultsIn(sent, beginString, validator)).toEqual([]);
  });
}

test.each([
  ['FIX.5.0', '7', 'FIX50.xml'],
  ['FIX.5.0SP1', '8', 'FIX50SP1.xml'],
] as const)('D1 in both dialects our own dictionary of %s accepts every message that is sent', (_, applVerID, name) => {
  const validator = overFixt(`dictionaries/${name}`);
  for (const dialect of ['standard', 'venue'] as const) {
    expect(faultsIn(wholeDay('FIXT.1.1', dialect, applVerID), 'FIXT.1.1', validator)).toEqual([]);
  }
});

test('D2 FIX.4.2 has 20 in every 8, 150=1 and 2 for fills, 20=3 for a status, no 150=F or I, and no q or AF', () => {
  const sent = wholeDay('FIX.4.2', 'standard');
  const reports = sent.filter((text) => field(text, 35) === '8');
  expect(reports.every((text) => field(text, 20) !== null)).toBe(true);
  const execTypes = new Set(reports.map((text) => field(text, 150)));
  expect([...execTypes].some((type) => type === 'F' || type === 'I')).toBe(false);
  expect(execTypes.has('1') && execTypes.has('2')).toBe(true);
  expect(sent.filter((text) => field(text, 380) === '3').map((text) => field(text, 372))).toEqual([
    'AF',
    'AF',
    'q',
    'q',
  ]);
  expect(reports.filter((text) => field(text, 20) === '3').length).toBeGreaterThan(0);
});

test.each([
  ['FIX.4.2', '5'],
  ['FIX.4.4', '0'],
])(
  'D2 in %s an order that was replaced before its first fill has 39=%s, from its first fill on 39=1',
  (beginString, ordStatus) => {
    const desk = new Desk(gatewayConfig({ beginString }));
    desk.oms(`${LIMIT}21=1|`);
    desk.order({});
    desk.oms('35=G|11=g-1|41=o-1|1=ACC1|21=1|55=BTCUSDC|54=1|40=2|38=2|44=99|');
    const { clientOrderId } = desk.last().command as AmendOrderCommand;
    const working = { clientOrderId, price: '99.0', publishedAt: desk.now + 1 };
    const [replaced] = desk.order(working);
    expect([field(replaced, 150), field(replaced, 39)]).toEqual(['5', ordStatus]);
    expect(field(desk.oms('35=H|11=g-1|55=BTCUSDC|54=1|')[0], 39)).toBe(ordStatus);
    const [pending] = desk.oms('35=F|11=c-1|41=g-1|1=ACC1|55=BTCUSDC|54=1|');
    expect(field(pending, 39)).toBe('6');
    expect(field(desk.refused(400, '3085', 'Not now')[0], 39)).toBe(ordStatus);
    expect(field(desk.trade({ clientOrderId })[0], 39)).toBe('1');
  },
);

test('D1 an order that was rejected in the numbers of the venue is told in the standard ones once its session speaks standard', () => {
  const desk = new Desk(gatewayConfig({ dialect: 'venue' }));
  desk.oms(LIMIT);
  expect(field(desk.refused(400, '3001', 'Balance of the account too low')[0], 103)).toBe('3001');
  desk.gateway.applyConfig(sessionConfig());
  expect(field(desk.oms('35=H|11=o-1|55=BTCUSDC|54=1|')[0], 103)).toBe('99');
});
