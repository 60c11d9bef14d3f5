// Session test case 13: Logout(5) received.

import { expect, test } from 'vitest';
import { runScenario } from '../../support/session-machine.ts';

const LOGOUT = `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=5|34=2|
    < 35=5|34=2|
`;

test('13-a unsolicited Logout is answered; the counterparty closes', () => {
  const { events } = runScenario(`${LOGOUT}
    numbers 3 3
    cut
  `);
  expect(events).toEqual(['loggedOn', 'loggedOff logout']);
});

test('13-a the session counts as logged off as soon as the Logout is answered', () => {
  expect(runScenario(LOGOUT).events).toEqual(['loggedOn', 'loggedOff logout']);
});

test('13-a the counterparty does not close: we do after the time limit', () => {
  runScenario(`${LOGOUT}
    wait 5
    closed
  `);
});

test('13-a an order behind the Logout is neither taken nor counted', () => {
  runScenario(`${LOGOUT}
    > 35=D|34=3|11=late|
    numbers 3 3
  `);
});

test('13-a reports made after the Logout wait for the next session', () => {
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

test('13-b solicited Logout ends the connection', () => {
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
