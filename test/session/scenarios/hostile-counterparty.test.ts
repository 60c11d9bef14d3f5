// A counterparty with any messages in any order. The machine never breaks its own assertions, every byte it sends is a
// message, its numbers never go back (checked by the driver's journal), and one message causes few.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkProperty } from '../../support/random/seeded-property.ts';
import { completeFrame, timestampOf } from '../../support/session/fix-scenario.ts';
import { draftOf, MachineDriver, START_AT } from '../../support/session/session-machine.ts';

const small = fc.integer({ min: -3, max: 12 });
const number = fc.oneof(
  { weight: 5, arbitrary: small.map(String) },
  { weight: 1, arbitrary: fc.constantFrom('', 'x', '999999', '2147483648', '9007199254740993', '1.5') },
);
const flag = fc.constantFrom('Y', 'N', 'x');
const seconds = fc.constantFrom(-600, -60, 0, 0, 0, 1, 600);

const message = fc.record(
  {
    msgType: fc.constantFrom('A', '0', '1', '2', '3', '4', '5', 'D', 'D', '8', 'ZZ'),
    /** Relative to what is expected; null leaves MsgSeqNum out. */
    ahead: fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(0, 0, 0, 1, 2, 5, -1, -4) },
      { weight: 1, arbitrary: fc.constant(null) },
    ),
    sentS: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: seconds }),
    possDup: flag,
    origS: seconds,
    fields: fc.record(
      {
        7: number,
        16: number,
        36: number,
        45: number,
        98: fc.constantFrom('0', '1'),
        108: number,
        112: fc.constant('t'),
        123: flag,
        141: flag,
        369: number,
        554: fc.constantFrom('right', 'wrong'),
        789: number,
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['msgType', 'ahead', 'sentS', 'fields'] },
);

type Message = typeof message extends fc.Arbitrary<infer T> ? T : never;

const act = fc.oneof(
  { weight: 20, arbitrary: message.map((m) => ({ kind: 'message' as const, message: m })) },
  { weight: 4, arbitrary: fc.constant({ kind: 'logon' as const }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'app' as const }) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 90_000 }).map((ms) => ({ kind: 'wait' as const, ms })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('cut', 'hold', 'release', 'logout', 'reset', 'restart')
      .map((kind) => ({ kind: kind as 'cut' })),
  },
);

function frameOf(driver: MachineDriver, { msgType, ahead, sentS, possDup, origS, fields }: Message): Buffer {
  const { beginString } = driver.config;
  const time = (s: number): string => timestampOf(driver.now + s * 1000, beginString);
  let text = `35=${msgType}|34=${ahead === null ? '-' : driver.session.numbers.nextTargetMsgSeqNum + ahead}|52=${time(sentS)}|`;
  if (possDup !== undefined) text += `43=${possDup}|`;
  if (origS !== undefined) text += `122=${time(origS)}|`;
  for (const [tag, value] of Object.entries(fields)) text += `${tag}=${value}|`;
  return completeFrame(text, 'OMS', 'XGATE', beginString, time(0));
}

function perform(driver: MachineDriver, step: { kind: string; message?: Message; ms?: number }): void {
  const sequence = driver.session.numbers.nextTargetMsgSeqNum;
  switch (step.kind) {
    case 'message':
      if (!driver.connected) driver.connect();
      driver.receive(frameOf(driver, step.message!));
      return;
    case 'logon': {
      if (driver.connected) return;
      driver.connect();
      const time = timestampOf(driver.now, driver.config.beginString);
      driver.receive(
        completeFrame(`35=A|34=${sequence}|98=0|108=30|`, 'OMS', 'XGATE', driver.config.beginString, time),
      );
      return;
    }
    case 'app':
      driver.input({ kind: 'send', draft: draftOf('35=8|17=e|') });
      return;
    case 'wait':
      driver.wait(step.ms!);
      return;
    case 'cut':
      if (driver.connected) driver.cut();
      return;
    case 'hold':
      driver.holdJournal = true;
      return;
    case 'release':
      driver.release();
      return;
    case 'logout':
      driver.input({ kind: 'logout', text: 'bye' });
      return;
    case 'restart':
      driver.restart();
      return;
    case 'reset':
      driver.input({
        kind: 'setNumbers',
        nextSenderMsgSeqNum: null,
        nextTargetMsgSeqNum: null,
        reset: true,
        who: 'fuzz',
        why: 'fuzz',
      });
      return;
  }
}

for (const beginString of ['FIX.4.0', 'FIX.4.4', 'FIXT.1.1']) {
  test(`whatever a counterparty says, the session keeps its rules (${beginString})`, () => {
    checkProperty(
      fc.property(fc.array(act, { minLength: 1, maxLength: 60 }), (steps) => {
        const driver = new MachineDriver({ config: { beginString, gapQueueMax: 3, resendLoadChunk: 2 } });
        for (const step of steps) {
          const before = driver.session.numbers;
          const answers = driver.outcomes.length;
          perform(driver, step);
          // One message is answered by at most a resend of everything, and what that let go.
          const sent = driver.outcomes.length - answers;
          expect(sent).toBeLessThan(2 * before.nextSenderMsgSeqNum + (step.kind === 'wait' ? 50 : 20));
          const after = driver.session.numbers;
          if (after.series === before.series) {
            expect(after.nextSenderMsgSeqNum).toBeGreaterThanOrEqual(before.nextSenderMsgSeqNum);
            expect(after.nextTargetMsgSeqNum).toBeGreaterThanOrEqual(before.nextTargetMsgSeqNum);
          } else expect(after.series).toBeGreaterThan(before.series);
          if (driver.session.status.state === 'closing') driver.cut();
        }
        expect(driver.now).toBeGreaterThanOrEqual(START_AT);
      }),
      400,
    );
  });
}
