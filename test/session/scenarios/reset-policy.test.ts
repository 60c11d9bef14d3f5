// Reset policies (`resetOn`): numbers that begin again at each Logon, after a Logout, after any end of the connection.

import { expect, test } from 'vitest';
import { Session } from '../../../src/session/mod.ts';
import { type ScenarioRunner, testInEveryVersion } from '../../support/session/every-version.ts';
import { acceptAll, runScenario, sessionConfig } from '../../support/session/session-machine.ts';

const INITIATOR = { role: 'initiator', senderCompID: 'OMS', targetCompID: 'XGATE' } as const;

testInEveryVersion(
  'an initiator that resets at each Logon asks for it with 141=Y and 34=1, the first time too',
  (run) => {
    run(
      `
      connect
      < 35=A|34=1|98=0|108=30|141=Y|
      > 35=A|34=1|98=0|108=30|141=Y|
      up
      cut
      down
      connect
      < 35=A|34=1|98=0|108=30|141=Y|
      > 35=A|34=1|98=0|108=30|141=Y|
      up
      numbers 2 2
      `,
      { config: { ...INITIATOR, resetOn: ['logon'] } },
    );
  },
  'FIX.4.1',
);

test.each([
  ['none was used', 1, 1, 1],
  ['one of ours was used', 2, 1, 2],
  ['one of theirs was counted', 1, 2, 2],
])(
  'numbers that begin again at each Logon begin another series only where one was used: %s',
  (_, nextSenderMsgSeqNum, nextTargetMsgSeqNum, series) => {
    const { session } = runScenario(
      `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    numbers 2 2
    `,
      { config: { resetOn: ['logon'] }, numbers: { series: 1, nextSenderMsgSeqNum, nextTargetMsgSeqNum } },
    );
    expect(session.numbers.series).toBe(series);
  },
);

testInEveryVersion(
  'numbers that begin again after a Logout do not after the cut of the connection behind it',
  (run) => {
    run(
      `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    up
    logout bye
    < 35=5|34=2|58=bye|
    > 35=5|34=2|
    closed
    down
    cut
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    up
    cut
    down
    numbers 2 2
    `,
      { config: { resetOn: ['logout'] } },
    );
  },
);

testInEveryVersion(
  'an acceptor that resets at each Logon does so too where only the expected number is another',
  (run) => {
    run(
      `
    expects 5
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    numbers 2 2
    `,
      { config: { resetOn: ['logon'] } },
    );
  },
);

testInEveryVersion(
  'an initiator whose expected number an operator sets to 1 resets nothing: ours goes on, after a restart too',
  (run) => {
    for (const also of ['', 'restart']) {
      const { session } = run(
        `
        reset
        connect
        < 35=A|34=1|98=0|108=30|141=Y|
        > 35=A|34=1|98=0|108=30|141=Y|
        up
        app 35=D|11=a|
        < 35=D|34=2|11=a|
        cut
        down
        expects 1
        ${also}
        connect
        < 35=A|34=3|98=0|108=30|
        > 35=A|34=1|98=0|108=30|
        up
        numbers 4 2
        `,
        { config: INITIATOR, numbers: { series: 1, nextSenderMsgSeqNum: 9, nextTargetMsgSeqNum: 9 } },
      );
      expect(session.numbers.series).toBe(2);
    }
  },
  'FIX.4.1',
);

testInEveryVersion('an acceptor that resets at each Logon begins again whatever the Logon says', (run) => {
  run(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    up
    cut
    down
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    up
    numbers 2 2
    `,
    { config: { resetOn: ['logon'] } },
  );
});

testInEveryVersion('S1 a refused Logon resets nothing, policy or not', (run) => {
  run(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    up
    cut
    down
    connect
    > 35=A|34=1|98=0|108=30|554=wrong|
    < 35=5|34=1|58=invalid username or password|
    closed
    numbers 2 2
    connect
    > 35=A|34=2|98=0|108=0|
    < 35=5|34=2|58=HeartBtInt(108)=0 is not allowed|
    closed
    numbers 3 2
    `,
    { config: { resetOn: ['logon'] } },
  );
});

testInEveryVersion('after a Logout: numbers begin again, after a lost connection they go on', (run) => {
  run(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    up
    cut
    down
    numbers 2 2
    connect
    > 35=A|34=2|98=0|108=30|
    < 35=A|34=2|98=0|108=30|
    up
    > 35=5|34=3|
    < 35=5|34=3|
    cut
    down
    numbers 1 1
    `,
    { config: { resetOn: ['logout'] } },
  );
});

testInEveryVersion('after a Logout: also if the process dies before its connection has ended', (run) => {
  run(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    up
    > 35=5|34=2|
    < 35=5|34=2|
    down
    restart
    restart
    connect
    numbers 1 1
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    up
    `,
    { config: { resetOn: ['logout'] } },
  );
});

testInEveryVersion(
  'S2 a counterparty that has our Logon alone, and nothing of the numbers begun behind our lost Logout, goes on in the old ones',
  (run) => {
    run(
      `
      connect
      > 35=A|34=1|98=0|108=30|
      < 35=A|34=1|98=0|108=30|
      logout bye
      < 35=5|34=2|58=bye|
      cut
      app 35=8|17=e1|
      app 35=8|17=e2|
      connect
      > 35=A|34=2|98=0|108=30|789=2|
      < 35=A|34=3|98=0|108=30|789=3|
      < 35=4|34=2|43=Y|122={0}|123=Y|36=4|
      < 35=8|34=4|97=Y|17=e1|
      < 35=8|34=5|97=Y|17=e2|
      `,
      { config: { resetOn: ['logout'] } },
    );
  },
  'FIX.4.4',
);

test('a reset setting added later takes no effect at the restart: the counterparty did not reset', () => {
  const driver = runScenario(`
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=5|34=2|
    < 35=5|34=2|
    cut
  `);
  const config = sessionConfig({ resetOn: ['logout'] });
  const session = new Session(config, acceptAll, driver.journal.recovered(config.sessionId));
  session.handle({ kind: 'connected', remote: '192.0.2.1:40000' }, driver.now);
  expect(session.numbers).toEqual(driver.session.numbers);
});

testInEveryVersion(
  'a counterparty that refuses our Logon behind a gap by its Logout, and goes on in its numbers, finds ours go on until it takes one',
  (run) => {
    for (const also of ['', 'restart']) {
      // QuickFIX C++ with ResetOnLogout=Y begins again for a Logout that it reads, not for one of its own.
      const refused = `
        connect
        > 35=A|34=2|98=0|108=30|
        < 35=A|34=1|98=0|108=30|
        < 35=2|34=2|7=1|16=1|
        up
        > 35=5|34=3|58=MsgSeqNum too low, expecting 2 but received 1|
        < 35=5|34=3|
        cut
        ${also}
        connect
      `;
      run(
        `${refused}
        > 35=A|34=5|98=0|108=30|
        < 35=A|34=4|98=0|108=30|
        < 35=2|34=5|7=1|16=4|
        > 35=2|34=6|7=2|16=0|
        < 35=4|34=2|43=Y|122={0}|123=Y|36=6|
        > 35=4|34=1|43=Y|123=Y|36=7|
        numbers 6 7
        `,
        { config: { resetOn: ['logout'] } },
      );
      // It has begun again: in its old numbers it was beyond 1.
      run(
        `${refused}
        > 35=A|34=1|98=0|108=30|
        < 35=A|34=1|98=0|108=30|
        numbers 2 2
        `,
        { config: { resetOn: ['logout'] } },
      );
    }
  },
);

testInEveryVersion('after a Logout: once, whenever the process dies after it', (run) => {
  const { session } = run(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    up
    > 35=5|34=2|
    < 35=5|34=2|
    cut
    down
    numbers 1 1
    app 35=8|17=e1|
    restart
    connect
    numbers 2 1
    `,
    { config: { resetOn: ['logout'] } },
  );
  expect(session.numbers.series).toBe(2);
});

testInEveryVersion('after any end: also after the death of the process, once it is back', (run) => {
  const { session } = run(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    up
    cut
    down
    numbers 1 1
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    up
    restart
    connect
    numbers 1 1
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    up
    `,
    { config: { resetOn: ['disconnect'] } },
  );
  expect(session.numbers.series).toBe(3);
});

testInEveryVersion('after any end of the connection: a Logout(5) of either side is one', (run) => {
  for (const logout of ['> 35=5|34=2|\n< 35=5|34=2|', 'logout bye\n< 35=5|34=2|58=bye|\n> 35=5|34=2|\nclosed'])
    run(
      `
      connect
      > 35=A|34=1|98=0|108=30|
      < 35=A|34=1|98=0|108=30|
      up
      ${logout}
      cut
      down logout
      numbers 1 1
      `,
      { config: { resetOn: ['disconnect'] } },
    );
});

testInEveryVersion('S2 reports that such a reset would lose follow the next Logon with 97=Y', (run) => {
  run(
    `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    up
    app 35=8|17=e1|
    < 35=8|34=2|17=e1|
    cut
    down
    numbers 1 1
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    < 35=8|34=2|97=Y|17=e1|
    up
    `,
    { config: { resetOn: ['disconnect'] } },
  );
});

/** Logged on, with a report each way of the Logout(5) that follows. */
const LOGGED_ON = `
  connect
  > 35=A|34=1|98=0|108=30|
  < 35=A|34=1|98=0|108=30|
  up
  app 35=8|17=e1|
  < 35=8|34=2|17=e1|
`;

testInEveryVersion(
  'after a Logout whose answer is lost: a counterparty that has not begun again goes on, and so do we, after a restart too',
  (run) => {
    for (const also of ['', 'restart']) {
      run(
        `${LOGGED_ON}
        > 35=5|34=2|
        < 35=5|34=3|
        cut
        down
        numbers 1 1
        app 35=8|17=e2|
        ${also}
        connect
        > 35=A|34=3|98=0|108=30|
        < 35=A|34=4|98=0|108=30|
        < 35=8|34=5|97=Y|17=e1|
        < 35=8|34=6|${also === '' ? '' : '97=Y|'}17=e2|
        up
        > 35=2|34=4|7=3|16=3|
        < 35=4|34=3|43=Y|122={0}|123=Y|36=4|
        > 35=0|34=5|
        numbers 7 6
        `,
        { config: { resetOn: ['logout'] } },
      );
    }
  },
);

testInEveryVersion('after our Logout that nobody answers: an acceptor goes on as its counterparty does', (run) => {
  for (const end of ['cut\n down', 'restart']) goesOnAsItsCounterparty(run, end);
});

function goesOnAsItsCounterparty(run: ScenarioRunner, end: string): void {
  const unanswered = `${LOGGED_ON}
    logout closed for today
    < 35=5|34=3|58=closed for today|
    ${end}
  `;
  // It read our Logout.
  run(
    `${unanswered}
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    < 35=8|34=2|97=Y|17=e1|
    up
    `,
    { config: { resetOn: ['logout'] } },
  );
  // It did not.
  run(
    `${unanswered}
    connect
    > 35=A|34=2|98=0|108=30|
    < 35=A|34=4|98=0|108=30|
    < 35=8|34=5|97=Y|17=e1|
    up
    `,
    { config: { resetOn: ['logout'] } },
  );
}

testInEveryVersion(
  'after our Logout that nobody answers: an initiator begins again, and its Logon says so',
  (run) => {
    for (const end of ['cut\n down', 'restart']) {
      run(
        `
        connect
        < 35=A|34=1|98=0|108=30|141=Y|
        > 35=A|34=1|98=0|108=30|141=Y|
        up
        logout enough
        < 35=5|34=2|58=enough|
        ${end}
        connect
        < 35=A|34=1|98=0|108=30|141=Y|
        > 35=A|34=1|98=0|108=30|141=Y|
        up
        numbers 2 2
        `,
        { config: { ...INITIATOR, resetOn: ['logout'] } },
      );
    }
  },
  'FIX.4.1',
);

test("after a Logout NextExpectedMsgSeqNum(789)=1 proves the counterparty's reset, at any number", () => {
  runScenario(
    `${LOGGED_ON}
    > 35=5|34=2|
    < 35=5|34=3|
    cut
    down
    connect
    > 35=A|34=3|98=0|108=30|789=1|
    < 35=A|34=1|98=0|108=30|789=1|
    < 35=8|34=2|97=Y|17=e1|
    up
    > 35=D|34=1|43=Y|122={0}|11=o-1|
    delivered 35=D|34=1|
    `,
    { config: { resetOn: ['logout'] } },
  );
});

testInEveryVersion(
  'J1 numbers that an operator sets after a kill, before anybody connects, hold where the end of a connection resets them',
  (run) => {
    for (const also of ['', 'restart']) {
      run(
        `${LOGGED_ON}
        restart
        expects 900
        numbers 1 900
        ${also}
        connect
        > 35=A|34=900|98=0|108=30|
        < 35=A|34=1|98=0|108=30|
        < 35=8|34=2|97=Y|17=e1|
        up
        `,
        { config: { resetOn: ['disconnect'] } },
      );
    }
  },
);
