import { expect, test } from 'vitest';
import type { JournalRecord } from '../../src/store/mod.ts';
import { RecordReader, RecordWriter } from '../../src/store/record-bytes.ts';
import { decodeRecord, encodeRecord } from '../../src/store/record-codec.ts';
import { passRecord } from '../../src/store/record-walk.ts';
import { SessionNames } from '../../src/store/session-names.ts';
import { everyKind, SESSION } from './records.ts';

const MORE: readonly JournalRecord[] = [
  { kind: 'order', key: 'order-2', ended: ['a', 'bc'], record: '{}' },
  { kind: 'damageAccepted', sessionId: SESSION, who: 'ann', why: 'by phone' },
];

test('passing over a record of any kind ends where decoding it ends', () => {
  const records = [...everyKind(), ...MORE];
  const writer = new RecordWriter(200_000);
  const writing = new SessionNames();
  for (const record of records) encodeRecord(writer, writing, record, 1);
  const bytes = Buffer.from(writer.bytes.subarray(0, writer.length));
  const [decoded, passed] = [new RecordReader(bytes), new RecordReader(bytes)];
  const [decodedNames, passedNames] = [new SessionNames(), new SessionNames()];
  for (const record of records) {
    decodeRecord(decoded, decodedNames);
    passRecord(passed, passedNames);
    expect([record.kind, passed.position, passed.recordStart]).toEqual([
      record.kind,
      decoded.position,
      decoded.recordStart,
    ]);
  }
  expect(passedNames.all()).toEqual(decodedNames.all());
  expect(() => passRecord(new RecordReader(Buffer.from([99])), new SessionNames())).toThrow(RangeError);
});
