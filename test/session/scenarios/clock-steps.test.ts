// A clock that is set under a session that is logged on, and a process that stands still.

import { expect, test } from 'vitest';
import { WEEKDAYS } from '../../../src/session/mod.ts';
import { completeFrame, timestampOf } from '../../support/session/fix-scenario.ts';
import { MachineDriver, type MachineOptions } from '../../support/session/session-machine.ts';

const HOUR_MS = 3_600_000;

function loggedOn(options: MachineOptions = {}): MachineDriver {
  const driver = new MachineDriver(options);
  driver.connect();
  const logon = '35=A|34=1|98=0|108=30|';
  driver.receive(completeFrame(logon, 'OMS', 'XGATE', 'FIX.4.4', timestampOf(driver.now, 'FIX.4.4')));
  return driver;
}

const sent = (driver: MachineDriver): string[] =>
  driver.outcomes.map((one) =>
    one.kind === 'transmit'
      ? (/\|35=(\w)/.exec(one.text)?.[1] ?? '?')
      : `${one.kind} ${'reason' in one ? one.reason : ''}`,
  );

test('a session sends its Heartbeat(0) in time and detects a dead peer after a clock set back 1 h', () => {
  const driver = loggedOn();
  driver.now -= HOUR_MS;
  driver.input({ kind: 'tick' });
  expect(sent(driver)).toEqual(['A']);
  driver.wait(30_000);
  expect(sent(driver)).toEqual(['A', '0']);
  driver.wait(6_000);
  expect(sent(driver)).toEqual(['A', '0', '1']);
  driver.wait(36_000);
  expect(sent(driver).at(-1)).toBe('disconnect nothing received for 72 s, TestRequest(1) unanswered');
  expect(driver.notes.join()).toContain('the clock was set back by 3600 s');
});

test('waits no longer for a TestRequest(1) or journal read after the clock is set back', () => {
  const tested = loggedOn();
  tested.wait(36_000);
  expect(sent(tested)).toEqual(['A', '0', '1']);
  tested.now -= HOUR_MS;
  tested.input({ kind: 'tick' });
  tested.wait(36_000);
  expect(sent(tested).at(-1)).toBe('disconnect nothing received for 72 s, TestRequest(1) unanswered');
  const resending = loggedOn();
  resending.holdJournal = true;
  const at = timestampOf(resending.now, 'FIX.4.4');
  resending.receive(completeFrame('35=2|34=2|7=1|16=0|', 'OMS', 'XGATE', 'FIX.4.4', at));
  resending.now -= HOUR_MS;
  resending.input({ kind: 'tick' });
  resending.wait(60_000);
  expect(resending.alarms).toEqual(['resend-impossible: the journal did not answer a read for a resend within 60 s']);
});

test('a gap that is asked for when the clock is set back is waited for no longer', () => {
  const driver = loggedOn();
  const receive = (text: string): void =>
    driver.receive(completeFrame(text, 'OMS', 'XGATE', 'FIX.4.4', timestampOf(driver.now, 'FIX.4.4')));
  receive('35=D|34=3|11=b|');
  driver.now -= HOUR_MS;
  driver.input({ kind: 'tick' });
  for (let msgSeqNum = 4; msgSeqNum < 7; msgSeqNum++) {
    driver.wait(30_000);
    receive(`35=0|34=${msgSeqNum}|`);
  }
  expect(sent(driver).at(-1)).toBe('disconnect ResendRequest for 2-2 was not answered');
});

test('a Logon(A) that does not come is waited for no longer because the clock is set back', () => {
  const driver = new MachineDriver();
  driver.connect();
  driver.now -= HOUR_MS;
  driver.input({ kind: 'tick' });
  driver.wait(10_000);
  expect(sent(driver)).toEqual(['disconnect no Logon(A) within the time limit']);
});

test('C1 asks before it gives up a counterparty after a clock set forward or a standstill', () => {
  const driver = loggedOn();
  driver.now += HOUR_MS;
  driver.wait(35_999);
  expect(sent(driver).slice(0, 3)).toEqual(['A', '1', '0']);
  expect(driver.connected).toBe(true);
  expect(sent(driver).join()).not.toContain('disconnect');
  driver.wait(1);
  expect(sent(driver).at(-1)).toBe('disconnect nothing received for 3636 s, TestRequest(1) unanswered');
});

/** A machine with late time, as after its virtual machine was suspended. */
function suspend(driver: MachineDriver, ms: number): void {
  driver.now += ms;
  driver.input({ kind: 'tick' });
}

test('C1 asks a counterparty again that was being asked during a standstill', () => {
  const driver = loggedOn();
  driver.wait(40_000);
  expect(sent(driver)).toEqual(['A', '0', '1']);
  suspend(driver, 300_000);
  expect(sent(driver)).toEqual(['A', '0', '1', '1']);
  expect(driver.notes.join()).toContain('this process stood still, or its clock was set forward: at least 274 s');
  driver.wait(35_999);
  expect(sent(driver).join()).not.toContain('disconnect');
  driver.wait(1);
  expect(sent(driver).at(-1)).toMatch(/^disconnect nothing received for 376 s/);
});

test('a gap that was asked for is waited for anew when the process stood still', () => {
  const driver = loggedOn();
  const at = (): string => timestampOf(driver.now, 'FIX.4.4');
  driver.receive(completeFrame('35=D|34=3|11=b|', 'OMS', 'XGATE', 'FIX.4.4', at()));
  expect(sent(driver)).toEqual(['A', '2']);
  suspend(driver, 300_000);
  expect(sent(driver).join()).not.toContain('disconnect');
  driver.receive(completeFrame('35=D|34=2|43=Y|122={0}|11=a|'.replace('{0}', at()), 'OMS', 'XGATE', 'FIX.4.4', at()));
  expect(driver.session.numbers.nextTargetMsgSeqNum).toBe(4);
});

test('continues a resend with a read under way during a standstill', () => {
  const driver = loggedOn();
  driver.holdJournal = true;
  const at = timestampOf(driver.now, 'FIX.4.4');
  driver.receive(completeFrame('35=2|34=2|7=1|16=0|', 'OMS', 'XGATE', 'FIX.4.4', at));
  suspend(driver, 300_000);
  driver.release();
  expect(sent(driver)).toEqual(['A', '4']);
  expect(driver.alarms).toEqual([]);
});

test('an answer to our reset that came while the process stood still is taken', () => {
  const driver = loggedOn();
  const receive = (text: string): void =>
    driver.receive(completeFrame(text, 'OMS', 'XGATE', 'FIX.4.4', timestampOf(driver.now, 'FIX.4.4')));
  const keep = { nextSenderMsgSeqNum: null, nextTargetMsgSeqNum: null };
  driver.input({ kind: 'setNumbers', ...keep, reset: true, within: true, who: 'ann', why: 'agreed' });
  receive('35=0|34=2|112=1-1|');
  expect(sent(driver)).toEqual(['A', '1', 'A']);
  suspend(driver, 300_000);
  receive('35=A|34=1|98=0|108=30|141=Y|');
  expect(sent(driver).join()).not.toMatch(/5|disconnect/);
  expect(driver.session.numbers).toEqual({ series: 2, nextSenderMsgSeqNum: 2, nextTargetMsgSeqNum: 2 });
});

test('a tick that is a little late is no standstill: a silent counterparty is lost', () => {
  const driver = loggedOn();
  driver.wait(71_500);
  driver.now += 1_400;
  driver.input({ kind: 'tick' });
  expect(sent(driver).at(-1)).toMatch(/^disconnect nothing received for 73 s/);
});

test('a standstill over close and reset of the schedule ends the session and restarts at 1', () => {
  const schedule = {
    timeZone: 'UTC',
    windows: [
      { days: [...WEEKDAYS], from: '08:00', to: '09:10', toDay: null },
      { days: [...WEEKDAYS], from: '09:20', to: '17:00', toDay: null },
    ],
    holidays: [],
    resets: [{ days: [...WEEKDAYS], at: '09:15' }],
  };
  const driver = loggedOn({ config: { schedule } });
  suspend(driver, 25 * 60_000);
  expect(sent(driver)).toEqual(['A', '5']);
  driver.cut();
  expect(driver.session.numbers).toEqual({ series: 2, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 });
});

test.each([
  [-200_000, 'SendingTime(52) is 200 s ahead of the clock here, 120 s are allowed'],
  [300_000, 'SendingTime(52) is 300 s behind the clock here, 120 s are allowed'],
])('the log says how far a counterparty and a clock that jumped by %i ms are apart', (jumpMs, note) => {
  const driver = loggedOn();
  const at = timestampOf(driver.now, 'FIX.4.4');
  driver.now += jumpMs;
  driver.receive(completeFrame('35=0|34=2|', 'OMS', 'XGATE', 'FIX.4.4', at));
  expect(driver.notes).toContain(note);
  expect(sent(driver).slice(0, 3)).toEqual(['A', '3', '5']);
});

test('reports a clock set forward also when the schedule closes or resets the session for it', () => {
  for (const change of [
    { windows: [{ days: WEEKDAYS, from: '06:00', to: '09:10', toDay: null }] },
    { resets: [{ days: WEEKDAYS, at: '09:10' }] },
  ]) {
    const schedule = { timeZone: 'UTC', windows: [], holidays: [], resets: [], ...change };
    const driver = loggedOn({ config: { schedule } });
    suspend(driver, HOUR_MS);
    expect(sent(driver)).toEqual(['A', '5']);
    expect(driver.notes.join()).toContain('this process stood still, or its clock was set forward: at least 3570 s');
    // In time it is no news.
    const punctual = loggedOn({ config: { schedule } });
    punctual.wait(600_000);
    expect(punctual.notes.join()).not.toContain('stood still');
  }
});
