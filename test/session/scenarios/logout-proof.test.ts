// S2: the TestRequest(1) before our Logout(5), and what a reset sends where what left unproven is not repeated.

import { expect, test } from 'vitest';
import { continueScenario, runScenario } from '../../support/session/session-machine.ts';

const CONFIG = { provesBeforeLogout: true };
const VENUE = { ...CONFIG, repeatUnprovenReports: false };
const REPORT = `
  connect
  > 35=A|34=1|98=0|108=30|
  < 35=A|34=1|98=0|108=30|
  up
  app 35=8|37=1|17=e1|11=a|
  < 35=8|34=2|37=1|17=e1|11=a|`;

test("S2 answers the counterparty's Logout after the proof of reports; the session is off at once", () => {
  const { journal } = runScenario(
    `${REPORT}
    > 35=5|34=2|
    < 35=1|34=3|112=1-1|
    down
    > 35=0|34=3|112=1-1|
    < 35=5|34=4|
  `,
    { config: CONFIG },
  );
  expect(journal.provenMsgSeqNum).toBe(3);
});

test('S2 the proof is waited for a second at most', () => {
  const driver = runScenario(
    `${REPORT}
    > 35=5|34=2|
    < 35=1|34=3|112=1-1|
    down
    wait 0.9
  `,
    { config: CONFIG },
  );
  continueScenario(driver, 'wait 2\n< 35=5|34=4|52={1}|');
});

test('S2 reports of the moment between are proven too', () => {
  const { journal } = runScenario(
    `${REPORT}
    > 35=5|34=2|
    < 35=1|34=3|112=1-1|
    down
    app 35=8|37=1|17=e2|11=a|
    < 35=8|34=4|37=1|17=e2|11=a|
    < 35=1|34=5|112=1-2|
    > 35=0|34=3|112=1-1|
    > 35=0|34=4|112=1-2|
    < 35=5|34=6|
  `,
    { config: CONFIG },
  );
  expect(journal.provenMsgSeqNum).toBe(5);
});

test('S2 our own Logout proves first, and says why it comes', () => {
  runScenario(
    `${REPORT}
    logout closed for today
    < 35=1|34=3|112=1-1|
    > 35=0|34=2|112=1-1|
    < 35=5|34=4|58=closed for today|
  `,
    { config: CONFIG },
  );
});

test('S2 without a report there is nothing to prove, and behind a gap nothing proves', () => {
  runScenario(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=5|34=2|
    < 35=5|34=2|
  `,
    { config: CONFIG },
  );
});

test('S2 by setting a reset sends only unsent messages, as first ones', () => {
  runScenario(
    `${REPORT}
    cut
    down
    app 35=8|37=1|17=e2|11=a|
    connect
    > 35=A|34=1|98=0|108=30|141=Y|
    < 35=A|34=1|98=0|108=30|141=Y|
    up
    < 35=8|34=2|37=1|17=e2|11=a|
  `,
    { config: VENUE },
  );
});

test("S2 resent messages have left, and those after the counterparty's Logout may have: 97=Y", () => {
  runScenario(
    `${REPORT}
    cut
    down
    app 35=8|37=1|17=e2|11=a|
    connect
    > 35=A|34=2|98=0|108=30|
    < 35=A|34=4|98=0|108=30|
    up
    > 35=2|34=3|7=3|16=3|
    < 35=8|34=3|43=Y|122={0}|37=1|17=e2|11=a|
    > 35=5|34=4|
    < 35=1|34=5|112=1-1|
    down
    app 35=8|37=1|17=e3|11=a|
    < 35=8|34=6|37=1|17=e3|11=a|
    < 35=1|34=7|112=1-2|
    cut
    app 35=8|37=1|17=e4|11=a|
    connect
    > 35=A|34=1|98=0|108=30|141=Y|
    < 35=A|34=1|98=0|108=30|141=Y|
    up
    < 35=8|34=2|97=Y|37=1|17=e3|11=a|
    < 35=8|34=3|37=1|17=e4|11=a|
  `,
    { config: VENUE },
  );
});

test('S2 knows after a restart which reports never left, and doubts those cut off by a crash', () => {
  const driver = runScenario(
    `${REPORT}
    cut
    down
    app 35=8|37=1|17=e2|11=a|
    restart
    connect
    > 35=A|34=1|98=0|108=30|141=Y|
    < 35=A|34=1|98=0|108=30|141=Y|
    up
    < 35=8|34=2|37=1|17=e2|11=a|
    app 35=8|37=1|17=e3|11=a|
    < 35=8|34=3|37=1|17=e3|11=a|
    restart
  `,
    { config: VENUE },
  );
  continueScenario(
    driver,
    `
    connect
    > 35=A|34=1|98=0|108=30|141=Y|
    < 35=A|34=1|98=0|108=30|141=Y|
    up
    < 35=8|34=2|97=Y|37=1|17=e2|11=a|
    < 35=8|34=3|97=Y|37=1|17=e3|11=a|
  `,
  );
});
