// Stopping trading by hand on a running gateway with its simulated exchange: the kill switch (rule O12) with operators'
// own tokens, cancel-all without a gateway (rule C4), comparing with the exchange on request. The commands run as the
// command line runs them, in this process.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test, vi } from 'vitest';
import { addCancelAllCommand } from '../../../src/cli/admin/cancel-all.ts';
import { addKillSwitchCommands } from '../../../src/cli/admin/kill-switch.ts';
import { type MessageView, Tag } from '../../../src/wire/mod.ts';
import { type Ended, runCommand } from '../../support/processes/run-command.ts';
import { configurationFolder, inShort, secretText } from '../configuration-folder.ts';
import { ACCOUNT, GATEWAY, type RunningGateway, runningGateway, sessionFile, startedFrom } from '../running-gateway.ts';

const TOKENS = {
  ann: 'ann-has-this-token-of-her-own',
  ben: 'ben-has-this-token-of-his-own',
  eve: 'eve-only-looks-and-stops-it',
};

const USERS = `admin:
  port: 0
  users:
    - { name: ann, token: "env:ANN" }
    - { name: ben, token: "env:BEN" }
    - { name: eve, token: "env:EVE", roles: [kill] }
`;

function withUsers(): Promise<RunningGateway> {
  const files = { 'gateway.yaml': GATEWAY.replace('admin: { port: 0 }\n', USERS) };
  return runningGateway(files, { ANN: TOKENS.ann, BEN: TOKENS.ben, EVE: TOKENS.eve });
}

/** Run a command to its end. */
function crossgate(...args: readonly string[]): Promise<Ended> {
  return runCommand((program) => {
    addKillSwitchCommands(program);
    addCancelAllCommand(program);
  }, args);
}

const order = (id: string): string =>
  `35=D|11=${id}|1=${ACCOUNT}|55=BTCUSDC|54=1|38=0.01|40=2|44=50000|59=1|60=20260105-12:00:00.000`;

test('O12 kill-switch status has separate exit codes for no gateway and for a thrown switch', async () => {
  const nowhere = await crossgate('kill-switch', 'status', '--state', join(import.meta.dirname, 'no-state-folder'));
  expect(nowhere).toMatchObject({ code: 3, out: '', err: expect.stringContaining('[XG_ADMIN_UNREACHABLE]') });
  expect((await crossgate('kill-switch', 'status', '--stat')).code).toBe(2);
});

test('O12 names the way to cancel without the gateway if a kill switch cannot be thrown', async () => {
  const gone = ['--state', join(import.meta.dirname, 'no-state-folder'), '--all', '--why', 'x'];
  const instead =
    /^crossgate: no gateway is running .*; `crossgate cancel-all --account ID` .* \[XG_ADMIN_UNREACHABLE\]$/m;
  expect(await crossgate('kill-switch', 'throw', ...gone)).toMatchObject({
    code: 1,
    err: expect.stringMatching(instead),
  });
  // Lifting one cancels nothing.
  expect((await crossgate('kill-switch', 'lift', ...gone)).err).not.toContain('cancel-all');
});

test('O12 the kill switch by CLI and admin API cancels, blocks, needs two to lift, is audited', {}, async () => {
  const gateway = await withUsers();
  const state = ['--state', gateway.stateDirectory];
  const fix = await gateway.logOn();
  fix.send(order('k-1'));
  await fix.expect('New', (view) => view.string(Tag.ExecType) === '0');
  expect((await crossgate('kill-switch', 'status', ...state)).out).toBe('No kill switch is on.\n');
  // Everybody may throw it, whatever else they may do.
  const eve = join(gateway.stateDirectory, 'eve.token');
  writeFileSync(eve, `${TOKENS.eve}\n`, { mode: 0o600 });
  const throwing = [
    'kill-switch',
    'throw',
    '--session',
    'OMS',
    '--why',
    'runaway model',
    '--token-file',
    eve,
    ...state,
  ];
  expect(await crossgate(...throwing)).toMatchObject({ code: 0, err: '' });
  const cancelled = await fix.expect('Canceled', (view) => view.string(Tag.ExecType) === '4');
  expect(cancelled.string(Tag.Text)).toBe('Cancelled by the kill switch of operations');
  fix.send(order('k-2'));
  const refused = await fix.expect('Rejected', (view) => view.string(Tag.ExecType) === '8');
  expect(refused.string(Tag.Text)).toBe('The kill switch of this session is on (runaway model); no orders are taken');
  const status = await crossgate('kill-switch', 'status', '--json', ...state);
  expect(status.code).toBe(1);
  expect(JSON.parse(status.out)).toMatchObject({
    killSwitches: [{ scope: 'session', thrownBy: 'user eve', openOrders: 0 }],
  });
  expect((await gateway.ask('/api/overview')).body).toMatchObject({ killSwitches: [{ why: 'runaway model' }] });

  const lift = { scope: 'session', name: 'OMS', why: 'fixed' };
  const asked = (token?: string) => gateway.ask('/api/kill-switches/lift', lift, token);
  // The shared token names no person under any name; without the role there is no lift. The two permitted operators are
  // configured: no advice to configure them, and to restart for it.
  const detail = expect.stringMatching(
    /names no person\. Two users with role `lift` ask .* each with a token .*`--token-file`\)\.$/,
  );
  expect(await asked()).toMatchObject({ status: 403, body: { detail } });
  expect((await asked(TOKENS.eve)).status).toBe(403);
  const unsaid = await gateway.ask('/api/kill-switches/lift', { ...lift, why: ' ' }, TOKENS.ann);
  expect(unsaid).toMatchObject({ status: 409, body: { detail: expect.stringContaining('Say why') } });
  const first = await asked(TOKENS.ann);
  expect(first).toMatchObject({
    status: 200,
    body: { done: true, text: 'Asked for: a second person has to lift it within 15 minutes.' },
  });
  const once = await asked(TOKENS.ann);
  expect([once.status, once.body.detail]).toEqual([
    409,
    expect.stringMatching(/^You asked for this already, which counts until \d\d:\d\d:\d\d UTC: lifting takes a second/),
  ]);
  const { body: overview } = await gateway.ask('/api/overview');
  expect(overview).toMatchObject({ killSwitches: [{ liftAskedBy: 'user ann' }] });
  const [{ liftAskedAt, liftAskedUntil }] = overview.killSwitches as [{ liftAskedAt: number; liftAskedUntil: number }];
  expect(liftAskedUntil - liftAskedAt).toBe(900_000);
  const shown = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');
  expect((await crossgate('kill-switch', 'status', ...state)).out).toContain(
    ` user ann       ${shown(liftAskedAt)}  ${shown(liftAskedUntil).slice(11)} `,
  );
  const ben = join(gateway.stateDirectory, 'ben.token');
  writeFileSync(ben, TOKENS.ben, { mode: 0o600 });
  const second = await crossgate(
    'kill-switch',
    'lift',
    '--session',
    'OMS',
    '--why',
    'agreed',
    '--token-file',
    ben,
    ...state,
  );
  expect(second).toEqual({ code: 0, out: 'Lifted: orders are taken again.\n', err: '' });
  fix.send(order('k-3'));
  await fix.expect('New again', (view) => view.string(Tag.ExecType) === '0' && view.string(Tag.ClOrdID) === 'k-3');
  const audited = gateway.logged.filter((line) => line.includes('audit: kill switch'));
  // A later reader separates a lift from a vain request.
  expect(audited).toEqual(
    ['thrown', 'lift asked for', 'lift refused', 'lift done'].map((what) => `info audit: kill switch ${what}`),
  );
  expect((await gateway.ask('/api/kill-switches/throw', { scope: 'account', name: '9', why: 'x' })).status).toBe(404);

  // Two people throw two switches over the same orders at once, and an F is on its way: each order is cancelled once.
  for (const id of ['k-4', 'k-5']) fix.send(order(id));
  await fix.expect('New', (view) => view.string(Tag.ExecType) === '0' && view.string(Tag.ClOrdID) === 'k-5');
  fix.send(`35=F|11=k-6|41=k-4|1=${ACCOUNT}|55=BTCUSDC|54=1|60=20260105-12:00:00.000`);
  const both = [
    ['/api/kill-switches/throw', { scope: 'session', name: 'OMS', why: 'model' }, TOKENS.eve],
    ['/api/kill-switches/throw', { scope: 'all', name: '', why: 'market' }, TOKENS.ben],
  ] as const;
  for (const { status } of await Promise.all(both.map(([path, body, token]) => gateway.ask(path, body, token)))) {
    expect(status).toBe(200);
  }
  const ends = ['k-3', 'k-4', 'k-5', 'k-6'];
  const isEnd = (view: MessageView): boolean =>
    view.string(Tag.OrdStatus) === '4' && ends.includes(view.string(Tag.ClOrdID) ?? '');
  await fix.expect('the end of three', () => fix.received.filter(isEnd).length >= 3);
  // A second person each: the first to be lifted says that the other one goes on refusing.
  const liftOf = (scope: string, name: string, token: string) =>
    gateway.ask('/api/kill-switches/lift', { scope, name, why: 'over' }, token);
  await Promise.all([liftOf('session', 'OMS', TOKENS.ann), liftOf('all', '', TOKENS.ann)]);
  expect((await liftOf('session', 'OMS', TOKENS.ben)).body).toMatchObject({
    text: 'Lifted, but other kill switches are still on and refuse their orders: everything.',
  });
  fix.send(order('k-7'));
  await fix.expect('refused', (view) => view.string(Tag.ClOrdID) === 'k-7' && view.string(Tag.ExecType) === '8');
  expect((await liftOf('all', '', TOKENS.ben)).body).toMatchObject({ text: 'Lifted: orders are taken again.' });
  expect(fix.received.filter(isEnd)).toHaveLength(3);
  expect((await gateway.ask('/api/reconcile', {}, TOKENS.eve)).status).toBe(403);
  expect((await gateway.ask('/api/reconcile', {}, TOKENS.ann)).body).toMatchObject({ done: true });
});

test('O12 warns at removal or identity change that a thrown switch covers that SessionID alone', async () => {
  const gateway = await runningGateway({ 'OTHER.yaml': sessionFile('OTHER') });
  expect(
    (await gateway.ask('/api/kill-switches/throw', { scope: 'session', name: 'OMS', why: 'runs wild' })).status,
  ).toBe(200);
  gateway.folder.write('sessions/OMS.yaml', `${sessionFile('OMS')}targetSubID: DESK\n`);
  rmSync(join(gateway.folder.path, 'sessions', 'OTHER.yaml'));
  const { body } = await gateway.ask('/api/configuration/apply', {});
  expect(body.text).toBe(
    'OMS added: FIX.4.4:GATE->OMS/DESK. ' +
      'OMS retired: FIX.4.4:GATE->OMS; its Logons are refused; its kill switch stays on, but for this SessionID alone: throw one for who trades in its place. ' +
      'OTHER retired: FIX.4.4:GATE->OTHER; its Logons are refused.',
  );
});

test('O12 two users are two people: names and tokens differ, and a token is long enough', () => {
  const twice = USERS.replace('name: ben', 'name: ann').replace('env:BEN', 'env:ANN');
  const folder = configurationFolder({
    'gateway.yaml': GATEWAY.replace('admin: { port: 0 }\n', twice),
    'OMS.yaml': sessionFile('OMS'),
  });
  expect(
    inShort(folder.load({ environment: { ANN: TOKENS.ann, EVE: 'short' } })).map((text) => text.replace(/^\S+ /, '')),
  ).toEqual([
    'admin.users[1].name: two users have this name',
    'admin.users[1].token: two users have this token',
    'admin.users[1].token: another user has the same token; then two people are one',
    'admin.users[2].token: it is shorter than 24 characters',
  ]);
});

test('O12 the shared token is no user who could lift with one other', () => {
  const shared = 'the-shared-token-of-this-state-folder';
  const folder = configurationFolder({
    'gateway.yaml': GATEWAY.replace('admin: { port: 0 }\n', USERS.replace('env:BEN', 'file:secrets/admin.token')),
    'OMS.yaml': sessionFile('OMS'),
  });
  folder.write('state/secrets/admin.token', `${shared}\n`);
  expect(inShort(folder.load({ environment: { ANN: shared, EVE: TOKENS.eve } }))).toEqual([
    expect.stringContaining('admin.users[0].token: it is the shared token: every holder'),
    expect.stringContaining('admin.users[1].token: it is the shared token: every holder'),
  ]);
});

test('O12 reports a token that fits no request: its owner could lift nothing', () => {
  const folder = configurationFolder({
    'gateway.yaml': GATEWAY.replace('admin: { port: 0 }\n', USERS),
    'OMS.yaml': sessionFile('OMS'),
  });
  const longest = 'x'.repeat(256);
  expect(inShort(folder.load({ environment: { ANN: `${longest}x`, BEN: `${TOKENS.ben} !`, EVE: longest } }))).toEqual([
    expect.stringContaining('admin.users[0].token: it is longer than 256 characters'),
    expect.stringContaining('admin.users[1].token: it has blanks or characters beyond ASCII in it'),
  ]);
});

/** As if commands were called from the folder that holds the configuration, with no port of another gateway in the shell. */
function asIfCalledBeside({ stateDirectory }: RunningGateway): void {
  for (const name of Object.keys(process.env)) if (/^CROSSGATE_\w+_PORT$/.test(name)) vi.stubEnv(name, '');
  vi.stubEnv('CROSSGATE_STATE', stateDirectory);
  onTestFinished(() => void vi.unstubAllEnvs());
}

test('C4 cancel-all works from the credential alone, and refuses while the gateway runs', {}, async () => {
  const gateway = await runningGateway();
  const fix = await gateway.logOn();
  fix.send(order('k-1'));
  await fix.expect('New', (view) => view.string(Tag.ExecType) === '0');
  asIfCalledBeside(gateway);
  const run = (...args: readonly string[]): ReturnType<typeof crossgate> => {
    const where = ['--sessions', join(gateway.folder.path, 'sessions'), '--url', gateway.engine.simulator!.url];
    return crossgate('cancel-all', '--account', ACCOUNT, ...where, ...args);
  };
  const running = await run();
  expect(running.code).toBe(1);
  expect(running.err).toMatch(/kill-switch throw --account .*\[XG_GATEWAY_RUNNING\]/);
  expect(await run('--account', '999')).toMatchObject({ code: 1, err: expect.stringContaining('[XG_NOT_FOUND]') });
  // One without an admin API, or in another container, answers nothing here.
  rmSync(join(gateway.stateDirectory, 'admin.json'));
  expect(await run()).toMatchObject({ code: 1, err: running.err });
  // The simulated exchange of this very gateway stands in for one that has no gateway any more.
  const done = await run('--force', '--json', '--why', 'the gateway is gone');
  expect([done.err, done.code]).toEqual(['', 0]);
  const lines = readFileSync(join(gateway.stateDirectory, 'cancel-all.jsonl'), 'utf8').trimEnd().split('\n');
  const record = { who: userInfo().username, account: ACCOUNT, market: null, why: 'the gateway is gone' };
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { ...record, outcome: 'begun', openBefore: 1 },
    { ...record, at: expect.stringMatching(/^\d{4}-.*Z$/), outcome: 'accepted', openBefore: 1, openAfter: 0 },
  ]);
  expect(JSON.parse(done.out)).toMatchObject({ outcome: 'accepted', openBefore: 1, openAfter: 0 });
  const report = await fix.expect('Canceled', (view) => view.string(Tag.ExecType) === '4');
  expect(report.string(Tag.ExecRestatementReason)).toBe('8');
});

test('C4 cancel-all works though a session file is broken, which may be why there is no gateway', {}, async () => {
  const gateway = await runningGateway();
  asIfCalledBeside(gateway);
  const where = ['--sessions', join(gateway.folder.path, 'sessions'), '--url', gateway.engine.simulator!.url];
  const run = (): ReturnType<typeof crossgate> =>
    crossgate('cancel-all', '--account', ACCOUNT, ...where, '--force', '--json');
  gateway.folder.write('sessions/OMS.yaml', 'targetCompID: OMS\nlimitz: none\n');
  const done = await run();
  expect([done.code, done.err]).toEqual([0, expect.stringMatching(/problems, which `crossgate check` shows/)]);
  expect(JSON.parse(done.out)).toMatchObject({ outcome: 'accepted', openAfter: 0 });
  // Nothing but the private stream shows open orders that are older than a day.
  gateway.engine.simulator!.control.armAnswer({ on: 'stream', what: 'error', httpStatus: 503, times: 1_000 });
  const blind = await run();
  expect([blind.code, blind.err]).toEqual([1, expect.stringMatching(/nothing else shows orders older than a day/)]);
  // The exchange's events meanwhile reach the waiting caller.
  expect(blind.err).toMatch(/^crossgate: .*stream.*503/m);
  expect(JSON.parse(blind.out)).toMatchObject({ outcome: 'accepted', openAfter: null });
  // With the gateway the embedded exchange is gone too, or has another port than the one that is configured.
  const { code, err } = await crossgate('cancel-all', '--account', ACCOUNT, ...where.slice(0, 2), '--force');
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/asked at http:\/\/127.* listens while its gateway runs; --url says where else, such as/),
  ]);
  const nowhere = ['--url', 'http://127.0.0.1:1', '--force'];
  const other = await crossgate('cancel-all', '--account', ACCOUNT, ...where.slice(0, 2), ...nowhere);
  expect(other.err).toMatch(/asked at http:\/\/127\.0\.0\.1:1 \[XG_EXCHANGE_UNREACHABLE\]/);
  // A vain attempt is recorded too.
  const lines = readFileSync(join(gateway.stateDirectory, 'cancel-all.jsonl'), 'utf8').trimEnd().split('\n');
  const tried = {
    who: userInfo().username,
    account: ACCOUNT,
    outcome: 'notSent',
    text: expect.stringContaining('ECONNREFUSED'),
  };
  expect(JSON.parse(lines.at(-1)!)).toMatchObject(tried);
  // Where it cannot be read who logs in where, nothing can be done.
  gateway.folder.write('sessions/gateway.yaml', 'exchange: none\n');
  expect(await run()).toMatchObject({ code: 1, err: expect.stringContaining('gateway.yaml:1') });
});

test.each([
  ['nobody', [], /no one can lift it: .* and none is configured\. Give two people a token each/],
  ['one person', ['ann'], /no one can lift it: .* and one is configured\. /],
  ['two of whom one may not', ['ann', 'eve'], /no one can lift it: .* and one is configured\. /],
  ['two', ['ann', 'ben'], /new ones are refused\.$/],
] as const)('O12 warns the operator of a kill switch that %s could lift', async (_, names, told) => {
  const users = names.map((name) => {
    const roles = name === 'eve' ? ', roles: [operate]' : '';
    return `    - { name: ${name}, token: "env:${name.toUpperCase()}"${roles} }\n`;
  });
  const admin = names.length === 0 ? 'admin: { port: 0 }\n' : `admin:\n  port: 0\n  users:\n${users.join('')}`;
  const files = { 'gateway.yaml': GATEWAY.replace('admin: { port: 0 }\n', admin) };
  const gateway = await runningGateway(files, { ANN: TOKENS.ann, BEN: TOKENS.ben, EVE: TOKENS.eve });
  const asked = { scope: 'all', name: '', why: 'drill' };
  const { body } = await gateway.ask('/api/kill-switches/throw', asked);
  expect(body).toMatchObject({ done: true, text: expect.stringMatching(told) });
  if (names[0] === undefined) return;
  const lift = await gateway.ask('/api/kill-switches/lift', asked, TOKENS[names[0]]);
  expect(lift.body.text).toMatch(names[1] === 'ben' ? /second person has to lift it within 15 minutes\.$/ : told);
});

test('O12 informs the second person lifting of switches that can be lifted by none', async () => {
  const of = (...names: readonly ('ann' | 'ben')[]) => {
    const users = names.map((name) => `    - { name: ${name}, token: "env:${name.toUpperCase()}" }\n`);
    return {
      'gateway.yaml': GATEWAY.replace('admin: { port: 0 }\n', `admin:\n  port: 0\n  users:\n${users.join('')}`),
    };
  };
  const first = await runningGateway(of('ann', 'ben'), { ANN: TOKENS.ann, BEN: TOKENS.ben });
  const account = { scope: 'account', name: ACCOUNT, why: 'drill' };
  for (const one of [account, { scope: 'all', name: '', why: 'drill' }])
    await first.ask('/api/kill-switches/throw', one);
  await first.ask('/api/kill-switches/lift', account, TOKENS.ann);
  await first.engine.commits.idle();
  const second = await startedFrom(first, of('ben'), { ANN: TOKENS.ann, BEN: TOKENS.ben });
  const { body } = await second.ask('/api/kill-switches/lift', account, TOKENS.ben);
  expect(body.text).toMatch(
    /^Lifted, but other kill switches are still on .*: everything\. Now no one can lift those that stay on: .* and one is configured\. /,
  );
});

test('O12 check warns that a kill switch could not be lifted, except in the simulator', () => {
  const outside = GATEWAY.replace('simulator: { embedded: true, port: 0 }\n', '').replace(
    'credentials:',
    'baseUrl: "http://127.0.0.1:1"\n  environment: simulator\n  credentials:',
  );
  const warned = (text: string): string[] => {
    const folder = configurationFolder({ 'gateway.yaml': text, 'OMS.yaml': sessionFile('OMS') });
    for (const name of ['oms.password', 'demo-ecdsa.json']) folder.write(`state/secrets/${name}`, secretText(name));
    const { problems, warnings } = folder.load({ environment: { ANN: TOKENS.ann, BEN: TOKENS.ben, EVE: TOKENS.eve } });
    expect(problems).toEqual([]);
    return warnings.filter(({ key }) => key === 'admin.users').map(({ problem }) => problem);
  };
  expect(warned(outside)).toEqual(['lifting a kill switch takes two users with role `lift`, and none is configured']);
  expect(warned(outside.replace('admin: { port: 0 }\n', USERS))).toEqual([]);
  expect(warned(outside.replace('admin: { port: 0 }', 'admin: { enabled: false }'))).toEqual([]);
  expect(warned(GATEWAY)).toEqual([]);
});
