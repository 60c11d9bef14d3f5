// Session test case 1S: an acceptor receives Logon(A).

import { expect, test } from 'vitest';
import { testInEveryVersion } from '../../support/session/every-version.ts';
import { runScenario } from '../../support/session/session-machine.ts';

testInEveryVersion('1S-a valid Logon is answered with Logon', (runScenario) => {
  const { events } = runScenario(`
    connect
    > 35=A|34=1|98=0|108=30|553=desk|554=secret|
    < 35=A|34=1|98=0|108=30|
    numbers 2 2
  `);
  expect(events).toEqual(['loggedOn']);
});

testInEveryVersion('1S-a HeartBtInt of the counterparty is taken over and comes back', (runScenario) => {
  const driver = runScenario(`
    connect
    > 35=A|34=1|98=0|108=7|
    < 35=A|34=1|98=0|108=7|
    wait 7
    < 35=0|34=2|
  `);
  expect(driver.session.status.heartBtIntS).toBe(7);
});

testInEveryVersion('1S-a Logon with MsgSeqNum too high is answered first, then the gap is asked for', (runScenario) => {
  runScenario(`
    connect
    > 35=A|34=4|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    < 35=2|34=2|7=1|16=3|
    > 35=D|34=1|43=Y|122={-60}|11=a|
    delivered 35=D|34=1|
    > 35=4|34=2|43=Y|122={0}|123=Y|36=4|
    numbers 3 5
    > 35=D|34=5|11=b|
    delivered 35=D|34=5|
  `);
});

testInEveryVersion('1S-a Logon with MsgSeqNum too low is refused with both numbers', (runScenario) => {
  runScenario(
    `
    connect
    > 35=A|34=6|98=0|108=30|
    < 35=5|34=10|58=MsgSeqNum too low, expecting 7 but received 6|
    closed
    numbers 11 7
  `,
    { numbers: { series: 1, nextSenderMsgSeqNum: 10, nextTargetMsgSeqNum: 7 } },
  );
});

testInEveryVersion(
  '1S-a SessionStatus goes into the answer where the session is configured so, and no Text beside it',
  (runScenario) => {
    runScenario(
      `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|1409=0|
  `,
      { config: { sendsSessionStatus: true, logonText: 'simulated exchange' } },
    );
  },
);

test('1S-a Text goes into the answer of FIXT.1.1', () => {
  runScenario(
    `
    connect
    > 35=A|34=1|98=0|108=30|1137=9|
    < 35=A|34=1|98=0|108=30|1137=9|58=simulated exchange|
  `,
    { config: { beginString: 'FIXT.1.1', logonText: 'simulated exchange' } },
  );
});

test('1S-a Text stays out of a Logon that the stock FIX.4.4 dictionary would reject for it', () => {
  runScenario(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
  `,
    { config: { logonText: 'simulated exchange' } },
  );
});

testInEveryVersion('1S-b second Logon of a live session is counted and not answered', (runScenario) => {
  runScenario(`
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=A|34=2|98=0|108=30|
    numbers 2 3
    > 35=1|34=3|112=still-here|
    < 35=0|34=2|112=still-here|
  `);
});

testInEveryVersion(
  '1S-c Logon that is not authenticated: Logout that consumes no number, then disconnect',
  (runScenario) => {
    const { journal } = runScenario(
      `
    connect
    > 35=A|34=1|98=0|108=30|553=desk|554=wrong|
    < 35=5|34=1|1409=5|58=invalid username or password|
    closed
    numbers 5 1
  `,
      { config: { sendsSessionStatus: true }, numbers: { series: 1, nextSenderMsgSeqNum: 5, nextTargetMsgSeqNum: 1 } },
    );
    expect(journal.records.map(({ kind }) => kind)).toEqual(['unsequenced', 'unsequenced']);
  },
);

for (const [fault, logon, text] of [
  ['EncryptMethod', '98=1|108=30|', 'EncryptMethod(98) must be 0'],
  ['HeartBtInt missing', '98=0|', 'HeartBtInt(108) missing or malformed'],
  ['HeartBtInt malformed', '98=0|108=abc|', 'HeartBtInt(108) missing or malformed'],
  ['HeartBtInt negative', '98=0|108=-30|', 'HeartBtInt(108)=-30 is outside 1 to 120 seconds'],
  ['SendingTime malformed', '52=yesterday|98=0|108=30|', 'SendingTime(52) missing or malformed'],
  [
    'SendingTime far off',
    '52={300}|98=0|108=30|',
    'SendingTime accuracy problem: SendingTime(52) is 300 s ahead of the clock here, 120 s are allowed',
  ],
  ['PossDup without OrigSendingTime (2-g)', '43=Y|98=0|108=30|', 'Required tag missing: OrigSendingTime(122)'],
  [
    'PossDup sent before it was first sent (2-f)',
    '43=Y|122={9}|98=0|108=30|',
    'OrigSendingTime(122) is later than SendingTime(52)',
  ],
] as const) {
  testInEveryVersion(`1S-d invalid Logon, ${fault}: Logout with the reason, then disconnect`, (runScenario) => {
    runScenario(`
      connect
      > 35=A|34=1|${logon}
      < 35=5|34=1|58=${text}|
      closed
      numbers 2 1
    `);
  });
}

testInEveryVersion('1S-d Logon without MsgSeqNum: Logout and disconnect', (runScenario) => {
  runScenario(`
    connect
    >> 35=A|49=OMS|56=XGATE|52={0}|98=0|108=30|
    < 35=5|34=1|58=MsgSeqNum(34) missing or malformed|
    closed
  `);
});

testInEveryVersion('1S no Logon within the time limit: disconnect without a message', (runScenario) => {
  runScenario(`
    connect
    wait 9.999
    wait 0.001
    closed
  `);
});

testInEveryVersion(
  '1S-d NextExpectedMsgSeqNum that was never reached: Logout with both numbers, then disconnect',
  (runScenario) => {
    runScenario(`
      connect
      > 35=A|34=1|98=0|108=30|789=9|
      < 35=5|34=1|58=NextExpectedMsgSeqNum(789)=9 is above the next number 1|
      closed
      numbers 2 1
    `);
  },
  'FIX.4.4',
);
