import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { FaultProxy } from '../support/network/fault-proxy.ts';
import { connectForTest, type End, listenForTest, type Rig, testCertificate } from './rig.ts';

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function rawSocket(port: number, options: { allowHalfOpen?: boolean } = {}): Promise<Socket> {
  const socket = createConnection({ host: '127.0.0.1', port, ...options });
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

for (const secure of [false, true]) {
  describe(secure ? 'a TLS connection' : 'a plain connection', () => {
    async function pair(options: object = {}): Promise<{ rig: Rig; client: End; server: End }> {
      const { keyPem, certificatePem } = await testCertificate();
      const rig = await listenForTest({
        ...(secure ? { tls: { key: keyPem, cert: certificatePem } } : {}),
        ...options,
      });
      const client = await connectForTest(rig.port, secure ? { tls: { ca: certificatePem } } : {});
      return { rig, client, server: await rig.acceptedEnd() };
    }

    test('carries bytes both ways and names both ends', async () => {
      const { client, server } = await pair();
      client.connection.send(Buffer.from('8=FIX.4.4|'));
      await server.receives('8=FIX.4.4|');
      server.connection.send(Buffer.from('9=5|'));
      await client.receives('9=5|');
      expect(server.connection.remoteAddress).toBe('127.0.0.1');
      expect(server.connection.remotePort).toBeGreaterThan(0);
      expect(server.connection.id).not.toBe(client.connection.id);
      if (secure) {
        expect(client.connection.tls).toMatchObject({ protocol: 'TLSv1.3', peerCommonName: 'fix.test' });
        expect(client.connection.tls?.peerCertificateFingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
        expect(server.connection.tls).toMatchObject({ peerCertificateFingerprint: null, peerCommonName: null });
      } else expect(server.connection.tls).toBeNull();
    });

    test('sends of one turn leave in one write', async () => {
      const { client, server } = await pair();
      for (let n = 0; n < 100; n++) server.connection.send(Buffer.from(`message ${n}|`));
      expect(server.connection.bufferedBytes).toBe(1090);
      await client.receives('message 99|');
      expect(client.chunks).toBe(1);
      expect(server.connection.bufferedBytes).toBe(0);
    });

    test('answers to a chunk leave in one write as soon as it is handled', async () => {
      const { client, server } = await pair();
      let leftForLater = -1;
      server.connection.onChunk = () => {
        process.nextTick(() => {
          leftForLater = server.connection.bufferedBytes;
        });
        for (let n = 0; n < 10; n++) server.connection.send(Buffer.from(`answer ${n}|`));
      };
      client.connection.send(Buffer.from('order|'));
      await client.receives('answer 9|');
      expect(client.chunks).toBe(1);
      // TLS encrypts it behind our back.
      if (!secure) expect(leftForLater).toBe(0);
    });

    test('close sends buffered bytes first; both sides get the reason once', async () => {
      const { client, server } = await pair();
      server.connection.send(Buffer.from('35=5|'.repeat(100_000)));
      server.connection.close();
      server.connection.send(Buffer.from('never'));
      server.connection.close();
      expect(await client.ends()).toBe('the counterparty closed the connection');
      expect(client.bytes).toBe(500_000);
      expect(await server.ends()).toBe('closed by us');
    });

    test('unread input does not destroy our last output', async () => {
      const { client, server } = await pair({ closeTimeoutMs: 600_000 });
      server.connection.pause();
      client.connection.send(Buffer.alloc(100_000, 'x'));
      server.connection.send(Buffer.from('35=5|58=good-bye|'));
      server.connection.close();
      await client.receives('good-bye');
      expect(await client.ends()).toBe('the counterparty closed the connection');
      // Read and dropped, long before the time limit would end it.
      expect(await server.ends()).toBe('closed by us');
    });

    test('a counterparty that does not read is destroyed once the limit is passed, and its memory freed', async () => {
      const { client, server } = await pair({ outboundBytesMax: 1_000_000 });
      client.connection.pause();
      const chunk = Buffer.alloc(100_000);
      while (server.closed === null) {
        server.connection.send(chunk);
        expect(server.connection.bufferedBytes).toBeLessThanOrEqual(1_000_000);
        await new Promise(setImmediate);
      }
      expect(server.closed).toBe('slow consumer: more than 1000000 bytes were not read by the counterparty');
      expect(server.connection.bufferedBytes).toBeLessThanOrEqual(1_000_000);
    });

    test('a reading peer gets more than the limit in one turn, and one longer message', async () => {
      const { client, server } = await pair({ outboundBytesMax: 1_000_000 });
      for (let n = 0; n < 300; n++) server.connection.send(Buffer.alloc(100_000));
      await new Promise(setImmediate);
      server.connection.send(Buffer.alloc(100_000));
      await client.until(() => client.bytes === 30_100_000 || client.closed !== null);
      server.connection.send(Buffer.alloc(20_000_000));
      await client.until(() => client.bytes === 50_100_000 || client.closed !== null);
      expect([server.connection.overflowed, server.closed]).toEqual([false, null]);
    });

    test('a non-reading peer gets one turn beyond the limit, and is destroyed by the next', async () => {
      const { client, server } = await pair({ outboundBytesMax: 1_000_000 });
      client.connection.pause();
      for (let n = 0; n < 300; n++) server.connection.send(Buffer.alloc(100_000));
      await new Promise(setImmediate);
      let turns = 0;
      for (; server.closed === null && turns < 20; turns++) {
        server.connection.send(Buffer.alloc(100_000));
        await new Promise(setImmediate);
      }
      expect([server.connection.overflowed, turns < 20]).toEqual([true, true]);
    });

    test('a paused connection presses back on the sender; resumed, it misses nothing', async () => {
      const { client, server } = await pair();
      server.connection.pause();
      const total = 8_000_000;
      client.connection.send(Buffer.alloc(total, 'p'));
      await new Promise(setImmediate);
      expect(client.connection.bufferedBytes).toBeGreaterThan(0);
      const before = server.bytes;
      expect(before).toBeLessThan(total);
      server.connection.resume();
      await server.until(() => server.bytes === total);
    });

    test('destroy ends at once with the reason given', async () => {
      const { client, server } = await pair();
      server.connection.send(Buffer.from('lost'));
      server.connection.destroy('the operator said so');
      expect(await server.ends()).toBe('the operator said so');
      expect(await client.ends()).not.toBe('');
      expect(client.text).toBe('');
    });

    test('onClose set after the end is called all the same', async () => {
      const { client } = await pair();
      client.connection.destroy('early');
      await client.ends();
      client.closed = null;
      const reason = await new Promise((resolve) => {
        client.connection.onClose = resolve;
      });
      expect(reason).toBe('early');
    });
  });
}

test('a reset by the counterparty is a reason, never an exception', async () => {
  const rig = await listenForTest();
  const socket = await rawSocket(rig.port);
  const server = await rig.acceptedEnd();
  socket.resetAndDestroy();
  expect(await server.ends()).toBe('the counterparty reset the connection');
  server.connection.send(Buffer.from('after the end'));
  server.connection.close();
  server.connection.destroy('again');
  server.connection.pause();
  server.connection.resume();
});

test('a counterparty that ends its side still gets its last answer', async () => {
  const rig = await listenForTest();
  const socket = await rawSocket(rig.port, { allowHalfOpen: true });
  const server = await rig.acceptedEnd();
  server.connection.onChunk = () => setImmediate(() => server.connection.send(Buffer.from('answer')));
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.end('question');
  await once(socket, 'end');
  expect(received).toBe('answer');
  expect(await server.ends()).toBe('the counterparty closed the connection');
});

test('a counterparty that never ends its side is destroyed after the time limit of close', async () => {
  const rig = await listenForTest({ closeTimeoutMs: 30 });
  const socket = await rawSocket(rig.port, { allowHalfOpen: true });
  const server = await rig.acceptedEnd();
  socket.resume();
  server.connection.close();
  expect(await server.ends()).toBe('closed by us');
});

test('the side that connects has its limit too, as it was given or as it is by default', async () => {
  const rig = await listenForTest();
  for (const [limit, options] of [
    [100_000, { outboundBytesMax: 100_000 }],
    [16_777_216, {}],
  ] as const) {
    const end = await connectForTest(rig.port, options);
    const peer = await rig.acceptedEnd();
    peer.connection.pause();
    while (end.closed === null) {
      end.connection.send(Buffer.alloc(limit / 4));
      expect(end.connection.bufferedBytes).toBeLessThanOrEqual(limit);
      await new Promise(setImmediate);
    }
    expect([end.connection.overflowed, end.closed]).toEqual([
      true,
      `slow consumer: more than ${limit} bytes were not read by the counterparty`,
    ]);
  }
});

test('chunks that came before onChunk was set are delivered when it is', async () => {
  const server = createServer((socket) => socket.end('at once'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const end = await connectForTest((server.address() as AddressInfo).port);
  await end.receives('at once');
  server.close();
});

describe('through a faulty network', () => {
  async function through(): Promise<{ proxy: FaultProxy; client: End; server: End }> {
    const rig = await listenForTest();
    const proxy = await FaultProxy.open({ host: '127.0.0.1', port: rig.port });
    const client = await connectForTest(proxy.port);
    return { proxy, client, server: await rig.acceptedEnd() };
  }

  test('bytes cut into segments of one arrive in order', async () => {
    const { proxy, client, server } = await through();
    proxy.faults.segmentBytes = 1;
    const text = Array.from({ length: 500 }, (_, n) => `${n}|`).join('');
    client.connection.send(Buffer.from(text));
    await server.until(() => server.bytes === text.length);
    expect(server.text).toBe(text);
    await proxy.close();
  });

  test('latency delays but keeps the order', async () => {
    const { proxy, client, server } = await through();
    proxy.faults.latencyMs = 20;
    const start = performance.now();
    client.connection.send(Buffer.from('one|'));
    setImmediate(() => client.connection.send(Buffer.from('two|')));
    await server.receives('two|');
    expect(server.text).toBe('one|two|');
    expect(performance.now() - start).toBeGreaterThanOrEqual(19);
    await proxy.close();
  });

  test('a reset of the network reaches both ends', async () => {
    const { proxy, client, server } = await through();
    proxy.reset();
    expect(await client.ends()).toBe('the counterparty reset the connection');
    expect(await server.ends()).toBe('the counterparty reset the connection');
    expect(proxy.connections).toBe(0);
    await proxy.close();
  });

  test('a blackhole swallows bytes silently', async () => {
    const { proxy, client, server } = await through();
    client.connection.send(Buffer.from('before|'));
    await server.receives('before|');
    proxy.faults.blackhole = true;
    client.connection.send(Buffer.from('swallowed|'));
    await new Promise(setImmediate);
    proxy.faults.blackhole = false;
    client.connection.send(Buffer.from('after|'));
    await server.receives('after|');
    expect(client.closed).toBeNull();
    await proxy.close();
  });

  test('a stalled client fills the buffers of the server, and reads on afterwards', async () => {
    const { proxy, client, server } = await through();
    proxy.faults.stalled = true;
    const total = 12_000_000;
    server.connection.send(Buffer.alloc(total, 's'));
    await new Promise(setImmediate);
    expect(server.connection.bufferedBytes).toBeGreaterThan(0);
    proxy.resume();
    await client.until(() => client.bytes === total);
    await proxy.close();
  });
});
