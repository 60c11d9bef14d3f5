// A clock that is set under a session that is logged on, and a process that stands still.

import { expect, test } from 'vitest';
import { completeFrame, timestampOf } from '../support/fix-scenario.ts';
import { MachineDriver } from '../support/session-machine.ts';

const HOUR_MS = 3_600_000;

function loggedOn(): MachineDriver {
  const driver = new MachineDriver();
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

test('a session whose clock is set back by an hour sends its Heartbeat(0) in time, and finds out that nobody is there', () => {
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

test('a Logon(A) that does not come is waited for no longer because the clock is set back', () => {
  const driver = new MachineDriver();
  driver.connect();
  driver.now -= HOUR_MS;
  driver.input({ kind: 'tick' });
  driver.wait(10_000);
  expect(sent(driver)).toEqual(['disconnect no Logon(A) within the time limit']);
});

test('C1 a session whose clock is set forward, or whose process stood still, asks before it takes the counterparty for lost', () => {
  const driver = loggedOn();
  driver.now += HOUR_MS;
  driver.wait(35_999);
  expect(sent(driver).slice(0, 3)).toEqual(['A', '1', '0']);
  expect(driver.connected).toBe(true);
  expect(sent(driver).join()).not.toContain('disconnect');
  driver.wait(1);
  expect(sent(driver).at(-1)).toBe('disconnect nothing received for 3636 s, TestRequest(1) unanswered');
});
