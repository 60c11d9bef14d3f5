// Session test case 16: messages to be sent while there is no connection.

import { testInEveryVersion } from '../../support/session/every-version.ts';

testInEveryVersion(
  '16-a messages made while disconnected are numbered, kept, and resent when the counterparty asks',
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

testInEveryVersion(
  '16-b an initiator that reconnects sends Logon first, then what the acceptor asks for',
  (runScenario) => {
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
  },
);

testInEveryVersion('16-b reconnected, the initiator resends in order what waited, then what is new', (runScenario) => {
  runScenario(
    `
    connect
    < 35=A|34=1|98=0|108=30|
    > 35=A|34=1|98=0|108=30|
    app 35=D|11=a|
    < 35=D|34=2|11=a|
    cut
    app 35=D|11=b|
    app 35=D|11=c|
    connect
    < 35=A|34=5|98=0|108=30|
    > 35=A|34=2|98=0|108=30|
    > 35=2|34=3|7=3|16=0|
    < 35=D|34=3|43=Y|122={0}|11=b|
    < 35=D|34=4|43=Y|122={0}|11=c|
    < 35=4|34=5|43=Y|122={0}|123=Y|36=6|
    app 35=D|11=d|
    < 35=D|34=6|11=d|
  `,
    { config: { role: 'initiator' } },
  );
});

testInEveryVersion(
  '16 what an initiator makes between its Logon and the answer follows the answer: nobody would miss it before the next Heartbeat',
  (runScenario) => {
    runScenario(
      `
    connect
    < 35=A|34=1|98=0|108=30|
    app 35=D|11=a|
    app 35=D|11=b|
    > 35=A|34=1|98=0|108=30|
    < 35=D|34=2|43=Y|122={0}|11=a|
    < 35=D|34=3|43=Y|122={0}|11=b|
    app 35=D|11=c|
    < 35=D|34=4|11=c|
  `,
      { config: { role: 'initiator' } },
    );
  },
);

testInEveryVersion('16 and what was missing before that Logon is sent when it is asked for', (runScenario) => {
  runScenario(
    `
    app 35=D|11=a|
    connect
    < 35=A|34=2|98=0|108=30|
    app 35=D|11=b|
    > 35=A|34=1|98=0|108=30|
    < 35=D|34=3|43=Y|122={0}|11=b|
    > 35=2|34=2|7=1|16=0|
    < 35=D|34=1|43=Y|122={0}|11=a|
    < 35=4|34=2|43=Y|122={0}|123=Y|36=3|
    < 35=D|34=3|43=Y|122={0}|11=b|
  `,
    { config: { role: 'initiator' } },
  );
});
