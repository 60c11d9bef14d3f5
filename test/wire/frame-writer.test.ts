import { expect, test } from 'vitest';
import { Decimal } from '../../src/base/decimal.ts';
import { formatUtcTimestamp } from '../../src/base/time.ts';
import {
  type FrameHeader,
  FrameWriter,
  fromPrintable,
  MessageDraft,
  Tag,
  toPrintable,
  viewOf,
} from '../../src/wire/mod.ts';
import { randomNumbers } from '../support/random/random-message.ts';
import { HEADER, HEADER_AT } from './frame-header.ts';

const seed = Number(process.env.CROSSGATE_SEED ?? (Date.now() ^ (process.pid << 8)) >>> 0);

const encode = (header: FrameHeader, draft: MessageDraft): string =>
  toPrintable(new FrameWriter().encode(header, draft));

test('a message is 8, 9, 35, the header by ascending tags, the body as drafted, 10', () => {
  const draft = new MessageDraft('0').add(Tag.TestReqID, 'foo');
  expect(encode(HEADER, draft)).toBe('8=FIX.4.4|9=57|35=0|34=12|49=XG|52=20261121-10:00:00.000|56=OMS|112=foo|10=142|');
});

test('every header field has its place', () => {
  const header: FrameHeader = {
    ...HEADER,
    beginString: 'FIXT.1.1',
    applVerID: '9',
    senderSubID: 'a',
    senderLocationID: 'b',
    targetSubID: 'c',
    targetLocationID: 'd',
    possDup: true,
    origSendingTime: '20261121-09:00:00.000',
    lastMsgSeqNumProcessed: 0,
    extra: [[1156, '1']],
  };
  const draft = new MessageDraft('8').header(115, 'e').header(128, 'f').header(129, 'g').header(97, 'Y').add(37, '1');
  expect(encode(header, draft)).toBe(
    '8=FIXT.1.1|9=150|35=8|1128=9|34=12|43=Y|49=XG|50=a|52=20261121-10:00:00.000|56=OMS|57=c|97=Y|115=e|' +
      '122=20261121-09:00:00.000|128=f|129=g|142=b|143=d|369=0|1156=1|37=1|10=139|',
  );
});

test('a header field of the draft overrides the session’s', () => {
  const draft = new MessageDraft('8').header(Tag.TargetSubID, 'trader').add(37, '1');
  expect(encode({ ...HEADER, targetSubID: 'ADMIN' }, draft)).toContain('|56=OMS|57=trader|37=1|');
});

test('possDup false writes nothing', () => {
  expect(encode({ ...HEADER, possDup: false }, new MessageDraft('0'))).not.toContain('|43=');
});

test('a value can never forge a field: SOH and characters without a byte become ?', () => {
  const draft = new MessageDraft('B').add(58, 'a\x0154=2').add(148, '\u0101\u2028é');
  const view = viewOf(new FrameWriter().encode(HEADER, draft))!;
  expect(view.has(54)).toBe(false);
  expect(view.string(58)).toBe('a?54=2');
  expect(view.string(148)).toBe('??é');
});

test('a data field keeps SOH', () => {
  const draft = new MessageDraft('A').add(95, '3').add(96, 'a\x01b');
  expect(viewOf(new FrameWriter().encode(HEADER, draft))!.string(96)).toBe('a\x01b');
});

test('data that no Length field before it announces, or with another length, forges no field either', () => {
  for (const before of [
    [],
    [[95, '2']],
    [
      [95, '3'],
      [58, 'x'],
    ],
    [[354, '6']],
    [[58, `${'0'.repeat(24)}95=6`]],
  ] as const) {
    const draft = new MessageDraft('B');
    for (const [tag, value] of before) draft.add(tag, value);
    const view = viewOf(new FrameWriter().encode(HEADER, draft.add(96, 'a\x0154=2')))!;
    expect(view.has(54)).toBe(false);
    expect(view.string(96)).toBe('a?54=2');
  }
  const told = viewOf(fromPrintable('35=B|354=6|355=a|54=2|'))!;
  const copied = new MessageDraft('B');
  told.copyTo(copied, 355);
  expect(encode(HEADER, copied)).toContain('|355=a?54=2|');
});

test('a field with an empty value is left out', () => {
  expect(encode(HEADER, new MessageDraft('0').add(112, '').add(58, 'x'))).toContain(
    '52=20261121-10:00:00.000|56=OMS|58=x|',
  );
});

test('a message of any length is written, and the frame is a copy', () => {
  const writer = new FrameWriter();
  const long = 'x'.repeat(100_000);
  const first = writer.encode(HEADER, new MessageDraft('B').add(58, long));
  const second = writer.encode(HEADER, new MessageDraft('0'));
  expect(viewOf(first)!.string(58)).toBe(long);
  expect(viewOf(second)!.msgType).toBe('0');
});

test('sequence numbers of any width', () => {
  const writer = new FrameWriter();
  for (const msgSeqNum of [1, 9, 10, 99, 100, 99_999, 100_000_000, 4_294_967_295]) {
    expect(viewOf(writer.encode({ ...HEADER, msgSeqNum }, new MessageDraft('0')))!.int(34)).toBe(msgSeqNum);
  }
});

test('frames once written are never written again, wherever they lie', () => {
  const writer = new FrameWriter();
  const kept = Array.from({ length: 2_000 }, (_, at) => {
    const draft = new MessageDraft('B').add(58, 'x'.repeat((at * 37) % 700)).add(148, `message ${at}`);
    const frame = writer.encode({ ...HEADER, msgSeqNum: at + 1 }, draft);
    return { frame, copy: Buffer.from(frame) };
  });
  kept.forEach(({ frame, copy }, at) => {
    expect(frame.equals(copy)).toBe(true);
    expect(viewOf(frame)?.string(148)).toBe(`message ${at}`);
  });
});

test('long values are written as short ones are', () => {
  const value = `${'é'.repeat(60)}\x01${'x'.repeat(60)}\u2028\0`;
  const view = viewOf(
    new FrameWriter().encode(HEADER, new MessageDraft('B').add(58, value).add(148, value.slice(0, 61))),
  )!;
  expect(view.string(58)).toBe(`${'é'.repeat(60)}?${'x'.repeat(60)}??`);
  expect(view.string(148)).toBe(`${'é'.repeat(60)}?`);
});

test.each([undefined, Number.NaN, 0, -1, 1.5, 1_000_000_000])(
  'a field by the tag %s is refused when it is added',
  (tag) => {
    const draft = new MessageDraft('D');
    const none = tag as number;
    const wanted = 'a field is added by its tag, a whole number from 1';
    expect(() => draft.add(none, 'x')).toThrow(wanted);
    expect(() => draft.addBytes(none, Buffer.from('xy'), 0, 1)).toThrow(wanted);
    expect(() => draft.addDecimal(none, Decimal.parse('1.5')!)).toThrow(wanted);
    expect(() => draft.addDecimal(none, Decimal.parse('-12345678901234567890.5')!)).toThrow(wanted);
    expect(() => draft.addTime(none, HEADER_AT)).toThrow(wanted);
    expect(() => draft.header(none, 'x')).toThrow(wanted);
    expect(() => draft.header(57, 7 as never)).toThrow('a header field is set to a text');
    expect(encode(HEADER, draft.add(58, 'a'))).toMatch(/\|52=20261121-10:00:00\.000\|56=OMS\|58=a\|10=\d{3}\|$/);
  },
);

test.each([8, 9, 10, 34, 35, 43, 49, 52, 56, 122, 369])('the session’s own field %i in the body is refused', (tag) => {
  const draft = new MessageDraft('D');
  const wanted = `${tag} is written by the session, and is no field of the body`;
  expect(() => draft.add(tag, 'x')).toThrow(wanted);
  expect(() => draft.addBytes(tag, Buffer.from('xy'), 0, 1)).toThrow(wanted);
  expect(() => draft.addDecimal(tag, Decimal.parse('1.5')!)).toThrow(wanted);
  expect(() => draft.addDecimal(tag, Decimal.parse('-12345678901234567890.5')!)).toThrow(wanted);
  expect(() => draft.addTime(tag, HEADER_AT)).toThrow(wanted);
  expect(draft.tags).toEqual([]);
});

test('tags of every width', () => {
  const draft = new MessageDraft('B');
  const tags = [7, 58, 148, 1409, 20_003, 123_456, 999_999_999];
  for (const tag of tags) draft.add(tag, 'x');
  const view = viewOf(new FrameWriter().encode(HEADER, draft))!;
  expect(tags.map((tag) => view.string(tag))).toEqual(tags.map(() => 'x'));
});

test('a decimal is written as its text is, whatever its size and scale', () => {
  const writer = new FrameWriter();
  const numbers = randomNumbers(seed);
  const texts = [
    '0',
    '-1.5',
    '0.5',
    '0.000',
    '100',
    '0.00000000000001',
    '123456789012345.12345678',
    '9007199254740991',
  ];
  texts.push('2147483647', '2147483648', '2.147483647', '21474836.48', '9007199.254740991', '999999999.000000000');
  for (let coefficient = 1; coefficient <= 10 ** 10; coefficient *= 10) {
    for (let scale = 0; scale <= 10; scale++) {
      for (const by of [-1, 0, 1, numbers(coefficient)]) texts.push(`${new Decimal(BigInt(coefficient + by), scale)}`);
    }
  }
  for (let i = 0; i < 2_000; i++) {
    const digits = Array.from({ length: 1 + numbers(20) }, () => numbers(10)).join('');
    const scale = numbers(digits.length);
    texts.push(scale === 0 ? `${BigInt(digits)}` : `${BigInt(digits.slice(0, -scale))}.${digits.slice(-scale)}`);
  }
  for (const text of texts) {
    const draft = new MessageDraft('8')
      .addDecimal(44, Decimal.of(text))
      .add(58, 'x')
      .addDecimal(20_000, Decimal.of(text));
    const view = viewOf(writer.encode(HEADER, draft));
    expect([view?.string(44), view?.string(58), view?.string(20_000)], `seed ${seed}`).toEqual([text, 'x', text]);
    expect([draft.get(44), draft.values[0]]).toEqual([text, text]);
  }
});

test('times are written to the millisecond, in the header and in the body', () => {
  const writer = new FrameWriter();
  const day = Date.UTC(2026, 10, 21);
  for (const at of [day, day - 1, day + 999, day + 1_000, day + 36_000_007, day + 86_399_999, day + 86_400_000, 0]) {
    const draft = new MessageDraft('8').addTime(60, at);
    const view = viewOf(writer.encode({ ...HEADER, sendingTime: at }, draft));
    expect(view?.string(52)).toBe(formatUtcTimestamp(at));
    expect(view?.string(60)).toBe(formatUtcTimestamp(at));
    expect(draft.get(60)).toBe(formatUtcTimestamp(at));
  }
});

test(`a header is the same to the byte whether its SendingTime(52) is a time or its text (seed ${seed})`, () => {
  const next = randomNumbers(seed);
  const ofTimes = new FrameWriter();
  const ofTexts = new FrameWriter();
  const seqNums = [
    0, 1, 9, 10, 99, 100, 9_999, 10_000, 99_999, 999_999_999, 2_147_483_647, 2_147_483_648, 4_294_967_295,
  ];
  const times = [HEADER_AT, HEADER_AT, HEADER_AT + 1, HEADER_AT - 1, HEADER_AT + 999, 0, -1, Date.UTC(9999, 11, 31)];
  const pick = <T>(values: readonly T[]): T => values[next(values.length)]!;
  // Each case alone, and then whatever came before on the same writer.
  const headerFields: readonly (readonly (readonly [number, string])[])[] = [
    ...[
      [],
      [],
      [[57, 'a']],
      [[57, 'a']],
      [[57, 'b'.repeat(70)]],
      [[57, '']],
      [[57, 'a\u0101']],
      [[57, 'a\x01']],
      [[50, 'a']],
    ],
    ...[
      [[97, 'Y']],
      [
        [57, 'a'],
        [97, 'Y'],
      ],
      [
        [57, 'a'],
        [57, 'b'],
      ],
      [
        [115, 'x'],
        [5001, 'y'],
      ],
      [
        [49, 'DESK'],
        [1128, '9'],
      ],
    ],
  ] as never;
  const more: readonly Partial<FrameHeader>[] = [
    ...[{}, {}, {}, { applVerID: '9', beginString: 'FIXT.1.1' }, { senderCompID: 'ZZ' }, { targetCompID: 'OTHER' }],
    ...[
      { senderSubID: 's' },
      { senderLocationID: 'l' },
      { targetSubID: 't' },
      { targetLocationID: 'u' },
      { extra: [] },
    ],
    ...[{ possDup: true }, { possDup: false }, { origSendingTime: '20261121-09:00:00' }, { lastMsgSeqNumProcessed: 0 }],
  ];
  for (let i = 0; i < 1_000; i++) {
    const time = pick(times);
    const header = { ...HEADER, ...pick(more), msgSeqNum: pick(seqNums) };
    const fields = pick(headerFields);
    const msgType = pick(['0', '8', 'AE', 'UXYZ']);
    const text = 'x'.repeat(pick([0, 1, 20, 30, 40, 900, 940, 1_000, 5_000]));
    const draft = (): MessageDraft => {
      const made = new MessageDraft(msgType).add(58, text);
      for (const [tag, value] of fields) made.header(tag, value);
      return made;
    };
    const ofTime = ofTimes.encode({ ...header, sendingTime: time }, draft());
    const ofText = ofTexts.encode({ ...header, sendingTime: formatUtcTimestamp(time) }, draft());
    expect(toPrintable(ofTime)).toBe(toPrintable(ofText));
    const view = viewOf(ofTime)!;
    expect([view.int(34), view.msgType, view.beginString]).toEqual([header.msgSeqNum, msgType, header.beginString]);
    expect([view.string(52), view.string(58) ?? '']).toEqual([formatUtcTimestamp(time), text]);
  }
});

test('a message that outgrows its slab in the middle of texts, decimals and times is written whole', () => {
  const writer = new FrameWriter();
  for (let i = 0; i < 400; i++) {
    const draft = new MessageDraft('B');
    for (let k = 0; k < 40; k++)
      draft
        .add(58, `text ${i} ${k}`)
        .addDecimal(44, Decimal.of(`${i}.${k}5`))
        .addTime(60, i * k);
    const view = viewOf(writer.encode(HEADER, draft))!;
    expect(Array.from({ length: 120 }, (_, k) => view.stringAt(k + 7))).toEqual(draft.values);
  }
});

test('a draft encoded for several sessions may grow; written frames stay', () => {
  const draft = new MessageDraft('8').header(57, 'trader').add(37, '1').add(58, 'a\u0101');
  const first = new FrameWriter().encode(HEADER, draft);
  const kept = Buffer.from(first);
  const other = new FrameWriter().encode({ ...HEADER, targetCompID: 'DROPCOPY', msgSeqNum: 7 }, draft.add(17, '2'));
  const third = encode(HEADER, draft.addTime(60, HEADER_AT));
  expect(first).toEqual(kept);
  expect(toPrintable(other)).toMatch(
    /\|34=7\|49=XG\|52=[^|]+\|56=DROPCOPY\|57=trader\|37=1\|58=a\?\|17=2\|10=\d{3}\|$/,
  );
  expect(third).toContain('|37=1|58=a?|17=2|60=20261121-10:00:00.000|10=');
  for (const frame of [first, other]) expect(viewOf(frame)).not.toBeNull();
});

test('a header of any length finds its place before the body', () => {
  for (const length of [1, 100, 180, 190, 200, 3000]) {
    const senderCompID = 'X'.repeat(length);
    for (const extra of [undefined, [[5001, 'y'.repeat(length)]] as const]) {
      const header = { ...HEADER, senderCompID, extra, sendingTime: HEADER_AT };
      const view = viewOf(new FrameWriter().encode(header, new MessageDraft('0').header(57, 'a').add(112, 'foo')))!;
      expect([view.string(49), view.string(57), view.string(112)]).toEqual([senderCompID, 'a', 'foo']);
      if (extra !== undefined) expect(view.string(5001)).toBe(extra[0]![1]);
    }
  }
});

test('writes a long header field whole at any slab position, and overwrites nothing', () => {
  const writer = new FrameWriter();
  for (let i = 0; i < 400; i++) {
    const before = new MessageDraft('0').add(112, `${i}`);
    const senderSubID = `${i}`.repeat(150 + 7 * (i % 40));
    const frame = writer.encode(
      { ...HEADER, senderSubID, senderLocationID: 'é'.repeat(400) },
      new MessageDraft('0').add(112, 'x'),
    );
    const view = viewOf(frame)!;
    expect([view.string(50), view.string(142), view.string(112)]).toEqual([senderSubID, 'é'.repeat(400), 'x']);
    expect(viewOf(writer.encode(HEADER, before))!.string(112)).toBe(`${i}`);
  }
  for (const length of [100, 150, 170, 180, 190, 200, 300]) {
    const neighbour = writer.encode({ ...HEADER, sendingTime: HEADER_AT }, new MessageDraft('0').add(112, 'first'));
    const copy = Buffer.from(neighbour);
    const header = { ...HEADER, senderCompID: 'X'.repeat(length), sendingTime: HEADER_AT };
    expect(viewOf(writer.encode(header, new MessageDraft('0')))!.string(49)).toBe('X'.repeat(length));
    expect(neighbour.equals(copy), `${length}`).toBe(true);
  }
});

test('leaves out a header field without a value, and writes ? for an unencodable character', () => {
  const header = { ...HEADER, sendingTime: HEADER_AT };
  expect(encode(header, new MessageDraft('0').header(57, ''))).toMatch(/\|52=[^|]+\|56=OMS\|10=/);
  expect(encode(header, new MessageDraft('0').header(57, 'a\u0101'))).toMatch(/\|56=OMS\|57=a\?\|10=/);
});

test(`a value taken as it stands in a buffer is written as the same text would be (seed ${seed})`, () => {
  const next = randomNumbers(seed);
  for (let round = 0; round < 3000; round++) {
    const ofTexts = new MessageDraft('8');
    const ofBytes = new MessageDraft('8');
    for (let fields = 1 + next(12); fields > 0; fields--) {
      const tag = [11, 58, 96, 150, 9999, 10_000, 20_001][next(7)]!;
      const length = next(10) === 0 ? next(1500) : next(30);
      // All bytes there are, now and then: SOH and NUL among them.
      const bytes = Buffer.from(
        Array.from({ length: length + 4 }, () => (next(8) === 0 ? next(256) : 0x30 + next(64))),
      );
      ofTexts.add(tag, bytes.toString('latin1', 2, length + 2));
      ofBytes.addBytes(tag, bytes, 2, length + 2);
    }
    expect(ofBytes.values).toEqual(ofTexts.values);
    expect(encode(HEADER, ofBytes)).toBe(encode(HEADER, ofTexts));
  }
});
