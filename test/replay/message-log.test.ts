// Message logs of every origin: found in text, filtered, their gaps named.

import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { parseTime, parseUtcTimestamp } from '../../src/base/time.ts';
import { matchesFilter, parseTagFilter } from '../../src/replay/log-filter.ts';
import { LogSessions } from '../../src/replay/log-sessions.ts';
import { type LoggedMessage, loggedMessage } from '../../src/replay/logged-message.ts';
import { GapFinder } from '../../src/replay/sequence-gap.ts';
import { TextLogReader } from '../../src/replay/text/text-log.ts';
import { fromPrintable, Tag, toPrintable, viewOf } from '../../src/wire/mod.ts';

const ORDER =
  '35=D|49=OMS|56=XG|34=2|52=20261121-09:30:00.000|11=a|1=7|55=BTCUSDC|54=1|60=20261121-09:30:00|38=1|40=2|44=5|';
const soh = fromPrintable(ORDER).toString('latin1');
const printable = toPrintable(fromPrintable(ORDER));

function read(text: string): LoggedMessage[] {
  const reader = new TextLogReader();
  return [...reader.push(text), ...reader.end()];
}

const message = (body: string): LoggedMessage =>
  loggedMessage(fromPrintable(body), { at: null, session: null, counted: true, note: '' });
const numbered = (sender: string, msgSeqNum: number, more = '35=0|'): LoggedMessage => {
  const [type, ...rest] = more.split('|');
  return message(`${type}|49=${sender}|56=XG|34=${msgSeqNum}|${rest.join('|')}`);
};

describe('FIX messages in text', () => {
  test.each([
    ['the bytes themselves', soh],
    ['a QuickFIX file log', `20261121-09:30:01.123456789 : ${soh}`],
    ['a QuickFIX screen log', `<20261121-09:30:01.123, FIX.4.4:OMS->XG, outgoing>\n  (${soh})`],
    ['a QuickFIX/J screen log', `<20261121-09:30:01.123, FIX.4.4:OMS->XG, outgoing> (${soh})`],
    ['fields separated by |', `2026-11-21 09:30:01,123 INFO sent ${printable}`],
    ['fields separated by ^A', `x ${soh.replaceAll('\u0001', '^A')} y`],
    ['fields separated by <SOH>', soh.replaceAll('\u0001', '<SOH>')],
    ['fields separated by | between blanks', printable.replaceAll('|', ' | ')],
    ...['; ', '| ', '^A ', '<SOH> ', '\\x01 ', '~ ', ' ; ', ' ^A ', '\u0001 '].map((mark) => [
      `fields separated by ${JSON.stringify(mark)}`,
      soh.replaceAll('\u0001', mark),
    ]),
    ['fields separated by ; and a blank, no blank behind the last', soh.replaceAll('\u0001', '; ').trimEnd()],
    ['the escapes of JSON', JSON.stringify({ level: 'info', msg: soh })],
    ...[';', '^', '~', '<soh>', '%01', '\\\\u0001', '[SOH]', '\\x01', '\\001', '#001', '&#1;', '&#x1;'].map((mark) => [
      `fields separated by ${mark}`,
      soh.replaceAll('\u0001', mark),
    ]),
    ['fields separated by tabs', soh.replaceAll('\u0001', '\t')],
    ['a column of a table', `09:30:01\t${soh.replaceAll('\u0001', '\t')}\tsent`],
    ['the picture of SOH', Buffer.from(soh.replaceAll('\u0001', '\u2401')).toString('latin1')],
    ['no separator at the end', printable.slice(0, -1)],
    ['a quoted text', JSON.stringify({ message: printable, direction: 'in' })],
    ['neither BodyLength nor CheckSum', `8=FIX.4.4|${ORDER}`],
  ])('are found in %s', (_, text) => {
    for (const ending of ['', '\n', '\r\n']) {
      const found = read(text + ending);
      expect(found.map(({ raw }) => toPrintable(raw))).toEqual([printable]);
      expect(found[0]).toMatchObject({ sender: 'OMS', target: 'XG', note: '' });
    }
  });

  test.each(['\u0001', '|', '^A', ';', '\\x01'])(
    'messages cut short show by BodyLength(9), separated by %j; not those with omissions',
    (separator) => {
      const cut = [
        soh.slice(0, -9),
        soh.slice(0, -20),
        soh.replace('38=1\u0001', ''),
        soh.slice(0, soh.lastIndexOf('10=')),
        soh,
      ];
      const found = read(cut.map((text) => text.replaceAll('\u0001', separator)).join('\n'));
      expect(found.map(({ isCutShort }) => isCutShort)).toEqual([true, true, false, true, false]);
    },
  );

  test('are found in two megabytes without a line end that come in small pieces, as fast as they come', () => {
    const message = '8=FIX.4.4|9=5|35=0|10=161|';
    for (const text of [
      `${'x'.repeat(2_000_000)}${message}`,
      `8=FIX.4.4|9=999999|${'35=0|'.repeat(400_000)}${message}`,
    ]) {
      const reader = new TextLogReader();
      let found = 0;
      const begun = process.threadCpuUsage();
      for (let at = 0; at < text.length; at += 200) found += reader.push(text.slice(at, at + 200)).length;
      found += reader.end().length;
      expect(found).toBeGreaterThan(0);
      // Of this thread, whatever else the machine does; quadratic is minutes.
      expect(process.threadCpuUsage(begun).user / 1_000).toBeLessThan(3_000);
    }
  });

  test('are found however the text is cut into chunks', () => {
    const text = `20261121-09:30:01.123 : ${soh}\n20261121-09:30:02.123 : ${soh}\n`;
    for (let size = 1; size < 40; size++) {
      const reader = new TextLogReader();
      const found: LoggedMessage[] = [];
      for (let at = 0; at < text.length; at += size) found.push(...reader.push(text.slice(at, at + size)));
      expect([...found, ...reader.end()].map(({ raw }) => toPrintable(raw))).toEqual([printable, printable]);
    }
  });

  test('several on one line, and in a long capture without any line end', () => {
    expect(read(`${soh}${soh} and ${printable}`)).toHaveLength(3);
    const many = soh.repeat(12_000);
    const reader = new TextLogReader();
    const found = [...many.matchAll(/.{1,65536}/gs)].flatMap(([chunk]) => reader.push(chunk!));
    expect(found.length + reader.end().length).toBe(12_000);
  });

  test('read from a wire without line ends; text behind one on its line is no time of the next', () => {
    const reader = new TextLogReader();
    const counts = [soh, soh.slice(0, 50), soh.slice(50) + soh.slice(0, 9), soh.slice(9)].map(
      (each) => reader.push(each).length,
    );
    expect(counts).toEqual([1, 0, 1, 1]);
    expect(reader.push(' read at 2026-11-21T11:00:00\n')).toEqual([]);
    expect(reader.push(`${soh}\n`)[0]?.at).toBe(parseUtcTimestamp('20261121-09:30:00.000'));
    expect(reader.end()).toEqual([]);
  });

  test.each(['\u0001', '|'])('with line ends and messages in their values are whole, separated by %j', (separator) => {
    const data = '<a>\n8=FIX.4.4 9=5\r\n10=161</a>\n';
    const logged = (text: string): string => `20261121-09:30:01.123 : ${text.replaceAll('\u0001', separator)}\r\n`;
    const frame = (body: string): string => fromPrintable(`8=FIX.4.4|${body}`).toString('latin1');
    const cut = logged('8=FIX.4.4\u00019=190\u000135=0\u000134=7\u0001');
    const text = [
      logged(frame(`35=B|34=1|212=${data.length}|213=${data}|58=x|`)),
      logged(frame('35=B|34=3|58=a\nb|212=3|213=c\nd|')),
      cut + logged(soh),
      logged(frame('35=B|34=4|58=a\n|') + frame('35=B|34=5|58=\n\n|')),
      cut,
    ].join('');
    for (const size of [1, 7, 64, 10_000]) {
      const reader = new TextLogReader();
      const found: LoggedMessage[] = [];
      for (let at = 0; at < text.length; at += size) found.push(...reader.push(text.slice(at, at + size)));
      found.push(...reader.end());
      expect(found.map(({ view, note }) => [view?.string(34), view?.string(213), note === ''])).toEqual([
        ['1', data, true],
        ['3', 'c\nd', true],
        ['7', null, false],
        ['2', null, true],
        ['4', null, true],
        ['5', null, true],
        ['7', null, false],
      ]);
    }
  });

  test('carry the time of the log before their SendingTime(52)', () => {
    const logged = parseUtcTimestamp('20261121-09:30:01.123');
    expect(read(`20261121-09:30:01.123456 : ${soh}`)[0]!.at).toBe(logged);
    expect(read(`<20261121-09:30:01.123, FIX.4.4:OMS->XG, outgoing>\n(${soh})`)[0]!.at).toBe(logged);
    expect(read(`2026-11-21T09:30:01.123Z ${soh}`)[0]!.at).toBe(logged);
    expect(read(soh)[0]!.at).toBe(parseUtcTimestamp('20261121-09:30:00.000'));
    // As quickfixgo has it.
    expect(read(`2026/11/21 09:30:01.123456 ${soh}`)[0]!.at).toBe(logged);
    expect(read(`<2026-11-21 09:30:01.123456789 +0000 UTC, FIX.4.4:OMS->XG, incoming>\n  (${soh})`)[0]!.at).toBe(
      logged,
    );
  });

  test.each([
    [
      '2026-11-21T10:30:01.123+01:00 INFO',
      'the time of the log is moved to UTC where it says how far it is from there',
    ],
    ['2026-11-21 10:30:01,123 +0100', 'with a blank between'],
    ['2026-11-21T04:00:01.123-0530', 'behind UTC, by half an hour too'],
    ['[2026-11-21 09:30:01.123] -0500', 'a number that belongs to something else moves nothing'],
  ])('behind %s: %s', (prefix) => {
    expect(read(`${prefix} ${soh}`)[0]!.at).toBe(parseUtcTimestamp('20261121-09:30:01.123'));
  });

  test('a | inside a value of an SOH log stays a part of it', () => {
    const text = fromPrintable('35=B|49=A|56=B|34=1|148=x/y|').toString('latin1').replace('x/y', 'x|y');
    expect(read(text)[0]!.view?.string(Tag.Headline)).toBe('x|y');
  });

  test('with a wrong CheckSum or BodyLength are read with a remark', () => {
    const wrong = read(printable.replace(/10=\d+/, '10=999').replace('44=5', '44=55'))[0]!;
    expect(wrong.view?.string(Tag.Price)).toBe('55');
    const bodyLength = Number(/9=(\d+)/.exec(printable)![1]);
    expect(wrong.note).toContain(`BodyLength(9) is written as ${bodyLength} and has to be ${bodyLength + 1}`);
    expect(wrong.note).toMatch(/CheckSum\(10\) is written as 999 and is \d{3} of the bytes as they stand/);
  });

  test('with a secret and a wrong BodyLength(9), the CheckSum(10) is looked at as it was written', () => {
    const logon = fromPrintable('35=A|49=OMS|56=XG|34=1|98=0|108=30|554=hunter2|').toString('latin1');
    const wrong = logon.replace(/9=\d+/, '9=10');
    let sum = 0;
    for (const byte of Buffer.from(wrong.slice(0, wrong.indexOf('\u000110=') + 1), 'latin1')) sum += byte;
    const right = `${wrong.slice(0, -4)}${String(sum % 256).padStart(3, '0')}\u0001`;
    const { note } = read(right)[0]!;
    expect(note).toContain('BodyLength(9) is written as 10 and');
    expect(note).not.toContain('CheckSum(10) is written');
  });

  test('a | inside a value stays a part of it between other separators', () => {
    const text = fromPrintable('35=B|49=A|56=B|34=1|148=x/y|').toString('latin1').replace('x/y', 'x|y');
    expect(read(text.replaceAll('\u0001', ';'))[0]!.view!.string(Tag.Headline)).toBe('x|y');
  });

  test.each(['; ', '| ', ' | ', '^A '])('a %j inside a value stays a part of it where no field follows', (mark) => {
    const news = fromPrintable(`8=FIX.4.4|${ORDER}`).toString('latin1').replace('11=a', `11=a${mark}b`);
    const [found] = read(`sent ${news.replaceAll('\u0001', mark)}\n`);
    expect(found?.view?.string(Tag.ClOrdID)).toBe(`a${mark}b`);
    expect(found?.view?.string(Tag.Symbol)).toBe('BTCUSDC');
  });

  test.each(['^', '~'])('a %s inside a value stays a part of it where no field follows', (mark) => {
    const text = fromPrintable(`35=B|49=A|56=B|34=1|148=x${mark}y ${mark}1|`).toString('latin1');
    for (const ending of ['', '\n'])
      expect(read(text.replaceAll('\u0001', mark) + ending)[0]).toMatchObject({ note: '' });
    expect(read(text.replaceAll('\u0001', mark))[0]!.view!.string(Tag.Headline)).toBe(`x${mark}y ${mark}1`);
  });

  test('secrets do not come out of a log', () => {
    const logon = read('8=FIX.4.4|35=A|49=OMS|56=XG|34=1|98=0|108=30|554=hunter2|')[0]!;
    expect(toPrintable(logon.raw)).not.toContain('hunter2');
    expect(logon.view?.msgType).toBe('A');
    expect(logon.note).toBe('');
  });

  test.each([
    [' ', '" "'],
    [', ', '", "'],
    ['\\t', '"\\\\t"'],
  ])('with %j between fields are not read, and reported so', (separator, shown) => {
    const reader = new TextLogReader();
    reader.push(`sent FIX.4.4\n${soh.replaceAll('\u0001', separator)}\n`);
    expect(reader.end()).toEqual([]);
    expect(reader.unread.summary).toContain(`a line with FIX in it is not read: fields separated by ${shown}`);
    expect(reader.unread.summary).toContain('SOH, tab, |, ;');
    expect(reader.unread.placesIn('a.log')).toEqual([expect.stringMatching(/^a\.log:2: fields separated by/)]);
  });

  test('other text holds none', () => {
    expect(new TextLogReader().unread.summary).toBeNull();
    expect(read('Created session\n58=FIX is fun|8=FIXED\n\n18=FIX.4.4|9=5|\n')).toEqual([]);
  });
});

test.each([
  ['2026-11-21', '20261121-00:00:00'],
  ['2026-11-21T09:30', '20261121-09:30:00'],
  ['2026-11-21 09:30:00.5', '20261121-09:30:00.500'],
  ['2026-11-21T09:30:00Z', '20261121-09:30:00'],
  ['20261121-09:30:00.123', '20261121-09:30:00.123'],
])('the time %s is read', (text, fix) => {
  expect(parseTime(text)).toBe(parseUtcTimestamp(fix));
});

describe('filters', () => {
  const all = { session: null, types: [], tags: [], from: null, to: null };
  const order = read(`20261121-09:30:01.000 : ${soh}`)[0]!;
  const at = parseTime('2026-11-21T09:30:01')!;
  test.each([
    ['nothing asked', {}, true],
    ['a CompID', { session: 'OMS' }, true],
    ['the session from the other side', { session: 'FIX.4.4:XG->OMS' }, true],
    ['another session', { session: 'OTHER' }, false],
    ['its type', { types: ['8', 'D'] }, true],
    ['another type', { types: ['8'] }, false],
    ['a tag that it has', { tags: [parseTagFilter('44')!] }, true],
    ['a value that it has', { tags: [parseTagFilter('11=a')!] }, true],
    ['one of two values that it has', { tags: [parseTagFilter('11=a')!, parseTagFilter('44=6')!] }, false],
    ['its moment', { from: at, to: at }, true],
    ['later ones', { from: at + 1 }, false],
    ['earlier ones', { to: at - 1 }, false],
  ])('by %s', (_, filter, wanted) => {
    expect(matchesFilter(order, { ...all, ...filter })).toBe(wanted);
  });

  test.each([
    ['58=B\xc3\xb6rse|', 'Börse'],
    ['58=B\xf6rse|', 'Börse'],
    ['58=B\xc3\xb6rse|', 'B\xc3\xb6rse'],
    ['58=a\x02b|', 'a?b'],
  ])('a value is found as it is shown, whatever its bytes are: %j by %j', (text, shown) => {
    const view = viewOf(fromPrintable(`35=B|49=OMS|56=XG|34=2|52=20261121-10:00:00.000|${text}`));
    const filter = { ...all, tags: [parseTagFilter(`58=${shown}`)!] };
    expect(matchesFilter({ ...order, view }, filter)).toBe(true);
    expect(matchesFilter({ ...order, view }, { ...all, tags: [parseTagFilter('58=other')!] })).toBe(false);
  });

  test('a tag filter is a tag, with a value or without', () => {
    expect(parseTagFilter('58=a=b')).toEqual({ tag: 58, value: 'a=b' });
    expect(parseTagFilter('x')).toBeNull();
  });
});

describe('gaps in MsgSeqNum(34)', () => {
  const reader = () => {
    const [finder, sessions] = [new GapFinder(), new LogSessions()];
    const add = (message: LoggedMessage) => finder.add(message, sessions.directionOf(message));
    return { finder, add };
  };

  test('are named per direction, and forgotten once PossDups fill them', () => {
    const { finder, add } = reader();
    expect(add(numbered('A', 1))).toBeNull();
    expect(add(numbered('B', 7))).toBeNull();
    expect(add(numbered('A', 5))).toEqual({ direction: 'FIX.4.4:A->XG', from: 2, to: 4 });
    expect(add(numbered('A', 2, '35=8|43=Y|'))).toBeNull();
    expect(finder.open()).toEqual([{ direction: 'FIX.4.4:A->XG', from: 3, to: 4 }]);
    add(numbered('A', 3, '35=4|43=Y|123=Y|36=5|'));
    expect(finder.open()).toEqual([]);
    expect(add(numbered('A', 6))).toBeNull();
  });

  test('are none where a journal keeps a message that no number counts, such as a Logon(A) that was refused', () => {
    const { finder, add } = reader();
    add(numbered('A', 1));
    expect(add({ ...numbered('A', 9, '35=A|98=0|108=30|'), counted: false })).toBeNull();
    expect(add(numbered('A', 2))).toBeNull();
    expect(add(numbered('A', 4))).toEqual({ direction: 'FIX.4.4:A->XG', from: 3, to: 3 });
    expect(finder.open()).toHaveLength(1);
  });

  test('a reset begins anew, said in the Logon(A) or not', () => {
    const { finder, add } = reader();
    add(numbered('A', 50));
    expect(add(numbered('A', 1, '35=A|98=0|108=30|141=Y|'))).toBeNull();
    expect(add(numbered('A', 2))).toBeNull();
    expect(add(numbered('A', 1, '35=A|98=0|108=30|'))).toBeNull();
    expect(add(numbered('A', 2))).toBeNull();
    expect(finder.open()).toEqual([]);
  });

  test('of a series that a reset ended are reported at the end, unfilled by a later duplicate', () => {
    const { finder, add } = reader();
    add(numbered('A', 1));
    expect(add(numbered('A', 4))).toEqual({ direction: 'FIX.4.4:A->XG', from: 2, to: 3 });
    add(numbered('A', 1, '35=A|98=0|108=30|141=Y|'));
    expect(add(numbered('A', 5))).toEqual({ direction: 'FIX.4.4:A->XG', from: 2, to: 4 });
    add(numbered('A', 2, '35=8|43=Y|'));
    expect(finder.open().map(({ from, to }) => [from, to])).toEqual([
      [2, 3],
      [3, 4],
    ]);
  });

  test('are filled as well where the logs of both sides, put together, have each message twice', () => {
    const { finder, add } = reader();
    for (const [msgSeqNum, type, time] of [
      [1, '35=A|', '00'],
      [4, '35=0|', '01'],
      [2, '35=4|43=Y|123=Y|36=4|', '02'],
    ] as const) {
      add(numbered('A', msgSeqNum, `${type}52=20261121-09:30:${time}|`));
      add(numbered('A', msgSeqNum, `${type}52=20261121-09:30:${time}|`));
    }
    expect(finder.open()).toEqual([]);
  });

  test('are none before a SequenceReset(4) in reset mode with its meaningless number', () => {
    const { finder, add } = reader();
    add(numbered('A', 1));
    expect(add(numbered('A', 900_000, '35=4|36=10|'))).toBeNull();
    expect(add(numbered('A', 10))).toBeNull();
    expect(add(numbered('A', 1, '35=4|123=N|36=20|'))).toBeNull();
    expect(add(numbered('A', 22))).toEqual({ direction: 'FIX.4.4:A->XG', from: 20, to: 21 });
    expect(finder.open()).toHaveLength(1);
  });

  test('go on behind one with a number far too high, which the other side does not take', () => {
    const { finder, add } = reader();
    add(numbered('A', 1));
    add(numbered('A', 4));
    expect(add(numbered('A', 5, '35=4|36=4000000000|'))).toBeNull();
    expect(add(numbered('A', 7))).toEqual({ direction: 'FIX.4.4:A->XG', from: 6, to: 6 });
    expect(add(numbered('A', 2, '35=4|43=Y|123=Y|36=4|'))).toBeNull();
    expect(finder.open()).toEqual([{ direction: 'FIX.4.4:A->XG', from: 6, to: 6 }]);
  });
});

test('separates the two directions of a journaled session, with a SubID on either side', () => {
  for (const session of ['FIX.4.4:X->A', 'FIX.4.4:X/DESK->A', 'FIX.4.4:X->A/EAST', 'FIX.4.4:X/DESK->A/EAST']) {
    const sessions = new LogSessions();
    const [ours, theirs] = ['35=0|49=X|56=A|34=1|', '35=0|49=A|56=X|34=1|'].map((body) =>
      sessions.directionOf(loggedMessage(fromPrintable(body), { at: null, session, counted: true, note: '' })),
    );
    expect(ours!.name).toBe(session);
    expect(theirs).toEqual({ name: ours!.opposite, opposite: session });
  }
});
