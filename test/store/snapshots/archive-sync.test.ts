// Rule J2 for the chain of the archive: what a failed sync did not bring to the disk, no later one brings there, though it says so,
// unless it is written again. The disk here is one that the kernel gave up writing back to.

import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { temporaryDirectory } from '../journal-place.ts';

const disk = { fails: false, dirty: new Set<string>(), durable: new Map<string, string>() };

// Files share a process, and with it modules that others have read: they are read anew with the mock, and again behind it.
vi.resetModules();
vi.doMock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const dirtying =
    (act: (path: string, ...rest: never[]) => void) =>
    (path: string, ...rest: never[]): void => {
      act(path, ...rest);
      disk.dirty.add(path);
    };
  const fsyncSync = (fd: number): void => {
    const path = readlinkSync(`/proc/self/fd/${fd}`);
    const wasDirty = disk.dirty.delete(path);
    if (disk.fails && path.endsWith('.jsonl')) throw Object.assign(new Error('EIO: injected'), { code: 'EIO' });
    fs.fsyncSync(fd);
    if (wasDirty) disk.durable.set(path, readFileSync(path, 'utf8'));
  };
  const appendFileSync = dirtying(fs.appendFileSync as never);
  const truncateSync = dirtying(fs.truncateSync as never);
  return { ...fs, fsyncSync, appendFileSync, truncateSync };
});
const { archiveNext } = await import('../../../src/store/snapshots/archive.ts');
const { segmentFileName } = await import('../../../src/store/segments/segment.ts');
afterAll(() => {
  vi.doUnmock('node:fs');
  vi.resetModules();
});

test('J2 J4 a chain line with a failed sync is on disk before its segment leaves the journal', () => {
  const directory = temporaryDirectory();
  const chain = join(directory, 'archive', 'chain.jsonl');
  const archive = (segment: number): void => {
    writeFileSync(join(directory, segmentFileName(segment)), `segment ${segment}`);
    archiveNext({ directory, retentionDays: null, now: 1_700_000_000_000, before: segment + 1 });
  };
  archive(1);
  disk.fails = true;
  expect(() => archive(2)).toThrow('EIO');
  expect(existsSync(join(directory, segmentFileName(2)))).toBe(true);
  disk.fails = false;
  archive(2);
  expect(existsSync(join(directory, segmentFileName(2)))).toBe(false);
  const segments = disk.durable.get(chain)!.split('\n').slice(0, -1);
  expect(segments.map((line) => JSON.parse(line).segment)).toEqual([1, 2]);
});
