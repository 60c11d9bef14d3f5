// Secrets by reference, and what a first start creates.

import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { hashPassword } from '../../../src/engine/logon/password-hash.ts';
import { redactText } from '../../../src/ops/secrets/redaction.ts';
import { secretReference } from '../../../src/ops/secrets/secrets.ts';
import { ensureDemoSecrets } from '../../../src/ops/whole-ops.ts';
import type { EngineConfig } from '../../../src/runtime/mod.ts';
import { createSelfSignedCertificate } from '../../../src/transport/mod.ts';
import { configurationFolder, GATEWAY, SESSION, secretText } from '../configuration-folder.ts';

function sound(folder = configurationFolder()): EngineConfig {
  const { config, problems } = folder.load();
  expect(problems).toEqual([]);
  return config!;
}

describe('a secret reference', () => {
  test('reads a file relative to the state folder, without its last newline, each time anew', () => {
    const folder = configurationFolder();
    folder.write('state/a', 'one\n');
    const secret = secretReference('file:a', join(folder.path, 'state'), {});
    expect(secret.read()).toBe('one');
    folder.write('state/a', 'two\n\n');
    expect(secret.read()).toBe('two\n');
    expect(secretReference(`file:${folder.path}/state/a`, '/nowhere', {}).read()).toBe('two\n');
  });

  test('reads an environment variable', () => {
    expect(secretReference('env:P', '/', { P: 'x' }).read()).toBe('x');
  });

  test('prints as its reference, never as its value', () => {
    const secret = secretReference('env:P', '/', { P: 'hunter2' });
    expect(JSON.stringify({ secret })).toBe('{"secret":{"reference":"env:P"}}');
  });

  test.each([
    ['file:none', 'the secret file:none cannot be read: there is no file'],
    ['file:empty', 'the secret file:empty cannot be read: it is empty'],
    ['file:.', 'the secret file:. cannot be read: the file'],
    ['file:large', 'the secret file:large cannot be read: the file'],
    ['env:NONE', 'the secret env:NONE cannot be read: this environment variable is not set'],
  ])('%s that cannot be read says why, with XG_SECRET_MISSING', (reference, message) => {
    const folder = configurationFolder();
    folder.write('state/empty', '\n');
    folder.write('state/large', 'x'.repeat(65_537));
    folder.write('state/largest', 'x'.repeat(65_536));
    expect(secretReference('file:largest', join(folder.path, 'state'), {}).read()).toHaveLength(65_536);
    const secret = secretReference(reference, join(folder.path, 'state'), {});
    expect(() => secret.read()).toThrow(
      expect.objectContaining({ code: 'XG_SECRET_MISSING', message: expect.stringContaining(message) }),
    );
  });

  test('a password that is no hash, on a session that is to take NewPassword(925), is a warning', async () => {
    const folder = configurationFolder({ 'OMS.yaml': `${SESSION}logon:\n  newPasswordOverlapMs: 60000\n` });
    const found = () => folder.load().warnings.filter(({ problem }) => problem.includes('NewPassword(925)'));
    expect(found()).toEqual([]);
    folder.write('state/oms.password', 'in the clear');
    expect(found()).toMatchObject([{ key: 'password', problem: expect.stringContaining('only a hashed password') }]);
    folder.write('state/oms.password', await hashPassword('in the clear', 8));
    expect(found()).toEqual([]);
  });

  test('that others may read is a warning with the file, its mode and the command; a certificate is public', () => {
    const folder = configurationFolder();
    const file = join(folder.path, 'state', 'oms.password');
    folder.write('state/oms.password', 'x');
    folder.write('state/tls.crt', 'x');
    chmodSync(join(folder.path, 'state', 'tls.crt'), 0o644);
    expect(folder.load().warnings).toEqual([]);
    chmodSync(file, 0o640);
    const { warnings, problems } = folder.load();
    expect(problems).toEqual([]);
    expect(warnings).toMatchObject([
      {
        key: 'password',
        value: 'file:oms.password',
        problem: `others on this machine may read or change this secret; ${file} has mode 640`,
        remedy: `chmod 600 ${file}`,
      },
    ]);
    // The log, which hides what looks like a secret, leaves the sentence as it is.
    expect(redactText(warnings[0]!.problem)).toBe(warnings[0]!.problem);
  });

  test('of a database must be its address', () => {
    const store = 'store: { kind: postgres, url: "file:pg.url" }\n';
    const folder = configurationFolder({ 'gateway.yaml': `${GATEWAY}${store}` });
    for (const [address, refused] of [
      ['postgresql://user:hunter2@host:5432/crossgate', []],
      ['postgres:///crossgate?host=/run/postgresql', []],
      ['postgresql://user:hunter2@/crossgate?host=/run/postgresql', []],
      ['postgresql://user:hunter2@host:port/crossgate', ['store.url']],
      ['hunter2', ['store.url']],
      // A password with /, ? or # at the begin of an apparent database of another host.
      ['postgresql://user:/hunter2@host:5432/crossgate', ['store.url']],
      ['postgresql://user:12/hunter2@host:5432/crossgate', ['store.url']],
      ['postgresql://user:12#hunter2@host:5432/crossgate', ['store.url']],
      ['postgresql://user:12?hunter2@host:5432/crossgate', ['store.url']],
      ['postgresql://user:12%2Fhunter2@host:5432/crossgate', []],
      ['postgresql://host/crossgate?user=desk@x&password=hunter2', []],
      ['postgresql://user:hunter2@host:5432/my@base', []],
      ['postgresql://user:hunter2@one,two:5432/crossgate', ['store.url']],
      ['postgresql://user:hunter2@one:5432,two:5432/crossgate?target_session_attrs=read-write', ['store.url']],
    ] as const) {
      folder.write('state/pg.url', address);
      const { problems } = folder.load();
      expect(problems.map(({ key }) => key)).toEqual(refused);
      expect(JSON.stringify(problems)).not.toContain('hunter2');
      // The driver would look for one host of that name.
      if (address.includes('one')) expect(problems[0]?.problem).toMatch(/^it names several hosts; write the one/);
    }
  });

  test('of signatures and of TLS connections of our own must be there: nothing creates them', () => {
    const more = `role: initiator
connect:
  addresses: ["127.0.0.1:1"]
  tls: { authority: "file:house.crt", certificate: "file:ours.crt", key: "file:ours.key" }
logon:
  signature: { algorithm: ed25519, key: "file:sign.key" }
`;
    const folder = configurationFolder({ 'OMS.yaml': SESSION + more });
    expect(folder.load().problems.map(({ key }) => key)).toEqual([
      'connect.tls.authority',
      'connect.tls.certificate',
      'connect.tls.key',
      'logon.signature.key',
    ]);
    for (const name of ['house.crt', 'ours.crt', 'ours.key']) folder.write(`state/${name}`, 'x');
    const { privateKey } = generateKeyPairSync('ed25519');
    folder.write('state/sign.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    chmodSync(join(folder.path, 'state', 'ours.crt'), 0o644);
    chmodSync(join(folder.path, 'state', 'sign.key'), 0o644);
    const { problems, warnings } = folder.load();
    expect(problems).toEqual([]);
    expect(warnings.map(({ key }) => key)).toEqual(['logon.signature.key']);
  });

  test.each([
    ['an empty file of a password', 'oms.password', '\n', /file:oms\.password cannot be read: it is empty/],
    [
      'a broken hash',
      'oms.password',
      '$scrypt$ln=99,r=8,p=1$aaaa$bbbb',
      /begins like the hash of a password and is none/,
    ],
    ['another encoding', 'oms.password', Buffer.from('p\xe4ss', 'latin1'), /oms\.password is not UTF-8 text/],
    ['no JSON as an API key', 'key.json', 'BEGIN', /file:key\.json: this is not the JSON of an API key/],
    ['null as an API key', 'key.json', 'null', /file:key\.json: this is not the JSON of an API key/],
    ['a list as an API key', 'key.json', '[]', /"kind" must be "ecdsa" or "hmac"/],
    ['an API key of another kind', 'key.json', '{"kind":{"hmac":1}}', /"kind" must be "ecdsa" or "hmac"/],
    ['an API key without its secret', 'key.json', '{"kind":"hmac","publicKey":"p"}', /the API key has no "secret"/],
  ])(
    'of no use is a problem before the start, though a first start would create it: %s',
    (_, name, content, problem) => {
      const folder = configurationFolder();
      folder.write(`state/${name}`, '');
      writeFileSync(join(folder.path, 'state', name), content);
      const { problems } = folder.load();
      expect(problems).toHaveLength(1);
      expect(problems[0]!.problem).toMatch(problem);
      expect(JSON.stringify(problems)).not.toMatch(/BEGIN|ln=99/);
    },
  );

  test('of a signature must be a key for its algorithm; an initiator has the password itself, not its hash', () => {
    const signed = `${SESSION}logon: { signature: { algorithm: ed25519, key: "file:sign.pem" } }\n`;
    const folder = configurationFolder({
      'OMS.yaml': signed,
      'HUB.yaml': `${SESSION.replace('OMS', 'HUB').replace('oms.', 'hub.')}role: initiator\nconnect: { addresses: ["127.0.0.1:1"] }\n`,
    });
    folder.write('state/sign.pem', 'no key');
    folder.write('state/hub.password', `$scrypt$ln=10,r=8,p=1$${'a'.repeat(22)}$${'b'.repeat(43)}`);
    expect(folder.load().problems.map(({ file, problem }) => `${file}: ${problem}`)).toEqual([
      'sessions/HUB.yaml: this is the hash of a password; an initiator sends the password itself',
      'sessions/OMS.yaml: this is no public key for ed25519 in PEM',
    ]);
    // Written as `?` it would be refused with every Logon.
    folder.write('state/hub.password', '46 € a month');
    expect(folder.load().problems.map(({ file, problem }) => `${file}: ${problem}`)[0]).toBe(
      'sessions/HUB.yaml: this has characters that no Logon could say: control characters, or some beyond ISO 8859-1',
    );
  });

  test('in a file that begins with a byte order mark is read without it', () => {
    const folder = configurationFolder();
    folder.write('state/a', '\uFEFFone\r\n');
    expect(secretReference('file:a', join(folder.path, 'state'), {}).read()).toBe('one');
  });

  test('to an environment variable must be there even beside the simulated exchange: nothing creates it', () => {
    const { problems } = configurationFolder({ 'OMS.yaml': SESSION.replace('file:oms.password', 'env:PW') }).load();
    expect(problems).toMatchObject([{ key: 'password', value: 'env:PW', line: 3 }]);
  });
});

describe('X5 the first start', () => {
  test('creates passwords and the TLS pair for the owner only, and touches neither again', async () => {
    const config = sound();
    const created = await ensureDemoSecrets(config, createSelfSignedCertificate);
    const state = config.stateDirectory;
    expect(created).toEqual([join(state, 'oms.password'), join(state, 'tls.crt'), join(state, 'tls.key')]);
    for (const path of created) expect(statSync(path).mode & 0o777).toBe(0o600);
    const password = config.sessions[0]!.password!.read();
    expect(password).toMatch(/^[\w-]{24}$/);
    const { certificate, key } = config.listeners[1]!.tls!;
    expect(() => createSecureContext({ cert: certificate.read(), key: key.read() })).not.toThrow();
    const before = readFileSync(join(state, 'tls.crt'), 'utf8');
    expect(await ensureDemoSecrets(config, createSelfSignedCertificate)).toEqual([]);
    expect(config.sessions[0]!.password!.read()).toBe(password);
    expect(readFileSync(join(state, 'tls.crt'), 'utf8')).toBe(before);
  });

  test("removes a killed process's day-old drafts, and none possibly being written", async () => {
    const folder = configurationFolder({ 'OMS.yaml': SESSION.replace('file:oms', 'file:secrets/oms') });
    const config = sound(folder);
    const names = ['left.password.0123456789ab.draft', 'fresh.password.0123456789ab.draft', 'own.draft'];
    for (const name of names) folder.write(`state/secrets/${name}`, 'half a sec');
    for (const name of [names[0]!, names[2]!]) utimesSync(join(config.stateDirectory, 'secrets', name), 1, 1);
    await ensureDemoSecrets(config, createSelfSignedCertificate);
    expect(readdirSync(join(config.stateDirectory, 'secrets')).sort()).toEqual([names[1], 'oms.password', names[2]]);
  });

  test('leaves each secret whole or not at all, and both of a pair or none, whenever it is interrupted', async () => {
    const config = sound();
    const state = config.stateDirectory;
    const seen = new Set<string>();
    /** Leftovers of a process that ends now. */
    const left = (): string =>
      ['oms.password', 'tls.crt', 'tls.key']
        .filter((name) => existsSync(join(state, name)))
        .map((name) => `${name}${readFileSync(join(state, name), 'utf8').endsWith('\n') ? '' : ' in part'}`)
        .join(' ');
    const whileLooking = async (work: Promise<unknown>): Promise<void> => {
      let isOver = false;
      void work.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        seen.add(left());
        await new Promise((resolve) => setImmediate(resolve));
      }
      await work;
    };
    const soonOver: typeof createSelfSignedCertificate = (options) =>
      createSelfSignedCertificate({ ...options, validDays: 1, now: Date.now() - 3_600_000 });
    await whileLooking(ensureDemoSecrets(config, soonOver));
    expect([...seen]).toEqual(['', 'oms.password']);
    seen.clear();
    await whileLooking(ensureDemoSecrets(config, createSelfSignedCertificate));
    expect([...seen]).toEqual(['oms.password tls.crt tls.key']);
    expect(readdirSync(state).filter((name) => name.endsWith('.draft'))).toEqual([]);
  });

  test('makes a self-signed pair anew when it is about to expire', async () => {
    const config = sound();
    await ensureDemoSecrets(config, (options) =>
      createSelfSignedCertificate({ ...options, validDays: 1, now: Date.now() - 3_600_000 }),
    );
    expect(await ensureDemoSecrets(config, createSelfSignedCertificate)).toHaveLength(2);
    expect(await ensureDemoSecrets(config, createSelfSignedCertificate)).toEqual([]);
  });

  test('refuses half a pair rather than overwrite a key', async () => {
    const config = sound();
    await ensureDemoSecrets(config, createSelfSignedCertificate);
    const key = join(config.stateDirectory, 'tls.key');
    writeFileSync(key, 'mine');
    const certificate = join(config.stateDirectory, 'tls.crt');
    rmSync(certificate);
    await expect(ensureDemoSecrets(config, createSelfSignedCertificate)).rejects.toMatchObject({
      code: 'XG_TLS_INVALID',
    });
    expect(readFileSync(key, 'utf8')).toBe('mine');
  });

  test('creates nothing without the embedded simulated exchange', async () => {
    const folder = configurationFolder({
      'gateway.yaml': GATEWAY.replace('embedded: true', 'embedded: false')
        .replace(', selfSigned: true', '')
        .replace('exchange:\n', 'exchange:\n  baseUrl: https://exchange.example\n  environment: test\n'),
    });
    for (const name of ['key.json', 'oms.password', 'tls.crt', 'tls.key'])
      folder.write(`state/${name}`, secretText(name));
    const config = sound(folder);
    const password = join(config.stateDirectory, 'oms.password');
    rmSync(password);
    expect(await ensureDemoSecrets(config, createSelfSignedCertificate)).toEqual([]);
    expect(existsSync(password)).toBe(false);
  });
});
