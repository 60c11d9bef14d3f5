// Actions that take two people (`admin.twoPeople`), through the real command line and the admin API: proposed by one operator,
// confirmed by another, carried out once, and audited with both.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test, vi } from 'vitest';
import { PROPOSAL_MS } from '../../../src/ops/admin/two-people.ts';
import { LineProcess } from '../../support/processes/line-process.ts';
import { configurationFolder, inShort } from '../configuration-folder.ts';
import { GATEWAY, type RunningGateway, runningGateway, sessionFile } from '../running-gateway.ts';

const token = (name: string): string => `${name}-has-a-token-that-nobody-else-has`;
const ROLES = { ann: '[operate]', ben: '[operate]', eve: '[kill]' } as const;

function configured(actions: string, roles: Readonly<Record<string, string>> = ROLES): string {
  const users = Object.entries(roles).map(
    ([name, of]) => `    - { name: ${name}, token: "file:${name}.token", roles: ${of} }\n`,
  );
  const admin = `admin:\n  port: 0\n  twoPeople: ${actions}\n  users:\n${users.join('')}`;
  return GATEWAY.replace('admin: { port: 0 }\n', admin);
}

const ALL = '[adopt, resolve, reset, open, limits]';

function twoPeopleGateway(actions = ALL): Promise<RunningGateway> {
  return runningGateway({ 'gateway.yaml': configured(actions) }, {}, (path) => {
    mkdirSync(join(path, 'state'));
    for (const name of Object.keys(ROLES))
      writeFileSync(join(path, 'state', `${name}.token`), token(name), { mode: 0o600 });
  });
}

async function command(gateway: RunningGateway, user: string | null, ...args: string[]) {
  const own = user === null ? [] : ['--token-file', join(gateway.stateDirectory, `${user}.token`)];
  const all = ['src/cli/main.ts', ...args, '--state', gateway.stateDirectory, ...own];
  const cwd = join(import.meta.dirname, '../../..');
  const run = new LineProcess(process.execPath, all, { cwd, env: {} });
  return { code: await run.ended(), text: run.lines.join('\n') };
}

const idIn = (text: string): string => /proposals confirm ([0-9a-f]{8})/.exec(text)?.[1] ?? 'none';
const next = (gateway: RunningGateway): number =>
  gateway.engine.administration.session('OMS')!.status.numbers.nextTargetMsgSeqNum;

/** A request that proposes a number of the counterparty. */
async function propose(gateway: RunningGateway, user = 'ann', nextTargetMsgSeqNum = 7) {
  const answer = await gateway.ask('/api/sessions/OMS/numbers', { nextTargetMsgSeqNum, why: 'drill' }, token(user));
  return { ...answer, id: idIn(String(answer.body.text)) };
}

test('one operator proposes a reset, another confirms it, and the audit trail names both', {}, async () => {
  const gateway = await twoPeopleGateway();
  const audited = vi.spyOn(gateway.engine.administration, 'audit');
  const proposed = await command(gateway, 'ann', 'sessions', 'reset', 'OMS', '--target', '7', '--why', 'drill');
  expect([proposed.code, proposed.text]).toEqual([
    4,
    expect.stringMatching(/^Proposed, and not done: another operator/),
  ]);
  const id = idIn(proposed.text);
  expect(next(gateway)).toBe(1);
  const listed = await command(gateway, 'ben', 'proposals', 'list');
  expect([listed.code, listed.text]).toEqual([0, expect.stringContaining(`${id}  user ann`)]);
  expect(listed.text).toContain('reset (name OMS, nextTargetMsgSeqNum 7): drill');
  expect((await gateway.ask('/api/overview')).body.notices).toContainEqual(expect.stringContaining(id));

  const own = await command(gateway, 'ann', 'proposals', 'confirm', id);
  expect([own.code, own.text]).toEqual([1, expect.stringContaining('You proposed this yourself')]);
  expect(next(gateway)).toBe(1);
  expect(await command(gateway, 'ben', 'proposals', 'confirm', id)).toEqual({ code: 0, text: 'The numbers are set.' });
  expect(next(gateway)).toBe(7);
  const again = await command(gateway, 'ben', 'proposals', 'confirm', id);
  expect([again.code, again.text]).toEqual([1, expect.stringContaining('or the gateway was started since')]);
  const said = audited.mock.calls.map(([who, action]) => `${who}: ${action}`);
  expect(said).toEqual([
    'user ann: reset proposed',
    'user ann: reset confirmation refused',
    'user ben: reset confirmed',
    'user ann, confirmed by user ben: session numbers',
  ]);
});

test('neither the shared token nor a user without the role operate proposes or confirms', async () => {
  const gateway = await twoPeopleGateway();
  const shared = await gateway.ask('/api/sessions/OMS/numbers', { reset: true, why: 'drill' });
  expect([shared.status, shared.body.detail]).toEqual([403, expect.stringContaining('is no person')]);
  const { id } = await propose(gateway);
  const confirm = (own?: string) => gateway.ask(`/api/proposals/${id}/confirm`, {}, own);
  expect([(await confirm()).status, (await confirm(token('eve'))).status]).toEqual([403, 403]);
  expect(next(gateway)).toBe(1);
  expect((await confirm(token('ben'))).status).toBe(200);
  expect(next(gateway)).toBe(7);
});

test('a proposal lapses after a quarter of an hour, can be withdrawn, and its number is bounded', async () => {
  const gateway = await twoPeopleGateway();
  const { id } = await propose(gateway);
  const now = vi.spyOn(gateway.engine.administration, 'now').mockReturnValue(Date.now() + PROPOSAL_MS);
  expect((await gateway.ask('/api/proposals')).body.proposals).toEqual([]);
  now.mockRestore();
  expect((await gateway.ask(`/api/proposals/${id}/confirm`, {}, token('ben'))).status).toBe(404);
  const other = await propose(gateway);
  expect((await gateway.ask(`/api/proposals/${other.id}/withdraw`, {}, token('ann'))).status).toBe(200);
  for (let count = 0; count < 10; count++) expect((await propose(gateway)).status).toBe(202);
  expect(await propose(gateway)).toMatchObject({ status: 409 });
  expect(await propose(gateway, 'ben')).toMatchObject({ status: 202 });
  expect(next(gateway)).toBe(1);
});

test('open, resolve and adopt are proposed alike; a request without a reason is refused, not proposed', async () => {
  const gateway = await twoPeopleGateway();
  const asked = async (path: string, body: object) => (await gateway.ask(path, body, token('ann'))).status;
  const why = 'drill';
  expect(await asked('/api/sessions/OMS/open', { why })).toBe(202);
  expect(await asked('/api/logons/open', { why })).toBe(202);
  expect(await asked('/api/orders/resolve', { session: 'OMS', clOrdID: 'x', why })).toBe(202);
  expect(await asked('/api/orders/adopt', { session: 'OMS', orderIDs: [], why })).toBe(202);
  expect(await asked('/api/sessions/OMS/numbers', { reset: true })).toBe(409);
  // A confirmation is answered as its action.
  const { proposals } = (await gateway.ask('/api/proposals')).body as { proposals: { id: string; action: string }[] };
  const answers = [];
  for (const { id, action } of proposals) {
    const { status, body } = await gateway.ask(`/api/proposals/${id}/confirm`, {}, token('ben'));
    answers.push([action, status, body.detail ?? body.adopted]);
  }
  expect(answers).toEqual([
    ['open', 409, 'Nothing in the journal keeps this session from logging on.'],
    ['open', 409, 'Nothing keeps sessions from logging on.'],
    ['resolve', 404, 'Session OMS has no order with ClOrdID(11) x.'],
    ['adopt', 200, []],
  ]);
});

test('nothing that cancels takes a second person, and other actions run at once', async () => {
  const gateway = await twoPeopleGateway();
  const stop = { scope: 'all', name: '', why: 'drill' };
  expect((await gateway.ask('/api/kill-switches/throw', stop, token('eve'))).status).toBe(200);
  expect((await gateway.ask('/api/sessions/OMS/disable', { why: 'drill' }, token('ann'))).status).toBe(200);
  const without = await twoPeopleGateway('[open]');
  expect((await propose(without)).status).toBe(200);
  expect(next(without)).toBe(7);
});

test('a changed file that raises a limit waits for two people, one that lowers it for none', {}, async () => {
  const gateway = await twoPeopleGateway();
  const write = (max: string) => gateway.folder.write('sessions/OMS.yaml', sessionFile('OMS', max));
  const max = () =>
    gateway.engine.sessionConfigs.get(gateway.engine.administration.session('OMS')!.sessionId)!.gateway.limits
      .orderQtyMax;
  write('20');
  const proposed = await command(gateway, 'ann', 'config', 'apply');
  expect([proposed.code, proposed.text]).toEqual([4, expect.stringContaining('Proposed, and not done')]);
  expect(max()).toBe('10');
  write('30');
  const stale = await command(gateway, 'ben', 'proposals', 'confirm', idIn(proposed.text));
  expect([stale.code, stale.text]).toEqual([1, expect.stringContaining('changed since they were proposed')]);
  expect(max()).toBe('10');
  const again = await command(gateway, 'ben', 'config', 'apply');
  const confirmed = await command(gateway, 'ann', 'proposals', 'confirm', idIn(again.text));
  expect([confirmed.code, confirmed.text]).toEqual([0, expect.stringContaining('OMS changed')]);
  expect(max()).toBe('30');
  write('5');
  expect((await command(gateway, 'ann', 'config', 'apply')).code).toBe(0);
  expect(max()).toBe('5');
});

test('check refuses two people where fewer operate, and warns of a user without a role', () => {
  const loaded = (actions: string, roles: Readonly<Record<string, string>>) => {
    const files = { 'gateway.yaml': configured(actions, roles), 'OMS.yaml': sessionFile('OMS') };
    const folder = configurationFolder(files);
    for (const name of Object.keys(roles)) folder.write(`state/${name}.token`, token(name));
    return folder.load();
  };
  expect(inShort(loaded('[reset]', { ann: '[operate]', ben: '[lift]' }))).toEqual([
    expect.stringContaining('admin.twoPeople: takes two users with role `operate`, and one is configured'),
  ]);
  const { problems, warnings } = loaded('[reset]', { ...ROLES, zoe: '[]' });
  expect(problems).toEqual([]);
  expect(warnings.map(({ problem }) => problem)).toContain('user zoe has no role, and may see and do nothing');
});
