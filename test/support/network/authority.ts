// A certificate authority for tests of client certificates, by openssl: certificates that it signs, and lists of those that it
// revoked.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface SignedPair {
  readonly cert: string;
  readonly key: string;
}

type Purpose = 'clientAuth' | 'serverAuth';

export interface Authority {
  readonly certificatePem: string;
  /** A certificate of a client. */
  sign(commonName: string, purpose?: Purpose): SignedPair;
  /** One with alternative names, such as `DNS:gateway.test,IP:127.0.0.1`, that holds for so many days; of -1 it has ended. */
  signFor(commonName: string, purpose: Purpose, names: string, days?: number): SignedPair;
  /** An authority that this one vouches for. */
  intermediate(name: string): Authority;
  /** A list that holds for a day from now; with `ended` it held until a day ago. */
  list(revoked: readonly SignedPair[], ended?: boolean): string;
}

/** Not a command of any package. */
const OPENSSL: string = 'openssl';
const CONFIG = `[ca]
default_ca = own
[own]
database = index.txt
default_md = sha256
`;
const P256 = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

export function authorityForTest(name = 'Authority of a test', above?: SignedPair): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'crossgate-authority-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const openssl = (...args: string[]): void => {
    execFileSync(OPENSSL, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  };
  const at = (file: string): string => join(folder, file);
  const read = (file: string): string => readFileSync(at(file), 'utf8');
  writeFileSync(at('own.cnf'), CONFIG);
  writeFileSync(at('index.txt'), '');
  const by = above === undefined ? [] : ['-CA', 'above.crt', '-CAkey', 'above.key'];
  if (above !== undefined) {
    writeFileSync(at('above.crt'), above.cert);
    writeFileSync(at('above.key'), above.key);
  }
  openssl('req', '-x509', ...P256, '-subj', `/CN=${name}`, ...by, '-days', '2', '-keyout', 'ca.key', '-out', 'ca.crt');
  const own = ['-config', 'own.cnf', '-cert', 'ca.crt', '-keyfile', 'ca.key'];
  let serial = 0;
  return {
    certificatePem: read('ca.crt'),
    sign(commonName, purpose = 'clientAuth') {
      serial++;
      const files = ['-keyout', `${serial}.key`, '-out', `${serial}.crt`];
      const of = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-set_serial', String(serial), '-days', '2'];
      const use = ['-addext', `extendedKeyUsage=${purpose}`, '-addext', 'basicConstraints=CA:FALSE'];
      openssl('req', '-x509', ...P256, '-subj', `/CN=${commonName}`, ...of, ...use, ...files);
      return { cert: read(`${serial}.crt`), key: read(`${serial}.key`) };
    },
    signFor(commonName, purpose, names, days = 2) {
      serial++;
      const ask = ['-addext', `subjectAltName=${names}`, '-addext', `extendedKeyUsage=${purpose}`];
      openssl(
        'req',
        ...P256,
        '-subj',
        `/CN=${commonName}`,
        ...ask,
        '-keyout',
        `${serial}.key`,
        '-out',
        `${serial}.csr`,
      );
      const of = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-set_serial', String(serial), '-days', String(days)];
      openssl('x509', '-req', '-in', `${serial}.csr`, ...of, '-copy_extensions', 'copy', '-out', `${serial}.crt`);
      return { cert: read(`${serial}.crt`), key: read(`${serial}.key`) };
    },
    intermediate: (below) => authorityForTest(below, { cert: read('ca.crt'), key: read('ca.key') }),
    list(revoked, ended = false) {
      for (const { cert } of revoked) {
        writeFileSync(at('revoked.crt'), cert);
        openssl('ca', ...own, '-revoke', 'revoked.crt');
      }
      const times = ended
        ? ['-crl_lastupdate', '20200101000000Z', '-crl_nextupdate', '20200102000000Z']
        : ['-crldays', '1'];
      openssl('ca', ...own, '-gencrl', ...times, '-out', 'list.crl');
      return read('list.crl');
    },
  };
}
