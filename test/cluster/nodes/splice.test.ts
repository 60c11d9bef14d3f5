// Connections between two nodes, over real TLS.

import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { NodeSplices } from '../../../src/cluster/nodes/splice.ts';
import type { HandedConnection } from '../../../src/engine/mod.ts';
import type { ClusterConfig } from '../../../src/runtime/mod.ts';
import { type Connection, createSelfSignedCertificate, listen, type Place } from '../../../src/transport/mod.ts';

type Pair = Awaited<ReturnType<typeof createSelfSignedCertificate>>;

const secret = (text: string) => ({ reference: 'file:of-a-test', read: () => text });

function configOf(node: string, pair: Pair, connectionsMax = 10): ClusterConfig {
  const tls = {
    certificate: secret(pair.certificatePem),
    key: secret(pair.keyPem),
    clientAuthority: secret(pair.certificatePem),
    clientRevocations: null,
    selfSigned: false,
    minVersion: 'TLSv1.3',
    ciphers: '',
    names: [],
  } as const;
  const place = { node, host: '127.0.0.1', port: 0, address: '127.0.0.1', addressGroup: node };
  return { ...place, weight: 1, heartbeatMs: 1_000, rebalances: true, settleMs: 0, connectionsMax, tls };
}

async function splices(config: ClusterConfig, served: readonly string[], log: string[] = []) {
  const taken = Promise.withResolvers<HandedConnection>();
  const one = await NodeSplices.open({
    config,
    local: (partition) => (served.includes(partition) ? taken.resolve : null),
    answer: (service, socket) => socket.end(`requests of ${service}`),
    log: (_level, text) => log.push(text),
  });
  onTestFinished(() => one.close());
  return { one, taken: taken.promise, log, address: `127.0.0.1:${one.port}` };
}

/** A counterparty's connection as a listener has it, and the counterparty's end. */
async function client(): Promise<{ connection: Connection; end: ReturnType<typeof connect> }> {
  const came = Promise.withResolvers<Connection>();
  const options = {
    host: '127.0.0.1',
    port: 0,
    connectionsMax: 9,
    connectionsPerAddressMax: 9,
    handshakeTimeoutMs: 999,
  };
  const listener = await listen(options, came.resolve);
  onTestFinished(() => listener.close());
  const end = connect(listener.address());
  end.on('error', () => {});
  onTestFinished(() => void end.destroy());
  return { connection: await came.promise, end };
}

const place: Place = { waits: () => {}, proved: () => {}, onEvicted: () => {} };
const handed = (connection: Connection, first = 'first|'): HandedConnection => {
  return { connection, first: [Buffer.from(first)], listener: 'plain', place };
};

test('a node hands a connection on with its first bytes, and the other node sees the counterparty', async () => {
  const pair = await createSelfSignedCertificate({ commonName: 'cluster' });
  const a = await splices(configOf('a', pair), []);
  const b = await splices(configOf('b', pair), ['desk']);
  const { connection, end } = await client();
  const port = connection.remotePort;
  a.one.handOn(handed(connection), 'desk', b.address);
  const { connection: there, listener } = await b.taken;
  // The certificate of the node proves nothing about the counterparty, which used no TLS.
  expect([there.remoteAddress, there.remotePort, there.tls, listener]).toEqual(['127.0.0.1', port, null, 'plain']);
  let read = '';
  const all = new Promise<void>((resolve) => {
    there.onChunk = (chunk) => {
      read += chunk.toString();
      if (read === 'first|second|') resolve();
    };
  });
  end.write('second|');
  await all;
  there.send(Buffer.from('answer'));
  expect(String((await once(end, 'data'))[0])).toBe('answer');
  const closed = once(end, 'close');
  there.destroy('the end');
  await closed;
});

test('a connection for a partition that is not served there is dropped, and the log says so', async () => {
  const pair = await createSelfSignedCertificate({ commonName: 'cluster' });
  const a = await splices(configOf('a', pair), []);
  const b = await splices(configOf('b', pair), []);
  const { connection, end } = await client();
  const closed = once(end, 'close');
  a.one.handOn(handed(connection), 'desk', b.address);
  await closed;
  expect(b.log).toEqual(['connection of another node dropped: its partition is not served here now']);
});

test('a node takes nothing from a program without a certificate of the cluster', async () => {
  const pair = await createSelfSignedCertificate({ commonName: 'cluster' });
  const b = await splices(configOf('b', pair), ['desk']);
  const stranger = await splices(configOf('c', await createSelfSignedCertificate({ commonName: 'stranger' })), []);
  const { connection, end } = await client();
  const closed = once(end, 'close');
  stranger.one.handOn(handed(connection), 'desk', b.address);
  await closed;
  expect(stranger.log.join()).toContain('connection dropped: node at');
  const bare = connectTls({ port: b.one.port, host: '127.0.0.1', rejectUnauthorized: false });
  bare.on('error', () => {});
  await new Promise((resolve) => bare.once('close', resolve));
  expect(b.log.join()).toContain('a connection to the cluster port was refused');
});

test('a connection for requests to another node carries no counterparty', async () => {
  const pair = await createSelfSignedCertificate({ commonName: 'cluster' });
  const a = await splices(configOf('a', pair), []);
  const b = await splices(configOf('b', pair), ['desk']);
  for (const service of ['admin', 'bridge'] as const) {
    const socket = a.one.dial(service, b.address);
    expect(String((await once(socket, 'data'))[0])).toBe(`requests of ${service}`);
  }
  const stranger = await splices(configOf('c', await createSelfSignedCertificate({ commonName: 'stranger' })), []);
  const refused = stranger.one.dial('admin', b.address);
  await new Promise((resolve) => refused.once('close', resolve));
  expect(refused.authorized).toBe(false);
});

test('a node hands no more connections on than configured', async () => {
  const pair = await createSelfSignedCertificate({ commonName: 'cluster' });
  const a = await splices(configOf('a', pair, 1), []);
  const b = await splices(configOf('b', pair), ['desk']);
  const [first, second] = [await client(), await client()];
  a.one.handOn(handed(first.connection), 'desk', b.address);
  const closed = once(second.end, 'close');
  a.one.handOn(handed(second.connection), 'desk', b.address);
  await closed;
  expect(a.one.handedOn).toBe(1);
  expect(a.log[0]).toBe('connection dropped: 1 are handed to other nodes');
});
