// A changed configuration folder taken over by a running gateway: only what changed, and nothing if anything is wrong.

import { cpSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CrossgateError } from '../../../src/base/errors.ts';
import { createSelfSignedCertificate } from '../../../src/transport/mod.ts';
import { type MessageView, Tag } from '../../../src/wire/mod.ts';
import { type FixConnection, report } from '../../support/network/fix-connection.ts';
import { configurationFolder } from '../configuration-folder.ts';
import {
  ACCOUNT,
  eventually,
  GATEWAY,
  type RunningGateway,
  runningGateway,
  sessionFile,
  watchingGateway,
} from '../running-gateway.ts';

const ORDER = `1=${ACCOUNT}|55=BTCUSDC|54=1|38=2|40=2|44=50000|59=1|60=20260105-12:00:00.000`;

async function answerTo(fix: FixConnection, clOrdID: string): Promise<string | null> {
  fix.send(`35=D|11=${clOrdID}|${ORDER}`);
  const view = await fix.expect('a report', (each) => each.string(Tag.ClOrdID) === clOrdID);
  return view.string(Tag.ExecType);
}

const apply = (gateway: RunningGateway) => gateway.ask('/api/configuration/apply', {});

describe('a changed session file', () => {
  test('is applied by itself: the new limit counts for the next order, the session stays logged on', async () => {
    const gateway = await watchingGateway();
    const fix = await gateway.logOn();
    expect(await answerTo(fix, 'a-1')).not.toBe('8');
    gateway.folder.write('sessions/OMS.yaml', sessionFile('OMS', '1'));
    await eventually('the change', () => gateway.logged.some((line) => line.includes('configuration applied')));
    expect(await answerTo(fix, 'a-2')).toBe('8');
    expect(fix.closed).toBe(false);
  });

  test('applied automatically before an operator could is reported to the next one, once', async () => {
    const gateway = await watchingGateway();
    gateway.folder.write('sessions/OMS.yaml', sessionFile('OMS', '1'));
    await eventually('the change', () => gateway.logged.some((line) => line.includes('configuration applied')));
    expect((await apply(gateway)).body.text).toMatch(
      /^Taken over by itself before: OMS changed: .*\nNow: 1 session unchanged\.$/,
    );
    expect((await apply(gateway)).body.text).toBe('1 session unchanged.');
  });

  test('T2 reports a GTX TimeInForce missing from the dictionary when applied, as check does', async () => {
    const gateway = await runningGateway();
    gateway.folder.write('sessions/NEW.yaml', `${sessionFile('NEW')}beginString: FIX.4.2\ngtxAliases: ["7", "9"]\n`);
    const { body } = await apply(gateway);
    expect(body).toMatchObject({ ok: true, changes: { added: [{ name: 'NEW' }] } });
    expect(body.warnings).toContainEqual(
      expect.objectContaining({
        file: 'sessions/NEW.yaml',
        key: 'gtxAliases',
        problem: expect.stringContaining('the dictionary of FIX.4.2 has no TimeInForce(59)=7, 9'),
      }),
    );
  });

  test("reports a connection's expiring certificate, or foreign key, when applied", async () => {
    const gateway = await runningGateway();
    const own = await createSelfSignedCertificate({ commonName: 'gate.example', validDays: 5 });
    const other = await createSelfSignedCertificate({ commonName: 'gate.example', validDays: 5 });
    gateway.folder.write('state/hub.crt', own.certificatePem);
    gateway.folder.write('state/hub.key', other.keyPem);
    const tls = 'tls: { certificate: "file:hub.crt", key: "file:hub.key" }';
    const connect = `connect: { addresses: ["127.0.0.1:1"], reconnectFirstMs: 60000, ${tls} }`;
    gateway.folder.write('sessions/HUB.yaml', `${sessionFile('HUB')}role: initiator\n${connect}\n`);
    const { body } = await apply(gateway);
    expect(body).toMatchObject({ ok: true, changes: { added: [{ name: 'HUB' }] } });
    const warnings = body.warnings as { problem: string }[];
    expect(warnings.map(({ problem }) => problem)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('the certificate file:hub.crt of sessions/HUB.yaml ends in'),
        'file:hub.key is not the key of the certificate in file:hub.crt',
      ]),
    );
  });

  test('does not touch another session, which keeps its connection and its numbers', async () => {
    const gateway = await runningGateway({ 'OTHER.yaml': sessionFile('OTHER') });
    const other = await gateway.logOn('OTHER');
    const before = gateway.engine.dispatcher.slots.get('FIX.4.4:GATE->OTHER');
    gateway.folder.write('sessions/OMS.yaml', sessionFile('OMS', '1'));
    const { body } = await apply(gateway);
    expect(body).toMatchObject({ ok: true, changes: { changed: [{ name: 'OMS' }], unchanged: 1 } });
    expect(gateway.engine.dispatcher.slots.get('FIX.4.4:GATE->OTHER')).toBe(before);
    other.send('35=1|112=still-here');
    await other.expect('the Heartbeat', (view) => view.string(Tag.TestReqID) === 'still-here');
  });

  test('changes nothing where the secret of another one is gone by the time it is taken over', async () => {
    const hub = `${sessionFile('ZHUB')}role: initiator\nconnect: { addresses: ["127.0.0.1:1"], reconnectFirstMs: 60000 }\n`;
    const gateway = await runningGateway({ 'ZHUB.yaml': hub });
    const fix = await gateway.logOn();
    const administration = gateway.engine.administration;
    // In a folder of its own: the gateway's is watched.
    const changed = configurationFolder({
      'gateway.yaml': GATEWAY,
      'NEW.yaml': sessionFile('NEW'),
      'OMS.yaml': sessionFile('OMS', '1'),
      'ZHUB.yaml': `${hub}heartBtIntS: 20\n`,
    });
    const sessions = changed.load().config!.sessions.map((each) => {
      if (each.session.targetCompID !== 'ZHUB') return each;
      const read = (): string => {
        throw new CrossgateError('XG_SECRET_MISSING', 'the secret is gone');
      };
      return { ...each, password: { reference: each.password!.reference, read } };
    });
    await expect(administration.applySessions(sessions, 'pat')).rejects.toMatchObject({ code: 'XG_SECRET_MISSING' });
    expect(administration.sessions().map(({ name }) => name)).toEqual(['OMS', 'ZHUB']);
    expect(await answerTo(fix, 'a-1')).toBe('0');
  });

  test('that is invalid changes nothing and gives the reason: to the operator, in the log, as an alarm', async () => {
    const gateway = await runningGateway();
    const before = gateway.engine.sessionConfigs.get('FIX.4.4:GATE->OMS');
    gateway.folder.write('sessions/OMS.yaml', sessionFile('OMS', '-1').replace('durability', 'durabilty'));
    const { status, body } = await apply(gateway);
    expect(status).toBe(422);
    expect(body).toMatchObject({ ok: false, changes: null });
    expect((body.problems as { key: string; line: number }[]).map(({ key, line }) => [key, line])).toEqual([
      ['durabilty', 4],
      ['limits.orderQtyMax', 6],
    ]);
    expect(gateway.engine.sessionConfigs.get('FIX.4.4:GATE->OMS')).toBe(before);
    expect(gateway.engine.alarms.map(({ alarm }) => alarm)).toEqual(['configuration-invalid']);
    expect(gateway.logged.join('\n')).toContain('durabilty');
    // The same trouble again is no other one, and is what came of the last time.
    expect((await apply(gateway)).status).toBe(422);
    expect(gateway.engine.alarms).toHaveLength(1);
    gateway.folder.write('sessions/OMS.yaml', sessionFile('OMS', '-1'));
    expect((await apply(gateway)).status).toBe(422);
    expect(gateway.engine.alarms).toHaveLength(2);
    expect((await gateway.ask('/api/overview')).body).toMatchObject({ configuration: { ok: false } });
    gateway.folder.write('sessions/OMS.yaml', sessionFile('OMS'));
    expect((await apply(gateway)).status).toBe(200);
    expect((await gateway.ask('/api/overview')).body).toMatchObject({ configuration: { ok: true } });
    gateway.folder.write('sessions/OMS.yaml', sessionFile('OMS', '-1'));
    expect((await apply(gateway)).status).toBe(422);
    expect(gateway.engine.alarms.map(({ alarm }) => alarm)).toEqual(Array(3).fill('configuration-invalid'));
  });
});

test("reports a logged-on session's next-Logon settings, and makes no drop copy of open orders", async () => {
  const gateway = await runningGateway();
  const fix = await gateway.logOn();
  expect(await answerTo(fix, 'k-1')).not.toBe('8');
  gateway.folder.write('sessions/OMS.yaml', `${sessionFile('OMS', '9')}heartBtIntMaxS: 50\n`);
  expect((await apply(gateway)).body.text).toContain(
    'OMS changed: heartBtIntMaxS limits.orderQtyMax (from the next Logon on: heartBtIntMaxS).',
  );
  gateway.folder.write('sessions/OMS.yaml', `${sessionFile('OMS')}kind: dropCopy\n`);
  const { status, body } = await apply(gateway);
  expect(status).toBe(422);
  expect(body.text).toMatch(
    /OMS\.yaml: the session has an open order, which as a drop copy it could not cancel; cancel first/,
  );
  fix.send('35=F|11=k-2|41=k-1|54=1|55=BTCUSDC|60=20260105-12:00:00.000');
  await fix.expect('the cancel', (view) => view.string(Tag.ClOrdID) === 'k-2' && view.string(Tag.ExecType) === '4');
  expect((await apply(gateway)).body).toMatchObject({ ok: true, changes: { changed: [{ name: 'OMS' }] } });
});

test('a new session file makes a session that logs on and trades without a restart', async () => {
  const gateway = await runningGateway();
  gateway.folder.write('sessions/NEW.yaml', sessionFile('NEWCOMER'));
  expect((await apply(gateway)).body).toMatchObject({ ok: true, changes: { added: [{ name: 'NEW' }], unchanged: 1 } });
  const fix = await gateway.logOn('NEWCOMER');
  expect(await answerTo(fix, 'n-1')).not.toBe('8');
});

test('a removed session file logs the session out and refuses it; put back, it is open again', async () => {
  const gateway = await runningGateway({ 'OTHER.yaml': sessionFile('OTHER') });
  const fix = await gateway.logOn();
  rmSync(join(gateway.folder.path, 'sessions', 'OMS.yaml'));
  expect((await apply(gateway)).body).toMatchObject({
    ok: true,
    changes: { retired: [{ name: 'OMS' }], unchanged: 1 },
  });
  await fix.expect('the Logout', (view) => view.msgType === '5');
  fix.send('35=5');
  await fix.expectClosed();
  expect((await gateway.ask('/api/sessions/OMS')).body).toMatchObject({ retired: true, enabled: false });
  const enabling = await gateway.ask('/api/sessions/OMS/enable', { why: 'by mistake' });
  expect(enabling).toMatchObject({ status: 409, body: { detail: expect.stringContaining('file was removed') } });
  gateway.folder.write('sessions/OMS.yaml', sessionFile('OMS'));
  expect((await apply(gateway)).body).toMatchObject({ ok: true, changes: { changed: [{ name: 'OMS' }] } });
  await eventually('the end of the session', async () => {
    const { status } = (await gateway.ask('/api/sessions/OMS')).body as { status: { state: string } };
    return status.state === 'disconnected';
  });
  await gateway.logOn();
});

test('reports a removed session with its open orders; a name of several means none', async () => {
  const gateway = await runningGateway({ 'OMS.yaml': `${sessionFile('OMS')}cancelOnDisconnect: { on: "off" }\n` });
  const fix = await gateway.logOn();
  expect(await answerTo(fix, 'r-1')).toBe('0');
  gateway.folder.write('sessions/OMS.yaml', sessionFile('OTHER'));
  const { changes } = (await apply(gateway)).body as { changes: { retired: { detail: string }[] } };
  expect(changes.retired[0]!.detail).toBe(
    'FIX.4.4:GATE->OMS (1 open order: cancelOnDisconnect decides); its Logons are refused',
  );
  gateway.folder.write('sessions/OMS.yaml', sessionFile('THIRD'));
  expect((await apply(gateway)).body).toMatchObject({ ok: true });
  rmSync(join(gateway.folder.path, 'sessions', 'OMS.yaml'));
  gateway.folder.write('sessions/NEXT.yaml', sessionFile('NEXT'));
  expect((await apply(gateway)).body).toMatchObject({ ok: true });
  const detail = expect.stringMatching(/or not one only.*SessionID/);
  expect(await gateway.ask('/api/sessions/OMS')).toMatchObject({ status: 404, body: { detail } });
  const thrown = (name: string) => gateway.ask('/api/kill-switches/throw', { scope: 'session', name, why: 'drill' });
  expect(await thrown('OMS')).toMatchObject({ status: 404, body: { detail } });
  expect(await thrown('FIX.4.4:GATE->OMS')).toMatchObject({ status: 200, body: { done: true } });
});

describe('S9 a drop copy of a session receives the ends of its open orders', () => {
  const copyOf = (names: string): string =>
    `${sessionFile('COPY').replace(/limits.*/, '')}kind: dropCopy\ndropCopy: { sessions: [${names}] }\n`;
  const told = (text: unknown): string => String(text).replace(/\d+ sessions? unchanged\./, '');

  test.each([
    ['when its file says another identity', { 'DESK.yaml': sessionFile('OTHER') }],
    ['when its file is gone, and its name with it', { 'DESK.yaml': null, 'COPY.yaml': copyOf('OMS') }],
  ] as const)('%s', async (_, files) => {
    const gateway = await runningGateway({ 'DESK.yaml': sessionFile('DESK'), 'COPY.yaml': copyOf('DESK') });
    const [desk, copy] = [await gateway.logOn('DESK'), await gateway.logOn('COPY')];
    expect(await answerTo(desk, 'open-1')).toBe('0');
    await copy.expect('the copy', report('open-1', '0'));
    for (const [name, text] of Object.entries(files)) {
      if (text === null) rmSync(join(gateway.folder.path, 'sessions', name));
      else gateway.folder.write(`sessions/${name}`, text);
    }
    expect((await apply(gateway)).body.text).toContain('COPY changed: dropCopy.sessions.');
    // The next change that is applied.
    expect(told((await apply(gateway)).body.text)).toBe('');
    desk.destroy();
    await copy.expect('the end of it', report('open-1', '4'));
  });

  test("but not once it is a session outside the copy's scope", async () => {
    const gateway = await runningGateway({ 'DESK.yaml': sessionFile('DESK'), 'COPY.yaml': copyOf('DESK') });
    const copied = () => gateway.engine.sessionConfigs.get('FIX.4.4:GATE->COPY')?.gateway.dropCopy?.sessionIds;
    gateway.folder.write('sessions/COPY.yaml', copyOf('OMS'));
    await apply(gateway);
    expect(copied()).toEqual(['FIX.4.4:GATE->OMS']);
    gateway.folder.write('sessions/COPY.yaml', copyOf('DESK'));
    await apply(gateway);
    rmSync(join(gateway.folder.path, 'sessions', 'DESK.yaml'));
    gateway.folder.write('sessions/COPY.yaml', copyOf('OMS'));
    await apply(gateway);
    expect(copied()).toEqual(['FIX.4.4:GATE->OMS', 'FIX.4.4:GATE->DESK']);
    gateway.folder.write('sessions/DESK.yaml', sessionFile('DESK'));
    expect((await apply(gateway)).body.text).toContain('COPY changed: dropCopy.sessions.');
    expect(copied()).toEqual(['FIX.4.4:GATE->OMS']);
  });
});

test('a folder that is put into the place of the configured one is taken over, and watched from then on', async () => {
  const gateway = await watchingGateway();
  const names = (): string[] => gateway.engine.administration.sessions().map(({ name }) => name);
  const folder = join(gateway.folder.path, 'sessions');
  const releases = ['1', '2'].map((name) => join(gateway.folder.path, name));
  for (const release of releases) cpSync(folder, release, { recursive: true });
  // As a checkout does, or a copy of the earlier one.
  rmSync(folder, { recursive: true });
  await eventually('the alarm', () => gateway.engine.alarms.some(({ alarm }) => alarm === 'configuration-invalid'));
  symlinkSync(releases[0]!, folder);
  await eventually('the folder', () => gateway.logged.some((line) => line.startsWith('info configuration applied')));
  gateway.folder.write('1/DESK.yaml', sessionFile('DESK'));
  await eventually('a session of the first release', () => names().includes('DESK'));
  gateway.folder.write('2/HUB.yaml', sessionFile('HUB'));
  // In one step, as a deployment does it: it is never gone.
  symlinkSync(releases[1]!, `${folder}.next`);
  renameSync(`${folder}.next`, folder);
  await eventually('a session of the second release', () => names().includes('HUB'));
});

test('keeps several sessions, more than half, that vanish from the files until confirmed', async () => {
  const names = ['A', 'B', 'C'];
  const gateway = await watchingGateway(Object.fromEntries(names.map((name) => [`${name}.yaml`, sessionFile(name)])));
  const fix = await gateway.logOn();
  expect(await answerTo(fix, 'v-1')).not.toBe('8');
  const remove = (name: string): void => rmSync(join(gateway.folder.path, 'sessions', `${name}.yaml`));
  for (const name of ['OMS', 'A', 'B']) remove(name);
  await eventually('the alarm', () => gateway.engine.alarms.some(({ alarm }) => alarm === 'configuration-invalid'));
  const said =
    '3 of 4 sessions would be taken away at once (OMS, A, B), as where files are half copied: put them back, or take it over with `crossgate config apply`';
  expect(gateway.engine.alarms.at(-1)?.text.replace(/\(.*?\)/, '(OMS, A, B)')).toContain(said);
  expect(await answerTo(fix, 'v-2')).toBe('0');
  // Orders are taken: no supervisor is to take the gateway out of service for it.
  const readyz = await gateway.ask('/readyz');
  expect(readyz).toMatchObject({
    status: 200,
    body: { status: 'ready', notices: [expect.stringContaining('3 of 4')] },
  });
  expect((await gateway.ask('/api/overview')).body).toMatchObject({ configuration: { ok: false } });
  // Put back but for one, it is taken over by itself.
  for (const name of ['OMS', 'A']) gateway.folder.write(`sessions/${name}.yaml`, sessionFile(name));
  await eventually('B is gone', () => gateway.logged.some((line) => line.includes('B retired')));
  expect((await gateway.ask('/readyz')).body.notices).toEqual([]);
  expect(fix.closed).toBe(false);
  // And who says so takes all away that is gone.
  for (const name of ['OMS', 'A']) remove(name);
  expect((await apply(gateway)).body).toMatchObject({ ok: true, changes: { retired: [{}, {}], unchanged: 1 } });
  await fix.expect('the Logout', (view) => view.msgType === '5');
});

test('names changes that need a restart, and refuses a session that depends on one', async () => {
  const gateway = await runningGateway();
  const text = (name: string): string => `state: state
fix: { listen: [{ name: plain, port: 0 }] }
shutdownWaitMs: 4000
exchange:
  credentials:
    - { name: ${name}, key: "file:secrets/demo-ecdsa.json", tradingAccounts: ["${ACCOUNT}", "111000000000002"] }
simulator: { embedded: true, port: 0 }
admin: { port: 0 }
`;
  gateway.folder.write('sessions/gateway.yaml', text('primary'));
  expect((await apply(gateway)).body).toMatchObject({ ok: true, restartNeeded: ['gateway.shutdownWaitMs'] });
  gateway.folder.write('sessions/gateway.yaml', text('secondary'));
  const { status, body } = await apply(gateway);
  expect(status).toBe(422);
  expect(body.text).toContain('restart the gateway');
});

test('names a list with a changed length, not each moved element, as waiting for a restart', async () => {
  const listening = (...names: string[]): string =>
    GATEWAY.replace('{ name: plain, port: 0 }', names.map((name) => `{ name: ${name}, port: 0 }`).join(', '));
  const gateway = await runningGateway({ 'gateway.yaml': listening('one', 'two', 'three') });
  const waiting = async (...names: string[]) => {
    gateway.folder.write('sessions/gateway.yaml', listening(...names));
    return (await apply(gateway)).body.restartNeeded;
  };
  expect(await waiting('two', 'three')).toEqual(['gateway.fix.listen']);
  expect(await waiting('one', 'two', 'three', 'four')).toEqual(['gateway.fix.listen']);
  expect(await waiting('one', '2', 'three')).toEqual(['gateway.fix.listen[1].name']);
});

test("D1 applies a changed dialect to the next message: OnBehalfOfCompID(115) in an order's body", async () => {
  const gateway = await runningGateway();
  const fix = await gateway.logOn();
  const answer = async (clOrdID: string): Promise<string | null> => {
    const seqNum = fix.send(`35=D|11=${clOrdID}|${ORDER}|115=FIRM`);
    const isAnswer = (view: MessageView) => view.string(Tag.ClOrdID) === clOrdID || view.int(Tag.RefSeqNum) === seqNum;
    return (await fix.expect('an answer', isAnswer)).msgType;
  };
  expect(await answer('v-1')).toBe('3');
  gateway.folder.write('sessions/OMS.yaml', `${sessionFile('OMS')}dialect: venue\n`);
  expect((await apply(gateway)).body).toMatchObject({ ok: true });
  expect(await answer('v-2')).toBe('8');
  gateway.folder.write('sessions/OMS.yaml', sessionFile('OMS'));
  expect((await apply(gateway)).body).toMatchObject({ ok: true });
  expect(await answer('v-3')).toBe('3');
});

test("C2 a dead man's switch on a newly exclusive account waits for a restart", async () => {
  const gateway = await runningGateway({ 'OTHER.yaml': sessionFile('OTHER') });
  gateway.folder.write(
    'sessions/gateway.yaml',
    GATEWAY.replace('tradingAccounts:', `exclusiveAccounts: ["${ACCOUNT}"], tradingAccounts:`),
  );
  const armed = 'cancelOnDisconnect: { on: both, scope: account, deadMansSwitchS: 10 }\n';
  gateway.folder.write('sessions/OMS.yaml', `${sessionFile('OMS')}${armed}`);
  const { status, body } = await apply(gateway);
  expect([status, body.changes]).toEqual([422, null]);
  expect(body.text).toMatch(
    /OMS\.yaml: account \d+ is not among the exclusive accounts of the running gateway; restart/,
  );
  gateway.folder.write('sessions/OMS.yaml', sessionFile('OMS', '1'));
  expect((await apply(gateway)).body).toMatchObject({
    ok: true,
    changes: { changed: [{ name: 'OMS' }], unchanged: 1 },
  });
});

test('reports changes by the keys of the session file', async () => {
  const gateway = await runningGateway();
  gateway.folder.write(
    'sessions/OMS.yaml',
    `${sessionFile('OMS').replace('[{ account: ', '[{ tradingAccount: "111000000000002", account: ')}dialect: venue
statusFrom: exchange
reach: accounts
sendLastMsgSeqNumProcessed: true
sendNextExpectedMsgSeqNum: true
username: desk
symbols: [BTCUSDC]
logon: { newPasswordOverlapMs: 1000, onRefusal: silence, allowFrom: ["10.0.0.0/8"] }
schedule: { resetsWithinSession: true, resets: [{ at: "17:00" }] }
messageRate: { max: 5, excess: queue }
marketData: { enabled: true }
`,
  );
  const { body } = await apply(gateway);
  const { detail } = (body.changes as { changed: { detail: string }[] }).changed[0]!;
  expect(detail.split(' ').sort()).toEqual([
    'accounts[0].tradingAccount',
    'dialect',
    'logon.allowFrom',
    // It follows the dialect.
    'logon.answerUnproved',
    'logon.newPasswordOverlapMs',
    'logon.onRefusal',
    'marketData',
    'messageRate',
    'reach',
    'repeatUnprovenReports',
    'schedule',
    'schedule.resetsWithinSession',
    'sendLastMsgSeqNumProcessed',
    'sendNextExpectedMsgSeqNum',
    'statusFrom',
    'symbols',
    'username',
  ]);
});

test('S8 applies no session while gateway.yaml names a real exchange and the simulator runs', async () => {
  const gateway = await runningGateway();
  gateway.folder.write(
    'sessions/gateway.yaml',
    GATEWAY.replace(
      'credentials:',
      'baseUrl: "https://exchange.example"\n  environment: production\n  credentials:',
    ).replace('embedded: true, port: 0', 'embedded: false'),
  );
  gateway.folder.write('sessions/OMS.yaml', `${sessionFile('OMS', '9')}environment: production\n`);
  const { status, body } = await apply(gateway);
  expect([status, body.text]).toEqual([
    422,
    'Nothing was changed. The gateway trades on a simulated exchange, gateway.yaml says a production exchange: start the gateway again to take it over.',
  ]);
  const { session } = gateway.engine.sessionConfigs.get('FIX.4.4:GATE->OMS')!;
  expect(session).toMatchObject({ environment: 'any', logonText: expect.stringContaining('not real') });
});

test('shows a key with a secret-like name and no secret, and names it for a restart', async () => {
  const gateway = await runningGateway();
  gateway.folder.write('sessions/gateway.yaml', GATEWAY.replace('exchange:', 'exchange:\n  rateLimitToken: true'));
  expect((await apply(gateway)).body).toMatchObject({ restartNeeded: ['gateway.exchange.rateLimitToken'] });
  const { body } = await gateway.ask('/api/configuration');
  expect(body.effective).toContainEqual(
    expect.objectContaining({ key: 'gateway.exchange.rateLimitToken', value: 'true' }),
  );
});

test('an exchange key that was changed in its place counts from the next start on, and is named', async () => {
  const gateway = await runningGateway();
  expect((await apply(gateway)).body).toMatchObject({ ok: true, restartNeeded: [] });
  gateway.folder.write('state/secrets/demo-ecdsa.json', '{"kind":"hmac","publicKey":"p","secret":"s"}');
  const { body } = await apply(gateway);
  const waiting = ['the secret of gateway.exchange.credentials[0].key'];
  expect(body).toMatchObject({
    text: `1 session unchanged. Waiting for a restart: ${waiting.join(', ')}.`,
    restartNeeded: waiting,
  });
  // A session's is read with each Logon.
  gateway.folder.write('state/secrets/oms.password', 'another one\n');
  expect((await apply(gateway)).body).toMatchObject({ restartNeeded: waiting });
});

test('a data dictionary that was changed meanwhile is named as waiting for a restart', async () => {
  const house = (desk: string): string =>
    `<fix type='FIX' major='4' minor='4'><fields><field number='9001' name='${desk}' type='STRING'/></fields></fix>`;
  const gateway = await runningGateway({ 'gateway.yaml': `${GATEWAY}dictionaries: dictionaries\n` }, {}, (path) =>
    cpSync(join(import.meta.dirname, '../../../dictionaries'), join(path, 'dictionaries'), { recursive: true }),
  );
  // emacs's file there during a change points nowhere.
  symlinkSync('pat@desk.4711:1795317690', join(gateway.folder.path, 'dictionaries', '.#FIX44.xml'));
  expect((await apply(gateway)).body).toMatchObject({ ok: true, restartNeeded: [] });
  gateway.folder.write('dictionaries/FIX44.overlay.xml', house('Desk'));
  expect((await apply(gateway)).body).toMatchObject({
    text: '1 session unchanged. Waiting for a restart: FIX44.overlay.xml.',
    restartNeeded: ['FIX44.overlay.xml'],
  });
});

test('a QuickFIX settings file in the folder is applied like the others: put there, changed, taken away', async () => {
  const gateway = await runningGateway();
  const settings = (heartBtInt: number): string => `[DEFAULT]
BeginString=FIX.4.4
SenderCompID=GATE
Password=file:secrets/oms.password
Crossgate.durability=process
Crossgate.accounts=[{account: "${ACCOUNT}"}]
Crossgate.limits={orderQtyMax: "1000", notionalMax: "1000000000", openOrdersMax: 100, priceBandPercent: "off"}
[SESSION]
TargetCompID=FROM_CFG
HeartBtInt=${heartBtInt}
ResetOnLogon=Y
`;
  gateway.folder.write('sessions/house.cfg', settings(25));
  expect((await apply(gateway)).body).toMatchObject({ ok: true, changes: { added: [{ name: 'FROM_CFG' }] } });
  const fix = await gateway.logOn('FROM_CFG');
  expect(await answerTo(fix, 'c-1')).not.toBe('8');
  gateway.folder.write('sessions/house.cfg', settings(40));
  expect((await apply(gateway)).body).toMatchObject({
    ok: true,
    changes: { changed: [{ name: 'FROM_CFG' }], unchanged: 1 },
  });
  const config = gateway.engine.sessionConfigs.get('FIX.4.4:GATE->FROM_CFG');
  expect(config?.session).toMatchObject({ heartBtIntS: 40, resetOn: ['logon'] });
  gateway.folder.write('sessions/house.cfg', settings(40).replace('HeartBtInt=40', 'HeartBtInt=forty'));
  expect((await apply(gateway)).status).toBe(422);
  expect(gateway.engine.sessionConfigs.get('FIX.4.4:GATE->FROM_CFG')).toBe(config);
  rmSync(join(gateway.folder.path, 'sessions', 'house.cfg'));
  expect((await apply(gateway)).body).toMatchObject({ ok: true, changes: { retired: [{ name: 'FROM_CFG' }] } });
});

test('reports a secret that cannot be made for a new session, and ends nothing', async () => {
  const gateway = await watchingGateway();
  // No folder can be made where a file is.
  const secret = 'file:secrets/oms.password/below';
  gateway.folder.write('sessions/NEW.yaml', sessionFile('NEW').replace('file:secrets/oms.password', secret));
  const { status, body } = await apply(gateway);
  expect([status, body.text]).toEqual([422, expect.stringMatching(/^Nothing was changed\. .*oms\.password.*/)]);
  await eventually('it was taken over by itself too', () =>
    gateway.engine.alarms.some(({ alarm }) => alarm === 'configuration-invalid'),
  );
  const fix = await gateway.logOn();
  expect(fix.closed).toBe(false);
});
