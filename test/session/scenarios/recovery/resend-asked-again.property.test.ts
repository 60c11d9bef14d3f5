// ResendRequests(2) at any time, also during a resend with waiting live messages. The counterparty sees each unmarked
// MsgSeqNum(34) once, in order, without a gap before it.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Tag, viewOf } from '../../../../src/wire/mod.ts';
import { checkProperty } from '../../../support/random/seeded-property.ts';
import { completeFrame, timestampOf } from '../../../support/session/fix-scenario.ts';
import { draftOf, MachineDriver } from '../../../support/session/session-machine.ts';

type Act =
  | { readonly kind: 'send' }
  | { readonly kind: 'ask'; readonly from: number; readonly to: number }
  | { readonly kind: 'journal'; readonly answers: boolean };

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: 'send' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('ask' as const), from: fc.nat(20), to: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('journal' as const), answers: fc.boolean() }) },
);
const limits = fc.record({
  gapQueueMax: fc.constantFrom(1, 3, 100),
  resendLoadChunk: fc.constantFrom(1, 2, 100),
});

function receive(driver: MachineDriver, message: string): void {
  const { targetCompID, senderCompID, beginString } = driver.config;
  const time = timestampOf(driver.now, beginString);
  driver.receive(completeFrame(message, targetCompID, senderCompID, beginString, time));
}

/** Departures, in order, once the journal has answered everything. */
function sentBy(driver: MachineDriver, acts: readonly Act[]): readonly Uint8Array[] {
  driver.connect();
  receive(driver, '35=A|34=1|98=0|108=30|');
  let inbound = 2;
  for (const one of acts) {
    if (one.kind === 'send') driver.input({ kind: 'send', draft: draftOf('35=8|17=e|') });
    else if (one.kind === 'ask') {
      // A range among the numbers that are given out, open where it would end before it begins.
      const begin = 1 + (one.from % (driver.session.numbers.nextSenderMsgSeqNum - 1));
      receive(driver, `35=2|34=${inbound++}|7=${begin}|16=${one.to < begin ? 0 : one.to}|`);
    } else if (one.answers) driver.release();
    else driver.holdJournal = true;
  }
  driver.release();
  expect(driver.session.status.replay).toBeNull();
  return driver.outcomes.map((outcome) => {
    if (outcome.kind !== 'transmit') throw new Error(`not sent: ${JSON.stringify(outcome)}`);
    return outcome.raw;
  });
}

test('an unmarked number never goes back and skips nothing, and all there is has arrived', () => {
  checkProperty(
    fc.property(limits, fc.array(act, { minLength: 1, maxLength: 40 }), (config, acts) => {
      const driver = new MachineDriver({ config });
      let expected = 1;
      for (const raw of sentBy(driver, acts)) {
        const view = viewOf(raw)!;
        const msgSeqNum = view.int(Tag.MsgSeqNum)!;
        const follows = view.int(Tag.NewSeqNo) ?? msgSeqNum + 1;
        if (view.boolean(Tag.PossDupFlag) === true) expect(msgSeqNum).toBeLessThanOrEqual(expected);
        else expect(msgSeqNum).toBe(expected);
        expected = Math.max(expected, follows);
      }
      expect(expected).toBe(driver.session.numbers.nextSenderMsgSeqNum);
    }),
    300,
  );
});
