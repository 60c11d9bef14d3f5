// `crossgate sessions secret`: what is written, what is printed, what is refused.

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SessionSetup } from '../../../src/engine/config.ts';
import { publicKeyOf } from '../../../src/engine/logon/logon-signature.ts';
import { hashPassword } from '../../../src/engine/logon/password-hash.ts';
import { Passwords } from '../../../src/engine/logon/passwords.ts';

const MAIN = join(import.meta.dirname, '../../../src/cli/main.ts');
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crossgate-secret-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function secret(args: readonly string[], input = ''): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const all = [MAIN, 'sessions', 'secret', '--folder', folder, ...args];
    const child = execFile(process.execPath, all, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` });
    });
    child.stdin?.end(input);
  });
}

const isRight = (hash: string, password: string): Promise<boolean> =>
  new Passwords(null, Date.now).verify(
    { session: { sessionId: 's' }, password: { reference: 'x', read: () => hash } } as unknown as SessionSetup,
    password,
  );

test('the command that the page names for a template writes where that template reads', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/operate/templates.md'), 'utf8');
  const [, reference = ''] = /^password: file:(\S+)/m.exec(page) ?? [];
  const [, into = ''] = /^crossgate sessions secret NORTH --folder \.crossgate\/(\S+)$/m.exec(page) ?? [];
  expect(into).not.toBe('');
  const { code } = await secret(['FUND_1', '--folder', join(folder, into)]);
  expect(code).toBe(0);
  expect(statSync(join(folder, reference.replace('{compID}', 'FUND_1'))).isFile()).toBe(true);
});

test('a drawn password and its hash, for the owner only; no secret is printed; nothing is overwritten', async () => {
  const { code, output } = await secret(['ACME']);
  expect(code).toBe(0);
  const [hashPath, clearPath] = [join(folder, 'ACME.password'), join(folder, 'ACME.password.handover')];
  const [hash, clear] = [readFileSync(hashPath, 'utf8').trim(), readFileSync(clearPath, 'utf8').trim()];
  expect(await isRight(hash, clear)).toBe(true);
  expect(await isRight(hash, `${clear}x`)).toBe(false);
  for (const path of [hashPath, clearPath]) {
    expect(output).toContain(path);
    expect(statSync(path).mode & 0o077).toBe(0);
  }
  expect(output).not.toContain(clear);
  expect(output).not.toContain(hash);
  const again = await secret(['ACME']);
  expect(again.code).toBe(2);
  expect(readFileSync(hashPath, 'utf8').trim()).toBe(hash);
});

test('names paths relative to the state folder, or whole outside of it', async () => {
  const inside = await secret(['ACME', '--state', join(folder, '..')]);
  expect(inside.output).toContain(`password: file:${basename(folder)}/ACME.password\n`);
  const outside = await secret(['ED', '--kind', 'ed25519', '--state', join(folder, 'state')]);
  expect(outside.output).toContain(`logon.signature.key: file:${join(folder, 'ED.public.pem')}\n`);
});

test('without --state uses the folder of gateway.yaml, though sessions lack the secret', async () => {
  const { sessions, state } = { sessions: join(folder, 'sessions'), state: join(folder, 'elsewhere') };
  mkdirSync(sessions);
  const gateway = `state: ${state}
fix: { listen: [{ name: plain, port: 0 }] }
simulator: { embedded: true, port: 0 }
exchange: { credentials: [{ name: primary, key: "file:secrets/demo.json", tradingAccounts: ["111000000000001"] }] }
`;
  writeFileSync(join(sessions, 'gateway.yaml'), gateway);
  const signature = '{ signature: { algorithm: ed25519, key: "file:secrets/ED.public.pem" } }';
  writeFileSync(join(sessions, 'ED.yaml'), `senderCompID: GATE\ntargetCompID: ED\nlogon: ${signature}\n`);
  const { CROSSGATE_STATE: _, ...environment } = process.env;
  const env = { ...environment, CROSSGATE_SESSIONS: sessions };
  const args = [MAIN, 'sessions', 'secret', 'ED', '--kind', 'ed25519'];
  const output = await promisify(execFile)(process.execPath, args, { env, cwd: folder });
  expect(output.stdout).toContain('logon.signature.key: file:secrets/ED.public.pem\n');
  expect(readFileSync(join(state, 'secrets', 'ED.public.pem'), 'utf8')).toContain('PUBLIC KEY');
});

test('a chosen password is hashed from standard input, and a name that is a path is refused', async () => {
  expect((await secret(['B', '--stdin'], 'chosen by a person\n')).code).toBe(0);
  expect(await isRight(readFileSync(join(folder, 'B.password'), 'utf8').trim(), 'chosen by a person')).toBe(true);
  expect((await secret(['../D'])).code).toBe(2);
  // Two lines of a file, and what a field of FIX cannot hold.
  for (const text of ['first password\nsecond password\n', 'with\u0001SOH in it'])
    expect(await secret(['C', '--stdin'], text)).toEqual({ code: 2, output: expect.stringContaining('is one line') });
});

test('the same chosen password again renews a hash of an old cost, another one leaves the file alone', async () => {
  const path = join(folder, 'OLD.password');
  const old = await hashPassword('chosen by a person', 14);
  writeFileSync(path, `${old}\n`, { mode: 0o600 });
  expect((await secret(['OLD', '--stdin'], 'chosen by another\n')).code).toBe(2);
  expect(readFileSync(path, 'utf8').trim()).toBe(old);
  expect((await secret(['OLD', '--stdin'], 'chosen by a person\n')).code).toBe(0);
  const renewed = readFileSync(path, 'utf8').trim();
  expect(renewed).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$/);
  expect([await isRight(renewed, 'chosen by a person'), statSync(path).mode & 0o077]).toEqual([true, 0]);
});

test('a key pair for signed logons', async () => {
  expect((await secret(['F', '--kind', 'ecdsa-p256', '--json'])).code).toBe(0);
  expect(publicKeyOf(readFileSync(join(folder, 'F.public.pem'), 'utf8'), 'ecdsa-p256')).not.toBeNull();
});

test('--replace makes a new password, and the old one is right for the stated time', async () => {
  await secret(['ACME']);
  const [hashPath, clearPath] = [join(folder, 'ACME.password'), join(folder, 'ACME.password.handover')];
  const old = readFileSync(clearPath, 'utf8').trim();
  const { code, output } = await secret(['ACME', '--replace', '--old-valid-hours', '2']);
  expect(code).toBe(0);
  const fresh = readFileSync(clearPath, 'utf8').trim();
  expect(fresh).not.toBe(old);
  const until = /the old one is valid until (\S+)/.exec(output)?.[1] ?? '';
  expect(Math.abs(Date.parse(until) - Date.now() - 2 * 3_600_000)).toBeLessThan(60_000);
  expect(output).not.toContain(fresh);
  const text = readFileSync(hashPath, 'utf8').trimEnd();
  for (const password of [old, fresh]) expect(await isRight(text, password)).toBe(true);
  expect(statSync(hashPath).mode & 0o777).toBe(0o600);
  const gone = await secret(['ACME', '--replace', '--old-valid-hours', '0']);
  expect(gone.output).toContain('the old one is not valid any more');
  expect(await isRight(readFileSync(hashPath, 'utf8').trimEnd(), fresh)).toBe(false);
});

test('--replace refuses what is not there', async () => {
  const { code, output } = await secret(['ACME', '--replace']);
  expect(code).not.toBe(0);
  expect(output).toMatch(/there is no .*ACME\.password to replace/);
});
