// Rules of recovery: S2 to S5, S10, S11.

import { describe, expect, test } from 'vitest';
import { MessageDraft } from '../../../../src/wire/mod.ts';
import { completeFrame, timestampOf } from '../../../support/session/fix-scenario.ts';
import { continueScenario, runScenario } from '../../../support/session/session-machine.ts';

const LOGON = `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
`;

/** Number 1 Logon; reports 2, 3 and 4, with 2 proven by the answer to a TestRequest (number 6). */
const REPORTS = `${LOGON}
    app 35=8|37=1|17=e1|11=a|57=TRADER|
    < 35=8|34=2|57=TRADER|37=1|17=e1|11=a|
`;

describe('S2', () => {
  test('S2 reports not proven received go out again after a reset: new numbers, 97=Y, the same ExecID', () => {
    runScenario(`${REPORTS}
      app 35=W|55=BTCUSD|
      < 35=W|34=3|55=BTCUSD|
      app 35=9|37=1|11=b|
      < 35=9|34=4|37=1|11=b|
      cut
      wait 3
      connect
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
      < 35=8|34=2|57=TRADER|97=Y|37=1|17=e1|11=a|
      < 35=9|34=3|97=Y|37=1|11=b|
      numbers 4 2
    `);
  });

  test('S2 a report proven by the answer to our TestRequest is not repeated', () => {
    runScenario(`${REPORTS}
      wait 30
      < 35=0|34=3|
      < 35=1|34=4|112=1-1|
      > 35=0|34=2|112=1-1|
      app 35=8|37=1|17=e2|11=a|
      < 35=8|34=5|37=1|17=e2|11=a|
      cut
      connect
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
      < 35=8|34=2|97=Y|37=1|17=e2|11=a|
    `);
  });

  test('S2 requests proof every minute of a busy session: an evening reset repeats no report', () => {
    runScenario(`${REPORTS}
      wait 25
      app 35=8|37=1|17=e2|11=a|
      < 35=8|34=3|37=1|17=e2|11=a|
      > 35=0|34=2|
      wait 25
      app 35=8|37=1|17=e3|11=a|
      < 35=8|34=4|37=1|17=e3|11=a|
      > 35=0|34=3|
      wait 10
      < 35=1|34=5|112=1-1|
      > 35=0|34=4|112=1-1|
      wait 15
      app 35=8|37=1|17=e4|11=a|
      < 35=8|34=6|37=1|17=e4|11=a|
      cut
      connect
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
      < 35=8|34=2|97=Y|37=1|17=e4|11=a|
    `);
  });

  test('S2 gives a report after quiet minutes its minute until proof, without a standstill alarm', () => {
    const { notes } = runScenario(`${LOGON}
      wait 30
      < 35=0|34=2|
      > 35=0|34=2|
      wait 30
      < 35=0|34=3|
      > 35=0|34=3|
      wait 25
      app 35=8|37=1|17=e1|11=a|
      < 35=8|34=4|37=1|17=e1|11=a|
      > 35=0|34=4|
      wait 29
      app 35=W|55=BTCUSD|
      < 35=W|34=5|55=BTCUSD|
      > 35=0|34=5|
      wait 29
      app 35=W|55=BTCUSD|
      < 35=W|34=6|55=BTCUSD|
      > 35=0|34=6|
      wait 1
      app 35=W|55=BTCUSD|
      < 35=W|34=7|55=BTCUSD|
      wait 1
      < 35=1|34=8|112=1-1|
    `);
    expect(notes.filter((note) => note.includes('stood still'))).toEqual([]);
  });

  test('S2 reports behind a TestRequest that is answered late have their minute from the answer on', () => {
    const { notes } = runScenario(`${REPORTS}
      wait 30
      < 35=0|34=3|
      < 35=1|34=4|112=1-1|
      app 35=8|37=1|17=e2|11=a|
      < 35=8|34=5|37=1|17=e2|11=a|
      > 35=0|34=2|
      wait 29
      app 35=W|55=BTCUSD|
      < 35=W|34=6|55=BTCUSD|
      > 35=0|34=3|
      wait 29
      app 35=W|55=BTCUSD|
      < 35=W|34=7|55=BTCUSD|
      > 35=0|34=4|
      wait 10
      > 35=0|34=5|112=1-1|
      wait 15
    `);
    expect(notes.filter((note) => note.includes('stood still'))).toEqual([]);
  });

  test('S2 a report proven by LastMsgSeqNumProcessed is not repeated', () => {
    runScenario(`${REPORTS}
      > 35=0|34=2|369=2|
      cut
      connect
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
      numbers 2 2
    `);
  });

  test('S2 a TestRequest that a connection left unanswered keeps the next one from no proof', () => {
    runScenario(`${REPORTS}
      wait 30
      < 35=0|34=3|
      < 35=1|34=4|112=1-1|
      cut
      connect
      > 35=A|34=2|98=0|108=30|
      < 35=A|34=5|98=0|108=30|
      > 35=0|34=3|112=1-1|
      wait 30
      < 35=0|34=6|
      < 35=1|34=7|112=1-2|
    `);
  });

  test('S2 LastMsgSeqNumProcessed above the sent numbers proves nothing, and a lower one revokes none', () => {
    const driver = runScenario(`${REPORTS}
      > 35=0|34=2|369=3|
    `);
    expect(driver.journal.provenMsgSeqNum).toBe(0);
    continueScenario(driver, '> 35=0|34=3|369=2|\n > 35=0|34=4|369=1|');
    expect(driver.journal.provenMsgSeqNum).toBe(2);
    // Nothing is sent again, and of a series without a report no proof is wanted.
    continueScenario(
      driver,
      `
      cut
      connect
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
      wait 30
      < 35=0|34=2|
      numbers 3 2
    `,
    );
  });

  test('S2 a report proven by NextExpectedMsgSeqNum is not repeated', () => {
    const driver = runScenario(`${REPORTS}
      cut
      connect
      > 35=A|34=2|98=0|108=30|789=3|
      < 35=A|34=3|98=0|108=30|789=3|
    `);
    expect(driver.journal.provenMsgSeqNum).toBe(2);
    continueScenario(
      driver,
      `
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
      numbers 2 2
    `,
    );
  });

  test('S2 repeats unproven repeated reports after the next reset', () => {
    runScenario(
      `${REPORTS}
      cut
      connect
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
      < 35=8|34=2|57=TRADER|97=Y|37=1|17=e1|11=a|
      cut
      connect
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
      < 35=8|34=2|57=TRADER|97=Y|37=1|17=e1|11=a|
    `,
      { config: { resendLoadChunk: 1 } },
    );
  });

  test('S2 a second reset before the reports of the first were read loses none of them', () => {
    runScenario(`${REPORTS}
      hold
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
      app 35=8|37=1|17=e2|11=a|
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
      release
      < 35=8|34=2|57=TRADER|97=Y|37=1|17=e1|11=a|
      < 35=8|34=3|37=1|17=e2|11=a|
    `);
  });

  test("S2 a reset's debt survives the death of the process, and is sent once", () => {
    const driver = runScenario(`${REPORTS}
      hold
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
      restart
      release
      connect
      > 35=A|34=2|98=0|108=30|
      < 35=A|34=2|98=0|108=30|
      < 35=8|34=3|57=TRADER|97=Y|37=1|17=e1|11=a|
      restart
      connect
      > 35=A|34=3|98=0|108=30|
      < 35=A|34=4|98=0|108=30|
    `);
    expect(driver.journal.ended).toEqual([]);
  });

  test('S2 reads reports with a failed journal read again at the next Logon, and sends them once', () => {
    const driver = runScenario(`${REPORTS}
      hold
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
      cut
    `);
    driver.loseReads();
    continueScenario(
      driver,
      `
      connect
      > 35=A|34=2|98=0|108=30|
      < 35=A|34=2|98=0|108=30|
      cut
      connect
      > 35=A|34=3|98=0|108=30|
      < 35=A|34=3|98=0|108=30|
      release
      < 35=8|34=4|57=TRADER|97=Y|37=1|17=e1|11=a|
    `,
    );
  });

  test('S2 a reset by an operator loses no report either', () => {
    runScenario(`${REPORTS}
      reset
      < 35=5|34=3|58=sequence numbers are being set by an operator|
      > 35=5|34=2|
      closed
      numbers 2 1
      connect
      > 35=A|34=1|98=0|108=30|
      < 35=A|34=2|98=0|108=30|
      > 35=2|34=2|7=1|16=1|
      < 35=8|34=1|57=TRADER|43=Y|97=Y|122={0}|37=1|17=e1|11=a|
    `);
  });

  test('S2 repeated reports keep their addressees in the header, with a present 369', () => {
    const addressed = '50=DESK|142=LON|57=TRADER|143=NYC|115=FUND|116=PM|128=BROKER|129=B7|';
    const was = '115=FUND|128=BROKER|34=2|50=DESK|142=LON|57=TRADER|143=NYC|116=PM|129=B7|';
    const is = '115=FUND|128=BROKER|34=2|50=DESK|142=LON|57=TRADER|143=NYC|116=PM|129=B7|97=Y|';
    runScenario(
      `
      connect
      > 35=A|34=1|98=0|108=30|
      < 35=A|34=1|369=1|98=0|108=30|
      app 35=8|${addressed}37=1|17=e1|
      < 35=8|${was}369=1|37=1|17=e1|
      app 35=r|11=q1|1369=e2|
      < 35=r|34=3|369=1|11=q1|1369=e2|
      > 35=0|34=2|
      cut
      connect
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|369=1|98=0|108=30|141=Y|
      < 35=8|${is}369=1|37=1|17=e1|
      < 35=r|34=3|97=Y|369=1|11=q1|1369=e2|
    `,
      { config: { sendsLastMsgSeqNumProcessed: true } },
    );
  });

  test('S2 repeated reports keep their application version', () => {
    const driver = runScenario(
      `
      connect
      > 35=A|34=1|98=0|108=30|1137=9|
      < 35=A|34=1|98=0|108=30|1137=9|
    `,
      { config: { beginString: 'FIXT.1.1', applVerIDs: ['7'] } },
    );
    driver.input({ kind: 'send', draft: new MessageDraft('8').header(1128, '7').add(17, 'e1') });
    continueScenario(
      driver,
      `
      < 35=8|1128=7|34=2|17=e1|
      cut
      connect
      > 35=A|34=1|98=0|108=30|1137=9|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|1137=9|
      < 35=8|1128=7|34=2|97=Y|17=e1|
    `,
    );
  });

  test('S2 an answer to our TestRequest ahead of a gap proves nothing', () => {
    const { journal } = runScenario(`${REPORTS}
      wait 30
      < 35=0|34=3|
      < 35=1|34=4|112=1-1|
      > 35=0|34=3|112=1-1|
      < 35=2|34=5|7=2|16=2|
      > 35=4|34=2|43=Y|122={30}|123=Y|36=3|
      numbers 6 4
    `);
    expect(journal.provenMsgSeqNum).toBe(0);
  });

  test('S2 nothing is repeated where the session is configured so', () => {
    runScenario(
      `${REPORTS}
      cut
      connect
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
    `,
      { config: { repeatUnprovenReports: false } },
    );
  });

  test("J1 S2 an ended series' debt is owed after a restart in any case: it may never have left", () => {
    const driver = runScenario(`${REPORTS}
      cut
    `);
    driver.holdJournal = true;
    continueScenario(driver, 'reset');
    const owed = (): unknown => driver.journal.recovered(driver.config.sessionId).ended ?? [];
    expect(owed()).toEqual([{ series: 1, from: 1, to: 2 }]);
    driver.restart({ repeatUnprovenReports: false });
    expect(owed()).toEqual([{ series: 1, from: 1, to: 2 }]);
    continueScenario(driver, 'reset');
    expect(owed()).toEqual([{ series: 1, from: 1, to: 2 }]);
  });
});

describe('S3', () => {
  test('S3 a resend changes 43, 122, 52, 9 and 10 only', () => {
    runScenario(`${REPORTS}
      wait 7
      > 35=2|34=2|7=2|16=2|
      < 35=8|34=2|57=TRADER|43=Y|52={7}|122={0}|37=1|17=e1|11=a|
    `);
  });

  test('S3 a resend of a resend keeps the first SendingTime', () => {
    runScenario(`${REPORTS}
      wait 7
      > 35=2|34=2|7=2|16=2|
      < 35=8|34=2|57=TRADER|43=Y|52={7}|122={0}|37=1|17=e1|11=a|
      wait 7
      > 35=2|34=3|7=2|16=2|
      < 35=8|34=2|57=TRADER|43=Y|52={14}|122={0}|37=1|17=e1|11=a|
    `);
  });
});

describe('S4', () => {
  test('S4 a closed range is clipped to the last number sent', () => {
    runScenario(`${LOGON}
      > 35=2|34=2|7=1|16=999999|
      < 35=4|34=1|43=Y|122={0}|123=Y|36=2|
    `);
  });

  for (const [beginString, newSeqNo] of [
    ['FIX.4.0', 1_000_011],
    ['FIX.4.1', 1_000_011],
    ['FIX.4.2', 1_000_000],
    ['FIX.4.4', 1_000_000],
  ] as const) {
    const meaning = newSeqNo === 1_000_000 ? 'is the end of a closed range' : 'means infinity';
    test(`S4 EndSeqNo 999999 in ${beginString} ${meaning}`, () => {
      runScenario(
        `
        connect
        > 35=A|34=1|98=0|108=30|
        < 35=A|34=1000010|98=0|108=30|
        > 35=2|34=2|7=999990|16=999999|
        < 35=4|34=999990|43=Y|122={0}|123=Y|36=${newSeqNo}|
      `,
        { config: { beginString }, numbers: { series: 1, nextSenderMsgSeqNum: 1_000_010, nextTargetMsgSeqNum: 1 } },
      );
    });
  }
});

describe('S5', () => {
  const MISSING = '> 35=0|34=2|43=Y|';
  for (const [beginString, fields] of [
    ['FIX.4.0', ''],
    ['FIX.4.1', ''],
    ['FIX.4.2', '371=122|372=0|373=1|'],
    ['FIX.4.3', '371=122|372=0|373=1|'],
    ['FIX.4.4', '371=122|372=0|373=1|'],
  ] as const) {
    test(`S5 Reject in ${beginString}`, () => {
      runScenario(
        `${LOGON}
        ${MISSING}
        < 35=3|34=2|45=2|${fields}58=Required tag missing: OrigSendingTime(122)|
      `,
        { config: { beginString } },
      );
    });
  }

  for (const [beginString, reason] of [
    ['FIX.4.2', ''],
    ['FIX.4.3', '373=13|'],
    ['FIX.4.4', '373=13|'],
  ] as const) {
    test(`S5 SessionRejectReason 13 in ${beginString}`, () => {
      const fault = { sessionRejectReason: 13, refTagID: 11, text: 'twice' } as const;
      runScenario(
        `
        connect
        > 35=A|34=1|98=0|108=30|
        < 35=A|34=1|98=0|108=30|
        > 35=D|34=2|11=a|
        < 35=3|34=2|45=2|371=11|372=D|${reason}58=twice|
      `,
        { config: { beginString }, validator: { validate: (view) => (view.msgType === 'D' ? fault : null) } },
      );
    });
  }
});

describe('S10', () => {
  test('S10 answers a ResendRequest with a too high number at once, then requests the gap', () => {
    runScenario(`${LOGON}
      app 35=8|17=e1|
      < 35=8|34=2|17=e1|
      > 35=2|34=3|7=2|16=0|
      < 35=8|34=2|43=Y|122={0}|17=e1|
      < 35=2|34=3|7=2|16=2|
      > 35=4|34=2|43=Y|122={0}|123=Y|36=3|
      numbers 4 4
    `);
  });

  test('S10 answers a Logout with a too high number at once, then requests the gap', () => {
    const driver = runScenario(`${LOGON}
      > 35=5|34=3|
      < 35=5|34=2|
      < 35=2|34=3|7=2|16=2|
    `);
    // The order in the gap came before the Logout: the session is not off before it is in.
    expect(driver.events).toEqual(['loggedOn']);
    continueScenario(
      driver,
      `
      > 35=D|34=2|43=Y|122={0}|11=a|
      delivered 35=D|34=2|
      numbers 4 4
      cut
    `,
    );
    expect(driver.events).toEqual(['loggedOn', 'loggedOff logout']);
  });

  test('S10 does not act on a faulty message ahead of its number: it is rejected in turn', () => {
    runScenario(`${LOGON}
      > 35=1|34=3|43=Y|112=alive|
      < 35=2|34=2|7=2|16=2|
      > 35=4|34=2|43=Y|122={0}|123=Y|36=3|
      < 35=3|34=3|45=3|371=122|372=1|373=1|58=Required tag missing: OrigSendingTime(122)|
      numbers 4 4
    `);
  });

  test('S10 answers a TestRequest with a too high number at once: recovery must not kill the session', () => {
    runScenario(`${LOGON}
      > 35=1|34=4|112=alive|
      # The answer comes second: before the ResendRequest it would prove that nothing is missing (rule S2).
      < 35=2|34=2|7=2|16=3|
      < 35=0|34=3|112=alive|
      > 35=4|34=2|43=Y|122={0}|123=Y|36=4|
      numbers 4 5
    `);
  });
});

test('O4 marks an order behind a gap as waited, and one that fills it as PossDup', () => {
  const driver = runScenario(`${LOGON}
    > 35=D|34=3|11=b|
    < 35=2|34=2|7=2|16=2|
  `);
  const time = timestampOf(driver.now, 'FIX.4.4');
  driver.receive(completeFrame(`35=D|34=2|43=Y|122=${time}|11=a|`, 'OMS', 'XGATE', 'FIX.4.4', time));
  driver.receive(completeFrame('35=D|34=4|11=c|', 'OMS', 'XGATE', 'FIX.4.4', time));
  expect(driver.outcomes).toMatchObject([
    { kind: 'deliver', possDup: true, waited: false },
    { kind: 'deliver', possDup: false, waited: true },
    { kind: 'deliver', possDup: false, waited: false },
  ]);
});

describe('S11', () => {
  test('S11 every ExecutionReport of the present series is resent, none is gap-filled away', () => {
    const driver = runScenario(LOGON);
    let expected = '';
    let script = '';
    for (let i = 2; i <= 60; i++) {
      script += `app 35=8|17=e${i}|\n< 35=8|34=${i}|17=e${i}|\n`;
      expected += `< 35=8|34=${i}|43=Y|122={0}|17=e${i}|\n`;
    }
    continueScenario(driver, `${script}> 35=2|34=2|7=2|16=0|\n${expected}`);
  });

  test('S11 an order that first arrives as PossDup reaches the application, marked', () => {
    const { alarms } = runScenario(`${LOGON}
      > 35=D|34=2|43=Y|122={-5}|11=a|
      delivered 35=D|34=2|43=Y|11=a|
    `);
    expect(alarms).toEqual([]);
  });
});
