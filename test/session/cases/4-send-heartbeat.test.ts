// Session test case 4: when Heartbeat(0) is sent.

import { testInEveryVersion } from '../../support/session/every-version.ts';

const LOGON = `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
`;

testInEveryVersion('4-a nothing sent for HeartBtInt: Heartbeat', (runScenario) => {
  runScenario(`${LOGON}
    wait 29.999
    wait 0.001
    < 35=0|34=2|
    > 35=0|34=2|
    wait 30
    < 35=0|34=3|
  `);
});

testInEveryVersion('4-a every sent message postpones the Heartbeat', (runScenario) => {
  runScenario(`${LOGON}
    wait 20
    > 35=1|34=2|112=x|
    < 35=0|34=2|112=x|
    wait 29.999
    wait 0.001
    < 35=0|34=3|
  `);
});

testInEveryVersion('4-b TestRequest is answered with Heartbeat and its TestReqID', (runScenario) => {
  runScenario(`${LOGON}
    > 35=1|34=2|112=foo|
    < 35=0|34=2|112=foo|
  `);
});

testInEveryVersion('4 HeartBtInt 0, where allowed: no heartbeat, no TestRequest, no end', (runScenario) => {
  runScenario(
    `
    connect
    > 35=A|34=1|98=0|108=0|
    < 35=A|34=1|98=0|108=0|
    wait 3600
    > 35=1|34=2|112=foo|52={3600}|
    < 35=0|34=2|112=foo|
  `,
    { config: { heartBtIntZeroAllowed: true } },
  );
});
