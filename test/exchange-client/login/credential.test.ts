import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSigner, type SignerSettings } from '../../../src/exchange-client/login/credential.ts';
import type { Credential } from '../../../src/exchange-client/options.ts';

const NOW = 1_700_000_000_000;
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const PUBLIC_PEM = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const ECDSA = {
  kind: 'ecdsa' as const,
  publicKey: PUBLIC_PEM.replace(/\n/g, '\r\n'),
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  metadata: Buffer.from(JSON.stringify({ publicKey: 'p', userId: '222', accountId: 'a', credentialId: 'c' })).toString(
    'base64',
  ),
};
const HMAC: Credential = { kind: 'hmac', publicKey: 'P', secret: 'test-secret-0123456789' };
const SETTINGS: SignerSettings = { prehash: 'hexdigest', loginUserId: 'both' };
const verifies = (text: string, signature: string): boolean =>
  verify('sha256', Buffer.from(text), publicKey, Buffer.from(signature, 'base64'));

test('X1 prehash hexdigest signs the 64 hex characters, none the string itself', async () => {
  const hex = createHash('sha256').update('text').digest('hex');
  const settings = { loginUserId: 'both' } as const;
  const literal = await createSigner(ECDSA, { ...settings, prehash: 'hexdigest' }).sign('text');
  const raw = await createSigner(ECDSA, { ...settings, prehash: 'none' }).sign('text');
  expect([verifies(hex, literal), verifies('text', literal)]).toEqual([true, false]);
  expect([verifies(hex, raw), verifies('text', raw)]).toEqual([false, true]);
});

test('X1 X4 the ECDSA login signs the payload itself, with the userId of the metadata at both places', async () => {
  const login = await createSigner(ECDSA, { prehash: 'hexdigest', loginUserId: 'both' }).login(NOW);
  const body = JSON.parse(login.body ?? '');
  expect(body).toMatchObject({ publicKey: PUBLIC_PEM.trim(), userId: '222', loginPayload: { userId: '222' } });
  expect(verifies(JSON.stringify(body.loginPayload), body.signature)).toBe(true);
  const payloadOnly = await createSigner(ECDSA, { prehash: 'hexdigest', loginUserId: 'payload' }).login(NOW);
  expect(JSON.parse(payloadOnly.body ?? '')).not.toHaveProperty('userId');
});

test('the HMAC key signs as in the published vectors', async () => {
  const signer = createSigner(HMAC, SETTINGS);
  expect((await signer.login(NOW)).headers).toMatchObject({
    'bx-nonce': '1700000000',
    'bx-signature': '85e37369e77809548d63b614382fe98d7e5ebc1b0721eaacfee9e6f63eb53f19',
  });
});

test('X3 the nonce of an HMAC login rises each time, also within a second and after a clock correction', async () => {
  const signer = createSigner(HMAC, SETTINGS);
  const times = [NOW, NOW + 1, NOW + 2, NOW + 1_000, NOW + 5_000, NOW + 4_000, NOW - 86_400_000];
  const logins = await Promise.all(times.map((at) => signer.login(at)));
  const nonces = logins.map(({ headers }) => headers['bx-nonce']);
  const first = NOW / 1000;
  expect(nonces.map((nonce) => Number(nonce) - first)).toEqual([0, 1, 2, 3, 5, 6, -86_400]);
});

test('a key that cannot be used is refused by name, its text never quoted', () => {
  const settings = { prehash: 'hexdigest', loginUserId: 'both' } as const;
  const other = generateKeyPairSync('ec', { namedCurve: 'secp384r1' });
  const wrongCurve = other.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  expect(() => createSigner({ ...ECDSA, privateKey: 'hidden-text' }, settings)).toThrow(/no PEM private key/);
  expect(() => createSigner({ ...ECDSA, privateKey: 'hidden-text' }, settings)).not.toThrow(/hidden-text/);
  expect(() => createSigner({ ...ECDSA, privateKey: wrongCurve }, settings)).toThrow(/P-256/);
  expect(() => createSigner({ ...ECDSA, metadata: 'bm90IEpTT04=' }, settings)).toThrow(/userId/);
});
