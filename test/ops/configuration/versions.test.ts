// Changes of the configuration before they count, every version that counted, and the way back. With a running gateway. Its folder
// is not watched here: an apply is explicit.

import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually, GATEWAY, runningGateway, sessionFile, watchingGateway } from '../running-gateway.ts';

type Gateway = Awaited<ReturnType<typeof runningGateway>>;

const apply = (gateway: Gateway, why: string) => gateway.ask('/api/configuration/apply', { why });
const rollback = (gateway: Gateway, version: number, why = 'the limit was wrong') =>
  gateway.ask('/api/configuration/rollback', { version, why });
const versions = async (gateway: Gateway) =>
  (await gateway.ask('/api/configuration/versions')).body.versions as readonly unknown[];
const path = (gateway: Gateway, name: string): string => join(gateway.folder.path, 'sessions', name);

test('shows which value of which session changes, and that nothing has changed yet', async () => {
  const gateway = await runningGateway();
  const fix = await gateway.logOn();
  gateway.folder.write('sessions/OMS.yaml', `${sessionFile('OMS', '1')}heartBtIntS: 17\n`);
  gateway.folder.write('sessions/NEW.yaml', sessionFile('NEW'));
  gateway.folder.write(
    'sessions/gateway.yaml',
    `${readFileSync(path(gateway, 'gateway.yaml'), 'utf8')}shutdownWaitMs: 1234\n`,
  );
  const { body } = await gateway.ask('/api/configuration/diff');
  expect(body.problems).toEqual([]);
  expect(body.changes).toContainEqual({
    ...{ of: 'OMS', key: 'limits.orderQtyMax', counts: 'now' },
    ...{ before: expect.any(String), after: '1' },
  });
  expect(body.changes).toContainEqual(expect.objectContaining({ of: 'OMS', key: 'heartBtIntS', counts: 'next Logon' }));
  expect(body.changes).toContainEqual({ of: 'NEW', key: '', before: null, after: 'a new session', counts: 'now' });
  expect(body.changes).toContainEqual(
    expect.objectContaining({ of: 'gateway', key: 'shutdownWaitMs', counts: 'next start' }),
  );
  expect((await gateway.ask('/api/sessions')).body.sessions).toHaveLength(1);
  expect(fix.closed).toBe(false);
});

test('leaves saved files to an explicit apply where `applySaved` is off', async () => {
  const gateway = await watchingGateway({ 'gateway.yaml': `${GATEWAY}applySaved: false\n` });
  gateway.folder.write('sessions/OMS.yaml', sessionFile('OMS', '1'));
  const notice = /Saved configuration files wait/;
  await eventually('the notice', async () =>
    notice.test(JSON.stringify((await gateway.ask('/api/overview')).body.notices)),
  );
  expect((await gateway.ask('/api/configuration/diff')).body.changes).toHaveLength(1);
  expect((await apply(gateway, 'agreed')).body.text).toMatch(/^OMS changed/);
  expect(JSON.stringify((await gateway.ask('/api/overview')).body.notices)).not.toMatch(notice);
});

test('shows the faults of the files, which would change nothing', async () => {
  const gateway = await runningGateway();
  gateway.folder.write('sessions/OMS.yaml', `${sessionFile('OMS')}limmits: 1\n`);
  const { body } = await gateway.ask('/api/configuration/diff');
  expect(body.problems).toEqual([expect.objectContaining({ file: 'sessions/OMS.yaml', key: 'limmits' })]);
});

test('keeps every version with who and why, for the owner only', async () => {
  const gateway = await runningGateway();
  gateway.folder.write('sessions/OMS.yaml', sessionFile('OMS', '1'));
  expect((await apply(gateway, 'the client asked')).body).toMatchObject({ ok: true, version: 2 });
  expect((await apply(gateway, 'again')).body).toMatchObject({ ok: true, version: null });
  expect(await versions(gateway)).toMatchObject([
    { version: 2, who: 'pat (shared token)', why: 'the client asked', changed: ['OMS.yaml'] },
    { version: 1, who: 'start', why: '' },
  ]);
  const folder = join(gateway.folder.path, 'state', 'configuration');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(join(folder, 'texts'))) {
    expect(statSync(join(folder, 'texts', name)).mode & 0o777).toBe(0o600);
  }
});

test('rolls back to a version: its files, no other file, its limits, and a version of its own', async () => {
  const gateway = await runningGateway();
  const before = readFileSync(path(gateway, 'OMS.yaml'), 'utf8');
  gateway.folder.write('sessions/OMS.yaml', sessionFile('OMS', '1'));
  gateway.folder.write('sessions/NEW.yaml', sessionFile('NEW'));
  await apply(gateway, 'a bad change');
  const { body } = await rollback(gateway, 1);
  expect(body).toMatchObject({ ok: true, version: 3, text: expect.stringMatching(/OMS changed: limits\.orderQtyMax/) });
  expect(readFileSync(path(gateway, 'OMS.yaml'), 'utf8')).toBe(before);
  expect(readdirSync(join(gateway.folder.path, 'sessions'))).not.toContain('NEW.yaml');
  expect((await versions(gateway))[0]).toMatchObject({ version: 3, why: 'back to version 1: the limit was wrong' });
});

test('leaves the files as they are if the version cannot be applied now', async () => {
  const gateway = await runningGateway();
  const key = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' });
  gateway.folder.write('state/NEW.pem', key.toString());
  const signed = 'logon: { signature: { algorithm: ed25519, key: "file:NEW.pem" } }\n';
  gateway.folder.write('sessions/NEW.yaml', `${sessionFile('NEW')}${signed}`);
  expect((await apply(gateway, 'a new session')).body).toMatchObject({ ok: true, version: 2 });
  rmSync(path(gateway, 'NEW.yaml'));
  await apply(gateway, 'it is gone');
  rmSync(join(gateway.folder.path, 'state', 'NEW.pem'));
  const { status, body } = await rollback(gateway, 2, 'it is back');
  expect(status).toBe(422);
  expect(body).toMatchObject({ ok: false, text: expect.stringMatching(/^Nothing was changed/) });
  expect(readdirSync(join(gateway.folder.path, 'sessions'))).not.toContain('NEW.yaml');
});

test('refuses a version that is not kept, and a rollback without a reason', async () => {
  const gateway = await runningGateway();
  expect(await rollback(gateway, 99)).toMatchObject({ status: 404 });
  expect(await rollback(gateway, 1, '')).toMatchObject({ status: 400 });
});
