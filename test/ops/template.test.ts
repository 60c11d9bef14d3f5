// A session file with `template: true` on the running gateway: counterparties trade without a file of their own, are shown
// as made from it, and are there again after a restart; what is wrong with such a file is said.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readQuickfixCfg } from '../../src/ops/quickfix-cfg.ts';
import { Tag } from '../../src/wire/mod.ts';
import { openFix } from '../support/fix-connection.ts';
import { configurationFolder, SESSION } from './configuration-folder.ts';
import { ACCOUNT, type RunningGateway, runningGateway, sessionFile } from './running-gateway.ts';

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

test('a counterparty with a secret trades on its own account; without one nothing is made; a reload changes what was made', async () => {
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

test('J3 the account of a session that a Logon made, which no other session has, is compared with the exchange and then trades', async () => {
  const own = '111000000000002';
  const gateway = await runningGateway({
    'CLIENTS.yaml': TEMPLATE.replace(`tradingAccount: "${ACCOUNT}"`, `tradingAccount: "${own}"`),
  });
  allow(gateway, 'ACME');
  expect(gateway.engine.gateway.isReconciled(own)).toBe(false);
  const fix = await logOn(gateway, 'ACME', 'pw-ACME');
  expect((await fix.next()).msgType).toBe('A');
  await vi.waitFor(() => expect(gateway.engine.gateway.isReconciled(own)).toBe(true), { timeout: 20_000, interval: 5 });
  fix.send('35=D|11=t-1|1=ACME|55=BTCUSDC|54=1|38=2|40=2|44=50000|59=1|60=20260105-12:00:00.000');
  const report = await fix.expect('a report', (view) => view.string(Tag.ClOrdID) === 't-1');
  expect(report.string(Tag.ExecType)).not.toBe('8');
});

test('what becomes of a template that has made no session yet is told and audited: added, changed, removed', async () => {
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

  test('is what AcceptorTemplate=Y and DynamicSession=Y mean', () => {
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
