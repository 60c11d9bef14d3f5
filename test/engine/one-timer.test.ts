// One timer for all sessions: it is brought forward by whoever needs it sooner.

import { expect, onTestFinished, test, vi } from 'vitest';
import { FIX_LIMITS } from '../../src/engine/fix-engine-options.ts';
import { JournalHealth } from '../../src/engine/journal-health.ts';
import { Passwords } from '../../src/engine/passwords.ts';
import { SessionEngine } from '../../src/engine/session-engine.ts';
import { openMemoryStore } from '../../src/store/mod.ts';
import { DataFields, fromPrintable, viewOf } from '../../src/wire/mod.ts';
import { acceptAll, sessionConfig } from '../support/session-machine.ts';

test('a Heartbeat(0) is due when its own session wants it, though another one has longer intervals', async () => {
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
  const logOn = (targetCompID: string, heartBtIntS: number): void => {
    const session = sessionConfig({ targetCompID, sessionId: targetCompID, heartBtIntMinS: 1 });
    const slot = engine.addSession({
      source: 'test',
      access: { signature: null },
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
  logOn('SLOW', 60);
  await pass(1000);
  logOn('QUICK', 5);
  await pass(1000);
  expect(sent).toEqual(['SLOW A', 'QUICK A']);
  await pass(4000);
  expect(sent.slice(2)).toEqual(['QUICK 0']);
});
