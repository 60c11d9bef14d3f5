// Rule S2, its order: a report made while reports of an ended series are owed follows them. A counterparty that takes
// reports as they arrive sees each order's life in order.

import { describe, expect, test } from 'vitest';
import { ENDED_SERIES_MAX } from '../../../../src/session/mod.ts';
import { completeFrame, timestampOf } from '../../../support/session/fix-scenario.ts';
import { continueScenario, type MachineDriver, runScenario } from '../../../support/session/session-machine.ts';

const TWO_REPORTS = `
  connect
  > 35=A|34=1|98=0|108=30|
  < 35=A|34=1|98=0|108=30|
  app 35=8|37=1|17=new|
  < 35=8|34=2|37=1|17=new|
  app 35=8|37=1|17=fill1|
  < 35=8|34=3|37=1|17=fill1|
  cut
`;
const RESET = `
  connect
  > 35=A|34=1|98=0|108=30|141=Y|
  < 35=A|34=1|98=0|108=30|141=Y|
`;
/** The reads of the journal take their time from here on. */
const OWED = `${TWO_REPORTS}
  hold
  ${RESET}`;

describe('S2 live reports and those that a reset took away', () => {
  test('S2 a report made during a repetition follows it, in order', () => {
    const driver = runScenario(`${OWED}
      app 35=8|37=1|17=fill2|
      app 35=9|37=1|11=b|
      release
      < 35=8|34=2|97=Y|37=1|17=new|
      < 35=8|34=3|97=Y|37=1|17=fill1|
      < 35=8|34=4|37=1|17=fill2|
      < 35=9|34=5|37=1|11=b|
      app 35=8|37=1|17=fill3|
      < 35=8|34=6|37=1|17=fill3|
      numbers 7 2
    `);
    expect(driver.journal.ended).toEqual([]);
  });

  test('S2 follows them in chunks of one too, and other messages do not wait', () => {
    runScenario(
      `${OWED}
      app 35=8|37=1|17=fill2|
      app 35=B|148=a word|
      < 35=B|34=2|148=a word|
      > 35=1|34=2|112=alive|
      < 35=0|34=3|112=alive|
      release
      < 35=8|34=4|97=Y|37=1|17=new|
      < 35=8|34=5|97=Y|37=1|17=fill1|
      < 35=8|34=6|37=1|17=fill2|
    `,
      { config: { resendLoadChunk: 1 } },
    );
  });

  test('S14 a report of an order entered meanwhile precedes repeated ones, with its chain', () => {
    const driver = runScenario(`${OWED}
      > 35=D|34=2|11=n|
      delivered 35=D|34=2|
      app 35=8|37=2|17=n-new|11=n|
      < 35=8|34=2|37=2|17=n-new|11=n|
      > 35=G|34=3|11=n2|41=n|
      delivered 35=G|34=3|
      app 35=8|37=2|17=n-replaced|11=n2|41=n|
      < 35=8|34=3|37=2|17=n-replaced|11=n2|41=n|
      > 35=F|34=4|11=n3|41=n2|
      delivered 35=F|34=4|
      app 35=9|37=2|11=n3|41=n2|
      < 35=9|34=4|37=2|11=n3|41=n2|
      # One of before waits, and so does what a request of now says of it.
      app 35=8|37=1|17=fill2|11=o|
      > 35=F|34=5|11=o2|41=o|
      delivered 35=F|34=5|
      app 35=8|37=1|17=cancelled|11=o2|41=o|
      release
      < 35=8|34=5|97=Y|37=1|17=new|
      < 35=8|34=6|97=Y|37=1|17=fill1|
      < 35=8|34=7|37=1|17=fill2|11=o|
      < 35=8|34=8|37=1|17=cancelled|11=o2|41=o|
      numbers 9 6
    `);
    expect(driver.journal.ended).toEqual([]);
  });

  test('S14 an order that may have been entered before, by 97=Y, waits as those of before do', () => {
    runScenario(`${OWED}
      > 35=D|34=2|97=Y|11=n|
      delivered 35=D|34=2|
      app 35=8|37=1|17=status|11=n|
      release
      < 35=8|34=2|97=Y|37=1|17=new|
      < 35=8|34=3|97=Y|37=1|17=fill1|
      < 35=8|34=4|37=1|17=status|11=n|
    `);
  });

  test('S14 after a lost connection its reports follow the debt, which may include some of them', () => {
    runScenario(`${OWED}
      > 35=D|34=2|11=n|
      delivered 35=D|34=2|
      app 35=8|37=2|17=n-new|11=n|
      < 35=8|34=2|37=2|17=n-new|11=n|
      cut
      app 35=8|37=2|17=n-fill|11=n|
      connect
      > 35=A|34=3|98=0|108=30|
      < 35=A|34=3|98=0|108=30|
      app 35=8|37=2|17=n-cancelled|11=n|
      release
      < 35=8|34=4|97=Y|37=1|17=new|
      < 35=8|34=5|97=Y|37=1|17=fill1|
      < 35=8|34=6|37=2|17=n-fill|11=n|
      < 35=8|34=7|37=2|17=n-cancelled|11=n|
    `);
  });

  test('S2 it waits through a lost connection, and follows them on the next one', () => {
    runScenario(`${OWED}
      app 35=8|37=1|17=fill2|
      cut
      app 35=8|37=1|17=fill3|
      connect
      > 35=A|34=2|98=0|108=30|
      < 35=A|34=2|98=0|108=30|
      release
      < 35=8|34=3|97=Y|37=1|17=new|
      < 35=8|34=4|97=Y|37=1|17=fill1|
      < 35=8|34=5|37=1|17=fill2|
      < 35=8|34=6|37=1|17=fill3|
    `);
  });

  test('S2 survives the death of the process, after the reports before it', () => {
    const driver = runScenario(`${OWED}
      app 35=8|37=1|17=fill2|
      restart
      release
      app 35=8|37=1|17=fill3|
      connect
      > 35=A|34=2|98=0|108=30|
      < 35=A|34=2|98=0|108=30|
      < 35=8|34=3|97=Y|37=1|17=new|
      < 35=8|34=4|97=Y|37=1|17=fill1|
      < 35=8|34=5|97=Y|37=1|17=fill2|
      < 35=8|34=6|37=1|17=fill3|
      app 35=8|37=1|17=fill4|
      < 35=8|34=7|37=1|17=fill4|
    `);
    expect(driver.journal.ended).toEqual([]);
  });

  test('S2 a second reset keeps the order: older series, the newer one, then waiting reports', () => {
    runScenario(`${OWED}
      app 35=8|37=1|17=fill2|
      cut
      ${RESET}
      app 35=8|37=1|17=fill3|
      cut
      ${RESET}
      app 35=8|37=1|17=fill4|
      release
      < 35=8|34=2|97=Y|37=1|17=new|
      < 35=8|34=3|97=Y|37=1|17=fill1|
      < 35=8|34=4|37=1|17=fill2|
      < 35=8|34=5|37=1|17=fill3|
      < 35=8|34=6|37=1|17=fill4|
    `);
  });

  test('S2 after a reset within a repetition its sent part comes first, then the rest, then waiters', () => {
    for (const end of ['cut', 'cut\nrestart']) {
      const driver = runScenario(
        `${OWED}
        app 35=8|37=1|17=fill2|
        `,
        { config: { resendLoadChunk: 1 } },
      );
      // Number 1 was the Logon.
      driver.answerOne();
      driver.answerOne();
      continueScenario(
        driver,
        `
        < 35=8|34=2|97=Y|37=1|17=new|
        ${end}
        ${RESET}
        app 35=8|37=1|17=fill3|
        release
        < 35=8|34=2|97=Y|37=1|17=new|
        < 35=8|34=3|97=Y|37=1|17=fill1|
        < 35=8|34=4|${end === 'cut' ? '' : '97=Y|'}37=1|17=fill2|
        < 35=8|34=5|37=1|17=fill3|
        `,
      );
      expect(driver.journal.ended).toEqual([]);
    }
  });

  test('S2 no number of resets loses a waiting report, and one without time to repeat keeps none', () => {
    const driver = runScenario(OWED);
    for (let i = 0; i < 40; i++) continueScenario(driver, `app 35=8|37=1|17=f${i}|\ncut\n${RESET}`);
    const waited = Array.from({ length: 40 }, (_, i) => `< 35=8|34=${i + 4}|37=1|17=f${i}|`);
    continueScenario(
      driver,
      `release
      < 35=8|34=2|97=Y|37=1|17=new|
      < 35=8|34=3|97=Y|37=1|17=fill1|
      ${waited.join('\n')}`,
    );
  });

  test('S2 a process that restarts before any repetition owes no more series than a start keeps', () => {
    const driver = runScenario(OWED);
    for (let i = 0; i < 2 * ENDED_SERIES_MAX; i++) {
      continueScenario(driver, `cut\nrestart${RESET}`);
      expect(driver.journal.ended).toHaveLength(Math.min(i + 2, ENDED_SERIES_MAX));
    }
    continueScenario(driver, 'release\n< 35=8|34=2|97=Y|37=1|17=new|\n< 35=8|34=3|97=Y|37=1|17=fill1|');
  });

  test('S2 each reset within a repetition leaves one owed series, and the next none', () => {
    const reports = ENDED_SERIES_MAX + 2;
    const driver = runScenario('connect\n> 35=A|34=1|98=0|108=30|\n< 35=A|34=1|98=0|108=30|\ncut\nhold', {
      config: { resendLoadChunk: 1 },
    });
    for (let i = 1; i <= reports; i++) continueScenario(driver, `app 35=8|37=1|17=e${i}|`);
    /** After two repetitions in vain it has to show that it reads. Numbers that this takes. */
    const answerTest = (): number => {
      const [asked] = driver.outcomes;
      if (asked?.kind !== 'transmit' || !asked.text.includes('|35=1|')) return 0;
      const id = /\|112=([^|]+)/.exec(asked.text)![1];
      continueScenario(driver, `< 35=1|34=2|112=${id}|\n> 35=0|34=2|112=${id}|`);
      return 1;
    };
    const logOn = (): number => {
      driver.connect();
      const time = timestampOf(driver.now, 'FIX.4.4');
      driver.receive(completeFrame('35=A|34=1|98=0|108=30|141=Y|', 'OMS', 'XGATE', 'FIX.4.4', time));
      const answer = driver.outcomes.shift();
      expect(answer).toMatchObject({ kind: 'transmit', text: expect.stringContaining('|35=A|34=1|') });
      return answerTest();
    };
    let takenBefore = 0;
    // Each hears one report less than the one before.
    for (let i = 1; i <= ENDED_SERIES_MAX; i++) {
      const taken = logOn();
      expect(driver.journal.ended).toHaveLength(i);
      // The read cut off by the reset has no receiver, and the ended series' Logon is no report; an answer proves it.
      for (let n = i === 1 ? 1 : 0; n < 2 - takenBefore; n++) driver.answerOne();
      takenBefore = taken;
      for (let n = 1; n <= reports - i; n++) {
        driver.answerOne();
        continueScenario(driver, `< 35=8|34=${n + 1 + taken}|97=Y|37=1|17=e${n}|`);
      }
      continueScenario(driver, 'cut');
    }
    const letGo = () => driver.notes.filter((note) => note.includes('of this series are not repeated again: too many'));
    expect(letGo()).toEqual([]);
    let taken = 0;
    for (let i = 0; i < 2; i++) {
      taken = logOn();
      if (i === 0) continueScenario(driver, 'cut');
      expect(driver.journal.ended).toHaveLength(ENDED_SERIES_MAX);
      // A series in which nothing was repeated loses nothing.
      expect(letGo()).toHaveLength(1);
    }
    const left = Array.from({ length: reports - 2 }, (_, i) => `< 35=8|34=${i + 2 + taken}|97=Y|37=1|17=e${i + 3}|`);
    continueScenario(driver, `release\n${left.join('\n')}`);
    expect(driver.journal.ended).toEqual([]);
  });

  test("S2 a counterparty that continues pre-Logout numbers gets a report after both series' debts", () => {
    const driver = runScenario(OWED, { config: { resetOn: ['logout'], resendLoadChunk: 1 } });
    driver.answerOne();
    driver.answerOne();
    continueScenario(
      driver,
      `
      < 35=8|34=2|97=Y|37=1|17=new|
      logout bye
      < 35=5|34=3|58=bye|
      cut
      connect
      > 35=A|34=2|98=0|108=30|
      < 35=A|34=4|98=0|108=30|
      app 35=8|37=1|17=fill2|
      release
      < 35=8|34=5|97=Y|37=1|17=new|
      < 35=8|34=6|97=Y|37=1|17=fill1|
      < 35=8|34=7|37=1|17=fill2|
      `,
    );
    expect(driver.journal.ended).toEqual([]);
  });

  test('S2 where the numbers begin again at each Logout, reports of the absence follow those before it', () => {
    runScenario(
      `${TWO_REPORTS}
      app 35=8|37=1|17=fill2|
      connect
      > 35=A|34=1|98=0|108=30|
      < 35=A|34=1|98=0|108=30|
      < 35=8|34=2|97=Y|37=1|17=new|
      < 35=8|34=3|97=Y|37=1|17=fill1|
      < 35=8|34=4|37=1|17=fill2|
      app 35=8|37=1|17=fill3|
      < 35=8|34=5|37=1|17=fill3|
    `,
      { config: { resetOn: ['disconnect'] } },
    );
  });

  test('S2 the answer to a status request of before is not repeated; one of now follows the reports', () => {
    runScenario(`
      connect
      > 35=A|34=1|98=0|108=30|
      < 35=A|34=1|98=0|108=30|
      app 35=8|37=1|17=0|150=I|39=0|
      < 35=8|34=2|37=1|17=0|150=I|39=0|
      app 35=8|37=1|17=0|20=3|150=0|39=0|
      < 35=8|34=3|37=1|17=0|20=3|150=0|39=0|
      app 35=8|37=1|17=fill1|150=F|39=2|
      < 35=8|34=4|37=1|17=fill1|150=F|39=2|
      cut
      hold
      ${RESET}
      app 35=8|37=1|17=0|150=I|39=2|
      release
      < 35=8|34=2|97=Y|37=1|17=fill1|150=F|39=2|
      < 35=8|34=3|37=1|17=0|150=I|39=2|
    `);
  });

  test('S2 it is sent at once where nothing is repeated by setting', () => {
    runScenario(
      `${OWED}
      app 35=8|37=1|17=fill2|
      < 35=8|34=2|37=1|17=fill2|
    `,
      { config: { repeatUnprovenReports: false } },
    );
  });

  test('S2 a journal that does not answer the read ends the connection: live reports wait behind it', () => {
    runScenario(
      `${TWO_REPORTS}
      hold
      connect
      > 35=A|34=1|98=0|108=0|141=Y|
      < 35=A|34=1|98=0|108=0|141=Y|
      app 35=8|37=1|17=fill2|
      wait 60
      < 35=5|34=2|58=messages cannot be sent again at present: log on again|
      closed
      connect
      > 35=A|34=2|98=0|108=0|
      < 35=A|34=3|98=0|108=0|
      release
      < 35=8|34=4|97=Y|37=1|17=new|
      < 35=8|34=5|97=Y|37=1|17=fill1|
      < 35=8|34=6|37=1|17=fill2|
    `,
      { config: { heartBtIntZeroAllowed: true } },
    );
  });
});

describe('S9 a drop copy session', () => {
  const OPTIONS = { config: { repeatsOnRequest: true, resendLoadChunk: 1 } };
  const news = (msgSeqNum: number, text: string): string =>
    `< 35=B|34=${msgSeqNum}|57=ADMIN|148=Reports repeated|33=1|58=${text} were sent again with PossResend(97)=Y; later ones are new|`;

  function ask(driver: MachineDriver, afterExecID: string | null): void {
    driver.input({ kind: 'repeat', afterExecID });
  }

  test('S9 reports go out at once until it asks; from then on they follow those that it asked for', () => {
    const driver = runScenario(
      `${OWED}
      app 35=8|37=1|17=fill2|
      < 35=8|34=2|37=1|17=fill2|
      `,
      OPTIONS,
    );
    ask(driver, 'new');
    continueScenario(
      driver,
      `
      app 35=8|37=1|17=fill3|
      release
      < 35=8|34=3|97=Y|37=1|17=fill1|
      < 35=8|34=4|37=1|17=fill3|
      ${news(5, '1 reports after ExecID(17)=new')}
      app 35=8|37=1|17=fill4|
      < 35=8|34=6|37=1|17=fill4|
      `,
    );
    expect(driver.journal.ended).toEqual([]);
  });

  test('S9 a report made during a repeated series follows the last one; a second request adds none', () => {
    const driver = runScenario(
      `${OWED}
      app 35=8|37=1|17=fill2|
      < 35=8|34=2|37=1|17=fill2|
      cut
      ${RESET}`,
      OPTIONS,
    );
    ask(driver, null);
    ask(driver, null);
    continueScenario(
      driver,
      `
      app 35=8|37=1|17=fill3|
      release
      < 35=8|34=2|97=Y|37=1|17=new|
      < 35=8|34=3|97=Y|37=1|17=fill1|
      < 35=8|34=4|97=Y|37=1|17=fill2|
      < 35=8|34=5|37=1|17=fill3|
      ${news(6, '3 reports')}
      `,
    );
    expect(driver.journal.ended).toEqual([]);
  });

  test('S9 a requested repetition continues if the counterparty continues pre-Logout numbers', () => {
    const { config } = OPTIONS;
    const driver = runScenario(OWED, { config: { ...config, resetOn: ['logout'] } });
    ask(driver, null);
    driver.answerOne();
    continueScenario(
      driver,
      `
      < 35=8|34=2|97=Y|37=1|17=new|
      logout bye
      < 35=5|34=3|58=bye|
      cut
      connect
      > 35=A|34=2|98=0|108=30|
      < 35=A|34=4|98=0|108=30|
      release
      < 35=8|34=5|97=Y|37=1|17=fill1|
      < 35=8|34=6|97=Y|37=1|17=new|
      ${news(7, '3 reports')}
      `,
    );
    expect(driver.journal.ended).toEqual([]);
  });

  test('S9 keeps a report made while the start is searched, though the last of all was named', () => {
    const driver = runScenario(OWED, OPTIONS);
    ask(driver, 'fill1');
    continueScenario(
      driver,
      `
      app 35=8|37=1|17=fill2|
      release
      < 35=8|34=2|37=1|17=fill2|
      ${news(3, '0 reports after ExecID(17)=fill1')}
      `,
    );
  });
});
