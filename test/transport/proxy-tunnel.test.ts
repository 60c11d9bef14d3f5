// Connections of ours through proxies, over real sockets: SOCKS4, SOCKS5 and HTTP CONNECT, with TLS through them, and what a proxy
// may answer that is none.

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type ConnectOptions, connect, createSelfSignedCertificate, listen } from '../../src/transport/mod.ts';
import { type ProxyOptions, TestProxy } from '../support/network/test-proxy.ts';
import { End } from './rig.ts';

const KINDS = ['socks4', 'socks5', 'http'] as const;
type Kind = (typeof KINDS)[number];

async function proxyFor(options: ProxyOptions = {}): Promise<TestProxy> {
  const proxy = await TestProxy.open({ names: { 'hub.test': '127.0.0.1', '127.0.0.2': '127.0.0.1' }, ...options });
  onTestFinished(() => proxy.close());
  return proxy;
}

/** Sends back what it gets, and greets first. */
async function echo(tls?: { cert: string; key: string }): Promise<number> {
  const listener = await listen(
    {
      host: '127.0.0.1',
      port: 0,
      connectionsMax: 10,
      connectionsPerAddressMax: 10,
      handshakeTimeoutMs: 5000,
      ...(tls === undefined ? {} : { tls }),
    },
    (connection) => {
      connection.onChunk = (chunk) => connection.send(chunk);
      connection.onClose = () => {};
      connection.send(Buffer.from('hello '));
    },
  );
  onTestFinished(() => listener.close());
  return listener.address().port;
}

async function through(
  proxy: TestProxy,
  kind: Kind,
  port: number,
  more: Partial<ConnectOptions> = {},
  proof: { user?: string; password?: string } = {},
): Promise<End> {
  const way = { kind, host: '127.0.0.1', port: proxy.port, ...proof };
  const connection = await connect({ host: 'hub.test', port, connectTimeoutMs: 5000, proxy: way, ...more });
  onTestFinished(() => connection.destroy('the test is over'));
  return new End(connection);
}

test.each(KINDS)(
  '%s: a connection through a proxy carries bytes both ways, and asks for the name itself',
  async (kind) => {
    const port = await echo();
    const proxy = await proxyFor({ slowly: true });
    const end = await through(proxy, kind, port);
    end.connection.send(Buffer.from('there'));
    await end.until(() => end.text === 'hello there');
    expect(proxy.asked).toEqual([`${kind}  hub.test:${port}`]);
    expect([end.connection.remoteAddress, end.connection.remotePort]).toEqual(['hub.test', port]);
  },
);

test.each(KINDS)('%s: TLS runs through the tunnel, and the certificate is that of the target', async (kind) => {
  const { certificatePem, keyPem } = await createSelfSignedCertificate({ commonName: 'hub.test' });
  const port = await echo({ cert: certificatePem, key: keyPem });
  const proxy = await proxyFor();
  const end = await through(proxy, kind, port, { tls: { ca: certificatePem } });
  end.connection.send(Buffer.from('there'));
  await end.until(() => end.text === 'hello there');
  expect(end.connection.tls?.protocol).toBe('TLSv1.3');
  const wrong = through(proxy, kind, port, { tls: { ca: certificatePem, serverName: 'other.test' } });
  await expect(wrong).rejects.toThrow(/hub\.test:\d+ by the proxy .*(altnames|ERR_TLS_CERT_ALTNAME_INVALID)/);
  const address = through(proxy, kind, port, { host: '127.0.0.2', tls: { ca: certificatePem } });
  await expect(address).rejects.toThrow(/ERR_TLS_CERT_ALTNAME_INVALID/);
});

test('user and password reach the proxy, which refuses others; neither is printed', async () => {
  const port = await echo();
  const proxy = await proxyFor({ user: 'us', password: 'sécret' });
  for (const kind of ['socks5', 'http'] as const) {
    const end = await through(proxy, kind, port, {}, { user: 'us', password: 'sécret' });
    await end.until(() => end.text === 'hello ');
    expect(proxy.asked.at(-1)).toBe(`${kind} us:sécret hub.test:${port}`);
    const wrong = through(proxy, kind, port, {}, { user: 'us', password: 'hunter2' });
    const told = await wrong.catch((error: Error) => error.message);
    expect(told).toMatch(kind === 'http' ? /it wants other credentials \(407\)/ : /it refuses `user` and `password`/);
    expect(told).not.toContain('hunter2');
  }
  await expect(through(proxy, 'socks5', port)).rejects.toThrow('it wants `user` and `password`');
  const open = await proxyFor();
  await through(open, 'socks4', port, {}, { user: 'us' });
  expect(open.asked).toEqual([`socks4 us hub.test:${port}`]);
});

test.each(KINDS)('%s: reports a closed port of the target, or of the proxy, for the right one', async (kind) => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const proxy = await proxyFor();
  const refusals = { socks4: /code 91/, socks5: /nothing listens there/, http: /it refuses \(502 Bad Gateway\)/ };
  await expect(through(proxy, kind, port)).rejects.toThrow(refusals[kind]);
  const gone = { kind, host: '127.0.0.1', port };
  await expect(connect({ host: 'hub.test', port: 1, connectTimeoutMs: 5000, proxy: gone })).rejects.toThrow(
    `cannot connect to hub.test:1 by the proxy 127.0.0.1:${port}: nothing listens there (connection refused)`,
  );
});

test.each([
  ['http', Buffer.from('SSH-2.0-OpenSSH\r\n\r\n'), /is not HTTP/],
  ['http', Buffer.alloc(100_000, 'x'), /no HTTP header of a bearable length/],
  ['http', Buffer.from('HTTP/1.1 403 \x1b[31mForbidden\r\n\r\n'), /it refuses \(403 \?\[31mForbidden\)/],
  ['socks5', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), /is not SOCKS5/],
  ['socks5', Buffer.from([5, 9]), /it wants `user` and `password`/],
  ['socks5', Buffer.from([5, 0, 5, 0, 0, 7]), /is not SOCKS5/],
  ['socks5', Buffer.from([5, 0, 5, 2, 0, 1]), /its rules do not allow the connection/],
  ['socks4', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), /is not SOCKS4/],
] as const)('%s: reports an answer that opens no tunnel in words: %j', async (kind, answer, words) => {
  const proxy = await proxyFor({ answer });
  await expect(through(proxy, kind, 1)).rejects.toThrow(words);
});

test.each(KINDS)(
  '%s: a proxy that answers half, or not at all, is waited for as long as the connection may take',
  async (kind) => {
    const proxy = await proxyFor({ answer: Buffer.alloc(0) });
    await expect(through(proxy, kind, 1, { connectTimeoutMs: 100 })).rejects.toThrow('no answer within 100 ms');
  },
);

test('SOCKS5 asks for IPv4 and IPv6 addresses as addresses, and for no name of more than 255 bytes', async () => {
  const port = await echo();
  const proxy = await proxyFor({ names: { '0000:0000:0000:0000:0000:ffff:7f00:0001': '127.0.0.1' } });
  await through(proxy, 'socks5', port, { host: '127.0.0.1' });
  await through(proxy, 'socks5', port, { host: '::ffff:127.0.0.1' });
  expect(proxy.asked).toEqual([`socks5  127.0.0.1:${port}`, `socks5  0000:0000:0000:0000:0000:ffff:7f00:0001:${port}`]);
  await expect(through(proxy, 'socks5', port, { host: 'x'.repeat(256) })).rejects.toThrow('255 bytes of a name');
  await expect(through(proxy, 'socks4', port, { host: '::1' })).rejects.toThrow('SOCKS4 reaches no IPv6 address');
});

test('a connection leaves from the configured local address and port; others are reported', async () => {
  const seen: string[] = [];
  const server = createServer((socket) => {
    seen.push(`${socket.remoteAddress}:${socket.remotePort}`);
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const free = createServer();
  await once(free.listen(0, '127.0.0.2'), 'listening');
  const { port: localPort } = free.address() as AddressInfo;
  const way = { host: '127.0.0.1', port, connectTimeoutMs: 5000, localAddress: '127.0.0.2', localPort };
  await expect(connect(way)).rejects.toThrow('the local port is in use');
  await new Promise((resolve) => free.close(resolve));
  const connection = await connect(way);
  connection.onChunk = () => {};
  connection.onClose = () => {};
  onTestFinished(() => connection.destroy('the test is over'));
  await expect.poll(() => seen).toEqual([`127.0.0.2:${localPort}`]);
  const nowhere = connect({ ...way, localAddress: '203.0.113.1', localPort: 0 });
  await expect(nowhere).rejects.toThrow('this machine has no such local address');
});
