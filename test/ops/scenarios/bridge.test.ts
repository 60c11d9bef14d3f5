// The bridge in gateway.yaml: who may call, and what is wrong with it, said at once.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureDemoSecrets } from '../../../src/ops/whole-ops.ts';
import { createSelfSignedCertificate } from '../../../src/transport/mod.ts';
import { configurationFolder, GATEWAY, inShort, SESSION, secretText } from '../configuration-folder.ts';

const CALLER = '    - { name: desk, token: "file:desk.token", tradingAccounts: ["111"], functions: [accounts, amm] }\n';
const withBridge = (text: string, gateway = GATEWAY) => configurationFolder({ 'gateway.yaml': `${gateway}${text}` });

test('without a word of it there is no bridge', () => {
  expect(configurationFolder().load().config?.bridge).toBeNull();
});

test('a caller has its token by reference, its accounts and its functions', () => {
  const { config, problems } = withBridge(`bridge:\n  enabled: true\n  callers:\n${CALLER}`).load();
  expect(problems).toEqual([]);
  expect(config?.bridge).toMatchObject({
    host: '127.0.0.1',
    port: 8460,
    callers: [{ name: 'desk', credential: 'primary', tradingAccountIds: ['111'], functions: ['accounts', 'amm'] }],
    limits: { bodyBytesMax: 1_048_576, requestsPerTokenMax: 32 },
  });
});

test('B1 the functions that may be given do not contain orders, transfers or custody', () => {
  const text = CALLER.replace('accounts, amm', 'transfer');
  expect(inShort(withBridge(`bridge:\n  enabled: true\n  callers:\n${text}`).load())).toEqual([
    expect.stringMatching(/bridge\.callers\[0\]\.functions\[0\]: must be one of: market-data/),
  ]);
});

test('O12 permits negotiated trades only on accounts with covering limits', () => {
  const negotiator = CALLER.replace('accounts, amm', 'otc-write');
  const check = (limits: string) =>
    inShort(
      withBridge(`${limits}bridge:\n  enabled: true\n  callers:\n${CALLER}${negotiator.replace('desk,', 'b,')}`).load(),
    );
  const of = (keys: string): string => `orders:\n  accountLimits:\n    - { tradingAccount: "111"${keys} }\n`;
  const refused = [
    expect.stringContaining(
      'bridge.callers[1].tradingAccounts[0]: no limit weighs the negotiated trades of this account',
    ),
  ];
  // Neither counts orders that are open, nor weighs a price band what is traded.
  for (const none of ['', of(''), of(', openOrdersMax: 5'), of(', priceBandPercent: "10"')]) {
    expect(check(none), none).toEqual(refused);
  }
  for (const some of [of(', orderQtyMax: "5"'), of(', notionalMax: "100000"')]) expect(check(some), some).toEqual([]);
});

test('reports an unknown account or credential, a duplicate name and a taken port', () => {
  const callers = [
    CALLER,
    CALLER.replace('"111"', '"333"'),
    CALLER.replace('desk,', 'other, credential: primry,'),
  ].join('');
  const loaded = withBridge(`bridge:\n  enabled: true\n  port: 9876\n  callers:\n${callers}`).load();
  expect(inShort(loaded).map((line) => line.replace(/^\S+ /, ''))).toEqual([
    'fix.listen[0].port: 127.0.0.1:9876 is used twice: by the bridge too',
    'bridge.callers[1].name: two callers have this name',
    'bridge.callers[1].tradingAccounts[0]: credential primary does not reach this account',
    'bridge.callers[2].credential: there is no such credential',
  ]);
});

test('a bridge without callers is a problem; one reachable in the clear a warning', () => {
  expect(inShort(withBridge('bridge:\n  enabled: true\n').load())).toEqual([
    expect.stringContaining('bridge.callers: the bridge has no callers'),
  ]);
  const { warnings } = withBridge(`bridge:\n  enabled: true\n  host: 0.0.0.0\n  callers:\n${CALLER}`).load();
  expect(warnings).toMatchObject([{ key: 'bridge.host' }]);
});

test('X5 creates its token at the first start beside the simulator, owner-only, and keeps it', async () => {
  const folder = withBridge(`bridge:\n  enabled: true\n  callers:\n${CALLER}`);
  const { config } = folder.load();
  const path = join(folder.path, 'state', 'desk.token');
  expect(await ensureDemoSecrets(config!, createSelfSignedCertificate)).toContain(path);
  const token = readFileSync(path, 'utf8');
  expect(token).toMatch(/^[\w-]{24}\n$/);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await ensureDemoSecrets(config!, createSelfSignedCertificate)).toEqual([]);
  expect(readFileSync(path, 'utf8')).toBe(token);
});

test('a token that nothing will create must be there', () => {
  const gateway = GATEWAY.replace('embedded: true', 'embedded: false')
    .replace(/ {4}- name: tls[\s\S]*?\n(?=exchange)/, '')
    .replace('exchange:\n', 'exchange:\n  baseUrl: https://exchange.example\n  environment: test\n');
  const folder = withBridge(`bridge:\n  enabled: true\n  callers:\n${CALLER}`, gateway);
  for (const name of ['key.json', 'oms.password']) folder.write(`state/${name}`, secretText(name));
  expect(inShort(folder.load())).toEqual([
    expect.stringContaining('bridge.callers[0].token: the secret file:desk.token'),
  ]);
});

test('a token that the start would refuse is a problem of its caller before, and says nothing of itself', () => {
  const callers = ['short', 'first', 'second', 'blank'].map((name) => CALLER.replaceAll('desk', name)).join('');
  const folder = withBridge(`bridge:\n  enabled: true\n  callers:\n${callers}`);
  folder.write('state/short.token', 'a-short-one\n');
  for (const name of ['first', 'second']) folder.write(`state/${name}.token`, `${'same'.repeat(6)}\n`);
  folder.write('state/blank.token', 'long enough, but it has blanks in it\n');
  const loaded = folder.load();
  expect(inShort(loaded).map((line) => line.replace(/^\S+ /, ''))).toEqual([
    'bridge.callers[0].token: a token of the bridge must have 24 to 1024 printable characters',
    'bridge.callers[2].token: this token of the bridge is the same as another one',
    'bridge.callers[3].token: a token of the bridge must have 24 to 1024 printable characters',
  ]);
  expect(JSON.stringify(loaded.problems)).not.toMatch(/a-short-one|samesame|long enough/);
});

test('check warns that others reach an embedded simulator, but not its control, beyond loopback', () => {
  const warningsWith = (simulator: string): string[] => {
    const text = GATEWAY.replace('simulator:\n  embedded: true\n', `simulator: ${simulator}\n`);
    const folder = configurationFolder({ 'gateway.yaml': text, 'OMS.yaml': SESSION });
    return folder
      .load()
      .warnings.filter(({ key }) => key === 'simulator.host')
      .map(({ problem }) => problem);
  };
  expect(warningsWith('{ embedded: true, port: 0 }')).toEqual([]);
  expect(warningsWith('{ embedded: true, port: 0, host: 0.0.0.0 }')).toEqual([
    expect.stringMatching(/^others can reach .* its control endpoint stays with callers from this machine/),
  ]);
  expect(warningsWith('{ embedded: false, host: 0.0.0.0 }')).toEqual([]);
});
