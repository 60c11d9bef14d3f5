import { execFile, execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { reasonOf } from '../../src/transport/connection.ts';
import { connect, createSelfSignedCertificate, listen } from '../../src/transport/mod.ts';
import { temporaryDirectory } from '../store/journal-place.ts';
import { authorityForTest, type SignedPair } from '../support/network/authority.ts';
import { describeWith, tool } from '../support/requirement.ts';
import { closed, connectForTest, listenForTest, type Rig, raw, testCertificate, untilTestEnds } from './rig.ts';

const OPENSSL: string = 'openssl';
const LIMITS = { connectionsMax: 9, connectionsPerAddressMax: 9, handshakeTimeoutMs: 1000 };

describe('reports a failed open in words', () => {
  test('a port in use, an address of another machine, an unknown name', async () => {
    const { port } = await listenForTest();
    await expect(listen({ host: '127.0.0.1', port, ...LIMITS }, () => {})).rejects.toMatchObject({
      code: 'XG_LISTEN_FAILED',
      message: `cannot listen on 127.0.0.1:${port}: the port is in use by another process`,
    });
    await expect(listen({ host: '192.0.2.1', port: 0, ...LIMITS }, () => {})).rejects.toMatchObject({
      code: 'XG_LISTEN_FAILED',
      message: 'cannot listen on 192.0.2.1:0: this machine has no such address',
    });
  });

  test('a key that is none, and a key of another certificate, without a byte of the key in the message', async () => {
    const one = await testCertificate();
    const other = await createSelfSignedCertificate({ commonName: 'other.test' });
    for (const key of ['no key', other.keyPem]) {
      const error = await listen(
        { host: '127.0.0.1', port: 0, ...LIMITS, tls: { key, cert: one.certificatePem } },
        () => {},
      ).catch((caught: unknown) => caught as Error);
      expect(error).toMatchObject({ code: 'XG_TLS_INVALID' });
      expect((error as Error).message).not.toContain(key.slice(40, 80) || 'no key');
    }
  });

  test('a closed port, a silent address, an untrusted or misnamed certificate', async () => {
    const { listener, port } = await listenForTest();
    await listener.close();
    const base = { host: '127.0.0.1', connectTimeoutMs: 5000 };
    await expect(connect({ ...base, port })).rejects.toMatchObject({
      code: 'XG_CONNECT_FAILED',
      message: `cannot connect to 127.0.0.1:${port}: nothing listens there (connection refused)`,
    });
    const { keyPem, certificatePem } = await testCertificate();
    const secure = await listenForTest({ tls: { key: keyPem, cert: certificatePem } });
    await expect(connect({ ...base, port: secure.port, tls: {} })).rejects.toThrow(
      /: its certificate is self-signed, and not among those trusted here \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/,
    );
    const wrongName = { ca: certificatePem, serverName: 'another.test' };
    await expect(connect({ ...base, port: secure.port, tls: wrongName })).rejects.toThrow(/another\.test/);
    const plain = await listenForTest();
    await expect(
      connect({ ...base, port: plain.port, connectTimeoutMs: 100, tls: { ca: certificatePem } }),
    ).rejects.toThrow('no answer within 100 ms');
  });
});

describe('limits', () => {
  test('where all have logged on, one connection more is refused; when one ends there is room again', async () => {
    const rig = await listenForTest({ connectionsMax: 2 });
    await connectForTest(rig.port);
    const second = await connectForTest(rig.port);
    await Promise.all([rig.acceptedEnd(0), rig.acceptedEnd(1)]);
    for (const place of rig.places) place.proved();
    const third = raw(rig.port);
    await closed(third);
    expect(await rig.refusal()).toMatchObject({
      remoteAddress: '127.0.0.1',
      reason: '2 connections are open, the most this listener takes',
    });
    second.connection.close();
    await second.ends();
    await (await rig.acceptedEnd(1)).ends();
    await connectForTest(rig.port);
    await rig.acceptedEnd(2);
  });

  test('where all of an address have logged on, one connection more from there is refused', async () => {
    const rig = await listenForTest({ connectionsPerAddressMax: 1 });
    await connectForTest(rig.port);
    await rig.acceptedEnd();
    rig.places[0]!.proved();
    await closed(raw(rig.port));
    expect((await rig.refusal()).reason).toBe('1 connections from this address are open, the most this listener takes');
  });

  test('a TLS handshake that does not come within the limit ends the connection', async () => {
    const { keyPem, certificatePem } = await testCertificate();
    const rig = await listenForTest({ tls: { key: keyPem, cert: certificatePem }, handshakeTimeoutMs: 50 });
    await closed(raw(rig.port).resume());
    expect((await rig.refusal()).reason).toMatch(/handshake/);
    expect(rig.accepted).toHaveLength(0);
  });

  test('plain FIX on a TLS port is refused with a reason, and the listener lives on', async () => {
    const { keyPem, certificatePem } = await testCertificate();
    const rig = await listenForTest({ tls: { key: keyPem, cert: certificatePem } });
    const socket = raw(rig.port).resume();
    socket.write('8=FIX.4.4\x019=70\x0135=A\x01');
    await closed(socket);
    expect((await rig.refusal()).reason).toBe('TLS handshake failed: the other side does not speak TLS');
    const good = await connectForTest(rig.port, { tls: { ca: certificatePem } });
    good.connection.send(Buffer.from('x'));
    await (await rig.acceptedEnd()).receives('x');
  });

  test('closing the listener drops handshakes under way and leaves open connections alone', async () => {
    const { keyPem, certificatePem } = await testCertificate();
    const rig = await listenForTest({ tls: { key: keyPem, cert: certificatePem } });
    const open = await connectForTest(rig.port, { tls: { ca: certificatePem } });
    const server = await rig.acceptedEnd();
    const greeting = raw(rig.port);
    await once(greeting, 'connect');
    // The connection above may still wait to be accepted: one more round trip of the open one is later than that.
    open.connection.send(Buffer.from('ping'));
    await server.receives('ping');
    await rig.listener.close();
    greeting.resume();
    await closed(greeting);
    open.connection.send(Buffer.from('still here'));
    await server.receives('still here');
  });
});

describe('TLS', () => {
  test('a client certificate is asked for and shown; a client without one is refused', async () => {
    const { keyPem, certificatePem } = await testCertificate();
    const client = await createSelfSignedCertificate({ commonName: 'oms-1' });
    const tls = { key: keyPem, cert: certificatePem, ca: client.certificatePem, requestCert: true };
    const rig = await listenForTest({ tls });
    await connectForTest(rig.port, {
      tls: { ca: certificatePem, cert: client.certificatePem, key: client.keyPem },
    });
    const server = await rig.acceptedEnd();
    expect(server.connection.tls).toMatchObject({
      peerCommonName: 'oms-1',
      peerCertificateFingerprint: new X509Certificate(client.certificatePem).fingerprint256,
    });
    const without = tlsConnect({ host: '127.0.0.1', port: rig.port, ca: certificatePem });
    untilTestEnds(without);
    without.on('error', () => {});
    await closed(without.resume());
    expect((await rig.refusal()).reason).toMatch(/^TLS handshake failed: peer did not return a certificate \(/);
    expect(rig.accepted).toHaveLength(1);
  });

  test('a client certificate that does not hold is refused with the reason, by either version of TLS', async () => {
    const { keyPem, certificatePem } = await testCertificate();
    const own = await createSelfSignedCertificate({ commonName: 'oms-1' });
    const ended = await createSelfSignedCertificate({ commonName: 'oms-2', now: Date.UTC(2020, 0, 1), validDays: 1 });
    const stranger = await createSelfSignedCertificate({ commonName: 'oms-1' });
    const ca = `${own.certificatePem}\n${ended.certificatePem}`;
    const rig = await listenForTest({ tls: { key: keyPem, cert: certificatePem, ca, requestCert: true } });
    const refusals: string[] = [];
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      for (const client of [ended, stranger]) {
        const pair = { cert: client.certificatePem, key: client.keyPem };
        const socket = tlsConnect({ host: '127.0.0.1', port: rig.port, ca: certificatePem, maxVersion, ...pair });
        untilTestEnds(socket);
        socket.on('error', () => {});
        await closed(socket.resume());
        refusals.push((await rig.refusal(refusals.length)).reason);
      }
    }
    const reasons = [
      'it has ended (CERT_HAS_EXPIRED)',
      'it is self-signed, and not among those trusted here (DEPTH_ZERO_SELF_SIGNED_CERT)',
    ].map((why) => `the client's certificate is refused: ${why}`);
    expect(refusals).toEqual([...reasons, ...reasons]);
    expect(rig.refused).toHaveLength(4);
  });

  test('versions below the minimum are refused', async () => {
    const { keyPem, certificatePem } = await testCertificate();
    const rig = await listenForTest({ tls: { key: keyPem, cert: certificatePem, minVersion: 'TLSv1.3' } });
    const old = tlsConnect({ host: '127.0.0.1', port: rig.port, ca: certificatePem, maxVersion: 'TLSv1.2' });
    untilTestEnds(old);
    old.on('error', () => {});
    await closed(old.resume());
    expect((await rig.refusal()).reason).toBe(
      'TLS handshake failed: the other side speaks no version of TLS that is taken here: `tls.minVersion` (ERR_SSL_UNSUPPORTED_PROTOCOL)',
    );
  });

  test('TLS 1.2 has forward secrecy and no CBC by default; TLS 1.3 always', async () => {
    const { keyPem, certificatePem } = await testCertificate();
    const pair = { key: keyPem, cert: certificatePem };
    const spoken = async (port: number, ciphers?: string): Promise<string> => {
      const old = ciphers === undefined ? {} : ({ ciphers, maxVersion: 'TLSv1.2' } as const);
      const client = tlsConnect({ host: '127.0.0.1', port, ca: certificatePem, ...old });
      untilTestEnds(client);
      return await new Promise((resolve) => {
        client.on('error', () => resolve('refused')).on('secureConnect', () => resolve(client.getCipher().name));
      });
    };
    const strict = await listenForTest({ tls: pair });
    expect(await spoken(strict.port, 'ECDHE-ECDSA-AES128-SHA256')).toBe('refused');
    expect((await strict.refusal()).reason).toBe(
      'TLS handshake failed: the other side offers no cipher suite that goes with our certificate and `tls.ciphers` (ERR_SSL_NO_SHARED_CIPHER)',
    );
    expect(await spoken(strict.port, 'ECDHE-ECDSA-AES128-GCM-SHA256')).toBe('ECDHE-ECDSA-AES128-GCM-SHA256');
    const wide = await listenForTest({ tls: { ...pair, ciphers: 'ECDHE+AESGCM:ECDHE-ECDSA-AES128-SHA256' } });
    expect(await spoken(wide.port, 'ECDHE-ECDSA-AES128-SHA256')).toBe('ECDHE-ECDSA-AES128-SHA256');
    for (const { port } of [strict, wide]) {
      expect(await spoken(port)).toBe('TLS_AES_256_GCM_SHA384');
    }
  });

  test('the self-signed certificate has its names, validity, key and signature', async () => {
    const now = Date.UTC(2026, 0, 2, 3, 4, 5);
    const { keyPem, certificatePem } = await createSelfSignedCertificate({
      commonName: 'gateway.example',
      alternativeNames: ['10.1.2.3', 'fe80::1:2'],
      validDays: 10,
      now,
    });
    const certificate = new X509Certificate(certificatePem);
    expect(certificate.subject).toBe('CN=gateway.example');
    expect(certificate.subjectAltName).toBe(
      'DNS:gateway.example, IP Address:10.1.2.3, IP Address:FE80:0:0:0:0:0:1:2, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    );
    expect(new Date(certificate.validFrom).getTime()).toBe(now - 3_600_000);
    expect(new Date(certificate.validTo).getTime()).toBe(now + 10 * 86_400_000);
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(keyPem).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    const far = await createSelfSignedCertificate({ commonName: 'x', now, validDays: 365 * 30 });
    expect(new X509Certificate(far.certificatePem).validTo).toContain('2055');
  });

  test('openssl, where it is installed, reads the certificate without complaint', async ({ skip }) => {
    try {
      execFileSync(OPENSSL, ['version'], { stdio: 'ignore' });
    } catch {
      skip('openssl is not installed');
    }
    const { certificatePem } = await testCertificate();
    const text = execFileSync(OPENSSL, ['x509', '-noout', '-text'], { input: certificatePem }).toString();
    expect(text).toContain('TLS Web Server Authentication');
    expect(text).toContain('ecdsa-with-SHA256');
  });
});

describeWith(await tool(OPENSSL, ['version'], 'openssl'), 'clients with certificates of an authority', () => {
  const REVOKED = 'it was revoked (CERT_REVOKED)';

  /** Why a client is refused; null if it is taken. By TLS 1.3 it learns so after the handshake. */
  async function refusalOf(rig: Rig, { cert, key }: SignedPair): Promise<string | null> {
    const [refused, accepted] = [rig.refused.length, rig.accepted.length];
    const { certificatePem: ca } = await testCertificate();
    const socket = tlsConnect({ host: '127.0.0.1', port: rig.port, ca, cert, key });
    untilTestEnds(socket.on('error', () => {}));
    const taken = rig.acceptedEnd(accepted).then(() => null);
    const reason = await Promise.race([taken, rig.refusal(refused).then((refusal) => refusal.reason)]);
    socket.destroy();
    return reason?.replace("the client's certificate is refused: ", '') ?? null;
  }

  test('refuses revoked clients, server certificates too, and authorities without a valid list', async () => {
    const [authority, other] = [authorityForTest(), authorityForTest('Another')];
    const [good, bad, server, of] = [
      authority.sign('oms-1'),
      authority.sign('oms-2'),
      authority.sign('web', 'serverAuth'),
      other.sign('oms-3'),
    ];
    const { keyPem, certificatePem } = await testCertificate();
    const tls = { key: keyPem, cert: certificatePem, ca: authority.certificatePem, requestCert: true };
    const both = { ...tls, ca: `${authority.certificatePem}${other.certificatePem}` };
    const without = await listenForTest({ tls });
    expect([await refusalOf(without, good), await refusalOf(without, bad)]).toEqual([null, null]);
    expect(await refusalOf(without, server)).toBe(
      'it does not say that it serves for clients: extended key usage (INVALID_PURPOSE)',
    );

    const rig = await listenForTest({ tls: { ...tls, revoked: authority.list([bad]) } });
    expect(await refusalOf(rig, good)).toBeNull();
    expect(await refusalOf(rig, bad)).toBe(REVOKED);
    rig.listener.prepareTls({ ...both, revoked: authority.list([]) })();
    expect([await refusalOf(rig, good), await refusalOf(rig, of)]).toEqual([
      null,
      'an authority in its chain has no list of those that it revoked here (UNABLE_TO_GET_CRL)',
    ]);
    rig.listener.prepareTls({ ...both, revoked: `${authority.list([])}${other.list([])}` })();
    expect([await refusalOf(rig, good), await refusalOf(rig, bad), await refusalOf(rig, of)]).toEqual([
      null,
      REVOKED,
      null,
    ]);
    rig.listener.prepareTls({ ...tls, revoked: authority.list([], true) })();
    expect(await refusalOf(rig, good)).toBe('the list of those that its authority revoked has ended (CRL_HAS_EXPIRED)');
    for (const revoked of ['nonsense', '-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n']) {
      expect(() => rig.listener.prepareTls({ ...tls, revoked })).toThrow(/revocation list in PEM|CRL/);
    }
  });

  test('refuses a client without its intermediate certificate for that reason, with lists', async () => {
    const authority = authorityForTest();
    const between = authority.intermediate('Intermediate of a test');
    const { keyPem, certificatePem } = await testCertificate();
    const trust = { ca: authority.certificatePem, requestCert: true, revoked: authority.list([]) + between.list([]) };
    const rig = await listenForTest({ tls: { key: keyPem, cert: certificatePem, ...trust } });
    const { cert, key } = between.sign('oms-1');
    const ports: unknown[] = [];
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      const socket = tlsConnect({ host: '127.0.0.1', port: rig.port, ca: certificatePem, maxVersion, cert, key });
      untilTestEnds(socket).on('error', () => {});
      await once(socket, 'connect');
      ports.push(socket.localPort);
      await closed(socket.resume());
      await rig.refusal(ports.length - 1);
    }
    const reason =
      "the client's certificate is refused: it is signed by no authority trusted here, or the client does not send the ones between (UNABLE_TO_VERIFY_LEAF_SIGNATURE)";
    expect(rig.refused).toMatchObject(ports.map((remotePort) => ({ remotePort, reason })));
    await connectForTest(rig.port, { tls: { ca: certificatePem, cert: cert + between.certificatePem, key } });
    await rig.acceptedEnd();
  });

  test('names an untrusted acceptor, or a missing intermediate, without Node.js switches', async () => {
    const authority = authorityForTest();
    const between = authority.intermediate('Intermediate of a test');
    const server = between.sign('acceptor', 'serverAuth');
    const alone = await listenForTest({ tls: server });
    const whole = await listenForTest({
      tls: { ...server, cert: server.cert + between.certificatePem + authority.certificatePem },
    });
    const base = { host: '127.0.0.1', connectTimeoutMs: 5000 };
    const unsigned = 'its certificate is signed by no authority trusted here';
    await expect(connect({ ...base, port: alone.port, tls: { ca: authority.certificatePem } })).rejects.toMatchObject({
      message: `cannot connect to 127.0.0.1:${alone.port}: ${unsigned}, or it does not send the ones between (UNABLE_TO_VERIFY_LEAF_SIGNATURE)`,
    });
    await expect(connect({ ...base, port: whole.port, tls: {} })).rejects.toMatchObject({
      message: `cannot connect to 127.0.0.1:${whole.port}: ${unsigned} (SELF_SIGNED_CERT_IN_CHAIN)`,
    });
  });

  test("reports a peer's TLS alert about our certificate as the peer's statement", async () => {
    const authority = authorityForTest();
    const rig = await listenForTest({ tls: authority.sign('acceptor', 'serverAuth') });
    const file = join(temporaryDirectory(), 'authority.pem');
    writeFileSync(file, authority.certificatePem);
    const otherName = ['-CAfile', file, '-verify_hostname', 'other.test'];
    const client = ['s_client', '-connect', `127.0.0.1:${rig.port}`, '-verify_return_error'];
    const doubts: (readonly [doubt: string[], words: string])[] = [
      [['-tls1_2'], 'unknown ca (ERR_SSL_TLSV1_ALERT_UNKNOWN_CA)'],
      [['-tls1_3'], 'unknown ca (ERR_SSL_TLSV1_ALERT_UNKNOWN_CA)'],
      // OpenSSL names those that SSL 3 had in another way.
      [[...otherName, '-tls1_2'], 'bad certificate (ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE)'],
      [[...otherName, '-tls1_3'], 'bad certificate (ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE)'],
    ];
    for (const [n, [doubt, words]] of doubts.entries()) {
      execFile(OPENSSL, [...client, ...doubt]).stdin?.end();
      expect((await rig.refusal(n)).reason).toBe(
        `TLS handshake failed: the other side does not take our certificate: ${words}`,
      );
    }
    const code = 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED';
    expect(reasonOf({ code, reason: 'tlsv13 alert certificate required', message: 'error:0A00045C' })).toBe(
      `the other side wants a certificate of ours, and we show none (${code})`,
    );
    const other = 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION';
    expect(reasonOf({ code: other, reason: 'tlsv1 alert protocol version', message: 'error:0A00042E' })).toBe(
      `the other side ended TLS: protocol version (${other})`,
    );
  });

  test('a certificate with two common names has none', async () => {
    const authority = authorityForTest();
    const { keyPem, certificatePem } = await testCertificate();
    const ca = authority.certificatePem;
    const rig = await listenForTest({ tls: { key: keyPem, cert: certificatePem, ca, requestCert: true } });
    for (const name of ['oms-1', 'oms-1/CN=oms-2']) {
      await connectForTest(rig.port, { tls: { ca: certificatePem, ...authority.sign(name) } });
    }
    const names = await Promise.all([0, 1].map(async (n) => (await rig.acceptedEnd(n)).connection.tls?.peerCommonName));
    expect(names).toEqual(['oms-1', null]);
  });

  test('clients with certificates make full handshakes, because old sessions prove nothing now', async () => {
    const authority = authorityForTest();
    const client = authority.sign('oms-1');
    const { keyPem, certificatePem } = await testCertificate();
    const tls = { key: keyPem, cert: certificatePem, ca: authority.certificatePem, requestCert: true };
    const rig = await listenForTest({
      tls: { ...tls, names: [{ serverName: 'fix.test', key: keyPem, cert: certificatePem }] },
    });
    const isReused: boolean[] = [];
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      for (const servername of ['', 'fix.test']) {
        const options = { host: '127.0.0.1', port: rig.port, ca: certificatePem, maxVersion, servername, ...client };
        const come = (session?: Buffer): TLSSocket =>
          untilTestEnds(tlsConnect({ ...options, ...(session === undefined ? {} : { session }) })).resume();
        const [session] = (await once(come(), 'session')) as [Buffer];
        const again = come(session);
        await once(again, 'secureConnect');
        isReused.push(again.isSessionReused());
      }
    }
    expect(isReused).toEqual([false, false, false, false]);
  });
});

/** A client's first bytes in a TLS handshake. */
async function clientHello(): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const server = createServer((socket) => socket.on('error', () => {}).once('data', resolve));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = tlsConnect({ host: '127.0.0.1', port });
  untilTestEnds(client.on('error', () => {}));
  const hello = await promise;
  server.close();
  return hello;
}

describe('many TLS handshakes at once', () => {
  test('are begun a few in each turn of the event loop, so that live sessions are read in between', async () => {
    const CLIENTS = 40;
    const { keyPem, certificatePem } = await testCertificate();
    const limits = { connectionsMax: CLIENTS, connectionsPerAddressMax: CLIENTS };
    const { port } = await listenForTest({ tls: { key: keyPem, cert: certificatePem }, ...limits });
    const hello = await clientHello();
    const clients = Array.from({ length: CLIENTS }, () => raw(port));
    await Promise.all(clients.map((client) => once(client, 'connect')));
    // The operating system has accepted them; the event loop takes one in each turn.
    for (let i = 0; i < 2 * CLIENTS; i++) await new Promise((resolve) => setImmediate(resolve));
    let turn = 0;
    let counting = true;
    const count = (): void => {
      turn++;
      if (counting) setImmediate(count);
    };
    count();
    const answeredIn = clients.map((client) => once(client, 'data').then(() => turn));
    for (const client of clients) client.write(hello);
    const turns = await Promise.all(answeredIn);
    counting = false;
    const inOneTurn = Math.max(...turns.map((one) => turns.filter((other) => other === one).length));
    expect(inOneTurn).toBeLessThanOrEqual(4);
  });

  test('separates a client without its turn from a silent one', async () => {
    const CLIENTS = 60;
    const { keyPem, certificatePem } = await testCertificate();
    const limits = { connectionsMax: CLIENTS, connectionsPerAddressMax: CLIENTS, handshakeTimeoutMs: 100 };
    const { port, refusal, refused } = await listenForTest({ tls: { key: keyPem, cert: certificatePem }, ...limits });
    const hello = await clientHello();
    // None goes on behind its first message: each has its place for 10 ms.
    for (let i = 0; i < CLIENTS; i++) raw(port).write(hello);
    await refusal(CLIENTS - 1);
    expect(new Set(refused.map(({ reason }) => reason))).toEqual(
      new Set([
        'no handshake within 100 ms',
        'its TLS handshake had no turn within 100 ms: too many connect at once; it comes in when it tries again',
      ]),
    );
  });

  test('a client that ends its side before a byte of its handshake is refused with that reason', async () => {
    const { keyPem, certificatePem } = await testCertificate();
    const { port, refusal } = await listenForTest({ tls: { key: keyPem, cert: certificatePem } });
    raw(port).end();
    expect((await refusal()).reason).toBe('closed before its TLS handshake');
  });

  for (const minVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    test(`a client that ends its side within the handshake frees its place, ${minVersion}`, async () => {
      const { keyPem, certificatePem } = await testCertificate();
      const tls = { key: keyPem, cert: certificatePem, minVersion };
      const hello = await clientHello();
      // Together with the ClientHello, behind half of it, and behind the answer to it.
      const ends: ((client: Socket) => void)[] = [
        (client) => client.end(hello),
        (client) => client.end(hello.subarray(0, 100)),
        (client) => {
          client.write(hello);
          client.once('data', () => client.end());
        },
      ];
      for (const end of ends) {
        const { port, refusal, accepted } = await listenForTest({ tls, handshakeTimeoutMs: 600_000 });
        const client = raw(port).resume();
        const over = closed(client);
        end(client);
        expect((await refusal()).reason).toBe('closed during the TLS handshake');
        await over;
        expect(accepted).toEqual([]);
      }
    });
  }

  test('a client may end its side after the handshake, and still gets its answers', async () => {
    const { keyPem, certificatePem } = await testCertificate();
    const rig = await listenForTest({ tls: { key: keyPem, cert: certificatePem }, halfCloseLingerMs: 60_000 });
    const socket = createConnection({ host: '127.0.0.1', port: rig.port, allowHalfOpen: true });
    const client = tlsConnect({ socket, ca: certificatePem });
    untilTestEnds(client.on('error', () => {}));
    await once(client, 'secureConnect');
    client.end('last words');
    const server = await rig.acceptedEnd();
    await server.receives('last words');
    await new Promise((resolve) => setImmediate(resolve));
    server.connection.send(Buffer.from('the answer'));
    const [answer] = (await once(client, 'data')) as [Buffer];
    expect(answer.toString()).toBe('the answer');
  });
});

describe('errors of TLS after the handshake', () => {
  test('ends the connection: bytes that are no record of it', async () => {
    const { keyPem, certificatePem } = await testCertificate();
    const rig = await listenForTest({ tls: { key: keyPem, cert: certificatePem } });
    const beside = raw(rig.port);
    const between = createServer((socket) =>
      socket
        .on('error', () => {})
        .pipe(beside)
        .pipe(socket),
    ).listen(0);
    const { port } = between.address() as AddressInfo;
    const client = tlsConnect({ host: '127.0.0.1', port, ca: certificatePem, servername: 'fix.test' });
    untilTestEnds(client.on('error', () => {}).resume());
    await once(client, 'secureConnect');
    const server = await rig.acceptedEnd();
    beside.write(Buffer.alloc(100, 'A'));
    expect(await server.ends()).toBe('bad record type (ERR_SSL_BAD_RECORD_TYPE)');
    between.close();
  });

  test('ends a TLS client that renegotiates repeatedly', async () => {
    const { keyPem, certificatePem } = await testCertificate();
    const rig = await listenForTest({ tls: { key: keyPem, cert: certificatePem } });
    const options = { host: '127.0.0.1', port: rig.port, ca: certificatePem, servername: 'fix.test' };
    const client = tlsConnect({ ...options, maxVersion: 'TLSv1.2' });
    untilTestEnds(client.on('error', () => {}).resume());
    await once(client, 'secureConnect');
    const server = await rig.acceptedEnd();
    const over = closed(client);
    const again = (): void => {
      if (!client.destroyed) client.renegotiate({}, () => setImmediate(again));
    };
    again();
    expect(await server.ends()).toContain('renegotiation');
    await over;
  });
});

describe('shown certificates and accepted clients', () => {
  test('a client that asks for a configured name sees its certificate; any other the listener’s own', async () => {
    const own = await createSelfSignedCertificate({ commonName: 'own.test' });
    const other = await createSelfSignedCertificate({ commonName: 'other.test' });
    const names = [{ serverName: 'Other.Test', key: other.keyPem, cert: other.certificatePem }];
    const { port } = await listenForTest({ tls: { key: own.keyPem, cert: own.certificatePem, names } });
    for (const [servername, shown] of [
      ['other.test', 'other.test'],
      ['OTHER.test', 'other.test'],
      ['unknown.test', 'own.test'],
    ] as const) {
      const socket = tlsConnect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false });
      untilTestEnds(socket);
      await once(socket, 'secureConnect');
      expect(socket.getPeerCertificate().subject.CN).toBe(shown);
    }
  });

  test('an address that is not allowed is refused before anything is read of it', async () => {
    const { port, refusal, accepted } = await listenForTest({ isAllowed: (address) => address !== '127.0.0.1' });
    await closed(raw(port));
    expect((await refusal()).reason).toBe('this address is not among those allowed');
    expect(accepted).toEqual([]);
  });

  test('does not believe a PROXY header from a stranger', async () => {
    const { port, acceptedEnd } = await listenForTest({ isBalancer: (address) => address === '192.0.2.1' });
    raw(port).write('PROXY TCP4 198.51.100.7 127.0.0.1 1 2\r\n');
    const end = await acceptedEnd();
    expect(end.connection.remoteAddress).toBe('127.0.0.1');
    await end.receives('PROXY TCP4 198.51.100.7');
  });

  test('over TLS too, a client that comes without a load balancer is read', async () => {
    const { keyPem, certificatePem } = await testCertificate();
    const tls = { key: keyPem, cert: certificatePem };
    const { port, acceptedEnd } = await listenForTest({ tls, isBalancer: (address) => address === '192.0.2.1' });
    const socket = tlsConnect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    untilTestEnds(socket);
    socket.write('hello');
    await (await acceptedEnd()).receives('hello');
  });
});
