// The connection that makes way at a listener, and the one dropped when it is crowded. Real sockets, from several
// addresses of 127.0.0.0/8.

import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { KnownOrigins } from '../../src/base/places/known-origins.ts';
import { closed, listenForTest, testCertificate, untilTestEnds } from './rig.ts';

async function from(localAddress: string, port: number): Promise<Socket> {
  const socket = untilTestEnds(createConnection({ host: '127.0.0.1', port, localAddress })).on('error', () => {});
  await once(socket.resume(), 'connect');
  return socket;
}

test('the oldest connection without a Logon makes way, of the address that has most of them', async () => {
  const rig = await listenForTest({ connectionsMax: 4 });
  const sockets: Socket[] = [];
  for (const [n, address] of ['127.0.0.8', '127.0.0.2', '127.0.0.3', '127.0.0.3'].entries()) {
    sockets.push(await from(address, rig.port));
    await rig.acceptedEnd(n);
  }
  rig.places[0]!.proved();
  const gone = closed(sockets[2]!);
  await from('127.0.0.4', rig.port);
  expect((await rig.acceptedEnd(4)).closed).toBe(null);
  await gone;
  expect(await (await rig.acceptedEnd(2)).ends()).toBe(
    '4 connections are open: the oldest without a Logon makes way for the next',
  );
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, false, true, false]);
  expect(rig.refused).toEqual([]);
});

test('a connection of an address that has logged on before drives strangers out, and none of them it', async () => {
  const known = new KnownOrigins();
  known.add('127.0.0.9');
  const rig = await listenForTest({ connectionsMax: 1, known });
  const stranger = await from('127.0.0.2', rig.port);
  await rig.acceptedEnd(0);
  const gone = closed(stranger);
  const back = await from('127.0.0.9', rig.port);
  await rig.acceptedEnd(1);
  await gone;
  await closed(await from('127.0.0.3', rig.port));
  expect((await rig.refusal()).reason).toBe('1 connections are open, the most this listener takes');
  expect(back.destroyed).toBe(false);
});

test('at the most connections of one address its oldest without a Logon makes way for the next', async () => {
  const rig = await listenForTest({ connectionsPerAddressMax: 2 });
  const first = await from('127.0.0.2', rig.port);
  await rig.acceptedEnd(0);
  await from('127.0.0.2', rig.port);
  await rig.acceptedEnd(1);
  rig.places[1]!.proved();
  await from('127.0.0.2', rig.port);
  await rig.acceptedEnd(2);
  await closed(first);
  expect(await (await rig.acceptedEnd(0)).ends()).toBe(
    '2 connections from this address are open: the oldest without a Logon makes way for the next',
  );
});

test('a forbidden address displaces no connection', async () => {
  const rig = await listenForTest({ connectionsMax: 1, isAllowed: (address) => address !== '127.0.0.3' });
  const first = await from('127.0.0.2', rig.port);
  await rig.acceptedEnd(0);
  await closed(await from('127.0.0.3', rig.port));
  expect((await rig.refusal()).reason).toBe('this address is not among those allowed');
  expect(first.destroyed).toBe(false);
});

test('above half of the connections a client that sends its message byte by byte has the short time only', async () => {
  const rig = await listenForTest({ connectionsMax: 4, crowdedTimeoutMs: 200 });
  const drips: Socket[] = [];
  for (let n = 0; n < 2; n++) {
    drips.push(await from('127.0.0.2', rig.port));
    await rig.acceptedEnd(n);
  }
  // One that waits for us, and one that has logged on, are not ended by time.
  rig.places[1]!.waits();
  const drip = setInterval(() => drips[0]!.write('8'), 20);
  await from('127.0.0.3', rig.port);
  await rig.acceptedEnd(2);
  rig.places[2]!.proved();
  await closed(drips[0]!);
  clearInterval(drip);
  expect(await (await rig.acceptedEnd(0)).ends()).toBe(
    'nothing complete within 200 ms, while more than half of the 4 connections are open',
  );
  expect([drips[1]!.destroyed, rig.accepted.map(({ closed: reason }) => reason === null)]).toEqual([
    false,
    [false, true, true],
  ]);
});

test('the short time holds in the TLS handshake too', async () => {
  const { keyPem, certificatePem } = await testCertificate();
  const rig = await listenForTest({
    connectionsMax: 1,
    crowdedTimeoutMs: 100,
    tls: { key: keyPem, cert: certificatePem },
  });
  await closed(await from('127.0.0.2', rig.port));
  expect((await rig.refusal()).reason).toBe(
    'nothing complete within 100 ms, while more than half of the 1 connections are open',
  );
});
