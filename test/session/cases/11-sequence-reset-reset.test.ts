// Session test case 11: SequenceReset(4) in reset mode received; its own MsgSeqNum is not looked at.

import { expect } from 'vitest';
import { testInEveryVersion } from '../../support/session/every-version.ts';

const LOGON = `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
`;

for (const msgSeqNum of [1, 2, 9]) {
  testInEveryVersion(`11-a NewSeqNo above the expected number is taken, MsgSeqNum ${msgSeqNum}`, (runScenario) => {
    const { journal } = runScenario(`${LOGON}
      > 35=4|34=${msgSeqNum}|36=15|
      numbers 2 15
    `);
    const record = journal.records.findLast(({ kind }) => kind === 'numbers');
    expect(record).toMatchObject({ who: 'counterparty', why: 'SequenceReset(4) from 2 to 15' });
  });
}

testInEveryVersion('11-a GapFillFlag N is reset mode', (runScenario) => {
  runScenario(`${LOGON}
    > 35=4|34=1|123=N|36=15|
    numbers 2 15
  `);
});

testInEveryVersion('11-b NewSeqNo equal to the expected number is noted', (runScenario) => {
  const { notes } = runScenario(`${LOGON}
    > 35=4|34=2|36=2|
    numbers 2 2
  `);
  expect(notes).toContain('SequenceReset(4) to the number that is expected anyway');
});

testInEveryVersion('11-c NewSeqNo below the expected number is rejected and not counted', (runScenario) => {
  runScenario(`${LOGON}
    > 35=0|34=2|
    > 35=4|34=3|36=1|
    < 35=3|34=2|45=3|371=36|372=4|373=5|58=Value is incorrect: NewSeqNo(36)=1 is below the expected 3|
    numbers 3 3
  `);
});

testInEveryVersion('11 a reset over an open gap closes it; what is kept behind it comes', (runScenario) => {
  runScenario(`${LOGON}
    > 35=D|34=4|11=c|
    < 35=2|34=2|7=2|16=3|
    > 35=4|34=5|36=4|
    delivered 35=D|34=4|
    numbers 3 5
  `);
});

testInEveryVersion('11 a reset before what is kept makes that void: its numbers come again', (runScenario) => {
  const { notes } = runScenario(`${LOGON}
    > 35=4|34=20|123=Y|36=50|
    < 35=2|34=2|7=2|16=19|
    > 35=D|34=7|11=old|
    > 35=4|34=3|36=5|
    numbers 3 5
    > 35=D|34=5|11=a|
    delivered 35=D|34=5|
    > 35=0|34=6|
    > 35=D|34=7|11=new|
    delivered 35=D|34=7|
    numbers 3 8
  `);
  expect(notes).toContain('messages ahead of SequenceReset(4) dropped');
});

testInEveryVersion('11-b a reset to the expected number ends a gap too', (runScenario) => {
  runScenario(`${LOGON}
    > 35=D|34=4|11=old|
    < 35=2|34=2|7=2|16=3|
    > 35=4|34=5|36=2|
    > 35=0|34=2|
    > 35=0|34=3|
    > 35=D|34=4|11=new|
    delivered 35=D|34=4|
    numbers 3 5
  `);
});

testInEveryVersion('11 a SequenceReset whose header is at fault resets nothing', (run) => {
  run(`
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=4|34=2|52=20260105|36=9|
    < 35=3|34=2|45=2|371=52|372=4|373=6|58=Incorrect data format for value: SendingTime(52)|
    numbers 3 2
  `);
});
