// Every disk call of a snapshot, its index files, the ended orders and the archive fails once, is done in part, or is
// the process's last. The journal's knowledge survives, and the next attempt succeeds.

import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { temporaryDirectory } from '../journal-place.ts';
import { outbound, SESSION } from '../records.ts';

type Fault = 'ENOSPC' | 'EIO' | 'part' | 'dies';

const disk = { call: 0, failAt: 0, fault: 'EIO' as string, log: [] as string[] };

// Files share a process, and with it modules that others have read: they are read anew with the mock, and again behind it.
vi.resetModules();
vi.doMock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const failing =
    (name: string) =>
    (...args: unknown[]): unknown => {
      const act = (fs as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!;
      if (disk.failAt === 0) return act(...args);
      disk.call++;
      disk.log.push(name);
      if (disk.fault === 'dies' && disk.call > disk.failAt)
        throw Object.assign(new Error('gone'), { code: 'EGONE', syscall: name });
      if (disk.call !== disk.failAt) return act(...args);
      if (disk.fault === 'dies') {
        // Its last call may have been done, or in part.
        if (name === 'writeFileSync' || name === 'appendFileSync')
          act(args[0], (args[1] as Uint8Array | string).slice(0, 7), args[2]);
        throw Object.assign(new Error('gone'), { code: 'EGONE', syscall: name });
      }
      if (disk.fault === 'part') {
        if (name !== 'writeSync') return act(...args);
        const [fd, bytes, offset = 0, length = (bytes as Uint8Array).length - (offset as number), position] = args as [
          number,
          Uint8Array,
          number?,
          number?,
          number?,
        ];
        return fs.writeSync(fd, bytes, offset, Math.ceil(length / 2), position);
      }
      if (name === 'writeFileSync' || name === 'appendFileSync')
        act(args[0], (args[1] as Uint8Array | string).slice(0, 7), args[2]);
      throw Object.assign(new Error(`${disk.fault}: injected`), { code: disk.fault, syscall: name });
    };
  const names = ['writeSync', 'fsyncSync', 'renameSync', 'writeFileSync', 'appendFileSync', 'truncateSync', 'rmSync'];
  const wrapped = Object.fromEntries(names.map((name) => [name, failing(name)]));
  const opening = failing('openSync');
  const openSync = (path: string, flags: string | number, mode?: number): unknown =>
    flags === 'w' || flags === 'r+' ? opening(path, flags, mode) : fs.openSync(path, flags as string, mode);
  return { ...fs, ...wrapped, openSync, default: { ...fs, ...wrapped, openSync } };
});

const { openJournal, verifyJournal } = await import('../../../src/store/mod.ts');
const { buildSnapshot, archivableBefore } = await import('../../../src/store/snapshots/snapshot-builder.ts');
const { archiveNext } = await import('../../../src/store/snapshots/archive.ts');
const { segmentFileName } = await import('../../../src/store/segments/segment.ts');

afterAll(() => {
  vi.doUnmock('node:fs');
  vi.resetModules();
});

const NOW = 1_700_000_000_000;
const TURNS = 600;
/** A journal with a snapshot and finished segments behind it. */
async function written(): Promise<string> {
  const base = temporaryDirectory();
  for (const [from, to] of [
    [1, 360],
    [361, TURNS],
  ] as const) {
    const journal = await openJournal({ directory: base, segmentBytes: 65_536, snapshotBytes: 1e12, now: () => NOW });
    for (let n = from; n <= to; n++) {
      const record = JSON.stringify({ n, padding: 'x'.repeat(300) });
      journal.append([outbound(1, SESSION, n), { kind: 'proven', sessionId: SESSION, series: n, msgSeqNum: 1 }], NOW);
      journal.append(
        [{ kind: 'order', key: `order-${n}`, record, ...(n % 3 === 0 ? {} : { ended: [`r|${n}`] }) }],
        NOW,
      );
      if (n % 20 === 0) await journal.sync();
    }
    await journal.close();
    // The first leaves a snapshot to go on from.
    if (from === 1) await buildSnapshot({ directory: base, through: null });
  }
  return base;
}

async function work(directory: string): Promise<void> {
  await buildSnapshot({ directory, through: null });
  for (let k = 0; k < 2; k++)
    archiveNext({ directory, retentionDays: null, now: NOW, before: archivableBefore(directory) });
}

async function check(directory: string): Promise<void> {
  // It records nothing: without a thread for the disk it opens in half the time.
  const options = { durability: 'process', segmentBytes: 65_536, snapshotBytes: 1e12 } as const;
  const journal = await openJournal({ directory, now: () => NOW, ...options });
  try {
    expect(journal.recovered.orders.size).toBe(TURNS / 3);
    for (let n = 1; n <= TURNS; n += 7) {
      if (n % 3 !== 0) expect(JSON.parse(journal.endedOrders.find(`r|${n}`) ?? '{}')).toMatchObject({ n });
    }
    expect((await journal.loadOutbound(SESSION, TURNS, 1, 9)).length).toBe(1);
    expect(journal.recovered.sessions.get(SESSION)?.numbers.series).toBe(TURNS);
  } finally {
    await journal.close();
  }
}

/** On a full disk unneeded files would take the space of records. */
function nothingIsLeftOf(directory: string, before: readonly string[]): void {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  expect(names.filter((name) => name.endsWith('.draft'))).toEqual([]);
  const isSnapshot = (name: string): boolean => name.endsWith('.xgs');
  if (names.filter(isSnapshot).every((name) => before.includes(name))) expect(names.sort()).toEqual(before);
  const path = join(directory, 'archive', 'chain.jsonl');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
  const known = lines.map((line) => `archive/${segmentFileName(JSON.parse(line).segment)}.gz`);
  expect(known).toEqual(expect.arrayContaining(names.filter((name) => name.endsWith('.gz'))));
}

for (const fault of ['ENOSPC', 'EIO', 'part', 'dies'] satisfies Fault[]) {
  test(`J1 J2 a snapshot and an archive that meet ${fault} once at every call lose nothing`, async () => {
    const base = await written();
    const before = readdirSync(base, { recursive: true, encoding: 'utf8' }).sort();
    for (let at = 1; ; at++) {
      const directory = temporaryDirectory();
      cpSync(base, directory, { recursive: true });
      Object.assign(disk, { call: 0, failAt: at, fault, log: [] });
      await work(directory).catch(() => {});
      const calls = disk.call;
      const where = disk.log.slice(Math.max(0, at - 3), at).join(' ');
      disk.failAt = 0;
      if (at > calls) {
        rmSync(directory, { recursive: true });
        expect(calls).toBeGreaterThan(30);
        break;
      }
      try {
        if (fault === 'ENOSPC' || fault === 'EIO') nothingIsLeftOf(directory, before);
        await check(directory);
        await work(directory);
        await check(directory);
        expect((await verifyJournal(directory, NOW)).problems).toEqual([]);
        expect(readdirSync(join(directory, 'archive')).filter((name) => name.endsWith('.draft'))).toEqual([]);
      } catch (error) {
        throw new Error(`call ${at} of ${calls} (${where})`, { cause: error });
      }
      rmSync(directory, { recursive: true });
    }
  }, 300_000);
}
