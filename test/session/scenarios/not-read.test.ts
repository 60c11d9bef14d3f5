// A counterparty that is not read for a while, because the library's user is behind: its messages go unheard, and its
// silence is ours.

import { expect, test } from 'vitest';
import { testInEveryVersion } from '../../support/session/every-version.ts';
import { continueScenario, type MachineDriver, runScenario } from '../../support/session/session-machine.ts';

const LOGGED_ON = `
  connect
  > 35=A|34=1|98=0|108=30|
  < 35=A|34=1|98=0|108=30|
  up
`;

const read = (driver: MachineDriver, isRead: boolean): void => driver.input({ kind: 'reading', isRead });

testInEveryVersion('it is neither tested nor taken for lost, hears our heartbeats, and has its time anew', (run) => {
  const driver = run(LOGGED_ON);
  read(driver, false);
  continueScenario(
    driver,
    `wait 30
    < 35=0|34=2|
    wait 30
    < 35=0|34=3|
    wait 30
    < 35=0|34=4|`,
  );
  read(driver, true);
  continueScenario(
    driver,
    `wait 30
    < 35=0|34=5|
    wait 6
    < 35=1|34=6|112=1-1|
    wait 30
    < 35=0|34=7|
    wait 6
    closed
    down disconnect`,
  );
});

testInEveryVersion(
  'that the last one was not read says nothing of the next connection: it has its time for the Logon, and no more',
  (run) => {
    const driver = run(`${LOGGED_ON}
    cut
    down
  `);
    read(driver, false);
    continueScenario(
      driver,
      `connect
    wait 10
    closed`,
    );
  },
);

testInEveryVersion('the answer to a ResendRequest(2) of ours may wait there, and is waited for anew', (run) => {
  const driver = run(`${LOGGED_ON}
    > 35=0|34=3|
    < 35=2|34=2|7=2|16=2|
  `);
  read(driver, false);
  continueScenario(
    driver,
    `wait 30
    < 35=0|34=3|
    wait 30
    < 35=0|34=4|
    wait 30
    < 35=0|34=5|`,
  );
  read(driver, true);
  continueScenario(
    driver,
    `wait 30
    < 35=0|34=6|
    > 35=4|34=2|43=Y|122={0}|123=Y|36=3|
    numbers 7 4`,
  );
  expect(driver.session.loggedOn).toBe(true);
});

test('a Logon answered while the peer was not read is no failure', () => {
  const driver = runScenario(
    `
    connect
    < 35=A|34=1|98=0|108=30|`,
    { config: { role: 'initiator', senderCompID: 'OMS', targetCompID: 'XGATE' } },
  );
  read(driver, false);
  continueScenario(driver, 'wait 60');
  read(driver, true);
  continueScenario(
    driver,
    `wait 9
    > 35=A|34=1|98=0|108=30|
    up`,
  );
});

test('nor is one that has not been answered yet: its answer has its time anew, and no more', () => {
  const driver = runScenario(
    `
    connect
    < 35=A|34=1|98=0|108=30|`,
    { config: { role: 'initiator', senderCompID: 'OMS', targetCompID: 'XGATE' } },
  );
  read(driver, false);
  continueScenario(driver, 'wait 60');
  read(driver, true);
  continueScenario(driver, 'wait 9');
  expect(driver.session.status.state).toBe('logonSent');
  continueScenario(
    driver,
    `wait 1
    closed`,
  );
});

test('the next connection is read', () => {
  const driver = runScenario(LOGGED_ON);
  read(driver, false);
  continueScenario(
    driver,
    `cut
    down disconnect
    connect
    > 35=A|34=2|98=0|108=30|
    < 35=A|34=2|98=0|108=30|
    up
    wait 30
    < 35=0|34=3|
    wait 6
    < 35=1|34=4|112=1-1|`,
  );
});

testInEveryVersion(
  'that it misses nothing, which a reset of ours waits for, may wait there, and is waited for anew',
  (run) => {
    const driver = run(`${LOGGED_ON}
      reset within
      < 35=1|34=2|112=1-1|
    `);
    read(driver, false);
    continueScenario(
      driver,
      `wait 30
      < 35=0|34=3|
      wait 30
      < 35=0|34=4|
      wait 29`,
    );
    read(driver, true);
    const appl = driver.session.config.beginString === 'FIXT.1.1' ? '1137=9|' : '';
    continueScenario(driver, `> 35=0|34=2|112=1-1|\n< 35=A|34=1|98=0|108=30|141=Y|${appl}`);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'the answer to our Logon(A) 141=Y may wait there, and is waited for anew',
  (run) => {
    const driver = run(`${LOGGED_ON}
      reset within
      < 35=1|34=2|112=1-1|
      > 35=0|34=2|112=1-1|
      < 35=A|34=1|98=0|108=30|141=Y|
    `);
    read(driver, false);
    expect(driver.session.deadline()).toBeNull();
    continueScenario(driver, 'wait 60');
    read(driver, true);
    continueScenario(
      driver,
      `wait 9
      wait 1
      < 35=5|34=2|58=Logon(A) with ResetSeqNumFlag(141)=Y was not answered in time|
      closed`,
    );
  },
  'FIX.4.1',
);
