import { expect, test } from 'vitest';
import { Decimal } from '../../src/base/decimal.ts';
import { Framer, fromPrintable, type MessageView, viewOf } from '../../src/wire/mod.ts';

const fix = (text: string): MessageView => viewOf(fromPrintable(text))!;

test('converts values only as requested, and separates absent from malformed', () => {
  const view = fix('35=D|34=7|11=o-1|54=1|38=1.50|141=Y|58=text|60=20261121-10:11:12.345|99=abc|');
  expect(view.msgType).toBe('D');
  expect(view.beginString).toBe('FIX.4.4');
  expect(view.string(11)).toBe('o-1');
  expect(view.string(41)).toBeNull();
  expect(view.int(34)).toBe(7);
  expect(view.int(41)).toBeNull();
  expect(view.int(99)).toBeNaN();
  expect(view.decimal(38)?.toString()).toBe('1.50');
  expect(view.decimal(99)).toBeNull();
  expect(view.has(99)).toBe(true);
  expect(view.boolean(141)).toBe(true);
  expect(view.boolean(58)).toBeNull();
  expect(view.boolean(43)).toBeNull();
  expect(view.utcTimestamp(60)).toBe(Date.UTC(2026, 10, 21, 10, 11, 12, 345));
  expect(view.utcTimestamp(58)).toBeNull();
  expect(view.equals(54, '1')).toBe(true);
  expect(view.equals(54, '2')).toBe(false);
  expect(view.equals(54, '11')).toBe(false);
  expect(view.equals(55, '')).toBe(false);
});

test('an integer keeps sign and leading zeros, and is NaN beyond the safe range or with other bytes', () => {
  const value = (text: string): number | null => fix(`35=0|58=${text}|`).int(58);
  expect(value('0')).toBe(0);
  expect(value('-15')).toBe(-15);
  expect(value('007')).toBe(7);
  expect(value('9007199254740991')).toBe(9_007_199_254_740_991);
  for (const bad of ['9007199254740993', '99999999999999999999', '-', '+1', '1.0', '1e3', ' 1', '1 ', '0x10', '']) {
    expect(value(bad), bad).toBeNaN();
  }
});

test('a decimal is exact, however long', () => {
  const view = fix('35=0|44=123456789012345.12345678|');
  expect(view.decimal(44)?.toString()).toBe('123456789012345.12345678');
  const value = (text: string): string | undefined => fix(`35=0|44=${text}|`).decimal(44)?.toString();
  for (let digits = 1; digits < 20; digits++) {
    const text = '1234567890123456789'.slice(0, digits);
    for (const good of [text, `-${text}`, `${text}.5`, `-0.${text}`]) expect(value(good)).toBe(good);
    for (const bad of [`${text}.5.5`, `${text}x`, `.${text}.`]) expect(value(bad), bad).toBeUndefined();
  }
});

test('a UTCTimestamp is read with any number of decimals, cut to milliseconds', () => {
  const at = (text: string): number | null => fix(`35=0|60=${text}|`).utcTimestamp(60);
  const second = Date.UTC(2026, 1, 28, 23, 59, 58);
  expect(at('20260228-23:59:58')).toBe(second);
  expect(at('20260228-23:59:58.001')).toBe(second + 1);
  expect(at('20260228-23:59:58.001999')).toBe(second + 1);
  expect(at('20260228-23:59:58.001999999')).toBe(second + 1);
  expect(at('20260228-23:59:58.001999999999')).toBe(second + 1);
  expect(at('20260228-23:59:58.5')).toBe(second + 500);
  expect(at('20260228-23:59:58.01')).toBe(second + 10);
  expect(at('20260228-23:59:58.0019')).toBe(second + 1);
  expect(at(`20260228-23:59:58.${'9'.repeat(40)}`)).toBe(second + 999);
  for (const bad of [
    '00000000-00:00:00',
    '20260229-23:59:58',
    '20260228 23:59:58',
    '20260228-24:00:00',
    '20260228-23:60:00',
    '20260228-23:59:61',
    '20260228-23:59:58.',
    '20260228-23:59:5x',
    '2026022-23:59:58',
    '',
  ]) {
    expect(at(bad), bad).toBeNull();
  }
});

test('a string may be kept when its message is gone', () => {
  const bytes = fromPrintable('35=D|11=short|1=a-much-longer-account-name|');
  const view = viewOf(bytes)!;
  const kept = [view.string(11), view.string(1), view.msgType];
  bytes.fill(0x78);
  expect(kept).toEqual(['short', 'a-much-longer-account-name', 'D']);
});

test('bytes of the frame are the frame itself, copyBytes are its own', () => {
  const bytes = fromPrintable('35=0|34=1|');
  const view = viewOf(bytes)!;
  const copy = view.copyBytes();
  expect(Buffer.compare(copy, bytes)).toBe(0);
  bytes[20] = 0x21;
  expect(view.bytes()[20]).toBe(0x21);
  expect(copy[20]).not.toBe(0x21);
});

test('characters above 0x7f are kept one per byte', () => {
  expect(fix('35=B|58=Zürich é|').string(58)).toBe('Zürich é');
});

test('a data field may contain SOH and anything else, as long as its Length field says', () => {
  const raw = 'a\x01b|10=123\x01';
  const body = `35=A\x0134=1\x0195=${raw.length}\x0196=${raw}\x0198=0\x01`;
  const bytes = Buffer.concat([Buffer.from(`8=FIX.4.4\x019=${body.length}\x01${body}10=000\x01`, 'latin1')]);
  let sum = 0;
  for (const c of bytes.subarray(0, -7)) sum += c;
  bytes.write(String(sum % 256).padStart(3, '0'), bytes.length - 4, 'latin1');
  const good = viewOf(bytes)!;
  expect(good.string(96)).toBe(raw);
  expect(Buffer.from(good.bytesAt(good.indexOf(96))).toString('latin1')).toBe(raw);
  expect(good.string(98)).toBe('0');
  expect(good.dataFaultAt).toBe(-1);
  expect(good.fieldCount).toBe(8);
});

test('reads a data field with a wrong Length field to the next SOH and marks it', () => {
  for (const length of ['99', '1', '0', 'abc', '-1', '99999999999']) {
    const view = fix(`35=A|34=1|95=${length}|96=abc|98=0|`);
    expect(view.string(96), length).toBe('abc');
    expect(view.string(98), length).toBe('0');
    expect(view.dataFaultAt, length).toBe(view.indexOf(96));
  }
});

const PARTIES = '453=2|448=a|447=D|452=1|802=2|523=x|803=1|523=y|803=2|448=b|447=D|452=3|';

test('groups are read entry by entry, nested ones inside their entry', () => {
  const view = fix(`35=D|11=o-1|${PARTIES}55=BTCUSDC|`);
  const parties = view.groupEntries(453)!;
  expect(parties.map((party) => [party.string(448), party.int(452)])).toEqual([
    ['a', 1],
    ['b', 3],
  ]);
  expect(parties[0]!.groupEntries(802)!.map((sub) => sub.string(523))).toEqual(['x', 'y']);
  expect(parties[1]!.groupEntries(802)).toEqual([]);
  expect(view.groupEntries(78)).toEqual([]);
});

test('values of an entry are read as those of a message are, and are null where it has none', () => {
  const view = fix('35=V|267=1|269=2|270=1.50|273=20260228-23:59:58|123=N|');
  const [entry] = view.groupEntries(267)!;
  expect([entry!.int(269), entry!.decimal(270)?.toString(), entry!.boolean(123)]).toEqual([2, '1.50', false]);
  expect(entry!.utcTimestamp(273)).toBe(Date.UTC(2026, 1, 28, 23, 59, 58));
  expect([entry!.int(1), entry!.decimal(1), entry!.boolean(1), entry!.utcTimestamp(1)]).toEqual([
    null,
    null,
    null,
    null,
  ]);
});

test('a flag is Y, N, or neither', () => {
  expect(['Y', 'N', 'X', 'y', 'NN', ''].map((value) => fix(`35=0|43=${value}|`).boolean(43))).toEqual([
    true,
    false,
    null,
    null,
    null,
    null,
  ]);
});

test('without a dictionary the last entry has whatever follows it', () => {
  const view = fix('35=V|267=2|269=0|269=1|146=1|55=BTCUSDC|58=behind the group|');
  expect(view.groupEntries(146)![0]!.has(58)).toBe(true);
});

test('a group with a count unlike its entries is null', () => {
  for (const count of ['1', '3', '-2', 'x', '', '2147483648', '99999999999999999999']) {
    expect(fix(`35=V|267=${count}|269=0|269=1|`).groupEntries(267), count).toBeNull();
  }
  expect(fix('35=V|267=2|269=0|269=1|').groupEntries(267)).toHaveLength(2);
  expect(fix('35=V|267=0|58=x|').groupEntries(267)).toEqual([]);
});

test('separates timestamps of days with equal digit sums', () => {
  const days = ['20260102', '20260201', '20250103', '20270101'];
  const view = fix(`35=0|${days.map((day, k) => `${6001 + k}=${day}-00:00:00|`).join('')}`);
  expect(days.map((_, k) => view.utcTimestamp(6001 + k))).toEqual(
    days.map((day) => Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6)))),
  );
});

test('timestamps of changing days, midnight and a leap second, on one view', () => {
  const framer = new Framer({ frameBytesMax: 4096, fieldsMax: 100 });
  const read = (text: string): number | null => {
    framer.push(fromPrintable(`35=0|60=${text}|`));
    const found = framer.next();
    return found?.kind === 'message' ? found.view.utcTimestamp(60) : Number.NaN;
  };
  const day = Date.UTC(2026, 10, 21);
  for (let round = 0; round < 2; round++) {
    expect(read('20261121-00:00:00.000')).toBe(day);
    expect(read('20261121-23:59:60')).toBe(day + 86_400_000);
    expect(read('20261122-00:00:00')).toBe(day + 86_400_000);
    expect(read('20261120-23:59:59.999')).toBe(day - 1);
    expect(read('20261131-00:00:00')).toBeNull();
    expect(read('20261121-10:00:00.123456')).toBe(day + 36_000_123);
    expect(read('2026112x-10:00:00')).toBeNull();
    expect(read('20261121-1x:00:00')).toBeNull();
    expect(read('20261121-10:00:00,123')).toBeNull();
  }
});

test('many different short values, read again and again, stay themselves', () => {
  const framer = new Framer({ frameBytesMax: 4096, fieldsMax: 100 });
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 3_000; i++) {
      framer.push(fromPrintable(`35=0|58=value-number-${i}|`));
      const found = framer.next();
      expect(found?.kind === 'message' && found.view.string(58)).toBe(`value-number-${i}`);
    }
  }
});

test('a UTCTimestamp is read to the nanosecond, digits finer than that cut', () => {
  const at = (text: string): bigint | null => fix(`35=0|60=${text}|`).utcTimestampNs(60);
  const second = BigInt(Date.UTC(2026, 1, 28, 23, 59, 58)) * 1_000_000n;
  expect(at('20260228-23:59:58')).toBe(second);
  expect(at('20260228-23:59:58.001')).toBe(second + 1_000_000n);
  expect(at('20260228-23:59:58.5')).toBe(second + 500_000_000n);
  expect(at('20260228-23:59:58.0010020')).toBe(second + 1_002_000n);
  expect(at('20260228-23:59:58.001002')).toBe(second + 1_002_000n);
  expect(at('20260228-23:59:58.001002003')).toBe(second + 1_002_003n);
  expect(at('20260228-23:59:58.001002003999')).toBe(second + 1_002_003n);
  expect(at('19691231-23:59:59.999999999')).toBe(-1n);
  for (const bad of ['20260229-23:59:58.001002003', '20260228-23:59:58.', '20260228-23:59:58.00100200x', '']) {
    expect(at(bad), bad).toBeNull();
  }
  expect(fix('35=0|').utcTimestampNs(60)).toBeNull();
});

test('dates, characters and values separated by spaces', () => {
  const view = fix('35=0|75=20240229|432=20230229|64=2024022|54=1|40=12|277=A B CD|18=G|58=|');
  expect(view.date(75)).toBe(Date.UTC(2024, 1, 29));
  expect(view.date(432)).toBeNull();
  expect(view.date(64)).toBeNull();
  expect(view.date(60)).toBeNull();
  expect(view.char(54)).toBe('1');
  expect(view.char(40)).toBeNull();
  expect(view.char(58)).toBeNull();
  expect(view.char(44)).toBeNull();
  expect(view.values(277)).toEqual(['A', 'B', 'CD']);
  expect(view.values(18)).toEqual(['G']);
  expect(view.values(58)).toEqual([]);
  expect(view.values(336)).toBeNull();
});

test('a decimal is read from the bytes as Decimal.parse reads its text, whatever they are', () => {
  const texts = [
    '0',
    '-0',
    '1.50',
    '.5',
    '5.',
    '-.5',
    '00012.300',
    '-',
    '.',
    '',
    '1.2.3',
    '1e5',
    '+1',
    ' 1',
    '--1',
    '1-',
  ];
  texts.push(
    '999999999999999',
    '9999999999999999',
    '-123456789012345.12345678',
    '0.000000000000000000001',
    '1'.repeat(61),
  );
  for (const text of texts) {
    expect(fix(`35=0|44=${text}|`).decimal(44), text).toEqual(Decimal.parse(text));
  }
});

test("a view lasts until the framer's next call; its strings and copies stay", () => {
  const framer = new Framer({ frameBytesMax: 4096, fieldsMax: 100 });
  const first = fromPrintable('35=D|34=1|11=a-client-order-id|');
  framer.push(Buffer.concat([first, fromPrintable('35=F|34=2|41=b|')]));
  const found = framer.next();
  if (found?.kind !== 'message') throw new Error('expected a message');
  const { view } = found;
  const kept = { clOrdID: view.string(11), copy: view.copyBytes() };
  expect(framer.next()).toBe(found);
  expect([view.msgType, view.int(34), view.string(11)]).toEqual(['F', 2, null]);
  expect(kept.clOrdID).toBe('a-client-order-id');
  expect(kept.copy.equals(first)).toBe(true);
});
