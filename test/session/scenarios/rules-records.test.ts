// A session's records (rule J1, secrets), and its credible numbers.

import { describe, expect, test } from 'vitest';
import { toPrintable } from '../../../src/wire/mod.ts';
import { continueScenario, draftOf, runScenario } from '../../support/session/session-machine.ts';

const LOGON = `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
`;

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
    const asUser = runScenario(`${LOGON}
      > 35=BE|34=2|923=r|924=1|553=desk|1401=7|1402=hunter7|
      delivered 35=BE|
      > 35=BE|34=3|923=r|924=1|553=desk|95=7|96=hunter8|
      delivered 35=BE|
    `);
    expect(asUser.journal.records.map((record) => ('raw' in record ? toPrintable(record.raw) : '')).join()).toContain(
      '|1402=*******|',
    );
    expect(asUser.journal.records.map((record) => ('raw' in record ? toPrintable(record.raw) : '')).join()).toContain(
      '|96=*******|',
    );
    const encrypted = runScenario(`${LOGON}
      > 35=D|34=2|11=a|1401=7|1402=hunter8|1403=7|1404=hunter9|
      delivered 35=D|
      > 35=D|34=3|11=b|1403=8|1404=hunter10|
      delivered 35=D|
    `);
    expect(encrypted.journal.records.map((record) => ('raw' in record ? toPrintable(record.raw) : '')).join()).toMatch(
      /\|1402=\*{7}\|1403=7\|1404=\*{7}\|.*\|1403=8\|1404=\*{8}\|/,
    );
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

  for (const [newSeqNo, fault] of [
    ['0', '373=5|58=Value is incorrect: NewSeqNo(36)=0, numbers begin at 1'],
    ['-3', '373=5|58=Value is incorrect: NewSeqNo(36)=-3, numbers begin at 1'],
    ['two', '373=6|58=Incorrect data format for value: NewSeqNo(36)'],
  ]) {
    test(`rejects NewSeqNo ${newSeqNo} in both modes for its value, and for its absence`, () => {
      runScenario(`${LOGON}
        > 35=4|34=2|36=${newSeqNo}|
        < 35=3|34=2|45=2|371=36|372=4|${fault}|
        numbers 3 2
        > 35=4|34=2|123=Y|36=${newSeqNo}|
        < 35=3|34=3|45=2|371=36|372=4|${fault}|
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

  test('News goes out once, 1,000 numbers before the limit, and the operator hears of it by an alarm', () => {
    const { alarms } = runScenario(
      `
      connect
      > 35=A|34=5|98=0|108=30|
      < 35=A|34=8998|98=0|108=30|
      app 35=8|17=e1|
      < 35=8|34=8999|17=e1|
      < 35=B|34=9000|57=ADMIN|148=Sequence number threshold|33=1|58=MsgSeqNum(34) is near the limit 10000: log on again with ResetSeqNumFlag(141)=Y|
      app 35=8|17=e2|
      < 35=8|34=9001|17=e2|
    `,
      { config: { seqNumMax: 10_000 }, numbers },
    );
    expect(alarms).toEqual([
      'sequence-threshold: MsgSeqNum(34)=9000 is near the limit 10000: at it the session is logged out and takes no Logon until both sides begin again at 1',
    ]);
  });

  test('D1 FIX.4.0 has neither Headline(148) in News(B) nor ResetSeqNumFlag(141)', () => {
    runScenario(
      `
      connect
      > 35=A|34=5|98=0|108=30|
      < 35=A|34=8998|98=0|108=30|
      app 35=8|17=e1|
      < 35=8|34=8999|17=e1|
      < 35=B|34=9000|57=ADMIN|33=1|58=MsgSeqNum(34) is near the limit 10000: both sides have to begin again at 1|
    `,
      { config: { seqNumMax: 10_000, beginString: 'FIX.4.0' }, numbers },
    );
  });

  test('a limit that is raised while the session is logged on is announced anew, 1,000 numbers before it', () => {
    const driver = runScenario(
      `
      connect
      > 35=A|34=5|98=0|108=30|
      < 35=A|34=8998|98=0|108=30|
      app 35=8|17=e1|
      < 35=8|34=8999|17=e1|
      < 35=B|34=9000|57=ADMIN|148=Sequence number threshold|33=1|58=MsgSeqNum(34) is near the limit 10000: log on again with ResetSeqNumFlag(141)=Y|
    `,
      { config: { seqNumMax: 10_000 }, numbers },
    );
    driver.session.applyConfig({ ...driver.config, seqNumMax: 10_002 });
    continueScenario(
      driver,
      `app 35=8|17=e2|
      < 35=8|34=9001|17=e2|
      < 35=B|34=9002|57=ADMIN|148=Sequence number threshold|33=1|58=MsgSeqNum(34) is near the limit 10002: log on again with ResetSeqNumFlag(141)=Y|
      app 35=8|17=e3|
      < 35=8|34=9003|17=e3|
    `,
    );
    // Another setting is no news of the limit.
    driver.session.applyConfig({ ...driver.session.config, gapQueueMax: 7 });
    continueScenario(driver, 'app 35=8|17=e4|\n< 35=8|34=9004|17=e4|');
    expect(driver.alarms).toHaveLength(2);
  });

  test('it is announced in each series that comes near the limit', () => {
    const reported = (report: string): string => `
      < 35=8|34=2|${report}17=e1|
      < 35=B|34=3|57=ADMIN|148=Sequence number threshold|33=1|58=MsgSeqNum(34) is near the limit 1003: log on again with ResetSeqNumFlag(141)=Y|
    `;
    const { alarms } = runScenario(
      `
      connect
      > 35=A|34=1|98=0|108=30|
      < 35=A|34=1|98=0|108=30|
      app 35=8|17=e1|
      ${reported('')}
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
      ${reported('97=Y|')}
    `,
      { config: { seqNumMax: 1_003 } },
    );
    expect(alarms).toHaveLength(2);
  });

  test('an initiator at the number limit sends no Logon until a reset', () => {
    const { alarms } = runScenario(
      `
      connect
      closed
      cut
      connect
      closed
      numbers 10000 5
      cut
      reset
      connect
      < 35=A|34=1|98=0|108=30|141=Y|
      > 35=A|34=1|98=0|108=30|141=Y|
    `,
      { config: { seqNumMax: 10_000, role: 'initiator' }, numbers: { ...numbers, nextSenderMsgSeqNum: 10_000 } },
    );
    expect(alarms).toEqual([
      'logon-refused: no Logon(A) is sent: MsgSeqNum(34) has reached the limit 10000, both sides have to begin again at 1',
    ]);
  });

  test('the numbers of the counterparty have the same limit: at it the session ends, and no Logon is taken', () => {
    runScenario(
      `
      connect
      > 35=A|34=9998|98=0|108=30|
      < 35=A|34=5|98=0|108=30|
      < 35=B|34=6|57=ADMIN|148=Sequence number threshold|33=1|58=MsgSeqNum(34) is near the limit 10000: log on again with ResetSeqNumFlag(141)=Y|
      > 35=0|34=9999|
      < 35=5|34=7|58=MsgSeqNum(34) has reached the limit 10000|
      cut
      connect
      > 35=A|34=10000|98=0|108=30|
      < 35=5|34=8|58=MsgSeqNum(34) has reached the limit 10000|
      closed
    `,
      {
        config: { seqNumMax: 10_000 },
        numbers: { series: 1, nextSenderMsgSeqNum: 5, nextTargetMsgSeqNum: 9_998 },
      },
    );
  });

  test('at the limit the session ends with SessionStatus 101, and comes back by a reset only', () => {
    runScenario(
      `
      connect
      > 35=A|34=5|98=0|108=30|
      < 35=A|34=9998|98=0|108=30|1409=0|
      < 35=B|34=9999|57=ADMIN|148=Sequence number threshold: MsgSeqNum(34) is near the limit 10000: log on again with ResetSeqNumFlag(141)=Y|
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

test('D4 market data is numbered and not kept: a ResendRequest gets a gap fill', () => {
  const driver = runScenario(LOGON);
  const book = () => driver.input({ kind: 'send', draft: draftOf('35=W|55=BTCUSD|'), perishable: true });
  book();
  expect(driver.journal.records.at(-1)).toMatchObject({ kind: 'outbound', msgSeqNum: 2, resendable: false });
  expect(driver.journal.records.at(-1)).toHaveProperty('raw.length', 0);
  continueScenario(
    driver,
    `
    < 35=W|34=2|55=BTCUSD|
    > 35=2|34=2|7=1|16=0|
    < 35=4|34=1|43=Y|122={0}|123=Y|36=3|
    cut
  `,
  );
  book();
  continueScenario(driver, 'numbers 3 3');
});

test('S2 a Heartbeat to a TestRequest sent before a resend proves nothing', () => {
  const { session } = runScenario(`
    connect
    app 35=8|17=e1|
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=2|98=0|108=30|
    up
    wait 30
    < 35=0|34=3|
    < 35=1|34=4|112=1-1|
    > 35=2|34=2|7=1|16=1|
    < 35=8|34=1|43=Y|122={0}|17=e1|
    > 35=0|34=3|112=1-1|
  `);
  expect(session.status.provenMsgSeqNum).toBe(0);
});
