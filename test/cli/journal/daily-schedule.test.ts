// When the files of a day are written by themselves (rule J4); what is in them is tried in store.test.ts.

import type { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DailySchedule, writeInOwnProcess } from '../../../src/cli/journal/daily-schedule.ts';

interface Rig {
  now: number;
  readonly folder: string;
  readonly written: string[];
  readonly logged: string[];
  fails: boolean;
  damage: string[];
  /** Runs what was called for later, its time having come. */
  pass(): Promise<void>;
  readonly waits: number[];
  make(): DailySchedule;
  start(): Promise<DailySchedule>;
}

async function rig(now: string): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'crossgate-daily-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  let due: (() => void) | null = null;
  let schedule: DailySchedule | null = null;
  const self: Rig = {
    now: Date.parse(now),
    folder,
    written: [],
    logged: [],
    waits: [],
    fails: false,
    damage: [],
    pass: async () => {
      self.now += self.waits.at(-1) ?? 0;
      expect(due).not.toBeNull();
      due = null;
      await schedule!.run();
    },
    make: () => {
      schedule = new DailySchedule({
        folder,
        log: (level, text) => self.logged.push(`${level} ${text}`),
        now: () => self.now,
        write: async (date) => {
          if (self.fails) throw new Error('no room');
          self.written.push(date);
          return self.damage;
        },
        later: (ms, run) => {
          self.waits.push(ms);
          due = run;
          return () => {
            due = null;
          };
        },
      });
      return schedule;
    },
    start: async () => {
      const made = self.make();
      await made.run();
      return made;
    },
  };
  return self;
}

test('J4 each day is written once, a little after its end, the first time the day before the start', async () => {
  const daily = await rig('2026-11-20T15:00:00Z');
  await daily.start();
  expect(daily.written).toEqual(['2026-11-19']);
  expect(new Date(daily.now + daily.waits[0]!).toISOString()).toBe('2026-11-21T00:00:05.000Z');
  await daily.pass();
  await daily.pass();
  expect(daily.written).toEqual(['2026-11-19', '2026-11-20', '2026-11-21']);
  expect(readFileSync(join(daily.folder, 'last-day'), 'latin1')).toBe('2026-11-21\n');
  // A restart on the same day writes nothing twice.
  await daily.start();
  expect(daily.written).toHaveLength(3);
});

test('J4 days that ended while the gateway was down are made up for, a week at most', async () => {
  const daily = await rig('2026-11-20T15:00:00Z');
  await daily.start();
  daily.now = Date.parse('2026-11-23T00:00:01Z');
  await daily.start();
  // The 22nd is not over until what its last second brought is recorded.
  expect(daily.written).toEqual(['2026-11-19', '2026-11-20', '2026-11-21']);
  daily.now = Date.parse('2026-12-31T08:00:00Z');
  await daily.start();
  expect(daily.written.slice(3)).toEqual([24, 25, 26, 27, 28, 29, 30].map((day) => `2026-12-${day}`));
});

test('J4 writes missing files a minute after the start, when interrupted sessions are back', async () => {
  const daily = await rig('2026-11-20T15:00:00Z');
  const schedule = daily.make();
  schedule.begin();
  expect(daily.waits).toEqual([60_000]);
  expect(daily.written).toEqual([]);
  await daily.pass();
  expect(daily.written).toEqual(['2026-11-19']);
});

test('J4 reports and retries a day that could not be written', async () => {
  const daily = await rig('2026-11-20T15:00:00Z');
  daily.fails = true;
  await daily.start();
  expect(daily.logged).toEqual([expect.stringMatching(/^error the daily files could not be written.*no room/)]);
  expect(daily.waits).toEqual([600_000]);
  daily.fails = false;
  await daily.pass();
  expect(daily.written).toEqual(['2026-11-19']);
});

test('J4 reports a partly unreadable day once, and delays no other', async () => {
  const daily = await rig('2026-11-20T15:00:00Z');
  daily.damage = ['journal/00000001.xgj: a frame is damaged at offset 112'];
  await daily.start();
  expect(daily.logged).toEqual([
    'error reports may be missing from the daily files of 2026-11-19: journal/00000001.xgj: a frame is damaged at offset 112',
  ]);
  daily.damage = [];
  await daily.pass();
  expect(daily.written).toEqual(['2026-11-19', '2026-11-20']);
});

test('J4 days that a clock which was ahead took for over are written again when they are', async () => {
  const daily = await rig('2030-01-01T15:00:00Z');
  await daily.start();
  expect(daily.written.splice(0)).toEqual(['2029-12-31']);
  // Corrected: the last week is unknown.
  daily.now = Date.parse('2026-11-20T15:00:00Z');
  await daily.start();
  expect(daily.written.splice(0)).toEqual([13, 14, 15, 16, 17, 18, 19].map((day) => `2026-11-${day}`));
  await daily.pass();
  expect(daily.written.splice(0)).toEqual(['2026-11-20']);
  // Some hours ahead: the day that it is now was written before it was over.
  daily.now = Date.parse('2026-11-21T04:00:00Z');
  writeFileSync(join(daily.folder, 'last-day'), '2026-11-21\n');
  await daily.start();
  expect(daily.written).toEqual([]);
  await daily.pass();
  expect(daily.written).toEqual(['2026-11-21']);
});

test('J4 a closed schedule writes no more', async () => {
  const daily = await rig('2026-11-20T15:00:00Z');
  const schedule = await daily.start();
  schedule.close();
  await expect(daily.pass()).rejects.toThrow();
  expect(daily.written).toEqual(['2026-11-19']);
});

test('a stopping gateway ends the process of the daily files instead of waiting', async () => {
  const daily = await rig('2026-11-20T15:00:00Z');
  const main = join(daily.folder, 'slow.mjs');
  const mark = join(daily.folder, 'began');
  writeFileSync(
    main,
    `import { writeFileSync } from 'node:fs'; writeFileSync('${mark}', ''); setTimeout(() => {}, 60_000);`,
  );
  const logged: string[] = [];
  const schedule = new DailySchedule({
    folder: daily.folder,
    log: (level, text) => logged.push(`${level} ${text}`),
    now: () => daily.now,
    write: (date, stopped) => writeInOwnProcess(daily.folder, date, daily.folder, stopped, { main }),
  });
  const written = schedule.run();
  while (!existsSync(mark)) await new Promise((resolve) => setTimeout(resolve, 10));
  schedule.close();
  await written;
  expect(logged).toEqual([]);
  // It is made up for.
  await daily.start();
  expect(daily.written).toEqual(['2026-11-19']);
});

test('reports if no process can be started, as without file descriptors, and runs on', async () => {
  const { folder } = await rig('2026-11-20T10:00:00Z');
  // Node's behaviour on EMFILE: a child without streams, with its error in the next turn.
  const start = (() => {
    const child = new EventEmitter();
    process.nextTick(() => child.emit('error', new Error('spawn node EMFILE')));
    return child;
  }) as unknown as typeof spawn;
  const { signal } = new AbortController();
  await expect(writeInOwnProcess(folder, '2026-11-19', folder, signal, { main: 'main', start })).rejects.toThrow(
    'store daily ended with spawn node EMFILE',
  );
});
