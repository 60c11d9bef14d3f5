// Session test case 9: synchronising sequence numbers after a failure of either application.

import { testInEveryVersion } from '../../support/session/every-version.ts';

testInEveryVersion(
  '9 after kill -9 both numbers are where they were, and the counterparty gets what it missed',
  (runScenario) => {
    runScenario(`
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=D|34=2|11=a|
    delivered 35=D|
    app 35=8|17=e1|
    < 35=8|34=2|17=e1|
    restart
    app 35=8|17=e2|
    connect
    > 35=A|34=3|98=0|108=30|141=N|
    < 35=A|34=4|98=0|108=30|
    > 35=2|34=4|7=3|16=3|
    < 35=8|34=3|43=Y|122={0}|17=e2|
    numbers 5 5
  `);
  },
);

testInEveryVersion(
  '9 an operator raises the expected number when the counterparty lost its messages for good',
  (runScenario) => {
    const driver = runScenario(
      `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    cut
  `,
    );
    driver.input({
      kind: 'setNumbers',
      nextSenderMsgSeqNum: null,
      nextTargetMsgSeqNum: 100,
      reset: false,
      who: 'operator',
      why: 'agreed by telephone',
    });
    const record = driver.journal.records.findLast(({ kind }) => kind === 'numbers');
    if (record?.kind !== 'numbers' || record.to.nextTargetMsgSeqNum !== 100) throw new Error('not recorded');
  },
);
