// Session test case 3: the standard trailer of a received message.

import { testInEveryVersion } from '../../support/session/every-version.ts';

const LOGON = `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
`;

testInEveryVersion('3-a CheckSum right: accepted', (runScenario) => {
  runScenario(`${LOGON}
    > 35=0|34=2|
    numbers 2 3
  `);
});

testInEveryVersion('3-b CheckSum wrong: ignored, the session goes on', (runScenario) => {
  runScenario(`${LOGON}
    > 35=0|34=2|10=256|
    numbers 2 2
    > 35=0|34=2|
    numbers 2 3
  `);
});

testInEveryVersion('3-c garbled bytes between messages are ignored', (runScenario) => {
  runScenario(`${LOGON}
    >> 8=FIX.4.4|9=-5|35=0|34=2|
    > 35=0|34=2|
    numbers 2 3
  `);
});

testInEveryVersion('3-d CheckSum is the last field, of three digits, and ends with SOH: accepted', (runScenario) => {
  runScenario(`${LOGON}
    >> 35=0|49=OMS|56=XGATE|34=2|52={0}|
    numbers 2 3
  `);
});

for (const [fault, fields] of [
  ['of two digits', '35=0|49=OMS|56=XGATE|34=2|52={0}|10=12|'],
  ['of four digits', '35=0|49=OMS|56=XGATE|34=2|52={0}|10=0123|'],
] as const) {
  testInEveryVersion(`3-e CheckSum ${fault}: garbled, ignored, the session goes on`, (runScenario) => {
    runScenario(`${LOGON}
      >> ${fields}
      numbers 2 2
      > 35=0|34=2|
      numbers 2 3
    `);
  });
}
