// Rule J2: full disks, failing writes and failing syncs.

import { fstatSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { EmbeddedJournal } from '../../../src/store/embedded/embedded-journal.ts';
import type { Journal } from '../../../src/store/mod.ts';
import { recoverJournal } from '../../../src/store/snapshots/recovery.ts';
import { FailingDisk } from '../failing-disk.ts';
import { openIn, segmentNames, temporaryDirectory } from '../journal-place.ts';
import { inbound, outbound, SESSION } from '../records.ts';

interface Rig {
  readonly directory: string;
  readonly disk: FailingDisk;
  readonly journal: Journal;
  readonly health: string[];
  /** Resolves when the journal has said that it is healthy again. */
  healthy(): Promise<void>;
}

async function open(segmentBytes = 1_048_576): Promise<Rig> {
  const directory = temporaryDirectory();
  const disk = new FailingDisk();
  const health: string[] = [];
  let wake = (): void => {};
  const onHealth = (healthy: boolean, reason: string): void => {
    health.push(`${healthy}: ${reason}`);
    if (healthy) wake();
  };
  const journal = await openIn(directory, { segmentBytes, disk, onHealth, onTheSpotBytesMax: 0 });
  const healthy = (): Promise<void> =>
    health.at(-1)?.startsWith('true') ? Promise.resolve() : new Promise((resolve) => (wake = resolve));
  return { directory, disk, journal, health, healthy };
}

/** Expected number and outbound numbers that a start would find if the process died now. */
async function leftBehind(directory: string): Promise<{ next: number; outbound: number[] }> {
  const { state, index } = await recoverJournal(directory);
  const next = state.sessions().get(SESSION)?.numbers.nextTargetMsgSeqNum ?? 1;
  return { next, outbound: index.range(SESSION, 1, 1, 1_000_000).map(({ msgSeqNum }) => msgSeqNum) };
}

const upTo = (n: number): number[] => Array.from({ length: n }, (_, k) => k + 1);

test('J2 after one failed sync the segment is abandoned and its batch is made durable elsewhere', async () => {
  const { directory, disk, journal, health } = await open();
  journal.append([inbound(1), outbound(1)], 1);
  await journal.sync();
  journal.append([inbound(2), outbound(2)], 2);
  disk.failAt = { call: disk.total + 2, code: 'EIO' };
  await journal.sync();
  expect(segmentNames(directory)).toHaveLength(2);
  expect(health).toEqual([expect.stringContaining('false: EIO'), 'true: the disk works again']);
  expect(await leftBehind(directory)).toEqual({ next: 3, outbound: [1, 2] });
  journal.append([inbound(3), outbound(3)], 3);
  await journal.sync();
  expect(await journal.loadOutbound(SESSION, 1, 1, 9)).toHaveLength(3);
  expect(await leftBehind(directory)).toEqual({ next: 4, outbound: [1, 2, 3] });
});

test('J2 rewrites unsynced records of a failed sync under the same frame numbers', async () => {
  const { directory, disk, journal } = await open();
  for (let n = 1; n <= 10; n++) {
    journal.append([inbound(n), outbound(n)], n);
    journal.write();
  }
  disk.failAt = { call: disk.total + 1, code: 'EIO' };
  await journal.sync();
  await journal.close();
  const again = await openIn(directory);
  const frames: number[] = [];
  for await (const { frame, record } of again.entries()) if (record.kind === 'inbound') frames.push(frame);
  expect(frames).toEqual(upTo(10));
});

test('J2 frames that had to be moved several times are there once', async () => {
  const { directory, disk, journal } = await open();
  for (let n = 1; n <= 3; n++) {
    journal.append([inbound(n), outbound(n)], n);
    journal.write();
    disk.fail('EIO', 'sync');
    await expect(journal.sync()).rejects.toThrow('EIO');
  }
  disk.heal();
  await journal.sync();
  await journal.close();
  const again = await openIn(directory);
  const frames: number[] = [];
  for await (const { frame, record } of again.entries()) if (record.kind === 'inbound') frames.push(frame);
  await again.close();
  expect(frames).toEqual(upTo(3));
});

test('J2 frames written during a sync that fails are moved with the others', async () => {
  const { directory, disk, journal } = await open();
  const release = disk.holdSyncs();
  journal.append([inbound(1), outbound(1)], 1);
  const first = journal.sync();
  journal.append([inbound(2), outbound(2)], 2);
  journal.write();
  journal.append([inbound(3), outbound(3)], 3);
  disk.failAt = { call: disk.total + 1, code: 'EIO' };
  release();
  await first;
  expect((await leftBehind(directory)).next).toBe(4);
});

test('J2 writes appends of a health listener like all others', async () => {
  const directory = temporaryDirectory();
  const disk = new FailingDisk();
  const padding = Buffer.alloc(65_536);
  let n = 0;
  let heard = 0;
  const append = (): void => {
    n++;
    const padded = { kind: 'unsequenced', sessionId: null, direction: 'in', raw: padding, note: '' } as const;
    journal.append([inbound(n), outbound(n), padded], n);
  };
  const onHealth = (): void => {
    heard++;
    append();
  };
  const journal = await openIn(directory, { segmentBytes: 67_108_864, disk, onTheSpotBytesMax: 0, onHealth });
  const write = disk.write.bind(disk);
  // No room is had ahead while a write is under way that itself succeeds.
  disk.write = (fd, bytes, length, position) => {
    if (heard === 0 && bytes[0] === 0) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    write(fd, bytes, length, position);
  };
  while (heard === 0) {
    append();
    await journal.sync();
  }
  while (heard === 1) {
    append();
    await journal.sync();
  }
  append();
  await journal.sync();
  expect(await leftBehind(directory)).toEqual({ next: n + 1, outbound: upTo(n) });
});

test('J2 refuses each sync with XG_JOURNAL_WRITE_FAILED while all fail, and recovers by itself', async () => {
  const { directory, disk, journal, health, healthy } = await open();
  disk.fail('EIO', 'sync', 'syncBlocking');
  for (let n = 1; n <= 3; n++) {
    journal.append([inbound(n), outbound(n)], n);
    await expect(journal.sync()).rejects.toMatchObject({
      code: 'XG_JOURNAL_WRITE_FAILED',
      message: expect.stringContaining('EIO'),
    });
  }
  expect(health).toEqual([expect.stringMatching(/^false: EIO/)]);
  expect((await journal.loadOutbound(SESSION, 1, 1, 9)).map(({ msgSeqNum }) => msgSeqNum)).toEqual([1, 2, 3]);
  disk.heal();
  await healthy();
  expect(await leftBehind(directory)).toEqual({ next: 4, outbound: [1, 2, 3] });
});

test('J2 reports a full disk before refusing: required records use reserved space', async () => {
  const { directory, disk, journal, health, healthy } = await open(67_108_864);
  const padding = Buffer.alloc(65_536);
  let n = 0;
  const record = async (): Promise<void> => {
    const padded = { kind: 'unsequenced', sessionId: null, direction: 'in', raw: padding, note: '' } as const;
    journal.append([inbound(++n), outbound(n), padded], n);
    await journal.sync();
  };
  await record();
  const write = disk.write.bind(disk);
  let full = true;
  // The reserve may be written; a full disk refuses growing the file.
  disk.write = (fd, bytes, length, position) => {
    if (full && position + length > fstatSync(fd).size) {
      throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    }
    write(fd, bytes, length, position);
  };
  while (health.length === 0) await record();
  expect(health[0]).toMatch(/^false: ENOSPC/);
  for (let k = 0; k < 10; k++) await record();
  // That records find room yet is no end of the trouble.
  expect(health).toHaveLength(1);
  expect((await leftBehind(directory)).next).toBe(n + 1);
  while (full) {
    await record().catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'XG_JOURNAL_WRITE_FAILED' });
      full = false;
    });
  }
  await healthy();
  await journal.sync();
  expect(await leftBehind(directory)).toEqual({ next: n + 1, outbound: upTo(n) });
});

test('J2 reports a disk that takes no record once, until it takes one', async () => {
  const { disk, journal, health } = await open();
  journal.append([inbound(1)], 1);
  const release = disk.holdSyncs();
  const older = journal.sync();
  disk.fail('ENOSPC', 'write');
  for (let n = 2; n <= 4; n++) {
    journal.append([inbound(n)], n);
    expect(() => journal.write()).toThrow(/ENOSPC/);
    await Promise.resolve();
  }
  release();
  await older;
  expect(health).toEqual([expect.stringContaining('false: ENOSPC')]);
  disk.heal();
  await journal.sync();
  expect(health.slice(1)).toEqual(['true: the disk works again']);
});

test('J2 a journal without a next segment continues in the present one, unhealthy', async () => {
  const { directory, disk, journal, health, healthy } = await open(65_536);
  disk.fail('ENOSPC', 'open');
  let n = 0;
  for (; n < 1000; n++) {
    journal.append([inbound(n + 1), outbound(n + 1)], n);
    if (n % 20 === 0) await journal.sync();
  }
  await journal.sync();
  expect(segmentNames(directory)).toHaveLength(1);
  expect(health).toEqual([expect.stringMatching(/^false: ENOSPC/)]);
  disk.heal();
  await healthy();
  expect(segmentNames(directory)).toHaveLength(2);
  expect(await leftBehind(directory)).toEqual({ next: n + 1, outbound: upTo(n) });
});

test('J2 a next segment that could only be created in part does not end the present one', async () => {
  const { directory, disk, journal, health, healthy } = await open(65_536);
  const write = disk.write.bind(disk);
  let full = true;
  // Zeros ahead are refused, so the next segment gets no room; small writes such as a header still succeed.
  disk.write = (fd, bytes, length, position) => {
    if (full && bytes[0] === 0) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    write(fd, bytes, length, position);
  };
  let n = 0;
  while (n < 600) {
    journal.append([inbound(++n), outbound(n)], n);
    if (n % 10 === 0) await journal.sync();
    if (n % 100 === 0) expect(await leftBehind(directory)).toEqual({ next: n + 1, outbound: upTo(n) });
  }
  expect(health).toEqual([expect.stringMatching(/^false: ENOSPC/)]);
  full = false;
  await healthy();
  journal.append([inbound(++n), outbound(n)], n);
  await journal.close();
  expect(await leftBehind(directory)).toEqual({ next: n + 1, outbound: upTo(n) });
});

test('J2 frames confirmed at durability `process` survive a failed sync without another segment', async () => {
  const { directory, disk, journal, healthy } = await open();
  journal.append([inbound(1), outbound(1)], 1);
  await journal.sync();
  journal.append([inbound(2), outbound(2)], 2);
  journal.write();
  disk.fail('EIO', 'sync');
  const write = disk.write.bind(disk);
  disk.write = (fd, bytes, length, position) => {
    if (bytes[0] !== 0) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
    write(fd, bytes, length, position);
  };
  await expect(journal.sync()).rejects.toMatchObject({ code: 'XG_JOURNAL_WRITE_FAILED' });
  expect((await leftBehind(directory)).next).toBe(3);
  disk.write = write;
  disk.heal();
  await healthy();
  expect(await leftBehind(directory)).toEqual({ next: 3, outbound: [1, 2] });
});

for (const code of ['EIO', 'ENOSPC']) {
  test(`J2 ${code} at every call of a short run: confirmed records are recovered, the journal continues`, async () => {
    for (let call = 1; ; call++) {
      const { directory, disk, journal } = await open(65_536);
      disk.failAt = { call: disk.total + call, code };
      const before = disk.total;
      let confirmed = 0;
      const padded = {
        kind: 'unsequenced',
        sessionId: null,
        direction: 'in',
        raw: Buffer.alloc(2000),
        note: '',
      } as const;
      for (let n = 1; n <= 60; n++) {
        journal.append([inbound(n), outbound(n), padded], n);
        if (n % 10 === 0) {
          await journal.sync().then(
            () => (confirmed = n),
            (error: unknown) => expect(error).toMatchObject({ code: 'XG_JOURNAL_WRITE_FAILED' }),
          );
        } else if (n % 5 === 0) {
          try {
            journal.write();
          } catch (error) {
            expect(error).toMatchObject({ code: 'XG_JOURNAL_WRITE_FAILED' });
          }
        }
        if (disk.total < before + call || n % 5 !== 0) continue;
        const found = await leftBehind(directory);
        expect(found.next - 1).toBeGreaterThanOrEqual(confirmed);
        expect(found.outbound).toEqual(upTo(found.next - 1));
      }
      await journal.sync();
      expect(await leftBehind(directory)).toEqual({ next: 61, outbound: upTo(60) });
      expect(await journal.loadOutbound(SESSION, 1, 1, 999)).toHaveLength(60);
      await journal.close().catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'XG_JOURNAL_WRITE_FAILED' });
      });
      const calls = disk.total - before;
      if (call > calls) break;
    }
  });
}

test('J2 a sync on the spot confirms only frames on disk, and leaves the rest to the other', async () => {
  // No sync takes any time: one that does is waited for beside the event loop for a while.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const directory = temporaryDirectory();
  const disk = new FailingDisk();
  const health: boolean[] = [];
  const onHealth = (healthy: boolean): void => void health.push(healthy);
  const journal = (await openIn(directory, { disk, onHealth, onTheSpotBytesMax: 10_000 })) as EmbeddedJournal;
  let n = 0;
  const append = (padding = 0): void => {
    const raw = Buffer.alloc(padding);
    journal.append(
      [inbound(++n), outbound(n), { kind: 'unsequenced', sessionId: null, direction: 'in', raw, note: '' }],
      n,
    );
  };
  const syncs = (): number => disk.calls.syncBlocking;
  const before = syncs();
  append();
  expect([journal.syncNow(), syncs()]).toEqual([true, before + 1]);
  expect([journal.syncNow(), syncs()]).toEqual([true, before + 1]);
  append(20_000);
  expect([journal.syncNow(), syncs()]).toEqual([false, before + 1]);
  const release = disk.holdSyncs();
  const beside = journal.sync();
  append();
  expect([journal.syncNow(), syncs()]).toEqual([false, before + 1]);
  release();
  await beside;
  expect([journal.syncNow(), syncs()]).toEqual([true, before + 2]);
  expect(health).toEqual([]);
  // Frames handed over at a failed sync go to the next segment.
  append();
  disk.fail('EIO', 'syncBlocking');
  expect(journal.syncNow()).toBe(false);
  await Promise.resolve();
  expect(health).toEqual([false]);
  disk.heal();
  expect(journal.syncNow()).toBe(true);
  await Promise.resolve();
  expect([health, segmentNames(directory).length]).toEqual([[false, true], 2]);
  expect(await leftBehind(directory)).toEqual({ next: n + 1, outbound: upTo(n) });
});

test('at durability `process` a sync on the spot writes, and asks no disk', async () => {
  const directory = temporaryDirectory();
  const disk = new FailingDisk();
  const journal = (await openIn(directory, { disk, durability: 'process' })) as EmbeddedJournal;
  const { sync, syncBlocking } = disk.calls;
  journal.append([inbound(1), outbound(1)], 1);
  expect(journal.syncNow()).toBe(true);
  expect([disk.calls.sync, disk.calls.syncBlocking]).toEqual([sync, syncBlocking]);
  expect(await leftBehind(directory)).toEqual({ next: 2, outbound: [1] });
});

test('J2 a journal that cannot write keeps its input, and records all of it later', async () => {
  const { directory, disk, journal, healthy } = await open();
  disk.fail('ENOSPC', 'write', 'open');
  const raw = Buffer.alloc(4_194_304);
  const large = { kind: 'unsequenced', sessionId: null, direction: 'in', raw, note: '' } as const;
  for (let k = 1; k <= 20; k++) {
    journal.append([inbound(k), outbound(k), large], k);
    expect(() => journal.write()).toThrow(/ENOSPC/);
  }
  disk.heal();
  await healthy();
  expect(await leftBehind(directory)).toEqual({ next: 21, outbound: upTo(20) });
});

test('durability `process` keeps a bounded amount in memory: the journal syncs by itself', async () => {
  const directory = temporaryDirectory();
  const disk = new FailingDisk();
  const journal = await openIn(directory, { durability: 'process', disk });
  const raw = Buffer.alloc(1_048_576);
  for (let k = 1; k <= 200; k++) {
    journal.append([{ kind: 'unsequenced', sessionId: null, direction: 'in', raw, note: '' }], k);
    journal.write();
    // However slow the disk is: 8 MB on top of what is under way, and the next write begins a sync again.
    while (k % 8 === 0 && disk.isSyncing) await new Promise(setImmediate);
  }
  // None was requested, and 16 MB is the most that ever waited.
  expect(disk.calls.sync + disk.calls.syncBlocking).toBeGreaterThanOrEqual(200 / 16);
});

test('J2 a segment that is full while it is being synced is left after that sync only', async () => {
  const directory = temporaryDirectory();
  const disk = new FailingDisk();
  const journal = await openIn(directory, { disk, onTheSpotBytesMax: 0, segmentBytes: 65_536 });
  const release = disk.holdSyncs();
  journal.append([outbound(1)], 1);
  const synced = journal.sync();
  for (let n = 2; n <= 2000; n++) journal.append([outbound(n)], n);
  journal.write();
  expect(segmentNames(directory)).toHaveLength(1);
  release();
  await synced;
  journal.append([outbound(2001)], 2001);
  await journal.sync();
  expect(segmentNames(directory)).toHaveLength(2);
  expect(await journal.loadOutbound(SESSION, 1, 1, 3000)).toHaveLength(2001);
  await journal.close();
});

test('U5 closing on a stuck disk reports the number of uncertain records by session', async () => {
  const { disk, journal } = await open();
  journal.append([inbound(1), outbound(1)], 1);
  await journal.sync();
  disk.fail('EROFS', 'write', 'sync', 'syncBlocking', 'open');
  journal.append([inbound(2), outbound(2)], 2);
  journal.append([inbound(3)], 3);
  const what = `EROFS: failed; 3 records are not known to be recorded, of ${SESSION}: counterparties are asked to resend, and the exchange for orders`;
  await expect(journal.close()).rejects.toMatchObject({
    code: 'XG_JOURNAL_WRITE_FAILED',
    message: expect.stringContaining(what),
  });
});

test("J2 reports a process's file-size limit with the way to raise it", async () => {
  const { disk, journal, health, healthy } = await open();
  disk.fail('EFBIG', 'write', 'open');
  journal.append([inbound(1), outbound(1)], 1);
  await expect(journal.sync()).rejects.toThrow(/EFBIG.*`ulimit -f`$/);
  expect(health).toEqual([expect.stringMatching(/^false: EFBIG: .*`ulimit -f`$/)]);
  disk.heal();
  await healthy();
});
