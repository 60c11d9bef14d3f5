// An exchange that takes no connection without a client certificate: a TLS end of its own stands before the simulated exchange,
// and counts what was let in. Login, reads, commands and streams all show the certificate.

import { createPrivateKey } from 'node:crypto';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { exchangeCheck } from '../../../src/exchange-client/mod.ts';
import { exchangeTls } from '../../../src/runtime/exchange/exchange-key.ts';
import { authorityForTest } from '../../support/network/authority.ts';
import { ACCOUNT, openVenue, type Venue } from '../venue.ts';

const authority = authorityForTest;

/** The address of a TLS end before the venue. */
async function behindTls(venue: Venue, parts: { key: string; cert: string; ca: string }): Promise<string> {
  const { hostname, port } = new URL(venue.simulator.url);
  const server = createServer({ ...parts, requestCert: true, rejectUnauthorized: true }, (socket) => {
    const beyond = connect(Number(port), hostname);
    socket.pipe(beyond).pipe(socket);
    socket.on('error', () => beyond.destroy());
    beyond.on('error', () => socket.destroy());
    onTestFinished(() => void socket.destroy());
  });
  server.on('tlsClientError', () => {});
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

test('shows a client certificate with login, reads, commands and streams, and sends none without it', async () => {
  const venue = await openVenue();
  onTestFinished(() => venue.close());
  const of = authority();
  const server = of.sign('localhost', 'serverAuth');
  const tls = { ...of.sign('crossgate'), ca: of.certificatePem };
  const baseUrl = await behindTls(venue, { ...server, ca: of.certificatePem });
  const check = (own: typeof tls | { ca: string }) =>
    exchangeCheck({
      baseUrl,
      tls: own,
      credential: venue.credential('demo-ecdsa'),
      tradingAccountId: ACCOUNT,
      now: () => venue.clock.now,
      retryAfterMs: 0,
    });
  const refused = await check({ ca: of.certificatePem });
  expect(refused).toMatchObject({ ok: false });
  expect(refused.steps).toHaveLength(1);
  const taken = await check(tls);
  // The simulated exchange takes the hex digest alone (rule X1).
  expect(taken.steps.filter(({ ok }) => !ok).map(({ step }) => step)).toEqual([
    'dialect v2, prehash none',
    'dialect v3, prehash none',
  ]);
  const { client, events } = venue.connect({ baseUrl, tls });
  await client.start();
  await expect
    .poll(() => events.filter((event) => event.kind === 'feed' && event.live).length)
    .toBeGreaterThanOrEqual(2);
});

test('a client certificate of another key is refused before anything connects, and the key is not quoted', () => {
  const of = authority();
  const [one, other] = [of.sign('one'), of.sign('other')];
  const secret = (reference: string, text: string) => ({ reference, read: () => text });
  const read = (key: string) =>
    exchangeTls({ tls: { cert: secret('file:c.pem', one.cert), key: secret('file:k.pem', key), ca: null } });
  expect(read(one.key)).toEqual(one);
  expect(() => read(other.key)).toThrow('exchange.tls: file:c.pem, file:k.pem are no certificate in PEM with its key');
  expect(() => read('nonsense')).toThrow(/are no certificate in PEM with its key/);
});

test('opens an encrypted client key by its passphrase, and reports a bad one unprinted', () => {
  const one = authority().sign('one');
  const secret = (reference: string, text: string) => ({ reference, read: () => text });
  const key = createPrivateKey(one.key);
  const locked = key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'hunter22' });
  const parts = { cert: secret('file:c.pem', one.cert), key: secret('file:k.pem', String(locked)), ca: null };
  const read = (passphrase: string | null) =>
    exchangeTls({ tls: { ...parts, passphrase: passphrase === null ? null : secret('env:WORD', passphrase) } });
  expect(createPrivateKey(read('hunter22').key!).equals(key)).toBe(true);
  expect(() => read('hunter23')).toThrow(/^the passphrase in env:WORD does not open the private key in file:k\.pem$/);
  expect(() => read(null)).toThrow('the private key in file:k.pem is encrypted: add `passphrase` beside it');
});
