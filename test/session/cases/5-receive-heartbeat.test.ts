// Session test case 5: Heartbeat(0) received.

import { expect } from 'vitest';
import { testInEveryVersion } from '../../support/session/every-version.ts';

testInEveryVersion('5 a valid Heartbeat is counted, keeps the session alive and answers nothing', (runScenario) => {
  const driver = runScenario(`
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    wait 29
    > 35=0|34=2|
    wait 1
    < 35=0|34=2|
    wait 29
    > 35=0|34=3|
    numbers 3 4
  `);
  expect(driver.session.status.state).toBe('loggedOn');
});

testInEveryVersion('5 a Heartbeat with a TestReqID that nobody asked for is an ordinary Heartbeat', (runScenario) => {
  const driver = runScenario(`
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=0|34=2|112=unknown|
    numbers 2 3
  `);
  expect(driver.session.status.provenMsgSeqNum).toBe(0);
});
