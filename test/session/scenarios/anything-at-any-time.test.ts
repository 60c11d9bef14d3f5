// Whatever operators, clock and counterparty do at any time, in both roles: settings that change, numbers that are set, reads that
// fail, clocks that jump. The machine breaks no assertion of its own, and its numbers never go back (checked by the driver's journal).

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SessionConfig, SessionInput } from '../../../src/session/mod.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';
import { completeFrame, timestampOf } from '../../support/session/fix-scenario.ts';
import { draftOf, MachineDriver } from '../../support/session/session-machine.ts';

const number = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 12 }).map(String) },
  { weight: 1, arbitrary: fc.constantFrom('1000000', '2147483647', '99999999999') },
);
const message = fc.record({
  msgType: fc.constantFrom('A', '0', '0', '1', '2', '2', '3', '4', '5', 'D', 'D', '8', 'j'),
  ahead: fc.constantFrom(0, 0, 0, 0, 1, 2, 5, -1),
  fields: fc.record(
    {
      7: number,
      16: number,
      36: number,
      43: fc.constant('Y'),
      45: number,
      98: fc.constant('0'),
      108: fc.constantFrom('30', '30', '0', '7'),
      112: fc.constantFrom('t', '1-1', '1-2', '1-3'),
      123: fc.constantFrom('Y', 'N'),
      141: fc.constantFrom('Y', 'N'),
      369: number,
      372: fc.constant('8'),
      789: number,
      1137: fc.constant('9'),
    },
    { requiredKeys: [] },
  ),
});
const settings: fc.Arbitrary<Partial<SessionConfig>> = fc.record(
  {
    gapQueueMax: fc.constantFrom(0, 1, 5),
    resendLoadChunk: fc.constantFrom(1, 3, 100),
    resendRequestChunk: fc.constantFrom(0, 1, 3),
    closedResendRequests: fc.boolean(),
    seqNumMax: fc.constantFrom(12, 1010, 100_000_000),
    resetOn: fc.constantFrom<NonNullable<SessionConfig['resetOn']>>(
      [],
      ['logon'],
      ['logout'],
      ['disconnect'],
      ['logon', 'disconnect'],
    ),
    resetsWithinSession: fc.boolean(),
    repeatUnprovenReports: fc.boolean(),
    repeatsOnRequest: fc.boolean(),
    sendsNextExpectedMsgSeqNum: fc.boolean(),
    sendsLastMsgSeqNumProcessed: fc.boolean(),
    heartBtIntFromAcceptor: fc.boolean(),
    heartBtIntZeroAllowed: fc.boolean(),
    sessionMessagesMax: fc.constantFrom(0, 5),
    onRefusal: fc.constantFrom<NonNullable<SessionConfig['onRefusal']>>('auto', 'logout', 'silence'),
    messageRate: fc.constantFrom(
      null,
      { messagesMax: 1, perMs: 1000, excess: 'hold' as const, holdMsMax: 500, refusalsMax: 3 },
      { messagesMax: 2, perMs: 1000, excess: 'refuse' as const, holdMsMax: 500, refusalsMax: 0 },
    ),
    schedule: fc.constantFrom<NonNullable<SessionConfig['schedule']> | null>(
      null,
      { timeZone: 'UTC', holidays: [], windows: [], resets: [{ days: ['Mon', 'Tue'], at: '09:10' }] },
      {
        timeZone: 'UTC',
        holidays: [],
        windows: [{ days: ['Mon'], from: '08:00', to: '09:05', toDay: null }],
        resets: [],
      },
    ),
  },
  { requiredKeys: [] },
);
const act = fc.oneof(
  { weight: 24, arbitrary: message.map((m) => ({ kind: 'message' as const, message: m })) },
  { weight: 8, arbitrary: fc.boolean().map((resets) => ({ kind: 'logon' as const, resets })) },
  { weight: 6, arbitrary: fc.constantFrom('8', 'D', '9').map((msgType) => ({ kind: 'app' as const, msgType })) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(1, 900, 31_000, 61_000, 600_000).map((ms) => ({ kind: 'wait' as const, ms })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(-3_600_000, -5000, 5000, 700_000).map((ms) => ({ kind: 'jump' as const, ms })),
  },
  { weight: 3, arbitrary: settings.map((change) => ({ kind: 'settings' as const, change })) },
  {
    weight: 2,
    arbitrary: fc
      .record({
        sender: fc.constantFrom(null, 1, 9, 30),
        target: fc.constantFrom(null, 1, 4, 30),
        reset: fc.boolean(),
        within: fc.boolean(),
      })
      .map((to) => ({ kind: 'numbers' as const, to })),
  },
  { weight: 1, arbitrary: fc.constantFrom(null, 'e1', 'none').map((after) => ({ kind: 'repeat' as const, after })) },
  { weight: 2, arbitrary: fc.boolean().map((isRead) => ({ kind: 'reading' as const, isRead })) },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 1, max: 12 }).map((requestId) => ({ kind: 'failed' as const, requestId })),
  },
  {
    weight: 8,
    arbitrary: fc
      .constantFrom('cut', 'hold', 'release', 'release', 'logout', 'restart', 'garbled')
      .map((kind) => ({ kind: kind as 'cut' })),
  },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** Fields of the header of what a counterparty sends. */
const HEADER = /^(34|43|52|122)$/;
let executions = 0;

function frame(
  driver: MachineDriver,
  { msgType, ahead, fields }: Extract<Act, { kind: 'message' }>['message'],
): Buffer {
  const { config, session } = driver;
  const time = timestampOf(driver.now, config.beginString);
  const msgSeqNum =
    msgType === 'A' && fields[141] === 'Y' ? 1 : Math.max(1, session.numbers.nextTargetMsgSeqNum + ahead);
  let text = `35=${msgType}|34=${msgSeqNum}|`;
  if (fields[43] === 'Y') text += `43=Y|122=${time}|`;
  for (const [tag, value] of Object.entries(fields)) if (!HEADER.test(tag)) text += `${tag}=${value}|`;
  return completeFrame(text, config.targetCompID, config.senderCompID, config.beginString, time);
}

function perform(driver: MachineDriver, step: Act): void {
  const input = (one: SessionInput): void => driver.input(one);
  switch (step.kind) {
    case 'message':
      if (!driver.connected) perform(driver, { kind: 'logon', resets: false });
      if (driver.connected) driver.receive(frame(driver, step.message));
      return;
    case 'logon': {
      if (driver.connected) return;
      driver.connect();
      if (driver.session.status.state === 'closing') return;
      const reset = step.resets ? ({ 141: 'Y' } as const) : {};
      driver.receive(frame(driver, { msgType: 'A', ahead: 0, fields: { 98: '0', 108: '30', 1137: '9', ...reset } }));
      return;
    }
    case 'app':
      input({ kind: 'send', draft: draftOf(`35=${step.msgType}|17=e${executions++ % 4}|`) });
      return;
    case 'wait':
      driver.wait(step.ms);
      return;
    case 'jump':
      driver.now += step.ms;
      input({ kind: 'tick' });
      return;
    case 'settings':
      driver.session.applyConfig({ ...driver.session.config, ...step.change });
      input({ kind: 'tick' });
      return;
    case 'numbers': {
      const { sender, target, reset, within } = step.to;
      const to = { nextSenderMsgSeqNum: sender, nextTargetMsgSeqNum: target, reset };
      input({ kind: 'setNumbers', ...to, within: reset && within, who: 'operator', why: 'a test' });
      return;
    }
    case 'repeat':
      input({ kind: 'repeat', afterExecID: step.after });
      return;
    case 'reading':
      input({ kind: 'reading', isRead: step.isRead });
      return;
    case 'failed':
      input({ kind: 'outboundFailed', requestId: step.requestId });
      return;
    default:
      plain(driver, step.kind);
  }
}

function plain(driver: MachineDriver, kind: string): void {
  if (kind === 'cut' && driver.connected) driver.cut();
  else if (kind === 'hold') driver.holdJournal = true;
  else if (kind === 'release') driver.release();
  else if (kind === 'logout') driver.input({ kind: 'logout', text: 'bye' });
  else if (kind === 'restart') driver.restart();
  else if (kind === 'garbled' && driver.connected)
    driver.receive(Buffer.from('8=FIX.4.4\x019=5\x0135=0\x0110=999\x01', 'latin1'));
}

test.each([
  ['acceptor', 'FIX.4.4'],
  ['initiator', 'FIX.4.4'],
  ['initiator', 'FIX.4.0'],
  ['acceptor', 'FIXT.1.1'],
] as const)('an %s of %s keeps its rules', (role, beginString) => {
  checkProperty(
    fc.property(settings, fc.array(act, { minLength: 1, maxLength: 80 }), (config, steps) => {
      const driver = new MachineDriver({ config: { role, beginString, ...config } });
      for (const step of steps) {
        const before = driver.session.numbers;
        perform(driver, step);
        const after = driver.session.numbers;
        expect(after.series).toBeGreaterThanOrEqual(before.series);
        if (after.series === before.series)
          expect(after.nextSenderMsgSeqNum).toBeGreaterThanOrEqual(before.nextSenderMsgSeqNum);
        if (driver.connected && driver.session.status.state === 'closing') driver.cut();
      }
    }),
    300,
  );
});
