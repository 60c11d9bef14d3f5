// Session test case 6: TestRequest(1) is sent to a silent counterparty.

import { expect } from 'vitest';
import { testInEveryVersion } from '../../support/session/every-version.ts';

const SILENCE = `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    wait 30
    < 35=0|34=2|
    wait 6
    < 35=1|34=3|112=1-1|
`;

testInEveryVersion('6 nothing received for 1.2 HeartBtInt: TestRequest; its answer ends the doubt', (runScenario) => {
  const driver = runScenario(`${SILENCE}
    > 35=0|34=2|112=1-1|
    wait 29
  `);
  expect(driver.session.status.testRequestOutstanding).toBe(false);
  expect(driver.session.status.provenMsgSeqNum).toBe(3);
});

testInEveryVersion('6 any message ends the doubt', (runScenario) => {
  runScenario(`${SILENCE}
    > 35=D|34=2|11=a|
    delivered 35=D|
    wait 29
  `);
});

testInEveryVersion('6 silence counts from the Logon, not from the connection before it', (runScenario) => {
  runScenario(`
    connect
    wait 9
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    wait 30
    < 35=0|34=2|
    wait 5
    wait 1
    < 35=1|34=3|112=1-1|
  `);
});

testInEveryVersion('6 one that spoke and did not answer is asked again before it is taken for lost', (runScenario) => {
  runScenario(`${SILENCE}
    > 35=0|34=2|
    wait 30
    < 35=0|34=4|
    wait 6
    < 35=1|34=5|112=1-2|
  `);
});

testInEveryVersion(
  '6 silence for 2.4 HeartBtInt: the counterparty is lost, the connection is closed',
  (runScenario) => {
    const { events } = runScenario(`${SILENCE}
    wait 30
    < 35=0|34=4|
    wait 6
    closed
  `);
    expect(events).toEqual(['loggedOn', 'loggedOff disconnect']);
  },
);
