// The segment that is filled beside the traffic, and when a sync is waited for on the spot.

import {
  closeSync,
  fstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { realDisk } from '../../../src/store/disk/real-disk.ts';
import { SyncMode } from '../../../src/store/embedded/sync-mode.ts';
import { type Filled, writeZeroFile } from '../../../src/store/embedded/zero-file.ts';
import { openIn, segmentNames, temporaryDirectory } from '../journal-place.ts';
import { outbound, SESSION } from '../records.ts';

const SPARE = 'spare.xgj-draft';
const padding = { kind: 'unsequenced', sessionId: null, direction: 'in', raw: Buffer.alloc(8000), note: '' } as const;

test('a busy journal goes over to a segment filled ahead, loses nothing, and leaves no spare behind', async () => {
  const directory = temporaryDirectory();
  // Of a process that was killed while it filled one.
  writeFileSync(join(directory, SPARE), 'half');
  const journal = await openIn(directory, { segmentBytes: 2_097_152 });
  expect(readdirSync(directory)).not.toContain(SPARE);
  let n = 0;
  while (n < 1000 && segmentNames(directory).length < 2) {
    journal.append([outbound(++n), padding], n);
    await journal.sync();
  }
  const sizes = (): number[] => segmentNames(directory).map((name) => statSync(join(directory, name)).size);
  expect(sizes()[1]).toBe(2_097_152);
  // Unused space is returned beside the traffic.
  await expect.poll(() => sizes()[0], { interval: 5 }).toBeLessThan(1_900_000);
  for (let k = 0; k < 600; k++) {
    journal.append([outbound(++n), padding], n);
    if (n % 10 === 0) await journal.sync();
  }
  await journal.close();
  expect(readdirSync(directory)).not.toContain(SPARE);
  const again = await openIn(directory);
  expect(await again.loadOutbound(SESSION, 1, 1, 10_000)).toHaveLength(n);
});

test('J2 a disk that fails on the next segment and on removal ends neither process nor journal', async () => {
  const directory = temporaryDirectory();
  // A folder is not removed as a file is.
  const fill = async (path: string): Promise<never> => {
    mkdirSync(path);
    throw new Error('input/output error');
  };
  const journal = await openIn(directory, { segmentBytes: 2_097_152, disk: { ...realDisk, fill } });
  for (let n = 1; n <= 60; n++) {
    journal.append([outbound(n), padding], n);
    await journal.sync();
  }
  expect(readdirSync(directory)).toContain(SPARE);
  await journal.close();
  rmdirSync(join(directory, SPARE));
  expect(await (await openIn(directory)).loadOutbound(SESSION, 1, 1, 100)).toHaveLength(60);
});

test('J2 fills the next segment once without space, not with every record', async () => {
  const directory = temporaryDirectory();
  let fills = 0;
  const fill = async (): Promise<never> => {
    fills++;
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  };
  const journal = await openIn(directory, { segmentBytes: 1_048_576, disk: { ...realDisk, fill } });
  let n = 0;
  const writeUntil = async (segments: number): Promise<void> => {
    while (segmentNames(directory).length < segments) {
      journal.append([outbound(++n), padding], n);
      await journal.sync();
    }
  };
  await writeUntil(2);
  expect(fills).toBe(1);
  // There may be room by then.
  await writeUntil(3);
  expect(fills).toBe(2);
});

test('J2 a journal that a full disk has no room for goes over to a segment that is filled already', async () => {
  const directory = temporaryDirectory();
  const { thread: _, ...plain } = realDisk;
  const filled = Promise.withResolvers<void>();
  let isFull = false;
  const write: typeof plain.write = (fd, bytes, length, position) => {
    const grows = position + length > fstatSync(fd).size;
    if (isFull && grows) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    plain.write(fd, bytes, length, position);
  };
  const fill: typeof plain.fill = async (...spare) => {
    await filled.promise;
    return await writeZeroFile(...spare);
  };
  const journal = await openIn(directory, { segmentBytes: 16_777_216, disk: { ...plain, write, fill } });
  let n = 0;
  const record = (): Promise<void> => {
    journal.append([outbound(++n), padding], n);
    return journal.sync();
  };
  while (n < 60) await record();
  isFull = true;
  // Into what was reserved, and beyond.
  let refused: unknown = null;
  while (refused === null) refused = await record().then(() => null, String);
  expect(refused).toMatch(/ENOSPC/);
  filled.resolve();
  await vi.waitFor(() => journal.sync(), { timeout: 10_000, interval: 5 });
  await record();
  expect(segmentNames(directory)).toHaveLength(2);
  await journal.close();
  expect(await (await openIn(directory)).loadOutbound(SESSION, 1, 1, 10_000)).toHaveLength(n);
});

test('reports a segment that cannot be cut to size, and keeps it whole', async () => {
  const directory = temporaryDirectory();
  const lines: string[] = [];
  const finish = async (fd: number): Promise<void> => {
    closeSync(fd);
    throw new Error('input/output error');
  };
  const log = (_: string, text: string): void => void lines.push(text);
  const journal = await openIn(directory, { segmentBytes: 65_536, disk: { ...realDisk, finish }, log });
  let n = 0;
  while (segmentNames(directory).length < 2) {
    journal.append([outbound(++n)], n);
    await journal.sync();
  }
  await journal.close();
  const told = lines.filter((line) => /\.xgj: not cut to its size: .*input\/output error/.test(line));
  expect(told).toHaveLength(2);
  const again = await openIn(directory);
  expect(again.recovered.notes).toEqual([]);
  expect(await again.loadOutbound(SESSION, 1, 1, 10_000)).toHaveLength(n);
  await again.close();
});

test('a journal with little traffic fills no segment ahead', async () => {
  const directory = temporaryDirectory();
  const journal = await openIn(directory);
  for (let n = 1; n <= 20; n++) {
    journal.append([outbound(n)], n);
    await journal.sync();
  }
  expect(readdirSync(directory).filter((name) => !name.startsWith('lock'))).toEqual(['00000001.xgj']);
});

test('small batches on a fast disk are waited for on the spot; large ones, and all on a slow disk, are not', () => {
  const mode = new SyncMode();
  expect([mode.isOnTheSpot(600), mode.isOnTheSpot(1_000_000)]).toEqual([true, false]);
  for (let k = 0; k < 10; k++) mode.took(0.1);
  mode.took(1000);
  for (let k = 0; k < 5; k++) mode.took(0.1);
  // One hiccup is soon forgotten.
  expect(mode.isOnTheSpot(600)).toBe(true);
  for (let k = 0; k < 10; k++) mode.took(50);
  expect(mode.isOnTheSpot(600)).toBe(false);
  for (let k = 0; k < 20; k++) mode.took(0.1);
  expect(mode.isOnTheSpot(600)).toBe(true);
  expect(new SyncMode(0).isOnTheSpot(1)).toBe(false);
});

test('a file of zeros has its whole size on disk, past the page cache; an unwanted one is left', async () => {
  const path = join(temporaryDirectory(), 'zeros');
  for (const [bytes, ways] of [
    [1_048_576, ['direct', 'cached']],
    // Not a whole number of pages: through the page cache everywhere.
    [1_000_001, ['cached']],
  ] as const) {
    expect(ways).toContain(await writeZeroFile(path, bytes, () => false));
    const content = readFileSync(path);
    expect(content.length).toBe(bytes);
    expect(content.every((byte) => byte === 0)).toBe(true);
    // Room that is only promised would have to be recorded by the first sync of what is written there.
    expect(statSync(path).blocks * 512).toBeGreaterThanOrEqual(bytes);
  }
  let asked = 0;
  expect(await writeZeroFile(path, 4_194_304, () => ++asked > 2)).toBe('unfinished');
});

test('a write in a prefilled segment ends at a page, or the fourth if short, never behind the end', async () => {
  const directory = temporaryDirectory();
  const writes: { readonly from: number; readonly to: number }[] = [];
  const write = (fd: number, bytes: Uint8Array, length: number, position: number): void => {
    writes.push({ from: position, to: position + length });
    realDisk.write(fd, bytes, length, position);
  };
  let filled: Promise<Filled> | null = null;
  const fill = (...what: Parameters<typeof writeZeroFile>): Promise<Filled> => {
    filled = writeZeroFile(...what);
    return filled;
  };
  const segmentBytes = 2_097_152;
  const disk = { ...realDisk, write, fill };
  const journal = await openIn(directory, { segmentBytes, durability: 'process', disk });
  let n = 0;
  const append = (bytes: number): void => {
    journal.append([{ ...padding, raw: Buffer.alloc(bytes, 'x') }], ++n);
    journal.write();
  };
  while (filled === null) append(8000);
  await filled;
  // The first one is at its end before it is taken.
  for (let k = 0; k < 300 && segmentNames(directory).length < 2; k++) {
    await new Promise(setImmediate);
    append(8000);
  }
  expect(segmentNames(directory)).toHaveLength(2);
  writes.length = 0;
  let position = 0;
  for (let k = 0; k < 800 && segmentNames(directory).length < 3; k++) {
    append(k % 7 === 0 ? 8000 : 600);
    const { from, to } = writes.at(-1)!;
    expect(from).toBeGreaterThanOrEqual(position);
    expect(to).toBeLessThanOrEqual(segmentBytes);
    position = from;
  }
  const ends = (unit: number): number => writes.filter(({ to }) => to % unit === 0).length;
  const inSegment = writes.at(-1)!.to;
  // Every fourth page is met once, by a write that brings it and the three behind it into memory.
  expect(ends(16_384)).toBeGreaterThan(inSegment / 16_384 / 2);
  expect(ends(4096)).toBeLessThan(inSegment / 4096 / 2);
  await journal.close();
  let read = 0;
  for await (const _ of (await openIn(directory)).entries()) read++;
  expect(read).toBe(n);
});
