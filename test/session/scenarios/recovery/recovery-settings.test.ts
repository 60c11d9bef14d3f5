// A session's additions by setting: NextExpectedMsgSeqNum(789), LastMsgSeqNumProcessed(369), and the application
// version of FIXT.1.1 (1137, 1128).

import { describe, test } from 'vitest';
import { testInEveryVersion } from '../../../support/session/every-version.ts';
import { continueScenario, runScenario } from '../../../support/session/session-machine.ts';

const INITIATOR = { role: 'initiator', senderCompID: 'OMS', targetCompID: 'XGATE' } as const;
const NEXT_EXPECTED = { config: { ...INITIATOR, sendsNextExpectedMsgSeqNum: true } };
const LOGON = `
  connect
  > 35=A|34=1|98=0|108=30|
  < 35=A|34=1|98=0|108=30|
  up
`;

test('a changed gapQueueMax applies to the open gap: messages beyond it are requested again', () => {
  const driver = runScenario(`${LOGON}
    > 35=8|34=3|37=a|
    < 35=2|34=2|7=2|16=2|
  `);
  driver.session.applyConfig({ ...driver.config, gapQueueMax: 1 });
  continueScenario(
    driver,
    `
    > 35=8|34=4|37=b|
    > 35=4|34=2|43=Y|122={0}|123=Y|36=3|
    delivered 35=8|34=3|37=a|
    < 35=2|34=3|7=4|16=4|
    numbers 4 4
    `,
  );
});

describe('NextExpectedMsgSeqNum(789)', () => {
  testInEveryVersion(
    'an initiator announces what it expects; what the acceptor misses is sent unasked, and proven is what it has',
    (run) => {
      const driver = run(
        `
        connect
        < 35=A|34=1|98=0|108=30|789=1|
        > 35=A|34=1|98=0|108=30|789=2|
        up
        app 35=D|11=a|
        < 35=D|34=2|11=a|
        cut
        down
        app 35=D|11=b|
        connect
        < 35=A|34=4|98=0|108=30|789=2|
        > 35=A|34=2|98=0|108=30|789=2|
        up
        < 35=D|34=2|43=Y|122={0}|11=a|
        < 35=D|34=3|43=Y|122={0}|11=b|
        < 35=4|34=4|43=Y|122={0}|123=Y|36=5|
        `,
        NEXT_EXPECTED,
      );
      driver.cut();
    },
    'FIX.4.4',
  );

  testInEveryVersion(
    'what the initiator misses comes unasked too: no ResendRequest crosses it',
    (run) => {
      run(
        `
        connect
        < 35=A|34=1|98=0|108=30|789=1|
        > 35=A|34=4|98=0|108=30|789=2|
        up
        > 35=8|34=1|43=Y|122={0}|37=1|
        delivered 35=8|34=1|
        > 35=4|34=2|43=Y|122={0}|123=Y|36=4|
        numbers 2 5
        `,
        NEXT_EXPECTED,
      );
    },
    'FIX.4.4',
  );

  testInEveryVersion(
    'an acceptor that does not know 789 is asked with a ResendRequest',
    (run) => {
      run(
        `
        connect
        < 35=A|34=1|98=0|108=30|789=1|
        > 35=A|34=4|98=0|108=30|
        up
        < 35=2|34=2|7=1|16=3|
        `,
        NEXT_EXPECTED,
      );
    },
    'FIX.4.4',
  );

  testInEveryVersion(
    'a counterparty that does not send what was announced is asked for it once',
    (run) => {
      run(
        `
        connect
        > 35=A|34=3|98=0|108=30|789=1|
        < 35=A|34=1|98=0|108=30|789=1|
        up
        wait 9
        wait 1
        < 35=2|34=2|7=1|16=2|
        `,
        {},
      );
    },
    'FIX.4.4',
  );

  testInEveryVersion(
    'nor is it asked for more than resendRequestChunk at a time then',
    (run) => {
      run(
        `
        connect
        > 35=A|34=6|98=0|108=30|789=1|
        < 35=A|34=1|98=0|108=30|789=1|
        up
        wait 9
        wait 1
        < 35=2|34=2|7=1|16=2|
        > 35=4|34=1|43=Y|122={0}|123=Y|36=3|
        < 35=2|34=3|7=3|16=4|
        > 35=4|34=3|43=Y|122={0}|123=Y|36=5|
        < 35=2|34=4|7=5|16=5|
        `,
        { config: { resendRequestChunk: 2 } },
      );
    },
    'FIX.4.4',
  );

  testInEveryVersion(
    'an answer that expects more than was ever sent ends the session, with both numbers',
    (run) => {
      run(
        `
        connect
        < 35=A|34=1|98=0|108=30|789=1|
        > 35=A|34=1|98=0|108=30|789=7|
        < 35=5|34=2|58=NextExpectedMsgSeqNum(789)=7 is above the next number 2|
        closed
        `,
        NEXT_EXPECTED,
      );
    },
    'FIX.4.4',
  );

  test('versions before 4.4 do not have it', () => {
    const config = { ...INITIATOR, beginString: 'FIX.4.3', sendsNextExpectedMsgSeqNum: true };
    runScenario('connect\n< 35=A|34=1|98=0|108=30|', { config });
  });
});

describe('LastMsgSeqNumProcessed(369)', () => {
  testInEveryVersion(
    'every header says what was processed, resends and gap fills included (rule S3)',
    (run) => {
      run(
        `
        connect
        > 35=A|34=1|98=0|108=30|
        < 35=A|34=1|369=1|98=0|108=30|
        up
        app 35=8|37=1|
        < 35=8|34=2|369=1|37=1|
        > 35=0|34=2|
        > 35=2|34=3|7=1|16=0|
        < 35=4|34=1|43=Y|122={0}|369=3|123=Y|36=2|
        < 35=8|34=2|43=Y|122={0}|369=3|37=1|
        > 35=0|34=6|
        < 35=2|34=3|369=3|7=4|16=5|
        `,
        { config: { sendsLastMsgSeqNumProcessed: true } },
      );
    },
    'FIX.4.2',
  );

  test('versions before 4.2 do not have it', () => {
    const config = { beginString: 'FIX.4.1', sendsLastMsgSeqNumProcessed: true };
    runScenario(LOGON, { config });
  });
});

describe('application version', () => {
  const FIXT = { beginString: 'FIXT.1.1' };
  const LOGON_SP1 = `
    connect
    > 35=A|34=1|98=0|108=30|1137=8|
    < 35=A|34=1|98=0|108=30|1137=8|
    up
  `;

  test('the session speaks the version that it is set to, and no other', () => {
    runScenario(LOGON_SP1, { config: { ...FIXT, defaultApplVerID: '8' } });
    runScenario(
      `connect
      > 35=A|34=1|98=0|108=30|1137=7|
      < 35=5|34=1|58=DefaultApplVerID(1137)=7 is not spoken here, only 8 (FIX.5.0SP1)|
      closed`,
      { config: { ...FIXT, defaultApplVerID: '8' } },
    );
  });

  test('S5 a message of another ApplVerID(1128) is rejected with reason 18, and counted', () => {
    const driver = runScenario(LOGON_SP1, { config: { ...FIXT, defaultApplVerID: '8' } });
    continueScenario(
      driver,
      `
      > 35=D|34=2|1128=8|11=a|
      delivered 35=D|34=2|
      > 35=D|34=3|1128=9|11=b|
      < 35=3|34=2|45=3|371=1128|372=D|373=18|58=ApplVerID(1128)=9 is not the version of this session|
      numbers 3 4
      `,
    );
  });
});

test('accepts any valid SendingTime(52) without its check, in a Logon too (CheckLatency=N)', () => {
  runScenario(
    `
    connect
    > 35=A|34=1|52=20200101-00:00:00|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
    > 35=1|34=2|52=20300101-00:00:00|112=x|
    < 35=0|34=2|112=x|
  `,
    { config: { sendingTimeAccuracyS: 0 } },
  );
});
