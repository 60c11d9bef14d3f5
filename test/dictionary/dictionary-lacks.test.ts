// Gaps of a house's dictionary for a session to log on and trade, one by one; stock dictionaries have none.

import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type Dictionary, lacksOf, loadDictionary, needsOf, type SessionUse } from '../../src/dictionary/mod.ts';
import { dictionary } from '../support/dictionary.ts';

/** A session that uses everything there is. */
const USE: SessionUse = {
  version: 'FIX.4.4',
  isVenue: false,
  entersOrders: true,
  isAcceptor: true,
  hasPassword: true,
  hasUsername: true,
  changesPassword: false,
  isSigned: true,
  resetsNumbers: true,
  agreesOnNextExpected: true,
  agreesOnLastProcessed: true,
  isTest: true,
  hasSeveralAccounts: true,
  hasSeveralVersions: false,
  identityTags: [50, 57, 142, 143],
};

function lacks(dictionaries: readonly Dictionary[], use: Partial<SessionUse> = {}): string[] {
  return lacksOf(dictionaries, needsOf({ ...USE, ...use })).map(
    ({ isFatal, what, why }) => `${isFatal ? 'error' : 'warning'}: ${what}, because ${why}`,
  );
}

function stock(name: string): Dictionary {
  const bytes = readFileSync(new URL(`../../dictionaries/standard/${name}.br`, import.meta.url));
  return loadDictionary(brotliDecompressSync(bytes).toString('utf8'), name);
}

/** Our FIX.4.4 without what matches. */
function house(...edits: readonly (readonly [RegExp, string])[]): Dictionary {
  let xmlText = readFileSync(new URL('../../dictionaries/FIX44.xml', import.meta.url), 'utf8').replaceAll("'", '"');
  for (const [pattern, replacement] of edits) {
    expect(xmlText).toMatch(pattern);
    xmlText = xmlText.replace(pattern, replacement);
  }
  return loadDictionary(xmlText, 'FIX44.xml');
}

/** Takes a field out of one message. */
const without = (message: string, field: string): readonly [RegExp, string] => [
  new RegExp(`(<message name="${message}"(?:(?!</message>)[\\s\\S])*?)<field name="${field}"[^>]*/>`),
  '$1',
];

const FIXT = ['FIX50.xml', 'FIX50SP1.xml', 'FIX50SP2.xml'] as const;

test('our dictionaries lack nothing that a session needs, in both dialects', () => {
  for (const isVenue of [false, true]) {
    expect(lacks([dictionary('FIX42.xml')], { version: 'FIX.4.2', isVenue, agreesOnNextExpected: false })).toEqual([]);
    expect(lacks([dictionary('FIX44.xml')], { isVenue })).toEqual([]);
    for (const name of FIXT) {
      const application = dictionary(name);
      expect(lacks([application, dictionary('FIXT11.xml')], { version: application.version, isVenue })).toEqual([]);
    }
  }
});

test("stock dictionaries lack only their version's gaps", () => {
  expect(lacks([stock('FIX44.xml')])).toEqual([]);
  expect(lacks([stock('FIX50SP2.xml'), dictionary('FIXT11.xml')], { version: 'FIX.5.0SP2' })).toEqual([]);
  const old = { version: 'FIX.4.2', agreesOnNextExpected: false, isTest: false };
  expect(lacks([stock('FIX42.xml')], old)).toEqual([
    'error: Logon(A) lacks Password(554), because its counterparty logs on with it',
    'error: Logon(A) lacks Username(553), because its counterparty logs on with it',
  ]);
  expect(lacks([stock('FIX42.xml')], { ...old, hasPassword: false, hasUsername: false })).toEqual([]);
});

test.each([
  ['A', 'Password', 'error: Logon(A) lacks Password(554), because its counterparty logs on with it'],
  ['A', 'HeartBtInt', 'error: Logon(A) lacks HeartBtInt(108), because every Logon(A) carries it'],
  ['A', 'EncryptMethod', 'error: Logon(A) lacks EncryptMethod(98), because every Logon(A) carries it'],
  [
    'A',
    'ResetSeqNumFlag',
    'error: Logon(A) lacks ResetSeqNumFlag(141), because a Logon(A) that resets the numbers carries it',
  ],
  [
    'A',
    'TestMessageIndicator',
    'error: Logon(A) lacks TestMessageIndicator(464), because a test session refuses a Logon(A) without it',
  ],
  ['D', 'ClOrdID', 'error: NewOrderSingle(D) lacks ClOrdID(11), because each order carries it'],
  ['F', 'OrigClOrdID', 'error: OrderCancelRequest(F) lacks OrigClOrdID(41), because each cancel carries it'],
  [
    '8',
    'ExecID',
    'error: ExecutionReport(8) lacks ExecID(17), because a counterparty with this file would reject what is sent with it',
  ],
  [
    '8',
    'GrossTradeAmt',
    'warning: ExecutionReport(8) lacks GrossTradeAmt(381), because a counterparty with this file would reject messages that carry them',
  ],
  ['5', 'Text', 'warning: Logout(5) lacks Text(58), because the counterparty’s reason for a Logout(5) stands there'],
  [
    'D',
    'TimeInForce',
    'warning: NewOrderSingle(D) lacks TimeInForce(59), because an order without TimeInForce(59)=1, 3 or 4 cannot say how long it works',
  ],
] as const)('reports a dictionary without a field that %s needs, %s, with the reason', (msgType, field, expected) => {
  const name = dictionary('FIX44.xml').messages.get(msgType)!.name;
  expect(lacks([house(without(name, field))])).toEqual([expected]);
});

test('reports a missing header field, message, value and group too', () => {
  const header = (name: string): readonly [RegExp, string] => [
    new RegExp(`(<header>(?:(?!</header>)[\\s\\S])*?)<field name="${name}"[^>]*/>`),
    '$1',
  ];
  const told = lacks([
    house(
      header('PossDupFlag'),
      header('SenderSubID'),
      [/<message name="OrderCancelReplaceRequest"[\s\S]*?<\/message>/, ''],
      [/<message name="OrderMassCancelRequest"[\s\S]*?<\/message>/, ''],
      [/(<field number="59"(?:(?!<\/field>)[\s\S])*?)<value enum="1"[^>]*\/>/, '$1'],
      [/(<field number="150"(?:(?!<\/field>)[\s\S])*?)<value enum="F"[^>]*\/>/, '$1'],
      [/(<field number="54"(?:(?!<\/field>)[\s\S])*?)<value enum="2"[^>]*\/>/, '$1'],
    ),
  ]);
  expect(told).toEqual([
    'error: the header lacks PossDupFlag(43), because a message that the counterparty resends carries it',
    'error: the header lacks SenderSubID(50), because its identity has it',
    'error: there is no OrderCancelReplaceRequest(G), because orders are replaced by it',
    'error: NewOrderSingle(D) lacks Side(54)=2, because an order with Side(54)=2 would be rejected',
    'warning: NewOrderSingle(D) lacks TimeInForce(59)=1, because an order with TimeInForce(59)=1 would be rejected',
    'warning: there is no OrderMassCancelRequest(q), because it cancels all its orders at once',
    'error: ExecutionReport(8) lacks ExecType(150)=F, because a counterparty with this file would reject a report with ExecType(150)=F',
  ]);
  const group = /<group name="NoMiscFees"[^>]*>[\s\S]*?<\/group>/;
  expect(lacks([house([group, '<field name="NoMiscFees" required="N"/>'])])).toContain(
    'warning: ExecutionReport(8) has NoMiscFees(136) as a field and not as a group, because a counterparty with this file would reject messages that carry them',
  );
});

test('a drop copy session needs reports alone, and a session only the proof that it is configured for', () => {
  const file = house(without('NewOrderSingle', 'ClOrdID'), without('Logon', 'Password'), without('Logon', 'RawData'));
  expect(lacks([file], { entersOrders: false, hasPassword: false, hasUsername: false, isSigned: false })).toEqual([]);
  expect(lacks([file], { entersOrders: false, isSigned: false, isAcceptor: false })).toEqual([
    'warning: Logon(A) lacks Password(554), because it logs on with it',
  ]);
});
