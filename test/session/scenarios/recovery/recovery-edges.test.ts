// Interrupted recovery: a second ResendRequest(2) within an unwritten gap fill, a Logout(5) ahead of a gap, gaps that
// close slowly or stall, old numbers after our reset.

import { describe, expect, test } from 'vitest';
import { continueScenario, runScenario } from '../../../support/session/session-machine.ts';

const LOGON = `
  connect
  > 35=A|34=1|98=0|108=30|
  < 35=A|34=1|98=0|108=30|
  up
`;
const CHUNKS_OF_TWO = { config: { resendLoadChunk: 2 } };

describe('a second ResendRequest during a resend', () => {
  test('S4 a request within or at an unwritten gap fill joins it, and no number is left out', () => {
    const driver = runScenario(
      `${LOGON}
      > 35=1|34=2|112=a|
      < 35=0|34=2|112=a|
      > 35=1|34=3|112=b|
      < 35=0|34=3|112=b|
      app 35=8|17=e1|
      < 35=8|34=4|17=e1|
      hold
      > 35=2|34=4|7=1|16=0|
    `,
      CHUNKS_OF_TWO,
    );
    driver.answerOne();
    continueScenario(
      driver,
      `> 35=2|34=5|7=2|16=0|
      release
      < 35=4|34=1|43=Y|122={0}|123=Y|36=2|
      < 35=4|34=2|43=Y|122={0}|123=Y|36=4|
      < 35=8|34=4|43=Y|122={0}|17=e1|
    `,
    );
  });

  test('S4 of two that join it, a fill begins where the first of them asks from', () => {
    const driver = runScenario(
      `${LOGON}
      > 35=1|34=2|112=a|
      < 35=0|34=2|112=a|
      > 35=1|34=3|112=b|
      < 35=0|34=3|112=b|
      > 35=1|34=4|112=c|
      < 35=0|34=4|112=c|
      app 35=8|17=e1|
      < 35=8|34=5|17=e1|
      hold
      > 35=2|34=5|7=1|16=0|
    `,
      CHUNKS_OF_TWO,
    );
    driver.answerOne();
    continueScenario(
      driver,
      `> 35=2|34=6|7=2|16=0|
      > 35=2|34=7|7=3|16=0|
      release
      < 35=4|34=1|43=Y|122={0}|123=Y|36=2|
      < 35=4|34=2|43=Y|122={0}|123=Y|36=5|
      < 35=8|34=5|43=Y|122={0}|17=e1|
    `,
    );
  });

  test('S4 that begins before it is answered from there, gap fill and all', () => {
    const driver = runScenario(
      `${LOGON}
      app 35=8|17=e1|
      < 35=8|34=2|17=e1|
      > 35=1|34=2|112=a|
      < 35=0|34=3|112=a|
      > 35=1|34=3|112=b|
      < 35=0|34=4|112=b|
      app 35=8|17=e2|
      < 35=8|34=5|17=e2|
      hold
      > 35=2|34=4|7=3|16=0|
    `,
      CHUNKS_OF_TWO,
    );
    driver.answerOne();
    continueScenario(
      driver,
      `> 35=2|34=5|7=1|16=0|
      release
      < 35=4|34=1|43=Y|122={0}|123=Y|36=2|
      < 35=8|34=2|43=Y|122={0}|17=e1|
      < 35=4|34=3|43=Y|122={0}|123=Y|36=5|
      < 35=8|34=5|43=Y|122={0}|17=e2|
    `,
    );
  });
});

test('S4 a second, longer ResendRequest prolongs the resend up to the waiting messages', () => {
  runScenario(`${LOGON}
    app 35=8|17=e1|
    < 35=8|34=2|17=e1|
    app 35=8|17=e2|
    < 35=8|34=3|17=e2|
    app 35=8|17=e3|
    < 35=8|34=4|17=e3|
    hold
    > 35=2|34=2|7=2|16=2|
    app 35=8|17=e4|
    > 35=2|34=3|7=3|16=3|
    > 35=2|34=4|7=2|16=0|
    > 35=2|34=5|7=2|16=2|
    release
    < 35=8|34=2|43=Y|122={0}|17=e1|
    < 35=8|34=3|43=Y|122={0}|17=e2|
    < 35=8|34=4|43=Y|122={0}|17=e3|
    < 35=8|34=5|17=e4|
  `);
});

test('answers a second ResendRequest for already resent messages from there', () => {
  const driver = runScenario(
    `${LOGON}
    app 35=8|17=e1|
    < 35=8|34=2|17=e1|
    app 35=8|17=e2|
    < 35=8|34=3|17=e2|
    app 35=8|17=e3|
    < 35=8|34=4|17=e3|
    hold
    > 35=2|34=2|7=2|16=0|
  `,
    CHUNKS_OF_TWO,
  );
  driver.answerOne();
  continueScenario(
    driver,
    `< 35=8|34=2|43=Y|122={0}|17=e1|
    < 35=8|34=3|43=Y|122={0}|17=e2|
    > 35=2|34=3|7=3|16=0|
    release
    < 35=8|34=3|43=Y|122={0}|17=e2|
    < 35=8|34=4|43=Y|122={0}|17=e3|
  `,
  );
});

test('sends a slow gap fill as far as it goes within a heartbeat', () => {
  const driver = runScenario(
    `${LOGON}
    > 35=1|34=2|112=a|
    < 35=0|34=2|112=a|
    > 35=1|34=3|112=b|
    < 35=0|34=3|112=b|
    > 35=1|34=4|112=c|
    < 35=0|34=4|112=c|
    app 35=8|17=e1|
    < 35=8|34=5|17=e1|
    hold
    > 35=2|34=5|7=1|16=0|
    wait 20
  `,
    CHUNKS_OF_TWO,
  );
  driver.answerOne();
  continueScenario(driver, 'wait 15');
  driver.answerOne();
  continueScenario(
    driver,
    `< 35=4|34=1|43=Y|122={35}|123=Y|36=5|
    release
    < 35=8|34=5|43=Y|122={0}|17=e1|
  `,
  );
});

describe('a gap', () => {
  test('S10 before a Logout is closed order by order, and only then the session is over', () => {
    runScenario(`${LOGON}
      > 35=5|34=5|
      < 35=5|34=2|
      < 35=2|34=3|7=2|16=4|
      > 35=D|34=2|43=Y|122={0}|11=a|
      delivered 35=D|11=a|
      > 35=D|34=3|43=Y|122={0}|11=b|
      delivered 35=D|11=b|
      > 35=D|34=4|43=Y|122={0}|11=c|
      delivered 35=D|11=c|
      down
      numbers 4 6
    `);
  });

  test('that closes slowly has as much time with each message', () => {
    runScenario(
      `
      connect
      > 35=A|34=1|98=0|108=0|
      < 35=A|34=1|98=0|108=0|
      up
      > 35=D|34=4|11=c|
      < 35=2|34=2|7=2|16=3|
      wait 50
      > 35=D|34=2|43=Y|122={0}|52={50}|11=a|
      delivered 35=D|11=a|
      wait 50
      > 35=D|34=3|43=Y|122={0}|52={100}|11=b|
      delivered 35=D|11=b|
      delivered 35=D|11=c|
      numbers 3 5
    `,
      { config: { heartBtIntZeroAllowed: true } },
    );
  });

  test('that 789 announced and that is filled in part only is asked for from where it stands', () => {
    runScenario(`
      connect
      > 35=A|34=4|98=0|108=30|789=1|
      < 35=A|34=1|98=0|108=30|789=1|
      up
      > 35=D|34=1|43=Y|122={-9}|11=a|
      delivered 35=D|11=a|
      wait 10
      < 35=2|34=2|7=2|16=3|
    `);
  });

  test("11 a SequenceReset to a kept message's number continues with it, and drops skipped ones", () => {
    runScenario(`${LOGON}
      > 35=D|34=4|11=a|
      < 35=2|34=2|7=2|16=3|
      > 35=D|34=6|11=b|
      > 35=4|34=2|36=6|
      delivered 35=D|34=6|11=b|
      numbers 3 7
    `);
  });
});

describe('a reset within the session that our side began', () => {
  const ASKED = `${LOGON}
    app 35=8|17=e1|
    < 35=8|34=2|17=e1|
    reset within
    < 35=1|34=3|112=1-1|
  `;
  const SENT = `${ASKED}
    > 35=0|34=2|112=1-1|
    < 35=A|34=1|98=0|108=30|141=Y|
  `;

  const UNANSWERED = `${SENT}
    wait 10
    < 35=5|34=2|58=Logon(A) with ResetSeqNumFlag(141)=Y was not answered in time|
    closed
    down
  `;

  test('and that was not answered is forgotten once the counterparty resets by itself', () => {
    runScenario(`${UNANSWERED}
      connect
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
      up
      > 35=D|34=2|11=a|
      delivered 35=D|34=2|
      > 35=D|34=3|11=b|
      delivered 35=D|34=3|
      cut
      down
      connect
      > 35=A|34=4|98=0|108=30|
      < 35=A|34=2|98=0|108=30|
      up
      numbers 3 5
    `);
  });

  for (const restart of ['', 'restart']) {
    test(`and an unanswered one is forgotten once numbers were set${restart && ', after a restart too'}`, () => {
      const driver = runScenario(UNANSWERED);
      const agreed = { nextSenderMsgSeqNum: 40, nextTargetMsgSeqNum: 50, reset: false, who: 'ann', why: 'agreed' };
      driver.input({ kind: 'setNumbers', ...agreed });
      continueScenario(
        driver,
        `${restart}
        connect
        > 35=A|34=50|98=0|108=30|
        < 35=A|34=40|98=0|108=30|
        up
        numbers 41 51
      `,
      );
    });
  }

  test('S2 begins its proof anew when the counterparty asks for a resend meanwhile', () => {
    runScenario(`${ASKED}
      > 35=2|34=2|7=2|16=2|
      < 35=8|34=2|43=Y|122={0}|17=e1|
      < 35=1|34=4|112=1-2|
      > 35=0|34=3|112=1-1|
      > 35=0|34=4|112=1-2|
      < 35=A|34=1|98=0|108=30|141=Y|
    `);
  });

  test('S2 takes LastMsgSeqNumProcessed(369) of the old numbers for no proof of the new ones', () => {
    const driver = runScenario(`${SENT}
      app 35=8|17=e2|
      app 35=8|17=e3|
      app 35=8|17=e4|
      > 35=0|34=3|369=3|
      > 35=A|34=1|98=0|108=30|141=Y|369=3|
      < 35=8|34=2|17=e2|
      < 35=8|34=3|17=e3|
      < 35=8|34=4|17=e4|
    `);
    expect(driver.journal.provenMsgSeqNum).toBe(0);
  });

  test('passes over repetitions, and follows gap fills, in the old numbers', () => {
    runScenario(`${SENT}
      > 35=0|34=2|43=Y|122={0}|
      > 35=4|34=3|123=Y|36=7|
      > 35=D|34=7|11=o-1|
      delivered 35=D|34=7|11=o-1|
      > 35=A|34=1|98=0|108=30|141=Y|
      numbers 2 2
    `);
  });
});

test('S2 repeats reports of three series in order, wherever the resets cut them', () => {
  const RESET = `
    cut
    down
    connect
    > 35=A|34=1|98=0|108=30|141=Y|
    < 35=A|34=1|98=0|108=30|141=Y|
    up
  `;
  const reports = [1, 2, 3, 4].map((n) => `app 35=8|17=e${n}|\n< 35=8|34=${n + 1}|17=e${n}|`).join('\n');
  const driver = runScenario(`${LOGON}${reports}\nhold${RESET}`, { config: { resendLoadChunk: 1 } });
  /** ExecIDs of what is sent again until there were so many. */
  const repeated = (count: number): string[] => {
    const execIDs: string[] = [];
    while (execIDs.length < count) {
      driver.answerOne();
      for (const one of driver.outcomes.splice(0)) {
        if (one.kind === 'transmit') execIDs.push(/\|17=(\w+)/.exec(one.text)?.[1] ?? one.text);
      }
    }
    return execIDs;
  };
  expect(repeated(2)).toEqual(['e1', 'e2']);
  continueScenario(driver, RESET);
  expect(repeated(1)).toEqual(['e1']);
  // After two repetitions in vain it has to show that it reads.
  continueScenario(driver, `${RESET}\n< 35=1|34=2|112=4-1|\n> 35=0|34=2|112=4-1|`);
  expect(repeated(4)).toEqual(['e1', 'e2', 'e3', 'e4']);
});

test("numbers restarted at a connection's end do so once: waiting messages keep theirs", () => {
  runScenario(
    `${LOGON}
    cut
    down
    numbers 1 1
    app 35=B|148=a|33=1|58=b|
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=2|98=0|108=30|
    up
    > 35=2|34=2|7=1|16=1|
    < 35=B|34=1|43=Y|122={0}|148=a|33=1|58=b|
  `,
    { config: { resetOn: ['disconnect'] } },
  );
});

test('live messages under a gap fill have their turns by number, also from 9 to 10', () => {
  runScenario(`${LOGON}
    > 35=D|34=9|11=nine|
    < 35=2|34=2|7=2|16=8|
    > 35=D|34=10|11=ten|
    > 35=4|34=2|43=Y|122={0}|123=Y|36=12|
    delivered 35=D|34=9|
    delivered 35=D|34=10|
    numbers 3 12
  `);
});
