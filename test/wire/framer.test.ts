import { describe, expect, test } from 'vitest';
import {
  Framer,
  type FramerLimits,
  fromPrintable,
  type GarbledNotice,
  toPrintable,
  viewOf,
} from '../../src/wire/mod.ts';

const LIMITS: FramerLimits = { frameBytesMax: 4096, fieldsMax: 200 };
const heartbeat = (msgSeqNum: number): Buffer =>
  fromPrintable(`35=0|49=OMS|56=XG|34=${msgSeqNum}|52=20261121-10:00:00.000|`);
const order = fromPrintable(
  '35=D|49=OMS|56=XG|34=2|52=20261121-10:00:00.000|11=o-1|1=main|55=BTCUSDC|54=1|60=20261121-10:00:00.000|38=1.5|40=2|44=100.25|59=5|',
);

/** Everything the framer says: a message as its printable bytes, a notice as `garbled:reason`, with `!` if fatal. */
function read(framer: Framer): string[] {
  const said: string[] = [];
  for (let found = framer.next(); found !== null; found = framer.next()) {
    if (found.kind === 'message') said.push(toPrintable(found.view.bytes()));
    else said.push(`garbled:${found.notice.reason}${found.notice.fatal ? '!' : ''}`);
  }
  return said;
}

function frame(bytes: Uint8Array, limits: FramerLimits = LIMITS): string[] {
  const framer = new Framer(limits);
  framer.push(Buffer.from(bytes));
  return read(framer);
}

function firstNotice(bytes: Uint8Array, limits: FramerLimits = LIMITS): GarbledNotice {
  const framer = new Framer(limits);
  framer.push(Buffer.from(bytes));
  const found = framer.next();
  if (found?.kind !== 'garbled') throw new Error('expected a garbled notice');
  return found.notice;
}

test('a whole message in one chunk is one frame, with every field indexed', () => {
  const framer = new Framer(LIMITS);
  framer.push(order);
  const found = framer.next();
  expect(found?.kind).toBe('message');
  if (found?.kind !== 'message') return;
  const tags = Array.from({ length: found.view.fieldCount }, (_, i) => found.view.tagAt(i));
  expect(tags).toEqual([8, 9, 35, 49, 56, 34, 52, 11, 1, 55, 54, 60, 38, 40, 44, 59, 10]);
  expect(framer.next()).toBeNull();
});

test('several frames in a chunk come one after the other', () => {
  expect(frame(Buffer.concat([heartbeat(1), order, heartbeat(3)]))).toEqual(
    [heartbeat(1), order, heartbeat(3)].map(toPrintable),
  );
});

test('yields nothing at any truncation point until the rest arrives', () => {
  for (let cut = 0; cut <= order.length; cut++) {
    const framer = new Framer(LIMITS);
    framer.push(order.subarray(0, cut));
    if (cut < order.length) expect(read(framer), `cut at ${cut}`).toEqual([]);
    framer.push(order.subarray(cut));
    expect(read(framer), `cut at ${cut}`).toEqual([toPrintable(order)]);
  }
});

test('every chunk size gives the same frames', () => {
  const stream = Buffer.concat([heartbeat(1), order, heartbeat(3), order]);
  const expected = [heartbeat(1), order, heartbeat(3), order].map(toPrintable);
  for (let size = 1; size <= stream.length; size++) {
    const framer = new Framer(LIMITS);
    const said: string[] = [];
    for (let at = 0; at < stream.length; at += size) {
      framer.push(stream.subarray(at, at + size));
      said.push(...read(framer));
    }
    expect(said, `chunks of ${size}`).toEqual(expected);
  }
});

test('a chunk pushed before the last one was read through is appended', () => {
  const framer = new Framer(LIMITS);
  framer.push(heartbeat(1));
  framer.push(order);
  framer.push(heartbeat(3));
  expect(read(framer)).toEqual([heartbeat(1), order, heartbeat(3)].map(toPrintable));
});

test('a wrong CheckSum makes the frame garbled, and the next frame is read', () => {
  const wrong = fromPrintable('35=0|34=1|10=999|');
  expect(frame(Buffer.concat([wrong, order]))).toEqual(['garbled:checkSum', toPrintable(order)]);
});

test('a BodyLength that does not lead to CheckSum makes the frame garbled, and the next frame is read', () => {
  const short = fromPrintable('9=20|35=D|49=OMS|56=XG|34=2|11=o-1|');
  const long = fromPrintable('9=60|35=D|49=OMS|56=XG|34=2|11=o-1|');
  expect(frame(Buffer.concat([short, order]))).toEqual(['garbled:bodyLength', toPrintable(order)]);
  expect(frame(Buffer.concat([long, order]))).toEqual(['garbled:bodyLength', toPrintable(order)]);
});

/** `8=FIX.4.4`, these bytes, and `10=` with the CheckSum that they make right; `|` is SOH. */
function withCheckSum(text: string): Buffer {
  const bytes = Buffer.from(`8=FIX.4.4|${text}`.replaceAll('|', '\x01'), 'latin1');
  const sum = bytes.reduce((all, byte) => all + byte, 0) & 0xff;
  return Buffer.concat([bytes, Buffer.from(`10=${String(sum).padStart(3, '0')}\x01`)]);
}

test('a CheckSum(10) is three digits between SOHs: BodyLength leading elsewhere finds none', () => {
  for (const trailer of [
    ...['10=x23|', '10=1x3|', '10=12x|', '10=12|', '10=1234|', '10= 12|', '10=+12|', '10=123x'],
    ...['11=123|', '20=123|', '10:123|', '1O=123|', '010=12|', '|0=123|', '10=|12|', '|10=12|'],
  ]) {
    const bytes = Buffer.from(`8=FIX.4.4|9=10|35=0|34=1|${trailer}`.replaceAll('|', '\x01'), 'latin1');
    expect(frame(Buffer.concat([bytes, order])), trailer).toEqual(['garbled:bodyLength', toPrintable(order)]);
  }
  const without = withCheckSum('9=11|35=0|34=1|5');
  expect(frame(Buffer.concat([without, order])), 'no SOH before it').toEqual([
    'garbled:bodyLength',
    toPrintable(order),
  ]);
});

test('BodyLength(9) is the second field, and is right to the byte, though the CheckSum fits', () => {
  expect(frame(withCheckSum('9=10|35=0|34=1|'))).toHaveLength(1);
  for (const text of [
    ...['9=11|35=0|34=1|', '9=9|35=0|34=1|', '9=+10|35=0|34=1|', '9= 10|35=0|34=1|', '9=10 |35=0|34=1|'],
    ...[
      '9=0|',
      '9=4|35=|',
      '8=10|35=0|34=1|',
      '19=10|35=0|34=1|',
      '9:10|35=0|34=1|',
      '35=0|9=10|34=1|',
      '|9=10|35=0|34=1|',
    ],
  ]) {
    const bytes = withCheckSum(text);
    const notice = firstNotice(Buffer.concat([bytes, order]));
    expect([notice.reason, notice.text, notice.fatal], text).toEqual([
      'bodyLength',
      'BodyLength(9) is not the second field, or does not lead to CheckSum(10)',
      false,
    ]);
    expect(frame(Buffer.concat([bytes, order])).at(-1), text).toBe(toPrintable(order));
    expect(viewOf(bytes), text).toBeNull();
  }
});

test('skips a frame with a right BodyLength and wrong CheckSum whole', () => {
  const inner = heartbeat(9);
  const text = Buffer.concat([Buffer.from(`35=B\x0195=${inner.length}\x0196=`, 'latin1'), inner, Buffer.from('\x01')]);
  const outer = Buffer.concat([
    Buffer.from(`8=FIX.4.4\x019=${text.length}\x01`, 'latin1'),
    text,
    Buffer.from('10=000\x01', 'latin1'),
  ]);
  expect(frame(Buffer.concat([outer, order]))).toEqual(['garbled:checkSum', toPrintable(order)]);
});

test('MsgType must be the third field', () => {
  expect(frame(Buffer.concat([fromPrintable('49=OMS|35=0|34=1|'), order]))).toEqual([
    'garbled:msgType',
    toPrintable(order),
  ]);
  expect(frame(fromPrintable('35=|49=OMS|34=1|'))).toEqual(['garbled:msgType']);
});

test.each([
  ['16030100', 'bytes of TLS, and this is a connection without it'],
  ['1503', 'bytes of TLS, and this is a connection without it'],
  ['1403', 'bytes of TLS, and this is a connection without it'],
  ['1703', 'bytes of TLS, and this is a connection without it'],
  ['1303', 'bytes that do not begin with BeginString(8)'],
  ['1803', 'bytes that do not begin with BeginString(8)'],
  ['16', 'bytes that do not begin with BeginString(8)'],
  ['474554', 'bytes that do not begin with BeginString(8)'],
])('reports an input that begins with %s as "%s"', (hex, text) => {
  expect(firstNotice(Buffer.from(hex, 'hex')).text).toBe(text);
});

test('bytes that are no FIX are reported once per run, and the message after them is read', () => {
  const framer = new Framer(LIMITS);
  const said: string[] = [];
  for (const part of ['GET / HTTP/1.1\r\n', 'Host: x\r\n', '\r\n']) {
    framer.push(Buffer.from(part));
    said.push(...read(framer));
  }
  framer.push(order);
  said.push(...read(framer));
  expect(said).toEqual(['garbled:beginString', toPrintable(order)]);
});

test('a tag that ends in 8 is not taken for the beginning of a frame', () => {
  for (const digit of ['0', '5', '9']) {
    const text = Buffer.from(`x=1\x01${digit}8=FIX.4.4\x01`, 'latin1');
    expect(frame(Buffer.concat([text, order]))).toEqual(['garbled:beginString', toPrintable(order)]);
  }
});

test('a message that lacks its last SOH takes none behind it with it, wherever the bytes are cut', () => {
  for (const torn of [order.subarray(0, -1), order.subarray(0, -20), heartbeat(1).subarray(0, -2)]) {
    expect(torn.at(-1)).toBeGreaterThanOrEqual(0x30);
    const bytes = Buffer.concat([torn, heartbeat(2), order]);
    for (let cut = 0; cut < bytes.length; cut++) {
      const framer = new Framer(LIMITS);
      framer.push(bytes.subarray(0, cut));
      const said = read(framer);
      framer.push(bytes.subarray(cut));
      said.push(...read(framer));
      expect(said, `cut at ${cut}`).toEqual(['garbled:bodyLength', toPrintable(heartbeat(2)), toPrintable(order)]);
    }
  }
});

test('a tag that ends in 8 begins no frame, cut off as it may be', () => {
  const text = Buffer.from('x=1\x0158=FIX.4.4\x01', 'latin1');
  const bytes = Buffer.concat([text, order]);
  for (let cut = 0; cut < bytes.length; cut++) {
    const framer = new Framer(LIMITS);
    framer.push(bytes.subarray(0, cut));
    const said = read(framer);
    framer.push(bytes.subarray(cut));
    expect([...said, ...read(framer)].filter((each) => each.startsWith('8='))).toEqual([toPrintable(order)]);
  }
});

test('a BeginString of more than 16 bytes, or of other characters, is garbled', () => {
  const longest = withCheckSum('9=10|35=0|34=1|').toString('latin1').replace('8=FIX.4.4', '8=FIX.4.44444444');
  expect(frame(fromPrintable(longest.replace(/10=\d+/, '10=…')))).toHaveLength(1);
  expect(frame(fromPrintable(longest.replace('44', '444').replace(/10=\d+/, '10=…')))[0]).toBe('garbled:beginString');
  expect(frame(fromPrintable(longest.replace(/10=\d+/, '10=…')))[0]).toMatch(/^8=FIX\.4\.44444444\|/);
  expect(frame(Buffer.from('8=FIX.4.4.4.4.4.4.4.4.4\x019=5\x0135=0\x0110=000\x01', 'latin1'))).toEqual([
    'garbled:beginString',
  ]);
  expect(frame(Buffer.from('8=FIX-4\x019=5\x0135=0\x0110=000\x01', 'latin1'))).toEqual(['garbled:beginString']);
});

test('a BodyLength that is no number, is empty or is too small is garbled', () => {
  for (const bodyLength of ['abc', '', '-5', '5x', '0', '4', '1234567890']) {
    const bytes = Buffer.from(`8=FIX.4.4\x019=${bodyLength}\x0135=0\x0110=000\x01`, 'latin1');
    expect(frame(bytes), bodyLength).toEqual(['garbled:bodyLength']);
  }
});

test('a frame of the limit is read, one byte more closes the connection', () => {
  expect(frame(order, { ...LIMITS, frameBytesMax: order.length })).toEqual([toPrintable(order)]);
  expect(frame(order, { ...LIMITS, frameBytesMax: order.length - 1 })).toEqual(['garbled:tooLong!']);
});

test('a BodyLength of a billion is refused before anything is kept for it', () => {
  expect(frame(Buffer.from('8=FIX.4.4\x019=999999999\x0135=D\x01', 'latin1'))).toEqual(['garbled:tooLong!']);
});

test('fields of the limit are read, one more closes the connection', () => {
  const fields = viewOf(order)!.fieldCount;
  expect(frame(order, { ...LIMITS, fieldsMax: fields })).toEqual([toPrintable(order)]);
  expect(frame(order, { ...LIMITS, fieldsMax: fields - 1 })).toEqual(['garbled:tooManyFields!']);
  const many = fromPrintable(`35=D|${'58=x|'.repeat(500)}`);
  expect(viewOf(many)!.fieldCount).toBe(504);
  expect(frame(many, { frameBytesMax: 10_000, fieldsMax: 504 })).toEqual([toPrintable(many)]);
  expect(frame(many, { frameBytesMax: 10_000, fieldsMax: 503 })).toEqual(['garbled:tooManyFields!']);
});

test('a stream that never frames is given up once as many bytes as the largest frame are lost', () => {
  const framer = new Framer({ frameBytesMax: 100, fieldsMax: 20 });
  const said: string[] = [];
  for (let i = 0; i < 50; i++) {
    framer.push(Buffer.from('no fix at all '));
    said.push(...read(framer));
  }
  expect(said).toEqual(['garbled:beginString', 'garbled:beginString!']);
});

test('bytes are lost since the last message, and each run of them is reported', () => {
  const framer = new Framer({ frameBytesMax: 100, fieldsMax: 20 });
  const said: string[] = [];
  for (let i = 0; i < 20; i++) {
    framer.push(Buffer.concat([Buffer.from('no fix at all'), heartbeat(i), Buffer.from('x'.repeat(60))]));
    said.push(...read(framer));
  }
  // Bytes after a message and before the next are one run.
  expect(said.filter((one) => one === 'garbled:beginString')).toHaveLength(21);
  expect(said).toHaveLength(41);
  framer.push(heartbeat(20));
  expect(read(framer)).toHaveLength(1);
  // To the byte: as many as the largest frame has may be lost, and no more.
  framer.push(Buffer.alloc(100, 0x78));
  expect(read(framer)).toEqual(['garbled:beginString']);
  framer.push(Buffer.from('x'));
  expect(read(framer)).toEqual(['garbled:beginString!']);
});

test('reports an endless frame within lost bytes separately from its run', () => {
  const framer = new Framer(LIMITS);
  framer.push(Buffer.concat([Buffer.from('x'), withCheckSum('9=9|35=0|34=1|'), Buffer.from('x'), order]));
  expect(read(framer)).toEqual(['garbled:beginString', 'garbled:bodyLength', toPrintable(order)]);
});

test('reads messages across any chunk boundary, and never writes to socket bytes', () => {
  const messages = [heartbeat(1), order, heartbeat(3), heartbeat(4), order, heartbeat(5)];
  const [first, second, third, ...rest] = messages as [Buffer, Buffer, Buffer, ...Buffer[]];
  const stream = Buffer.concat([first, Buffer.from('8=FI'), second, Buffer.from('x8=8=F'), third, ...rest]);
  for (let size = 1; size < 200; size++) {
    const framer = new Framer(LIMITS);
    const kept: Buffer[] = [];
    const said: string[] = [];
    for (let at = 0; at < stream.length; at += size) {
      kept.push(Buffer.from(stream.subarray(at, at + size)));
      framer.push(kept.at(-1)!);
      // Of some sizes not all is read before the next chunk comes.
      if (size % 2 === 0) said.push(...read(framer));
      else {
        const found = framer.next();
        if (found?.kind === 'message') said.push(toPrintable(found.view.bytes()));
      }
    }
    said.push(...read(framer));
    expect(said.filter((one) => !one.startsWith('garbled'))).toEqual(messages.map(toPrintable));
    expect(Buffer.concat(kept).equals(stream), `chunks of ${size}`).toBe(true);
  }
});

test('after a fatal notice nothing more is read', () => {
  const framer = new Framer({ ...LIMITS, frameBytesMax: order.length - 1 });
  framer.push(order);
  expect(read(framer)).toEqual(['garbled:tooLong!']);
  framer.push(heartbeat(1));
  expect(read(framer)).toEqual([]);
});

test('a notice holds at most 512 bytes, of its own, with passwords masked', () => {
  const logon = fromPrintable('35=A|34=1|553=user|554=secret|58=x|10=999|');
  const chunk = Buffer.from(logon);
  const notice = firstNotice(chunk);
  chunk.fill(0);
  expect(toPrintable(notice.bytes)).toContain('553=user|554=******|58=x|');
  expect(firstNotice(Buffer.alloc(2000, 0x78)).bytes.length).toBe(512);
});

test('of a secret with SOH in it a notice shows nothing, though it ends inside the secret', () => {
  const signature = `${'s'.repeat(300)}\x01${'t'.repeat(300)}`;
  const logon = fromPrintable('35=A|34=1|95=601|96=|10=999|').toString('latin1');
  const [head, tail] = logon.replace(/9=\d+/, `9=${34 - 13 + 601}`).split('96=');
  const bytes = Buffer.from(`${head}96=${signature}${tail}`, 'latin1');
  for (const notice of [firstNotice(bytes), firstNotice(bytes, { ...LIMITS, frameBytesMax: 500 })]) {
    expect(notice.bytes.length).toBe(512);
    expect(toPrintable(notice.bytes)).toMatch(/\|95=601\|96=\*+$/);
  }
  const torn = new Framer(LIMITS);
  torn.push(bytes.subarray(0, 400));
  expect(read(torn)).toEqual([]);
  expect(toPrintable(torn.unfinished()!.bytes)).toMatch(/\|95=601\|96=\*+$/);
});

test('reports an unfinished message with the length promised by BodyLength(9)', () => {
  const said = (bytes: Uint8Array): string | null => {
    const framer = new Framer(LIMITS);
    framer.push(Buffer.from(bytes));
    read(framer);
    return framer.unfinished()?.text ?? null;
  };
  expect(said(order)).toBeNull();
  expect(said(Buffer.alloc(0))).toBeNull();
  expect(said(order.subarray(0, 12))).toBe('12 bytes of one came');
  // BodyLength(9) that counts the trailer too, as the first Logon of many an engine under construction has it.
  const counted = order.toString('latin1').replace(/9=(\d+)/, (_, n) => `9=${Number(n) + 7}`);
  const { length } = order;
  expect(said(Buffer.from(counted, 'latin1'))).toBe(
    `${length} bytes of one came that has ${length + 7} by its BodyLength(9)`,
  );
  expect(said(Buffer.concat([order, order.subarray(0, 50)]))).toBe(
    `50 bytes of one came that has ${length} by its BodyLength(9)`,
  );
  expect(said(Buffer.from('8=FIX.4.4\x019=999999999\x01', 'latin1'))).toBeNull();
});

test('a field without a tag is a field with tag 0, so that the message can be numbered and rejected', () => {
  for (const field of ['=x', 'abc=1', '012=x', '5x=y', 'novalue', '1234567890=x', '', '12']) {
    const view = viewOf(fromPrintable(`35=0|34=1|${field}|58=end|`));
    expect(view, field).not.toBeNull();
    expect(view!.tagAt(4), field).toBe(0);
    expect(view!.stringAt(4), field).toBe(field);
    expect(view!.string(58), field).toBe('end');
  }
});

test('the view is the same object each time, and reads the newest frame', () => {
  const framer = new Framer(LIMITS);
  framer.push(Buffer.concat([heartbeat(1), heartbeat(2)]));
  const first = framer.next();
  const second = framer.next();
  if (first?.kind !== 'message' || second?.kind !== 'message') throw new Error('expected messages');
  expect(second.view).toBe(first.view);
  expect(first.view.int(34)).toBe(2);
});

test('viewOf takes exactly one whole frame', () => {
  expect(viewOf(order)?.msgType).toBe('D');
  expect(viewOf(new Uint8Array(order))?.msgType).toBe('D');
  expect(viewOf(order.subarray(0, order.length - 1))).toBeNull();
  expect(viewOf(Buffer.concat([order, order]))).toBeNull();
  expect(viewOf(fromPrintable('35=0|34=1|10=999|'))).toBeNull();
  expect(viewOf(fromPrintable('49=OMS|35=0|'))).toBeNull();
  expect(viewOf(fromPrintable('35=|34=1|'))).toBeNull();
  expect(viewOf(fromPrintable('35=0|'))?.fieldCount).toBe(4);
  expect(viewOf(Buffer.alloc(0))).toBeNull();
});

test('a wrong CheckSum(10) is put right in a message that is taken all the same, wherever a chunk ends', () => {
  const wrong = Buffer.from(order);
  wrong.write('256', wrong.length - 4, 'latin1');
  for (let cut = 1; cut < wrong.length; cut += 7) {
    const asked: string[] = [];
    const framer = new Framer(LIMITS);
    framer.takesWrongCheckSum = (view) => {
      asked.push(view.msgType);
      return true;
    };
    framer.push(Buffer.from(wrong.subarray(0, cut)));
    expect(read(framer)).toEqual([]);
    framer.push(Buffer.concat([wrong.subarray(cut), heartbeat(3)]));
    expect(read(framer)).toEqual([toPrintable(order), toPrintable(heartbeat(3))]);
    expect(asked).toEqual(['D']);
  }
});

test('a wrong CheckSum(10) that is not taken stays as it came, for the notice', () => {
  const wrong = Buffer.from(order);
  wrong.write('256', wrong.length - 4, 'latin1');
  const framer = new Framer(LIMITS);
  framer.takesWrongCheckSum = () => false;
  framer.push(wrong);
  const found = framer.next();
  expect(found?.kind === 'garbled' && found.notice.reason).toBe('checkSum');
  expect(found?.kind === 'garbled' && toPrintable(found.notice.bytes).endsWith('10=256|')).toBe(true);
});

describe('behind a BodyLength(9) that leads to no CheckSum(10)', () => {
  const long = Buffer.from(toPrintable(order).replace(/9=\d+/, '9=190').replaceAll('|', '\x01'), 'latin1');
  const short = Buffer.from(toPrintable(order).replace(/9=\d+/, '9=30').replaceAll('|', '\x01'), 'latin1');
  const bytes = Buffer.concat([long, heartbeat(3), heartbeat(4), short, heartbeat(5)]);
  const [third, fourth, fifth] = [3, 4, 5].map((msgSeqNum) => toPrintable(heartbeat(msgSeqNum)));

  test('reading goes on at the next message', () => {
    expect(frame(bytes)).toEqual(['garbled:bodyLength', third, fourth, 'garbled:bodyLength', fifth]);
  });

  test('by setting it goes on behind the next CheckSum(10), wherever a chunk ends', () => {
    for (let cut = 1; cut < bytes.length; cut++) {
      const framer = new Framer(LIMITS);
      framer.afterWrongBodyLength = 'checkSum';
      framer.push(Buffer.from(bytes.subarray(0, cut)));
      const said = read(framer);
      framer.push(Buffer.from(bytes.subarray(cut)));
      expect([...said, ...read(framer)]).toEqual(['garbled:bodyLength', fourth, 'garbled:bodyLength', fifth]);
    }
  });

  test('a BodyLength beyond the limit of a frame still ends the connection', () => {
    const framer = new Framer(LIMITS);
    framer.afterWrongBodyLength = 'checkSum';
    framer.push(Buffer.from(toPrintable(order).replace(/9=\d+/, '9=9999').replaceAll('|', '\x01'), 'latin1'));
    expect(read(framer)).toEqual(['garbled:tooLong!']);
  });
});
