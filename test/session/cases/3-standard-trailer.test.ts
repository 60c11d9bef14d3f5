// Session test case 3: the standard trailer of a received message.

import { testInEveryVersion } from '../../support/every-version.ts';

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
