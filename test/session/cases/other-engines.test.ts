// Habits of other engines where the specification leaves room, each by the default or by its setting: the behaviours
// behind the acceptance suites of the QuickFIX family.

import { expect, test } from 'vitest';
import { inVersion, testInEveryVersion } from '../../support/session/every-version.ts';
import { runScenario } from '../../support/session/session-machine.ts';

const LOGON = `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
`;
/** The default of the product; the scripts of this folder name an end. */
const OPEN_ENDED = { closedResendRequests: false };

for (const [beginString, all] of [
  ['FIX.4.0', '999999'],
  ['FIX.4.1', '999999'],
  ['FIX.4.2', '0'],
  ['FIX.4.4', '0'],
  ['FIXT.1.1', '0'],
] as const) {
  test(`S12 requests a gap without an end; messages already here come twice and count once (${beginString})`, () => {
    const script = `${LOGON}
      > 35=D|34=4|11=c|
      < 35=2|34=2|7=2|16=${all}|
      > 35=D|34=5|11=d|
      > 35=D|34=2|43=Y|122={0}|11=a|
      delivered 35=D|34=2|11=a|
      > 35=D|34=3|43=Y|122={0}|11=b|
      delivered 35=D|34=3|11=b|
      delivered 35=D|34=4|11=c|
      delivered 35=D|34=5|11=d|
      > 35=D|34=4|43=Y|122={0}|11=c|
      > 35=D|34=5|43=Y|122={0}|11=d|
      numbers 3 6
    `;
    runScenario(inVersion(script, beginString), { config: { beginString, ...OPEN_ENDED } });
  });
}

testInEveryVersion(
  'S12 a request without an end asks once, though more than the queue holds came behind the gap',
  (run) => {
    run(
      `${LOGON}
      > 35=D|34=3|11=b|
      < 35=2|34=2|7=2|16=0|
      > 35=D|34=4|11=c|
      > 35=D|34=5|11=d|
      > 35=D|34=2|43=Y|122={0}|11=a|
      delivered 35=D|34=2|
      delivered 35=D|34=3|
      < 35=2|34=3|7=4|16=0|
      > 35=4|34=4|43=Y|122={0}|123=Y|36=6|
      numbers 4 6
      `,
      { config: { ...OPEN_ENDED, gapQueueMax: 1 } },
    );
  },
  'FIX.4.2',
);

testInEveryVersion('S12 with a chunk a request names its end all the same', (run) => {
  run(
    `${LOGON}
    > 35=D|34=9|11=c|
    < 35=2|34=2|7=2|16=4|
    `,
    { config: { ...OPEN_ENDED, resendRequestChunk: 3 } },
  );
});

for (const msgSeqNum of ['0', '-1', '2147483648']) {
  testInEveryVersion(`S12 SequenceReset in reset mode is taken with MsgSeqNum ${msgSeqNum}`, (run) => {
    run(`${LOGON}
      > 35=4|34=${msgSeqNum}|36=15|
      numbers 2 15
    `);
  });
}

testInEveryVersion('S12 a gap fill with MsgSeqNum 0 ends the session as before', (run) => {
  run(`${LOGON}
    > 35=4|34=0|123=Y|36=15|
    < 35=5|34=2|58=MsgSeqNum(34) malformed|
    closed
  `);
});

testInEveryVersion('S12 a missing CompID is a missing required field, and the session goes on', (run) => {
  run(
    `${LOGON}
    >> 35=0|49=OMS|34=2|52={0}|
    < 35=3|34=2|45=2|371=56|372=0|373=1|58=Required tag missing: TargetCompID(56)|
    >> 35=0|56=XGATE|34=3|52={0}|
    < 35=3|34=3|45=3|371=49|372=0|373=1|58=Required tag missing: SenderCompID(49)|
    numbers 4 4
    `,
    { validator: 'stock' },
  );
});

testInEveryVersion('S12 an empty CompID is an empty required field, also where nothing is validated', (run) => {
  run(
    `${LOGON}
    >> 35=0|49=OMS|56=|34=2|52={0}|
    < 35=3|34=2|45=2|371=56|372=0|373=4|58=Tag specified without a value: TargetCompID(56)|
    > 35=0|34=3|
    numbers 3 4
    `,
    { config: { validateIncoming: false } },
  );
});

testInEveryVersion('S12 a wrong CompID still ends the session', (run) => {
  run(`${LOGON}
    > 35=0|34=2|49=OTHER|
    < 35=3|34=2|45=2|371=49|372=0|373=9|58=CompID problem: SenderCompID(49)|
    < 35=5|34=3|58=CompID problem: SenderCompID(49)|
    closed
  `);
});

testInEveryVersion(
  'where a message came from beyond the session, its Reject goes back to',
  (run) => {
    run(
      `${LOGON}
      > 35=D|34=2|115=FIRM|116=DESK|144=NY|11=|
      < 35=3|34=2|128=FIRM|129=DESK|145=NY|45=2|371=11|372=D|373=4|58=Tag specified without a value: ClOrdID(11)|
      > 35=D|34=3|128=FIRM|129=DESK|145=NY|11=|
      < 35=3|34=3|115=FIRM|116=DESK|144=NY|45=3|371=11|372=D|373=4|58=Tag specified without a value: ClOrdID(11)|
      > 35=D|34=4|115=FIRM|116=|11=a|
      < 35=3|34=4|128=FIRM|45=4|371=116|372=D|373=4|58=Tag specified without a value: OnBehalfOfSubID(116)|
      numbers 5 5
      `,
      { validator: 'stock' },
    );
  },
  'FIX.4.2',
);

testInEveryVersion('with `resetOn: [disconnect]` the Logon after a refused one is answered with MsgSeqNum 1', (run) => {
  run(
    `
    connect
    > 35=A|34=1|98=0|108=999|
    < 35=5|34=1|58=HeartBtInt(108)=999 is outside 1 to 120 seconds|
    closed
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    up
    `,
    { config: { resetOn: ['disconnect'] } },
  );
});

testInEveryVersion('S1 a stranger’s Logon resets nothing by `resetOn: [disconnect]`', (run) => {
  run(
    `
    app 35=8|17=e1|
    connect
    > 35=A|34=1|98=0|108=30|554=wrong|
    < 35=5|34=1|58=invalid username or password|
    closed
    connect
    > 35=A|34=1|98=0|108=30|554=right|
    < 35=A|34=2|98=0|108=30|
    up
    `,
    { config: { resetOn: ['disconnect'] } },
  );
});

testInEveryVersion('a ResendRequest with too low a number ends the session, or is answered by setting', (run) => {
  const script = `${LOGON}
    > 35=1|34=2|112=x|
    < 35=0|34=2|112=x|
    > 35=2|34=2|7=1|16=2|
  `;
  run(`${script}
    < 35=5|34=3|58=MsgSeqNum too low, expecting 3 but received 2|
    closed
  `);
  run(
    `${script}
    < 35=4|34=1|43=Y|122={0}|123=Y|36=3|
    numbers 3 3
    > 35=1|34=2|112=y|
    < 35=5|34=3|58=MsgSeqNum too low, expecting 3 but received 2|
    closed
    `,
    { config: { resendRequestTooLow: 'answer' } },
  );
});

testInEveryVersion('a TestRequest ahead of a gap waits for its turn by setting', (run) => {
  run(
    `${LOGON}
    > 35=1|34=3|112=x|
    < 35=2|34=2|7=2|16=2|
    > 35=1|34=4|112=y|
    > 35=D|34=2|43=Y|122={0}|11=a|
    delivered 35=D|34=2|
    < 35=0|34=3|112=x|
    < 35=0|34=4|112=y|
    numbers 5 5
    `,
    { config: { testRequestAhead: 'wait' } },
  );
});

testInEveryVersion('2-f a Logout follows an OrigSendingTime later than SendingTime by setting', (run) => {
  const script = `${LOGON}
    > 35=D|34=2|11=a|
    delivered 35=D|34=2|
    > 35=D|34=2|43=Y|122={10}|11=a|
    < 35=3|34=2|45=2|371=122|372=D|373=10|58=OrigSendingTime(122) is later than SendingTime(52)|
  `;
  run(`${script}
    > 35=0|34=3|
    numbers 3 4
  `);
  run(
    `${script}
    < 35=5|34=3|58=OrigSendingTime(122) is later than SendingTime(52)|
    > 35=5|34=3|
    closed
    `,
    { config: { origSendingTimeFault: 'logout' } },
  );
});

testInEveryVersion('14-a RefTagID names what stands in the place of a tag', (run) => {
  run(
    `${LOGON}
    >> 35=0|49=OMS|56=XGATE|34=2|52={0}|0=HI|
    < 35=3|34=2|45=2|371=0|372=0|373=0|58=Invalid tag number: a field does not begin with tag and =|
    >> 35=0|49=OMS|56=XGATE|34=3|52={0}|-1=HI|
    < 35=3|34=3|45=3|371=-1|372=0|373=0|58=Invalid tag number: a field does not begin with tag and =|
    >> 35=0|49=OMS|56=XGATE|34=4|52={0}|x=HI|
    < 35=3|34=4|45=4|372=0|373=0|58=Invalid tag number: a field does not begin with tag and =|
    numbers 5 5
    `,
    { validator: 'stock' },
  );
});

testInEveryVersion(
  'a garbled message that has the expected number is rejected and counted by setting',
  (run) => {
    const config = { rejectGarbledMessages: true };
    const driver = run(
      `${LOGON}
      >> 35=D|49=OMS|56=XGATE|34=2|52={0}|11=a|10=000|
      < 35=3|34=2|45=2|372=D|373=99|58=Garbled message: CheckSum(10) differs from the sum of the bytes|
      > 35=D|34=3|11=b|
      delivered 35=D|34=3|
      # not the expected one: ignored
      >> 35=D|49=OMS|56=XGATE|34=9|52={0}|11=c|10=000|
      numbers 3 4
      `,
      { config },
    );
    expect(driver.notes.some((note) => note.startsWith('garbled message ignored'))).toBe(true);
  },
  'FIX.4.4',
);
