// A journal that recorded nothing for minutes: what waited for it leaves with the time at which it leaves, and is recorded so.

import { expect, onTestFinished, test } from 'vitest';
import { formatUtcTimestamp } from '../../../src/base/time.ts';
import { startAcceptor } from '../../../src/mod.ts';
import { openMemoryJournal } from '../../../src/store/mod.ts';
import { Tag, toPrintable } from '../../../src/wire/mod.ts';
import { openFix } from '../../support/network/fix-connection.ts';

const MINUTES_MS = 180_000;

test('messages held three minutes by the disk carry and log the SendingTime(52) of departure', async () => {
  let aheadMs = 0;
  const now = (): number => Date.now() + aheadMs;
  const store = openMemoryJournal();
  const sync = store.sync.bind(store);
  const engine = await startAcceptor({
    port: 0,
    store,
    now,
    application: { onMessage: () => {} },
    sessions: [{ senderCompID: 'GATE', targetCompID: 'OMS', durability: 'disk' }],
  });
  onTestFinished(() => engine.close());
  const fix = await openFix(engine.port, { senderCompID: 'OMS', targetCompID: 'GATE' });
  onTestFinished(() => fix.destroy());
  const send = (body: string): unknown => fix.send(body, { sendingTime: formatUtcTimestamp(now()) });
  send('35=A|98=0|108=120');
  await fix.expect('the Logon', ({ msgType }) => msgType === 'A');

  let tried = (): void => {};
  const failed = new Promise<void>((resolve) => {
    tried = resolve;
  });
  store.syncNow = () => false;
  store.sync = () => {
    tried();
    return Promise.reject(new Error('no disk'));
  };
  send('35=1|112=first');
  await failed;
  aheadMs = MINUTES_MS;
  const wentOn = now();
  store.sync = sync;
  const answer = await fix.expect('Heartbeat', (view) => view.string(Tag.TestReqID) === 'first');
  expect(answer.utcTimestamp(Tag.SendingTime)! - wentOn).toBeGreaterThanOrEqual(0);
  const notes = new Map<string, string>();
  for await (const { record } of store.entries()) {
    if (record.kind === 'unsequenced') notes.set(toPrintable(record.raw), record.note);
  }
  expect(notes.get(toPrintable(answer.bytes()))).toBe('sent late on FIX.4.4:GATE->OMS');
  // A message made now is in time by itself.
  send('35=1|112=second');
  const next = await fix.expect('Heartbeat', (view) => view.string(Tag.TestReqID) === 'second');
  expect(notes.has(toPrintable(next.bytes()))).toBe(false);
});
