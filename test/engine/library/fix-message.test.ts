// Fields of the library's messages by their names.

import { expect, test } from 'vitest';
import type { CrossgateError } from '../../../src/base/errors.ts';
import { type Field, FixMessage, newMessage } from '../../../src/engine/library/fix-message.ts';
import { DataFields, fromPrintable, MessageDraft, Tag, viewOf } from '../../../src/wire/mod.ts';

const SESSIONS_OWN = [8, 9, 10, 34, 35, 43, 49, 52, 56, 122, 369];
const HEADERS = [
  ...[50, 57, 97, 115, 116, 128, 129, 142, 143, 144, 145, 212, 213, 347, 627, 628, 629, 630, 1128, 1129, 1156],
];

test('every field is written and read by its FIX name, those of a message’s header into that', () => {
  for (const [name, tag] of Object.entries(Tag)) {
    if (SESSIONS_OWN.includes(tag)) {
      expect(() => newMessage('8', { [name]: '1' }), name).toThrow(`${name}(${tag}) is written by the session`);
      continue;
    }
    const message = newMessage('8', { [name]: `${tag}` });
    expect([message.get(tag), message.headerTags], name).toEqual(
      HEADERS.includes(tag) ? [null, tag === Tag.XmlData ? [Tag.XmlDataLen, tag] : [tag]] : [`${tag}`, []],
    );
  }
  const body = Object.values(Tag).filter((tag) => ![8, 9, 10, 35].includes(tag));
  const text = `35=8|${body.map((tag) => `${tag}=v${tag}`).join('|')}|`;
  const view = viewOf(fromPrintable(text, 'FIX.4.4'));
  const message = new FixMessage(view!, false);
  for (const [name, tag] of Object.entries(Tag)) {
    if (body.includes(tag)) expect(message.string(name as Field), name).toBe(`v${tag}`);
  }
});

test("copies an answer's header fields to the header, except those of the session", () => {
  const order = '35=D|34=7|50=DESK1|115=FIRM|11=a-1|';
  const message = new FixMessage(viewOf(fromPrintable(order, 'FIX.4.4'))!, false);
  const report = new MessageDraft('8');
  message.copyTo(report, 'ClOrdID', 'OnBehalfOfCompID', 'SenderSubID', 'TargetSubID');
  expect([report.tags, report.headerTags, report.headerValues]).toEqual([[11], [115, 50], ['FIRM', 'DESK1']]);
  expect(() => message.copyTo(report, 'MsgSeqNum')).toThrow('MsgSeqNum is written by the session');
});

test('refuses an impossible value instead of writing an empty field', () => {
  const refusal = (fields: Parameters<typeof newMessage>[1]): unknown => {
    try {
      return newMessage('D', fields).toString();
    } catch (error) {
      return [(error as CrossgateError).code, (error as CrossgateError).message];
    }
  };
  expect(refusal({ TransactTime: new Date('never') })).toEqual([
    'XG_MESSAGE_INVALID',
    'TransactTime(60) is an invalid Date',
  ]);
  expect(refusal({ OrderQty: 0.1 })).toEqual([
    'XG_MESSAGE_INVALID',
    "OrderQty(38) is 0.1, no whole number: write an amount as text ('0.1') or as a Decimal",
  ]);
  expect(refusal({ Price: 2 ** 53 })).toEqual(['XG_MESSAGE_INVALID', expect.stringMatching(/^Price\(44\) is 9007/)]);
  expect(refusal({ NoPartyIDs: [{}] as never })).toEqual([
    'XG_MESSAGE_INVALID',
    expect.stringMatching(/^NoPartyIDs\(453\) is no text, .* entries of a group are added by add\(\)/),
  ]);
  expect(refusal({ OrderQty: 2, Price: '0.1' })).toBe('35=D|38=2|44=0.1|');
  expect(() => new MessageDraft('8').add(Tag.Price, 100 as never)).toThrow('a field is added as text');
});

test('a name that is no field of ours is absent', () => {
  const view = viewOf(fromPrintable('35=8|11=a|58=b|', 'FIX.4.4'));
  const message = new FixMessage(view!, false);
  for (const name of ['', 'X', 'clOrdID', 'ClOrdId', 'NoSuchField']) {
    expect(message.string(name as Field), name).toBeNull();
    expect(message.has(name as Field), name).toBe(false);
  }
});

test('refuses an unknown field name, which would number an unreadable message', () => {
  expect(() => newMessage('8', { ClOrdID: 'a', NoSuchField: 'x' } as never)).toThrow(
    'NoSuchField is no field that has a name here: it is added by its tag',
  );
  expect(newMessage('8', { ClOrdID: 'a', NoSuchField: null } as never).tags).toEqual([11]);
});

test("copies an answer's fields in the requested order, and leaves absent ones out", () => {
  const order = '35=D|11=a-1|1=ACC|55=BTCUSDC|54=1|38=1.50000000|44=0060123.4500|447=x|58=first|58=second|';
  const message = new FixMessage(viewOf(fromPrintable(order, 'FIX.4.4'))!, false);
  const report = new MessageDraft('8').add(Tag.OrderID, '1');
  message.copyTo(report, 'Price', 'ClOrdID', 'OrigClOrdID', 54, 'OrderQty', 20_001, 'Text');
  expect(report.tags).toEqual([37, 44, 11, 54, 38, 58]);
  expect(report.values).toEqual(['1', '0060123.4500', 'a-1', '1', '1.50000000', 'first']);
});

test('copies nothing from a message after its callback', () => {
  const message = new FixMessage(viewOf(fromPrintable('35=D|11=a|', 'FIX.4.4'))!, false);
  message.expire();
  expect(() => message.copyTo(new MessageDraft('8'), 'ClOrdID')).toThrow('valid during its callback only');
});

test('data gets its Length field, without which SOH in it would be lost; one that is given stands as it is', () => {
  const data = '\x01\x02=\xff';
  const message = newMessage('B', { Headline: 'h', RawData: data });
  expect([message.tags, message.values]).toEqual([
    [148, 95, 96],
    ['h', '4', data],
  ]);
  expect(newMessage('B', { RawDataLength: 4, RawData: data }).tags).toEqual([95, 96]);
  expect(newMessage('B', { EncodedTextLen: 4, Headline: 'h', EncodedText: data }).tags).toEqual([354, 148, 355]);
  expect([newMessage('B', { RawData: '' }).tags, newMessage('B', { RawData: null }).tags]).toEqual([[], []]);
  const xml = newMessage('B', { XmlData: data });
  expect([xml.headerTags, xml.headerValues]).toEqual([
    [212, 213],
    ['4', data],
  ]);
  const received = new FixMessage(viewOf(fromPrintable('35=B|148=h|95=3|96=a^b|', 'FIX.4.4'))!, false);
  const answer = newMessage('B');
  received.copyTo(answer, 'Headline', 'RawData', 'EncodedText');
  expect([answer.tags, answer.get(95), answer.get(96)]).toEqual([[148, 95, 96], '3', 'a^b']);
  const both = newMessage('B');
  received.copyTo(both, 'RawDataLength', 'RawData');
  expect(both.tags).toEqual([95, 96]);
});

test('data of a house’s own fields is copied with its Length field too, unless that is named', () => {
  const fields = new DataFields([[20_110, 20_111]]);
  const frame = fromPrintable('35=D|11=a|20110=5|20111=x^y=z|20112=w|', 'FIX.4.4');
  const message = new FixMessage(viewOf(frame, fields)!, false);
  const report = newMessage('8');
  message.copyTo(report, 'ClOrdID', 20_111, 20_112, 20_113);
  expect([report.tags, report.values]).toEqual([
    [11, 20_110, 20_111, 20_112],
    ['a', '5', 'x^y=z', 'w'],
  ]);
  const both = newMessage('8');
  message.copyTo(both, 20_110, 20_111);
  expect(both.tags).toEqual([20_110, 20_111]);
});

test("refuses a value of a foreign class instead of writing the class's name", () => {
  for (const value of [[{ PartyID: 'a' }], { PartyID: 'a' }, () => 'a', Symbol('a')]) {
    expect(() => newMessage('D', { NoPartyIDs: value as never })).toThrow('entries of a group are added by add()');
  }
  expect(newMessage('D', { OrderQty: 10n }).get(38)).toBe('10');
});
