// One timer for all sessions: an earlier need advances it, and it checks the clock now and then.

import { expect, onTestFinished, test, vi } from 'vitest';
import { FIX_LIMITS } from '../../../src/engine/library/fix-engine-options.ts';
import { Passwords } from '../../../src/engine/logon/passwords.ts';
import { JournalHealth } from '../../../src/engine/sessions/journal-health.ts';
import { SessionEngine } from '../../../src/engine/sessions/session-engine.ts';
import { type SessionConfig, WEEKDAYS } from '../../../src/session/mod.ts';
import { openMemoryStore } from '../../../src/store/mod.ts';
import { DataFields, fromPrintable, viewOf } from '../../../src/wire/mod.ts';
import { acceptAll, sessionConfig } from '../../support/session/session-machine.ts';

/** An engine on a clock of its own, and what its sessions send. */
function clocked() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let now = Date.UTC(2026, 0, 5, 12);
  const engine = new SessionEngine({
    journal: openMemoryStore(100),
    journalHealth: new JournalHealth(),
    application: { handle: () => {}, deadline: () => null },
    recorder: null,
    passwords: new Passwords(null, () => now),
    limits: FIX_LIMITS,
    dictionaries: new Map([
      ['FIX.4.4', { names: [], dataFields: DataFields.STANDARD, newValidator: () => acceptAll as never }],
    ]),
    log: () => {},
    now: () => now,
    keepsRecentMessages: false,
    busyPollMicros: 0,
  });
  const sent: string[] = [];
  const logOn = (targetCompID: string, heartBtIntS: number, change: Partial<SessionConfig> = {}): void => {
    const session = sessionConfig({ targetCompID, sessionId: targetCompID, heartBtIntMinS: 1, ...change });
    const slot = engine.addSession({
      source: 'test',
      access: { signature: null, allowFrom: [] },
      session,
      password: null,
      durability: 'process',
      enabled: true,
    } as never);
    slot.wire = { send: (raw) => sent.push(`${targetCompID} ${viewOf(raw)?.msgType}`), close: () => {} };
    engine.dispatcher.sessionInput(slot, { kind: 'connected', remote: 'test' });
    const time = new Date(now).toISOString().replaceAll('-', '').replace('T', '-').replace('Z', '');
    const text = `35=A|49=${targetCompID}|56=${session.senderCompID}|34=1|52=${time}|98=0|108=${heartBtIntS}|`;
    const view = viewOf(fromPrintable(text, 'FIX.4.4'))!;
    engine.dispatcher.sessionInput(slot, { kind: 'message', view, authentication: { kind: 'accepted' } });
  };
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 1000) {
      now += 1000;
      vi.advanceTimersByTime(1000);
      await engine.commits.idle();
    }
  };
  /** The clock is set forward, or the machine was suspended: no timer has run meanwhile. */
  const jump = (ms: number): void => {
    now += ms;
  };
  return { engine, sent, logOn, pass, jump };
}

test('a Heartbeat(0) is due when its own session wants it, though another one has longer intervals', async () => {
  const { sent, logOn, pass } = clocked();
  logOn('SLOW', 60);
  await pass(1000);
  logOn('QUICK', 5);
  await pass(1000);
  expect(sent).toEqual(['SLOW A', 'QUICK A']);
  await pass(4000);
  expect(sent.slice(2)).toEqual(['QUICK 0']);
});

test('logs out a session without heartbeats within a minute of a clock set past its close', async () => {
  const { sent, logOn, pass, jump } = clocked();
  const windows = [{ days: [...WEEKDAYS], from: '08:00', to: '17:00', toDay: null }];
  const schedule = { timeZone: 'UTC', windows, holidays: [], resets: [] };
  logOn('QUIET', 0, { schedule, heartBtIntZeroAllowed: true });
  await pass(15_000);
  jump(5 * 3_600_000);
  await pass(60_000);
  expect(sent).toEqual(['QUIET A', 'QUIET 5']);
});

test('sets no timer after the stop, which would keep the process alive', () => {
  const { engine, logOn } = clocked();
  logOn('OMS', 30);
  expect(vi.getTimerCount()).toBe(1);
  engine.stop();
  engine.dispatcher.tick('OMS');
  logOn('LATE', 30);
  expect(vi.getTimerCount()).toBe(0);
});
