// A session's console status, and the deadline for the engine's timer.

import { expect, test } from 'vitest';
import type { SessionStatus } from '../../../src/session/mod.ts';
import { continueScenario, MachineDriver, runScenario, START_AT } from '../../support/session/session-machine.ts';

const LOGON = `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
`;

test('before any connection the status is empty and no deadline is set', () => {
  const { session } = new MachineDriver();
  const status: SessionStatus = session.status;
  expect(status).toMatchObject({ state: 'disconnected', since: null, remote: null, lastReceivedAt: null, gap: null });
  expect(session.deadline()).toBeNull();
  expect(session.loggedOn).toBe(false);
});

test('each state names its own deadline', () => {
  const driver = new MachineDriver({ config: { logonTimeoutMs: 10_000, logoutTimeoutMs: 5_000 } });
  driver.connect();
  expect(driver.session.status.state).toBe('awaitingLogon');
  expect(driver.session.deadline()).toBe(START_AT + 10_000);
  continueScenario(driver, LOGON.replace('connect', ''));
  expect(driver.session.status.state).toBe('loggedOn');
  expect(driver.session.deadline()).toBe(START_AT + 30_000);
  continueScenario(driver, 'logout bye\n< 35=5|34=2|58=bye|');
  expect(driver.session.status.state).toBe('logoutSent');
  expect(driver.session.deadline()).toBe(START_AT + 5_000);
  continueScenario(driver, '> 35=5|34=2|\nclosed');
  expect(driver.session.deadline()).toBeNull();
});

test('a tick too early does nothing', () => {
  const driver = runScenario(LOGON);
  driver.now += 29_999;
  driver.input({ kind: 'tick' });
  expect(driver.outcomes).toEqual([]);
});

test('gap and resend under way are shown with their ranges', () => {
  const driver = runScenario(`${LOGON}
    app 35=8|17=e1|
    < 35=8|34=2|17=e1|
    > 35=D|34=5|11=d|
    < 35=2|34=3|7=2|16=4|
    hold
    > 35=2|34=6|7=1|16=0|
    app 35=8|17=e2|
  `);
  expect(driver.session.status).toMatchObject({
    gap: { beginSeqNo: 2, endSeqNo: 4, queued: 2 },
    replay: { next: 1, end: 3, held: 1 },
    numbers: { series: 1, nextSenderMsgSeqNum: 5, nextTargetMsgSeqNum: 2 },
    remote: '192.0.2.1:40000',
  });
});

test('an operator cannot take our number back within a series', () => {
  const driver = runScenario(`${LOGON}
    cut
  `);
  const change = { nextTargetMsgSeqNum: null, reset: false, who: 'operator', why: 'a mistake' };
  driver.input({ kind: 'setNumbers', nextSenderMsgSeqNum: 1, ...change });
  expect(driver.session.numbers.nextSenderMsgSeqNum).toBe(2);
  expect(driver.notes).toContain('numbers not set: out of range, or ours would fall within a series; reset instead');
  driver.input({ kind: 'setNumbers', nextSenderMsgSeqNum: 50, ...change });
  expect(driver.session.numbers.nextSenderMsgSeqNum).toBe(50);
});

test('of changes of numbers that wait for the end of a connection there are sixteen at most', () => {
  const driver = runScenario(LOGON);
  const change = { nextTargetMsgSeqNum: null, reset: false, who: 'operator', why: 'again and again' };
  for (let n = 101; n <= 117; n++) driver.input({ kind: 'setNumbers', nextSenderMsgSeqNum: n, ...change });
  expect(driver.notes).toContain('numbers not set: too many changes wait for the end of the connection');
  continueScenario(
    driver,
    `
    < 35=5|34=2|58=sequence numbers are being set by an operator|
    > 35=5|34=2|
    closed
    numbers 116 3
  `,
  );
});

test('an operator sets the number that is expected next to any that FIX has, and to no other', () => {
  const driver = runScenario(`${LOGON}
    cut
  `);
  for (const nextTargetMsgSeqNum of [900, 1, 0, -1, 1.5, Number.NaN, 2 ** 31, 7]) {
    const change = { nextSenderMsgSeqNum: null, nextTargetMsgSeqNum, reset: false, who: 'operator', why: 'asked for' };
    const before = driver.session.numbers.nextTargetMsgSeqNum;
    driver.input({ kind: 'setNumbers', ...change });
    const isNumber = [900, 1, 7].includes(nextTargetMsgSeqNum);
    expect(driver.session.numbers.nextTargetMsgSeqNum).toBe(isNumber ? nextTargetMsgSeqNum : before);
  }
});

test('alarms once for a message over a limit, with the way to pass over it', () => {
  const text = 'BodyLength(9) exceeds the frame limit of 65536';
  const remedy = 'it was not taken; fill the gap with SequenceReset(4) and GapFillFlag(123)=Y in its place';
  const overLimit = (driver: MachineDriver, ours: number): void => {
    const bytes = Buffer.from('8=FIX.4.4\x019=70000\x0135=D\x0149=OMS\x0156=XGATE\x0134=2\x01');
    driver.input({ kind: 'garbled', notice: { reason: 'tooLong', text, bytes, fatal: true } });
    const what = `MsgSeqNum(34)=2 is over the limit of this side: ${text}; ${remedy}`;
    continueScenario(driver, `< 35=5|34=${ours}|58=${what}|\nclosed`);
  };
  const driver = runScenario(LOGON);
  overLimit(driver, 2);
  const told = [
    'message-over-limit: MsgSeqNum(34)=2 of the counterparty is over the limit of this side: BodyLength(9) exceeds the frame limit of 65536. It comes again with every resend: the counterparty passes over it by a SequenceReset(4) with GapFillFlag(123)=Y, or `fix.limits` is raised; else `crossgate sessions reset NAME --target 3 --why "…"` passes over it, and its content is lost',
  ];
  expect(driver.alarms).toEqual(told);
  // It is back with a number ahead, is asked for the message, and sends it.
  const back = (logon: number, ours: number): void =>
    continueScenario(
      driver,
      `connect
      > 35=A|34=${logon}|98=0|108=30|
      < 35=A|34=${ours}|98=0|108=30|
      < 35=2|34=${ours + 1}|7=2|16=${logon - 1}|`,
    );
  back(3, 3);
  overLimit(driver, 5);
  expect(driver.alarms).toEqual(told);
  // Passed over, it is done with.
  back(4, 6);
  continueScenario(driver, '> 35=4|34=2|43=Y|122={0}|123=Y|36=5|');
  expect(driver.session.numbers.nextTargetMsgSeqNum).toBe(5);
});

test('garbled bytes without end close the connection', () => {
  const driver = runScenario(LOGON);
  const notice = { reason: 'beginString', text: 'no frame', bytes: Buffer.from('x'), fatal: true } as const;
  driver.input({ kind: 'garbled', notice });
  continueScenario(driver, 'closed');
});

test.each([
  ['tooLong', 'BodyLength(9) exceeds the frame limit of 65536'],
  ['tooManyFields', 'more than 2048 fields'],
] as const)('a message over a limit of ours (%s) ends the session by a Logout that says which', (reason, text) => {
  const notice = { reason, text, bytes: Buffer.from('x'), fatal: true } as const;
  const remedy = 'it was not taken; fill the gap with SequenceReset(4) and GapFillFlag(123)=Y in its place';
  const driver = runScenario(LOGON);
  driver.input({ kind: 'garbled', notice });
  continueScenario(driver, `< 35=5|34=2|58=A message is over the limit of this side: ${text}; ${remedy}|\nclosed`);
  // Without a logon there is no answer.
  const before = new MachineDriver();
  before.connect();
  before.input({ kind: 'garbled', notice });
  continueScenario(before, 'closed');
});
