// A session with a schedule, in virtual time: refused while closed, logged out at the close, reset when asked for and only
// then. The clock begins on Monday, 5 January 2026, 09:00 UTC.

import { describe, expect, test } from 'vitest';
import { type ConnectWindow, type ScheduleSettings, WEEKDAYS } from '../../../src/session/mod.ts';
import {
  continueScenario,
  MachineDriver,
  runScenario,
  START_AT,
  validatorOf,
} from '../../support/session/session-machine.ts';

function daily(from: string, to: string): ConnectWindow {
  return { days: WEEKDAYS, from, to, toDay: null };
}

function calendar(change: Partial<ScheduleSettings>): ScheduleSettings {
  return { timeZone: 'UTC', windows: [], holidays: [], resets: [], ...change };
}

function scheduled(change: Partial<ScheduleSettings>) {
  return { config: { schedule: calendar(change), sendingTimeAccuracyS: 0, heartBtIntMaxS: 3600, lostAfter: 20 } };
}

const HOUR_S = 3600;
const LOGON = `
    connect
    > 35=A|34=1|98=0|108=3600|
    < 35=A|34=1|98=0|108=3600|
    up
`;

describe('outside the window', () => {
  test('S1 a Logon is refused with the next opening, consumes no number, and is taken once the session opens', () => {
    const driver = runScenario(
      `
      connect
      > 35=A|34=1|98=0|108=30|
      < 35=5|34=1|58=This session is closed until 2026-01-05T09:30:00Z|
      closed
      numbers 1 1
      wait 1800
      ${LOGON}
    `,
      scheduled({ windows: [daily('09:30', '10:00')] }),
    );
    expect(driver.journal.records.filter(({ kind }) => kind === 'unsequenced')).toHaveLength(2);
  });

  test('by setting a Logout answers such a Logon always, never, or where it begins the numbers again', () => {
    for (const [onRefusal, answered] of [
      ['logout', [true, true]],
      ['silence', [false, false]],
      ['auto', [false, true]],
    ] as const) {
      ['', '141=Y|'].forEach((flag, i) => {
        const options = scheduled({ windows: [daily('10:00', '11:00')] });
        const answer = '< 35=5|34=1|58=This session is closed until 2026-01-05T10:00:00Z|';
        runScenario(`connect\n> 35=A|34=1|98=0|108=30|${flag}\n${answered[i] ? answer : ''}\nclosed`, {
          config: { ...options.config, onRefusal },
        });
      });
    }
  });

  test('S1 nor does its ResetSeqNumFlag reset anything', () => {
    const options = scheduled({ windows: [daily('10:00', '11:00')] });
    runScenario(
      `
      connect
      > 35=A|34=1|98=0|108=30|141=Y|
      < 35=5|34=1|58=This session is closed until 2026-01-05T10:00:00Z|
      closed
      numbers 5 7
    `,
      { ...options, numbers: { series: 1, nextSenderMsgSeqNum: 5, nextTargetMsgSeqNum: 7 } },
    );
  });

  test('S1 gives a stranger nothing of the schedule', () => {
    runScenario(
      `
      connect
      > 35=A|34=1|98=0|108=30|554=wrong|
      < 35=5|34=1|58=invalid username or password|
      closed
    `,
      scheduled({ windows: [daily('10:00', '11:00')] }),
    );
  });

  test('SessionStatus 7 goes with the refusal where SessionStatus is sent', () => {
    const options = scheduled({ windows: [daily('10:00', '11:00')] });
    runScenario(
      `
      connect
      > 35=A|34=1|98=0|108=30|
      < 35=5|34=1|1409=7|58=This session is closed until 2026-01-05T10:00:00Z|
      closed
    `,
      { config: { ...options.config, sendsSessionStatus: true } },
    );
  });

  test('an initiator does not log on', () => {
    const options = scheduled({ windows: [daily('10:00', '11:00')] });
    runScenario('connect\nclosed\nnumbers 1 1', { config: { ...options.config, role: 'initiator' } });
  });

  test('reports are numbered and wait for the counterparty', () => {
    runScenario(
      `
      app 35=8|17=e1|
      numbers 2 1
      wait ${HOUR_S}
      connect
      > 35=A|34=1|98=0|108=3600|
      < 35=A|34=2|98=0|108=3600|
      > 35=2|34=2|7=1|16=1|
      < 35=8|34=1|43=Y|122={0}|17=e1|
    `,
      scheduled({ windows: [daily('10:00', '11:00')] }),
    );
  });
});

describe('at the close', () => {
  test('a live session is logged out; nothing is reset, and the numbers go on at the next opening', () => {
    runScenario(
      `${LOGON}
      wait 1800
      < 35=5|34=2|58=This session is closed until 2026-01-06T08:00:00Z|
      > 35=5|34=2|
      closed
      down
      numbers 3 3
      wait ${23 * HOUR_S}
      connect
      > 35=A|34=3|98=0|108=3600|
      < 35=A|34=3|98=0|108=3600|
    `,
      scheduled({ windows: [daily('08:00', '09:30')] }),
    );
  });

  test('a counterparty that does not answer is disconnected; the log says why it was logged out', () => {
    const driver = runScenario(
      `${LOGON}
      wait 1800
      < 35=5|34=2|58=This session is closed until 2026-01-06T08:00:00Z|
      wait 5
      closed
    `,
      scheduled({ windows: [daily('08:00', '09:30')] }),
    );
    expect(driver.notes).toContain('logging out: This session is closed until 2026-01-06T08:00:00Z');
  });

  test('unrequested reset at a schedule boundary: adjacent windows change nothing', () => {
    const driver = runScenario(
      `${LOGON}
      wait ${HOUR_S - 1}
      > 35=0|34=2|
      wait 1
      < 35=0|34=2|
      wait 1
      numbers 3 3
    `,
      scheduled({ windows: [daily('08:00', '09:30'), daily('09:30', '18:00')] }),
    );
    expect(driver.journal.records.some(({ kind }) => kind === 'numbers')).toBe(false);
  });

  test('a clock that is put back to before the opening closes the session, but resets nothing again', () => {
    const driver = runScenario(
      LOGON,
      scheduled({ windows: [daily('08:00', '18:00')], resets: [{ days: WEEKDAYS, at: '07:00' }] }),
    );
    driver.now -= 90 * 60_000;
    driver.input({ kind: 'tick' });
    expect(driver.outcomes.shift()).toMatchObject({
      text: expect.stringContaining('closed until 2026-01-05T08:00:00Z'),
    });
    expect(driver.session.numbers.series).toBe(1);
  });
});

describe('at the reset time', () => {
  const RESETS = scheduled({ resets: [{ days: WEEKDAYS, at: '09:30' }] });

  test('a live session is logged out, then both numbers begin again at 1, and the audit trail says why', () => {
    const driver = runScenario(
      `${LOGON}
      wait 1800
      < 35=5|34=2|58=sequence numbers begin again now, as scheduled|
      > 35=5|34=2|
      closed
      down
      numbers 1 1
      ${LOGON}
    `,
      RESETS,
    );
    expect(driver.journal.records.find(({ kind }) => kind === 'numbers')).toMatchObject({
      from: { series: 1, nextSenderMsgSeqNum: 3, nextTargetMsgSeqNum: 3 },
      to: { series: 2, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 },
      who: 'schedule',
      why: 'reset time 2026-01-05T09:30:00.000Z',
    });
  });

  test('a session that is not connected is reset at that moment, and daily', () => {
    const driver = runScenario(`${LOGON}\ncut\nwait 1799\nnumbers 2 2\nwait 1\nnumbers 1 1`, RESETS);
    expect(driver.session.numbers.series).toBe(2);
    continueScenario(driver, `app 35=8|17=e1|\nwait ${24 * HOUR_S}`);
    expect(driver.session.numbers.series).toBe(3);
  });

  test('numbers that are 1 already stay in their series', () => {
    const driver = runScenario(`wait ${72 * HOUR_S}`, RESETS);
    expect(driver.session.numbers.series).toBe(1);
  });

  test('S2 a report not proven received is sent again after it, with PossResend', () => {
    runScenario(
      `${LOGON}
      app 35=8|37=1|17=e1|
      < 35=8|34=2|37=1|17=e1|
      cut
      wait 1800
      numbers 2 1
      connect
      > 35=A|34=1|98=0|108=3600|
      < 35=A|34=2|98=0|108=3600|
      > 35=2|34=2|7=1|16=1|
      < 35=8|34=1|43=Y|97=Y|122={1800}|37=1|17=e1|
    `,
      RESETS,
    );
  });

  test('close and reset at one time are one Logout', () => {
    runScenario(
      `${LOGON}
      wait 1800
      < 35=5|34=2|58=This session is closed until 2026-01-06T08:00:00Z|
      > 35=5|34=2|
      closed
      numbers 1 1
    `,
      scheduled({ windows: [daily('08:00', '09:30')], resets: [{ days: WEEKDAYS, at: '09:30' }] }),
    );
  });

  test("an operator's request while the reset waits follows it", () => {
    const driver = runScenario(
      `${LOGON}\nwait 1800\n< 35=5|34=2|58=sequence numbers begin again now, as scheduled|`,
      RESETS,
    );
    driver.input({
      kind: 'setNumbers',
      nextSenderMsgSeqNum: 40,
      nextTargetMsgSeqNum: 50,
      reset: false,
      who: 'operator',
      why: 'agreed on the telephone',
    });
    continueScenario(driver, '> 35=5|34=2|\nclosed\nnumbers 40 50');
    expect(driver.session.numbers.series).toBe(2);
  });

  test('a reset that passed while the process was stopped is made up for at the start, once', () => {
    const driver = runScenario(`${LOGON}\ncut`, RESETS);
    driver.now += 24 * HOUR_S * 1000;
    continueScenario(driver, 'restart');
    expect(driver.session.deadline(), 'the machine wants to look at once').toBe(0);
    continueScenario(driver, 'wait 0\nnumbers 1 1');
    expect(driver.session.numbers.series).toBe(2);
    continueScenario(driver, `down\n${LOGON}\ncut\nrestart\nwait 60\nnumbers 2 2`);
    expect(driver.session.numbers.series).toBe(2);
  });

  test('a crash between the Logout and the reset does not lose the reset', () => {
    const driver = runScenario(
      `${LOGON}\nwait 1800\n< 35=5|34=2|58=sequence numbers begin again now, as scheduled|`,
      RESETS,
    );
    driver.now += 1000;
    continueScenario(driver, 'restart\nwait 0\nnumbers 1 1');
  });

  test('a clock days ahead skips no reset of these days; set back behind one it repeats none', () => {
    const driver = runScenario(`${LOGON}\ncut\ndown\nwait 0`, RESETS);
    const setClock = (byMs: number): void => {
      driver.now += byMs;
      driver.input({ kind: 'tick' });
    };
    setClock(72 * HOUR_S * 1000);
    expect(driver.session.numbers.series).toBe(2);
    setClock(-72 * HOUR_S * 1000);
    continueScenario(driver, `${LOGON}\ncut\ndown\nwait 1799\nnumbers 2 2\nwait 1\nnumbers 1 1`);
    expect(driver.session.numbers.series).toBe(3);
    setClock(-60_000);
    continueScenario(driver, `${LOGON}\ncut\ndown\nwait 120\nnumbers 2 2`);
    expect(driver.session.numbers.series).toBe(3);
  });

  test('a clock days ahead corrected in two steps, or after a restart, skips no reset either', () => {
    for (const between of ['', 'restart\nwait 0\n']) {
      const driver = runScenario(`${LOGON}\ncut\ndown\nwait 0`, RESETS);
      const setClock = (byMs: number): void => {
        driver.now += byMs;
        driver.input({ kind: 'tick' });
      };
      setClock(72 * HOUR_S * 1000);
      setClock(-36 * HOUR_S * 1000);
      continueScenario(driver, `${LOGON}\ncut\ndown\n${between}wait 0`);
      setClock(-36 * HOUR_S * 1000);
      const { series } = driver.session.numbers;
      continueScenario(driver, 'wait 1799\nnumbers 2 2\nwait 1\nnumbers 1 1');
      expect(driver.session.numbers.series).toBe(series + 1);
    }
  });

  test('a clock hours behind repeats no reset when it is corrected', () => {
    for (const between of ['', 'restart\nwait 0\n']) {
      const driver = runScenario(`wait 1801\n${LOGON}\ncut\ndown\nwait 0`, RESETS);
      const { series } = driver.session.numbers;
      const setClock = (byMs: number): void => {
        driver.now += byMs;
        driver.input({ kind: 'tick' });
      };
      setClock(HOUR_S * 1000);
      driver.now -= 5 * HOUR_S * 1000;
      continueScenario(driver, `${between}wait 60`);
      setClock(5 * HOUR_S * 1000);
      continueScenario(driver, 'numbers 2 2');
      expect(driver.session.numbers.series).toBe(series);
      driver.wait(24 * HOUR_S * 1000);
      expect(driver.session.numbers.series, 'the next one comes').toBe(series + 1);
    }
  });

  test('restarts numbers with one direction begun; with neither there is nothing to reset', () => {
    for (const [nextSenderMsgSeqNum, nextTargetMsgSeqNum, series] of [
      [1, 5, 2],
      [5, 1, 2],
      [1, 1, 1],
    ] as const) {
      const numbers = { series: 1, nextSenderMsgSeqNum, nextTargetMsgSeqNum };
      const driver = new MachineDriver({ ...RESETS, numbers });
      driver.input({ kind: 'tick' });
      driver.wait(HOUR_S * 1000);
      expect(driver.session.numbers).toEqual({ series, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 });
    }
  });

  test('none is made up for when messages were exchanged since', () => {
    const driver = runScenario(`wait 1801\n${LOGON}\ncut\nwait 60\nrestart\nwait 60\nnumbers 2 2`, RESETS);
    expect(driver.session.numbers.series).toBe(1);
  });
});

describe('settings', () => {
  test('a schedule given at run time counts at once; resets of the past are not made up for', () => {
    const driver = runScenario(LOGON, scheduled({}));
    const { config } = driver.session;
    const resets = [{ days: WEEKDAYS, at: '08:59' }];
    driver.session.applyConfig({ ...config, schedule: calendar({ windows: [daily('10:00', '11:00')], resets }) });
    expect(driver.session.deadline()).toBe(0);
    driver.input({ kind: 'tick' });
    continueScenario(
      driver,
      '< 35=5|34=2|58=This session is closed until 2026-01-05T10:00:00Z|\n> 35=5|34=2|\nclosed\nnumbers 3 3',
    );
    driver.session.applyConfig({ ...config, schedule: null });
    continueScenario(driver, 'connect\n> 35=A|34=3|98=0|108=30|\n< 35=A|34=3|98=0|108=30|');
  });

  test('other settings that are taken over at a reset time do not put the reset off', () => {
    const driver = runScenario(`${LOGON}\ncut`, scheduled({ resets: [{ days: WEEKDAYS, at: '09:30' }] }));
    driver.now += HOUR_S * 1000;
    driver.session.applyConfig({ ...driver.session.config, gapQueueMax: 7 });
    driver.input({ kind: 'tick' });
    expect(driver.session.numbers).toEqual({ series: 2, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 });
  });

  test('dictionaries that are taken over count from the next message on', () => {
    const driver = runScenario(LOGON, scheduled({}));
    driver.session.applyConfig(driver.session.config, validatorOf({ validator: 'stock' }, 'FIX.4.4'));
    continueScenario(
      driver,
      '> 35=D|34=2|11=o-1|\n< 35=3|34=2|45=2|371=55|372=D|373=1|58=Required tag missing: Symbol(55)|',
    );
  });

  test('a console sees the next opening', () => {
    const driver = new MachineDriver(
      scheduled({ windows: [daily('09:30', '10:00')], resets: [{ days: ['Sun'], at: '09:00' }] }),
    );
    expect(driver.session.status.opening).toBeNull();
    driver.wait(0);
    const minutes = (count: number): number => START_AT + count * 60_000;
    const resetsAt = minutes(6 * 24 * 60);
    expect(driver.session.status.opening).toEqual({ open: false, changesAt: minutes(30), resetsAt });
    expect(driver.session.deadline(), 'without a connection only the reset matters').toBe(resetsAt);
    driver.wait(1_800_000);
    const opened = { open: true, changesAt: minutes(60), resetsAt };
    expect(driver.session.statusAt(driver.now).opening, 'nobody has told the machine').toEqual(opened);
    driver.input({ kind: 'tick' });
    expect(driver.session.status.opening).toEqual(opened);
    expect(driver.session.statusAt(minutes(60)).opening).toEqual({ open: false, changesAt: minutes(1470), resetsAt });
  });
});
