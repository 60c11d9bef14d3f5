import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isJournalOwned, lockJournal } from '../../../src/store/embedded/lock.ts';
import { placeHere } from '../../../src/store/embedded/process-mark.ts';
import { FailingDisk } from '../failing-disk.ts';
import { openIn, temporaryDirectory } from '../journal-place.ts';
import { outbound } from '../records.ts';

const child = fileURLToPath(new URL('../lock-child.ts', import.meta.url));

/** Start a process that tries to take the lock; resolves with its first line: `locked`, or the error. */
async function contend(directory: string): Promise<{ process: ChildProcess; line: string }> {
  const process_ = spawn(process.execPath, [child, directory], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(process_.stdout!), 'line');
  return { process: process_, line };
}

async function kill(process_: ChildProcess): Promise<void> {
  const exited = once(process_, 'exit');
  process_.kill('SIGKILL');
  await exited;
}

test('a second owner in the same process is refused, naming the process id', async () => {
  const directory = temporaryDirectory();
  await openIn(directory);
  await expect(openIn(directory)).rejects.toMatchObject({
    code: 'XG_JOURNAL_LOCKED',
    message: expect.stringContaining(`process ${process.pid}`),
  });
});

test("separates the lock in a copy of a running journal from the process's own", async () => {
  const directory = temporaryDirectory();
  const journal = await openIn(directory);
  const copy = temporaryDirectory();
  cpSync(directory, copy, { recursive: true });
  const [lock] = readdirSync(copy).filter((name) => name.startsWith('lock.'));
  await expect(lockJournal(copy, { silenceMs: 200 })).rejects.toMatchObject({
    code: 'XG_JOURNAL_LOCKED',
    message: expect.stringMatching(
      new RegExp(`is a copy .* while process ${process.pid} wrote .*; remove ${join(copy, lock!)} to`),
    ),
  });
  rmSync(join(copy, lock!));
  await (await openIn(copy)).close();
  // The process with the open files is the owner, untouched for any time.
  await expect(lockJournal(directory, { silenceMs: 200 })).rejects.toThrow(/is owned by process/);
  await journal.close();
});

test('a lock is released by close, and by a start that failed', async () => {
  const directory = temporaryDirectory();
  await (await openIn(directory)).close();
  const segment = join(directory, '00000001.xgj');
  writeFileSync(segment, 'this is no segment of a journal, but it is long enough to be one, is it not?');
  await expect(openIn(directory)).rejects.toMatchObject({ code: 'XG_JOURNAL_CORRUPT' });
  await expect(openIn(directory)).rejects.toMatchObject({ code: 'XG_JOURNAL_CORRUPT' });
});

test('a second process is refused while the first lives, and takes over after kill -9', async () => {
  const directory = temporaryDirectory();
  const first = await contend(directory);
  expect(first.line).toBe('locked');
  const second = await contend(directory);
  expect(second.line).toContain(`owned by process ${first.process.pid}`);
  await kill(first.process);
  const third = await contend(directory);
  expect(third.line).toBe('locked');
  await kill(third.process);
  expect(readdirSync(directory).filter((name) => name.startsWith('lock'))).toHaveLength(1);
});

const withoutLinks = (): never => {
  throw Object.assign(new Error('operation not permitted'), { code: 'EPERM' });
};

test('on a file system without hard links it is taken all the same, by one', async () => {
  const directory = temporaryDirectory();
  const link = withoutLinks;
  const contenders = await Promise.allSettled(Array.from({ length: 5 }, () => lockJournal(directory, { link })));
  const locks = contenders.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  for (const lock of locks) onTestFinished(() => lock.release());
  expect(locks).toHaveLength(1);
  expect(contenders.filter(({ status }) => status === 'rejected')).toMatchObject(
    Array(4).fill({ reason: { code: 'XG_JOURNAL_LOCKED' } }),
  );
  locks[0]!.release();
  (await lockJournal(directory, { link })).release();
});

test('a lock that is being written where there are no hard links is not taken for a free one', async () => {
  const directory = temporaryDirectory();
  const lock = await lockJournal(directory);
  onTestFinished(() => lock.release());
  const path = join(directory, readdirSync(directory).find((name) => name.startsWith('lock.'))!);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, '');
  const second = expect(lockJournal(directory)).rejects.toMatchObject({ code: 'XG_JOURNAL_LOCKED' });
  writeFileSync(path, text);
  await second;
});

test("a lock that root takes belongs to the folder's owner; an unreadable one is not free", async () => {
  const directory = temporaryDirectory();
  const owner = process.getuid?.() === 0 ? 65_534 : statSync(directory).uid;
  chownSync(directory, owner, statSync(directory).gid);
  for (const link of [undefined, withoutLinks]) {
    const lock = await lockJournal(directory, link === undefined ? {} : { link });
    const path = join(directory, readdirSync(directory).find((name) => name.startsWith('lock.'))!);
    expect(statSync(path)).toMatchObject({ uid: owner });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    lock.release();
    rmSync(path);
  }
  mkdirSync(join(directory, 'lock.9'));
  await expect(lockJournal(directory)).rejects.toMatchObject({ code: 'EISDIR' });
});

test('of many processes that find a dead owner at the same moment exactly one takes over', async () => {
  const directory = temporaryDirectory();
  const dead = await contend(directory);
  await kill(dead.process);
  const all = await Promise.all(Array.from({ length: 6 }, () => contend(directory)));
  expect(all.filter(({ line }) => line === 'locked')).toHaveLength(1);
  await Promise.all(all.map(({ process: one }) => kill(one)));
});

test('a process id that was given to another process since is not taken for the owner', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'lock.7'), `${process.pid} some-earlier-boot/12345\n`);
  (await lockJournal(directory)).release();
  expect(readdirSync(directory)).toEqual(['lock.8']);
});

test('an empty lock file, as after a power loss, blocks no start', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'lock.1'), '');
  (await lockJournal(directory)).release();
});

test("names an unwritable directory as the journal's", async () => {
  const file = join(temporaryDirectory(), 'a-file');
  writeFileSync(file, '');
  await expect(openIn(join(file, 'journal'))).rejects.toMatchObject({
    code: 'XG_JOURNAL_WRITE_FAILED',
    message: expect.stringContaining('cannot be written'),
  });
});

test('a lock that cannot be released any more hides no other failure', async () => {
  const directory = temporaryDirectory();
  const lock = await lockJournal(directory);
  rmSync(directory, { recursive: true });
  expect(() => lock.release()).not.toThrow();
});

test('an owner in another container is not taken for dead because its process id says nothing here', async () => {
  const directory = temporaryDirectory();
  const elsewhere = await lockJournal(directory, { place: 'other-container/pid:[1]' });
  await expect(lockJournal(directory, { silenceMs: 5000 })).rejects.toMatchObject({
    code: 'XG_JOURNAL_LOCKED',
    message: expect.stringContaining('of another container or host (other-container/pid:[1])'),
  });
  expect(await isJournalOwned(directory, { silenceMs: 5000 })).toBe(true);
  expect(elsewhere.isLost).toBe(false);
  elsewhere.release();
  expect(await isJournalOwned(directory, { silenceMs: 5000 })).toBe(false);
  (await lockJournal(directory, { silenceMs: 5000 })).release();
});

test('does not take an owner on another host of the same name for dead', async () => {
  const directory = temporaryDirectory();
  const lock = join(directory, 'lock.1');
  // As of a machine that was cloned, which has the journal on a disk of both.
  writeFileSync(lock, `${process.pid} the-boot-of-another-host/12345 ${placeHere()}\n`);
  let touches = 0;
  const touching = setInterval(() => utimesSync(lock, ++touches, touches), 50);
  onTestFinished(() => clearInterval(touching));
  await expect(lockJournal(directory, { silenceMs: 5000 })).rejects.toMatchObject({
    code: 'XG_JOURNAL_LOCKED',
    message: expect.stringContaining('of another container or host'),
  });
  expect(await isJournalOwned(directory, { silenceMs: 5000 })).toBe(true);
  clearInterval(touching);
  // So is one of this host left at a power cut: it is never touched.
  const texts: string[] = [];
  const log = (_level: string, text: string) => void texts.push(text);
  (await lockJournal(directory, { silenceMs: 200, log })).release();
  expect(readdirSync(directory)).toEqual(['lock.2']);
  expect(texts).toEqual([`${lock} is of another host or container, or from before a reboot: it is watched for 0.2 s`]);
  // One that was left in order is not watched.
  (await lockJournal(directory, { silenceMs: 5000, log })).release();
  expect(texts).toHaveLength(1);
});

test('takes over from a silent owner elsewhere, which writes nothing more on waking', async () => {
  const directory = temporaryDirectory();
  const journal = await openIn(directory);
  const [mine] = readdirSync(directory).filter((name) => name.startsWith('lock.'));
  // As with a stopped container: its lock is there, untouched.
  writeFileSync(join(directory, mine!), '4711 a-boot/1 other-container/pid:[1]\n');
  const other = await lockJournal(directory, { silenceMs: 200 });
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
  journal.append([outbound(1)], 1);
  await expect(journal.sync()).rejects.toMatchObject({
    code: 'XG_JOURNAL_WRITE_FAILED',
    message: expect.stringContaining('another process took it over'),
  });
  clock.mockRestore();
  expect(other.isLost).toBe(false);
  other.release();
  await journal.close().catch(() => {});
});

test('an owner hanging in a sync releases nothing once it was overtaken', async () => {
  const directory = temporaryDirectory();
  const disk = new FailingDisk();
  const journal = await openIn(directory, { disk, onTheSpotBytesMax: 0 });
  const [mine] = readdirSync(directory).filter((name) => name.startsWith('lock.'));
  writeFileSync(join(directory, mine!), '4711 a-boot/1 other-container/pid:[1]\n');
  const release = disk.holdSyncs();
  journal.append([outbound(1)], 1);
  const recorded = journal.sync();
  const other = await lockJournal(directory, { silenceMs: 200 });
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
  release();
  await expect(recorded).rejects.toMatchObject({
    code: 'XG_JOURNAL_WRITE_FAILED',
    message: expect.stringContaining('another process took it over'),
  });
  clock.mockRestore();
  other.release();
  await journal.close().catch(() => {});
});

test('nor does one that stands still in a sync on the spot', async () => {
  const directory = temporaryDirectory();
  const disk = new FailingDisk();
  const journal = await openIn(directory, { disk });
  const [mine] = readdirSync(directory).filter((name) => name.startsWith('lock.'));
  const number = Number(mine!.slice('lock.'.length));
  const syncBlocking = disk.syncBlocking.bind(disk);
  let stoodStill = false;
  disk.syncBlocking = (fd) => {
    syncBlocking(fd);
    stoodStill = true;
    writeFileSync(join(directory, `lock.${number + 1}`), '4711 a-boot/1 other-container/pid:[1]\n');
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
  };
  journal.append([outbound(1)], 1);
  expect(() => journal.syncNow?.()).toThrow(/another process took it over/);
  vi.restoreAllMocks();
  expect(stoodStill).toBe(true);
  await journal.close().catch(() => {});
});

test('an owner that hung after touching its lock checks it before writing', async () => {
  const directory = temporaryDirectory();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const clock = vi.spyOn(performance, 'now');
  onTestFinished(() => clock.mockRestore());
  const start = performance.now();
  clock.mockReturnValue(start);
  const lock = await lockJournal(directory);
  const touched = (): number => statSync(join(directory, 'lock.1')).mtimeMs;
  utimesSync(join(directory, 'lock.1'), 1, 1);
  vi.advanceTimersByTime(2000);
  // Its process is stopped for so long, once its lock is touched.
  clock.mockReturnValue(start + 9500);
  while (touched() === 1000) await new Promise(setImmediate);
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  expect(lock.isLost).toBe(false);
  // Since that touch ten seconds have passed.
  writeFileSync(join(directory, 'lock.2'), '4711 a-boot/1 other-container/pid:[1]\n');
  expect(lock.isLost).toBe(true);
  lock.release();
});

/** Let the locks of this process be looked at as often as it takes. */
async function beatUntil(isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    vi.advanceTimersByTime(2000);
    await new Promise(setImmediate);
  }
}

test('J3 a journal with its folder moved away takes no records, and continues once it is back', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const directory = join(temporaryDirectory(), 'journal');
  const told: string[] = [];
  const journal = await openIn(directory, { onHealth: (_, reason) => told.push(reason) });
  journal.append([outbound(1)], 1);
  await journal.sync();
  renameSync(directory, `${directory}.bak`);
  journal.append([outbound(2)], 2);
  // It is noticed within two seconds, and what waits is tried again after one.
  await beatUntil(() => {
    journal.append([outbound(3)], 3);
    journal.sync().catch(() => {});
    return told.length > 0;
  });
  expect(told[0]).toContain('its folder, or its lock file, was moved away or deleted');
  await expect(journal.sync()).rejects.toMatchObject({ code: 'XG_JOURNAL_WRITE_FAILED' });
  renameSync(`${directory}.bak`, directory);
  await beatUntil(() => {
    journal.sync().catch(() => {});
    return told.length > 1;
  });
  await journal.close();
  const again = await openIn(directory);
  expect(again.recovered.notes).toEqual([]);
  expect(again.recovered.sessions.size).toBe(1);
});

test("an owner with a replaced folder does not release the other's lock", async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const directory = join(temporaryDirectory(), 'journal');
  mkdirSync(directory);
  const lock = await lockJournal(directory);
  rmSync(directory, { recursive: true });
  mkdirSync(directory);
  const other = await contend(directory);
  expect(other.line).toBe('locked');
  await beatUntil(() => lock.loss !== null);
  lock.release();
  expect((await contend(directory)).line).toContain(`owned by process ${other.process.pid}`);
  await kill(other.process);
});
