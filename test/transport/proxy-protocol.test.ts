// The PROXY protocol: a load balancer in front says who the client is, in either version.

import { once } from 'node:events';
import { connect as tlsConnect } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { parseProxyHeader } from '../../src/transport/proxy-protocol.ts';
import { closed, listenForTest, raw, testCertificate, untilTestEnds } from './rig.ts';

describe('PROXY protocol', () => {
  const v2 = (command: number, family: number, addresses: Buffer): Buffer =>
    Buffer.concat([
      Buffer.from('0d0a0d0a000d0a515549540a', 'hex'),
      Buffer.from([0x20 | command, family, addresses.length >> 8, addresses.length & 0xff]),
      addresses,
    ]);
  const v4 = v2(1, 0x11, Buffer.from([198, 51, 100, 7, 10, 0, 0, 1, 0x30, 0x39, 0x01, 0xbb]));

  const v6 = (source: string): Buffer =>
    v2(1, 0x21, Buffer.concat([Buffer.from(source, 'hex'), Buffer.alloc(16), Buffer.from([0x30, 0x39, 1, 0xbb])]));

  test('both versions name the client, byte by byte as they come', () => {
    const cases: [Buffer, { address: string; port: number } | null][] = [
      [Buffer.from('PROXY TCP4 198.51.100.7 10.0.0.1 12345 443\r\n'), { address: '198.51.100.7', port: 12345 }],
      [Buffer.from('PROXY TCP6 2001:db8::7 2001:db8::1 12345 443\r\n'), { address: '2001:db8::7', port: 12345 }],
      [Buffer.from('PROXY UNKNOWN\r\n'), null],
      [v4, { address: '198.51.100.7', port: 12345 }],
      [v6('20010db8000000000000000000000007'), { address: '2001:db8::7', port: 12345 }],
      [v2(0, 0, Buffer.alloc(0)), null],
      [v2(1, 0, Buffer.alloc(0)), null],
    ];
    for (const [bytes, source] of cases) {
      for (let count = 0; count < bytes.length; count++) {
        expect(parseProxyHeader(bytes.subarray(0, count)).kind).toBe('incomplete');
      }
      const header = parseProxyHeader(Buffer.concat([bytes, Buffer.from('8=FIX')]));
      expect(header).toMatchObject({ kind: 'header', length: bytes.length });
      expect(header).toMatchObject({ source });
    }
  });

  test('a client has one address in any notation: IPv4 behind an IPv6 listener is IPv4', async () => {
    const rig = await listenForTest({ isBalancer: () => true });
    const headers = [
      Buffer.from('PROXY TCP6 ::ffff:198.51.100.7 ::ffff:10.0.0.1 12345 443\r\n'),
      Buffer.from('PROXY TCP6 0:0:0:0:0:FFFF:C633:6407 ::ffff:10.0.0.1 12345 443\r\n'),
      v6('00000000000000000000ffffc6336407'),
      v4,
    ];
    for (const [n, header] of headers.entries()) {
      raw(rig.port).write(header);
      expect((await rig.acceptedEnd(n)).connection).toMatchObject({ remoteAddress: '198.51.100.7', remotePort: 12345 });
    }
  });

  test('anything else is refused: no header, a line without end, a wrong version, a huge extension', () => {
    const bad = [
      Buffer.from('8=FIX.4.4'),
      Buffer.from(`PROXY TCP4 ${'1'.repeat(200)}`),
      Buffer.from('PROXY TCP4 nonsense 10.0.0.1 1 2\r\n'),
      Buffer.from('PROXY TCP4 198.51.100.7 10.0.0.1 x 443\r\n'),
      Buffer.from('PROXY TCP4 198.51.100.7 10.0.0.1 65536 443\r\n'),
      Buffer.from('PROXY TCP4 198.51.100 10.0.0.1 1 2\r\n'),
      Buffer.from('PROXY TCP4 2001:db8::7 2001:db8::1 1 2\r\n'),
      Buffer.from('PROXY TCP6 198.51.100.7 10.0.0.1 1 2\r\n'),
      Buffer.from('PROXY TCP6 fe80::1%eth0 fe80::2 1 2\r\n'),
      v2(1, 0x11, Buffer.alloc(11)),
      v2(1, 0x21, Buffer.alloc(35)),
      Buffer.concat([v4.subarray(0, 12), Buffer.from([0x11, 0x11, 0, 12]), Buffer.alloc(12)]),
      Buffer.concat([v4.subarray(0, 14), Buffer.from([0xff, 0xff])]),
    ];
    for (const bytes of bad) expect(parseProxyHeader(bytes).kind).toBe('invalid');
  });

  for (const secure of [false, true]) {
    test(`the client in the header is the remote end${secure ? ', behind TLS too' : ''}; later bytes are kept`, async () => {
      const { keyPem, certificatePem } = await testCertificate();
      const rig = await listenForTest({
        isBalancer: () => true,
        connectionsPerAddressMax: 1,
        ...(secure ? { tls: { key: keyPem, cert: certificatePem } } : {}),
      });
      const socket = raw(rig.port);
      await once(socket, 'connect');
      if (secure) {
        socket.write(v4);
        const tls = tlsConnect({ socket, ca: certificatePem, servername: 'fix.test' });
        untilTestEnds(tls);
        tls.on('error', () => {});
        tls.write('8=FIX.4.4|');
      } else socket.write(Buffer.concat([v4, Buffer.from('8=FIX.4.4|')]));
      const server = await rig.acceptedEnd();
      await server.receives('8=FIX.4.4|');
      expect(server.connection).toMatchObject({ remoteAddress: '198.51.100.7', remotePort: 12345 });
      // The limit per address counts clients, not the balancer.
      rig.places[0]!.proved();
      const second = raw(rig.port);
      second.write(v4);
      await closed(second.resume());
      expect(await rig.refusal()).toMatchObject({ remoteAddress: '198.51.100.7' });
    });
  }

  test('clients of one IPv6 /64 share the connections of one address; those of another have their own', async () => {
    const rig = await listenForTest({ isBalancer: () => true, connectionsPerAddressMax: 2 });
    const from = async (address: string): Promise<ReturnType<typeof raw>> => {
      const socket = raw(rig.port).resume();
      await once(socket, 'connect');
      socket.write(`PROXY TCP6 ${address} 2001:db8::1 1 2\r\n`);
      return socket;
    };
    await from('2001:db8:0:1::5');
    await from('2001:db8:0:1:aaaa::6');
    await Promise.all([rig.acceptedEnd(0), rig.acceptedEnd(1)]);
    for (const place of rig.places) place.proved();
    await closed(await from('2001:db8:0:1::7'));
    expect(await rig.refusal()).toMatchObject({
      remoteAddress: '2001:db8:0:1::7',
      reason: '2 connections from 2001:db8:0:1::/64 are open, the most this listener takes',
    });
    await from('2001:db8:0:2::7');
    await rig.acceptedEnd(2);
  });

  test("separates a balancer's probe from a refusal, on any listener", async () => {
    const { keyPem, certificatePem } = await testCertificate();
    for (const options of [{ isBalancer: () => true }, { tls: { key: keyPem, cert: certificatePem } }]) {
      const rig = await listenForTest(options);
      for (const [n, leave] of (['end', 'resetAndDestroy'] as const).entries()) {
        const look = raw(rig.port).resume();
        await once(look, 'connect');
        look[leave]();
        expect((await rig.refusal(n)).leftUnsaid).toBe(true);
      }
      raw(rig.port)
        .resume()
        .end(Buffer.from([0x16, 0x03, 0x01]));
      expect((await rig.refusal(2)).leftUnsaid).toBe(false);
    }
  });

  test('so is one that sends its PROXY header before it leaves, as health checks of HAProxy do', async () => {
    const { keyPem, certificatePem } = await testCertificate();
    const rig = await listenForTest({ isBalancer: () => true, tls: { key: keyPem, cert: certificatePem } });
    const local = v2(0, 0, Buffer.alloc(0));
    let refusals = 0;
    for (const header of [local, v4, Buffer.from('PROXY UNKNOWN\r\n')]) {
      for (const leave of ['end', 'resetAndDestroy'] as const) {
        const look = raw(rig.port).resume();
        await once(look, 'connect');
        look.write(header, () => look[leave]());
        expect((await rig.refusal(refusals++)).leftUnsaid).toBe(true);
      }
    }
    raw(rig.port)
      .resume()
      .end(Buffer.concat([v4, Buffer.from([0x16, 0x03, 0x01])]));
    expect((await rig.refusal(refusals)).leftUnsaid).toBe(false);
  });

  test('a connection without the header, or with half of it, is refused', async () => {
    const rig = await listenForTest({ isBalancer: () => true, handshakeTimeoutMs: 100 });
    const plain = raw(rig.port);
    plain.write('8=FIX.4.4\x01');
    await closed(plain.resume());
    expect((await rig.refusal(0)).reason).toBe('no PROXY header: the connection begins with something else');
    const half = raw(rig.port);
    half.write(v4.subarray(0, 15));
    await closed(half.resume());
    expect((await rig.refusal(1)).reason).toBe('no handshake within 100 ms');
  });
});
