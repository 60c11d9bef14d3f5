// `crossgate store import` of a gateway with a journal for each partition: the one that it writes is named.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeQuickfixStore } from '../../../src/cli/journal/quickfix-store.ts';
import { inspectJournal, openJournal } from '../../../src/store/mod.ts';
import { temporaryDirectory } from '../../store/journal-place.ts';
import { SESSION } from '../../store/records.ts';
import { LineProcess } from '../../support/processes/line-process.ts';

const ROOT = join(import.meta.dirname, '../../..');
const DAY = Date.UTC(2026, 10, 20);

async function* noMessages() {}

async function quickfixStore(): Promise<string> {
  const prefix = join(temporaryDirectory(), 'FIX.4.4-XGATE-OMS');
  const numbers = { nextSenderMsgSeqNum: 10, nextTargetMsgSeqNum: 20 };
  await writeQuickfixStore(prefix, { ...numbers, messages: noMessages() }, DAY);
  return prefix;
}

/** A state folder with journals in these folders of it. */
async function stateWith(...folders: string[]): Promise<string> {
  const state = temporaryDirectory();
  for (const folder of folders) {
    const journal = await openJournal({ directory: join(state, folder, 'journal'), now: () => DAY });
    journal.append([{ kind: 'audit', who: 'user ann', action: 'look', detail: 'here' }], DAY);
    await journal.close();
  }
  return state;
}

async function imported(state: string, ...options: string[]): Promise<{ code: number | string; text: string }> {
  const from = ['store', 'import', await quickfixStore(), '--session', SESSION, '--why', 'moves here'];
  const args = ['src/cli/main.ts', ...from, '--state', state, ...options];
  const child = new LineProcess(process.execPath, args, { cwd: ROOT });
  return { code: await child.ended(), text: child.lines.join('\n') };
}

const numbersIn = async (...path: string[]): Promise<(readonly [string, number])[]> =>
  (await inspectJournal(join(...path, 'journal'))).sessions.map(
    ({ sessionId, numbers }) => [sessionId, numbers.nextSenderMsgSeqNum] as const,
  );

test('an import goes into the journal of the partition that it names', async () => {
  const state = await stateWith('partitions/desk-a', 'partitions/desk-b');
  const { code, text } = await imported(state, '--partition', 'desk-b');
  expect([code, text]).toEqual([0, expect.stringContaining('next out 10, next in 20')]);
  expect(await numbersIn(state, 'partitions/desk-b')).toEqual([[SESSION, 10]]);
  expect(await numbersIn(state, 'partitions/desk-a')).toEqual([]);
});

test('an import that names no partition of several is refused, and the refusal lists them', async () => {
  const state = await stateWith('partitions/desk-a', 'partitions/desk-b');
  const why = 'has a journal for each partition: name one with --partition (desk-a, desk-b)';
  expect(await imported(state)).toEqual({ code: 2, text: expect.stringContaining(why) });
  for (const name of ['desk-a', 'desk-b']) expect(await numbersIn(state, 'partitions', name)).toEqual([]);
  expect(await imported(state, '--partition', ' ')).toEqual({
    code: 2,
    text: expect.stringContaining('--partition is empty'),
  });
});

test('an import beside the journal of one process does not guess which of both a start will use', async () => {
  const state = await stateWith('.', 'partitions/desk-a');
  const why = 'has the journal of one process and those of partitions: name one with --partition (desk-a)';
  expect(await imported(state)).toEqual({ code: 2, text: expect.stringContaining(why) });
  expect((await imported(state, '--partition', 'desk-a')).code).toBe(0);
  expect(await numbersIn(state, 'partitions/desk-a')).toEqual([[SESSION, 10]]);
  expect((await imported(join(state, 'journal'))).code).toBe(0);
});

test('an import into the journal of a new partition begins it, and says which there are', async () => {
  const state = await stateWith('partitions/desk-a');
  const { code, text } = await imported(state, '--partition', 'desk-c');
  expect([code, text]).toEqual([
    0,
    expect.stringContaining('the journal of partition desk-c begins here; there are desk-a'),
  ]);
  expect(await numbersIn(state, 'partitions/desk-c')).toEqual([[SESSION, 10]]);
  // Of a single partition no name is needed.
  const alone = await stateWith('partitions/desk-a');
  expect((await imported(alone)).code).toBe(0);
  expect(await numbersIn(alone, 'partitions/desk-a')).toEqual([[SESSION, 10]]);
});
