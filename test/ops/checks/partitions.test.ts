// Which sessions share a credential or an account, and so a partition.

import { expect, test } from 'vitest';
import { partitionsInWords, partitionsOf } from '../../../src/ops/checks/partitions.ts';
import { configurationFolder, GATEWAY, inShort, SESSION, secretText } from '../configuration-folder.ts';

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

function partitions(files: Readonly<Record<string, string>>) {
  const folder = configurationFolder({
    'gateway.yaml': CREDENTIALS,
    'OMS.yaml': session('OMS', '111 primary'),
    ...files,
  });
  for (const name of ['key.json', 'second.json', 'third.json', 'oms.password']) {
    folder.write(`state/${name}`, secretText(name).replace('"p"', `"${name}"`));
  }
  const loaded = folder.load();
  expect(inShort(loaded)).toEqual([]);
  return partitionsOf(loaded.config!);
}

test('sessions of different credentials are partitions of their own', () => {
  const found = partitions({ 'DESK.yaml': session('DESK', '333 second') });
  expect(found).toEqual([
    { credentials: ['primary'], accounts: ['111'], sessions: ['OMS'], dropCopies: [] },
    { credentials: ['second'], accounts: ['333'], sessions: ['DESK'], dropCopies: [] },
  ]);
  expect(partitionsInWords(found)).toEqual([
    'partition 1 of 2: sessions OMS; credential primary; accounts 111',
    'partition 2 of 2: sessions DESK; credential second; accounts 333',
  ]);
});

test('a session with two credentials joins the sessions of both', () => {
  const found = partitions({
    'DESK.yaml': session('DESK', '333 second'),
    'FUND.yaml': session('FUND', '444 third'),
    'ALL.yaml': session('ALL', '222 primary', '333 second'),
  });
  expect(found.map(({ sessions }) => sessions)).toEqual([['ALL', 'DESK', 'OMS'], ['FUND']]);
  expect(found[0]).toMatchObject({ credentials: ['primary', 'second'], accounts: ['111', '222', '333'] });
});

test('a drop copy session joins nothing: it is listed with each partition that it copies', () => {
  const copy = (name: string, sessions: string): string =>
    session(name, '111 primary').replace(/limits:[\s\S]*/, `kind: dropCopy\n${sessions}`);
  const found = partitions({
    'DESK.yaml': session('DESK', '333 second'),
    'EVERY.yaml': copy('EVERY', ''),
    'ONE.yaml': copy('ONE', 'dropCopy: { sessions: [DESK] }\n'),
  });
  expect(found.map(({ dropCopies }) => dropCopies)).toEqual([['EVERY'], ['EVERY', 'ONE']]);
  expect(partitionsInWords(found)[1]).toMatch(/accounts 333; drop copies to EVERY, ONE$/);
});
