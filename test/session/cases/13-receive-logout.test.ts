// Session test case 13: Logout(5) received.

import { expect } from 'vitest';
import { testInEveryVersion } from '../../support/session/every-version.ts';

const LOGOUT = `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=5|34=2|
    < 35=5|34=2|
`;

testInEveryVersion('13-a unsolicited Logout is answered; the counterparty closes', (runScenario) => {
  const { events } = runScenario(`${LOGOUT}
    numbers 3 3
    cut
  `);
  expect(events).toEqual(['loggedOn', 'loggedOff logout']);
});

testInEveryVersion('13-a the session counts as logged off as soon as the Logout is answered', (runScenario) => {
  expect(runScenario(LOGOUT).events).toEqual(['loggedOn', 'loggedOff logout']);
});

testInEveryVersion(
  '13-a a second Logout is neither answered nor taken for the end of the connection',
  (runScenario) => {
    runScenario(`${LOGOUT}
    > 35=5|34=3|
    wait 4.9
    wait 0.1
    closed
  `);
  },
);

testInEveryVersion('13-a the counterparty does not close: we do after the time limit', (runScenario) => {
  runScenario(`${LOGOUT}
    wait 5
    closed
  `);
});

testInEveryVersion('13-a an order behind the Logout is neither taken nor counted', (runScenario) => {
  runScenario(`${LOGOUT}
    > 35=D|34=3|11=late|
    numbers 3 3
  `);
});

testInEveryVersion('13-a what such an order leaves missing is asked for after the next Logon only', (runScenario) => {
  runScenario(`${LOGOUT}
    > 35=D|34=3|11=late|
    > 35=0|34=4|
    > 35=1|34=5|112=there|
    < 35=0|34=3|112=there|
    numbers 4 3
    cut
    connect
    > 35=A|34=6|98=0|108=30|
    < 35=A|34=4|98=0|108=30|
    < 35=2|34=5|7=3|16=5|
  `);
});

testInEveryVersion('13-a reports made after the Logout wait for the next session', (runScenario) => {
  runScenario(`${LOGOUT}
    app 35=8|17=e1|
    cut
    connect
    > 35=A|34=3|98=0|108=30|
    < 35=A|34=4|98=0|108=30|
    > 35=2|34=4|7=3|16=3|
    < 35=8|34=3|43=Y|122={0}|17=e1|
  `);
});

testInEveryVersion('13-b solicited Logout ends the connection', (runScenario) => {
  runScenario(`
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    logout bye
    < 35=5|34=2|58=bye|
    > 35=5|34=2|58=bye too|
    closed
    numbers 3 3
  `);
});

testInEveryVersion(
  '13-a a Logout that is no PossDup is answered, though its number is below that of the Logon',
  (run) => {
    run(`
    connect
    > 35=A|34=3|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    < 35=2|34=2|7=1|16=2|
    > 35=5|34=1|
    < 35=5|34=3|
  `);
  },
);

testInEveryVersion('13-a a session message behind the Logout is counted, unlike an order', (run) => {
  run(`
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=5|34=2|
    < 35=5|34=2|
    > 35=0|34=3|
    numbers 3 4
  `);
});
