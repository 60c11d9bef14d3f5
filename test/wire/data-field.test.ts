// Data fields that a dictionary adds to the standard's: read, written and sent again with SOH inside.

import { expect, test } from 'vitest';
import {
  DataFields,
  Framer,
  FrameWriter,
  fromPrintable,
  MessageDraft,
  resendFrame,
  viewOf,
} from '../../src/wire/mod.ts';

const ADDED = new DataFields([[5101, 5102]]);
const HEADER = { beginString: 'FIX.4.4', senderCompID: 'A', targetCompID: 'B', msgSeqNum: 2, sendingTime: 0 };
/** Looks like fields that a resend writes anew, and like an order's quantity. */
const RAW = 'x\x0143=N\x01122=never\x0138=9\x01';

function frame(dataFields: DataFields): Buffer {
  const draft = new MessageDraft('D').add(11, 'a').add(5101, `${RAW.length}`).add(5102, RAW).add(38, '2');
  return new FrameWriter(dataFields).encode(HEADER, draft);
}

test('a data field of a dictionary keeps SOH when it is written, and is one field when it is read', () => {
  const view = viewOf(frame(ADDED), ADDED)!;
  expect([view.string(5102), view.string(38), view.has(122)]).toEqual([RAW, '2', false]);
  expect(viewOf(frame(DataFields.STANDARD))!.string(5102)).toBe(RAW.replaceAll('\x01', '?'));
});

test('the Length field of a data field is known, of the standard’s and of a dictionary’s', () => {
  const fields = new DataFields([...ADDED.pairs, [5103, 5104]]);
  expect([5102, 5104, 96, 5101, 58].map((tag) => fields.lengthTagOf(tag))).toEqual([5101, 5103, 95, 0, 0]);
});

test('a framer reads it from the moment on that it knows the dictionary', () => {
  const framer = new Framer({ frameBytesMax: 1000, fieldsMax: 100 });
  const quantity = (): string | null => {
    framer.push(frame(ADDED));
    const found = framer.next();
    return found?.kind === 'message' ? found.view.string(38) : null;
  };
  expect(quantity()).toBe('9');
  framer.dataFields = ADDED;
  expect(quantity()).toBe('2');
});

test.each(['x', '', '-1', '3', '900', '99999999999'])(
  'reads one with a Length field of %j to the next SOH and marks it',
  (length) => {
    const view = viewOf(fromPrintable(`35=D|34=1|5101=${length}|5102=ab|38=2|`), ADDED)!;
    expect([view.string(5102), view.string(38), view.dataFaultAt]).toEqual(['ab', '2', view.indexOf(5102)]);
  },
);

test('a Length field behind which another field stands announces nothing', () => {
  const view = viewOf(fromPrintable('35=D|34=1|5101=4|38=2|5102=ab|9001=z|'), ADDED)!;
  expect([view.string(38), view.string(5102), view.string(9001), view.dataFaultAt]).toEqual(['2', 'ab', 'z', -1]);
});

test('S3 it is sent again byte for byte, whatever looks like a field inside', () => {
  const again = resendFrame(frame(ADDED), { sendingTime: '20261121-10:00:00.000' }, ADDED);
  const view = viewOf(again, ADDED)!;
  expect([view.string(5102), view.string(43), view.string(122)]).toEqual([RAW, 'Y', '19700101-00:00:00.000']);
});

test('a draft of two sessions keeps SOH only for the one with it in its dictionary', () => {
  const draft = new MessageDraft('D').add(11, 'a').add(5101, `${RAW.length}`).add(5102, RAW).add(38, '2');
  const first = new FrameWriter(ADDED).encode(HEADER, draft);
  const second = new FrameWriter().encode(HEADER, draft);
  const third = new FrameWriter(ADDED).encode(HEADER, draft);
  expect(viewOf(first, ADDED)!.string(5102)).toBe(RAW);
  expect(viewOf(second)!.string(5102)).toBe(RAW.replaceAll('\x01', '?'));
  expect(third).toEqual(first);
});
