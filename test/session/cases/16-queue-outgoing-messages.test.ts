// Session test case 16: messages to be sent while there is no connection.

import { testInEveryVersion } from '../../support/every-version.ts';

testInEveryVersion(
  '16 messages made while disconnected are numbered, kept, and resent when the counterparty asks',
  (runScenario) => {
    runScenario(`
    app 35=8|17=e1|
    app 35=8|17=e2|
    numbers 3 1
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=3|98=0|108=30|
    > 35=2|34=2|7=1|16=2|
    < 35=8|34=1|43=Y|122={0}|17=e1|
    < 35=8|34=2|43=Y|122={0}|17=e2|
  `);
  },
);

testInEveryVersion('16 a message made before the Logon answer waits too', (runScenario) => {
  runScenario(`
    connect
    app 35=8|17=e1|
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=2|98=0|108=30|
  `);
});

testInEveryVersion('16 an initiator sends Logon first, then what the acceptor asks for', (runScenario) => {
  runScenario(
    `
    app 35=D|11=a|
    connect
    < 35=A|34=2|98=0|108=30|
    > 35=A|34=1|98=0|108=30|
    > 35=2|34=2|7=1|16=1|
    < 35=D|34=1|43=Y|122={0}|11=a|
  `,
    { config: { role: 'initiator' } },
  );
});
