// A Logon during the gateway's shutdown would be left without a Logout.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openFix } from '../../../support/network/fix-connection.ts';
import { runningGateway, sessionFile } from '../../running-gateway.ts';

test('U5 a Logon during the shutdown is not taken, and holds it up no longer', async () => {
  const gateway = await runningGateway({ 'BACK.yaml': sessionFile('BACK') });
  const slow = await gateway.logOn();
  const closing = gateway.engine.close();
  await slow.expect('the Logout', ({ msgType }) => msgType === '5');
  const back = await openFix(gateway.engine.addresses[0]!.port, { senderCompID: 'BACK', targetCompID: 'GATE' });
  onTestFinished(() => back.destroy());
  const password = readFileSync(join(gateway.stateDirectory, 'secrets', 'oms.password'), 'utf8').trim();
  back.send(`35=A|98=0|108=30|554=${password}`);
  await back.expectClosed();
  expect(back.received).toEqual([]);
  slow.send('35=5');
  await closing;
});
