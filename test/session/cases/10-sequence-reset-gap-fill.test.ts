// Session test case 10: SequenceReset(4) with GapFillFlag(123)=Y received.

import { testInEveryVersion } from '../../support/session/every-version.ts';

const LOGON = `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
`;

testInEveryVersion(
  '10-a MsgSeqNum too high: the gap before it is asked for, then the gap fill counts',
  (runScenario) => {
    runScenario(`${LOGON}
    > 35=4|34=4|123=Y|36=7|
    < 35=2|34=2|7=2|16=3|
    > 35=4|34=2|43=Y|122={0}|123=Y|36=4|
    numbers 3 7
  `);
  },
);

testInEveryVersion('10-b MsgSeqNum as expected: the next number expected is NewSeqNo', (runScenario) => {
  runScenario(`${LOGON}
    > 35=4|34=2|123=Y|36=20|
    numbers 2 20
    > 35=D|34=20|11=a|
    delivered 35=D|34=20|
  `);
});

testInEveryVersion('10-c MsgSeqNum too low with PossDupFlag: ignored', (runScenario) => {
  runScenario(`${LOGON}
    > 35=0|34=2|
    > 35=4|34=1|43=Y|122={0}|123=Y|36=9|
    numbers 2 3
  `);
});

testInEveryVersion('10-d MsgSeqNum too low without PossDupFlag: Logout, disconnect', (runScenario) => {
  runScenario(`${LOGON}
    > 35=0|34=2|
    > 35=4|34=1|123=Y|36=9|
    < 35=5|34=2|58=MsgSeqNum too low, expecting 3 but received 1|
    closed
  `);
});

testInEveryVersion(
  '10-e NewSeqNo not above MsgSeqNum: rejected, and counted so that it is not asked for for ever',
  (runScenario) => {
    runScenario(`${LOGON}
    > 35=4|34=2|123=Y|36=2|
    < 35=3|34=2|45=2|371=36|372=4|373=5|58=Attempt to lower sequence number, invalid value NewSeqNo(36)=2|
    numbers 3 3
    > 35=4|34=3|123=Y|36=1|
    < 35=3|34=3|45=3|371=36|372=4|373=5|58=Attempt to lower sequence number, invalid value NewSeqNo(36)=1|
    numbers 4 4
  `);
  },
);

testInEveryVersion('10 NewSeqNo missing is rejected', (runScenario) => {
  runScenario(`${LOGON}
    > 35=4|34=2|123=Y|
    < 35=3|34=2|45=2|371=36|372=4|373=1|58=Required tag missing: NewSeqNo(36)|
    numbers 3 3
  `);
});

testInEveryVersion('10 a gap fill that reaches over live messages does not undo them', (runScenario) => {
  runScenario(`${LOGON}
    > 35=D|34=4|11=c|
    < 35=2|34=2|7=2|16=3|
    > 35=0|34=5|
    > 35=D|34=6|11=d|
    > 35=4|34=2|43=Y|122={0}|123=Y|36=8|
    delivered 35=D|34=4|
    delivered 35=D|34=6|
    numbers 3 8
  `);
});
