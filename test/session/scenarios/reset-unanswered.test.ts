// A reset within the session that our side began and that the connection ended without an answer to: the next Logon(A) shows
// whether it was taken.

import { expect } from 'vitest';
import { testInEveryVersion } from '../../support/session/every-version.ts';

const INITIATOR = { role: 'initiator', senderCompID: 'OMS', targetCompID: 'XGATE' } as const;

const ASKED = `
  connect
  > 35=A|34=1|98=0|108=30|
  < 35=A|34=1|98=0|108=30|
  up
  app 35=8|17=e1|
  < 35=8|34=2|17=e1|
  reset within
  < 35=1|34=3|112=1-1|
  > 35=0|34=2|112=1-1|
  < 35=A|34=1|98=0|108=30|141=Y|
`;

/** The connection is cut before the answer comes. */
const CUT_OFF = `${ASKED}
  cut
  down
`;

testInEveryVersion(
  'no answer to our Logon 141=Y ends the session in words, and an acceptor goes on as its counterparty does',
  (run) => {
    run(`${ASKED}
      app 35=8|17=e2|
      wait 10
      < 35=8|34=2|52={0}|17=e2|
      < 35=5|34=3|58=Logon(A) with ResetSeqNumFlag(141)=Y was not answered in time|
      closed
      down
      # It never took the reset.
      connect
      > 35=A|34=3|98=0|108=30|
      < 35=A|34=4|98=0|108=30|
      < 35=8|34=5|97=Y|17=e2|
      up
      > 35=D|34=4|11=o-1|
      delivered 35=D|34=4|
      numbers 6 5
    `);
    run(`${ASKED}
      wait 10
      < 35=5|34=2|58=Logon(A) with ResetSeqNumFlag(141)=Y was not answered in time|
      closed
      down
      # It did: its answer was lost.
      connect
      > 35=A|34=2|98=0|108=30|
      < 35=A|34=3|98=0|108=30|
      < 35=2|34=4|7=1|16=1|
      up
      > 35=4|34=1|43=Y|123=Y|36=2|
      numbers 5 3
    `);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'whether an unanswered reset was taken is known by LastMsgSeqNumProcessed(369), however many messages were lost behind it',
  (run) => {
    // It took the reset; its answer and two orders behind it were lost, and its number has passed the old one.
    run(`${CUT_OFF}
      connect
      > 35=A|34=4|369=1|98=0|108=30|
      < 35=A|34=2|98=0|108=30|
      < 35=2|34=3|7=1|16=3|
      up
      > 35=4|34=1|43=Y|123=Y|36=2|
      > 35=D|34=2|43=Y|122={0}|11=o-1|
      delivered 35=D|34=2|11=o-1|
      > 35=D|34=3|43=Y|122={0}|11=o-2|
      delivered 35=D|34=3|11=o-2|
      numbers 4 5
    `);
    // It did not.
    run(`${CUT_OFF}
      connect
      > 35=A|34=3|369=3|98=0|108=30|
      < 35=A|34=4|98=0|108=30|
      up
      numbers 5 4
    `);
    // Its meaning is unknown: neither series ever went so far.
    run(`${CUT_OFF}
      connect
      > 35=A|34=3|369=50|98=0|108=30|
      < 35=A|34=4|98=0|108=30|
      up
      numbers 5 4
    `);
  },
  'FIX.4.2',
);

testInEveryVersion(
  'whether an unanswered reset was taken is known by NextExpectedMsgSeqNum(789), after a restart too',
  (run) => {
    run(`${CUT_OFF}
      restart
      connect
      > 35=A|34=4|98=0|108=30|789=2|
      < 35=A|34=2|98=0|108=30|789=1|
      up
      > 35=4|34=1|43=Y|123=Y|36=2|
      > 35=D|34=2|43=Y|122={0}|11=o-1|
      delivered 35=D|34=2|11=o-1|
      > 35=D|34=3|43=Y|122={0}|11=o-2|
      delivered 35=D|34=3|11=o-2|
      numbers 3 5
    `);
    run(`${CUT_OFF}
      connect
      > 35=A|34=3|98=0|108=30|789=4|
      < 35=A|34=4|98=0|108=30|789=4|
      up
      numbers 5 4
    `);
    // Released with our Logout, three of the new numbers arrived there: more than the old ones ever had.
    run(`${ASKED}
      app 35=8|17=e2|
      app 35=8|17=e3|
      wait 10
      < 35=8|34=2|52={0}|17=e2|
      < 35=8|34=3|52={0}|17=e3|
      < 35=5|34=4|58=Logon(A) with ResetSeqNumFlag(141)=Y was not answered in time|
      closed
      down
      connect
      > 35=A|34=4|98=0|108=30|789=5|
      < 35=A|34=5|98=0|108=30|789=1|
      up
    `);
  },
  'FIX.4.4',
);

testInEveryVersion(
  'a NextExpectedMsgSeqNum(789) that both numbers fit says that the reset was not taken',
  (run) => {
    run(`${ASKED}
      app 35=8|17=e2|
      app 35=8|17=e3|
      wait 10
      < 35=8|34=2|52={0}|17=e2|
      < 35=8|34=3|52={0}|17=e3|
      < 35=5|34=4|58=Logon(A) with ResetSeqNumFlag(141)=Y was not answered in time|
      closed
      down
      connect
      > 35=A|34=3|98=0|108=30|789=4|
      < 35=A|34=4|98=0|108=30|789=4|
      < 35=8|34=5|97=Y|17=e2|
      < 35=8|34=6|97=Y|17=e3|
      up
    `);
  },
  'FIX.4.4',
);

testInEveryVersion(
  'a Logon(A) in the numbers before an unanswered reset that is refused takes it back once: the next one finds them as they were left',
  (run) => {
    run(`${CUT_OFF}
      connect
      > 35=A|34=3|98=0|108=30|789=50|
      < 35=5|34=4|58=NextExpectedMsgSeqNum(789)=50 is above the next number 4|
      closed
      cut
      connect
      > 35=A|34=3|98=0|108=30|
      < 35=A|34=5|98=0|108=30|
      up
      numbers 6 4
    `);
  },
  'FIX.4.4',
);

testInEveryVersion(
  'LastMsgSeqNumProcessed(369) that is one too many does not undo a reset that the number of the Logon shows to be taken',
  (run) => {
    run(`${CUT_OFF}
      connect
      > 35=A|34=2|369=2|98=0|108=30|
      < 35=A|34=2|98=0|108=30|
      < 35=2|34=3|7=1|16=1|
      up
      > 35=4|34=1|43=Y|123=Y|36=2|
      numbers 4 3
    `);
  },
  'FIX.4.2',
);

testInEveryVersion(
  'LastMsgSeqNumProcessed(369) that is 0 whatever was received says nothing of a reset: its number does',
  (run) => {
    run(`${CUT_OFF}
      connect
      > 35=A|34=3|369=0|98=0|108=30|
      < 35=A|34=4|98=0|108=30|
      up
      numbers 5 4
    `);
  },
  'FIX.4.2',
);

testInEveryVersion(
  'a Logon that fits neither the old nor the new numbers decides nothing about a reset: the next one does',
  (run) => {
    const { session } = run(`${CUT_OFF}
      connect
      > 35=A|34=2|98=0|108=30|789=4|
      < 35=5|34=2|58=NextExpectedMsgSeqNum(789)=4 is above the next number 2|
      closed
      cut
      connect
      > 35=A|34=3|98=0|108=30|789=4|
      < 35=A|34=4|98=0|108=30|789=4|
      up
      numbers 5 4
    `);
    expect(session.numbers.series).toBe(3);
  },
  'FIX.4.4',
);

testInEveryVersion(
  'that an unanswered reset was taken is known after a restart, though what was sent behind it has not come yet',
  (run) => {
    run(`${CUT_OFF}
      connect
      > 35=A|34=4|369=1|98=0|108=30|
      < 35=A|34=2|98=0|108=30|
      < 35=2|34=3|7=1|16=3|
      up
      restart
      connect
      > 35=A|34=5|369=3|98=0|108=30|
      < 35=A|34=4|98=0|108=30|
      < 35=2|34=5|7=1|16=4|
      up
    `);
  },
  'FIX.4.2',
);

testInEveryVersion(
  'what the counterparty sent in its old numbers behind our Logon 141=Y is not delivered again after a start, if these hold after all',
  (run) => {
    for (const start of ['', 'restart']) {
      const { journal } = run(`${ASKED}
        > 35=D|34=3|11=o-1|
        delivered 35=D|34=3|11=o-1|
        > 35=4|34=4|123=Y|36=7|
        > 35=3|34=7|45=2|58=no such report|
        cut
        down
        ${start}
        connect
        > 35=A|34=8|98=0|108=30|
        < 35=A|34=4|98=0|108=30|
        up
        numbers 5 9
      `);
      const counted = journal.records.flatMap((record) => (record.kind === 'inbound' ? [record.msgSeqNum] : []));
      expect(counted).toEqual([1, 2, 3, 4, 7, 8]);
    }
  },
  'FIX.4.1',
);

testInEveryVersion(
  'a message whose header ends the session behind our Logon 141=Y counts in the old numbers, as it does in any: it is not asked for again',
  (run) => {
    run(`${ASKED}
      > 35=D|34=3|52={-3600}|11=o-1|
      < 35=3|34=2|45=3|371=52|372=D|373=10|58=SendingTime accuracy problem: SendingTime(52) is 3600 s behind the clock here, 120 s are allowed|
      < 35=5|34=3|58=SendingTime accuracy problem: SendingTime(52) is 3600 s behind the clock here, 120 s are allowed|
      closed
      down
      connect
      > 35=A|34=4|98=0|108=30|
      < 35=A|34=4|98=0|108=30|
      up
      numbers 5 5
    `);
  },
  'FIX.4.4',
);

testInEveryVersion(
  'a message in new numbers shows that the reset was taken, though no answer came: none of them is passed over, nor over a start',
  (run) => {
    for (const start of ['', 'restart']) {
      run(`${ASKED}
        > 35=D|34=1|11=o-1|
        cut
        down
        ${start}
        connect
        > 35=A|34=9|98=0|108=30|
        < 35=A|34=2|98=0|108=30|
        < 35=2|34=3|7=1|16=8|
        up
        > 35=D|34=1|43=Y|122={0}|11=o-1|
        delivered 35=D|34=1|11=o-1|
      `);
      run(`${ASKED}
        > 35=A|34=2|98=1|108=30|141=Y|
        < 35=5|34=2|58=EncryptMethod(98) must be 0|
        closed
        down
        ${start}
        connect
        > 35=A|34=9|98=0|108=30|
        < 35=A|34=3|98=0|108=30|
        < 35=2|34=4|7=1|16=8|
        up
      `);
    }
  },
  'FIX.4.1',
);

testInEveryVersion(
  'a refusal of our Logon shows no new numbers, whatever its own: it ends the session at once, and the next Logon tells which hold',
  (run) => {
    for (const [refusal, text] of [
      ['35=5|34=1|58=no reset here|', 'expected ResetSeqNumFlag(141)=Y or MsgSeqNum(34)=3, received 35=5 with 1'],
      ['35=3|34=1|45=1|58=no reset here|', 'our Logon(A) with ResetSeqNumFlag(141)=Y was rejected'],
      ['35=4|34=1|36=3|', 'expected ResetSeqNumFlag(141)=Y or MsgSeqNum(34)=3, received 35=4 with 1'],
      ['35=A|34=1|98=0|108=30|', 'expected ResetSeqNumFlag(141)=Y or MsgSeqNum(34)=3, received 35=A with 1'],
    ]) {
      const ended = `${ASKED}
        > ${refusal}
        < 35=5|34=2|58=${text}|
        closed
        down
        connect
      `;
      run(`${ended}
        > 35=A|34=3|98=0|108=30|
        < 35=A|34=4|98=0|108=30|
        up
        numbers 5 4
      `);
      run(`${ended}
        > 35=A|34=2|98=0|108=30|
        < 35=A|34=3|98=0|108=30|
        < 35=2|34=4|7=1|16=1|
        up
      `);
    }
  },
  'FIX.4.1',
);

testInEveryVersion(
  'an initiator that read a message in new numbers does not ask again: it would lose what the counterparty has sent in them',
  (run) => {
    run(
      `
      connect
      < 35=A|34=1|98=0|108=30|
      > 35=A|34=1|98=0|108=30|
      up
      reset within
      < 35=1|34=2|112=1-1|
      > 35=0|34=2|112=1-1|
      < 35=A|34=1|98=0|108=30|141=Y|
      > 35=8|34=1|17=e1|
      cut
      down
      restart
      connect
      < 35=A|34=2|98=0|108=30|
      > 35=A|34=3|98=0|108=30|
      < 35=2|34=3|7=1|16=2|
      up
      > 35=8|34=1|43=Y|122={0}|17=e1|
      delivered 35=8|34=1|17=e1|
      `,
      { config: INITIATOR },
    );
  },
  'FIX.4.1',
);

testInEveryVersion(
  'numbers that begin again at each disconnect stay so, whatever became of a reset before',
  (run) => {
    run(
      `${CUT_OFF}
      connect
      > 35=A|34=3|98=0|108=30|
      < 35=A|34=1|98=0|108=30|
      < 35=2|34=2|7=1|16=2|
      up
      `,
      { config: { resetOn: ['disconnect'] } },
    );
  },
  'FIX.4.1',
);

testInEveryVersion(
  'an initiator whose reset was not answered asks again with its next Logon',
  (run) => {
    run(
      `
      connect
      < 35=A|34=1|98=0|108=30|
      > 35=A|34=1|98=0|108=30|
      up
      reset within
      < 35=1|34=2|112=1-1|
      > 35=0|34=2|112=1-1|
      < 35=A|34=1|98=0|108=30|141=Y|
      cut
      down
      restart
      connect
      < 35=A|34=1|98=0|108=30|141=Y|
      > 35=A|34=1|98=0|108=30|141=Y|
      up
      numbers 2 2
      `,
      { config: INITIATOR },
    );
  },
  'FIX.4.1',
);
