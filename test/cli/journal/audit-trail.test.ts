// `crossgate store audit` as its own process: who did what, when and why, out of the journal.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openJournal } from '../../../src/store/mod.ts';
import { temporaryDirectory } from '../../store/journal-place.ts';
import { inbound, SESSION } from '../../store/records.ts';
import { LineProcess } from '../../support/processes/line-process.ts';

const ROOT = join(import.meta.dirname, '../../..');
const DAY = Date.UTC(2026, 10, 20);

async function audit(...args: string[]): Promise<{ code: number | string; lines: readonly string[] }> {
  const child = new LineProcess(process.execPath, ['src/cli/main.ts', 'store', 'audit', ...args], { cwd: ROOT });
  const code = await child.ended();
  return { code, lines: child.lines };
}

async function trail(): Promise<string> {
  const state = temporaryDirectory();
  const journal = await openJournal({ directory: join(state, 'journal'), now: () => DAY });
  const numbers = (out: number) => ({ series: 1, nextSenderMsgSeqNum: out, nextTargetMsgSeqNum: 2 });
  journal.append([{ kind: 'audit', who: 'user ann', action: 'kill switch thrown', detail: 'all runaway\nmodel' }], DAY);
  journal.append([inbound(1)], DAY + 1000);
  journal.append(
    [{ kind: 'numbers', sessionId: SESSION, from: numbers(1), to: numbers(9), who: 'user ben', why: 'by phone' }],
    DAY + 2000,
  );
  const due = { from: numbers(9), to: numbers(9), who: 'schedule', why: 'reset time of the day' };
  journal.append([{ kind: 'numbers', sessionId: SESSION, ...due }], DAY + 3000);
  journal.append(
    [{ kind: 'audit', who: 'desk', action: 'bridge: V1SetMMP', detail: '{"password":"hunter2"}' }],
    DAY + 86_400_000,
  );
  await journal.close();
  return state;
}

test('shows the audit trail with operator, time and reason on a line each, without secrets', async () => {
  const state = await trail();
  expect(await audit('--state', state)).toEqual({
    code: 0,
    lines: [
      '2026-11-20 00:00:00.000  user ann  kill switch thrown  all runaway model',
      `2026-11-20 00:00:02.000  user ben  numbers changed  ${SESSION} next out 1 → 9, next in 2 → 2: by phone`,
      `2026-11-20 00:00:03.000  schedule  reset is due  ${SESSION} within the session: reset time of the day`,
      '2026-11-21 00:00:00.000  desk  bridge: V1SetMMP  {"password":"[redacted]"}',
    ],
  });
  const some = await audit('--state', state, '--json', '--match', 'BEN', '--to', '2026-11-20T12:00:00');
  expect(some.code).toBe(0);
  expect(some.lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ at: '2026-11-20T00:00:02.000Z', who: 'user ben', action: 'numbers changed' }),
  ]);
});

test('J4 acts before a clock was set back an hour stay in the trail from a time after it', async () => {
  const state = temporaryDirectory();
  let now = DAY;
  const journal = await openJournal({ directory: join(state, 'journal'), now: () => now, segmentBytes: 65_536 });
  const act = (action: string, at: number): void => {
    now = at;
    journal.append([{ kind: 'audit', who: 'user ann', action, detail: 'x'.repeat(40_000) }], at);
    journal.write();
  };
  act('thrown', DAY + 7_200_000);
  // A file of the journal begins meanwhile.
  act('noted', DAY + 3_600_000);
  act('noted again', DAY + 3_700_000);
  act('lifted', DAY + 7_300_000);
  await journal.close();
  const { lines } = await audit('--state', state, '--from', '2026-11-20T01:30:00', '--json');
  expect(lines.map((line) => JSON.parse(line).action)).toEqual(['thrown', 'lifted']);
});

test('an audit trail without a match sets the exit code; an invalid time is wrong usage', async () => {
  const state = await trail();
  expect(await audit('--state', state, '--from', '2026-11-22')).toEqual({
    code: 1,
    lines: ['No entry matches.'],
  });
  expect((await audit('--state', state, '--to', 'tomorrow')).code).toBe(2);
});

/** The state folder of a node with two partitions. */
async function twoTrails(): Promise<string> {
  const state = temporaryDirectory();
  for (const [nth, partition] of ['desk-a', 'desk-b'].entries()) {
    const directory = join(state, 'partitions', partition, 'journal');
    const journal = await openJournal({ directory, now: () => DAY });
    for (const at of [DAY + nth, DAY + 10 + nth])
      journal.append([{ kind: 'audit', who: 'user ann', action: 'look', detail: partition }], at);
    await journal.close();
  }
  return state;
}

test('shows the trail of all partitions by time, or that of one', async () => {
  const state = await twoTrails();
  const line = (ms: string, partition: string): string => `2026-11-20 00:00:00.0${ms}  ${partition}  user ann  look`;
  expect(await audit('--state', state)).toEqual({
    code: 0,
    lines: ['00 a', '01 b', '10 a', '11 b'].map((one) => {
      const [ms, name] = one.split(' ');
      return `${line(ms!, `desk-${name}`)}  desk-${name}`;
    }),
  });
  expect((await audit('--state', state, '--partition', 'desk-b')).lines).toEqual([
    '2026-11-20 00:00:00.001  user ann  look  desk-b',
    '2026-11-20 00:00:00.011  user ann  look  desk-b',
  ]);
});

test('verifies the journals of all partitions, and names them where a command takes one', async () => {
  const state = await twoTrails();
  const store = async (...args: string[]): Promise<LineProcess> => {
    const child = new LineProcess(process.execPath, ['src/cli/main.ts', 'store', ...args, '--state', state], {
      cwd: ROOT,
    });
    await child.ended();
    return child;
  };
  const { lines } = await store('verify');
  expect(lines.filter((one) => one === 'All of it is whole.')).toHaveLength(2);
  const daily = await store('daily', '--to', state);
  expect([await daily.ended(), daily.lines.join('\n')]).toEqual([
    2,
    expect.stringContaining('name one with --partition (desk-a, desk-b)'),
  ]);
});
