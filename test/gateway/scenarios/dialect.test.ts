// Rule D1: what is sent in the `standard` dialect stands in the version's stock dictionary; what is sent in `venue`
// stands in ours. One day with every kind of answer, in every version.

import { expect, test } from 'vitest';
import type { AmendOrderCommand } from '../../../src/exchange/command.ts';
import { Desk, field, gatewayConfig, LIMIT, sessionConfig } from '../desk.ts';
import { type Check, exchangeFix, faultIn, overFixt, plain, STOCK } from '../message-faults.ts';
import { wholeDay } from '../whole-day.ts';

function faultsIn(sent: readonly string[], beginString: string, validator: Check): string[] {
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
  ['FIX.4.4', exchangeFix()],
  ['FIXT.1.1', overFixt('dictionaries/FIX50SP2.xml')],
] as const) {
  test(`D1 the venue dialect passes our dictionary, in FIX.4.4 the exchange's: ${beginString}`, () => {
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

test('D2 FIX.4.2 has 20 in every 8, 150=1 and 2 for fills, 20=3 for a status, no 150=F or I, q or AF', () => {
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

test('D1 reports an order rejected in venue numbers in standard ones after a dialect change', () => {
  const desk = new Desk(gatewayConfig({ dialect: 'venue' }));
  desk.oms(LIMIT);
  expect(field(desk.refused(400, '3001', 'Balance of the account too low')[0], 103)).toBe('3001');
  desk.gateway.applyConfig(sessionConfig());
  expect(field(desk.oms('35=H|11=o-1|55=BTCUSDC|54=1|')[0], 103)).toBe('99');
});

test.each([
  ['venue', '0', ['99', '99']],
  ['venue', '1', ['99', '1']],
  ['venue', '5', ['1', '5']],
  ['venue', '6', ['6', '6']],
  ['venue', '3036', ['3036', '3036']],
  ['standard', '1', ['99', '1']],
  ['standard', '6', ['6', '6']],
] as const)(
  'D1 to %s, code %s of the exchange has its own number in 102 and 103',
  (dialect, code, [ofCancel, ofOrder]) => {
    const desk = new Desk(gatewayConfig({ dialect }));
    desk.oms(LIMIT);
    desk.order({});
    desk.oms('35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|');
    expect(field(desk.refused(400, code, 'refused')[0], 102)).toBe(ofCancel);
    desk.oms(LIMIT.replace('o-1', 'o-2'));
    expect(field(desk.refused(400, code, 'refused')[0], 103)).toBe(ofOrder);
  },
);
