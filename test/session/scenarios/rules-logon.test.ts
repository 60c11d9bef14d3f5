// Rules of the Logon: S1, S6, S8, and ResetSeqNumFlag(141) and NextExpectedMsgSeqNum(789).

import { describe, expect, test } from 'vitest';
import { type MachineOptions, runScenario } from '../../support/session/session-machine.ts';

const LOGON = `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
`;
const AT_5_7: MachineOptions = { numbers: { series: 1, nextSenderMsgSeqNum: 5, nextTargetMsgSeqNum: 7 } };

test('FIX.4.0 has no ResetSeqNumFlag(141): a Logon that carries it begins nothing again', () => {
  runScenario(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    cut
    connect
    > 35=A|34=1|98=0|108=30|141=Y|
    < 35=5|34=2|58=MsgSeqNum too low, expecting 2 but received 1|
    closed
  `,
    { config: { beginString: 'FIX.4.0' } },
  );
});

test('FIX.4.0 has no ResetSeqNumFlag(141): nor does a Logon that carries it within the session', () => {
  runScenario(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=0|34=2|
    > 35=A|34=3|98=0|108=30|141=Y|
    numbers 2 4
  `,
    { config: { beginString: 'FIX.4.0' } },
  );
});

test('refuses a Logon that the dictionary refuses, and such an answer to ours', () => {
  runScenario(
    `
    connect
    > 35=A|34=1|98=0|108=30|38=5|
    < 35=5|34=1|58=Tag not defined for this message type: OrderQty(38)|
    closed
    numbers 2 1
  `,
    { validator: 'stock' },
  );
  runScenario(
    `
    connect
    < 35=A|34=1|98=0|108=30|
    > 35=A|34=1|108=30|
    < 35=5|34=2|58=Required tag missing: EncryptMethod(98)|
    closed
  `,
    { validator: 'stock', config: { role: 'initiator' } },
  );
});

test('where messages are not to be checked a dictionary refuses nothing, a Logon neither', () => {
  const fault = { sessionRejectReason: 1, refTagID: 11, text: 'all is wrong' };
  runScenario(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=D|34=2|
    delivered 35=D|34=2|
  `,
    { config: { validateIncoming: false }, validator: { validate: () => fault } },
  );
});

test('DefaultApplVerID of an application version that is not spoken is refused by name', () => {
  const FIXT: MachineOptions = { config: { beginString: 'FIXT.1.1', sessionId: 'FIXT.1.1:XGATE->OMS' } };
  runScenario(
    `
    connect
    > 35=A|34=1|98=0|108=30|1137=7|
    < 35=5|34=1|58=DefaultApplVerID(1137)=7 is not spoken here, only 9 (FIX.5.0SP2)|
    closed
    connect
    > 35=A|34=1|98=0|108=30|1137=9|
    < 35=A|34=2|98=0|108=30|1137=9|
  `,
    FIXT,
  );
});

describe('S1', () => {
  test('S1 a Logon that is not authenticated consumes no number and its ResetSeqNumFlag resets nothing', () => {
    runScenario(
      `
      connect
      > 35=A|34=1|98=0|108=30|141=Y|554=wrong|
      < 35=5|34=1|58=invalid username or password|
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

  test('S1 ResetSeqNumFlag within the session resets nothing without authentication', () => {
    let logons = 0;
    runScenario(
      `${LOGON}
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=5|34=2|58=Logon was not authenticated|
      closed
      numbers 3 2
    `,
      { authenticate: () => (logons++ === 0 ? { kind: 'accepted' } : { kind: 'notLogon' }) },
    );
  });

  test('S1 refuses an unauthenticated Logon', () => {
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

  test('S6 the answer is by setting: with silence the connection ends, and no number is used up', () => {
    runScenario(
      `
      connect
      > 35=A|34=1|98=0|108=61|
      closed
      numbers 1 1
      connect
      > 35=A|34=1|98=0|108=60|
      < 35=A|34=1|98=0|108=60|
      cut
      connect
      > 35=A|34=1|98=0|108=60|
      < 35=5|34=2|58=MsgSeqNum too low, expecting 2 but received 1|
      closed
    `,
      { config: { heartBtIntMinS: 10, heartBtIntMaxS: 60, onRefusal: 'silence' } },
    );
  });

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

  test("S6 an initiator may take the acceptor's HeartBtInt(108) within its limits; else it disconnects", () => {
    const config = { role: 'initiator', senderCompID: 'OMS', targetCompID: 'XGATE', heartBtIntMinS: 20 } as const;
    const takes = { config: { ...config, heartBtIntFromAcceptor: true } };
    const answered = (heartBtInt: number): string => `
        connect
        < 35=A|34=1|98=0|108=30|
        > 35=A|34=1|98=0|108=${heartBtInt}|
      `;
    runScenario(
      `${answered(60)}
        up
        wait 60
        < 35=0|34=2|
        wait 12
        < 35=1|34=3|112=1-1|
        cut
        down disconnect
        connect
        < 35=A|34=4|98=0|108=30|
        > 35=A|34=2|98=0|108=30|
        up
        wait 30
        < 35=0|34=5|
        `,
      takes,
    );
    runScenario(`${answered(121)}< 35=5|34=2|58=HeartBtInt(108)=121 is outside 20 to 120 seconds|\n closed`, takes);
    runScenario(`${answered(0)}< 35=5|34=2|58=HeartBtInt(108)=0 is not allowed|\n closed`, takes);
    runScenario(`${answered(60)}< 35=5|34=2|58=HeartBtInt(108)=60 is not the 30 that was sent|\n closed`, { config });
  });
});

describe('S8', () => {
  test('S8 a production session refuses TestMessageIndicator=Y', () => {
    runScenario(
      `
      connect
      > 35=A|34=1|98=0|108=30|464=Y|
      < 35=5|34=1|58=TestMessageIndicator(464)=Y on a production session|
      closed
      connect
      > 35=A|34=1|98=0|108=30|
      < 35=A|34=2|98=0|108=30|
    `,
      { config: { environment: 'production' } },
    );
  });

  test('S8 an initiator of a test session says so, and one of production does not', () => {
    for (const [environment, said] of [
      ['test', '464=Y|'],
      ['production', ''],
    ] as const) {
      runScenario(`connect\n< 35=A|34=1|98=0|108=30|${said}`, { config: { role: 'initiator', environment } });
    }
  });

  test("S8 an initiator of a test session requires it of no acceptor's Logon, and answers with it", () => {
    runScenario(
      `
      connect
      < 35=A|34=1|98=0|108=30|464=Y|
      > 35=A|34=1|98=0|108=30|
      up
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|464=Y|
      numbers 2 2
    `,
      { config: { role: 'initiator', environment: 'test' } },
    );
  });

  test("S8 names the session's exchange in the Logon answer of FIXT.1.1, and in no other", () => {
    const config = { logonText: 'bound to the simulator' };
    const said = '58=bound to the simulator|';
    for (const [change, text] of [
      [{ beginString: 'FIXT.1.1' }, `1137=9|${said}`],
      [{ sendsSessionStatus: true }, '1409=0|'],
      [{ beginString: 'FIXT.1.1', sendsSessionStatus: true }, '1137=9|1409=0|'],
      [{}, ''],
    ] as const) {
      const applVerID = 'beginString' in change ? '1137=9|' : '';
      runScenario(`connect\n> 35=A|34=1|98=0|108=30|${applVerID}\n< 35=A|34=1|98=0|108=30|${text}`, {
        config: { ...config, ...change },
      });
    }
  });

  test('S8 a test session of a version that does not have it takes a Logon without it', () => {
    runScenario(
      `
      connect
      > 35=A|34=1|98=0|108=30|
      < 35=A|34=1|98=0|108=30|
      up
    `,
      { config: { beginString: 'FIX.4.2', environment: 'test' } },
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
  test('789 in the Logon: missing messages follow the answer unasked, with a gap fill over the answer', () => {
    runScenario(`
      app 35=8|17=e1|
      app 35=8|17=e2|
      connect
      > 35=A|34=1|98=0|108=30|789=2|
      < 35=A|34=3|98=0|108=30|789=2|
      < 35=8|34=2|43=Y|122={0}|17=e2|
      < 35=4|34=3|43=Y|122={0}|123=Y|36=4|
      app 35=8|17=e3|
      < 35=8|34=4|17=e3|
      numbers 5 2
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

  test('789 in an acceptor’s answer to our ResetSeqNumFlag asks for nothing either', () => {
    const config = { role: 'initiator', resetOn: ['logon'], sendsNextExpectedMsgSeqNum: true } as const;
    for (const nextExpected of ['1', '7', 'x'])
      runScenario(
        `
        connect
        < 35=A|34=1|98=0|108=30|141=Y|789=1|
        > 35=A|34=1|98=0|108=30|141=Y|789=${nextExpected}|
        numbers 2 2
      `,
        { config },
      );
  });

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
