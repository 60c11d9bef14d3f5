// A counterparty that sends faster than the callbacks of the library's user come to their end.

import { expect, onTestFinished, test, vi } from 'vitest';
import { CallbackBacklog } from '../../../src/engine/library/callback-backlog.ts';
import type { SessionSlot } from '../../../src/engine/sessions/session-slot.ts';
import { startAcceptor } from '../../../src/mod.ts';
import { openFix } from '../../support/network/fix-connection.ts';

test('its messages wait in its socket until half of the callbacks end; others are served', async () => {
  const waiting: (() => void)[] = [];
  const engine = await startAcceptor({
    port: 0,
    callbacksMax: 4,
    sessions: [
      { senderCompID: 'GATE', targetCompID: 'OMS' },
      { senderCompID: 'GATE', targetCompID: 'OTHER' },
    ],
    application: { onMessage: () => new Promise<void>((resolve) => waiting.push(resolve)) as never },
    limits: { shutdownWaitMs: 20 },
  });
  onTestFinished(() => engine.close());
  const logOn = async (senderCompID: string) => {
    const fix = await openFix(engine.port, { senderCompID, targetCompID: 'GATE' });
    onTestFinished(() => fix.destroy());
    fix.send('35=A|98=0|108=30');
    await fix.next();
    return fix;
  };
  const [oms, other] = [await logOn('OMS'), await logOn('OTHER')];
  // One at a time: what comes in one piece is taken together.
  for (let taken = 1; taken <= 4; taken++) {
    oms.send('35=B|148=a|33=1|58=b');
    await expect.poll(() => waiting.length).toBe(taken);
  }
  oms.send('35=1|112=read at last');
  other.send('35=1|112=there');
  expect((await other.next()).string(112)).toBe('there');
  expect(oms.received.map(({ msgType }) => msgType)).toEqual(['A']);
  waiting[0]!();
  other.send('35=1|112=still there');
  expect((await other.next()).string(112)).toBe('still there');
  expect(oms.received.map(({ msgType }) => msgType)).toEqual(['A']);
  waiting[1]!();
  expect((await oms.next()).string(112)).toBe('read at last');
});

test('alarms when that lasts', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const told: string[] = [];
  const backlog = new CallbackBacklog(2, ({ sessionId }) => told.push(sessionId));
  const [brief, long] = ['brief', 'long'].map((sessionId) => ({ sessionId }) as SessionSlot);
  for (const slot of [brief!, brief!, long!, long!, long!]) backlog.began(slot);
  backlog.ended(brief!);
  backlog.ended(long!);
  expect([brief!.isBehind, long!.isBehind]).toEqual([false, true]);
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual(['long']);
});
