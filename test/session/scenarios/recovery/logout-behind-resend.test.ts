// A Logout(5) while a resend of ours is under way, by either side: most engines count any Logout as the message that they wait for,
// and never ask for that again. So it waits for the end of the resend, and for no longer than an answer to it would be waited for.

import { expect, test } from 'vitest';
import { completeFrame, timestampOf } from '../../../support/session/fix-scenario.ts';
import { continueScenario, runScenario } from '../../../support/session/session-machine.ts';

/** Logged on; two reports were sent, and are asked for again of a journal that takes its time. */
const RESENDING = `
  connect
  > 35=A|34=1|98=0|108=30|
  < 35=A|34=1|98=0|108=30|
  app 35=8|17=e1|
  < 35=8|34=2|17=e1|
  app 35=8|17=e2|
  < 35=8|34=3|17=e2|
  hold
  > 35=2|34=2|7=2|16=0|
`;
const RESENT = `
  < 35=8|34=2|43=Y|122={0}|17=e1|
  < 35=8|34=3|43=Y|122={0}|17=e2|
`;

test('S11 our Logout follows the resend and later messages, with the expected number', () => {
  const driver = runScenario(`${RESENDING}
    logout end of day
    app 35=8|17=e3|
    release
    ${RESENT}
    < 35=8|34=4|17=e3|
    < 35=5|34=5|58=end of day|
    > 35=5|34=3|
    closed
  `);
  expect(driver.events).toEqual(['loggedOn', 'loggedOff logout']);
});

test("S11 so does the answer to the counterparty's; the session is off at once and takes no order", () => {
  const driver = runScenario(`${RESENDING}\n> 35=5|34=3|`);
  expect(driver.events).toEqual(['loggedOn', 'loggedOff logout']);
  continueScenario(
    driver,
    `
    > 35=D|34=4|11=late|
    app 35=8|17=e3|150=4|
    release
    ${RESENT}
    < 35=8|34=4|17=e3|150=4|
    < 35=5|34=5|
    cut
    numbers 6 4
  `,
  );
  expect(driver.events).toEqual(['loggedOn', 'loggedOff logout']);
});

test('S10 answers a Logout ahead of a gap after the resend, and is off when the gap is closed', () => {
  const driver = runScenario(`${RESENDING}
    > 35=5|34=4|
    release
    ${RESENT}
    < 35=2|34=4|7=3|16=3|
    < 35=5|34=5|
  `);
  expect(driver.events).toEqual(['loggedOn']);
  continueScenario(driver, '> 35=D|34=3|43=Y|122={0}|11=a|\ndelivered 35=D|34=3|\ncut');
  expect(driver.events).toEqual(['loggedOn', 'loggedOff logout']);
});

test('S10 C1 a gap that closes while the answer still waits for the resend: the session is off at once', () => {
  const driver = runScenario(`
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    app 35=8|17=e1|
    < 35=8|34=2|17=e1|
    app 35=8|17=e2|
    < 35=8|34=3|17=e2|
    > 35=0|34=3|
    < 35=2|34=4|7=2|16=2|
    hold
    > 35=2|34=4|7=2|16=3|
    > 35=5|34=5|
  `);
  expect(driver.events).toEqual(['loggedOn']);
  continueScenario(driver, '> 35=D|34=2|43=Y|122={0}|11=a|\ndelivered 35=D|34=2|');
  expect(driver.events).toEqual(['loggedOn', 'loggedOff logout']);
  continueScenario(driver, `release\n${RESENT}\n< 35=5|34=5|\ncut`);
  expect(driver.events).toEqual(['loggedOn', 'loggedOff logout']);
});

test.each([
  ['ours', 'logout end of day'],
  ['the answer to the counterparty’s', '> 35=5|34=3|'],
])(
  'ends the connection without %s if the resend exceeds logoutTimeoutMs: the rest is re-requested',
  (_whose, logout) => {
    const driver = runScenario(
      `${RESENDING}
    ${logout}
    wait 4.9
    wait 0.1
    closed
    release
    numbers 4 ${logout.startsWith('>') ? 4 : 3}
  `,
      { config: { logoutTimeoutMs: 5000 } },
    );
    expect(driver.events).toEqual(['loggedOn', 'loggedOff logout']);
  },
);

test('a second Logout of the counterparty does not prolong the time that the first one waits', () => {
  runScenario(
    `${RESENDING}
    > 35=5|34=3|
    wait 4
    > 35=5|34=4|
    wait 1
    closed
  `,
    { config: { logoutTimeoutMs: 5000 } },
  );
});

test("C1 our waiting Logout is not the counterparty's: a lost connection ends the session", () => {
  const driver = runScenario(`${RESENDING}
    logout end of day
    app 35=8|17=e3|
  `);
  expect(driver.events).toEqual(['loggedOn']);
  driver.cut();
  expect(driver.events).toEqual(['loggedOn', 'loggedOff disconnect']);
});

test('S11 at the limit of numbers ours waits for the end of the resend too, and says why', () => {
  runScenario(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=9007|98=0|108=30|1409=0|
    < 35=B|34=9008|57=ADMIN|148=Sequence number threshold: MsgSeqNum(34) is near the limit 9012: log on again with ResetSeqNumFlag(141)=Y|
    app 35=8|17=e1|
    < 35=8|34=9009|17=e1|
    hold
    > 35=2|34=2|7=9009|16=0|
    app 35=8|17=e2|
    app 35=8|17=e3|
    release
    < 35=8|34=9009|43=Y|122={0}|17=e1|
    < 35=8|34=9010|17=e2|
    < 35=8|34=9011|17=e3|
    < 35=5|34=9012|1409=101|58=MsgSeqNum(34) has reached the limit 9012|
  `,
    {
      config: { seqNumMax: 9_012, sendsSessionStatus: true },
      numbers: { series: 1, nextSenderMsgSeqNum: 9_007, nextTargetMsgSeqNum: 1 },
    },
  );
});

test('a counterparty that closes while the answer to its Logout waits has logged out, and was not cut off', () => {
  const driver = runScenario(`${RESENDING}
    > 35=5|34=4|
    cut
  `);
  expect(driver.events).toEqual(['loggedOn', 'loggedOff logout']);
});

test("names the Logout's Text(58), and the side that kept its Logout waiting, as the end's reason", () => {
  const reason = (steps: string, message: string | null): unknown[] => {
    const driver = runScenario(steps, { config: { logoutTimeoutMs: 5000 } });
    const { targetCompID, senderCompID, beginString } = driver.config;
    const at = timestampOf(driver.now, beginString);
    if (message === null) driver.wait(5000);
    else driver.receive(completeFrame(message, targetCompID, senderCompID, beginString, at));
    return driver.outcomes.splice(0).map((outcome) => (outcome.kind === 'disconnect' ? outcome.reason : outcome.kind));
  };
  const ours = 'connect\n> 35=A|34=1|98=0|108=30|\n< 35=A|34=1|98=0|108=30|\nlogout end\n< 35=5|34=2|58=end|';
  expect(reason(ours, '35=5|34=2|')).toEqual(['Logout(5) answered']);
  expect(reason(ours, '35=5|34=2|58=bye|')).toEqual(['Logout(5) answered: bye']);
  const late = 'the resend took longer than a Logout(5) may wait';
  expect(reason(`${RESENDING}\nlogout`, null)).toEqual([late]);
  expect(reason(`${RESENDING}\nlogout end of day`, null)).toEqual([`end of day; ${late}`]);
  expect(reason(`${RESENDING}\n> 35=5|34=3|`, null)).toEqual([`Logout(5) received, and ${late}`]);
});

test('answers two Logouts of one resend once; a fault meanwhile ends the connection at once', () => {
  runScenario(`${RESENDING}
    logout end of day
    > 35=5|34=3|
    release
    ${RESENT}
    < 35=5|34=4|
  `);
  runScenario(`${RESENDING}
    logout end of day
    > 35=0|34=1|
    closed
    numbers 4 3
  `);
});

test('one that waited when the connection was cut is not said on the next one', () => {
  const { events } = runScenario(`${RESENDING}
    logout end of day
    cut
    release
    connect
    > 35=A|34=3|98=0|108=30|
    < 35=A|34=4|98=0|108=30|
    > 35=1|34=4|112=x|
    < 35=0|34=5|112=x|
  `);
  expect(events).toEqual(['loggedOn', 'loggedOff disconnect', 'loggedOn']);
});

test('a counterparty that begins again in the middle of a resend gets nothing of it under the new numbers', () => {
  runScenario(
    `${RESENDING}
    > 35=A|34=1|98=0|108=30|141=Y|
    < 35=A|34=1|98=0|108=30|141=Y|
    release
    > 35=1|34=2|112=x|
    < 35=0|34=2|112=x|
    numbers 3 3
  `,
    { config: { repeatUnprovenReports: false } },
  );
});

test('C1 S7 reports a leaving session at once, before its waiting Logout or one ahead of a gap', () => {
  const driver = runScenario(`${RESENDING}\nlogout disabled`);
  expect(driver.leavings).toEqual(['us']);
  continueScenario(driver, `release\n${RESENT}\n< 35=5|34=4|58=disabled|`);
  expect(driver.leavings).toEqual(['us']);
  continueScenario(driver, 'logout once more');
  expect(driver.leavings).toEqual(['us']);

  const ahead = runScenario(`
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=5|34=3|
    < 35=5|34=2|
    < 35=2|34=3|7=2|16=2|
  `);
  expect([ahead.leavings, ahead.events]).toEqual([['counterparty'], ['loggedOn']]);
  continueScenario(ahead, 'logout disabled');
  expect([ahead.leavings, ahead.events]).toEqual([['counterparty', 'us'], ['loggedOn']]);

  const both = runScenario(`${RESENDING}\n> 35=5|34=4|\nlogout disabled`);
  expect([both.leavings, both.events]).toEqual([['counterparty', 'us'], ['loggedOn']]);

  const left = runScenario(`${RESENDING}\n> 35=5|34=3|\nlogout disabled`);
  expect([left.leavings, left.events]).toEqual([['counterparty'], ['loggedOn', 'loggedOff logout']]);
});

test('C1 a Logout of an earlier connection in a resend ends nothing', () => {
  const numbers = { series: 1, nextSenderMsgSeqNum: 5, nextTargetMsgSeqNum: 7 };
  const recovering = `
    connect
    > 35=A|34=10|98=0|108=30|
    < 35=A|34=5|98=0|108=30|
    < 35=2|34=6|7=7|16=9|
  `;
  const driver = runScenario(
    `${recovering}
    > 35=5|34=8|43=Y|122=20260105-08:00:00|
    > 35=D|34=7|43=Y|122=20260105-08:59:59|11=a|
    delivered 35=D|34=7|
    > 35=4|34=9|43=Y|122=20260105-08:59:59|123=Y|36=10|
    > 35=D|34=11|11=b|
    delivered 35=D|34=11|
    numbers 7 12
  `,
    { numbers },
  );
  expect([driver.events, driver.leavings]).toEqual([['loggedOn'], []]);
  // Nor is it the answer to ours. One that is of this connection ends the session, as ever.
  continueScenario(
    driver,
    `
    > 35=0|34=13|
    < 35=2|34=7|7=12|16=12|
    > 35=5|34=12|43=Y|122=20260105-09:00:00|
    < 35=5|34=8|
  `,
  );
  const leaving = runScenario(
    `${recovering}
    logout bye
    < 35=5|34=7|58=bye|
    > 35=5|34=7|43=Y|122=20260105-08:00:00|
    > 35=5|34=11|
    closed
  `,
    { numbers },
  );
  expect(leaving.events).toEqual(['loggedOn', 'loggedOff logout']);
});

test("after a reset within the session no Logout counts as an earlier connection's", () => {
  const driver = runScenario(
    `
    connect
    > 35=A|34=10|98=0|108=30|
    < 35=A|34=5|98=0|108=30|
    > 35=A|34=1|98=0|108=30|141=Y|
    < 35=A|34=1|98=0|108=30|141=Y|
    > 35=0|34=3|
    < 35=2|34=2|7=2|16=2|
    > 35=5|34=2|43=Y|122=20260105-09:00:00|
    < 35=5|34=3|
  `,
    { numbers: { series: 1, nextSenderMsgSeqNum: 5, nextTargetMsgSeqNum: 10 } },
  );
  expect(driver.events).toEqual(['loggedOn', 'loggedOff logout']);
});
