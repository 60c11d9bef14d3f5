// Every field that D, G and the orders of E may have, in every version: nothing that would change the order is passed over.

import { expect, test } from 'vitest';
import type { Member } from '../../../src/dictionary/definition.ts';
import { FIELD_GROUPS, type FieldUse } from '../../../src/gateway/rules/order-fields.ts';
import { dictionary } from '../../support/generated.ts';
import { ACCOUNT, Desk, field, gatewayConfig, LIMIT, market, SESSION, summary } from '../desk.ts';

const DICTIONARIES = ['FIX42.xml', 'FIX44.xml', 'FIX50.xml', 'FIX50SP1.xml', 'FIX50SP2.xml'];
const tagsOf = (use: FieldUse): number[] =>
  FIELD_GROUPS.filter((group) => group.use === use).flatMap(({ tags }) => tags);

function* fieldsOf(members: readonly Member[]): Generator<number> {
  for (const member of members) {
    yield member.field.tag;
    if (member.kind === 'group') yield* fieldsOf(member.members);
  }
}

test('D13 every field of D, G and E in every version has its place in the table, once, and no other', () => {
  const known = new Set<number>();
  for (const name of DICTIONARIES) {
    const { messages } = dictionary(name);
    for (const msgType of ['D', 'G', 'E']) for (const tag of fieldsOf(messages.get(msgType)!.members)) known.add(tag);
  }
  const placed = FIELD_GROUPS.flatMap(({ tags }) => tags).sort((a, b) => a - b);
  expect(placed).toEqual([...known].sort((a, b) => a - b));
});

/** A plain limit order with one more field, on a market; its answers and what was submitted. */
function ordered(extra: string, symbol = 'BTCUSDC', config = gatewayConfig()): { answer: string; sent: unknown[] } {
  const desk = new Desk(config, { ready: false });
  const kinds = { SPOT: 'BTCUSDC', PERPETUAL: 'BTC-USDC-PERP', DATED_FUTURE: 'BTC-USDC-20260327' } as const;
  const derivatives = Object.entries(kinds).map(
    ([marketType, name]) => [name, marketType as keyof typeof kinds] as const,
  );
  desk.feed({
    kind: 'markets',
    markets: [...derivatives, ['BTC-USDC-20260327-90000-C', 'OPTION'] as const].map(([name, marketType]) =>
      market(name, { marketType, baseSymbol: 'BTC', quoteSymbol: 'USDC' }),
    ),
  });
  desk.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
  const [answer = ''] = desk.oms(`${LIMIT.replace('55=BTCUSDC', `55=${symbol}`)}${extra}|`);
  return { answer, sent: desk.submitted.map(({ command }) => command) };
}

test('D13 refuses a field without a function at the exchange, naming tag and value', () => {
  for (const tag of tagsOf('refused')) {
    const { answer, sent } = ordered(`${tag}=1`);
    expect([tag, summary([answer]), field(answer, 103), sent]).toEqual([tag, ['8/8'], '11', []]);
    expect(field(answer, 58)).toContain(`(${tag})=1 is not supported`);
  }
});

test('a field that only informs others changes nothing of the order', () => {
  const { sent: plain } = ordered('');
  expect(plain).toHaveLength(1);
  for (const tag of tagsOf('noted')) expect([tag, ordered(`${tag}=1`).sent]).toEqual([tag, plain]);
});

const OPTION = 'BTC-USDC-20260327-90000-C';
const FUTURE = 'BTC-USDC-20260327';

test.each<[tag: number, symbol: string, good: string[], bad: string[], reason: string]>([
  [15, 'BTCUSDC', ['BTC', 'USDC'], ['USD'], '99'],
  [21, 'BTCUSDC', ['1', '2'], ['3'], '11'],
  [63, 'BTCUSDC', ['0', '1'], ['2', '3', '6', '7'], '11'],
  [64, 'BTCUSDC', ['20260105'], ['20260104', '20260106', '20260107'], '11'],
  [77, 'BTCUSDC', ['O'], ['C', 'R', 'F'], '11'],
  [110, 'BTCUSDC', ['0', '0.00'], ['1', '0.5'], '11'],
  [120, 'BTCUSDC', ['USDC'], ['BTC', 'USD'], '11'],
  [121, 'BTCUSDC', ['N'], ['Y'], '11'],
  [160, 'BTCUSDC', ['0', '1'], ['2', '3'], '11'],
  [167, 'BTCUSDC', ['CS', 'FOR', 'NONE'], ['OPT', 'FUT', 'MLEG', 'REPO'], '1'],
  [167, OPTION, ['OPT', 'NONE'], ['FUT'], '1'],
  [167, FUTURE, ['FUT'], ['OPT'], '1'],
  [167, 'BTC-USDC-PERP', ['FUT'], ['OPT'], '1'],
  [200, OPTION, ['202603', '20260327'], ['202604', '20260328', '2026', '202603w4'], '1'],
  [200, FUTURE, ['202603'], ['202606'], '1'],
  [200, 'BTCUSDC', [], ['202603'], '1'],
  [201, OPTION, ['1'], ['0'], '1'],
  [201, FUTURE, [], ['0', '1'], '1'],
  [202, OPTION, ['90000', '90000.0'], ['90001', '100000'], '1'],
  [202, 'BTCUSDC', [], ['1'], '1'],
  [205, OPTION, ['27'], ['28'], '1'],
  [205, 'BTC-USDC-PERP', [], ['27'], '1'],
  [231, 'BTCUSDC', ['1', '1.0'], ['100', '0.1'], '11'],
  [423, 'BTCUSDC', ['2'], ['1', '3', '9'], '11'],
  [460, 'BTCUSDC', ['2', '4', '12'], ['13'], '1'],
  [461, 'BTCUSDC', ['ESXXXX', 'TCXXXX'], ['OCASPS', 'FFDPSX'], '1'],
  [461, OPTION, ['OCASPS'], ['FFDPSX'], '1'],
  [541, OPTION, ['20260327'], ['20260328'], '1'],
  [775, 'BTCUSDC', ['0'], ['1', '2'], '11'],
  [854, 'BTCUSDC', ['0'], ['1'], '11'],
  [947, OPTION, ['USDC'], ['BTC'], '1'],
  [1092, 'BTCUSDC', ['0'], ['1', '3'], '11'],
])('D13 accepts %i on %s with the value that holds here anyway', (tag, symbol, good, bad, reason) => {
  for (const value of good) expect([value, ordered(`${tag}=${value}`, symbol).sent.length]).toEqual([value, 1]);
  for (const value of bad) {
    const { answer, sent } = ordered(`${tag}=${value}`, symbol);
    expect([value, summary([answer]), field(answer, 103), sent]).toEqual([value, ['8/8'], reason, []]);
    expect(field(answer, 58)).toContain(`(${tag})=${value} `);
  }
});

test('every field that is held against something is tried here', () => {
  const tried = [
    15, 21, 63, 64, 77, 100, 110, 120, 121, 160, 167, 200, 201, 202, 205, 231, 423, 460, 461, 541, 775, 854, 947, 1092,
  ];
  expect(tagsOf('checked').sort((a, b) => a - b)).toEqual(tried);
});

test('D13 ExDestination(100) must be a name agreed for the exchange', () => {
  const config = gatewayConfig({ exDestinations: ['XBUL', 'CRYPTO'] });
  for (const name of ['XBUL', 'CRYPTO']) expect(ordered(`100=${name}`, 'BTCUSDC', config).sent).toHaveLength(1);
  for (const each of [config, gatewayConfig()]) {
    const { answer, sent } = ordered('100=XNYS', 'BTCUSDC', each);
    expect([field(answer, 103), sent]).toEqual(['11', []]);
    expect(field(answer, 58)).toContain('ExDestination(100)=XNYS is not supported: it is no name agreed');
  }
});

test('D13 a group without entries asks for nothing', () => {
  for (const tag of [78, 957]) expect(ordered(`${tag}=0`).sent).toHaveLength(1);
});

test('D13 a G with such a field is refused with 9, and the order stays as it was', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.order({});
  for (const extra of ['63=3', '64=20270101', '120=EUR', '100=XNYS', '21=3', '110=1', '1100=4', '640=5', '231=10']) {
    const [reject] = desk.oms(`35=G|11=g-${extra}|41=o-1|1=ACC1|55=BTCUSDC|44=101|${extra}|`);
    expect([extra, field(reject, 35), field(reject, 102), field(reject, 434)]).toEqual([extra, '9', '99', '2']);
    expect(field(reject, 58)).toContain(`(${extra.replace('=', ')=')}`);
  }
  expect(desk.submitted).toHaveLength(1);
  expect(desk.gateway.findOrder(SESSION, 'o-1')).toMatchObject({ ordStatus: '0' });
});

test('O9 takes OnBehalfOfCompID(115) in the body, and returns it in FIXT.1.1 only', () => {
  for (const [beginString, firm] of [
    ['FIX.4.4', null],
    ['FIXT.1.1', 'FIRM'],
  ] as const) {
    const desk = new Desk(gatewayConfig({ dialect: 'venue', beginString }));
    desk.oms(`${LIMIT}115=FIRM|`);
    const [report] = desk.order({});
    expect([field(report, 150), field(report, 128)]).toEqual(['0', firm]);
  }
});
