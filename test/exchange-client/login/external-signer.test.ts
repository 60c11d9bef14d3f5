// A private key outside the process: real commands sign orders of a real client at the simulated exchange, openssl as any program
// would and pkcs11-tool with a token of SoftHSM. A failing signer refuses the order with its reason; nothing has left then.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { signerFault } from '../../../src/exchange-client/login/credential.ts';
import type { Credential, SignerPlace } from '../../../src/exchange-client/mod.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { describeWith, tool } from '../../support/requirement.ts';
import { cancelOf, limitBuy, openVenue, type Venue } from '../venue.ts';

/** Not commands of any package. */
const [OPENSSL, PKCS11_TOOL, SOFTHSM]: string[] = ['openssl', 'pkcs11-tool', 'softhsm2-util'];
const MODULE = '/usr/lib/softhsm/libsofthsm2.so';
type EcdsaCredential = Extract<Credential, { kind: 'ecdsa' }>;

let venue: Venue;
beforeAll(async () => {
  venue = await openVenue();
});
afterAll(() => venue.close());

function key(): EcdsaCredential {
  const found = venue.credential('demo-ecdsa');
  if (found.kind !== 'ecdsa') throw new Error('the demo key is ECDSA');
  return found;
}

const outside = (signer: SignerPlace): EcdsaCredential => ({ ...key(), privateKey: '', signer });

/** The private key in a file of its own, for a command that is not this process. */
function keyFile(pem = key().privateKey): string {
  const folder = mkdtempSync(join(tmpdir(), 'crossgate-signer-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'key.pem');
  writeFileSync(file, pem, { mode: 0o600 });
  return file;
}

const exec = (command: readonly string[], timeoutMs = 5_000): SignerPlace => ({
  kind: 'exec',
  command,
  input: 'message',
  timeoutMs,
});

/** A busy machine signs slowly: no order of a burst is to be refused for its age. */
const PATIENT = { orderWaitMs: 20_000, requestMs: 10_000 };

/** A program of our own for what no tool does. */
const program = (code: string, ...args: string[]): string[] => [process.execPath, '-e', code, ...args];

/** The outcome of one order through a client with that key. */
async function outcomeWith(credential: Credential, reference: string) {
  const { client, alarms } = venue.connect({ credential });
  await client.start();
  const outcome = await client.submit(reference, limitBuy(reference));
  return { outcome, alarms };
}

describe('a command that signs', () => {
  test('logs in and signs an order, in DER and as r and s in base64', async () => {
    const der = exec([OPENSSL!, 'dgst', '-sha256', '-sign', keyFile()]);
    expect((await outcomeWith(outside(der), '901')).outcome.kind).toBe('accepted');
    const code = `const c=require('node:crypto'),f=require('node:fs');const k=c.createPrivateKey(f.readFileSync(process.argv[1]));
      process.stdout.write('vault:v1:'+c.sign('sha256',f.readFileSync(0),{key:k,dsaEncoding:'ieee-p1363'}).toString('base64')+'\\n')`;
    expect((await outcomeWith(outside(exec(program(code, keyFile()))), '902')).outcome.kind).toBe('accepted');
  });

  test.each([
    ['is not there', ['/nowhere/sign'], /ENOENT/],
    ['fails', ['false'], /false ended with code 1/],
    ['writes no signature', ['echo', 'hello'], /wrote no ECDSA signature/],
    ['writes without end', ['cat', '/dev/zero'], /wrote more than 16384 bytes/],
  ])('check finds a signer that %s', async (_, command, reason) => {
    expect(await signerFault(outside(exec(command, PATIENCE_MS)))).toMatch(reason);
  });

  test('check finds a signer that hangs', async () => {
    expect(await signerFault(outside(exec(['sleep', '60'], 200)))).toMatch(/no signature within 200 ms/);
  });

  test('check finds a signer with another key, and none with the right one', async () => {
    const pem = execFileSync(OPENSSL!, ['ecparam', '-name', 'prime256v1', '-genkey', '-noout']).toString();
    const sign = (file: string): SignerPlace => exec([OPENSSL!, 'dgst', '-sha256', '-sign', file]);
    expect(await signerFault(outside(sign(keyFile(pem))))).toMatch(/not of the public key of the credential/);
    expect(await signerFault(outside(sign(keyFile())))).toBeNull();
  });

  test('that fails after the login refuses the order with its reason and an alarm; nothing has left', async () => {
    const file = keyFile();
    const { client, alarms } = venue.connect({
      credential: outside(exec([OPENSSL!, 'dgst', '-sha256', '-sign', file])),
    });
    await client.start();
    rmSync(file);
    const outcome = await client.submit('903', limitBuy('903'));
    expect(outcome).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('the signer of the exchange key'),
    });
    expect(alarms).toContain('signer-failed');
    writeFileSync(file, key().privateKey, { mode: 0o600 });
    const again = await client.submit('904', limitBuy('904'));
    expect(again.kind).toBe('accepted');
  });

  test('runs a bounded number of times at once, and every order of a burst is signed', async () => {
    const credential = outside(exec([OPENSSL!, 'dgst', '-sha256', '-sign', keyFile()]));
    const { client } = venue.connect({ credential, timeouts: PATIENT });
    await client.start();
    const results = await Promise.all(
      Array.from({ length: 30 }, (_unused, at) => {
        const reference = String(1_000 + at);
        return client.submit(reference, limitBuy(reference));
      }),
    );
    expect(results.filter(({ kind }) => kind !== 'accepted')).toEqual([]);
  });

  test('C3 a cancel waits behind no order that waits for the signer, only behind those being signed', async () => {
    const slow = exec(['sh', '-c', `sleep 0.2; exec ${OPENSSL} dgst -sha256 -sign ${keyFile()}`]);
    const { client } = venue.connect({ credential: outside(slow), timeouts: PATIENT });
    await client.start();
    expect((await client.submit('2000', limitBuy('2000'))).kind).toBe('accepted');
    let answered = 0;
    const orders = Array.from({ length: 24 }, async (_unused, at) => {
      const reference = String(2_001 + at);
      const { kind } = await client.submit(reference, limitBuy(reference));
      answered++;
      return kind;
    });
    const cancel = await client.submit('c2000', cancelOf('2000'));
    expect(cancel.kind).toBe('accepted');
    // Eight are signed at once; as many may overtake while a busy machine signs the cancel.
    expect(answered).toBeLessThanOrEqual(16);
    expect(new Set(await Promise.all(orders))).toEqual(new Set(['accepted']));
  });

  test('times each signature from its own start, not from the wait for a place', async () => {
    const slow = exec(['sh', '-c', `sleep 0.6; exec ${OPENSSL} dgst -sha256 -sign ${keyFile()}`], 1_000);
    const { client } = venue.connect({ credential: outside(slow), timeouts: PATIENT });
    await client.start();
    const kinds = await Promise.all(
      Array.from({ length: 10 }, async (_unused, at) => {
        const reference = String(3_000 + at);
        return (await client.submit(reference, limitBuy(reference))).kind;
      }),
    );
    expect(new Set(kinds)).toEqual(new Set(['accepted']));
  });
});

const hsm = await tool(PKCS11_TOOL!, ['--module', MODULE, '--show-info'], 'pkcs11-tool (opensc) with SoftHSM');
const soft = await tool(SOFTHSM!, ['--version'], 'softhsm2');
describeWith(hsm.missing === null ? soft : hsm, 'a key on a PKCS #11 token', () => {
  test('signs orders through pkcs11-tool, and its PIN stands in no argument', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crossgate-hsm-'));
    const before = process.env.SOFTHSM2_CONF;
    onTestFinished(() => {
      if (before === undefined) delete process.env.SOFTHSM2_CONF;
      else process.env.SOFTHSM2_CONF = before;
      rmSync(folder, { recursive: true });
    });
    writeFileSync(join(folder, 'softhsm2.conf'), `directories.tokendir = ${folder}\nobjectstore.backend = file\n`);
    process.env.SOFTHSM2_CONF = join(folder, 'softhsm2.conf');
    const run = (...args: string[]): void => void execFileSync(SOFTHSM!, args, { stdio: 'ignore' });
    run('--init-token', '--free', '--label', 'gateway', '--pin', '1234', '--so-pin', '5678');
    run('--import', keyFile(), '--token', 'gateway', '--label', 'exchange', '--id', '01', '--pin', '1234');
    const place = {
      kind: 'pkcs11',
      module: MODULE,
      tokenLabel: 'gateway',
      keyLabel: 'exchange',
      timeoutMs: 5_000,
    } as const;
    expect(await signerFault(outside({ ...place, pin: '1234' }))).toBeNull();
    expect(await signerFault(outside({ ...place, pin: '9999' }))).toMatch(/pkcs11-tool ended with code 1/);
    expect((await outcomeWith(outside({ ...place, pin: '1234' }), '905')).outcome.kind).toBe('accepted');
  });
});
