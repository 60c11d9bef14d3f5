// A clock of the library's user.

import { expect, onTestFinished, test } from 'vitest';
import { startAcceptor } from '../../../src/mod.ts';
import { openFix } from '../../support/network/fix-connection.ts';

test('one that is finer than a millisecond is read in milliseconds: SendingTime(52) has no other', async () => {
  const engine = await startAcceptor({
    port: 0,
    now: () => performance.timeOrigin + performance.now(),
    sessions: [{ senderCompID: 'GATE', targetCompID: 'OMS' }],
    application: { onMessage: () => {} },
  });
  onTestFinished(() => engine.close());
  const oms = await openFix(engine.port, { senderCompID: 'OMS', targetCompID: 'GATE' });
  onTestFinished(() => oms.destroy());
  oms.send('35=A|98=0|108=30');
  const time = expect.stringMatching(/^\d{8}-\d\d:\d\d:\d\d\.\d{3}$/);
  expect((await oms.next()).string(52)).toEqual(time);
  oms.send('35=2|7=1|16=0');
  const gapFill = await oms.next();
  expect([gapFill.msgType, gapFill.string(52), gapFill.string(122)]).toEqual(['4', time, time]);
});
