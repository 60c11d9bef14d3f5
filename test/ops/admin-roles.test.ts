// What each user of the admin API may do, whatever route comes: whoever only watches stops nothing.

import { expect, test } from 'vitest';
import { configurationFolder, inShort } from './configuration-folder.ts';
import { GATEWAY, type RunningGateway, runningGateway, sessionFile } from './running-gateway.ts';

const token = (name: string): string => `${name}-has-a-token-of-his-own`;
const NAMES = { ann: '[operate]', nobody: '[]', looker: '[look]', prometheus: '[metrics]' } as const;
const ENVIRONMENT = Object.fromEntries(Object.keys(NAMES).map((name) => [name.toUpperCase(), token(name)]));

function usersWith(roles: Readonly<Record<string, string>>): string {
  const users = Object.entries(roles).map(
    ([name, of]) => `    - { name: ${name}, token: "env:${name.toUpperCase()}", roles: ${of} }\n`,
  );
  return GATEWAY.replace('admin: { port: 0 }\n', `admin:\n  port: 0\n  users:\n${users.join('')}`);
}

/** What each of them is answered, by name. */
async function answers(gateway: RunningGateway, path: string, body?: unknown): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const name of Object.keys(NAMES)) {
    const response = await fetch(new URL(path, gateway.url), {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token(name)}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await response.text();
    found[name] = response.status;
  }
  return found;
}

test('who only watches throws no kill switch and does nothing else; who has no role still throws one, as ever', async () => {
  const gateway = await runningGateway({ 'gateway.yaml': usersWith(NAMES) }, ENVIRONMENT);
  const everything = { ann: 200, nobody: 200, looker: 200, prometheus: 200 };
  expect(await answers(gateway, '/metrics')).toEqual(everything);
  expect(await answers(gateway, '/api/overview')).toEqual({ ...everything, prometheus: 403 });
  expect(await answers(gateway, '/api/sessions/OMS/messages')).toEqual({ ...everything, prometheus: 403 });
  const why = { why: 'drill' };
  const none = { ann: 200, nobody: 403, looker: 403, prometheus: 403 };
  expect(await answers(gateway, '/api/reconcile', {})).toEqual(none);
  const all = { scope: 'all', name: '', ...why };
  const stopped = await gateway.ask('/api/kill-switches/throw', all, token('looker'));
  expect(stopped).toMatchObject({ status: 403, body: { detail: 'Your token may look only: its role is `look`.' } });
  const scraped = await gateway.ask('/api/kill-switches/throw', all, token('prometheus'));
  expect(scraped.body.detail).toBe('Your token may read /metrics only: its role is `metrics`.');
  expect((await gateway.ask('/api/kill-switches')).body).toEqual({ killSwitches: [] });
  expect(await answers(gateway, '/api/kill-switches/throw', all)).toEqual({ ...none, nobody: 200 });
  expect(await answers(gateway, '/api/kill-switches/lift', all)).toEqual({ ...none, ann: 403 });
});

test('a role that stands alone stands alone: beside others it would be read either way', () => {
  const problemsWith = (roles: string): string[] => {
    const folder = configurationFolder({ 'gateway.yaml': usersWith({ ann: roles }), 'OMS.yaml': sessionFile('OMS') });
    return inShort(folder.load({ environment: ENVIRONMENT })).map((text) => text.replace(/^\S+ /, ''));
  };
  expect(problemsWith('[look, operate]')).toEqual([
    'admin.users[0].roles: `look` stands alone: it takes everything else away',
  ]);
  expect(problemsWith('[lift, metrics]')).toEqual([
    'admin.users[0].roles: `metrics` stands alone: it takes everything else away',
  ]);
  expect(problemsWith('[look]')).toEqual([]);
});
