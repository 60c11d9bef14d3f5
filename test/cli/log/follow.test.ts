// `crossgate log --follow` beside the process that writes the journal.

import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import type { JournalRecord } from '../../../src/store/mod.ts';
import { fromPrintable } from '../../../src/wire/mod.ts';
import { openIn, temporaryDirectory } from '../../store/journal-place.ts';
import { LineProcess } from '../../support/processes/line-process.ts';

const MAIN = join(import.meta.dirname, '../../../src/cli/main.ts');

function order(msgSeqNum: number): JournalRecord {
  const raw = fromPrintable(`35=D|49=OMS|56=XGATE|34=${msgSeqNum}|52=20261121-10:00:00.000|11=o-${msgSeqNum}|`);
  const numbers = { series: 1, msgSeqNum, nextTargetMsgSeqNum: msgSeqNum + 1 };
  return { kind: 'inbound', sessionId: 'FIX.4.4:XGATE->OMS', ...numbers, msgType: 'D', raw };
}

test('shows what is there, then what comes, and ends with code 0 at SIGINT', async () => {
  const directory = temporaryDirectory();
  const journal = await openIn(directory);
  journal.append([order(1)], 1_700_000_000_000);
  await journal.sync();
  const log = new LineProcess(process.execPath, [MAIN, 'log', directory, '--follow']);
  await log.line(/ClOrdID=o-1\b/);
  for (const n of [2, 3]) {
    journal.append([order(n)], 1_700_000_000_000 + n);
    await journal.sync();
    await log.line(new RegExp(`ClOrdID=o-${n}\\b`));
  }
  expect(await log.kill('SIGINT')).toBe(0);
  expect(log.lines).toHaveLength(3);
});

test('is for a journal: a text file is refused, with the command that follows one', async () => {
  const log = new LineProcess(process.execPath, [MAIN, 'log', MAIN, '--follow']);
  expect(await log.ended()).toBe(2);
  expect(log.lines.join('\n')).toContain('`crossgate decode --follow` follows a text');
  const both = new LineProcess(process.execPath, [MAIN, 'log', '--follow', '--chain']);
  expect(await both.ended()).toBe(2);
});
