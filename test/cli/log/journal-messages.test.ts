// The messages of our own journal as `log` and `replay` read them: what left and came, once, under the numbers on the wire.

import { expect, test } from 'vitest';
import { journalMessages } from '../../../src/cli/log/journal-messages.ts';
import { GapFinder, type LoggedMessage, LogSessions, numbersOf } from '../../../src/replay/mod.ts';
import type { JournalEntry } from '../../../src/store/mod.ts';
import { DataFields } from '../../../src/wire/mod.ts';
import { type MachineDriver, runScenario, START_AT } from '../../support/session/session-machine.ts';

const TWO_REPORTS = `
  connect
  > 35=A|34=1|98=0|108=30|
  < 35=A|34=1|98=0|108=30|
  app 35=8|37=1|17=new|11=a|
  < 35=8|34=2|37=1|17=new|11=a|
  app 35=8|37=1|17=fill1|11=a|
  < 35=8|34=3|37=1|17=fill1|11=a|
  cut
`;
const RESET = `
  connect
  > 35=A|34=1|98=0|108=30|141=Y|
  < 35=A|34=1|98=0|108=30|141=Y|
`;

async function messagesOf({ journal }: MachineDriver): Promise<LoggedMessage[]> {
  async function* entries(): AsyncGenerator<JournalEntry> {
    for (const [i, record] of journal.records.entries()) yield { frame: i, at: START_AT + i, record } as JournalEntry;
  }
  const messages: LoggedMessage[] = [];
  for await (const message of journalMessages(entries(), DataFields.STANDARD)) messages.push(message);
  return messages;
}

/** Number, 97 and ExecID of the reports that are shown, and what is said of them. */
const reportsIn = (messages: readonly LoggedMessage[]): unknown[] =>
  messages
    .filter(({ view }) => view?.msgType === '8')
    .map(({ view, note }) => [view!.string(34), view!.string(97) ?? '', view!.string(17), note].join(' ').trim());

function gapsIn(messages: readonly LoggedMessage[]): string[] {
  const [gaps, sessions] = [new GapFinder(), new LogSessions()];
  return messages.flatMap((message) => {
    const gap = gaps.add(message, sessions.directionOf(message));
    return gap === null ? [] : [numbersOf(gap)];
  });
}

test('S2 a report that waited behind those of a reset is shown once, under the number with which it left', async () => {
  const messages = await messagesOf(
    runScenario(`${TWO_REPORTS}
      hold
      ${RESET}
      app 35=8|37=1|17=fill2|11=a|
      app 35=B|148=a word|
      < 35=B|34=2|148=a word|
      release
      < 35=8|34=3|97=Y|37=1|17=new|11=a|
      < 35=8|34=4|97=Y|37=1|17=fill1|11=a|
      < 35=8|34=5|37=1|17=fill2|11=a|
    `),
  );
  expect(reportsIn(messages)).toEqual(['2  new', '3  fill1', '3 Y new', '4 Y fill1', '5  fill2']);
  expect(gapsIn(messages)).toEqual([]);
});

test('S2 a report that still waits behind a reset is shown last, with a note, and counts in no gap', async () => {
  const messages = await messagesOf(
    runScenario(`${TWO_REPORTS}
      hold
      ${RESET}
      app 35=8|37=1|17=fill2|11=a|
    `),
  );
  expect(reportsIn(messages)).toEqual(['2  new', '3  fill1', '4  fill2 it is recorded and has not left']);
  expect(messages.at(-1)).toMatchObject({ counted: false });
  expect(gapsIn(messages)).toEqual([]);
});

test('S2 a report made while logged off is shown once, whether the next Logon(A) resets or not', async () => {
  const reset = await messagesOf(
    runScenario(
      `${TWO_REPORTS}
      app 35=8|37=1|17=fill2|11=a|
      ${RESET}
      < 35=8|34=2|37=1|17=fill2|11=a|
    `,
      { config: { repeatUnprovenReports: false } },
    ),
  );
  expect(reportsIn(reset)).toEqual(['2  new', '3  fill1', '2  fill2']);
  const kept = await messagesOf(
    runScenario(`${TWO_REPORTS}
      app 35=8|37=1|17=fill2|11=a|
      connect
      > 35=A|34=2|98=0|108=30|
      < 35=A|34=5|98=0|108=30|
    `),
  );
  expect(reportsIn(kept)).toEqual(['2  new', '3  fill1', '4  fill2']);
  expect(kept.map(({ view }) => view!.string(34))).toEqual(['1', '1', '2', '3', '2', '4', '5']);
  expect([...gapsIn(reset), ...gapsIn(kept)]).toEqual([]);
});
