// Certificates examined by `crossgate check` before clients connect: pairs, names, purposes.

import { execFileSync } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkCertificates } from '../../../src/ops/checks/certificate-check.ts';
import { createSelfSignedCertificate } from '../../../src/transport/mod.ts';
import { describeWith, tool } from '../../support/requirement.ts';
import { configurationFolder, type Folder, GATEWAY, SESSION } from '../configuration-folder.ts';

/** Not a command of any package. */
const OPENSSL: string = 'openssl';
const LISTENER = `fix:
  listen:
    - name: tls
      port: 9877
      tls:
        certificate: "file:tls.crt"
        key: "file:tls.key"
        names: [{ serverName: Fix.Example, certificate: "file:name.crt", key: "file:name.key" }]
`;
const HUB = `${SESSION.replace('OMS', 'HUB')}role: initiator
connect:
  addresses: ["127.0.0.1:1"]
  tls: { certificate: "file:ours.crt", key: "file:ours.key" }
`;

async function folderWithPairs(): Promise<Folder> {
  const gateway = GATEWAY.replace(/fix:[\s\S]*?(?=exchange:)/, LISTENER);
  const folder = configurationFolder({ 'gateway.yaml': gateway, 'HUB.yaml': HUB });
  folder.write('state/oms.password', 'x');
  for (const name of ['tls', 'name', 'ours']) {
    const { certificatePem, keyPem } = await createSelfSignedCertificate({ commonName: 'fix.example' });
    folder.write(`state/${name}.crt`, certificatePem);
    folder.write(`state/${name}.key`, keyPem);
  }
  return folder;
}

function found(folder: Folder, now = Date.now()): { readonly problems: string[]; readonly warnings: string[] } {
  const { problems, warnings } = checkCertificates(folder.load().config!, now);
  const [refused, allowed] = [problems, warnings].map((all) => all.map(({ file, problem }) => `${file}: ${problem}`));
  return { problems: refused!, warnings: allowed! };
}

test('certificates with their own keys, for the names that they are shown for, are nothing to look at', async () => {
  expect(found(await folderWithPairs())).toEqual({ problems: [], warnings: [] });
});

test('a key of another certificate is a problem of a listener, and a warning of a connection of ours', async () => {
  const folder = await folderWithPairs();
  const other = await createSelfSignedCertificate({ commonName: 'fix.example' });
  for (const name of ['tls', 'name', 'ours']) folder.write(`state/${name}.key`, other.keyPem);
  expect(found(folder)).toEqual({
    problems: [
      'listener tls: file:tls.key is not the key of the certificate in file:tls.crt',
      'listener tls, as Fix.Example: file:name.key is not the key of the certificate in file:name.crt',
    ],
    warnings: ['sessions/HUB.yaml: file:ours.key is not the key of the certificate in file:ours.crt'],
  });
  folder.write('state/tls.crt', 'nonsense');
  folder.write('state/name.key', readFileSync(join(folder.path, 'state', 'name.crt'), 'utf8'));
  expect(found(folder).problems).toEqual([
    'listener tls: in file:tls.crt is no certificate in PEM',
    'listener tls, as Fix.Example: in file:name.key is no private key in PEM that can be read',
  ]);
});

const LOCKED = { format: 'pem', cipher: 'aes-256-cbc', passphrase: 'hunter22' } as const;

function lock(folder: Folder, name: string, type: 'pkcs8' | 'sec1' = 'pkcs8'): void {
  const key = createPrivateKey(readFileSync(join(folder.path, 'state', `${name}.key`)));
  folder.write(`state/${name}.key`, String(key.export({ type, ...LOCKED })));
}

const said = (folder: Folder): string[] => {
  const { problems, warnings } = folder.load();
  return [...problems, ...warnings]
    .filter(({ key }) => key.includes('tls'))
    .map(({ key, problem, value }) => `${key} ${value}: ${problem}`);
};

test('an encrypted key without a passphrase is a problem wherever a key is read', async () => {
  const folder = await folderWithPairs();
  for (const name of ['tls', 'name', 'ours']) lock(folder, name, name === 'name' ? 'sec1' : 'pkcs8');
  const missing = 'is encrypted: add `passphrase` beside it, as `env:NAME` or `file:PATH`';
  expect(said(folder)).toEqual([
    `fix.listen[0].tls.key file:tls.key: the private key in file:tls.key ${missing}`,
    `fix.listen[0].tls.names[0].key file:name.key: the private key in file:name.key ${missing}`,
    `connect.tls.key file:ours.key: the private key in file:ours.key ${missing}`,
  ]);
});

test('a passphrase opens both encrypted key forms; wrong or missing ones are reported unprinted', async () => {
  const folder = await folderWithPairs();
  for (const name of ['tls', 'name', 'ours']) lock(folder, name, name === 'name' ? 'sec1' : 'pkcs8');
  const names = ['gateway.yaml', 'HUB.yaml'];
  for (const name of names) {
    const text = readFileSync(join(folder.path, 'sessions', name), 'utf8');
    folder.write(
      `sessions/${name}`,
      text
        .replaceAll(/key: ("file:\w+.key")/g, 'key: $1, passphrase: "file:word"')
        .replace(
          'key: "file:tls.key", passphrase: "file:word"',
          'key: "file:tls.key"\n        passphrase: "file:word"',
        ),
    );
  }
  folder.write('state/word', 'hunter22\n');
  expect(said(folder)).toEqual([]);
  expect(found(folder)).toEqual({ problems: [], warnings: [] });
  folder.write('state/word', 'hunter23');
  const wrong = said(folder);
  expect(wrong).toEqual([
    'fix.listen[0].tls.passphrase file:word: the passphrase in file:word does not open the private key in file:tls.key',
    'fix.listen[0].tls.names[0].passphrase file:word: the passphrase in file:word does not open the private key in file:name.key',
    'connect.tls.passphrase file:word: the passphrase in file:word does not open the private key in file:ours.key',
  ]);
  expect(JSON.stringify(folder.load().problems)).not.toContain('hunter');
  rmSync(join(folder.path, 'state', 'word'));
  expect(said(folder)).toEqual(
    ['fix.listen[0].tls', 'fix.listen[0].tls.names[0]', 'connect.tls'].map((at) =>
      expect.stringMatching(
        `^${at.replaceAll(/[[\].]/g, '\\$&')}.passphrase file:word: the secret file:word cannot be read`,
      ),
    ),
  );
});

test('a passphrase beside a key that is not encrypted is a warning, one without a key a problem', async () => {
  const folder = await folderWithPairs();
  folder.write('state/word', 'x');
  const hub = readFileSync(join(folder.path, 'sessions', 'HUB.yaml'), 'utf8');
  folder.write('sessions/HUB.yaml', hub.replace('"file:ours.key"', '"file:ours.key", passphrase: "file:word"'));
  expect(said(folder)).toEqual([
    'connect.tls.passphrase file:word: the private key beside this passphrase is not encrypted',
  ]);
  folder.write(
    'sessions/HUB.yaml',
    hub.replace('certificate: "file:ours.crt", key: "file:ours.key"', 'passphrase: "file:word"'),
  );
  expect(said(folder)).toEqual(['connect.tls.passphrase file:word: there is no key that it opens']);
});

test('a certificate for another name than it is shown for, or for later, is a warning', async () => {
  const folder = await folderWithPairs();
  const { certificatePem, keyPem } = await createSelfSignedCertificate({ commonName: 'other.example' });
  folder.write('state/name.crt', certificatePem);
  folder.write('state/name.key', keyPem);
  expect(found(folder).warnings).toEqual([
    expect.stringMatching(
      /as Fix\.Example: the certificate file:name\.crt is not for Fix\.Example, but for DNS:other\./,
    ),
  ]);
  const early = found(folder, Date.now() - 7_200_000).warnings;
  expect(early).toContainEqual(expect.stringMatching(/^listener tls: the certificate file:tls\.crt holds from 20/));
});

describeWith(await tool(OPENSSL, ['version'], 'openssl'), 'a certificate of an authority', () => {
  test('with stated purposes serves for those', async () => {
    const folder = await folderWithPairs();
    for (const [name, purpose] of [
      ['tls', 'clientAuth'],
      ['ours', 'serverAuth'],
    ]) {
      const at = (ending: string): string => join(folder.path, 'state', `${name}.${ending}`);
      const subject = ['-subj', '/CN=fix.example', '-addext', `extendedKeyUsage=${purpose}`];
      const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', at('key')];
      execFileSync(OPENSSL, ['req', '-x509', ...subject, ...key, '-out', at('crt')], { stdio: 'ignore' });
    }
    expect(found(folder)).toEqual({
      problems: [],
      warnings: [
        expect.stringMatching(/^listener tls: .* does not say that it may serve as that of a server/),
        expect.stringMatching(/^sessions\/HUB\.yaml: .* does not say that it may serve as that of a client/),
      ],
    });
  });
});
