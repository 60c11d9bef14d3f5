// More of what trackers of FIX engines complain about, here around Logon, Logout, resets and signs of life: each must be
// impossible. Recovery and resends are in known-bugs.test.ts.

import { describe, expect, test } from 'vitest';
import { testInEveryVersion } from '../../support/session/every-version.ts';
import { continueScenario, RESET, runScenario } from '../../support/session/session-machine.ts';

const LOGON = `
  connect
  > 35=A|34=1|98=0|108=30|
  < 35=A|34=1|98=0|108=30|
  up
`;
const INITIATOR = { config: { role: 'initiator', senderCompID: 'OMS', targetCompID: 'XGATE' } } as const;

describe('Logon loops', () => {
  testInEveryVersion('an initiator never answers a second Logon answer', (run) => {
    run(
      `
      connect
      < 35=A|34=1|98=0|108=30|
      > 35=A|34=1|98=0|108=30|
      up
      > 35=A|34=2|98=0|108=30|
      numbers 2 3
      > 35=1|34=3|112=a|
      < 35=0|34=2|112=a|
      `,
      INITIATOR,
    );
  });

  testInEveryVersion(
    'nor one that repeats the answer to its reset: nothing is reset again, nothing is sent',
    (run) => {
      const driver = run('', INITIATOR);
      driver.input(RESET);
      const { beginString } = driver.config;
      const appl = beginString === 'FIXT.1.1' ? '1137=9|' : '';
      continueScenario(
        driver,
        `
        connect
        < 35=A|34=1|98=0|108=30|141=Y|${appl}
        > 35=A|34=1|98=0|108=30|141=Y|${appl}
        up
        > 35=A|34=1|98=0|108=30|141=Y|${appl}
        numbers 2 2
        > 35=1|34=2|112=a|
        < 35=0|34=2|112=a|
        `,
      );
      expect(driver.session.numbers.series).toBe(2);
    },
    'FIX.4.1',
  );

  testInEveryVersion(
    'a reset that the acceptor made unasked ends the connection with a word, and changes nothing',
    (run) => {
      run(
        `
        app 35=D|11=a|
        connect
        < 35=A|34=2|98=0|108=30|
        > 35=A|34=1|98=0|108=30|141=Y|
        < 35=5|34=3|58=ResetSeqNumFlag(141)=Y was not asked for|
        closed
        numbers 4 1
        `,
        INITIATOR,
      );
    },
    'FIX.4.1',
  );
});

describe('numbers around a reset', () => {
  testInEveryVersion(
    'a message made between the connection and a Logon with 141=Y does not take the number of its answer',
    (run) => {
      run(
        `
        connect
        app 35=8|17=e1|
        > 35=A|34=1|98=0|108=30|141=Y|
        < 35=A|34=1|98=0|108=30|141=Y|
        < 35=8|34=2|97=Y|17=e1|
        up
        numbers 3 2
        `,
      );
    },
    'FIX.4.1',
  );

  testInEveryVersion(
    'a message made after the Logout of a reset does not take the number of the next Logon',
    (run) => {
      run(
        `
        connect
        < 35=A|34=1|98=0|108=30|
        > 35=A|34=1|98=0|108=30|
        up
        reset
        < 35=5|34=2|58=sequence numbers are being set by an operator|
        app 35=D|11=a|
        > 35=5|34=2|
        closed
        down
        app 35=D|11=b|
        connect
        < 35=A|34=1|98=0|108=30|141=Y|
        > 35=A|34=1|98=0|108=30|141=Y|
        up
        `,
        INITIATOR,
      );
    },
    'FIX.4.1',
  );

  testInEveryVersion(
    'a Logon with 141=Y and another number than 1 is refused and resets nothing',
    (run) => {
      run(
        `${LOGON}
        cut
        down
        connect
        > 35=A|34=3|98=0|108=30|141=Y|
        < 35=5|34=2|58=ResetSeqNumFlag(141)=Y needs MsgSeqNum(34)=1|
        closed
        numbers 3 2
        `,
      );
    },
    'FIX.4.1',
  );

  testInEveryVersion('numbers are reset by nothing but 141=Y, SequenceReset, a reset time or an operator', (run) => {
    const { journal } = run(`${LOGON}
      > 35=5|34=2|
      < 35=5|34=2|
      cut
      down
      connect
      > 35=A|34=3|98=0|108=30|
      < 35=A|34=3|98=0|108=30|
      up
      cut
      down
      restart
      connect
      > 35=A|34=4|98=0|108=30|
      < 35=A|34=4|98=0|108=30|
      up
    `);
    expect(journal.records.filter(({ kind }) => kind === 'numbers')).toEqual([]);
  });
});

describe('signs of life while a gap is open', () => {
  testInEveryVersion('a Heartbeat that answers our TestRequest with too high a number keeps the session', (run) => {
    const driver = run(`${LOGON}
      > 35=D|34=4|11=c|
      < 35=2|34=2|7=2|16=3|
      wait 30
      < 35=0|34=3|
    `);
    continueScenario(driver, 'wait 6\n < 35=1|34=4|112=1-1|\n > 35=0|34=5|112=1-1|\n wait 23\n');
    expect(driver.session.loggedOn).toBe(true);
  });

  testInEveryVersion('a TestRequest with too high a number is answered at once, and once', (run) => {
    run(`${LOGON}
      > 35=1|34=3|112=x|
      < 35=2|34=2|7=2|16=2|
      < 35=0|34=3|112=x|
      > 35=D|34=2|43=Y|122={0}|11=a|
      delivered 35=D|34=2|
      numbers 4 4
    `);
  });

  testInEveryVersion('a gap fill of an overlapping request, below what is expected by now, is dropped', (run) => {
    run(`${LOGON}
      > 35=0|34=2|
      > 35=4|34=1|43=Y|122={0}|123=Y|36=3|
      numbers 2 3
      > 35=0|34=3|
      numbers 2 4
    `);
  });
});

describe('Logout', () => {
  testInEveryVersion('a Logout behind a gap is answered at once; the gap is still asked for (rule S10)', (run) => {
    run(`${LOGON}
      > 35=5|34=4|
      < 35=5|34=2|
      < 35=2|34=3|7=2|16=3|
    `);
  });

  testInEveryVersion('two Logouts that cross end the connection: neither side answers the other twice', (run) => {
    run(`${LOGON}
      logout end of day
      < 35=5|34=2|58=end of day|
      > 35=5|34=2|
      closed
      numbers 3 3
      down
    `);
  });
});

test('HeartBtInt 0 of a counterparty causes no traffic by itself', () => {
  const driver = runScenario(
    `
    connect
    > 35=A|34=1|98=0|108=0|
    < 35=A|34=1|98=0|108=0|
    up
    wait 86400
    > 35=1|34=2|112=a|
    < 35=0|34=2|112=a|
    `,
    { config: { heartBtIntZeroAllowed: true } },
  );
  expect(driver.session.deadline()).toBeNull();
});

testInEveryVersion(
  'reset that nobody asked for: an old Logon 141=Y that comes again as PossDup begins nothing anew',
  (run) => {
    const { session } = run(`
      connect
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
      > 35=D|34=2|11=a|
      delivered 35=D|34=2|
      > 35=D|34=4|11=c|
      < 35=2|34=2|7=3|16=3|
      > 35=A|34=1|43=Y|122={0}|98=0|108=30|141=Y|
      > 35=D|34=3|43=Y|122={0}|11=b|
      delivered 35=D|34=3|
      delivered 35=D|34=4|
      numbers 3 5
    `);
    expect(session.numbers.series).toBe(2);
  },
  'FIX.4.1',
);
