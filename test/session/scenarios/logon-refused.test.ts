// A refused Logon between two genuine sides is reported to operators once: they may keep each other out until both
// agree on numbers.

import { expect, test } from 'vitest';
import { testInEveryVersion } from '../../support/session/every-version.ts';
import { runScenario } from '../../support/session/session-machine.ts';

const NUMBERS = { series: 1, nextSenderMsgSeqNum: 4, nextTargetMsgSeqNum: 7 };
const INITIATOR = { role: 'initiator', senderCompID: 'OMS', targetCompID: 'XGATE' } as const;

testInEveryVersion('a Logon with MsgSeqNum(34) too low is an alarm, once until the session is logged on', (run) => {
  const refused = (ours: number): string => `
    connect
    > 35=A|34=3|98=0|108=30|
    < 35=5|34=${ours}|58=MsgSeqNum too low, expecting 7 but received 3|
    closed
  `;
  const told = `logon-refused: the counterparty's Logon(A) is refused: MsgSeqNum too low, expecting 7 but received 3`;
  const driver = run(`${refused(4)}${refused(5)}`, { numbers: NUMBERS });
  expect(driver.alarms).toEqual([told]);
  const between = `
    connect
    > 35=A|34=7|98=0|108=30|
    < 35=A|34=5|98=0|108=30|
    up
    cut
    down
  `;
  const again = run(`${refused(4)}${between}`, { numbers: NUMBERS });
  expect(again.alarms).toEqual([told]);
  const later = `
    connect
    > 35=A|34=3|98=0|108=30|
    < 35=5|34=6|58=MsgSeqNum too low, expecting 8 but received 3|
    closed
  `;
  expect(run(`${refused(4)}${between}${later}`, { numbers: NUMBERS }).alarms).toHaveLength(2);
});

test('S1 an unproven Logon, or one outside the schedule, raises no alarm', () => {
  const wrong = `
    connect
    > 35=A|34=2|98=0|108=30|554=wrong|
    < 35=5|34=1|58=invalid username or password|
    closed
  `;
  expect(runScenario(wrong, { numbers: NUMBERS }).alarms).toEqual([]);
  const windows = [{ days: ['Sun'], from: '08:00', to: '09:00', toDay: null }] as const;
  const schedule = { timeZone: 'UTC', windows, holidays: [], resets: [] };
  const closed = `
    connect
    > 35=A|34=7|98=0|108=30|
    < 35=5|34=1|58=This session is closed until 2026-01-11T08:00:00Z|
    closed
  `;
  expect(runScenario(closed, { numbers: NUMBERS, config: { schedule } }).alarms).toEqual([]);
});

test('an initiator with a refused Logon, or one answered with a low number, raises an alarm too', () => {
  const refused = runScenario(
    `
    connect
    < 35=A|34=4|98=0|108=30|
    > 35=5|34=9|58=MsgSeqNum too low, expecting 40 but received 4|
    closed
    `,
    { config: INITIATOR, numbers: NUMBERS },
  );
  const words = 'Logon(A) refused by the counterparty: MsgSeqNum too low, expecting 40 but received 4';
  expect(refused.alarms).toEqual([`logon-refused: ${words}`]);
  const { alarms } = runScenario(
    `
    connect
    < 35=A|34=4|98=0|108=30|
    > 35=A|34=1|98=0|108=30|
    < 35=5|34=5|58=MsgSeqNum too low, expecting 7 but received 1|
    closed
    `,
    { config: INITIATOR, numbers: NUMBERS },
  );
  expect(alarms).toEqual([
    "logon-refused: the counterparty's answer to our Logon(A) is not accepted: MsgSeqNum too low, expecting 7 but received 1; " +
      'if it begins at 1 each time, `resetOn: [logon]` has us do so too; ' +
      'if after each Logout(5) alone, `resetOn: [logout]` does, behind one reset of this side by hand',
  ]);
});

test('reports an acceptor that refuses a Logon silently, as QuickFIX C++ outside its schedule', () => {
  const { alarms } = runScenario(
    `
    connect
    < 35=A|34=4|98=0|108=30|
    > 35=5|34=9|
    closed
    `,
    { config: INITIATOR, numbers: NUMBERS },
  );
  expect(alarms).toEqual([
    'logon-refused: Logon(A) refused by the counterparty: its Logout(5) gives no reason in Text(58); it may be closed by its schedule',
  ]);
});

test('of an acceptor that begins again unasked the alarm names the setting under which it is asked for', () => {
  const { alarms } = runScenario(
    `
    connect
    < 35=A|34=4|98=0|108=30|
    > 35=A|34=1|98=0|108=30|141=Y|
    < 35=5|34=5|58=ResetSeqNumFlag(141)=Y was not asked for|
    closed
    `,
    { config: INITIATOR, numbers: NUMBERS },
  );
  expect(alarms[0]).toContain('was not asked for; if it does so each time, `resetOn: [logon]` has us ask for it');
});

test('reports a counterparty restarting at 1 without ResetSeqNumFlag(141)=Y, as QuickFIX answers', () => {
  const refused = (logon: string, text: string) =>
    runScenario(`\n connect\n > 35=A|${logon}|98=0|\n < 35=5|34=4|58=${text}|\n closed\n`, { numbers: NUMBERS }).alarms;
  const tooLow = 'MsgSeqNum too low, expecting 7 but received';
  const of = "logon-refused: the counterparty's Logon(A) is refused: ";
  const hint =
    '; if it begins at 1 each time, `resetOn: [logon]` has us do so too; ' +
    'if after each Logout(5) alone, `resetOn: [logout]` does, behind one reset of this side by hand';
  expect(refused('34=1|108=30', `${tooLow} 1`)).toEqual([`${of}${tooLow} 1${hint}`]);
  // QuickFIX C++ with ResetOnLogout=Y spends the first number behind our Logout on a Logon that it has no connection for.
  const behindLogout =
    '; if it begins again after each Logout(5), `resetOn: [logout]` has us do so too, behind one reset of this side by hand';
  expect(refused('34=2|108=30', `${tooLow} 2`)).toEqual([`${of}${tooLow} 2${behindLogout}`]);
  expect(refused('34=3|108=30', `${tooLow} 3`)).toEqual([`${of}${tooLow} 3`]);
  const heartBtInt = 'HeartBtInt(108)=0 is not allowed';
  expect(refused('34=1|108=0', heartBtInt)).toEqual([`${of}${heartBtInt}`]);
});

testInEveryVersion(
  "a counterparty that refuses an acceptor's Logon by its Logout is an alarm, once until it stays",
  (run) => {
    const refused = (theirs: number, ours: number): string => `
    connect
    > 35=A|34=${theirs}|98=0|108=30|
    < 35=A|34=${ours}|98=0|108=30|
    up
    > 35=5|34=${theirs + 1}|58=MsgSeqNum too low, expecting 40 but received ${ours}|
    < 35=5|34=${ours + 1}|
    cut
    down
  `;
    const told = (ours: number): string =>
      'logon-refused: the counterparty logged out as soon as it was logged on: ' +
      `MsgSeqNum too low, expecting 40 but received ${ours}`;
    expect(run(`${refused(7, 4)}${refused(9, 6)}`, { numbers: NUMBERS }).alarms).toEqual([told(4)]);
    const stays = (end: string): string => `
    connect
    > 35=A|34=9|98=0|108=30|
    < 35=A|34=6|98=0|108=30|
    up
    > 35=1|34=10|112=here|
    < 35=0|34=7|112=here|
    ${end}
    cut
    down
  `;
    const driver = run(`${refused(7, 4)}${stays('> 35=5|34=11|58=end of day|\n< 35=5|34=8|')}${refused(12, 9)}`, {
      numbers: NUMBERS,
    });
    expect(driver.alarms).toEqual([told(4), told(9)]);
    const cut = run(`${refused(7, 4)}${stays('')}${refused(11, 8)}`, { numbers: NUMBERS });
    expect(cut.alarms).toEqual([told(4), told(8)]);
  },
);

test('a counterparty logging out silently, or later, raises no alarm', () => {
  const logout = (waitS: number, text: string): string => `
    connect
    > 35=A|34=7|98=0|108=30|
    < 35=A|34=4|98=0|108=30|
    up
    wait ${waitS}
    > 35=5|34=8|${text}
    < 35=5|34=5|
    down`;
  expect(runScenario(logout(0, ''), { numbers: NUMBERS }).alarms).toEqual([]);
  expect(runScenario(logout(3, '58=end of day|'), { numbers: NUMBERS }).alarms).toEqual([]);
});

test('logs a wrong CompID with the expected one, and an unanswered Logon', () => {
  const other = runScenario(
    `connect
    < 35=A|34=1|98=0|108=30|
    > 35=A|34=1|49=OTHER|98=0|108=30|
    < 35=5|34=2|58=CompID problem: SenderCompID(49)|
    closed`,
    { config: INITIATOR },
  );
  expect(other.notes).toContain('SenderCompID(49)=OTHER of the counterparty is not XGATE');
  const none = runScenario('connect\n < 35=A|34=1|98=0|108=30|\n cut', { config: INITIATOR });
  expect(none.notes).toEqual(['the connection ended before our Logon(A) was answered']);
});
