// Session test case 8: ResendRequest(2) received.

import { testInEveryVersion } from '../../support/session/every-version.ts';

/** Numbers 1 Logon, 2 and 3 reports, 4 Heartbeat, 5 report, 6 Heartbeat. */
const SENT = `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    app 35=8|37=1|17=e1|
    < 35=8|34=2|37=1|17=e1|
    app 35=8|37=1|17=e2|57=TRADER|
    < 35=8|34=3|57=TRADER|37=1|17=e2|
    > 35=1|34=2|112=a|
    < 35=0|34=4|112=a|
    app 35=8|37=1|17=e3|
    < 35=8|34=5|37=1|17=e3|
    > 35=1|34=3|112=b|
    < 35=0|34=6|112=b|
    wait 5
`;

testInEveryVersion(
  '8 the whole sequence: messages as PossDup with OrigSendingTime, session messages as gap fills',
  (runScenario) => {
    runScenario(`${SENT}
    > 35=2|34=4|7=1|16=0|
    < 35=4|34=1|43=Y|122={5}|123=Y|36=2|
    < 35=8|34=2|43=Y|122={0}|37=1|17=e1|
    < 35=8|34=3|57=TRADER|43=Y|122={0}|37=1|17=e2|
    < 35=4|34=4|43=Y|122={5}|123=Y|36=5|
    < 35=8|34=5|43=Y|122={0}|37=1|17=e3|
    < 35=4|34=6|43=Y|122={5}|123=Y|36=7|
    numbers 7 5
  `);
  },
);

testInEveryVersion('8 a closed range is answered exactly', (runScenario) => {
  runScenario(`${SENT}
    > 35=2|34=4|7=3|16=4|
    < 35=8|34=3|57=TRADER|43=Y|122={0}|37=1|17=e2|
    < 35=4|34=4|43=Y|122={5}|123=Y|36=5|
  `);
});

testInEveryVersion('8 one number', (runScenario) => {
  runScenario(`${SENT}
    > 35=2|34=4|7=5|16=5|
    < 35=8|34=5|43=Y|122={0}|37=1|17=e3|
  `);
});

testInEveryVersion(
  '8 the answer is the same however small the chunks are in which the journal is read',
  (runScenario) => {
    runScenario(
      `${SENT}
    > 35=2|34=4|7=1|16=0|
    < 35=4|34=1|43=Y|122={5}|123=Y|36=2|
    < 35=8|34=2|43=Y|122={0}|37=1|17=e1|
    < 35=8|34=3|57=TRADER|43=Y|122={0}|37=1|17=e2|
    < 35=4|34=4|43=Y|122={5}|123=Y|36=5|
    < 35=8|34=5|43=Y|122={0}|37=1|17=e3|
    < 35=4|34=6|43=Y|122={5}|123=Y|36=7|
  `,
      { config: { resendLoadChunk: 1 } },
    );
  },
);

testInEveryVersion('8 a gap fill over several chunks is written once', (runScenario) => {
  runScenario(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=1|34=2|112=a|
    < 35=0|34=2|112=a|
    > 35=1|34=3|112=b|
    < 35=0|34=3|112=b|
    > 35=2|34=4|7=1|16=0|
    < 35=4|34=1|43=Y|122={0}|123=Y|36=4|
  `,
    { config: { resendLoadChunk: 1 } },
  );
});

testInEveryVersion('8 BeginSeqNo that was never sent is rejected', (runScenario) => {
  runScenario(`${SENT}
    > 35=2|34=4|7=7|16=0|
    < 35=3|34=7|45=4|371=7|372=2|373=5|58=BeginSeqNo(7)=7 is not among the numbers sent, 1 to 6|
    numbers 8 5
  `);
});

testInEveryVersion('8 EndSeqNo below BeginSeqNo is rejected', (runScenario) => {
  runScenario(`${SENT}
    > 35=2|34=4|7=5|16=3|
    < 35=3|34=7|45=4|371=16|372=2|373=5|58=EndSeqNo(16)=3 is below BeginSeqNo(7)=5|
  `);
});

testInEveryVersion('S4 8 EndSeqNo as the largest number of 64 bits means all', (runScenario) => {
  for (const largest of ['9223372036854775807', '18446744073709551615']) {
    runScenario(`${SENT}
      > 35=2|34=4|7=5|16=${largest}|
      < 35=8|34=5|43=Y|122={0}|37=1|17=e3|
      < 35=4|34=6|43=Y|122={5}|123=Y|36=7|
    `);
  }
});

testInEveryVersion('8 Reject is repeated in a resend, other session messages are not', (runScenario) => {
  runScenario(`
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=D|34=2|43=Y|11=a|
    < 35=3|34=2|45=2|371=122|372=D|373=1|58=Required tag missing: OrigSendingTime(122)|
    > 35=2|34=3|7=2|16=0|
    < 35=3|34=2|43=Y|122={0}|45=2|371=122|372=D|373=1|58=Required tag missing: OrigSendingTime(122)|
  `);
});
