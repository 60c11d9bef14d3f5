// A store that cannot be read for a resend: the support desk is informed, and the counterparty can ask again.

import { expect, onTestFinished, test } from 'vitest';
import { memoryStore, startAcceptor } from '../../../src/mod.ts';
import { MsgType } from '../../../src/wire/mod.ts';
import { openFix } from '../../support/network/fix-connection.ts';

test('a failed resend read ends the connection with an alarm, without a countable Logout(5)', async () => {
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
  await oms.expectClosed();
  expect(oms.received.map(({ msgType }) => msgType)).toEqual([MsgType.Logon]);
  expect(alarms).toEqual(['resend-impossible']);
  expect(lines).toContain('session logged off: messages cannot be sent again at present: log on again');
});
