import { expect, test } from 'vitest';
import { describe, loadDictionary, toDecodedLine } from '../../src/dictionary/mod.ts';
import { fromPrintable, type MessageView, viewOf } from '../../src/wire/mod.ts';
import { dictionary } from '../support/generated.ts';

const fix44 = dictionary('FIX44.xml');
const fix = (text: string): MessageView => viewOf(fromPrintable(text))!;

test('a message is one line of names and values, without its addressing', () => {
  const view = fix('35=D|49=OMS|56=XG|34=2|52=20261121-10:00:00.000|11=o-1|55=BTCUSDC|54=1|38=1.50|40=2|59=5|');
  expect(toDecodedLine(view, fix44)).toBe(
    'NewOrderSingle ClOrdID=o-1 Symbol=BTCUSDC Side=1(Buy) OrderQty=1.50 OrdType=2(Limit) TimeInForce=5(GoodTillCrossing)',
  );
});

test('PossDupFlag and OrigSendingTime are shown', () => {
  const view = fix('35=0|43=Y|122=20261121-09:00:00.000|');
  expect(toDecodedLine(view, fix44)).toBe('Heartbeat PossDupFlag=Y OrigSendingTime=20261121-09:00:00.000');
});

test('secrets are hidden', () => {
  const view = fix('35=A|553=user|554=hunter2|925=next|95=3|96=raw|');
  const line = toDecodedLine(view, fix44);
  expect(line).toBe('Logon Username=user Password=*** NewPassword=*** RawDataLength=3 RawData=***');
  expect(JSON.stringify(describe(view, fix44))).not.toMatch(/hunter2|next|raw"/);
});

test('tags, types and values that no dictionary has are shown as they are', () => {
  expect(toDecodedLine(fix('35=ZZ|54=Z|9999=x|abc=1|'), fix44)).toBe('MsgType=ZZ Side=Z 9999=x 0=abc=1');
});

test('control characters never reach a terminal', () => {
  expect(toDecodedLine(fix('35=B|58=\x1b[2J|'), fix44)).toBe('News Text=?[2J');
  expect(toDecodedLine(fix('35=\x1b[2J|58=x|'), fix44)).toBe('MsgType=?[2J Text=x');
  expect(toDecodedLine(fix('35=B|58=\xe2\x80\xaex|'), fix44)).toBe('News Text=?x');
});

test('shows UTF-8 as text, other bytes as one character', () => {
  expect(toDecodedLine(fix('35=B|58=Z\xc3\xbcrich|148=Z\xfcrich|'), fix44)).toBe('News Text=Zürich Headline=Zürich');
});

test('groups carry their depth and the number of the entry', () => {
  const view = fix('35=D|453=2|448=a|802=1|523=x|448=b|452=3|55=BTCUSDC|');
  const fields = describe(view, fix44).map(({ name, depth, entry }) => [name, depth, entry]);
  expect(fields.slice(3, -1)).toEqual([
    ['NoPartyIDs', 0, 0],
    ['PartyID', 1, 1],
    ['NoPartySubIDs', 1, 0],
    ['PartySubID', 2, 1],
    ['PartyID', 1, 2],
    ['PartyRole', 1, 0],
    ['Symbol', 0, 0],
  ]);
});

test('explains a message by the dictionary of its ApplVerID(1128), if several are spoken', () => {
  const spoken = ['FIX50.xml', 'FIX50SP2.xml', 'FIXT11.xml'].map(dictionary);
  const list = '66=l|429=1|82=1|431=3|83=1|68=2|73=2';
  const order = (id: string): string => `11=${id}|37=x|14=0|39=0|151=1|84=0|6=0`;
  const entries = (text: string): unknown[] =>
    describe(fix(text), spoken)
      .filter(({ entry }) => entry > 0)
      .map(({ value, depth, entry }) => [value, depth, entry]);
  // OrderID(37) came into ListStatus(N) with SP1.
  expect(entries(`35=N|1128=9|${list}|${order('a')}|${order('b')}|`)).toEqual([
    ['a', 1, 1],
    ['b', 1, 2],
  ]);
  expect(entries(`35=N|${list}|${order('a')}|${order('b')}|`)).toEqual([['a', 1, 1]]);
});

test('a field that a group and its message have is the message’s once the entry has it', () => {
  const house = loadDictionary(
    `<fix type='FIX' major='4' minor='4'><header/><trailer/><messages><message name='News' msgtype='B' msgcat='app'>
    <group name='NoNotes' required='N'><field name='Note' required='Y'/><field name='Desk' required='N'/></group>
    <field name='Desk' required='N'/></message></messages><fields><field number='9000' name='Desk' type='STRING'/>
    <field number='9001' name='NoNotes' type='NUMINGROUP'/><field number='9002' name='Note' type='STRING'/></fields></fix>`,
    'house.xml',
  );
  const fields = describe(fix('35=B|9001=2|9002=a|9000=in|9002=b|9000=in|9000=behind|'), house);
  expect(fields.slice(3, -1).map(({ value, depth }) => [value, depth])).toEqual([
    ['2', 0],
    ['a', 1],
    ['in', 1],
    ['b', 1],
    ['in', 1],
    ['behind', 0],
  ]);
});

test('FIXT.1.1 messages are described by both dictionaries', () => {
  const both = [dictionary('FIX50SP2.xml'), dictionary('FIXT11.xml')];
  expect(toDecodedLine(fix('8=FIXT.1.1|35=A|98=0|1137=9|'), both)).toBe(
    'Logon EncryptMethod=0(None) DefaultApplVerID=9(Fix50sp2)',
  );
  expect(toDecodedLine(fix('8=FIXT.1.1|35=8|150=L|'), both)).toBe(
    'ExecutionReport ExecType=L(TriggeredOrActivatedBySystem)',
  );
});
