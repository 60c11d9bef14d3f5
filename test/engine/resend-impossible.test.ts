// A store that cannot be read for a resend: the counterparty and the support desk are told so.

import { expect, onTestFinished, test } from 'vitest';
import { memoryStore, startAcceptor } from '../../src/mod.ts';
import { MsgType, Tag } from '../../src/wire/mod.ts';
import { openFix } from '../support/fix-connection.ts';

test('a read for a resend that fails ends the session by a Logout(5) that says so, with an alarm', async () => {
  const alarms: string[] = [];
  const lines: string[] = [];
  const store = memoryStore();
  store.loadOutbound = () => Promise.reject(new Error('the disk is gone'));
  const engine = await startAcceptor({
    port: 0,
    sessions: [{ senderCompID: 'GATE', targetCompID: 'OMS' }],
    store,
    application: { onMessage: () => {} },
    onAlarm: ({ alarm }) => alarms.push(alarm),
    log: (_level, text) => lines.push(text),
  });
  onTestFinished(() => engine.close());
  const oms = await openFix(engine.port, { senderCompID: 'OMS', targetCompID: 'GATE' });
  oms.send('35=A|98=0|108=30');
  await oms.expect('the answer to the Logon', ({ msgType }) => msgType === MsgType.Logon);
  oms.send('35=2|7=1|16=0');
  const logout = await oms.expect('the Logout', ({ msgType }) => msgType === MsgType.Logout);
  const text = 'messages cannot be sent again at present: log on again';
  expect(logout.string(Tag.Text)).toBe(text);
  await oms.expectClosed();
  expect(alarms).toEqual(['resend-impossible']);
  expect(lines).toContain(`session logged off: ${text}`);
});
