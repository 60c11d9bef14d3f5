import { expect, test } from 'vitest';
import { diskCode, diskReason, isDiskFull } from '../../src/base/disk-full.ts';

const systemError = (message: string, code: string, errno: number) =>
  Object.assign(new Error(message), { code, errno });

test('J2 reports a used-up quota, which Node.js knows by number only, as a disk without room', () => {
  for (const errno of [-122, -69]) {
    const error = systemError('UNKNOWN: unknown error, write', 'UNKNOWN', errno);
    expect(isDiskFull(error)).toBe(true);
    expect(diskCode(error)).toBe('EDQUOT');
    expect(diskReason(error)).toBe('EDQUOT: the disk quota is used up, write');
  }
});

test('leaves other disk errors as they are, and not as a lack of room', () => {
  const full = systemError('ENOSPC: no space left on device, write', 'ENOSPC', -28);
  expect([isDiskFull(full), diskReason(full)]).toEqual([true, full.message]);
  const broken = systemError('EIO: i/o error, write', 'EIO', -5);
  expect([isDiskFull(broken), diskCode(broken), diskReason(broken)]).toEqual([false, 'EIO', broken.message]);
  const unknown = systemError('UNKNOWN: unknown error, write', 'UNKNOWN', -4094);
  expect([isDiskFull(unknown), diskReason(unknown)]).toEqual([false, unknown.message]);
  for (const none of [null, undefined, 'a word'])
    expect([isDiskFull(none), diskCode(none)]).toEqual([false, undefined]);
});
