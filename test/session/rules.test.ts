// Rules S1 to S11, and J1 where the session keeps it.

import { describe, expect, test } from 'vitest';
import { toPrintable } from '../../src/wire/mod.ts';
import { continueScenario, type MachineOptions, runScenario } from '../support/session-machine.ts';

const LOGON = `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
`;
const AT_5_7: MachineOptions = { numbers: { series: 1, nextSenderMsgSeqNum: 5, nextTargetMsgSeqNum: 7 } };

describe('S1', () => {
  test('S1 a Logon that is not authenticated consumes no number and its ResetSeqNumFlag resets nothing', () => {
    runScenario(
      `
      connect
      > 35=A|34=1|98=0|108=30|141=Y|554=wrong|
      < 35=5|34=5|58=invalid username or password|
      closed
      numbers 5 7
      connect
      > 35=A|34=7|98=0|108=30|554=right|
      < 35=A|34=5|98=0|108=30|
      numbers 6 8
    `,
      AT_5_7,
    );
  });

  test('S1 a second Logon of a live session is dropped without a message', () => {
    runScenario(`${LOGON}
      > 35=A|34=2|98=0|108=30|
      numbers 2 3
    `);
  });

  test('S1 ResetSeqNumFlag within the session with a wrong password resets nothing', () => {
    runScenario(`${LOGON}
      > 35=A|34=1|98=0|108=30|141=Y|554=wrong|
      < 35=5|34=2|58=Logon was not authenticated|
      closed
      numbers 3 2
    `);
  });

  test('S1 a Logon that nobody authenticated is refused', () => {
    runScenario(
      `
      connect
      > 35=A|34=1|98=0|108=30|
      < 35=5|34=1|58=Logon was not authenticated|
      closed
      numbers 1 1
    `,
      { authenticate: () => ({ kind: 'notLogon' }) },
    );
  });
});

describe('ResetSeqNumFlag', () => {
  test('141=Y in the Logon begins a new series on both sides and comes back', () => {
    const { journal } = runScenario(
      `
      connect
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
      numbers 2 2
    `,
      AT_5_7,
    );
    expect(journal.numbers.series).toBe(2);
  });

  test('141=Y within an open session begins a new series on both sides', () => {
    const { journal } = runScenario(`${LOGON}
      > 35=D|34=2|11=a|
      delivered 35=D|
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
      > 35=D|34=2|11=b|
      delivered 35=D|34=2|11=b|
      numbers 2 3
    `);
    expect(journal.numbers.series).toBe(2);
  });

  test('141=Y where it is not allowed is refused', () => {
    runScenario(
      `
      connect
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=5|34=5|58=ResetSeqNumFlag(141)=Y is not allowed on this session|
      closed
      numbers 6 7
    `,
      { ...AT_5_7, config: { resetOnLogonAllowed: false } },
    );
  });

  test('141=Y with a MsgSeqNum other than 1 is refused', () => {
    runScenario(
      `
      connect
      > 35=A|34=7|98=0|108=30|141=Y|
      < 35=5|34=5|58=ResetSeqNumFlag(141)=Y needs MsgSeqNum(34)=1|
      closed
      numbers 6 7
    `,
      AT_5_7,
    );
  });
});

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

  test('S2 what was repeated and not proven is repeated again after the next reset', () => {
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
  test('S4 EndSeqNo 999999 in 4.4 is a closed range, clipped to the last number sent', () => {
    runScenario(`${LOGON}
      > 35=2|34=2|7=1|16=999999|
      < 35=4|34=1|43=Y|122={0}|123=Y|36=2|
    `);
  });

  for (const beginString of ['FIX.4.0', 'FIX.4.1']) {
    test(`S4 EndSeqNo 999999 in ${beginString} means infinity`, () => {
      runScenario(
        `${LOGON}
        > 35=2|34=2|7=1|16=999999|
        < 35=4|34=1|43=Y|122={0}|123=Y|36=2|
      `,
        { config: { beginString } },
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
      const fault = { level: 'reject', sessionRejectReason: 13, refTagID: 11, text: 'twice' } as const;
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

describe('S6', () => {
  for (const [heartBtIntS, text] of [
    ['0', 'HeartBtInt(108)=0 is not allowed'],
    ['9', 'HeartBtInt(108)=9 is outside 10 to 60 seconds'],
    ['61', 'HeartBtInt(108)=61 is outside 10 to 60 seconds'],
  ]) {
    test(`S6 HeartBtInt ${heartBtIntS} outside the limits is refused with the limits`, () => {
      runScenario(
        `
        connect
        > 35=A|34=1|98=0|108=${heartBtIntS}|
        < 35=5|34=1|58=${text}|
        closed
      `,
        { config: { heartBtIntMinS: 10, heartBtIntMaxS: 60 } },
      );
    });
  }

  for (const heartBtIntS of ['10', '60']) {
    test(`S6 HeartBtInt ${heartBtIntS} at a limit is taken`, () => {
      runScenario(
        `
        connect
        > 35=A|34=1|98=0|108=${heartBtIntS}|
        < 35=A|34=1|98=0|108=${heartBtIntS}|
      `,
        { config: { heartBtIntMinS: 10, heartBtIntMaxS: 60 } },
      );
    });
  }
});

describe('S8', () => {
  test('S8 a production session refuses TestMessageIndicator=Y', () => {
    runScenario(
      `
      connect
      > 35=A|34=1|98=0|108=30|464=Y|
      < 35=5|34=1|58=TestMessageIndicator(464)=Y on a production session|
      closed
    `,
      { config: { environment: 'production' } },
    );
  });

  test('S8 a test session refuses its absence', () => {
    runScenario(
      `
      connect
      > 35=A|34=1|98=0|108=30|
      < 35=5|34=1|58=TestMessageIndicator(464)=Y is required on a test session|
      closed
      connect
      > 35=A|34=1|98=0|108=30|464=Y|
      < 35=A|34=2|98=0|108=30|464=Y|
    `,
      { config: { environment: 'test' } },
    );
  });
});

describe('NextExpectedMsgSeqNum', () => {
  test('789 in the Logon: the missing messages follow the answer unasked', () => {
    runScenario(`
      app 35=8|17=e1|
      app 35=8|17=e2|
      connect
      > 35=A|34=1|98=0|108=30|789=2|
      < 35=A|34=3|98=0|108=30|789=2|
      < 35=8|34=2|43=Y|122={0}|17=e2|
      numbers 4 2
    `);
  });

  for (const nextExpected of ['0', '1', '7', 'x']) {
    test(`789=${nextExpected} beside ResetSeqNumFlag asks for nothing`, () => {
      runScenario(
        `
        connect
        > 35=A|34=1|98=0|108=30|141=Y|789=${nextExpected}|
        < 35=A|34=1|98=0|108=30|141=Y|789=2|
        numbers 2 2
      `,
        AT_5_7,
      );
    });
  }

  for (const nextExpected of ['0', '-1', 'x']) {
    test(`789=${nextExpected} is refused`, () => {
      runScenario(`
        connect
        > 35=A|34=1|98=0|108=30|789=${nextExpected}|
        < 35=5|34=1|58=NextExpectedMsgSeqNum(789) is not a number from 1 to the next one, 1|
        closed
      `);
    });
  }

  test('789 both ways: the gap of the counterparty is announced in our answer, not asked for', () => {
    runScenario(`
      connect
      > 35=A|34=3|98=0|108=30|789=1|
      < 35=A|34=1|98=0|108=30|789=1|
      > 35=D|34=1|43=Y|122={-9}|11=a|
      delivered 35=D|34=1|
      > 35=4|34=2|43=Y|122={0}|123=Y|36=3|
      numbers 2 4
    `);
  });
});

describe('S10', () => {
  test('S10 a ResendRequest whose own number is too high is answered at once, then the gap is asked for', () => {
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

  test('S10 a Logout whose own number is too high is answered at once, then the gap is asked for', () => {
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

  test('S10 a TestRequest whose own number is too high is answered at once: recovery must not kill the session', () => {
    runScenario(`${LOGON}
      > 35=1|34=4|112=alive|
      < 35=0|34=2|112=alive|
      < 35=2|34=3|7=2|16=3|
      > 35=4|34=2|43=Y|122={0}|123=Y|36=4|
      numbers 4 5
    `);
  });
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
    runScenario(`${LOGON}
      > 35=D|34=2|43=Y|122={-5}|11=a|
      delivered 35=D|34=2|43=Y|11=a|
    `);
  });
});

describe('J1 and secrets', () => {
  test('J1 the expected number is in the record of the message that it counts, just before the delivery', () => {
    const { journal } = runScenario(`${LOGON}
      > 35=D|34=2|11=a|
      delivered 35=D|34=2|
    `);
    const record = journal.records.at(-1);
    expect(record).toMatchObject({ kind: 'inbound', msgSeqNum: 2, nextTargetMsgSeqNum: 3, msgType: 'D' });
  });

  test('no record holds a Password, taken or refused, in or out', () => {
    const taken = runScenario(`
      connect
      > 35=A|34=1|98=0|108=30|553=desk|554=hunter2|
      < 35=A|34=1|98=0|108=30|
      cut
      connect
      > 35=A|34=9|98=0|108=30|553=desk|554=hunter3|
      < 35=A|34=2|98=0|108=30|
      < 35=2|34=3|7=2|16=8|
      > 35=4|34=2|43=Y|122={0}|123=Y|36=9|
    `);
    const refused = runScenario(`
      connect
      > 35=A|34=1|98=0|108=30|553=desk|554=wrong|
      < 35=5|34=1|58=invalid username or password|
      closed
    `);
    const sent = runScenario(
      `
      connect
      < 35=A|34=1|98=0|108=30|554=hunter4|
    `,
      { config: { role: 'initiator', logonFields: [[554, 'hunter4']] } },
    );
    const misplaced = runScenario(`${LOGON}
      > 35=D|34=2|11=a|554=hunter5|
      delivered 35=D|
      > 35=A|34=2|98=0|108=30|554=hunter6|
      < 35=5|34=2|58=MsgSeqNum too low, expecting 3 but received 2|
      closed
    `);
    for (const { journal } of [taken, refused, sent, misplaced]) {
      const text = journal.records.map((record) => ('raw' in record ? toPrintable(record.raw) : '')).join('\n');
      expect(text).toContain('554=*');
      expect(text).not.toMatch(/hunter|wrong/);
    }
  });
});

describe('numbers that cannot be believed', () => {
  for (const newSeqNo of ['100000001', '9007199254740991']) {
    const text = `Value is incorrect: NewSeqNo(36)=${newSeqNo} is above the limit 100000000`;
    test(`NewSeqNo ${newSeqNo} is rejected in both modes`, () => {
      runScenario(`${LOGON}
        > 35=4|34=2|36=${newSeqNo}|
        < 35=3|34=2|45=2|371=36|372=4|373=5|58=${text}|
        numbers 3 2
        > 35=4|34=2|123=Y|36=${newSeqNo}|
        < 35=3|34=3|45=2|371=36|372=4|373=5|58=${text}|
        numbers 4 3
      `);
    });
  }

  test('MsgSeqNum beyond 32 bits ends the session, and refuses a Logon', () => {
    runScenario(`${LOGON}
      > 35=0|34=2147483648|
      < 35=5|34=2|58=MsgSeqNum(34) malformed|
      closed
      connect
      > 35=A|34=2147483648|98=0|108=30|
      < 35=5|34=3|58=MsgSeqNum(34) missing or malformed|
      closed
    `);
  });
});

describe('sequence number limit', () => {
  const numbers = { series: 1, nextSenderMsgSeqNum: 8_998, nextTargetMsgSeqNum: 5 };

  test('News goes out once, 1,000 numbers before the limit', () => {
    runScenario(
      `
      connect
      > 35=A|34=5|98=0|108=30|
      < 35=A|34=8998|98=0|108=30|
      app 35=8|17=e1|
      < 35=8|34=8999|17=e1|
      < 35=B|34=9000|148=Sequence number threshold|33=1|58=MsgSeqNum(34) is near the limit 10000: log on again with ResetSeqNumFlag(141)=Y|
      app 35=8|17=e2|
      < 35=8|34=9001|17=e2|
    `,
      { config: { seqNumMax: 10_000 }, numbers },
    );
  });

  test('at the limit the session ends with SessionStatus 101, and comes back by a reset only', () => {
    runScenario(
      `
      connect
      > 35=A|34=5|98=0|108=30|
      < 35=A|34=9998|98=0|108=30|1409=0|
      < 35=B|34=9999|148=Sequence number threshold|33=1|58=MsgSeqNum(34) is near the limit 10000: log on again with ResetSeqNumFlag(141)=Y|
      > 35=1|34=6|112=a|
      < 35=0|34=10000|112=a|
      < 35=5|34=10001|1409=101|58=MsgSeqNum(34) has reached the limit 10000|
      > 35=5|34=7|
      closed
      connect
      > 35=A|34=8|98=0|108=30|
      < 35=5|34=10002|1409=101|58=MsgSeqNum(34) has reached the limit 10000|
      closed
      connect
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|1409=0|
    `,
      { config: { seqNumMax: 10_000, sendsSessionStatus: true }, numbers: { ...numbers, nextSenderMsgSeqNum: 9_998 } },
    );
  });
});
