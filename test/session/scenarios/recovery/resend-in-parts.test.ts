// A resend of long messages: what is read at a time may be more than may wait for a counterparty.

import { expect, test } from 'vitest';
import { Tag, viewOf } from '../../../../src/wire/mod.ts';
import { completeFrame, timestampOf } from '../../../support/session/fix-scenario.ts';
import { draftOf, type MachineDriver, runScenario } from '../../../support/session/session-machine.ts';

const LONG = 'x'.repeat(20_000);

function receive(driver: MachineDriver, message: string): void {
  const { targetCompID, senderCompID, beginString } = driver.config;
  driver.receive(completeFrame(message, targetCompID, senderCompID, beginString, timestampOf(driver.now, beginString)));
}

test('sends long messages in parts of 48 KiB, with nothing left out', () => {
  const driver = runScenario(`
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    cut
  `);
  const texts = [LONG, 'a', LONG, LONG, 'b', 'c', LONG, LONG, LONG.repeat(3), 'd'];
  for (const text of texts) driver.input({ kind: 'send', draft: draftOf(`35=8|17=e|58=${text}|`) });
  driver.connect();
  driver.holdJournal = true;
  receive(driver, '35=A|34=2|98=0|108=30|');
  receive(driver, '35=2|34=3|7=1|16=0|');
  driver.outcomes.length = 0;
  const parts: number[][] = [];
  while (driver.session.resending) {
    driver.answerOne();
    const sent = driver.outcomes.splice(0).map((outcome) => {
      if (outcome.kind !== 'transmit') throw new Error(`not sent: ${JSON.stringify(outcome)}`);
      return viewOf(outcome.raw)!;
    });
    const bytes = sent.reduce((sum, view) => sum + view.bytes().length, 0);
    if (sent.length > 1) expect(bytes).toBeLessThan(50_000);
    parts.push(sent.map((view) => view.int(Tag.MsgSeqNum)!));
  }
  expect(parts).toEqual([[1, 2, 3, 4], [5, 6, 7, 8], [9], [10], [11, 12]]);
});

test('long messages during a resend wait up to a megabyte, and are resent with it beyond that', () => {
  const driver = runScenario(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    app 35=8|17=e|
    < 35=8|34=2|17=e|
  `,
    { config: { gapQueueMax: 1000 } },
  );
  driver.holdJournal = true;
  receive(driver, '35=2|34=2|7=2|16=0|');
  const longest = { held: 0 };
  for (let i = 0; i < 120; i++) {
    driver.input({ kind: 'send', draft: draftOf(`35=8|17=${i}|58=${LONG}|`) });
    longest.held = Math.max(longest.held, driver.session.status.replay!.held);
  }
  expect(longest.held).toBe(52);
  driver.release();
  const numbers = driver.outcomes.map((outcome) =>
    outcome.kind === 'transmit' ? viewOf(outcome.raw)!.int(Tag.MsgSeqNum) : 0,
  );
  expect(numbers).toEqual(Array.from({ length: 121 }, (_, i) => i + 2));
});

test('S2 long reports that a reset would lose are sent again in such parts too', () => {
  const driver = runScenario(`
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    cut
  `);
  for (let i = 0; i < 9; i++) driver.input({ kind: 'send', draft: draftOf(`35=8|17=e-${i}|58=${LONG}|`) });
  driver.connect();
  driver.holdJournal = true;
  receive(driver, '35=A|34=1|98=0|108=30|141=Y|');
  driver.outcomes.length = 0;
  const parts: (string | null)[][] = [];
  for (let part = 0; part < 5; part++) {
    driver.answerOne();
    const sent = driver.outcomes
      .splice(0)
      .map((outcome) => (outcome.kind === 'transmit' ? viewOf(outcome.raw)! : null));
    parts.push(sent.map((view) => view?.string(Tag.ExecID) ?? null));
  }
  expect(parts).toEqual([['e-0', 'e-1'], ['e-2', 'e-3'], ['e-4', 'e-5'], ['e-6', 'e-7'], ['e-8']]);
});
