// A password that a counterparty changes is in the audit trail, as everything else that changes who may do what.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hashPassword } from '../../../../src/engine/logon/password-hash.ts';
import { readJournal } from '../../../../src/store/mod.ts';
import { openFix } from '../../../support/network/fix-connection.ts';
import { runningGateway, sessionFile } from '../../running-gateway.ts';

test('NewPassword(925) that was taken is an audit record of the session, without a password', async () => {
  const gateway = await runningGateway({ 'OMS.yaml': `${sessionFile('OMS')}logon: { newPasswordOverlapMs: 60000 }\n` });
  const secret = join(gateway.stateDirectory, 'secrets', 'oms.password');
  writeFileSync(secret, await hashPassword('the present one', 8));
  const fix = await openFix(gateway.engine.addresses[0]!.port, { senderCompID: 'OMS', targetCompID: 'GATE' });
  onTestFinished(() => fix.destroy());
  fix.send('35=A|98=0|108=30|141=Y|554=the present one|925=a new and long one');
  await fix.expect('the Logon', (view) => view.msgType === 'A');
  await gateway.engine.close();
  const audit: unknown[] = [];
  for await (const { record } of readJournal(join(gateway.stateDirectory, 'journal'))) {
    if (record.kind === 'audit') audit.push(record);
  }
  expect(audit).toEqual([
    {
      kind: 'audit',
      who: 'FIX.4.4:GATE->OMS',
      action: 'password changed',
      detail: expect.stringMatching(/^NewPassword\(925\) taken; the one before is good until 20\d\d-.*Z$/),
    },
  ]);
});
