// Session test case 12: we begin the Logout(5).

import { expect } from 'vitest';
import { testInEveryVersion } from '../../support/session/every-version.ts';

const LOGOUT = `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    logout end of day
    < 35=5|34=2|58=end of day|
`;

testInEveryVersion('12 our Logout is answered: the connection is closed by us', (runScenario) => {
  const { events } = runScenario(`${LOGOUT}
    > 35=5|34=2|
    closed
    numbers 3 3
  `);
  expect(events).toEqual(['loggedOn', 'loggedOff logout']);
});

testInEveryVersion('12 no answer within the time limit: disconnect', (runScenario) => {
  const { events } = runScenario(`${LOGOUT}
    wait 5
    closed
  `);
  expect(events).toEqual(['loggedOn', 'loggedOff logout']);
});

testInEveryVersion('12 messages and ResendRequests on their way are served until the answer comes', (runScenario) => {
  runScenario(`${LOGOUT}
    > 35=D|34=2|11=a|
    delivered 35=D|
    > 35=2|34=3|7=1|16=0|
    < 35=4|34=1|43=Y|122={0}|123=Y|36=3|
    > 35=5|34=4|
    closed
  `);
});

testInEveryVersion('12 what the application sends after our Logout waits for the next session', (runScenario) => {
  runScenario(`${LOGOUT}
    app 35=8|17=e1|
    > 35=5|34=2|
    closed
    connect
    > 35=A|34=3|98=0|108=30|
    < 35=A|34=4|98=0|108=30|
    > 35=2|34=4|7=3|16=3|
    < 35=8|34=3|43=Y|122={0}|17=e1|
  `);
});

testInEveryVersion('12 SessionStatus 4 tells that the logout is complete, where configured', (runScenario) => {
  runScenario(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|1409=0|
    logout end of day
    < 35=5|34=2|1409=4|58=end of day|
  `,
    { config: { sendsSessionStatus: true } },
  );
});

testInEveryVersion('12 logout before the Logon: the connection is closed without a message', (runScenario) => {
  runScenario(`
    connect
    logout shutdown
    closed
  `);
});

testInEveryVersion(
  '12 an initiator that is to log out before its Logon is answered closes the connection',
  (runScenario) => {
    runScenario(
      `
    connect
    < 35=A|34=1|98=0|108=30|
    logout
    closed
  `,
      { config: { role: 'initiator' } },
    );
  },
);
