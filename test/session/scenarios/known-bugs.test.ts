// Recurring reports of users of other engines, each shown to be impossible here.

import { describe, expect, test } from 'vitest';
import { continueScenario, MachineDriver, runScenario, START_AT } from '../../support/session/session-machine.ts';

const LOGON = `
    connect
    > 35=A|34=1|98=0|108=30|
    < 35=A|34=1|98=0|108=30|
`;

describe('resend loops', () => {
  test('a gap is asked for once, however many messages come ahead of it', () => {
    const driver = runScenario(`${LOGON}
      > 35=D|34=5|11=d|
      < 35=2|34=2|7=2|16=4|
    `);
    for (let n = 6; n <= 60; n++) continueScenario(driver, `> 35=D|34=${n}|11=x|`);
  });

  test('does not request a ResendRequest ahead of a gap again, even without room to keep it', () => {
    runScenario(
      `${LOGON}
      > 35=2|34=3|7=1|16=1|
      < 35=4|34=1|43=Y|122={0}|123=Y|36=3|
      < 35=2|34=3|7=2|16=2|
      > 35=D|34=2|43=Y|122={0}|11=b|
      delivered 35=D|34=2|11=b|
      numbers 4 4
    `,
      { config: { gapQueueMax: 0 } },
    );
  });

  test('a repeated request during a resend gets no second copy of the rest', () => {
    runScenario(`${LOGON}
      app 35=8|17=e1|
      < 35=8|34=2|17=e1|
      app 35=8|17=e2|
      < 35=8|34=3|17=e2|
      hold
      > 35=2|34=2|7=2|16=0|
      > 35=2|34=3|7=2|16=0|
      > 35=2|34=4|7=3|16=0|
      release
      < 35=8|34=2|43=Y|122={0}|17=e1|
      < 35=8|34=3|43=Y|122={0}|17=e2|
    `);
  });

  test('a repeated request for resent messages gets them again from there', () => {
    const driver = runScenario(
      `${LOGON}
      app 35=8|17=e1|
      < 35=8|34=2|17=e1|
      app 35=8|17=e2|
      < 35=8|34=3|17=e2|
    `,
      { config: { resendLoadChunk: 1 } },
    );
    continueScenario(
      driver,
      `
      > 35=2|34=2|7=2|16=0|
      < 35=8|34=2|43=Y|122={0}|17=e1|
      < 35=8|34=3|43=Y|122={0}|17=e2|
      > 35=2|34=3|7=2|16=2|
      < 35=8|34=2|43=Y|122={0}|17=e1|
    `,
    );
  });

  test('a gap fill that lowers the number does not make us ask for the same number for ever', () => {
    runScenario(`${LOGON}
      > 35=0|34=3|
      < 35=2|34=2|7=2|16=2|
      > 35=4|34=2|43=Y|122={0}|123=Y|36=1|
      < 35=3|34=3|45=2|371=36|372=4|373=5|58=Attempt to lower sequence number, invalid value NewSeqNo(36)=1|
      numbers 4 4
    `);
  });

  test('a rejected message is counted: it is never asked for again', () => {
    runScenario(`${LOGON}
      > 35=D|34=2|43=Y|11=a|
      < 35=3|34=2|45=2|371=122|372=D|373=1|58=Required tag missing: OrigSendingTime(122)|
      > 35=0|34=3|
      numbers 3 4
    `);
  });

  test('reports a closed gap once, and none without a gap', () => {
    const { notes } = runScenario(`${LOGON}
      > 35=0|34=2|
      > 35=0|34=4|
      < 35=2|34=2|7=3|16=3|
      > 35=0|34=3|43=Y|122={0}|
      > 35=0|34=5|
    `);
    expect(notes).toEqual(['MsgSeqNum(34) gap: asking for a resend', 'MsgSeqNum(34) gap closed']);
  });

  test('a ResendRequest that is not answered ends the session instead of repeating itself', () => {
    const driver = runScenario(`${LOGON}
      > 35=0|34=5|
      < 35=2|34=2|7=2|16=4|
    `);
    for (let second = 25, n = 6; second <= 50; second += 25, n++) {
      driver.wait(25_000);
      driver.outcomes.length = 0;
      continueScenario(driver, `> 35=0|34=${n}|52={${second}}|`);
    }
    driver.wait(22_000);
    expect(driver.outcomes.at(-1)).toMatchObject({
      kind: 'disconnect',
      reason: 'ResendRequest for 2-4 was not answered',
    });
    expect(driver.notes.join()).not.toContain('stood still');
  });
});

describe('replay after the socket is gone', () => {
  test('drops journal reads of a dead connection, and the next Logon starts afresh', () => {
    runScenario(`${LOGON}
      app 35=8|17=e1|
      < 35=8|34=2|17=e1|
      hold
      > 35=2|34=2|7=1|16=0|
      cut
      release
      connect
      > 35=A|34=3|98=0|108=30|
      < 35=A|34=3|98=0|108=30|
    `);
  });

  test('an answer of the journal to the former connection is not taken for one to the present resend', () => {
    const driver = runScenario(`${LOGON}
      app 35=8|17=e1|
      < 35=8|34=2|17=e1|
      hold
      > 35=2|34=2|7=2|16=2|
      cut
      connect
      > 35=A|34=3|98=0|108=30|
      < 35=A|34=3|98=0|108=30|
      > 35=2|34=4|7=1|16=2|
    `);
    continueScenario(
      driver,
      `
      release
      < 35=4|34=1|43=Y|122={0}|123=Y|36=2|
      < 35=8|34=2|43=Y|122={0}|17=e1|
    `,
    );
  });
});

describe('live messages interleaved with a replay', () => {
  test('reports made during a resend follow it, with their own numbers', () => {
    runScenario(`${LOGON}
      app 35=8|17=e1|
      < 35=8|34=2|17=e1|
      hold
      > 35=2|34=2|7=2|16=0|
      app 35=8|17=live1|
      app 35=8|17=live2|
      > 35=1|34=3|112=alive|
      release
      < 35=8|34=2|43=Y|122={0}|17=e1|
      < 35=8|34=3|17=live1|
      < 35=8|34=4|17=live2|
      < 35=0|34=5|112=alive|
    `);
  });

  test('a repeated request up to the last number gets the waiting messages once, unmarked', () => {
    runScenario(`${LOGON}
      app 35=8|17=e1|
      < 35=8|34=2|17=e1|
      hold
      > 35=2|34=2|7=2|16=0|
      app 35=8|17=live1|
      app 35=8|17=live2|
      > 35=2|34=3|7=2|16=0|
      release
      < 35=8|34=2|43=Y|122={0}|17=e1|
      < 35=8|34=3|17=live1|
      < 35=8|34=4|17=live2|
    `);
  });

  test('more than can be kept waiting: the resend is prolonged over them, nothing is lost', () => {
    runScenario(
      `${LOGON}
      app 35=8|17=e1|
      < 35=8|34=2|17=e1|
      hold
      > 35=2|34=2|7=2|16=0|
      app 35=8|17=live1|
      app 35=8|17=live2|
      app 35=8|17=live3|
      app 35=8|17=live4|
      release
      < 35=8|34=2|43=Y|122={0}|17=e1|
      < 35=8|34=3|43=Y|122={0}|17=live1|
      < 35=8|34=4|43=Y|122={0}|17=live2|
      < 35=8|34=5|43=Y|122={0}|17=live3|
      < 35=8|34=6|17=live4|
    `,
      { config: { gapQueueMax: 2 } },
    );
  });

  test("restarts a prolonged resend's gap fill at the newly requested number", () => {
    runScenario(
      `${LOGON}
      app 35=8|17=e1|
      < 35=8|34=2|17=e1|
      > 35=1|34=2|112=a|
      < 35=0|34=3|112=a|
      > 35=1|34=3|112=b|
      < 35=0|34=4|112=b|
      > 35=1|34=4|112=c|
      < 35=0|34=5|112=c|
      hold
      # It has 3, and asks for what is behind it in two requests.
      > 35=2|34=5|7=2|16=2|
      app 35=8|17=live1|
      app 35=8|17=live2|
      app 35=8|17=live3|
      > 35=2|34=6|7=5|16=5|
      > 35=2|34=7|7=4|16=4|
      release
      < 35=8|34=2|43=Y|122={0}|17=e1|
      < 35=4|34=3|43=Y|122={0}|123=Y|36=4|
      < 35=4|34=4|43=Y|122={0}|123=Y|36=6|
      < 35=8|34=6|43=Y|122={0}|17=live1|
      < 35=8|34=7|43=Y|122={0}|17=live2|
      < 35=8|34=8|43=Y|122={0}|17=live3|
    `,
      { config: { gapQueueMax: 2 } },
    );
  });

  test('a ResendRequest of ours that had to be let go is sent after the resend', () => {
    runScenario(
      `${LOGON}
      app 35=8|17=e1|
      < 35=8|34=2|17=e1|
      hold
      > 35=2|34=3|7=2|16=0|
      app 35=8|17=live1|
      app 35=8|17=live2|
      release
      < 35=8|34=2|43=Y|122={0}|17=e1|
      < 35=4|34=3|43=Y|122={0}|123=Y|36=4|
      < 35=8|34=4|43=Y|122={0}|17=live1|
      < 35=8|34=5|43=Y|122={0}|17=live2|
      < 35=2|34=6|7=2|16=2|
      > 35=4|34=2|43=Y|122={0}|123=Y|36=3|
      numbers 7 4
    `,
      { config: { gapQueueMax: 2 } },
    );
  });
});

describe('gap fill computed wrongly', () => {
  test('any range of any history is covered exactly once, and never past the next number', () => {
    // Numbers 1 to 12: A 8 0 8 8 0 0 8 0 8 8 0, that is every pattern of runs, asked for in every range and chunk.
    const history = 'A8088008088 0'.replace(' ', '');
    for (const resendLoadChunk of [1, 2, 3, 100]) {
      const driver = new MachineDriver({ config: { resendLoadChunk } });
      continueScenario(driver, LOGON);
      let inbound = 2;
      for (let n = 2; n <= history.length; n++) {
        if (history[n - 1] === '8') continueScenario(driver, `app 35=8|17=e${n}|\n< 35=8|34=${n}|17=e${n}|`);
        else continueScenario(driver, `> 35=1|34=${inbound++}|112=t|\n< 35=0|34=${n}|112=t|`);
      }
      for (let begin = 1; begin <= history.length; begin++) {
        for (let end = begin; end <= history.length; end++) {
          driver.outcomes.length = 0;
          const request = `> 35=2|34=${inbound++}|7=${begin}|16=${end}|`;
          continueScenario(driver, `${request}\n${expectedResend(history, begin, end)}`);
        }
      }
    }
  });
});

/** The answer to a ResendRequest by the plainest reading of the specification. */
function expectedResend(history: string, begin: number, end: number): string {
  const lines: string[] = [];
  for (let n = begin; n <= end; ) {
    if (history[n - 1] === '8') {
      lines.push(`< 35=8|34=${n}|43=Y|122={0}|17=e${n}|`);
      n++;
      continue;
    }
    let next = n;
    while (next <= end && history[next - 1] !== '8') next++;
    lines.push(`< 35=4|34=${n}|43=Y|122={0}|123=Y|36=${next}|`);
    n = next;
  }
  return lines.join('\n');
}

describe('backlog of a dead connection', () => {
  test('messages kept behind a gap are gone with the connection and are asked for again', () => {
    const driver = runScenario(`${LOGON}
      > 35=D|34=3|11=b|
      < 35=2|34=2|7=2|16=2|
      cut
      connect
      > 35=A|34=4|98=0|108=30|
      < 35=A|34=3|98=0|108=30|
      < 35=2|34=4|7=2|16=3|
      > 35=D|34=2|43=Y|122={0}|11=a|
      delivered 35=D|34=2|
      > 35=D|34=3|43=Y|122={0}|11=b|
      delivered 35=D|34=3|
      numbers 5 5
    `);
    expect(driver.session.status.gap).toBeNull();
  });

  test('live messages that waited behind a resend do not precede the next Logon', () => {
    runScenario(`${LOGON}
      app 35=8|17=e1|
      < 35=8|34=2|17=e1|
      hold
      > 35=2|34=2|7=2|16=0|
      app 35=8|17=e2|
      cut
      release
      connect
      > 35=A|34=3|98=0|108=30|
      < 35=A|34=4|98=0|108=30|
    `);
  });
});

describe('a full queue behind a gap', () => {
  test('requests messages without room when the gap is filled', () => {
    runScenario(
      `${LOGON}
      > 35=D|34=3|11=3|
      < 35=2|34=2|7=2|16=2|
      > 35=D|34=4|11=4|
      > 35=D|34=5|11=5|
      > 35=D|34=6|11=6|
      > 35=D|34=2|43=Y|122={0}|11=2|
      delivered 35=D|34=2|
      delivered 35=D|34=3|
      delivered 35=D|34=4|
      < 35=2|34=3|7=5|16=6|
      > 35=D|34=5|43=Y|122={0}|11=5|
      delivered 35=D|34=5|
      > 35=D|34=6|43=Y|122={0}|11=6|
      delivered 35=D|34=6|
      numbers 4 7
    `,
      { config: { gapQueueMax: 2 } },
    );
  });

  test('requests in chunks follow each other, one at a time', () => {
    runScenario(
      `${LOGON}
      > 35=D|34=7|11=7|
      < 35=2|34=2|7=2|16=3|
      > 35=D|34=2|43=Y|122={0}|11=2|
      delivered 35=D|34=2|
      > 35=D|34=3|43=Y|122={0}|11=3|
      delivered 35=D|34=3|
      < 35=2|34=3|7=4|16=5|
      > 35=4|34=4|43=Y|122={0}|123=Y|36=6|
      < 35=2|34=4|7=6|16=6|
      > 35=D|34=6|43=Y|122={0}|11=6|
      delivered 35=D|34=6|
      delivered 35=D|34=7|
      numbers 5 8
    `,
      { config: { resendRequestChunk: 2 } },
    );
  });
});

describe('TestRequest during a resend', () => {
  test('a silent counterparty is not given up while it reads our resend', () => {
    const driver = runScenario(`${LOGON}
      app 35=8|17=e1|
      < 35=8|34=2|17=e1|
      hold
      > 35=2|34=2|7=2|16=2|
      wait 59
      release
      < 35=8|34=2|43=Y|122={0}|17=e1|
    `);
    expect(driver.session.status.state).toBe('loggedOn');
    expect(driver.session.deadline()).toBe(START_AT + 59_000 + 30_000);
  });
});

describe('a journal that does not answer', () => {
  test('ends the session after a minute with an alarm naming the journal: live messages wait', () => {
    const driver = runScenario(`${LOGON}
      hold
      > 35=2|34=2|7=1|16=0|
      app 35=8|17=e1|
      wait 60
      closed
      numbers 3 3
    `);
    expect(driver.alarms).toEqual(['resend-impossible: the journal did not answer a read for a resend within 60 s']);
  });
});

describe('a journal that cannot be read', () => {
  const text = 'messages cannot be sent again at present: log on again';

  test('ends the session without a Logout that QuickFIX would count as the requested message', () => {
    const driver = runScenario(`${LOGON}
      hold
      > 35=2|34=2|7=1|16=0|
    `);
    driver.input({ kind: 'outboundFailed', requestId: 1 });
    continueScenario(driver, 'closed');
    expect(driver.notes).toContain(`session ended: ${text}`);
  });

  test('for a connection that is gone leaves the present one alone', () => {
    const driver = runScenario(`${LOGON}
      hold
      > 35=2|34=2|7=1|16=0|
      cut
    `);
    driver.loseReads();
    continueScenario(
      driver,
      `
      connect
      > 35=A|34=3|98=0|108=30|
      < 35=A|34=2|98=0|108=30|
    `,
    );
    driver.input({ kind: 'outboundFailed', requestId: 1 });
    expect(driver.session.loggedOn).toBe(true);
  });
});

describe('a counterparty that does not read its requested messages', () => {
  const text = 'slow consumer: for 60 s the counterparty did not read the resend';
  const waits = (driver: MachineDriver, waitsFor: 'counterparty' | 'journal'): void =>
    driver.input({ kind: 'outboundWaits', requestId: 1, waitsFor });

  test('ends the session then, in log and alarm, and not the journal', () => {
    const driver = runScenario(`${LOGON}
      hold
      > 35=2|34=2|7=1|16=0|
      wait 1
    `);
    waits(driver, 'counterparty');
    continueScenario(
      driver,
      `
      wait 59
      closed
    `,
    );
    expect(driver.alarms).toEqual([`slow-consumer: ${text}`]);
    expect(driver.notes).toContain('the counterparty does not read: the resend waits for it');
    expect(driver.notes).toContain(`session ended: ${text}`);
  });

  test('is waited for no longer once it reads: the journal has its own minute', () => {
    const driver = runScenario(`${LOGON}
      hold
      > 35=2|34=2|7=1|16=0|
      wait 1
    `);
    waits(driver, 'counterparty');
    driver.wait(58_000);
    waits(driver, 'journal');
    continueScenario(
      driver,
      `
      wait 59
      release
      < 35=4|34=1|43=Y|122={118}|123=Y|36=2|
    `,
    );
    expect(driver.alarms).toEqual([]);
  });
});

describe('reject loops', () => {
  test('a faulty Reject is counted and not rejected in turn', () => {
    runScenario(`${LOGON}
      > 35=3|34=2|43=Y|45=1|
      numbers 2 3
    `);
  });

  test('a BusinessMessageReject is an alarm once for each type that it refuses, and is not rejected in turn', () => {
    const { alarms } = runScenario(`${LOGON}
      > 35=j|34=2|45=1|372=8|380=0|58=unknown field|
      delivered 35=j|34=2|
      > 35=j|34=3|45=1|372=8|380=0|58=unknown field|
      delivered 35=j|34=3|
      > 35=j|34=4|45=1|372=9|380=0|
      delivered 35=j|34=4|
      numbers 2 5
    `);
    expect(alarms).toEqual([
      'message-refused: the counterparty refused a message of ours, MsgSeqNum(34)=1, MsgType(35)=8: unknown field',
      'message-refused: the counterparty refused a message of ours, MsgSeqNum(34)=1, MsgType(35)=9',
    ]);
  });

  test('a faulty Logout is rejected and still ends the session', () => {
    runScenario(`${LOGON}
      > 35=5|34=2|43=Y|
      < 35=3|34=2|45=2|371=122|372=5|373=1|58=Required tag missing: OrigSendingTime(122)|
      < 35=5|34=3|
    `);
  });
});

describe('unrequested reset', () => {
  test('a non-stop session keeps its numbers over a week of days', () => {
    const driver = runScenario(LOGON.replaceAll('108=30', '108=120'));
    for (let minutes = 0; minutes < 7 * 24 * 60; minutes += 2) {
      driver.wait(120_000);
      driver.outcomes.length = 0;
      const n = driver.session.numbers.nextTargetMsgSeqNum;
      continueScenario(driver, `> 35=0|34=${n}|`);
    }
    expect(driver.journal.numbers).toMatchObject({ series: 1, nextTargetMsgSeqNum: (7 * 24 * 60) / 2 + 2 });
  });
});

describe('numbers persisted after the wire', () => {
  test('every message is in the effects as a record before it is transmitted', () => {
    const driver = new MachineDriver();
    continueScenario(driver, LOGON);
    const { session } = driver;
    const effects = session.handle({ kind: 'logout', text: 'bye' }, driver.now);
    const said = effects.map(({ kind }) => kind).filter((kind) => kind === 'persist' || kind === 'transmit');
    expect(said).toEqual(['persist', 'transmit']);
  });
});
