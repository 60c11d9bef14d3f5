// Two partitions of one gateway, each a process: real sockets passed to them, TLS spliced to them, one of them killed.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromPrintable, type MessageView, Tag } from '../../../src/wire/mod.ts';
import { FixConnection, logOn, openFix, reconnect, report } from '../../support/network/fix-connection.ts';
import { expectFills, expectNoGap } from '../../support/oms/fills.ts';
import { ACME, limitOrder, PASSWORD } from '../../support/processes/exchange-house.ts';
import type { GatewayProcess } from '../../support/processes/gateway-process.ts';
import {
  kill,
  type PartitionHouse,
  partitionHouse,
  pidOf,
  SECOND_ACCOUNT,
  VENUE,
} from '../../support/processes/partition-house.ts';

const SLOW = 180_000;
let house: PartitionHouse;
let gateway: GatewayProcess;

beforeAll(async () => {
  house = await partitionHouse({
    'ACME_OMS.yaml': { cancelOnDisconnect: { on: 'off' } },
    'VENUE_OMS.yaml': { cancelOnDisconnect: { on: 'off' } },
  });
  gateway = await house.start();
}, SLOW);
afterAll(async () => {
  await house.close();
});

const password = { password: PASSWORD };
const ofVenue = (order: string): string => order.replace(/1=\d{15}/, `1=${SECOND_ACCOUNT}`);
const heartbeat = (id: string) => (view: MessageView) => view.string(Tag.TestReqID) === id;

/** A message of `identity` as bytes. */
function bytes(body: string, seqNum: number, { senderCompID, targetCompID } = ACME): Uint8Array {
  const [msgType, ...rest] = body.split('|');
  const time = new Date().toISOString().replace(/-/g, '').replace('T', '-').replace('Z', '');
  const all = [msgType, `49=${senderCompID}`, `56=${targetCompID}`, `34=${seqNum}`, `52=${time}`, ...rest];
  return fromPrintable(`${all.join('|')}|`, 'FIX.4.4');
}

const logon = `35=A|98=0|108=30|141=Y|554=${PASSWORD}`;

test(
  'sessions of two partitions trade with each other, and one does not notice the end of the other',
  async () => {
    const acme = await openFix(gateway.fixPort, ACME);
    await logOn(acme, password);
    const venue = await openFix(gateway.fixPort, VENUE);
    await logOn(venue, password);
    acme.send(limitOrder('a-1', '0.03', '60000'));
    await acme.expect('New', report('a-1', '0', '0'));
    venue.send(ofVenue(limitOrder('v-1', '0.01', '60000')).replace('54=1', '54=2'));
    await venue.expect('the fill', report('v-1', 'F', '2'));
    await acme.expect('the first fill', report('a-1', 'F', '1'));

    venue.send(ofVenue(limitOrder('v-2', '0.03', '59000')));
    await venue.expect('New', report('v-2', '0', '0'));
    const before = gateway.process.lines.length;
    kill(pidOf(gateway, 'second'));
    await venue.expectClosed();
    // Filled while no process of its partition is there.
    house.simulator.control.trade('BTCUSDC', 'SELL', '59000', '0.05');
    await acme.expect('the other fills, in the partition that goes on', report('a-1', 'F', '2'));
    await gateway.process.line(/"partition serves"/, SLOW, before);

    const { nextSenderMsgSeqNum } = venue;
    const again = await reconnect(gateway.fixPort, VENUE, { ...password, reset: false, nextSenderMsgSeqNum });
    const expected = venue.received.length + 1;
    again.connection.send(`35=2|7=${expected}|16=0`);
    await again.connection.expect('the fill', report('v-2', 'F', '2'));
    again.connection.send('35=1|112=done');
    await again.connection.expect('the Heartbeat', heartbeat('done'));
    const all = [...venue.received, ...again.connection.received];
    expectFills(all, 'v-2', 1, '0.03');
    expectNoGap(all);
    acme.send('35=1|112=acme');
    await acme.expect('the Heartbeat', heartbeat('acme'));
    expect(acme.closed).toBe(false);
    expectNoGap(acme.received);
    for (const one of [acme, again.connection]) {
      one.send('35=5');
      await one.expect('the Logout', (view) => view.msgType === '5');
      one.destroy();
    }
  },
  SLOW,
);

test('a Logon in single bytes, with messages right behind it, loses and doubles none', async () => {
  const acme = await openFix(gateway.fixPort, ACME);
  const first = bytes(logon, 1);
  for (const byte of first.subarray(0, -1)) {
    acme.sendBytes(Uint8Array.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
  // Its last byte with two messages, and half of a third, in one packet.
  const third = bytes('35=1|112=c', 4);
  const more = [first.subarray(-1), bytes('35=1|112=a', 2), bytes('35=1|112=b', 3), third.subarray(0, 20)];
  acme.sendBytes(Buffer.concat(more));
  await acme.expect('the second Heartbeat', heartbeat('b'));
  acme.sendBytes(third.subarray(20));
  await acme.expect('the third Heartbeat', heartbeat('c'));
  const answers = acme.received.filter(({ msgType }) => msgType !== '8');
  expect(answers.map((view) => view.string(Tag.TestReqID) ?? view.msgType)).toEqual(['A', 'a', 'b', 'c']);
  expectNoGap(acme.received);
  acme.destroy();
});

test('a stream of messages that crosses the hand-over arrives in sequence', async () => {
  let streams = 0;
  for (let round = 0; streams < 5; round++) {
    const fix = await openFix(gateway.fixPort, ACME);
    fix.sendBytes(bytes(logon, 1));
    for (let at = 0; at < 60; at++) {
      fix.sendBytes(bytes(`35=1|112=${at}`, at + 2));
      if (at % 10 === round % 10) await new Promise((resolve) => setImmediate(resolve));
    }
    // It is dropped until the end of the one before is noticed (rule S1).
    const answer = await fix.next().catch(() => null);
    if (answer !== null) {
      await fix.expect('the last Heartbeat', heartbeat('59'));
      expectNoGap(fix.received);
      expect(fix.received.filter(({ msgType }) => msgType === '0')).toHaveLength(60);
      streams++;
    }
    fix.destroy();
  }
});

test('a client certificate counts through the splice, and only where its session demands it', async () => {
  await house.home.configure('VENUE_OMS.yaml', {
    'logon.certificate': { commonName: 'venue.example' },
    listeners: ['tls'],
  });
  await gateway.process.line(/VENUE_OMS changed/);
  const { server, venue: client, other } = house;
  const open = async (pair: { certificatePem: string; keyPem: string }, identity = VENUE): Promise<FixConnection> => {
    const { tlsPort: port } = gateway;
    const ca = server.certificatePem;
    const options = { port: port!, host: '127.0.0.1', servername: 'localhost', ca };
    const socket = connectTls({ ...options, cert: pair.certificatePem, key: pair.keyPem });
    return new FixConnection(socket, identity);
  };
  const wrong = await open(other);
  wrong.send(logon);
  await wrong.expectClosed();
  const plain = await openFix(gateway.fixPort, VENUE);
  plain.send(logon);
  await plain.expectClosed();
  const venue = await open(client);
  await logOn(venue, password);
  venue.send(ofVenue(limitOrder('t-1', '0.01', '50000')));
  await venue.expect('New', report('t-1', '0', '0'));
  venue.send('35=5');
  await venue.expect('the Logout', (view) => view.msgType === '5');
  venue.destroy();
});

test('an unknown counterparty is dropped, and silent connections keep no counterparty out', async () => {
  const stranger = await openFix(gateway.fixPort, { ...ACME, senderCompID: 'NOBODY' });
  stranger.send(logon);
  await stranger.expectClosed();
  expect(stranger.received).toEqual([]);
  const silent = await Promise.all(Array.from({ length: 40 }, () => openFix(gateway.fixPort, ACME)));
  for (const one of silent) one.sendBytes('8=FIX.4.4|9=5'.replace('|', '\u0001'));
  const { connection } = await reconnect(gateway.fixPort, ACME, password);
  connection.destroy();
  for (const one of silent) one.destroy();
});

test('the bridge answers a caller from its partition, and the admin server shows all of them', async () => {
  const urlIn = (what: RegExp): string => what.exec(gateway.process.lines.join('\n'))![1]!;
  const bridge = urlIn(/bridge +(http\S+)\/openapi/);
  const path = `${bridge}/trading-api/v1/accounts/trading-accounts`;
  const headers = { authorization: 'Bearer bridge-token-of-the-tests-0001' };
  const accounts = await fetch(path, { headers });
  expect(accounts.status).toBe(200);
  expect(await accounts.text()).toContain('111000000000002');
  expect((await fetch(path)).status).toBe(401);
  const stream = new WebSocket(`${bridge.replace('http', 'ws')}/nothing`);
  await new Promise((resolve) => stream.addEventListener('error', resolve, { once: true }));
  const guess = { authorization: 'Bearer a-wrong-token-of-a-stranger' };
  const [refused] = await once(request(path, { localAddress: '127.0.0.9', headers: guess }).end(), 'response');
  expect(refused.resume().statusCode).toBe(401);
  const line = await gateway.process.line(/bridge: a wrong token was refused/);
  expect(JSON.parse(line)).toMatchObject({ partition: 'primary', remote: '127.0.0.9' });

  const token = (await readFile(join(house.home.secrets, 'admin.token'), 'utf8')).trim();
  const overview = await fetch(`${urlIn(/console +(http\S+)/)}/api/overview`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { sessions } = (await overview.json()) as { sessions: { name: string; partition: string }[] };
  const found = sessions.map(({ name, partition }) => `${name} ${partition}`).sort();
  expect(found).toEqual(['ACME_OMS primary', 'MIDDLE_OFFICE primary', 'VENUE_OMS second']);
});

test('a change that moves a session to another partition is refused', async () => {
  const from = gateway.process.lines.length;
  await house.home.configure('VENUE_OMS.yaml', {
    accounts: [{ account: SECOND_ACCOUNT, tradingAccount: '111000000000002', credential: 'primary' }],
  });
  await gateway.process.line(/session VENUE_OMS would move from partition second to primary/, 15_000, from);
  await house.home.configure('VENUE_OMS.yaml', { accounts: [{ account: SECOND_ACCOUNT, credential: 'second' }] });
});

test(
  'Ctrl-C logs the sessions of every partition out, and ends with exit code 0',
  async () => {
    const { connection: acme } = await reconnect(gateway.fixPort, ACME, password);
    const end = gateway.process.kill('SIGTERM');
    await acme.expect('the Logout', (view) => view.msgType === '5');
    acme.destroy();
    expect(await end).toBe(0);
  },
  SLOW,
);

test(
  'partitions log their sessions out and stop in order when the process before them is killed',
  async () => {
    gateway = await house.start();
    const { connection: acme } = await reconnect(gateway.fixPort, ACME, password);
    const end = gateway.kill();
    await acme.expect('the Logout', (view) => view.msgType === '5');
    acme.destroy();
    await end;
    // Its output is closed once its partitions have ended too.
    expect(gateway.process.lines.filter((line) => line.includes('"text":"stopped"'))).toHaveLength(2);
  },
  SLOW,
);

test(
  'one process is refused beside the journals of partitions',
  async () => {
    await house.home.configure('gateway.yaml', { workers: 1 });
    const one = house.home.begin(house.simulator.url);
    expect(await one.ended()).toBe(1);
    expect(one.lines.at(-1)).toMatch(/holds the journals of partitions \(primary, second\).*XG_JOURNAL_LOCKED/);
  },
  SLOW,
);
