// What is shown over TLS, looked at by `crossgate check` before anybody connects: pairs, names, purposes.

import { execFileSync } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
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

test('a key that wants a passphrase is told as that: nobody is there to give it', async () => {
  const folder = await folderWithPairs();
  const key = createPrivateKey(readFileSync(join(folder.path, 'state', 'tls.key')));
  const locked = { format: 'pem', cipher: 'aes-256-cbc', passphrase: 'a passphrase' } as const;
  for (const type of ['pkcs8', 'sec1'] as const) {
    folder.write('state/tls.key', String(key.export({ type, ...locked })));
    expect(found(folder).problems).toEqual([
      expect.stringContaining('the private key in file:tls.key is encrypted, and nobody is asked for its passphrase'),
    ]);
  }
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
  test('that says what it serves for serves for that', async () => {
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
