// Which sessions share a credential or an account, and so a partition.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinsInWords, partitionsInWords, partitionsOf } from '../../../src/cluster/partitions/partition.ts';
import { partitionConfig, partitionFolder } from '../../../src/cluster/partitions/partition-config.ts';
import { renewableFiles } from '../../../src/ops/configuration/renewable-secrets.ts';
import { sessionName } from '../../../src/runtime/mod.ts';
import { configurationFolder, GATEWAY, inShort, SESSION, secretText } from '../../ops/configuration-folder.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';

/** Credentials `primary` (111, 222), `second` (333) and `third` (444). */
const CREDENTIALS = GATEWAY.replace(
  'simulator:\n',
  `    - name: second
      key: file:second.json
      tradingAccounts: ["333"]
    - name: third
      key: file:third.json
      tradingAccounts: ["444"]
simulator:
`,
);

/** A session of that counterparty on these accounts, each `account credential`. */
function session(targetCompID: string, ...accounts: string[]): string {
  const list = accounts.map((one) => {
    const [account, credential] = one.split(' ');
    return `  - account: "${account}"\n    credential: ${credential}\n`;
  });
  return SESSION.replace('OMS', targetCompID).replace(/accounts:\n.*\n/, `accounts:\n${list.join('')}`);
}

function loadedConfig(files: Readonly<Record<string, string>>) {
  const folder = configurationFolder({
    'gateway.yaml': CREDENTIALS,
    'OMS.yaml': session('OMS', '111 primary'),
    ...files,
  });
  for (const name of ['key.json', 'second.json', 'third.json', 'oms.password', 'desk.token']) {
    folder.write(`state/${name}`, secretText(name).replace('x', 'x'.repeat(24)).replace('"p"', `"${name}"`));
  }
  const loaded = folder.load();
  expect(inShort(loaded)).toEqual([]);
  return loaded.config!;
}

const partitions = (files: Readonly<Record<string, string>>) => partitionsOf(loadedConfig(files));

test('sessions of different credentials are partitions of their own', () => {
  const found = partitions({ 'DESK.yaml': session('DESK', '333 second') });
  expect(found).toEqual([
    { name: 'primary', credentials: ['primary'], accounts: ['111'], sessions: ['OMS'], bridgeCallers: [] },
    { name: 'second', credentials: ['second'], accounts: ['333'], sessions: ['DESK'], bridgeCallers: [] },
  ]);
  expect(partitionsInWords(found)).toEqual([
    'partition primary, 1 of 2: sessions OMS; credential primary; accounts 111',
    'partition second, 2 of 2: sessions DESK; credential second; accounts 333',
  ]);
});

test('a session with two credentials joins the sessions of both, and is named', () => {
  const config = loadedConfig({
    'DESK.yaml': session('DESK', '333 second'),
    'FUND.yaml': session('FUND', '444 third'),
    'ALL.yaml': session('ALL', '222 primary', '333 second'),
  });
  const found = partitionsOf(config);
  expect(found.map(({ sessions }) => sessions)).toEqual([['ALL', 'DESK', 'OMS'], ['FUND']]);
  expect(found[0]).toMatchObject({ credentials: ['primary', 'second'], accounts: ['111', '222', '333'] });
  expect(joinsInWords(config)).toEqual([
    expect.stringMatching(/^session ALL joins the credentials primary, second in one partition/),
  ]);
});

test('a session joins the credential of the bridge caller that its requests act for', () => {
  const caller = `bridge:
  enabled: true
  callers:
    - name: desk
      token: file:desk.token
      credential: second
      tradingAccounts: ["333"]
      functions: [market-data]
simulator:
`;
  const files = {
    'gateway.yaml': CREDENTIALS.replace('simulator:\n', caller),
    'FUND.yaml': session('FUND', '444 third'),
  };
  expect(partitions(files)).toMatchObject([
    { name: 'primary', sessions: ['OMS'] },
    { name: 'second', sessions: [], bridgeCallers: ['desk'] },
    { name: 'third', sessions: ['FUND'] },
  ]);
  const joined = partitions({ ...files, 'FUND.yaml': `${session('FUND', '444 third')}bridgeCaller: desk\n` });
  expect(joined.map(({ name }) => name)).toEqual(['primary', 'second']);
  expect(joined[1]).toMatchObject({ credentials: ['second', 'third'], sessions: ['FUND'], bridgeCallers: ['desk'] });
});

test('a drop copy session belongs to the partition of its accounts', () => {
  const copy = session('EVERY', '333 second').replace(/limits:[\s\S]*/, 'kind: dropCopy\n');
  const found = partitions({ 'DESK.yaml': session('DESK', '333 second'), 'EVERY.yaml': copy });
  expect(found.map(({ sessions }) => sessions)).toEqual([['OMS'], ['DESK', 'EVERY']]);
});

test('the configuration of a partition has its sessions, credentials and a journal of its own', () => {
  const config = loadedConfig({ 'DESK.yaml': session('DESK', '333 second') });
  const [, second] = partitionsOf(config);
  const part = partitionConfig(config, second!);
  expect(part.sessions.map(sessionName)).toEqual(['DESK']);
  expect(part.exchange.credentials.map(({ name }) => name)).toEqual(['second']);
  expect(part.stateDirectory).toBe(partitionFolder(config.stateDirectory, 'second'));
  expect(renewableFiles({ config: part, admin: null })).not.toContainEqual(
    expect.stringContaining(part.stateDirectory),
  );
  // Secrets stay in the state folder of the node.
  expect(part.exchange.credentials[0]!.key.read()).toContain('second.json');
});

test('partitions of random configurations: members of two share no credential and no account', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const account = fc.record({ credential: name, tradingAccountId: fc.constantFrom('1', '2', '3', '4', '5', '6') });
  checkProperty(
    fc.property(fc.array(fc.array(account, { maxLength: 3 }), { maxLength: 8 }), (drawn) => {
      const sessions = drawn.map((accounts, at) => ({
        source: `S${at}.yaml`,
        gateway: { sessionId: `S${at}`, accounts: accounts.map((one) => ({ account: '', ...one })) },
      }));
      const found = partitionsOf({ sessions, exchange: { credentials: [] }, bridge: null } as never);
      expect(found.flatMap((one) => one.sessions).sort()).toEqual(sessions.map((_, at) => `S${at}`).sort());
      for (const of of ['credentials', 'accounts'] as const) {
        const all = found.flatMap((one) => one[of]);
        expect(new Set(all).size).toBe(all.length);
      }
      expect(new Set(found.map((one) => one.name)).size).toBe(found.length);
    }),
  );
});
