// Session test case 1B: an initiator connects and sends Logon(A).

import { expect } from 'vitest';
import { testInEveryVersion } from '../../support/session/every-version.ts';

const initiator = { role: 'initiator', username: 'desk', logonFields: [[554, 'secret']] } as const;

testInEveryVersion('1B-a, b: once connected the initiator sends Logon', (runScenario) => {
  runScenario(
    `
    connect
    < 35=A|34=1|98=0|108=30|553=desk|554=secret|
  `,
    { config: initiator },
  );
});

testInEveryVersion('1B-c valid Logon answer establishes the session', (runScenario) => {
  runScenario(
    `
    connect
    < 35=A|34=1|98=0|108=30|
    > 35=A|34=1|98=0|108=30|
    up
    numbers 2 2
    app 35=D|11=o-1|
    < 35=D|34=2|11=o-1|
  `,
    { config: { role: 'initiator' } },
  );
});

testInEveryVersion('1B-c Logon answer with MsgSeqNum too high is accepted and the gap is asked for', (runScenario) => {
  runScenario(
    `
    connect
    < 35=A|34=1|98=0|108=30|
    > 35=A|34=5|98=0|108=30|
    < 35=2|34=2|7=1|16=4|
    > 35=4|34=1|43=Y|123=Y|36=5|
    numbers 3 6
  `,
    { config: { role: 'initiator' } },
  );
});

testInEveryVersion('1B-c Logon answer with MsgSeqNum too low ends in Logout that names both numbers', (runScenario) => {
  runScenario(
    `
    connect
    < 35=A|34=4|98=0|108=30|
    > 35=A|34=2|98=0|108=30|
    < 35=5|34=5|58=MsgSeqNum too low, expecting 7 but received 2|
    closed
    numbers 6 7
  `,
    { config: { role: 'initiator' }, numbers: { series: 1, nextSenderMsgSeqNum: 4, nextTargetMsgSeqNum: 7 } },
  );
});

testInEveryVersion('1B-d invalid Logon answer: Logout naming the fault, then disconnect', (runScenario) => {
  runScenario(
    `
    connect
    < 35=A|34=1|98=0|108=30|
    > 35=A|34=1|98=0|108=45|
    < 35=5|34=2|58=HeartBtInt(108)=45 is not the 30 that was sent|
    closed
  `,
    { config: { role: 'initiator' } },
  );
});

testInEveryVersion(
  '1B-d a Logon answer from somebody else: Logout naming the CompID, then disconnect',
  (runScenario) => {
    runScenario(
      `
    connect
    < 35=A|34=1|98=0|108=30|
    > 35=A|34=1|49=OTHER|98=0|108=30|
    < 35=5|34=2|58=CompID problem: SenderCompID(49)|
    closed
  `,
      { config: { role: 'initiator' } },
    );
  },
);

testInEveryVersion('1B-d a Logon answer in another version: Logout naming ours, then disconnect', (runScenario) => {
  runScenario(
    `
    connect
    < 35=A|34=1|98=0|108=30|
    > 8=FIX.9.9|35=A|34=1|98=0|108=30|
    < 35=5|34=2|58=Incorrect BeginString(8): expected FIX.4.4|
    closed
  `,
    { config: { role: 'initiator' } },
  );
});

testInEveryVersion(
  '1B an initiator whose reset was answered goes on in its numbers at its next Logon, and asks for none again',
  (runScenario) => {
    runScenario(
      `
    connect
    < 35=A|34=1|98=0|108=30|
    > 35=A|34=1|98=0|108=30|
    cut
    reset
    connect
    < 35=A|34=1|98=0|108=30|141=Y|
    > 35=A|34=1|98=0|108=30|141=Y|
    app 35=D|11=o-1|
    < 35=D|34=2|11=o-1|
    cut
    connect
    < 35=A|34=3|98=0|108=30|
    > 35=A|34=2|98=0|108=30|
    numbers 4 3
  `,
      { config: { role: 'initiator' } },
    );
  },
  'FIX.4.1',
);

testInEveryVersion('1B-e any message other than Logon: Logout and disconnect', (runScenario) => {
  runScenario(
    `
    connect
    < 35=A|34=1|98=0|108=30|
    > 35=0|34=1|
    < 35=5|34=2|58=first message is not a Logon(A)|
    closed
    numbers 3 1
  `,
    { config: { role: 'initiator' } },
  );
});

testInEveryVersion('1B a refused Logon ends the connection and counts nothing of the counterparty', (runScenario) => {
  runScenario(
    `
    connect
    < 35=A|34=1|98=0|108=30|
    > 35=5|34=1|58=invalid username or password|
    closed
    numbers 2 1
  `,
    { config: { role: 'initiator' } },
  );
});

testInEveryVersion('1B no Logon answer within the time limit: disconnect', (runScenario) => {
  runScenario(
    `
    connect
    < 35=A|34=1|98=0|108=30|
    wait 10
    closed
  `,
    { config: { role: 'initiator' } },
  );
});

testInEveryVersion(
  '1B after a reset of ours the Logon carries ResetSeqNumFlag=Y and expects it back',
  (runScenario) => {
    runScenario(
      `
    reset
    connect
    < 35=A|34=1|98=0|108=30|141=Y|
    > 35=A|34=1|98=0|108=30|141=Y|
    up
    numbers 2 2
  `,
      { config: { role: 'initiator' }, numbers: { series: 1, nextSenderMsgSeqNum: 4, nextTargetMsgSeqNum: 7 } },
    );
  },
  'FIX.4.1',
);

testInEveryVersion(
  '1B-e Reject(3) as the answer: its reason is an alarm, once until the session is logged on, and on the log each time',
  (runScenario) => {
    const again = `
    connect
    < 35=A|34=3|98=0|108=30|
    > 35=3|34=1|45=3|58=SenderCompID is not known here|
    < 35=5|34=4|58=first message is not a Logon(A)|
    closed
    cut
    `;
    const { alarms, notes } = runScenario(
      `
    connect
    < 35=A|34=1|98=0|108=30|
    > 35=3|34=1|45=1|58=SenderCompID is not known here|
    < 35=5|34=2|58=first message is not a Logon(A)|
    closed
    cut
    ${again}
    `,
      { config: { role: 'initiator' } },
    );
    const why = 'Logon(A) rejected by the counterparty: SenderCompID is not known here';
    expect(alarms).toEqual([`logon-refused: ${why}`]);
    expect(notes.filter((text) => text === `session ended: ${why}`)).toHaveLength(2);
  },
);
