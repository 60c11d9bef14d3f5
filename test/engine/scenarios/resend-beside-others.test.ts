// A long resend concerns one session: all other connections are read and answered meanwhile.

import { expect, onTestFinished, test } from 'vitest';
import { memoryStore, newMessage, startAcceptor } from '../../../src/mod.ts';
import { MsgType, Tag } from '../../../src/wire/mod.ts';
import { openFix } from '../../support/network/fix-connection.ts';

const REPORTS = 1_000;

test("reads each part of a resend in its own event-loop turn, beside others' resends", async () => {
  const store = memoryStore();
  const load = store.loadOutbound.bind(store);
  let turn = 0;
  const loads = new Map<string, number[]>();
  store.loadOutbound = (sessionId, ...range) => {
    loads.set(sessionId, [...(loads.get(sessionId) ?? []), turn]);
    return load(sessionId, ...range);
  };
  const engine = await startAcceptor({
    port: 0,
    sessions: ['ONE', 'TWO'].map((targetCompID) => ({ senderCompID: 'GATE', targetCompID })),
    store,
    application: { onMessage: () => {} },
  });
  onTestFinished(() => engine.close());
  for (const session of engine.sessions.values()) {
    for (let i = 0; i < REPORTS; i++)
      session.send(newMessage(MsgType.News, { Headline: `n-${i}`, NoLinesOfText: 1, Text: 'x' }));
  }
  const all = await Promise.all(
    ['ONE', 'TWO'].map((senderCompID) => openFix(engine.port, { senderCompID, targetCompID: 'GATE' })),
  );
  for (const oms of all) {
    oms.send('35=A|98=0|108=30');
    await oms.expect('the answer to the Logon', ({ msgType }) => msgType === MsgType.Logon);
  }
  let counting = true;
  const count = (): void => {
    turn++;
    if (counting) setImmediate(count);
  };
  count();
  for (const oms of all) oms.send('35=2|7=1|16=0');
  for (const oms of all) {
    await oms.expect('the end of the resend', () => oms.received.length > REPORTS);
    const again = oms.received.filter(({ msgType }) => msgType === MsgType.News);
    expect(again.map((view) => view.int(Tag.MsgSeqNum))).toEqual(Array.from({ length: REPORTS }, (_, i) => i + 1));
  }
  counting = false;
  for (const oms of all) oms.destroy();
  const turns = [...loads.values()].flat();
  expect(loads.size).toBe(2);
  expect(turns.length).toBeGreaterThanOrEqual(10);
  expect(new Set(turns).size).toBe(turns.length);
});
