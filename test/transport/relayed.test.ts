// Connections that another process relays: the header with the client's address and its proofs, and who is believed.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { LIMITS_DEFAULT } from '../../src/transport/mod.ts';
import { parseProxyHeader } from '../../src/transport/proxy-protocol.ts';
import {
  listenRelayed,
  type RelayedConnection,
  type RelayFacts,
  relayFactsIn,
  relayHeader,
} from '../../src/transport/relayed.ts';
import { checkProperty } from '../support/random/seeded-property.ts';

const FACTS: RelayFacts = {
  remoteAddress: '192.0.2.7',
  remotePort: 40_001,
  listener: 'tls',
  id: '12',
  partition: null,
  tls: {
    protocol: 'TLSv1.3',
    cipher: 'TLS_AES_128_GCM_SHA256',
    peerCommonName: 'oms.example',
    peerCertificateFingerprint: 'AA:BB:CC',
  },
};
/** Of PP2_TYPE_SSL: behind the fixed part and both addresses stand two extensions before it. */
const VERIFY_AT = 16 + 12 + 3 + 2 + 3 + 3 + 3 + 1;

test('a header brings address, listener and certificate facts back as they were', () => {
  const address = fc.oneof(fc.ipV4(), fc.constantFrom('::1', '2001:db8::5', 'fe80::1:2:3:4', '1:2:3:4:5:6:7:8'));
  const tls = fc.option(
    fc.record({
      protocol: fc.constantFrom('TLSv1.2', 'TLSv1.3'),
      cipher: fc.string({ maxLength: 40 }),
      peerCommonName: fc.option(fc.string({ unit: 'binary', maxLength: 60 })),
      peerCertificateFingerprint: fc.constantFrom('AA:BB', 'CC:DD'),
    }),
  );
  const name = fc.string({ unit: 'grapheme', maxLength: 40 });
  const all = fc.record({
    remoteAddress: address,
    remotePort: fc.nat(65_535),
    listener: name,
    id: name,
    partition: fc.option(name),
    tls,
  });
  checkProperty(
    fc.property(all, (facts) => {
      const header = relayHeader(facts);
      expect(relayFactsIn(header)).toEqual(facts);
      expect(parseProxyHeader(header)).toMatchObject({ kind: 'header', length: header.length });
    }),
  );
});

test('a certificate that was not verified proves nothing', () => {
  const header = relayHeader(FACTS);
  expect(header.readUInt32BE(VERIFY_AT)).toBe(0);
  header.writeUInt32BE(1, VERIFY_AT);
  const { tls } = relayFactsIn(header)!;
  expect(tls).toMatchObject({ peerCommonName: null, peerCertificateFingerprint: null });
});

test('a header cut short, or without our extensions, is no relay', () => {
  const header = relayHeader(FACTS);
  for (let length = 0; length < header.length; length++) expect(relayFactsIn(header.subarray(0, length))).toBeNull();
  const bare = Buffer.concat([header.subarray(0, 28)]);
  bare.writeUInt16BE(12, 14);
  expect(relayFactsIn(bare)).toBeNull();
  expect(relayFactsIn(Buffer.from('PROXY TCP4 192.0.2.7 127.0.0.1 40001 1\r\n'))).toBeNull();
});

test('a relayed connection begins behind its header, in chunks of any size; one without a header is ended', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'crossgate-relay-')), 'r.sock');
  const found: RelayedConnection[] = [];
  const listener = await listenRelayed(path, { headerTimeoutMs: 1_000, limits: LIMITS_DEFAULT }, (one) =>
    found.push(one),
  );
  onTestFinished(async () => {
    await listener.close();
    rmSync(dirname(path), { recursive: true });
  });
  const client = connect(path);
  const bytes = Buffer.concat([relayHeader(FACTS), Buffer.from('8=FIX')]);
  for (const byte of bytes) client.write(Uint8Array.of(byte));
  await expect.poll(() => found.length).toBe(1);
  const [{ connection, facts }] = found as [RelayedConnection];
  expect(facts).toEqual(FACTS);
  expect(connection.tls).toEqual(FACTS.tls);
  let came = '';
  connection.onChunk = (chunk) => {
    came += chunk.toString();
    if (came === '8=FIX.4.4') connection.send(Buffer.from('answer'));
  };
  client.write('.4.4');
  const [answer] = (await once(client, 'data')) as [Buffer];
  expect(`${answer}`).toBe('answer');
  client.destroy();
  const stranger = connect(path);
  stranger.write('8=FIX.4.4');
  await once(stranger, 'close');
  expect(found).toHaveLength(1);
});
