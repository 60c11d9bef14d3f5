// A garbled message during a recovery: its content is unknown, and it may have been a ResendRequest(2), or part of the
// resend. No answer to a TestRequest(1) proves anything then (rule S2), and what is missing is asked for.

import { expect, test } from 'vitest';
import { continueScenario, runScenario } from '../../../support/session/session-machine.ts';

const GARBLED = '>> 35=2|49=OMS|56=XGATE|34=2|52={0}|7=2|16=2|10=000|';
/** A report that may not have arrived, and a quiet while later the question whether it has. */
const ASKED = `
  connect
  > 35=A|34=1|98=0|108=30|
  < 35=A|34=1|98=0|108=30|
  app 35=8|17=e1|
  < 35=8|34=2|17=e1|
  wait 30
  < 35=0|34=3|
  < 35=1|34=4|112=1-1|
`;

test("S2 a TestRequest's answer proves nothing with a message missing before it", () => {
  const driver = runScenario(`${ASKED}
    > 35=0|34=3|112=1-1|
    < 35=2|34=5|7=2|16=2|
  `);
  expect(driver.session.status.provenMsgSeqNum).toBe(0);
});

test('S2 nor does one behind a garbled message, while the counterparty may wait in vain', () => {
  const driver = runScenario(`${ASKED}
    ${GARBLED}
    > 35=0|34=3|112=1-1|
    < 35=2|34=5|7=2|16=2|
    > 35=4|34=2|43=Y|122={0}|123=Y|36=3|
    wait 30
    < 35=0|34=6|
    < 35=1|34=7|112=1-2|
    > 35=0|34=4|112=1-2|
  `);
  expect(driver.session.status.provenMsgSeqNum).toBe(0);
  continueScenario(
    driver,
    `
    wait 30
    < 35=0|34=8|
    < 35=1|34=9|112=1-3|
    > 35=0|34=5|
    wait 20
    > 35=0|34=6|112=1-3|
  `,
  );
  expect(driver.session.status.provenMsgSeqNum).toBe(9);
});

test('S2 a requested reset within the session waits for proof, and numbers continue without one', () => {
  const { session } = runScenario(`${ASKED}
    ${GARBLED}
    reset within
    < 35=1|34=5|112=1-2|
    > 35=0|34=2|112=1-2|
    wait 30
    < 35=0|34=6|
    < 35=1|34=7|112=1-3|
    > 35=0|34=3|112=1-3|
    wait 30
    < 35=0|34=8|
    < 35=1|34=9|112=1-4|
    > 35=0|34=4|112=1-4|
    numbers 10 5
  `);
  expect(session.status.reset).toBeNull();
  expect(session.numbers.series).toBe(1);
});

test.each([
  ['was asked for', '108=30|', '< 35=2|34=2|7=1|16=2|'],
  ['NextExpectedMsgSeqNum(789) announced', '108=30|789=1|', ''],
])('%s is requested again after a garbled message, which may have been part of the answer', (_what, terms, asked) => {
  const answer = terms.includes('789') ? '789=1|' : '';
  runScenario(`
    connect
    > 35=A|34=3|98=0|${terms}
    < 35=A|34=1|98=0|108=30|${answer}
    ${asked}
    ${GARBLED}
    < 35=2|34=${asked === '' ? 2 : 3}|7=1|16=2|
    > 35=4|34=1|43=Y|122={0}|123=Y|36=3|
    numbers ${asked === '' ? 3 : 4} 4
    ${GARBLED}
  `);
});

/** The counterparty's report 2 is missing, our ResendRequest for it is number 2. */
const GAP = `
  connect
  > 35=A|34=1|98=0|108=30|
  < 35=A|34=1|98=0|108=30|
  > 35=D|34=3|11=b|
  < 35=2|34=2|7=2|16=2|
  app 35=8|17=e1|
  < 35=8|34=3|17=e1|
`;

test('a counterparty that requests our ResendRequest did not read it: it is sent again once', () => {
  runScenario(`${GAP}
    > 35=2|34=4|7=2|16=0|
    < 35=4|34=2|43=Y|122={0}|123=Y|36=3|
    < 35=8|34=3|43=Y|122={0}|17=e1|
    < 35=2|34=4|7=2|16=2|
    > 35=2|34=5|7=4|16=4|
    < 35=4|34=4|43=Y|122={0}|123=Y|36=5|
    > 35=D|34=2|43=Y|122={0}|11=a|
    delivered 35=D|34=2|
    delivered 35=D|34=3|
    numbers 5 6
  `);
});

test('a counterparty missing earlier messages may have read our ResendRequest: it is not repeated', () => {
  runScenario(`
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    app 35=8|17=e1|
    < 35=8|34=2|17=e1|
    > 35=D|34=3|11=b|
    < 35=2|34=3|7=2|16=2|
    > 35=2|34=4|7=2|16=0|
    < 35=8|34=2|43=Y|122={0}|17=e1|
    < 35=4|34=3|43=Y|122={0}|123=Y|36=4|
  `);
});

test('no Logout takes a missing number if the Logon answering ours may have been garbled', () => {
  const { alarms } = runScenario(
    `
    app 35=D|11=q1|
    connect
    < 35=A|34=2|98=0|108=30|
    >> 35=A|34=1|49=XGATE|56=OMS|52={0}|98=0|108=30|10=000|
    > 35=2|34=2|7=1|16=1|
    closed
    numbers 3 1
    cut
    connect
    < 35=A|34=3|98=0|108=30|
    > 35=A|34=3|98=0|108=30|
    < 35=2|34=4|7=1|16=2|
  `,
    { config: { role: 'initiator' } },
  );
  expect(alarms).toEqual(['logon-refused: Logon(A) answered by 35=2, behind a garbled message']);
});

test('reports that a garbled message behind our Logon 141=Y may be the last of the old numbers', () => {
  const lost = (script: string): number =>
    runScenario(script).notes.filter((text) => /will not be requested/.test(text)).length;
  const reset = `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    reset within
    < 35=1|34=2|112=1-1|
    > 35=0|34=2|112=1-1|
  `;
  const asked = '< 35=A|34=1|98=0|108=30|141=Y|';
  const answer = '> 35=A|34=1|98=0|108=30|141=Y|';
  const garbled = '>> 35=D|49=OMS|56=XGATE|34=3|52={0}|11=o-1|10=000|';
  expect(lost(`${reset} ${asked}\n ${garbled}\n wait 1\n ${answer}\n numbers 2 2`)).toBe(1);
  expect(lost(`${reset} ${asked}\n ${answer}\n ${garbled}\n numbers 2 2`)).toBe(0);
});
