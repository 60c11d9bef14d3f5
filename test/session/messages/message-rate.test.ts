// Rule S7 at the session: which messages are taken, which are handed over as throttled, and when the session ends.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MessageRate, type MessageRateSettings } from '../../../src/session/messages/message-rate.ts';
import { SessionMessageRate } from '../../../src/session/messages/session-message-rate.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';
import { testInEveryVersion } from '../../support/session/every-version.ts';
import { continueScenario, runScenario } from '../../support/session/session-machine.ts';

const RATE: MessageRateSettings = { messagesMax: 2, perMs: 1000, excess: 'refuse', holdMsMax: 1000, refusalsMax: 0 };
const ORDER = '11=a|1=7|21=1|55=BTCUSD|54=1|60={0}|38=1|40=2|44=10|59=1|';
const LOGON = `
  connect
  > 35=A|34=1|98=0|108=30|
  < 35=A|34=1|98=0|108=30|
  up
`;

testInEveryVersion(
  'S7 what comes faster than the rate is counted and handed over with the wait, not delivered',
  (run) => {
    run(
      `${LOGON}
    > 35=D|34=2|11=a|
    delivered 35=D|34=2|
    wait 0.4
    > 35=D|34=3|11=b|
    delivered 35=D|34=3|
    wait 0.1
    > 35=D|34=4|11=c|
    throttled refuse 500 35=D|34=4|11=c|
    > 35=G|34=5|11=d|41=a|
    throttled refuse 500 35=G|34=5|
    wait 0.5
    > 35=D|34=6|11=e|
    delivered 35=D|34=6|
    > 35=D|34=7|11=f|
    throttled refuse 400 35=D|34=7|
    numbers 2 8
    `,
      { config: { messageRate: RATE } },
    );
  },
);

test('S7 a changed rate keeps the counts of the earlier one', () => {
  const rate = new MessageRate(RATE);
  expect([rate.take(0), rate.take(0)]).toEqual([null, null]);
  const wider = rate.changedTo({ ...RATE, messagesMax: 3 });
  expect([wider.take(100), wider.take(200)]).toEqual([null, { waitMs: 800, excess: 'refuse' }]);
});

testInEveryVersion('S7 cancels and session messages are never throttled and use nothing up', (run) => {
  run(
    `${LOGON}
    > 35=D|34=2|11=a|
    delivered 35=D|34=2|
    > 35=F|34=3|11=b|41=a|
    delivered 35=F|34=3|
    > 35=F|34=4|11=c|41=a|
    delivered 35=F|34=4|
    > 35=q|34=5|11=d|
    delivered 35=q|34=5|
    > 35=1|34=6|112=x|
    < 35=0|34=2|112=x|
    > 35=D|34=7|11=e|
    delivered 35=D|34=7|
    > 35=D|34=8|11=f|
    throttled refuse 1000 35=D|34=8|
    > 35=j|34=9|45=1|372=8|380=0|
    delivered 35=j|34=9|
    `,
    { config: { messageRate: RATE } },
  );
});

testInEveryVersion('S7 a queue gives each message its turn, in order, and refuses what would wait too long', (run) => {
  run(
    `${LOGON}
    > 35=D|34=2|11=a|
    delivered 35=D|34=2|
    > 35=D|34=3|11=b|
    delivered 35=D|34=3|
    wait 0.25
    > 35=D|34=4|11=c|
    throttled hold 750 35=D|34=4|
    > 35=G|34=5|11=d|41=c|
    throttled hold 750 35=G|34=5|
    > 35=D|34=6|11=e|
    throttled refuse 1750 35=D|34=6|
    wait 0.8
    > 35=D|34=7|11=f|
    throttled hold 950 35=D|34=7|
    `,
    { config: { messageRate: { ...RATE, excess: 'hold' } } },
  );
});

testInEveryVersion('S7 the last stage: too many refusals within a minute end the session', (run) => {
  const text = '2 messages within a minute were beyond the rate of 2 in 1000 ms';
  run(
    `${LOGON}
    > 35=D|34=2|11=a|
    delivered 35=D|34=2|
    > 35=D|34=3|11=b|
    delivered 35=D|34=3|
    > 35=D|34=4|11=c|
    throttled refuse 1000 35=D|34=4|
    > 35=D|34=5|11=d|
    throttled refuse 1000 35=D|34=5|
    < 35=5|34=2|58=${text}|
    closed
    down
    connect
    > 35=A|34=6|98=0|108=30|
    < 35=A|34=3|98=0|108=30|
    up
    wait 1
    > 35=D|34=7|11=e|
    delivered 35=D|34=7|
    > 35=D|34=8|11=f|
    delivered 35=D|34=8|
    # What was refused on the connection before counts on within the minute: a loop of Logons gains nothing.
    > 35=D|34=9|11=g|
    throttled refuse 1000 35=D|34=9|
    < 35=5|34=4|58=${text}|
    closed
    down
    `,
    { config: { messageRate: { ...RATE, refusalsMax: 2 } } },
  );
});

testInEveryVersion('S7 a cancel in vain uses the rate up, and too many of them end the session', (run) => {
  const text = '2 messages within a minute were beyond the rate of 2 in 1000 ms';
  run(
    `${LOGON}
    > 35=F|34=2|11=b|41=a|
    delivered 35=F|34=2|
    app 35=9|11=b|41=a|39=8|
    < 35=9|34=2|11=b|41=a|39=8|
    > 35=F|34=3|11=c|41=a|
    delivered 35=F|34=3|
    app 35=9|11=c|41=a|39=8|
    < 35=9|34=3|11=c|41=a|39=8|
    > 35=F|34=4|11=d|41=a|
    delivered 35=F|34=4|
    app 35=9|11=d|41=a|39=8|
    < 35=9|34=4|11=d|41=a|39=8|
    # Its refusal counts, its reject does not count once more.
    > 35=G|34=5|11=e|41=a|
    throttled refuse 1000 35=G|34=5|
    < 35=5|34=5|58=${text}|
    closed
    down
    `,
    { config: { messageRate: { ...RATE, refusalsMax: 2 } } },
  );
});

test('S7 the reject of a replacement that came too fast is not counted besides its refusal', () => {
  const rate = new MessageRate({ ...RATE, refusalsMax: 2 });
  expect([rate.take(0), rate.take(0), rate.take(0)]).toMatchObject([null, null, { excess: 'refuse' }]);
  rate.rejectFollows();
  rate.cancelRejected(0);
  expect(rate.isExceeded).toBe(false);
  rate.cancelRejected(0);
  expect(rate.isExceeded).toBe(true);
});

testInEveryVersion(
  'S7 a message with a fault is answered, uses the rate up, and too many of them end the session',
  (run) => {
    const text = '2 messages within a minute were beyond the rate of 2 in 1000 ms';
    run(
      `${LOGON}
    > 35=D|34=2|11=a|4999=x|
    < 35=3|34=2|45=2|371=4999|372=D|373=0|58=Invalid tag number: 4999 is not in the dictionary of this session|
    > 35=F|34=3|11=b|4999=x|
    < 35=3|34=3|45=3|371=4999|372=F|373=0|58=Invalid tag number: 4999 is not in the dictionary of this session|
    > 35=D|34=4|${ORDER}
    throttled refuse 1000 35=D|34=4|
    > 35=1|34=5|4999=x|
    < 35=3|34=4|45=5|371=4999|372=1|373=0|58=Invalid tag number: 4999 is not in the dictionary of this session|
    > 35=D|34=2|43=Y|
    < 35=3|34=5|45=2|371=122|372=D|373=1|58=Required tag missing: OrigSendingTime(122)|
    < 35=5|34=6|58=${text}|
    closed
    down
    `,
      { config: { messageRate: { ...RATE, refusalsMax: 2 } }, validator: 'stock' },
    );
  },
);

testInEveryVersion('S7 a message with a fault is never held back', (run) => {
  run(
    `${LOGON}
    > 35=D|34=2|${ORDER}
    delivered 35=D|34=2|
    > 35=D|34=3|${ORDER}
    delivered 35=D|34=3|
    > 35=D|34=4|4999=x|
    < 35=3|34=2|45=4|371=4999|372=D|373=0|58=Invalid tag number: 4999 is not in the dictionary of this session|
    wait 0.5
    > 35=D|34=5|${ORDER}
    throttled hold 500 35=D|34=5|
    `,
    { config: { messageRate: { ...RATE, excess: 'hold', refusalsMax: 2 } }, validator: 'stock' },
  );
});

test('S7 accepts no more messages in any span than the rate allows, and turns never overtake', () => {
  const settings = fc.record({
    messagesMax: fc.integer({ min: 1, max: 5 }),
    perMs: fc.integer({ min: 1, max: 100 }),
    excess: fc.constantFrom<'refuse' | 'hold'>('refuse', 'hold'),
    holdMsMax: fc.integer({ min: 0, max: 200 }),
    refusalsMax: fc.constant(0),
  });
  checkProperty(
    fc.property(settings, fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 100 }), (rate, pauses) => {
      const limiter = new MessageRate(rate);
      const turns: number[] = [];
      let now = 1_000_000;
      for (const pause of pauses) {
        now += pause;
        const verdict = limiter.take(now);
        if (verdict === null) turns.push(now);
        else if (verdict.excess === 'hold') {
          expect(verdict.waitMs).toBeLessThanOrEqual(rate.holdMsMax);
          turns.push(now + verdict.waitMs);
        } else {
          // A sender that waits as asked is accepted.
          expect(turns.filter((turn) => turn > now + verdict.waitMs - rate.perMs).length).toBeLessThan(
            rate.messagesMax,
          );
        }
      }
      turns.forEach((turn, i) => {
        if (i > 0) expect(turn).toBeGreaterThanOrEqual(turns[i - 1]!);
        const first = turns[i - rate.messagesMax];
        if (first !== undefined) expect(turn - first).toBeGreaterThanOrEqual(rate.perMs);
      });
    }),
  );
});

test('S7 refusals of more than a minute ago end no session', () => {
  const limiter = new MessageRate({ ...RATE, messagesMax: 1, refusalsMax: 2 });
  const exceeded = [0, 1, 60_000, 60_001, 60_002].map((at) => {
    limiter.take(at);
    return limiter.isExceeded;
  });
  expect(exceeded).toEqual([false, false, false, false, true]);
});

test('S7 a clock set back lengthens no wait for the next turn', () => {
  const driver = runScenario(
    `${LOGON}
    > 35=D|34=2|11=a|
    delivered 35=D|34=2|
    > 35=D|34=3|11=b|
    delivered 35=D|34=3|
    `,
    { config: { messageRate: RATE } },
  );
  driver.now -= 3_600_000;
  continueScenario(
    driver,
    `
    > 35=D|34=4|11=c|
    throttled refuse 1000 35=D|34=4|
    wait 1
    > 35=D|34=5|11=d|
    delivered 35=D|34=5|
    `,
  );
});

const TOO_MANY = 'more than 3 session messages and messages sent again in a second';
const FEW = { config: { sessionMessagesMax: 3 } };
const FULL = `${LOGON}
    > 35=1|34=2|112=a|
    < 35=0|34=2|112=a|
    > 35=0|34=3|
    > 35=0|34=4|
`;

for (const [name, message] of Object.entries({
  Heartbeat: '35=0|34=5|',
  TestRequest: '35=1|34=5|112=b|',
  ResendRequest: '35=2|34=5|7=1|16=0|',
  'SequenceReset in reset mode': '35=4|34=5|36=9|',
  'SequenceReset in gap fill mode': '35=4|34=5|123=Y|36=9|',
})) {
  testInEveryVersion(`S7 one ${name} too many in a second ends the session in words, and is not acted on`, (run) => {
    const { journal } = run(
      `${FULL}
    > ${message}
    < 35=5|34=3|58=${TOO_MANY}|
    closed
    numbers 4 5
    `,
      FEW,
    );
    expect(journal.records).toContainEqual(expect.objectContaining({ direction: 'in', note: 'one message too many' }));
  });
}

testInEveryVersion('S7 session messages of the next second, and orders, do not count', (run) => {
  run(
    `${FULL}
    > 35=D|34=5|11=a|
    delivered 35=D|34=5|
    wait 1
    > 35=1|34=6|112=b|
    < 35=0|34=3|112=b|
    `,
    FEW,
  );
});

testInEveryVersion('S7 gap fills that were asked for do not count, however many there are', (run) => {
  const fills = Array.from({ length: 8 }, (_, i) => `> 35=4|34=${i + 2}|43=Y|122={0}|123=Y|36=${i + 3}|`).join('\n');
  run(
    `${LOGON}
    > 35=D|34=10|11=z|
    < 35=2|34=2|7=2|16=9|
    ${fills}
    delivered 35=D|34=10|
    > 35=1|34=11|112=b|
    < 35=0|34=3|112=b|
    `,
    FEW,
  );
});

testInEveryVersion('S7 a SequenceReset that comes again and again counts, with PossDupFlag(43)=Y too', (run) => {
  const again = '> 35=4|34=2|43=Y|122={0}|123=Y|36=3|\n'.repeat(4);
  run(
    `${LOGON}
    > 35=0|34=2|
    ${again}
    < 35=5|34=2|58=${TOO_MANY}|
    closed
    numbers 3 3
    `,
    FEW,
  );
});

testInEveryVersion(
  'S7 what is sent again does not count, however much it is: heartbeats, and more than was asked for',
  (run) => {
    const beats = (from: number) =>
      Array.from({ length: 8 }, (_, i) => `> 35=0|34=${i + from}|43=Y|122={0}|`).join('\n');
    run(
      `${LOGON}
    > 35=D|34=10|11=z|
    < 35=2|34=2|7=2|16=9|
    ${beats(2)}
    delivered 35=D|34=10|
    ${beats(2)}
    > 35=1|34=11|112=b|
    < 35=0|34=3|112=b|
    `,
      FEW,
    );
  },
);

testInEveryVersion(
  'S7 an order ahead of its number uses the rate up when it comes, and not again at its turn',
  (run) => {
    run(
      `${LOGON}
    > 35=D|34=3|11=b|
    < 35=2|34=2|7=2|16=2|
    > 35=D|34=4|11=c|
    > 35=D|34=5|11=d|
    wait 0.4
    > 35=4|34=2|43=Y|122={0}|123=Y|36=3|
    delivered 35=D|34=3|11=b|
    delivered 35=D|34=4|11=c|
    throttled refuse 600 35=D|34=5|11=d|
    wait 0.6
    > 35=D|34=6|11=e|
    delivered 35=D|34=6|
    > 35=D|34=7|11=f|
    delivered 35=D|34=7|
    numbers 3 8
    `,
      { config: { messageRate: RATE } },
    );
  },
);

testInEveryVersion('S7 ahead of their number a second copy, a cancel and a session message use nothing up', (run) => {
  run(
    `${LOGON}
    > 35=D|34=3|11=b|
    < 35=2|34=2|7=2|16=2|
    > 35=D|34=3|11=b|
    > 35=F|34=4|11=c|41=b|
    > 35=0|34=5|
    > 35=D|34=6|11=d|
    wait 0.4
    > 35=4|34=2|43=Y|122={0}|123=Y|36=3|
    delivered 35=D|34=3|11=b|
    delivered 35=F|34=4|11=c|
    delivered 35=D|34=6|11=d|
    `,
    { config: { messageRate: RATE } },
  );
});

test('S7 an order that waits behind a gap while the clock is set back waits no longer for that', () => {
  const config = { messageRate: { ...RATE, excess: 'hold' } } as const;
  const driver = runScenario(
    `${LOGON}
    > 35=D|34=2|11=a|
    delivered 35=D|34=2|
    > 35=D|34=3|11=b|
    delivered 35=D|34=3|
    > 35=D|34=5|11=c|
    < 35=2|34=2|7=4|16=4|
    `,
    { config },
  );
  driver.now -= 3_600_000;
  continueScenario(driver, '> 35=4|34=4|123=Y|36=5|\n throttled hold 1000 35=D|34=5|');
});

testInEveryVersion('S7 an order ahead of its number that is to be held waits no longer than one in its turn', (run) => {
  run(
    `${LOGON}
    > 35=D|34=3|11=b|
    < 35=2|34=2|7=2|16=2|
    > 35=D|34=4|11=c|
    > 35=D|34=5|11=d|
    > 35=D|34=6|11=e|
    wait 0.4
    > 35=D|34=7|11=f|
    wait 0.7
    > 35=4|34=2|43=Y|122={0}|123=Y|36=3|
    delivered 35=D|34=3|11=b|
    delivered 35=D|34=4|11=c|
    delivered 35=D|34=5|11=d|
    delivered 35=D|34=6|11=e|
    throttled refuse 900 35=D|34=7|11=f|
    `,
    { config: { messageRate: { ...RATE, excess: 'hold' } } },
  );
});

testInEveryVersion('S7 a message that came ahead does not overtake one of the gap that has to wait', (run) => {
  run(
    `${LOGON}
    > 35=D|34=3|11=b|
    < 35=2|34=2|7=2|16=2|
    > 35=G|34=4|11=c|41=b|
    wait 0.2
    > 35=D|34=2|43=Y|122={0}|11=a|
    throttled hold 800 35=D|34=2|11=a|
    throttled hold 800 35=D|34=3|11=b|
    throttled hold 800 35=G|34=4|11=c|
    wait 0.9
    > 35=D|34=5|11=d|
    delivered 35=D|34=5|
    `,
    { config: { messageRate: { ...RATE, excess: 'hold' } } },
  );
});

testInEveryVersion('S7 orders ahead of a gap that is never filled end the session too', (run) => {
  run(
    `${LOGON}
    > 35=D|34=1000000|11=a|
    < 35=2|34=2|7=2|16=999999|
    > 35=D|34=1000001|11=b|
    > 35=D|34=1000002|11=c|
    > 35=D|34=1000003|11=d|
    < 35=5|34=3|58=2 messages within a minute were beyond the rate of 2 in 1000 ms|
    closed
    down
    `,
    { config: { messageRate: { ...RATE, refusalsMax: 2 }, gapQueueMax: 1 } },
  );
});

for (const [name, message] of Object.entries({
  'an order ahead of its number': '> 35=D|34=9|11=a|',
  'a cancel ahead of its number': '> 35=F|34=9|11=a|41=b|',
  'a Reject ahead of its number': '> 35=3|34=9|45=1|',
})) {
  testInEveryVersion(`S7 ${name} that comes again and again ends the session, though no rate is set`, (run) => {
    const isSession = name.includes('Reject');
    run(
      `${LOGON}
    ${message}
    < 35=2|34=2|7=2|16=8|
    ${`${message}\n`.repeat(isSession ? 3 : 4)}
    < 35=5|34=3|58=${TOO_MANY}|
    closed
    `,
      FEW,
    );
  });
}

test('S7 counted messages may return once: from the requested number, a new connection, a minute', () => {
  const rate = new SessionMessageRate();
  const again = (at: number, ...numbers: number[]) => numbers.map((n) => rate.isNextAgain(n, at));
  expect(again(100_000, 2, 5, 3)).toEqual([true, true, false]);
  rate.asked(3);
  expect(again(100_000, 2, 3, 3, 4)).toEqual([false, true, false, true]);
  expect([again(159_999, 1), again(160_000, 1)]).toEqual([[false], [true]]);
  rate.sent();
  rate.newConnection();
  expect([again(160_000, 1), rate.isOfOurs()]).toEqual([[true], false]);
});

test('S7 the minute for a full return begins with its start, not with each message', () => {
  const rate = new SessionMessageRate();
  const again = (at: number, ...numbers: number[]) => numbers.map((n) => rate.isNextAgain(n, at));
  expect([again(100_000, 2), again(150_000, 3)]).toEqual([[true], [true]]);
  expect([again(159_999, 2), again(160_000, 2), again(170_000, 3)]).toEqual([[false], [true], [true]]);
  expect([again(219_999, 2, 3), again(220_000, 2, 3, 2)]).toEqual([
    [false, false],
    [true, true, false],
  ]);
});

testInEveryVersion('S7 Rejects that refuse no message of ours end the session, and so do Logons within it', (run) => {
  for (const message of ['35=3|34=N|45=1|', '35=j|34=N|45=1|372=8|380=0|', '35=A|34=N|98=0|108=30|']) {
    const isRefusal = message.startsWith('35=j');
    const sent = [2, 3, 4, 5]
      .map((n) => `> ${message.replace('N', `${n}`)}\n${isRefusal && n < 5 ? `delivered 35=j|34=${n}|` : ''}`)
      .join('\n');
    run(`${LOGON}\n${sent}\n< 35=5|34=2|58=${TOO_MANY}|\nclosed`, FEW);
  }
});

testInEveryVersion('S7 Rejects of what we sent, and of what we sent again, do not count', (run) => {
  const seqNums = [2, 3, 4, 5, 6];
  const reports = seqNums.map((n) => `app 35=8|37=1|\n< 35=8|34=${n}|37=1|`).join('\n');
  const again = seqNums.map((n) => `< 35=8|34=${n}|43=Y|122={0}|37=1|`).join('\n');
  const rejects = (from: number): string => seqNums.map((n) => `> 35=3|34=${from + n}|45=${n}|`).join('\n');
  run(
    `${LOGON}
    ${reports}
    ${rejects(0)}
    > 35=2|34=7|7=2|16=0|
    ${again}
    ${rejects(6)}
    > 35=1|34=13|112=b|
    < 35=0|34=7|112=b|
    > 35=3|34=14|45=2|
    > 35=3|34=15|45=2|
    < 35=5|34=8|58=${TOO_MANY}|
    closed
    `,
    FEW,
  );
});

testInEveryVersion('S7 orders that were counted come again once; over and over they end the session', (run) => {
  const numbers = [2, 3, 4, 5, 6, 7];
  const orders = numbers.map((n) => `> 35=D|34=${n}|11=${n}|\ndelivered 35=D|34=${n}|`).join('\n');
  const again = numbers.map((n) => `> 35=D|34=${n}|43=Y|122={0}|11=${n}|`);
  run(
    `${LOGON}
    ${orders}
    ${again.join('\n')}
    > 35=1|34=8|112=b|
    < 35=0|34=2|112=b|
    ${again.slice(0, 3).join('\n')}
    < 35=5|34=3|58=${TOO_MANY}|
    closed
    `,
    FEW,
  );
});

testInEveryVersion('S7 what was asked for once more may come once more', (run) => {
  const again = (to: number): string =>
    [2, 3, 4, 5, 6, 7]
      .slice(0, to - 1)
      .map((n) => `> 35=0|34=${n}|43=Y|122={0}|`)
      .join('\n');
  run(
    `${LOGON}
    > 35=D|34=9|11=z|
    < 35=2|34=2|7=2|16=8|
    ${again(7)}
    ${again(7)}
    > 35=4|34=8|43=Y|122={0}|123=Y|36=9|
    delivered 35=D|34=9|
    > 35=D|34=12|11=y|
    < 35=2|34=3|7=10|16=11|
    > 35=0|34=10|43=Y|122={0}|
    > 35=0|34=11|43=Y|122={0}|
    delivered 35=D|34=12|
    > 35=0|34=10|43=Y|122={0}|
    > 35=0|34=11|43=Y|122={0}|
    > 35=1|34=13|112=b|
    < 35=0|34=4|112=b|
    wait 30
    < 35=0|34=5|
    > 35=0|34=14|
    wait 30
    < 35=0|34=6|
    > 35=0|34=15|
    wait 1
    ${again(7)}
    > 35=1|34=16|112=c|
    < 35=0|34=7|112=c|
    `,
    FEW,
  );
});

testInEveryVersion('S7 a new connection counts on within the second, so that a loop of Logons gains nothing', (run) => {
  run(
    `${FULL}
    cut
    down
    connect
    > 35=A|34=5|98=0|108=30|
    < 35=A|34=3|98=0|108=30|
    up
    wait 1
    > 35=1|34=6|112=b|
    < 35=0|34=4|112=b|
    cut
    down
    connect
    > 35=A|34=7|98=0|108=30|
    < 35=A|34=5|98=0|108=30|
    up
    > 35=1|34=8|112=c|
    < 35=0|34=6|112=c|
    > 35=1|34=9|112=d|
    < 35=0|34=7|112=d|
    > 35=1|34=10|112=e|
    < 35=5|34=8|58=${TOO_MANY}|
    closed
    down
    `,
    FEW,
  );
});

testInEveryVersion('S7 garbled messages count', (run) => {
  run(
    `${LOGON}
    ${'> 35=0|34=2|10=000|\n'.repeat(4)}
    < 35=5|34=2|58=${TOO_MANY}|
    closed
    `,
    FEW,
  );
});

testInEveryVersion('S7 orders behind a Logout are passed over, and end the connection where they do not end', (run) => {
  run(
    `${LOGON}
    > 35=5|34=2|
    < 35=5|34=2|
    down
    ${'> 35=D|34=3|11=a|\n'.repeat(3)}
    < 35=5|34=3|58=${TOO_MANY}|
    closed
    `,
    FEW,
  );
});

test.each([
  ['is raised', { ...RATE, excess: 'hold', messagesMax: 100 }],
  ['refuses from now on', { ...RATE, messagesMax: 100 }],
  ['is taken away', null],
] as const)('S7 a rate that %s while messages wait for their turn lets none overtake them', (_what, messageRate) => {
  const driver = runScenario(
    `${LOGON}
    > 35=D|34=2|11=a|
    delivered 35=D|34=2|
    > 35=D|34=3|11=b|
    delivered 35=D|34=3|
    > 35=D|34=4|11=c|
    throttled hold 1000 35=D|34=4|11=c|
    wait 0.4
  `,
    { config: { messageRate: { ...RATE, excess: 'hold' } } },
  );
  driver.session.applyConfig({ ...driver.session.config, messageRate });
  continueScenario(
    driver,
    `
    > 35=D|34=5|11=d|
    throttled hold 600 35=D|34=5|11=d|
    wait 0.6
    > 35=D|34=6|11=e|
    delivered 35=D|34=6|
    > 35=D|34=7|11=f|
    delivered 35=D|34=7|
  `,
  );
});

test('S7 a rate that a session is given while it is logged on holds from its next message on', () => {
  const driver = runScenario(`${LOGON}
    > 35=D|34=2|11=a|
    delivered 35=D|34=2|
  `);
  driver.session.applyConfig({ ...driver.session.config, messageRate: RATE });
  continueScenario(
    driver,
    `
    > 35=D|34=3|11=b|
    delivered 35=D|34=3|
    > 35=D|34=4|11=c|
    delivered 35=D|34=4|
    > 35=D|34=5|11=d|
    throttled refuse 1000 35=D|34=5|
  `,
  );
});

const RESET_SENT = `${LOGON}
    reset within
    < 35=1|34=2|112=1-1|
    > 35=0|34=2|112=1-1|
    < 35=A|34=1|98=0|108=30|141=Y|
`;

testInEveryVersion(
  'S7 an order in new numbers ahead of the Logon that answers our reset counts when it comes, not when it has its turn',
  (run) => {
    run(
      `${RESET_SENT}
    > 35=D|34=1|11=a|
    wait 1
    > 35=D|34=2|11=b|
    > 35=D|34=3|11=c|
    > 35=D|34=4|11=d|
    wait 1
    > 35=A|34=5|98=0|108=30|141=Y|
    delivered 35=D|34=1|
    delivered 35=D|34=2|
    delivered 35=D|34=3|
    throttled refuse 0 35=D|34=4|
    > 35=D|34=6|11=e|
    delivered 35=D|34=6|
    `,
      { config: { messageRate: RATE } },
    );
    run(
      `${RESET_SENT}
    > 35=D|34=1|11=a|
    > 35=D|34=2|11=b|
    > 35=D|34=3|11=c|
    > 35=D|34=4|11=d|
    < 35=5|34=2|58=2 messages within a minute were beyond the rate of 2 in 1000 ms|
    closed
    `,
      { config: { messageRate: { ...RATE, refusalsMax: 2 } } },
    );
  },
  'FIX.4.1',
);

testInEveryVersion(
  'S7 orders in new numbers ahead of the Logon that answers our reset are no session messages: however many come, the session goes on',
  (run) => {
    const orders = [1, 2, 3, 4, 5];
    run(
      `${RESET_SENT}
    wait 1
    ${orders.map((n) => `> 35=D|34=${n}|11=o-${n}|`).join('\n')}
    > 35=A|34=6|98=0|108=30|141=Y|
    ${orders.map((n) => `delivered 35=D|34=${n}|`).join('\n')}
    numbers 2 7
    `,
      FEW,
    );
    // The same number again and again counts.
    run(
      `${RESET_SENT}
    wait 1
    ${'> 35=D|34=1|11=a|\n'.repeat(5)}
    < 35=5|34=2|58=${TOO_MANY}|
    closed
    `,
      FEW,
    );
  },
  'FIX.4.1',
);
