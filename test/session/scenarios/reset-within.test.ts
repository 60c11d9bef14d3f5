// A reset that our side begins within the open session: TestRequest(1) and its Heartbeat(0), Logon(A) 141=Y with 34=1, the
// counterparty's Logon(A) 141=Y with 34=1, and both go on at 2 (FIX session layer, 24-hour connectivity).

import { expect, test } from 'vitest';
import { WEEKDAYS } from '../../../src/session/mod.ts';
import { testInEveryVersion } from '../../support/session/every-version.ts';
import { continueScenario, runScenario } from '../../support/session/session-machine.ts';

const INITIATOR = { role: 'initiator', senderCompID: 'OMS', targetCompID: 'XGATE' } as const;

const LOGGED_ON = `
  connect
  > 35=A|34=1|98=0|108=30|
  < 35=A|34=1|98=0|108=30|
  up
`;
const ASKED = `${LOGGED_ON}
  app 35=8|17=e1|
  < 35=8|34=2|17=e1|
  reset within
  < 35=1|34=3|112=1-1|
  > 35=0|34=2|112=1-1|
  < 35=A|34=1|98=0|108=30|141=Y|
`;
const CONFIRMED = `${ASKED}
  > 35=A|34=1|98=0|108=30|141=Y|
  numbers 2 2
`;

testInEveryVersion(
  'S2 an acceptor proves that nothing is missing, sends 141=Y with 34=1 and goes on at 2',
  (run) => {
    const { journal } = run(`${CONFIRMED}
      app 35=8|17=e2|
      < 35=8|34=2|17=e2|
      > 35=D|34=2|11=o-1|
      delivered 35=D|34=2|11=o-1|
      numbers 3 3
    `);
    const resets = journal.records.filter(({ kind }) => kind === 'numbers');
    expect(resets).toMatchObject([{ who: 'operator', why: 'asked for' }]);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'an initiator does the same, with all that its Logon carries',
  (run) => {
    run(
      `
      connect
      < 35=A|34=1|98=0|108=30|553=desk|554=secret|
      > 35=A|34=1|98=0|108=30|
      up
      reset within
      < 35=1|34=2|112=1-1|
      > 35=0|34=2|112=1-1|
      < 35=A|34=1|98=0|108=30|141=Y|553=desk|554=secret|
      > 35=A|34=1|98=0|108=30|141=Y|
      numbers 2 2
      app 35=D|11=o-1|
      < 35=D|34=2|11=o-1|
      `,
      { config: { ...INITIATOR, username: 'desk', logonFields: [[554, 'secret']] } },
    );
  },
  'FIX.4.1',
);

testInEveryVersion(
  'its answer to a reset of the acceptor carries all that too, and the interval that the acceptor has said',
  (run) => {
    run(
      `
      connect
      < 35=A|34=1|98=0|108=30|553=desk|554=secret|
      > 35=A|34=1|98=0|108=20|
      up
      > 35=A|34=1|98=0|108=25|141=Y|
      < 35=A|34=1|98=0|108=25|141=Y|553=desk|554=secret|
      numbers 2 2
      wait 25
      < 35=0|34=2|
    `,
      {
        config: { ...INITIATOR, username: 'desk', logonFields: [[554, 'secret']], heartBtIntFromAcceptor: true },
      },
    );
  },
  'FIX.4.1',
);

testInEveryVersion(
  'what the counterparty sent before it read our Logon counts in its old numbers, and our answers follow its Logon',
  (run) => {
    run(`${ASKED}
      > 35=D|34=3|11=o-1|
      delivered 35=D|34=3|11=o-1|
      app 35=8|17=e2|11=o-1|
      > 35=1|34=4|112=alive|
      > 35=D|34=5|11=o-2|
      delivered 35=D|34=5|11=o-2|
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=8|34=2|17=e2|11=o-1|
      < 35=0|34=3|112=alive|
      > 35=D|34=2|11=o-3|
      delivered 35=D|34=2|11=o-3|
      numbers 4 3
    `);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'S2 a report sent after the TestRequest is not proven and follows with 97=Y',
  (run) => {
    run(`${LOGGED_ON}
      reset within
      < 35=1|34=2|112=1-1|
      app 35=8|17=e1|
      < 35=8|34=3|17=e1|
      > 35=0|34=2|112=1-1|
      < 35=A|34=1|98=0|108=30|141=Y|
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=8|34=2|97=Y|17=e1|
      numbers 3 2
    `);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'what a counterparty sends in its new numbers ahead of its Logon, as QuickFIX C++ does, waits for that and is taken in order',
  (run) => {
    const { session } = run(`${ASKED}
      > 35=D|34=3|11=o-1|
      delivered 35=D|34=3|11=o-1|
      > 35=D|34=1|11=o-2|
      > 35=1|34=2|112=alive|
      > 35=D|34=3|11=o-3|
      > 35=A|34=4|98=0|108=30|141=Y|
      delivered 35=D|34=1|11=o-2|
      < 35=0|34=2|112=alive|
      delivered 35=D|34=3|11=o-3|
      > 35=D|34=5|11=o-4|
      delivered 35=D|34=5|11=o-4|
      numbers 3 6
    `);
    expect(session.numbers.series).toBe(2);
    // So do a Reject of what we sent before, and a gap fill.
    run(`${ASKED}
      > 35=3|34=1|45=2|58=no such order|
      > 35=4|34=2|123=Y|36=5|
      > 35=A|34=5|98=0|108=30|141=Y|
      numbers 2 6
    `);
    // A number that it used up in between, as for a message of its old ones, is asked for.
    run(`${ASKED}
      > 35=D|34=2|11=o-2|
      > 35=A|34=3|98=0|108=30|141=Y|
      < 35=2|34=2|7=1|16=1|
      > 35=4|34=1|43=Y|122={0}|123=Y|36=2|
      delivered 35=D|34=2|11=o-2|
      numbers 3 4
    `);
    run(`${ASKED}
      > 35=A|34=2|98=0|108=30|141=Y|
      < 35=2|34=2|7=1|16=1|
      > 35=4|34=1|43=Y|122={0}|123=Y|36=2|
      numbers 3 3
    `);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'S10 a Logout in new numbers ahead of the Logon is answered at once, and its effect waits for what came before it',
  (run) => {
    const loggedOut = `${ASKED}
      > 35=D|34=1|11=o-1|
      > 35=5|34=2|
      < 35=5|34=2|
    `;
    run(`${loggedOut}
      > 35=A|34=3|98=0|108=30|141=Y|
      delivered 35=D|34=1|11=o-1|
      down
      numbers 3 4
    `);
    run(`${loggedOut}
      cut
      down
      connect
      > 35=A|34=3|98=0|108=30|
      < 35=A|34=3|98=0|108=30|
      < 35=2|34=4|7=1|16=2|
      up
      > 35=D|34=1|43=Y|122={0}|11=o-1|
      delivered 35=D|34=1|11=o-1|
    `);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'both sides begin at the same time: each takes the other Logon as its answer, and nobody answers again',
  (run) => {
    const { session } = run(`${ASKED}
      > 35=A|34=1|98=0|108=30|141=Y|
      > 35=A|34=1|98=0|108=30|141=Y|
      app 35=8|17=e2|
      < 35=8|34=2|17=e2|
      numbers 3 2
    `);
    expect(session.numbers.series).toBe(2);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'the counterparty resets before our Logon is out: that fulfils our wish',
  (run) => {
    const { session } = run(`${LOGGED_ON}
      reset within
      < 35=1|34=2|112=1-1|
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
      > 35=0|34=2|112=1-1|
      numbers 2 3
    `);
    expect(session.status.reset).toBeNull();
    expect(session.numbers.series).toBe(2);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'a counterparty that begins again while a gap is open loses what was missing, and what waited behind it: that is said',
  (run) => {
    const lost = (script: string): number =>
      run(`${LOGGED_ON} ${script}
        > 35=A|34=1|98=0|108=30|141=Y|
        < 35=A|34=1|98=0|108=30|141=Y|
        > 35=D|34=2|11=o-3|
        delivered 35=D|34=2|11=o-3|
        numbers 2 3
      `).notes.filter((text) => /while messages of its old numbers were missing/.test(text)).length;
    expect(lost('')).toBe(0);
    expect(lost('> 35=D|34=3|11=o-2|\n < 35=2|34=2|7=2|16=2|')).toBe(1);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'a gap is closed and a resend is finished before the numbers end',
  (run) => {
    run(`${LOGGED_ON}
      > 35=D|34=3|11=o-2|
      < 35=2|34=2|7=2|16=2|
      reset within
      > 35=D|34=2|43=Y|122={0}|11=o-1|
      delivered 35=D|11=o-1|
      delivered 35=D|11=o-2|
      < 35=1|34=3|112=1-1|
      > 35=D|34=5|11=o-4|
      < 35=2|34=4|7=4|16=4|
      > 35=0|34=4|112=1-1|
      delivered 35=D|11=o-4|
      < 35=A|34=1|98=0|108=30|141=Y|
      > 35=A|34=1|98=0|108=30|141=Y|
      numbers 2 2
    `);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'a counterparty that does not answer our TestRequest keeps its numbers: the wish is dropped',
  (run) => {
    const { session } = run(`${LOGGED_ON}
      reset within
      < 35=1|34=2|112=1-1|
      wait 20
      > 35=0|34=2|
      wait 10
      < 35=0|34=3|
      > 35=0|34=3|
      wait 29.5
      > 35=0|34=4|
      wait 0.5
      < 35=0|34=4|
      > 35=D|34=5|11=o-1|
      delivered 35=D|34=5|
      numbers 5 6
    `);
    expect(session.status.reset).toBeNull();
    expect(session.numbers.series).toBe(1);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'a Logout that crosses our Logon is answered, and nothing after it is taken',
  (run) => {
    run(`${ASKED}
      > 35=5|34=3|
      < 35=5|34=2|
      down
      > 35=D|34=4|11=late|
      cut
      connect
      > 35=A|34=5|98=0|108=30|
      < 35=A|34=4|98=0|108=30|
      up
      numbers 5 6
    `);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'our own Logout overtakes the answer, which is taken all the same',
  (run) => {
    run(`${ASKED}
      logout closing
      < 35=5|34=2|58=closing|
      > 35=A|34=1|98=0|108=30|141=Y|
      > 35=5|34=2|
      closed
      down
      numbers 3 3
    `);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'S2 the answer to a TestRequest of before the reset proves nothing of what came after it',
  (run) => {
    const { session } = run(`${LOGGED_ON}
      reset within
      < 35=1|34=2|112=1-1|
      wait 30
      < 35=0|34=3|
      wait 6
      < 35=1|34=4|112=1-2|
      > 35=0|34=2|112=1-1|
      < 35=A|34=1|98=0|108=30|141=Y|
      > 35=A|34=1|98=0|108=30|141=Y|
      app 35=8|17=e1|
      < 35=8|34=2|17=e1|
      app 35=8|17=e2|
      < 35=8|34=3|17=e2|
      app 35=8|17=e3|
      < 35=8|34=4|17=e3|
      > 35=0|34=2|112=1-2|
    `);
    expect(session.status.provenMsgSeqNum).toBe(0);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'a wish for which the proof comes behind a Logout(5) of ours leads to nothing: no Logon follows a Logout',
  (run) => {
    run(`${LOGGED_ON}
      reset within
      < 35=1|34=2|112=1-1|
      logout bye
      < 35=5|34=3|58=bye|
      > 35=0|34=2|112=1-1|
      > 35=5|34=3|
      closed
      numbers 4 4
    `);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'S11 an order that first arrives as PossDup before the answer to our reset is taken, one that was counted is not',
  (run) => {
    run(`${ASKED}
      > 35=D|34=3|43=Y|122={0}|11=o-1|
      delivered 35=D|34=3|11=o-1|
      > 35=D|34=3|43=Y|122={0}|11=o-1|
      > 35=A|34=1|98=0|108=30|141=Y|
      numbers 2 2
    `);
    // A faulty message there is rejected, in the new numbers.
    run(`${ASKED}
      > 35=D|34=3|43=Y|11=o-1|
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=3|34=2|45=3|371=122|372=D|373=1|58=Required tag missing: OrigSendingTime(122)|
      numbers 3 2
    `);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'a number left out before the answer, or a Reject of our Logon, ends the session',
  (run) => {
    run(`${ASKED}
      > 35=D|34=7|11=o-1|
      < 35=5|34=2|58=expected ResetSeqNumFlag(141)=Y or MsgSeqNum(34)=3, received 35=D with 7|
      closed
    `);
    run(`${ASKED}
      > 35=1|34=7|112=alive|
      < 35=5|34=2|58=expected ResetSeqNumFlag(141)=Y or MsgSeqNum(34)=3, received 35=1 with 7|
      closed
      numbers 3 1
    `);
    run(`${ASKED}
      > 35=3|34=3|45=1|58=no Logon within a session here|
      < 35=5|34=2|58=our Logon(A) with ResetSeqNumFlag(141)=Y was rejected|
      closed
    `);
    run(`${ASKED}
      > 35=A|34=3|98=0|108=30|141=Y|
      < 35=5|34=2|58=ResetSeqNumFlag(141)=Y needs MsgSeqNum(34)=1|
      closed
    `);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'what is asked again of the numbers that ended is ignored: reports follow as new messages',
  (run) => {
    const { notes } = run(`${ASKED}
      > 35=2|34=3|7=2|16=0|
      > 35=A|34=1|98=0|108=30|141=Y|
      numbers 2 2
    `);
    expect(notes).toContain('ResendRequest(2) for numbers that ended: ignored');
  },
  'FIX.4.1',
);

testInEveryVersion(
  'more messages than may wait for the answer follow it as a resend',
  (run) => {
    run(
      `${ASKED}
      app 35=8|17=e2|
      app 35=8|17=e3|
      app 35=8|17=e4|
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=8|34=2|43=Y|122={0}|17=e2|
      < 35=8|34=3|43=Y|122={0}|17=e3|
      < 35=8|34=4|43=Y|122={0}|17=e4|
      numbers 5 2
      `,
      { config: { gapQueueMax: 2 } },
    );
  },
  'FIX.4.1',
);

testInEveryVersion(
  'long messages that wait for the answer are few: so many as are more than a mebibyte follow it as a resend',
  (run) => {
    const long = 'x'.repeat(400_000);
    const next = (n: number): string => `app 35=8|17=e${n}|58=${long}|`;
    const again = (n: number): string => `< 35=8|34=${n}|43=Y|122={0}|17=e${n}|58=${long}|`;
    run(`${ASKED}
      ${[2, 3, 4].map(next).join('\n')}
      > 35=A|34=1|98=0|108=30|141=Y|
      ${[2, 3, 4].map(again).join('\n')}
      numbers 5 2
    `);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'a second wish changes nothing about the first',
  (run) => {
    const { notes } = run(`${LOGGED_ON}
    reset within
    < 35=1|34=2|112=1-1|
    reset within
  `);
    expect(notes.at(-1)).toMatch(/on its way already/);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'a scheduled reset is begun within the session where the settings say so',
  (run) => {
    const schedule = { timeZone: 'UTC', windows: [], holidays: [], resets: [{ days: WEEKDAYS, at: '09:00:20' }] };
    const { session } = run(
      `${LOGGED_ON}
      wait 20
      < 35=1|34=2|112=1-1|
      > 35=0|34=2|112=1-1|
      < 35=A|34=1|98=0|108=30|141=Y|
      > 35=A|34=1|98=0|108=30|141=Y|
      numbers 2 2
      wait 10
      `,
      { config: { schedule, resetsWithinSession: true } },
    );
    expect(session.loggedOn).toBe(true);
  },
  'FIX.4.1',
);

const AT_20 = {
  schedule: { timeZone: 'UTC', windows: [], holidays: [], resets: [{ days: WEEKDAYS, at: '09:00:20' }] },
  resetsWithinSession: true,
};

testInEveryVersion(
  'one that was due while nobody was logged on is begun behind the next Logon of a counterparty that goes on in its numbers',
  (run) => {
    for (const meanwhile of ['cut', 'cut\n restart'] as const) {
      run(
        `${LOGGED_ON}
        ${meanwhile}
        wait 25
        connect
        > 35=A|34=2|98=0|108=30|
        < 35=A|34=2|98=0|108=30|
        < 35=1|34=3|112=1-1|
        > 35=0|34=3|112=1-1|
        < 35=A|34=1|98=0|108=30|141=Y|
        > 35=A|34=1|98=0|108=30|141=Y|
        numbers 2 2
        `,
        { config: AT_20 },
      );
    }
  },
  'FIX.4.1',
);

testInEveryVersion(
  'S2 it is done for a counterparty that has begun again by itself meanwhile',
  (run) => {
    run(
      `${LOGGED_ON}
      app 35=8|17=e1|
      < 35=8|34=2|17=e1|
      cut
      wait 25
      connect
      > 35=A|34=1|98=0|108=30|
      < 35=A|34=1|98=0|108=30|
      < 35=8|34=2|97=Y|17=e1|
      wait 20
      > 35=0|34=2|
      wait 5
      numbers 3 3
      `,
      { config: AT_20 },
    );
  },
  'FIX.4.1',
);

testInEveryVersion(
  'S2 one that is due is not forgotten by a start, whatever was recorded since',
  (run) => {
    run(
      `${LOGGED_ON}
      cut
      wait 25
      app 35=8|17=e1|
      restart
      connect
      > 35=A|34=2|98=0|108=30|
      < 35=A|34=3|98=0|108=30|
      < 35=1|34=4|112=1-1|
      > 35=2|34=3|7=2|16=2|
      < 35=8|34=2|43=Y|122={25}|17=e1|
      < 35=1|34=5|112=1-2|
      > 35=0|34=4|112=1-2|
      < 35=A|34=1|98=0|108=30|141=Y|
      > 35=A|34=1|98=0|108=30|141=Y|
      numbers 2 2
      `,
      { config: AT_20 },
    );
    const interrupted = `
      wait 20
      < 35=1|34=2|112=1-1|
      wait 5
      > 35=D|34=2|11=o-1|
      delivered 35=D|34=2|11=o-1|
      restart
      connect
    `;
    run(
      `${LOGGED_ON}${interrupted}
      > 35=A|34=3|98=0|108=30|
      < 35=A|34=3|98=0|108=30|
      < 35=1|34=4|112=1-1|
      > 35=0|34=4|112=1-1|
      < 35=A|34=1|98=0|108=30|141=Y|
      > 35=A|34=1|98=0|108=30|141=Y|
      restart
      connect
      > 35=A|34=2|98=0|108=30|
      < 35=A|34=2|98=0|108=30|
      wait 20
      > 35=0|34=3|
      `,
      { config: AT_20 },
    );
    run(
      `
      connect
      < 35=A|34=1|98=0|108=30|
      > 35=A|34=1|98=0|108=30|
      up
      ${interrupted}
      < 35=A|34=3|98=0|108=30|
      > 35=A|34=3|98=0|108=30|
      < 35=1|34=4|112=1-1|
      `,
      { config: { ...AT_20, ...INITIATOR } },
    );
  },
  'FIX.4.1',
);

testInEveryVersion(
  'one that is due is not made any more where the settings do not have it so any more',
  (run) => {
    const driver = run(`${LOGGED_ON}\n cut\n down disconnect\n wait 25`, { config: AT_20 });
    driver.session.applyConfig({ ...driver.session.config, resetsWithinSession: false });
    const appl = driver.session.config.beginString === 'FIXT.1.1' ? '1137=9|' : '';
    const goesOn = `
      connect
      > 35=A|34=2|98=0|108=30|${appl}
      < 35=A|34=2|98=0|108=30|${appl}
      up
      wait 20`;
    continueScenario(driver, goesOn);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'one of the schedule is tried again each minute until the counterparty proves that it misses nothing',
  (run) => {
    const { notes } = run(
      `${LOGGED_ON}
      wait 20
      < 35=1|34=2|112=1-1|
      > 35=0|34=2|
      wait 30
      < 35=0|34=3|
      > 35=0|34=3|
      wait 29
      > 35=0|34=4|
      wait 1
      < 35=1|34=4|112=1-2|
      wait 30
      < 35=0|34=5|
      > 35=0|34=5|
      wait 30
      < 35=1|34=6|112=1-3|
      > 35=0|34=6|112=1-3|
      < 35=A|34=1|98=0|108=30|141=Y|
      > 35=A|34=1|98=0|108=30|141=Y|
      numbers 2 2
      `,
      { config: AT_20 },
    );
    expect(notes.filter((text) => /did not prove/.test(text))).toHaveLength(1);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'one of the schedule that a silent counterparty does not let through keeps nobody alive',
  (run) => {
    run(
      `
      connect
      > 35=A|34=1|98=0|108=120|
      < 35=A|34=1|98=0|108=120|
      up
      wait 20
      < 35=1|34=2|112=1-1|
      wait 120
      < 35=0|34=3|
      wait 120
      < 35=0|34=4|
      wait 27
      wait 1
      closed
      down disconnect
      `,
      { config: AT_20 },
    );
  },
  'FIX.4.1',
);

testInEveryVersion(
  'one that a lost connection interrupted before our Logon is begun again on the next, by an initiator too',
  (run) => {
    run(
      `${LOGGED_ON}
      wait 20
      < 35=1|34=2|112=1-1|
      cut
      connect
      > 35=A|34=2|98=0|108=30|
      < 35=A|34=3|98=0|108=30|
      < 35=1|34=4|112=1-2|
      > 35=0|34=3|112=1-2|
      < 35=A|34=1|98=0|108=30|141=Y|
      `,
      { config: AT_20 },
    );
    run(
      `
      connect
      < 35=A|34=1|98=0|108=30|
      > 35=A|34=1|98=0|108=30|
      up
      wait 20
      < 35=1|34=2|112=1-1|
      cut
      connect
      < 35=A|34=3|98=0|108=30|
      > 35=A|34=2|98=0|108=30|
      < 35=1|34=4|112=1-2|
      `,
      { config: { ...AT_20, ...INITIATOR } },
    );
  },
  'FIX.4.1',
);

const OF_APPLICATION = {
  kind: 'setNumbers',
  nextSenderMsgSeqNum: null,
  nextTargetMsgSeqNum: null,
  reset: true,
  within: true,
  isOwed: true,
  who: 'application',
  why: 'a new day',
} as const;
const CUT = `${LOGGED_ON}
  app 35=8|17=e1|
  < 35=8|34=2|17=e1|
  cut
  down disconnect
`;

testInEveryVersion(
  'a reset that an acceptor’s application asks for without a connection is told to a counterparty that goes on in its numbers',
  (run) => {
    for (const meanwhile of ['', 'restart\n']) {
      const driver = run(CUT);
      driver.input(OF_APPLICATION);
      const appl = driver.session.config.beginString === 'FIXT.1.1' ? '1137=9|' : '';
      continueScenario(
        driver,
        `${meanwhile}
        numbers 3 2
        connect
        > 35=A|34=2|98=0|108=30|${appl}
        < 35=A|34=3|98=0|108=30|${appl}
        ${meanwhile === '' ? 'up' : ''}
        < 35=1|34=4|112=1-1|
        > 35=0|34=3|112=1-1|
        < 35=A|34=1|98=0|108=30|141=Y|${appl}
        > 35=A|34=1|98=0|108=30|141=Y|${appl}
        numbers 2 2
        `,
      );
      expect(driver.session.numbers.series).toBe(2);
    }
  },
  'FIX.4.1',
);

testInEveryVersion(
  'it is made by the Logon of a counterparty that begins again too, with ResetSeqNumFlag(141)=Y or without, and once',
  (run) => {
    for (const asked of ['141=Y|', '']) {
      const driver = run(CUT);
      driver.input(OF_APPLICATION);
      driver.input(OF_APPLICATION);
      const appl = driver.session.config.beginString === 'FIXT.1.1' ? '1137=9|' : '';
      continueScenario(
        driver,
        `connect
        > 35=A|34=1|98=0|108=30|${asked}${appl}
        < 35=A|34=1|98=0|108=30|${asked}${appl}
        up
        < 35=8|34=2|97=Y|17=e1|
        numbers 3 2
        wait 20
        `,
      );
      expect(driver.session.numbers.series).toBe(2);
    }
  },
  'FIX.4.1',
);

testInEveryVersion(
  'it is made too by the Logon of one that has sent more in its new numbers and expects our first (789=1)',
  (run) => {
    const driver = run(CUT);
    driver.input(OF_APPLICATION);
    const appl = driver.session.config.beginString === 'FIXT.1.1' ? '1137=9|' : '';
    continueScenario(
      driver,
      `connect
      > 35=A|34=3|98=0|108=30|789=1|${appl}
      < 35=A|34=1|98=0|108=30|789=1|${appl}
      up
      < 35=8|34=2|97=Y|17=e1|
      > 35=4|34=1|43=Y|123=Y|36=3|
      numbers 3 4
      wait 20
      `,
    );
    expect(driver.session.numbers.series).toBe(2);
  },
  'FIX.4.4',
);

testInEveryVersion(
  'it is owed until it is made, and nothing is owed where nothing was counted',
  (run) => {
    const driver = run('cut');
    driver.input(OF_APPLICATION);
    const appl = driver.session.config.beginString === 'FIXT.1.1' ? '1137=9|' : '';
    continueScenario(
      driver,
      `connect
      > 35=A|34=1|98=0|108=30|${appl}
      < 35=A|34=1|98=0|108=30|${appl}
      up
      wait 20
      cut
      down disconnect`,
    );
    driver.input(OF_APPLICATION);
    for (const n of [2, 3]) {
      continueScenario(
        driver,
        `connect
        > 35=A|34=${n}|98=0|108=30|${appl}
        < 35=A|34=${2 * n - 2}|98=0|108=30|${appl}
        up
        < 35=1|34=${2 * n - 1}|112=2-${n - 1}|
        cut
        down disconnect`,
      );
    }
  },
  'FIX.4.1',
);

test("in FIX.4.0 without 141 numbers restart at once; an initiator's next Logon shows it", () => {
  const acceptor = runScenario(CUT, { config: { beginString: 'FIX.4.0' } });
  acceptor.input(OF_APPLICATION);
  // The report that is not proven received waits under the first of the new numbers.
  expect(acceptor.session.numbers).toEqual({ series: 2, nextSenderMsgSeqNum: 2, nextTargetMsgSeqNum: 1 });

  const initiator = runScenario(
    `
    connect
    < 35=A|34=1|98=0|108=30|
    > 35=A|34=1|98=0|108=30|
    cut
  `,
    { config: { role: 'initiator' } },
  );
  initiator.input(OF_APPLICATION);
  expect(initiator.session.numbers).toEqual({ series: 2, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 });
});

test('nor is one begun within a session of FIX.4.0: it goes on as it was', () => {
  const driver = runScenario(
    `${LOGGED_ON}
    reset within
    > 35=1|34=2|112=on|
    < 35=0|34=2|112=on|
    numbers 3 3
  `,
    { config: { beginString: 'FIX.4.0' } },
  );
  expect(driver.notes).toContain('no reset within the session: this version has no ResetSeqNumFlag(141)');
});

test.each([
  ['none was used', 1, 1, false],
  ['one of ours was used', 2, 1, true],
  ['one of theirs was counted', 1, 2, true],
])('without a connection a reset is owed only where numbers were used: %s', (_, sender, target, isOwed) => {
  const driver = runScenario('', {
    numbers: { series: 1, nextSenderMsgSeqNum: sender, nextTargetMsgSeqNum: target },
  });
  driver.input(OF_APPLICATION);
  driver.input(OF_APPLICATION);
  const made = driver.journal.records.filter(({ kind }) => kind === 'numbers');
  // One that is owed is on record once; one that is made at once is made as often as it is asked for.
  expect([driver.session.numbers.series, made.length]).toEqual(isOwed ? [1, 1] : [3, 2]);
});

test("the Logon(A) of an acceptor's reset within the session has the fields of its answers", () => {
  runScenario(
    `
    connect
    > 35=A|34=1|98=0|108=30|464=Y|
    < 35=A|34=1|98=0|108=30|464=Y|1409=0|
    reset within
    < 35=1|34=2|112=1-1|
    > 35=0|34=2|112=1-1|
    < 35=A|34=1|98=0|108=30|141=Y|464=Y|1409=0|
    > 35=A|34=1|98=0|108=30|141=Y|464=Y|
    > 35=0|34=2|
    > 35=A|34=1|98=0|108=30|141=Y|464=Y|553=changed|
    < 35=A|34=1|98=0|108=30|141=Y|464=Y|1409=1|
  `,
    {
      config: { sendsSessionStatus: true, logonText: 'simulated exchange', environment: 'test' },
      authenticate: (view) => ({ kind: 'accepted', ...(view.has(553) ? { sessionStatus: '1' } : {}) }),
    },
  );
});

testInEveryVersion(
  'behind a reset of ours that was answered the counterparty begins again as often as it likes',
  (run) => {
    const { session } = run(`${CONFIRMED}
      > 35=0|34=2|
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
      numbers 2 2
    `);
    expect(session.numbers.series).toBe(4);
  },
  'FIX.4.1',
);

testInEveryVersion(
  'an order that has used up the number of the answer is taken, and that our reset was taken is on record once',
  (run) => {
    const { journal } = run(`${ASKED}
      > 35=D|34=1|11=a|
      > 35=0|34=2|
      > 35=A|34=1|98=0|108=30|141=Y|
      delivered 35=D|34=1|11=a|
      numbers 2 3
    `);
    const taken = journal.records.filter((record) => record.kind === 'numbers' && record.why.includes('was taken'));
    expect(taken).toHaveLength(1);
  },
  'FIX.4.1',
);

test("keeps the acceptor's HeartBtInt(108) in a confirmation, which its initiator takes", () => {
  const acceptor = runScenario(`${ASKED}\n> 35=A|34=1|98=0|108=20|141=Y|`);
  expect(acceptor.session.status.heartBtIntS).toBe(30);
  const initiator = runScenario(
    `
    connect
    < 35=A|34=1|98=0|108=30|
    > 35=A|34=1|98=0|108=30|
    reset within
    < 35=1|34=2|112=1-1|
    > 35=0|34=2|112=1-1|
    < 35=A|34=1|98=0|108=30|141=Y|
    > 35=A|34=1|98=0|108=20|141=Y|
  `,
    { config: { ...INITIATOR, heartBtIntFromAcceptor: true } },
  );
  expect(initiator.session.status.heartBtIntS).toBe(20);
});

testInEveryVersion(
  'S1 a reset of the counterparty behind our Logout(5), or one that is not allowed, ends the session and resets nothing',
  (run) => {
    for (const [ours, config, text] of [
      ['logout bye\n< 35=5|34=2|58=bye|', {}, '34=3|58=ResetSeqNumFlag(141)=Y after Logout(5)'],
      ['', { resetOnLogonAllowed: false }, '34=2|58=ResetSeqNumFlag(141)=Y is not allowed on this session'],
    ] as const) {
      const { session } = run(`${LOGGED_ON}${ours}\n> 35=A|34=1|98=0|108=30|141=Y|\n< 35=5|${text}|\nclosed`, {
        config,
      });
      expect(session.numbers.series).toBe(1);
    }
  },
  'FIX.4.1',
);

test('S1 an unchecked Logon(A) within the session resets an initiator, but no acceptor', () => {
  const authenticate = (): { readonly kind: 'notLogon' } => ({ kind: 'notLogon' });
  runScenario(
    `
    connect
    < 35=A|34=1|98=0|108=30|
    > 35=A|34=1|98=0|108=30|
    > 35=A|34=1|98=0|108=30|141=Y|
    < 35=A|34=1|98=0|108=30|141=Y|
    numbers 2 2
  `,
    { authenticate, config: INITIATOR },
  );
  let isFirst = true;
  const onlyTheFirst = () => {
    const kind = isFirst ? 'accepted' : 'notLogon';
    isFirst = false;
    return { kind } as const;
  };
  const { session } = runScenario(
    `${LOGGED_ON}
    > 35=A|34=1|98=0|108=30|141=Y|
    < 35=5|34=2|58=Logon was not authenticated|
    closed
  `,
    { authenticate: onlyTheFirst },
  );
  expect(session.numbers.series).toBe(1);
});

testInEveryVersion(
  '2-k a CompID that is wrong ends the session behind our reset too; it counts where it is the next in the old numbers',
  (run) => {
    for (const [msgSeqNum, nextTargetMsgSeqNum] of [
      [1, 3],
      [3, 4],
      [9, 3],
    ]) {
      const { journal } = run(`${ASKED}
        > 35=0|34=${msgSeqNum}|49=OTHER|
        < 35=3|34=2|45=${msgSeqNum}|371=49|372=0|373=9|58=CompID problem: SenderCompID(49)|
        < 35=5|34=3|58=CompID problem: SenderCompID(49)|
        closed
        numbers 4 1
      `);
      expect(journal.before?.nextTargetMsgSeqNum).toBe(nextTargetMsgSeqNum);
    }
  },
  'FIX.4.1',
);

testInEveryVersion(
  'a BusinessMessageReject(j) of our first message, in the old numbers, is no Reject(3) of the Logon behind it',
  (run) => {
    run(`${ASKED}
      > 35=j|34=3|45=1|372=8|380=0|
      delivered 35=j|34=3|45=1|372=8|380=0|
      > 35=A|34=1|98=0|108=30|141=Y|
      numbers 2 2
    `);
  },
  'FIX.4.2',
);

const LIMIT = 'Value is incorrect: NewSeqNo(36)=';
testInEveryVersion(
  'a SequenceReset(4) in the old numbers whose NewSeqNo(36) is none that can be is rejected, and its own number counted',
  (run) => {
    for (const [newSeqNo, next, reject] of [
      ['7', 7, ''],
      ['2', 4, ''],
      ['x', 4, '373=6|58=Incorrect data format for value: NewSeqNo(36)'],
      ['99999999999', 4, `373=5|58=${LIMIT}99999999999 is above the limit 100000000`],
      ['0', 4, `373=5|58=${LIMIT}0, numbers begin at 1`],
    ] as const) {
      const fill = `${ASKED}\n> 35=4|34=3|123=Y|36=${newSeqNo}|`;
      expect(run(fill).journal.before?.nextTargetMsgSeqNum).toBe(next);
      const answer = reject === '' ? '' : `< 35=3|34=2|45=3|371=36|372=4|${reject}|`;
      run(`${fill}\n> 35=A|34=1|98=0|108=30|141=Y|\n${answer}`);
    }
  },
  'FIX.4.1',
);

testInEveryVersion(
  'a TestRequest(1) that was out when the counterparty began again is answered by nobody: the reports behind it get one of their own',
  (run) => {
    run(`${LOGGED_ON}
      wait 30
      < 35=0|34=2|
      wait 6
      < 35=1|34=3|112=1-1|
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=A|34=1|98=0|108=30|141=Y|
      app 35=8|17=e1|
      < 35=8|34=2|17=e1|
      wait 30
      < 35=0|34=3|
      < 35=1|34=4|112=2-2|
    `);
  },
  'FIX.4.1',
);
