// Frames indexed by vectors: whatever the frame is, its fields lie where the plain way finds them. Random and damaged frames
// are compared in properties.test.ts.

import { expect, test } from 'vitest';
import {
  DataFields,
  Framer,
  type FramerLimits,
  fromPrintable,
  IndexKernel,
  MessageView,
  ValueKind,
} from '../../src/wire/mod.ts';

const LIMITS: FramerLimits = { frameBytesMax: 65_536, fieldsMax: 2_000 };
const order = (fields: string): Buffer => fromPrintable(`35=D|49=OMS|56=XG|34=7|52=20261121-10:11:12.345|${fields}`);

/** What is said of these chunks: fields of messages, texts of notices. */
function said(
  chunks: readonly Buffer[],
  view: MessageView,
  limits = LIMITS,
  dataFields = DataFields.STANDARD,
): string[] {
  const framer = new Framer(limits, view);
  framer.dataFields = dataFields;
  const all: string[] = [];
  for (const chunk of chunks) {
    framer.push(chunk);
    for (let found = framer.next(); found !== null; found = framer.next()) {
      if (found.kind === 'garbled') all.push(found.notice.text);
      else {
        const { fieldCount, dataFaultAt } = found.view;
        const fields = Array.from({ length: fieldCount }, (_, i) => `${view.tagAt(i)}=${view.stringAt(i)}`);
        all.push(`${dataFaultAt} ${found.view.indexOf(11)} ${found.view.string(58)} ${fields.join('|')}|`);
      }
    }
  }
  return all;
}

/** A frame around any body and BodyLength, with the CheckSum that its bytes have. */
function frameOf(begin: string, bodyLength: string, body: string, trailer?: string): Buffer {
  const text = `8=${begin}|9=${bodyLength}|${body}`.replaceAll('|', '\u0001');
  const sum = [...text].reduce((all, c) => all + c.charCodeAt(0), 0) & 0xff;
  return Buffer.from(`${text}${trailer ?? `10=${String(sum).padStart(3, '0')}\u0001`}`, 'latin1');
}
const BODY = '35=D|49=OMS|11=x|';

const kernel = IndexKernel.create();
const fast = new MessageView(kernel);

const frames: readonly (readonly [what: string, frame: Buffer])[] = [
  ['tags of one to four digits', order('1=A|11=x|150=0|1128=9|')],
  ['a tag of five digits', order('11=x|20001=y|58=z|')],
  ['an empty value', order('11=|58=|')],
  ['values with =', order('58==|1==|58=a=b|')],
  ['tags that are none', order('=x|abc=1|012=x|5a=2|58|')],
  ['nothing between two SOH', order('11=x||58=y|')],
  ['data with SOH in it', order('95=5|96=a|b|c|58=y|')],
  ['data that does not fit its Length', order('95=9999|96=a|58=y|')],
  ['bytes above 127 and NUL', order('58=\u00ff\u0080\u0000\u0001')],
  ['more bytes than fit', order(`58=${'x'.repeat(9_000)}|`)],
  ['more fields than fit', order('58=x|'.repeat(1_100))],
  ...[
    'FIX.4.0',
    'FIX.4.9',
    'FIX.4.x',
    'FIX.4.44',
    'FIXT.1.1',
    'FIXT.1.2',
    'FIXT.1.11',
    'FIX.5.0',
    'FIX.',
    'FIY.4.4',
  ].map((begin) => [`BeginString ${begin}`, frameOf(begin, '17', BODY)] as const),
  ...['017', '000000017', '0000000017', '', '16', '18', '1x', '-17', '9', '4', '1000000000'].map(
    (bodyLength) => [`BodyLength ${bodyLength}`, frameOf('FIX.4.4', bodyLength, BODY)] as const,
  ),
  ...['10=1x3|', '10=12|', '10=1234|', '11=123|', '10=123_'].map(
    (trailer) => [`trailer ${trailer}`, frameOf('FIX.4.4', '17', BODY, trailer.replaceAll('|', '\u0001'))] as const,
  ),
  ['MsgType not the third field', frameOf('FIX.4.4', '17', '49=OMS|35=D|11=x|')],
  ['an empty MsgType', frameOf('FIX.4.4', '9', '35=|11=x|')],
  ['no field but MsgType', frameOf('FIX.4.4', '5', '35=D|')],
  ['less than that', frameOf('FIX.4.4', '4', '35=|')],
  [
    'a wrong CheckSum',
    Buffer.from(
      order('58=x|')
        .toString('latin1')
        .replace(/10=\d+/, '10=999'),
      'latin1',
    ),
  ],
];

test('this Node has what the vectors need', () => {
  expect(kernel).not.toBeNull();
});

for (const [what, frame] of frames) {
  test(`${what}: the same fields as found byte by byte, at every place in a vector`, () => {
    for (let at = 0; at < 18; at++) {
      const stream = Buffer.concat([order(`58=${'x'.repeat(at)}|`), frame, order('11=last|')]);
      const found = said([stream], fast);
      expect(found).toEqual(said([stream], new MessageView()));
      expect(found.at(-1)).toContain('|11=last|');
    }
  });
}

test('a frame of every length is read in its vectors', () => {
  for (let length = 1; length < 100; length++) {
    const frame = order(`58=${'z'.repeat(length)}|`);
    expect(said([frame], fast)).toEqual(said([frame], new MessageView()));
    frame[frame.length - 9]! ^= 1;
    expect(said([frame], fast)).toEqual(['CheckSum(10) differs from the sum of the bytes']);
  }
});

test('frames of every length lie across the end of what the kernel holds', () => {
  for (const size of [20, 500, 3_000, 3_900, 4_500, 8_000]) {
    const stream = Buffer.concat(Array.from({ length: 40 }, (_, i) => order(`58=${'x'.repeat(size + i)}|11=${i}|`)));
    expect(said([stream], fast)).toEqual(said([stream], new MessageView()));
    expect(said([stream.subarray(0, 9_000), stream.subarray(9_000)], fast)).toHaveLength(40);
  }
});

test('the limit of a frame is the same', () => {
  const frame = order('11=x|');
  for (const frameBytesMax of [frame.length - 1, frame.length, frame.length + 1]) {
    const limits = { ...LIMITS, frameBytesMax };
    expect(said([frame], fast, limits)).toEqual(said([frame], new MessageView(), limits));
  }
});

test('a BodyLength that leads beyond the bytes, or beyond the limit, is left to what comes', () => {
  for (const bodyLength of ['9999', '60000', '99999']) {
    const stream = Buffer.concat([frameOf('FIX.4.4', bodyLength, BODY), order('11=x|')]);
    expect(said([stream], fast)).toEqual(said([stream], new MessageView()));
  }
});

test('the limit of fields is the same', () => {
  for (const fieldsMax of [7, 8, 9, 10]) {
    const limits = { ...LIMITS, fieldsMax };
    expect(said([order('11=x|')], fast, limits)).toEqual(said([order('11=x|')], new MessageView(), limits));
  }
});

test('data of a dictionary is read by its Length, and a user-defined tag of it is found', () => {
  const dataFields = new DataFields([[5001, 5002]]);
  const frame = order('5000=x|5001=3|5002=a|b|58=y|');
  const found = said([frame], fast, LIMITS, dataFields);
  expect(found).toEqual(said([frame], new MessageView(), LIMITS, dataFields));
  expect(found[0]).toContain('|5002=a\u0001b|58=y|');
});

test('a chunk buffer that is used again for other bytes is read anew', () => {
  const chunk = order('11=first|');
  const framer = new Framer(LIMITS, fast);
  const read = (): string => {
    framer.push(chunk);
    const found = framer.next();
    expect(framer.next()).toBeNull();
    return found?.kind === 'message' ? found.view.string(11)! : 'none';
  };
  expect(read()).toBe('first');
  order('11=other|').copy(chunk);
  expect(read()).toBe('other');
});

test('connections that share a view read in turns', () => {
  const [a, b] = [new Framer(LIMITS, fast), new Framer(LIMITS, fast)];
  const stream = (name: string): Buffer => Buffer.concat([1, 2, 3].map((n) => order(`11=${name}${n}|`)));
  const read = (framer: Framer): string | null => {
    const found = framer.next();
    return found?.kind === 'message' ? found.view.string(11) : null;
  };
  a.push(stream('a'));
  const first = read(a);
  b.push(stream('b'));
  expect([first, read(b), read(a), read(b), read(a), read(b), read(a), read(b)]).toEqual([
    'a1',
    'b1',
    'a2',
    'b2',
    'a3',
    'b3',
    null,
    null,
  ]);
});

const { NotEmpty, Digits, Decimal, Time } = ValueKind;
const number = NotEmpty | Digits | Decimal;
const decimal = NotEmpty | Decimal;
const time = NotEmpty | Time;
const KINDS: readonly (readonly [value: string, kind: number])[] = [
  ['', 0],
  ['0', number],
  ['1234567890123456', number],
  ['12345678901234567', NotEmpty],
  ['/', NotEmpty],
  [':', NotEmpty],
  ['-1', NotEmpty],
  ['1.5', decimal],
  ['5.', decimal],
  ['.5', NotEmpty],
  ['.', NotEmpty],
  ['1.2.3', NotEmpty],
  ['1x', NotEmpty],
  ['x1', NotEmpty],
  ['20261121-10:11:12', time],
  ['20261121-10:11:12.345', time],
  ['20261121-23:59:59.999', time],
  ['20261121-24:11:12.345', NotEmpty],
  ['20261121-10:60:12.345', NotEmpty],
  ['20261121-10:11:60.345', NotEmpty],
  ['20261129-10:11:12.345', NotEmpty],
  ['20261100-10:11:12.345', NotEmpty],
  ['20261328-10:11:12.345', NotEmpty],
  ['20260028-10:11:12.345', NotEmpty],
  ['20261121-10:11:1x', NotEmpty],
  ['20261121 10:11:12', NotEmpty],
  ['20261121-10.11:12', NotEmpty],
  ['20261121-10:11-12', NotEmpty],
  ['20261121-10:11:12,345', NotEmpty],
  ['20261121-10:11:12.3x5', NotEmpty],
  ['20261121-10:11:12.34', NotEmpty],
  ['20261121-10:11:12.345678', NotEmpty],
  ['20261121-10:11', NotEmpty],
];

test('what a value is at first sight', () => {
  const framer = new Framer(LIMITS, fast);
  // Twice, since a time is known again by its first 16 bytes.
  const values = [...KINDS, ...KINDS];
  framer.push(order(values.map(([value], at) => `${5000 + at}=${value}|`).join('')));
  const found = framer.next();
  expect(found?.kind).toBe('message');
  const kinds = fast.kinds()!;
  const first = fast.indexOf(5000);
  expect(values.map(([value], at) => [value, kinds[first + at]])).toEqual(values);
});

test('nothing is known at first sight of a frame that was indexed byte by byte', () => {
  const framer = new Framer(LIMITS, fast);
  framer.push(order('20001=x|'));
  expect(framer.next()?.kind).toBe('message');
  expect(fast.kinds()).toBeNull();
});
