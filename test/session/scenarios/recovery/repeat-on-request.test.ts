// Rule S9 in the session: what a reset left unproven comes again only when the counterparty asks, from where it says.

import { describe, expect, test } from 'vitest';
import { ENDED_SERIES_MAX } from '../../../../src/session/mod.ts';
import { continueScenario, type MachineDriver, runScenario } from '../../../support/session/session-machine.ts';

const OPTIONS = { config: { repeatsOnRequest: true, resendLoadChunk: 2 } };

const REPORTS = `
  connect
  > 35=A|34=1|98=0|108=30|
  < 35=A|34=1|98=0|108=30|
  app 35=8|37=1|17=e1|
  < 35=8|34=2|37=1|17=e1|
  app 35=8|37=1|17=e2|
  < 35=8|34=3|37=1|17=e2|
  cut
  app 35=8|37=1|17=e3|
  app 35=8|37=1|17=e4|
`;
const RESET = `
  connect
  > 35=A|34=1|98=0|108=30|141=Y|
  < 35=A|34=1|98=0|108=30|141=Y|
`;

function asked(driver: MachineDriver, afterExecID: string | null, script: string): void {
  driver.input({ kind: 'repeat', afterExecID });
  continueScenario(driver, script);
}

const news = (msgSeqNum: number, text: string): string =>
  `< 35=B|34=${msgSeqNum}|57=ADMIN|148=Reports repeated|33=1|58=${text} sent again with PossResend(97)=Y; later ones are new|`;

/** A counterparty that never took a reset of ours, and has two of the three reports of the numbers between so far. */
function halfSent(): MachineDriver {
  const driver = runScenario(
    `${REPORTS}${RESET}
      reset within
      < 35=1|34=2|112=2-1|
      > 35=0|34=2|112=2-1|
      < 35=A|34=1|98=0|108=30|141=Y|
      app 35=8|37=1|17=e5|
      app 35=8|37=1|17=e6|
      app 35=8|37=1|17=e7|
      cut
      hold
      connect
      > 35=A|34=3|98=0|108=30|
      < 35=A|34=3|98=0|108=30|
      `,
    OPTIONS,
  );
  driver.answerOne();
  continueScenario(driver, '< 35=8|34=4|97=Y|37=1|17=e5|\n< 35=8|34=5|97=Y|37=1|17=e6|');
  return driver;
}

describe('S9 a session that repeats on request', () => {
  test('S9 after 141=N the reports of its absence come by ResendRequest, as ever', () => {
    runScenario(
      `${REPORTS}
      connect
      > 35=A|34=2|98=0|108=30|
      < 35=A|34=6|98=0|108=30|
      > 35=2|34=3|7=4|16=0|
      < 35=8|34=4|43=Y|122={0}|37=1|17=e3|
      < 35=8|34=5|43=Y|122={0}|37=1|17=e4|
      < 35=4|34=6|43=Y|122={0}|123=Y|36=7|
      `,
      OPTIONS,
    );
  });

  test('S9 after 141=Y nothing comes unasked; reports after the last ExecID come with 97=Y', () => {
    const driver = runScenario(`${REPORTS}${RESET}app 35=8|37=1|17=e5|\n< 35=8|34=2|37=1|17=e5|`, OPTIONS);
    asked(
      driver,
      'e2',
      `
      < 35=8|34=3|97=Y|37=1|17=e3|
      < 35=8|34=4|97=Y|37=1|17=e4|
      ${news(5, '2 reports after ExecID(17)=e2 were')}
      numbers 6 2
      `,
    );
    // Named or resent reports are not kept again.
    asked(driver, null, news(6, '0 reports were'));
  });

  test('S9 a process that dies while it looks for the ExecID still owes everything', () => {
    const driver = runScenario(`${REPORTS}${RESET}hold`, OPTIONS);
    driver.input({ kind: 'repeat', afterExecID: 'e3' });
    driver.answerOne();
    continueScenario(
      driver,
      `restart
      release
      connect
      > 35=A|34=2|98=0|108=30|
      < 35=A|34=2|98=0|108=30|`,
    );
    asked(
      driver,
      null,
      `
      < 35=8|34=3|97=Y|37=1|17=e1|
      < 35=8|34=4|97=Y|37=1|17=e2|
      < 35=8|34=5|97=Y|37=1|17=e3|
      < 35=8|34=6|97=Y|37=1|17=e4|
      ${news(7, '4 reports were')}
      `,
    );
  });

  test('S9 a process that dies after finding the ExecID owes the rest, and no more', () => {
    const driver = runScenario(`${REPORTS}${RESET}hold`, OPTIONS);
    driver.input({ kind: 'repeat', afterExecID: 'e2' });
    driver.answerOne();
    driver.answerOne();
    continueScenario(
      driver,
      `restart
      release
      connect
      > 35=A|34=2|98=0|108=30|
      < 35=A|34=2|98=0|108=30|`,
    );
    asked(
      driver,
      null,
      `
      < 35=8|34=3|97=Y|37=1|17=e3|
      < 35=8|34=4|97=Y|37=1|17=e4|
      ${news(5, '2 reports were')}
      `,
    );
  });

  test('S9 sends everything without an ExecID, across an OrderCancelReject(9) without one', () => {
    const driver = runScenario(
      `
      connect
      > 35=A|34=1|98=0|108=30|
      < 35=A|34=1|98=0|108=30|
      cut
      app 35=8|37=1|17=e1|
      app 35=9|37=1|11=b|
      app 35=8|37=1|17=e2|
      ${RESET}`,
      OPTIONS,
    );
    asked(
      driver,
      null,
      `
      < 35=8|34=2|97=Y|37=1|17=e1|
      < 35=9|34=3|97=Y|37=1|11=b|
      < 35=8|34=4|97=Y|37=1|17=e2|
      ${news(5, '3 reports were')}
      `,
    );
  });

  test('S9 without an ExecID, or with one that is not among them, everything unproven comes', () => {
    for (const execID of [null, 'somewhere else']) {
      const driver = runScenario(`${REPORTS}${RESET}`, OPTIONS);
      const after = execID === null ? '' : ` after ExecID(17)=${execID}`;
      asked(
        driver,
        execID,
        `
        < 35=8|34=2|97=Y|37=1|17=e1|
        < 35=8|34=3|97=Y|37=1|17=e2|
        < 35=8|34=4|97=Y|37=1|17=e3|
        < 35=8|34=5|97=Y|37=1|17=e4|
        ${news(6, `4 reports${after} were`)}
        `,
      );
    }
  });

  test('S9 finds the last ExecID in any ended series, also as the last report of all', () => {
    const driver = runScenario(`${REPORTS}${RESET}cut\napp 35=8|37=1|17=e5|${RESET}`, OPTIONS);
    asked(
      driver,
      'e4',
      `
      < 35=8|34=2|97=Y|37=1|17=e5|
      ${news(3, '1 reports after ExecID(17)=e4 were')}
      `,
    );
    const all = runScenario(`${REPORTS}${RESET}cut\napp 35=8|37=1|17=e5|${RESET}`, OPTIONS);
    asked(all, 'e4', `< 35=8|34=2|97=Y|37=1|17=e5|\n${news(3, '1 reports after ExecID(17)=e4 were')}`);
    asked(all, 'e5', news(4, '0 reports after ExecID(17)=e5 were'));
  });

  test('S9 named reports are not owed after a restart either', () => {
    const driver = runScenario(`${REPORTS}${RESET}`, OPTIONS);
    asked(driver, 'e4', news(2, '0 reports after ExecID(17)=e4 were'));
    driver.restart();
    continueScenario(driver, 'connect\n > 35=A|34=2|98=0|108=30|\n < 35=A|34=3|98=0|108=30|');
    asked(driver, null, news(4, '0 reports were'));
  });

  test("S9 an older reset's unsent reports come too, though a newer report is named", () => {
    const driver = runScenario(
      `${REPORTS}${RESET}
      app 35=8|37=1|17=e5|
      < 35=8|34=2|37=1|17=e5|
      cut
      ${RESET}`,
      OPTIONS,
    );
    asked(
      driver,
      'e5',
      `
      < 35=8|34=2|97=Y|37=1|17=e1|
      < 35=8|34=3|97=Y|37=1|17=e2|
      < 35=8|34=4|97=Y|37=1|17=e3|
      < 35=8|34=5|97=Y|37=1|17=e4|
      ${news(6, '4 reports after ExecID(17)=e5 were')}
      `,
    );
  });

  test('S9 a report received, then repeated unheard, does not skip its repeated predecessors', () => {
    const driver = runScenario(`${REPORTS}${RESET}`, OPTIONS);
    asked(
      driver,
      'e2',
      `
      < 35=8|34=2|97=Y|37=1|17=e3|
      < 35=8|34=3|97=Y|37=1|17=e4|
      ${news(4, '2 reports after ExecID(17)=e2 were')}
      cut
      ${RESET}`,
    );
    // It heard e4 before the first reset, and nothing of what came after that.
    asked(
      driver,
      'e4',
      `
      < 35=8|34=2|97=Y|37=1|17=e3|
      < 35=8|34=3|97=Y|37=1|17=e4|
      ${news(4, '2 reports after ExecID(17)=e4 were')}
      `,
    );
  });

  test('S9 drops the oldest unrequested series beyond the limit, never the newest', () => {
    const driver = runScenario('connect\n> 35=A|34=1|98=0|108=30|\n< 35=A|34=1|98=0|108=30|', OPTIONS);
    for (let i = 0; i <= ENDED_SERIES_MAX; i++) {
      continueScenario(driver, `app 35=8|37=1|17=e${i}|\n< 35=8|34=2|37=1|17=e${i}|\ncut${RESET}`);
    }
    const kept = Array.from({ length: ENDED_SERIES_MAX }, (_, i) => `< 35=8|34=${i + 2}|97=Y|37=1|17=e${i + 1}|`);
    asked(driver, null, `${kept.join('\n')}\n${news(ENDED_SERIES_MAX + 2, `${ENDED_SERIES_MAX} reports were`)}`);
    expect(driver.journal.ended).toEqual([]);
  });

  test('S9 a report waits for its request over any number of restarts with session messages only', () => {
    const driver = runScenario(`${RESET}app 35=8|37=1|17=e1|\n< 35=8|34=2|37=1|17=e1|\ncut${RESET}cut`, OPTIONS);
    for (let i = 0; i < ENDED_SERIES_MAX; i++) continueScenario(driver, `restart${RESET}cut`);
    continueScenario(driver, `restart${RESET}`);
    asked(driver, null, `< 35=8|34=2|97=Y|37=1|17=e1|\n${news(3, '1 reports were')}`);
  });

  test('S9 nor is it lost where each process is killed while the session is connected, as by a kill -9', () => {
    const driver = runScenario(`${RESET}app 35=8|37=1|17=e1|\n< 35=8|34=2|37=1|17=e1|\n`, OPTIONS);
    const talk = '> 35=1|34=2|112=a|\n< 35=0|34=2|112=a|\n';
    for (let i = 0; i < ENDED_SERIES_MAX; i++) continueScenario(driver, `restart${RESET}${talk}`);
    continueScenario(driver, `restart${RESET}`);
    asked(driver, null, `< 35=8|34=2|97=Y|37=1|17=e1|\n${news(3, '1 reports were')}`);
  });

  test('S9 a report that was made behind the end of the connection is owed over a restart', () => {
    const driver = runScenario(`${RESET}cut\napp 35=8|37=1|17=e1|\nrestart${RESET}cut\nrestart${RESET}`, OPTIONS);
    asked(driver, null, `< 35=8|34=2|97=Y|37=1|17=e1|\n${news(3, '1 reports were')}`);
  });

  test('S9 unrequested reports survive a restart', () => {
    const driver = runScenario(`${REPORTS}${RESET}cut\nrestart${RESET}`, OPTIONS);
    asked(
      driver,
      'e3',
      `
      < 35=8|34=2|97=Y|37=1|17=e4|
      ${news(3, '1 reports after ExecID(17)=e3 were')}
      `,
    );
  });

  test('S9 sends reports of a reset that the counterparty never took without a request', () => {
    const driver = runScenario(
      `${REPORTS}${RESET}
      app 35=8|37=1|17=e5|
      < 35=8|34=2|37=1|17=e5|
      reset within
      < 35=1|34=3|112=2-1|
      > 35=0|34=2|112=2-1|
      < 35=A|34=1|98=0|108=30|141=Y|
      app 35=8|37=1|17=e6|
      cut
      app 35=8|37=1|17=e7|
      hold
      connect
      > 35=A|34=3|98=0|108=30|
      < 35=A|34=4|98=0|108=30|
      app 35=8|37=1|17=e8|
      release
      < 35=8|34=5|97=Y|37=1|17=e6|
      < 35=8|34=6|97=Y|37=1|17=e7|
      < 35=8|34=7|37=1|17=e8|
      app 35=8|37=1|17=e9|
      < 35=8|34=8|37=1|17=e9|
      `,
      OPTIONS,
    );
    // The earlier reset's reports still wait for their request.
    asked(
      driver,
      'e3',
      `
      < 35=8|34=9|97=Y|37=1|17=e4|
      ${news(10, '1 reports after ExecID(17)=e3 were')}
      `,
    );
  });

  test('S9 so are those found by a restart during their sending, without a request', () => {
    const driver = halfSent();
    continueScenario(
      driver,
      `
      app 35=8|37=1|17=e8|
      restart
      app 35=8|37=1|17=e9|
      connect
      > 35=A|34=4|98=0|108=30|
      < 35=A|34=6|98=0|108=30|
      app 35=8|37=1|17=f1|
      release
      < 35=8|34=7|97=Y|37=1|17=e7|
      < 35=8|34=8|97=Y|37=1|17=e8|
      < 35=8|34=9|37=1|17=e9|
      < 35=8|34=10|37=1|17=f1|
      `,
    );
    asked(driver, 'e3', `< 35=8|34=11|97=Y|37=1|17=e4|\n${news(12, '1 reports after ExecID(17)=e3 were')}`);
  });

  test("S9 a second untaken reset loses neither the first one's debt nor later reports", () => {
    const driver = halfSent();
    continueScenario(
      driver,
      `
      reset within
      < 35=1|34=6|112=4-2|
      > 35=0|34=4|112=4-2|
      < 35=A|34=1|98=0|108=30|141=Y|
      app 35=8|37=1|17=e8|
      cut
      connect
      > 35=A|34=5|98=0|108=30|
      < 35=A|34=7|98=0|108=30|
      app 35=8|37=1|17=e9|
      release
      < 35=8|34=8|97=Y|37=1|17=e7|
      < 35=8|34=9|37=1|17=e8|
      < 35=8|34=10|37=1|17=e9|
      `,
    );
    asked(driver, 'e3', `< 35=8|34=11|97=Y|37=1|17=e4|\n${news(12, '1 reports after ExecID(17)=e3 were')}`);
  });

  test('S9 sends unarrived reports of the old numbers with them, instead of gap fills', () => {
    const script = `${REPORTS}${RESET}
      reset within
      < 35=1|34=2|112=2-1|
      app 35=8|37=1|17=e5|
      < 35=8|34=3|37=1|17=e5|
      > 35=0|34=2|112=2-1|
      < 35=A|34=1|98=0|108=30|141=Y|
      app 35=8|37=1|17=e6|
      cut
      hold
      connect
      > 35=A|34=3|98=0|108=30|
      < 35=A|34=4|98=0|108=30|
      app 35=8|37=1|17=e7|
      release
      < 35=8|34=5|97=Y|37=1|17=e5|
      < 35=8|34=6|97=Y|37=1|17=e6|
      < 35=8|34=7|37=1|17=e7|
      > 35=2|34=4|7=3|16=3|
      < 35=4|34=3|43=Y|122={0}|123=Y|36=4|
      `;
    const driver = runScenario(script, OPTIONS);
    asked(driver, 'e3', `< 35=8|34=8|97=Y|37=1|17=e4|\n${news(9, '1 reports after ExecID(17)=e3 were')}`);
  });

  test('S9 a request with a lost connection continues with the next one', () => {
    const driver = runScenario(`${REPORTS}${RESET}`, OPTIONS);
    driver.holdJournal = true;
    driver.input({ kind: 'repeat', afterExecID: 'e3' });
    driver.cut();
    driver.loseReads();
    driver.holdJournal = false;
    continueScenario(
      driver,
      `
      connect
      > 35=A|34=2|98=0|108=30|
      < 35=A|34=2|98=0|108=30|
      < 35=8|34=3|97=Y|37=1|17=e4|
      ${news(4, '1 reports after ExecID(17)=e3 were')}
      `,
    );
  });
});
