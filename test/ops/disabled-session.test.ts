// A session that may not log on now, beside one of the same CompIDs, or a template, that would take its Logon.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type FixConnection, openFix } from '../support/fix-connection.ts';
import { GATEWAY, type RunningGateway, runningGateway, sessionFile } from './running-gateway.ts';

async function logOn(gateway: RunningGateway, fields: string): Promise<FixConnection> {
  const fix = await openFix(gateway.engine.addresses[0]!.port, { senderCompID: 'OMS', targetCompID: 'GATE' });
  onTestFinished(() => fix.destroy());
  const password = readFileSync(join(gateway.stateDirectory, 'secrets', 'oms.password'), 'utf8').trim();
  fix.send(`35=A${fields}|98=0|108=30|141=Y|554=${password}`);
  return fix;
}

const DESK = `${sessionFile('OMS', '1')}targetSubID: DESK\n`;
const TEMPLATE = `${sessionFile('"*"')}template: true\ntemplateSessionsMax: 5\n`;

test.each([
  ['the session of the same CompIDs', { 'OMS.yaml': sessionFile('OMS') }],
  ['a template', { 'OMS.yaml': sessionFile('ELSEWHERE'), 'CLIENTS.yaml': TEMPLATE }],
] as const)('a session that is disabled does not trade as %s', async (_, others) => {
  const gateway = await runningGateway({ ...others, 'DESK.yaml': DESK });
  expect((await gateway.ask('/api/sessions/DESK/disable', { why: 'drill' })).status).toBe(200);
  const kept = await logOn(gateway, '|50=DESK');
  await kept.expectClosed();
  expect(kept.received).toEqual([]);
  expect(gateway.logged.join('\n')).toContain('no session FIX.4.4:GATE->OMS/DESK is open on listener plain');
  expect((await gateway.ask('/api/sessions/DESK/enable', { why: 'over' })).status).toBe(200);
  const again = await logOn(gateway, '|50=DESK');
  expect((await again.next()).string(57)).toBe('DESK');
});

test('nor does one on a listener that is not its own', async () => {
  const listeners = '[{ name: plain, port: 0 }, { name: inner, port: 0 }]';
  const gateway = await runningGateway({
    'gateway.yaml': GATEWAY.replace('[{ name: plain, port: 0 }]', listeners),
    'DESK.yaml': `${DESK}listeners: [inner]\n`,
  });
  const kept = await logOn(gateway, '|50=DESK');
  await kept.expectClosed();
  expect(kept.received).toEqual([]);
});
