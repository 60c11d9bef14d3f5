// A session file with `template: true` on the running gateway: counterparties trade without their own file, are shown
// as made from it, and return after a restart. Faults of such a file are reported.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readQuickfixCfg } from '../../../src/ops/quickfix-cfg/quickfix-cfg.ts';
import { admitSession, newcomer } from '../../../src/runtime/admission/template-sessions.ts';
import { Tag } from '../../../src/wire/mod.ts';
import { openFix } from '../../support/network/fix-connection.ts';
import { configurationFolder, SESSION } from '../configuration-folder.ts';
import { ACCOUNT, type RunningGateway, runningGateway, sessionFile } from '../running-gateway.ts';

const TEMPLATE = sessionFile('"*"')
  .replace('file:secrets/oms.password', 'file:secrets/{compID}.password')
  .replace(`{ account: "${ACCOUNT}" }`, `{ account: "{compID}", tradingAccount: "${ACCOUNT}" }`)
  .concat('template: true\ntemplateSessionsMax: 5\n');

async function logOn(gateway: RunningGateway, compID: string, password: string) {
  const { port } = gateway.engine.addresses[0]!;
  const fix = await openFix(port, { senderCompID: compID, targetCompID: 'GATE' });
  onTestFinished(() => fix.destroy());
  fix.send(`35=A|98=0|108=30|554=${password}`);
  return fix;
}

function allow(gateway: RunningGateway, compID: string): void {
  writeFileSync(join(gateway.stateDirectory, 'secrets', `${compID}.password`), `pw-${compID}\n`, { mode: 0o600 });
}

test('a counterparty with a secret trades on its own account; a reload changes made sessions', async () => {
  const gateway = await runningGateway({ 'CLIENTS.yaml': TEMPLATE });
  allow(gateway, 'ACME');
  const stranger = await logOn(gateway, 'NOBODY', 'pw-NOBODY');
  await stranger.expectClosed();
  expect(stranger.received).toEqual([]);
  const fix = await logOn(gateway, 'ACME', 'pw-ACME');
  expect((await fix.next()).msgType).toBe('A');
  const order = (clOrdID: string, account: string): string =>
    `35=D|11=${clOrdID}|1=${account}|55=BTCUSDC|54=1|38=2|40=2|44=50000|59=1|60=20260105-12:00:00.000`;
  const answerTo = async (clOrdID: string, account: string): Promise<string | null> => {
    fix.send(order(clOrdID, account));
    return (await fix.expect('a report', (view) => view.string(Tag.ClOrdID) === clOrdID)).string(Tag.ExecType);
  };
  expect(await answerTo('t-1', 'ACME')).not.toBe('8');
  expect(await answerTo('t-2', ACCOUNT)).toBe('8');

  const { body } = await gateway.ask('/api/sessions');
  const shown = (body.sessions as { name: string; template: string | null }[]).map(({ name, template }) => [
    name,
    template,
  ]);
  expect(shown).toEqual([
    ['CLIENTS:ACME', 'CLIENTS'],
    ['OMS', null],
  ]);
  gateway.folder.write('sessions/CLIENTS.yaml', TEMPLATE.replace('orderQtyMax: "10"', 'orderQtyMax: "1"'));
  expect((await gateway.ask('/api/configuration/apply', {})).body).toMatchObject({
    ok: true,
    changes: { changed: [{ name: 'CLIENTS' }, { name: 'CLIENTS:ACME' }], retired: [], unchanged: 1 },
  });
  expect(await answerTo('t-3', 'ACME')).toBe('8');
  expect(fix.closed).toBe(false);
});

test("S9 a drop copy naming a template receives its sessions' orders only", async () => {
  const copying = sessionFile('COPY').replace(/limits:.*\n/, 'kind: dropCopy\ndropCopy: { sessions: [CLIENTS] }\n');
  const gateway = await runningGateway({ 'CLIENTS.yaml': TEMPLATE, 'COPY.yaml': copying });
  allow(gateway, 'ACME');
  const copy = await gateway.logOn('COPY');
  const fix = await logOn(gateway, 'ACME', 'pw-ACME');
  fix.send('35=D|11=t-1|1=ACME|55=BTCUSDC|54=1|38=2|40=2|44=50000|59=1|60=20260105-12:00:00.000');
  const told = await copy.expect('a copy', (view) => view.string(Tag.ClOrdID) === 't-1');
  expect([told.string(Tag.CopyMsgIndicator), told.string(Tag.Account)]).toEqual(['Y', ACCOUNT]);
});

const OWN = '111000000000002';

/** A template with sessions on an account of their own; null: the one that their CompIDs name. */
const templateOn = (account: string | null): string =>
  TEMPLATE.replace(`, tradingAccount: "${ACCOUNT}"`, account === null ? '' : `, tradingAccount: "${account}"`);

test.each([
  ['named by the template', OWN, 'ACME'],
  ['that the Logon names', null, OWN],
])(
  'J3 an account %s is compared with the exchange before the first Logon, and then trades',
  async (_, account, compID) => {
    const gateway = await runningGateway({ 'CLIENTS.yaml': templateOn(account) });
    allow(gateway, compID);
    expect(gateway.engine.gateway.isReconciled(OWN)).toBe(true);
    const fix = await logOn(gateway, compID, `pw-${compID}`);
    expect((await fix.next()).msgType).toBe('A');
    fix.send(`35=D|11=t-1|1=${compID}|55=BTCUSDC|54=1|38=2|40=2|44=50000|59=1|60=20260105-12:00:00.000`);
    const report = await fix.expect('a report', (view) => view.string(Tag.ClOrdID) === 't-1');
    expect(report.string(Tag.ExecType)).not.toBe('8');
  },
);

test('keeps a session that a Logon makes during an application', async () => {
  const { engine, folder } = await runningGateway({ 'CLIENTS.yaml': TEMPLATE });
  // A version not spoken yet: its dictionary is read from the disk first.
  folder.write('sessions/NEW.yaml', `${sessionFile('NEW')}beginString: FIX.4.2\n`);
  const applying = engine.administration.applySessions(folder.load().config!.sessions, 'ann');
  const made = admitSession(engine, newcomer(engine, 'FIX.4.4:GATE->ACME')!);
  const { added, retired } = await applying;
  expect(added.map(({ name }) => name)).toEqual(['NEW']);
  expect(retired).toEqual([]);
  expect(made.enabled).toBe(true);
});

test('logs out a session with a removed file that a template makes, in bounded places', async () => {
  const gateway = await runningGateway({ 'CLIENTS.yaml': TEMPLATE.replace('Max: 5', 'Max: 1') });
  const fix = await gateway.logOn('OMS');
  gateway.folder.write('sessions/OTHER.yaml', sessionFile('OTHER'));
  rmSync(join(gateway.folder.path, 'sessions', 'OMS.yaml'));
  const { body } = await gateway.ask('/api/configuration/apply', {});
  expect(body.text).toContain('CLIENTS:OMS changed: OMS was removed: it is made from CLIENTS now.');
  const logout = await fix.expect('the Logout', (view) => view.msgType === '5');
  expect(logout.string(Tag.Text)).toBe('This session was removed from the configuration');
  fix.send('35=5');
  await fix.expectClosed();
  const before = readFileSync(join(gateway.stateDirectory, 'secrets', 'oms.password'), 'utf8').trim();
  await (await logOn(gateway, 'OMS', before)).expectClosed();
  allow(gateway, 'ACME');
  const acme = await logOn(gateway, 'ACME', 'pw-ACME');
  expect((await acme.next()).msgType).toBe('A');
  allow(gateway, 'OMS');
  // It proves itself, and its numbers have gone on.
  const again = await logOn(gateway, 'OMS', 'pw-OMS');
  expect((await again.next()).string(Tag.Text)).toContain('MsgSeqNum too low');
  allow(gateway, 'THIRD');
  await (await logOn(gateway, 'THIRD', 'pw-THIRD')).expectClosed();
  expect(gateway.engine.alarms.map(({ alarm }) => alarm)).toContain('template-exhausted');
});

test('a session that connects to its counterparty can be removed beside a template that fits its name', async () => {
  const hub = `${sessionFile('HUB')}role: initiator\nconnect: { addresses: ["127.0.0.1:1"], reconnectFirstMs: 60000 }\n`;
  const gateway = await runningGateway({ 'CLIENTS.yaml': TEMPLATE, 'HUB.yaml': hub });
  rmSync(join(gateway.folder.path, 'sessions', 'HUB.yaml'));
  expect((await gateway.ask('/api/configuration/apply', {})).body).toMatchObject({
    ok: true,
    changes: { changed: [], retired: [{ name: 'HUB', detail: 'FIX.4.4:GATE->HUB' }], unchanged: 1 },
  });
});

test("advises a file for a template's session, and how to disable it for good", async () => {
  const gateway = await runningGateway({ 'CLIENTS.yaml': TEMPLATE });
  allow(gateway, 'ACME');
  (await logOn(gateway, 'ACME', 'pw-ACME')).destroy();
  await expect.poll(() => gateway.engine.administration.session('CLIENTS:ACME')).not.toBeNull();
  const { body } = await gateway.ask('/api/sessions/CLIENTS:ACME/disable', { why: 'drill' });
  expect(body.text).toMatch(/; for good: take its secret away, or give it a file of its own with enabled: false\.$/);
  gateway.folder.write('sessions/ACME.yaml', sessionFile('ACME', '7'));
  const apply = async (): Promise<unknown> => (await gateway.ask('/api/configuration/apply', {})).body.text;
  expect(await apply()).toMatch(
    /^ACME changed: its file is sessions\/ACME\.yaml now: accounts\[0\]\.account limits\.orderQtyMax password\. /,
  );
  gateway.folder.write('sessions/RENAMED.yaml', sessionFile('ACME', '7'));
  rmSync(join(gateway.folder.path, 'sessions', 'ACME.yaml'));
  expect(await apply()).toBe('RENAMED changed: its file is sessions/RENAMED.yaml now. 1 session unchanged.');
});

test('gives the session names of a template named instead of a session', async () => {
  const gateway = await runningGateway({ 'CLIENTS.yaml': TEMPLATE });
  const detail = expect.stringMatching(/^"CLIENTS" is a template and no session; .* CLIENTS:COUNTERPARTY/);
  expect(await gateway.ask('/api/sessions/CLIENTS')).toMatchObject({ status: 404, body: { detail } });
  const disabling = await gateway.ask('/api/sessions/CLIENTS/disable', { why: 'drill' });
  expect(disabling).toMatchObject({ status: 404, body: { detail } });
});

test('J3 the account of a template that is taken over at run time is compared with the exchange then', async () => {
  const gateway = await runningGateway();
  expect(gateway.engine.gateway.isReconciled(OWN)).toBe(false);
  gateway.folder.write('sessions/CLIENTS.yaml', templateOn(OWN));
  await gateway.ask('/api/configuration/apply', {});
  await expect.poll(() => gateway.engine.gateway.isReconciled(OWN), { interval: 5 }).toBe(true);
  allow(gateway, 'ACME');
  const fix = await logOn(gateway, 'ACME', 'pw-ACME');
  expect((await fix.next()).msgType).toBe('A');
});

test('reports and audits an added, changed or removed template without sessions', async () => {
  const gateway = await runningGateway();
  const apply = async (): Promise<unknown> => (await gateway.ask('/api/configuration/apply', {})).body.text;
  gateway.folder.write('sessions/CLIENTS.yaml', TEMPLATE);
  expect(await apply()).toBe('CLIENTS added: a template: it makes sessions from now on. 1 session unchanged.');
  gateway.folder.write('sessions/CLIENTS.yaml', TEMPLATE.replace('templateSessionsMax: 5', 'templateSessionsMax: 6'));
  expect(await apply()).toBe('CLIENTS changed: templateSessionsMax, for sessions that it makes. 1 session unchanged.');
  rmSync(join(gateway.folder.path, 'sessions', 'CLIENTS.yaml'));
  expect(await apply()).toBe('CLIENTS retired: a template: it makes no more. 1 session unchanged.');
  expect(gateway.logged.filter((line) => line.includes('audit: configuration: session'))).toHaveLength(3);
});

describe('a template', () => {
  const problemsOf = (text: string): string[] =>
    configurationFolder({ 'CLIENTS.yaml': text })
      .load()
      .problems.map(({ key, problem }) => `${key}: ${problem}`);

  test('is for any counterparty, and nothing else is', () => {
    expect(problemsOf(`${SESSION.replace('OMS', 'OTHER')}template: true\n`)).toEqual([
      'targetCompID: a template is for any counterparty',
    ]);
    expect(problemsOf(SESSION.replace('OMS', '"*"'))).toEqual([
      'targetCompID: `*` stands for any counterparty, which only a template has',
    ]);
  });

  test('with one secret for all is taken with a warning', () => {
    const { config, warnings } = configurationFolder({
      'CLIENTS.yaml': `${SESSION.replace('OMS', '"*"')}template: true\n`,
    }).load();
    expect(config).not.toBeNull();
    expect(warnings.find(({ key }) => key === 'password')?.problem).toContain('the same secret');
  });

  test('makes templates with AcceptorTemplate=Y only if no session names its counterparty', () => {
    const { sessions, problems } = readQuickfixCfg(
      `[DEFAULT]\nConnectionType=acceptor\nAcceptorTemplate=Y\nBeginString=FIX.4.4\nSenderCompID=GATE\nPassword=x
[SESSION]\nTargetCompID=*\n[SESSION]\nTargetCompID=BANZAI\n`,
      'a.cfg',
    );
    expect(problems).toEqual([]);
    const [template, one] = sessions.map(({ file }) => file.values as Record<string, unknown>);
    expect(template).toMatchObject({ template: true, password: 'file:secrets/{compID}.password' });
    expect([one!.template, one!.password]).toEqual([undefined, 'file:secrets/BANZAI.password']);
  });

  test('reads AcceptorTemplate=Y and DynamicSession=Y as a template', () => {
    for (const setting of ['AcceptorTemplate', 'DynamicSession']) {
      const { sessions, problems } = readQuickfixCfg(
        `[SESSION]\nConnectionType=acceptor\n${setting}=Y\nBeginString=FIX.4.4\nSenderCompID=GATE\nTargetCompID=*\nPassword=x\n`,
        'a.cfg',
      );
      expect(problems).toEqual([]);
      expect(sessions[0]!.name).toBe('TEMPLATE');
      expect(sessions[0]!.file.values).toMatchObject({
        template: true,
        targetCompID: '*',
        password: 'file:secrets/{compID}.password',
      });
    }
  });
});
