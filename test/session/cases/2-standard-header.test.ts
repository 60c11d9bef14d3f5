// Session test case 2: the standard header of a received message.

import { testInEveryVersion } from '../../support/session/every-version.ts';

const LOGON = `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
`;

testInEveryVersion('2-a MsgSeqNum as expected is accepted', (runScenario) => {
  runScenario(`${LOGON}
    > 35=D|34=2|11=a|
    delivered 35=D|34=2|11=a|
    numbers 2 3
  `);
});

testInEveryVersion(
  '2-b MsgSeqNum too high: one ResendRequest, what is ahead waits and comes in order',
  (runScenario) => {
    runScenario(`${LOGON}
    > 35=D|34=4|11=c|
    < 35=2|34=2|7=2|16=3|
    > 35=D|34=5|11=d|
    > 35=D|34=2|43=Y|122={-1}|11=a|
    delivered 35=D|34=2|
    > 35=D|34=3|43=Y|122={-1}|11=b|
    delivered 35=D|34=3|
    delivered 35=D|34=4|
    delivered 35=D|34=5|
    numbers 3 6
  `);
  },
);

testInEveryVersion(
  '2-c MsgSeqNum too low without PossDupFlag: Logout naming both numbers, disconnect',
  (runScenario) => {
    runScenario(`${LOGON}
    > 35=0|34=2|
    > 35=D|34=2|11=a|
    < 35=5|34=2|58=MsgSeqNum too low, expecting 3 but received 2|
    closed
    numbers 3 3
  `);
  },
);

testInEveryVersion(
  '2-d garbled message is ignored and its number is asked for when the next one comes',
  (runScenario) => {
    runScenario(`${LOGON}
    >> 35=D|49=OMS|56=XGATE|34=2|52={0}|11=a|10=000|
    numbers 2 2
    > 35=D|34=3|11=b|
    < 35=2|34=2|7=2|16=2|
  `);
  },
);

testInEveryVersion('2-e PossDup of a message already received is ignored', (runScenario) => {
  runScenario(`${LOGON}
    > 35=D|34=2|11=a|
    delivered 35=D|34=2|
    > 35=D|34=2|43=Y|122={0}|11=a|
    numbers 2 3
  `);
});

testInEveryVersion('2-e PossDup of a message not yet received is accepted', (runScenario) => {
  runScenario(`${LOGON}
    > 35=D|34=2|43=Y|122={-5}|11=a|
    delivered 35=D|34=2|43=Y|
    numbers 2 3
  `);
});

testInEveryVersion('2-f PossDup with OrigSendingTime after SendingTime is rejected and counted', (runScenario) => {
  runScenario(`${LOGON}
    > 35=D|34=2|43=Y|122={60}|11=a|
    < 35=3|34=2|45=2|371=122|372=D|373=10|58=OrigSendingTime(122) is later than SendingTime(52)|
    numbers 3 3
    # A gap fill may leave it out; where it has one, that counts.
    > 35=4|34=3|43=Y|123=Y|36=5|
    > 35=4|34=5|43=Y|122={60}|123=Y|36=7|
    < 35=3|34=3|45=5|371=122|372=4|373=10|58=OrigSendingTime(122) is later than SendingTime(52)|
    numbers 4 6
  `);
});

testInEveryVersion('2-g PossDup without OrigSendingTime is rejected and counted', (runScenario) => {
  runScenario(`${LOGON}
    > 35=D|34=2|43=Y|11=a|
    < 35=3|34=2|45=2|371=122|372=D|373=1|58=Required tag missing: OrigSendingTime(122)|
    numbers 3 3
  `);
});

testInEveryVersion(
  '2-g PossDup without OrigSendingTime of a number already received is rejected and not counted',
  (runScenario) => {
    runScenario(`${LOGON}
    > 35=0|34=2|
    > 35=D|34=2|43=Y|11=a|
    < 35=3|34=2|45=2|371=122|372=D|373=1|58=Required tag missing: OrigSendingTime(122)|
    numbers 3 3
  `);
  },
);

testInEveryVersion('2-h, j, l: BeginString, CompIDs and BodyLength as expected are accepted', (runScenario) => {
  runScenario(`${LOGON}
    >> 8=FIX.4.4|35=0|49=OMS|56=XGATE|34=2|52={0}|
    numbers 2 3
  `);
});

testInEveryVersion('2-i BeginString of another version: Logout and disconnect', (runScenario) => {
  runScenario(`${LOGON}
    > 8=FIX.5.0|35=0|34=2|
    < 35=5|34=2|58=Incorrect BeginString(8): expected FIX.4.4|
    closed
    numbers 3 2
  `);
});

testInEveryVersion('2-p a MsgType of the version is accepted', (runScenario) => {
  runScenario(
    `${LOGON}
    > 35=1|34=2|112=a|
    < 35=0|34=2|112=a|
    numbers 3 3
  `,
    { validator: 'stock' },
  );
});

testInEveryVersion('2-q a MsgType that no version has is rejected and counted', (runScenario) => {
  runScenario(
    `${LOGON}
    > 35=*|34=2|
    < 35=3|34=2|45=2|371=35|372=*|373=11|58=Invalid MsgType(35): not a type of this FIX version|
    numbers 3 3
  `,
    { validator: 'stock' },
  );
});

testInEveryVersion(
  '2-r a MsgType that is valid, but not carried, is answered by the application',
  (runScenario) => {
    runScenario(
      `${LOGON}
    > 35=C|34=2|164=1|
    delivered 35=C|34=2|
    app 35=j|45=2|372=C|380=3|
    < 35=j|34=2|45=2|372=C|380=3|
  `,
    );
  },
  'FIX.4.2',
);

testInEveryVersion('2-s BeginString, BodyLength and MsgType are the first three fields: accepted', (runScenario) => {
  runScenario(`${LOGON}
    >> 8=FIX.4.4|35=0|34=2|49=OMS|52={0}|56=XGATE|
    numbers 2 3
  `);
});

testInEveryVersion('2-k SenderCompID wrong: Reject, Logout, disconnect', (runScenario) => {
  runScenario(`${LOGON}
    > 35=0|34=2|49=OTHER|
    < 35=3|34=2|45=2|371=49|372=0|373=9|58=CompID problem: SenderCompID(49)|
    < 35=5|34=3|58=CompID problem: SenderCompID(49)|
    closed
    numbers 4 3
  `);
});

testInEveryVersion('2-k one that is not the next is not counted, however wrong it is', (runScenario) => {
  for (const msgSeqNum of [1, 3, 9]) {
    runScenario(`${LOGON}
      > 35=0|34=${msgSeqNum}|49=OTHER|
      < 35=3|34=2|45=${msgSeqNum}|371=49|372=0|373=9|58=CompID problem: SenderCompID(49)|
      < 35=5|34=3|58=CompID problem: SenderCompID(49)|
      closed
      numbers 4 2
    `);
  }
});

testInEveryVersion('2-k TargetCompID wrong: Reject, Logout, disconnect', (runScenario) => {
  runScenario(`${LOGON}
    > 35=0|34=2|56=OTHER|
    < 35=3|34=2|45=2|371=56|372=0|373=9|58=CompID problem: TargetCompID(56)|
    < 35=5|34=3|58=CompID problem: TargetCompID(56)|
    closed
    numbers 4 3
  `);
});

testInEveryVersion('2-m BodyLength wrong: the message is ignored as garbled', (runScenario) => {
  runScenario(`${LOGON}
    >> 8=FIX.4.4|9=9|35=0|49=OMS|56=XGATE|34=2|52={0}|
    numbers 2 2
    > 35=0|34=2|
    numbers 2 3
  `);
});

testInEveryVersion('2-n SendingTime within the accuracy is accepted', (runScenario) => {
  runScenario(`${LOGON}
    > 35=0|34=2|52={-118}|
    > 35=0|34=3|52={120}|
    numbers 2 4
  `);
});

testInEveryVersion('2-o SendingTime outside the accuracy: Reject, Logout, disconnect', (runScenario) => {
  runScenario(`${LOGON}
    > 35=0|34=2|52={-121}|
    < 35=3|34=2|45=2|371=52|372=0|373=10|58=SendingTime accuracy problem: SendingTime(52) is 121 s behind the clock here, 120 s are allowed|
    < 35=5|34=3|58=SendingTime accuracy problem: SendingTime(52) is 121 s behind the clock here, 120 s are allowed|
    closed
    numbers 4 3
  `);
});

testInEveryVersion('2-o SendingTime missing or malformed is rejected and counted', (runScenario) => {
  runScenario(`${LOGON}
    > 35=0|34=2|52=-|
    < 35=3|34=2|45=2|371=52|372=0|373=1|58=Required tag missing: SendingTime(52)|
    > 35=0|34=3|52=20260105|
    < 35=3|34=3|45=3|371=52|372=0|373=6|58=Incorrect data format for value: SendingTime(52)|
    numbers 4 4
  `);
});

testInEveryVersion('2-f, o: a time of the header without a value is rejected as such, and counted', (runScenario) => {
  runScenario(`${LOGON}
    > 35=0|34=2|52=|
    < 35=3|34=2|45=2|371=52|372=0|373=4|58=Tag specified without a value: SendingTime(52)|
    > 35=D|34=3|43=Y|122=|11=a|
    < 35=3|34=3|45=3|371=122|372=D|373=4|58=Tag specified without a value: OrigSendingTime(122)|
    numbers 4 4
  `);
});

testInEveryVersion('2-t first three fields out of order: the message is ignored as garbled', (runScenario) => {
  runScenario(`${LOGON}
    >> 8=FIX.4.4|49=OMS|35=0|56=XGATE|34=2|52={0}|
    > 35=0|34=2|
    numbers 2 3
  `);
});

testInEveryVersion('MsgSeqNum missing: Logout and disconnect, for nothing can be asked for again', (runScenario) => {
  runScenario(`${LOGON}
    >> 35=0|49=OMS|56=XGATE|52={0}|
    < 35=5|34=2|58=MsgSeqNum(34) missing|
    closed
    numbers 3 2
  `);
});

testInEveryVersion('MsgSeqNum malformed: Logout and disconnect', (runScenario) => {
  for (const malformed of ['two', '0', '-2', '2147483648']) {
    runScenario(`${LOGON}
      > 35=0|34=${malformed}|
      < 35=5|34=2|58=MsgSeqNum(34) malformed|
      closed
    `);
  }
  runScenario(`${LOGON}
    > 35=0|34=2147483647|
    < 35=2|34=2|7=2|16=2147483646|
  `);
});
