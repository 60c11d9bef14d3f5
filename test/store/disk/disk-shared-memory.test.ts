import { expect, test } from 'vitest';
import { isDiskFull } from '../../../src/base/disk-full.ts';
import { DiskRoom } from '../../../src/store/disk/disk-shared-memory.ts';
import { writeFailed } from '../../../src/store/embedded/journal-options.ts';

test('J2 a quota that is used up, found by the thread that writes, is known as that where it is waited for', () => {
  const room = new DiskRoom();
  // As Node.js gives it: it has no name for EDQUOT.
  room.failure = Object.assign(new Error('UNKNOWN: unknown error, write'), { code: 'UNKNOWN', errno: -122 });
  expect(isDiskFull(room.failure)).toBe(true);
  expect(writeFailed('here', room.failure).message).toBe(
    'the journal here cannot be written: EDQUOT: the disk quota is used up, write',
  );
  room.failure = null;
  expect(room.failure).toBeNull();
});
