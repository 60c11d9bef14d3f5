// Clients behind the front of the bridge: the partition knows their addresses and their origins as if they had come to it.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import type { BridgeWay } from '../../../src/cluster/front/bridge-front.ts';
import { FULL_TOKEN } from '../../bridge/desk.ts';
import { type Client, type FrontRig, frontRig, NODE_TOKEN, newFront } from './bridge-rig.ts';

const STREAM = '/trading-api/v1/private-data';
const MARKETS = '/trading-api/v1/markets';
const ACCEPTS_ALL = { 'x-crossgate-client': 'https 192.0.2.1', 'x-crossgate-front': NODE_TOKEN };
const guess = { authorization: 'Bearer a-wrong-token-of-a-stranger' };
const known = { authorization: `Bearer ${FULL_TOKEN}` };

describe.each([
  ['here', false],
  ['here', true],
  ['at another node', false],
  ['at another node', true],
] as const)('a client of a partition %s, over TLS: %s', (where, isSecure) => {
  let rig: FrontRig;
  beforeAll(async () => {
    // As good as no room, for those that the front does not answer for.
    rig = await frontRig(where, isSecure, { connectionsMax: 2 });
  });
  afterAll(() => rig.close());

  test('has its own address in the log when it guesses a token, in a call and in a stream', async () => {
    expect((await rig.get(MARKETS, { from: '127.0.0.2', headers: guess })).status).toBe(401);
    expect(await rig.stream(STREAM, { from: '127.0.0.3', headers: guess })).toBe(401);
    expect(rig.wrong).toEqual(['127.0.0.2', '127.0.0.3']);
  });

  test('cannot take another address by the headers of the front, not even with the token of the node', async () => {
    const before = rig.wrong.length;
    const headers = { ...guess, ...ACCEPTS_ALL, 'X-Crossgate-CLIENT': ['https 192.0.2.2', 'https 192.0.2.3'] };
    await rig.get(MARKETS, { from: '127.0.0.4', headers });
    await rig.stream(STREAM, { from: '127.0.0.5', headers: { ...guess, ...ACCEPTS_ALL } });
    expect(rig.wrong.slice(before)).toEqual(['127.0.0.4', '127.0.0.5']);
  });

  test('stays behind the front after a request that offers another protocol than WebSocket', async () => {
    const before = rig.wrong.length;
    const socket = rig.connect('127.0.0.6');
    onTestFinished(() => void socket.destroy());
    let read = '';
    const ask = (headers: Readonly<Record<string, string>>): void => {
      const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`);
      socket.write(`GET ${MARKETS}/BTCUSDC HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    };
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      if (read === '') ask({ ...guess, ...ACCEPTS_ALL, connection: 'close' });
      read += chunk;
    });
    ask({ ...known, connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' });
    await once(socket, 'close');
    expect(read.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 401']);
    expect(rig.wrong.slice(before)).toEqual(['127.0.0.6']);
  });

  test('opens a stream by the cookie of its own page, and over TLS not by that of a page without', async () => {
    const opens = async (origin: string): Promise<number> => {
      const client: Client = { from: '127.0.0.1', headers: { cookie: `JWT_COOKIE=${FULL_TOKEN}`, origin } };
      const socket = await rig.stream(STREAM, client);
      if (!(socket instanceof WebSocket)) return socket;
      socket.close();
      return 101;
    };
    const { host } = new URL(rig.url);
    expect(await opens(rig.url)).toBe(101);
    expect(await opens(`https://${host}`)).toBe(101);
    expect(await opens(`http://${host}`)).toBe(isSecure ? 403 : 101);
    expect(await opens('https://attacker.example')).toBe(403);
  });

  test('reads in the description of the streams how they are reached at the front', async () => {
    const { text } = await rig.get('/asyncapi.json', { from: '127.0.0.1', headers: {} });
    const { host } = new URL(rig.url);
    expect(JSON.parse(text).servers).toMatchObject({ bridge: { host, protocol: isSecure ? 'wss' : 'ws' } });
  });

  test('takes no place at the partition from others', async () => {
    const sockets: WebSocket[] = [];
    for (let k = 0; k < 4; k++) {
      const socket = await rig.stream(STREAM, { from: '127.0.0.1', headers: known });
      expect(socket).toBeInstanceOf(WebSocket);
      sockets.push(socket as WebSocket);
    }
    expect((await rig.get(MARKETS, { from: '127.0.0.1', headers: known })).status).toBe(200);
    for (const socket of sockets) {
      socket.send('{"jsonrpc":"2.0","type":"command","method":"keepalivePing","params":{},"id":"1"}');
      await once(socket, 'message');
      socket.close();
    }
  });
});

/** A partition that answers each request with its path, and its connections. */
async function echoPartition(): Promise<{ way: BridgeWay; connections: () => number }> {
  let connections = 0;
  const server = createServer((request, response) => response.end(request.url));
  server.on('connection', () => connections++);
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { way: { kind: 'here', url, token: NODE_TOKEN }, connections: () => connections };
}

/** Send requests ahead, and read to the end of the connection. */
async function answersTo(url: string, requests: number): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const heads = Array.from({ length: requests }, (_, k) => {
    const end = k === requests - 1 ? 'Connection: close\r\n' : '';
    return `GET /${k} HTTP/1.1\r\nHost: a\r\n${end}\r\n`;
  });
  socket.on('error', () => {});
  socket.write(heads.join(''));
  let read = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    read += chunk;
  });
  await new Promise((resolve) => socket.once('close', resolve));
  return read;
}

test('requests that a client sends ahead reach the partition one by one, and are answered in their order', async () => {
  const { way, connections } = await echoPartition();
  const front = await newFront({}, () => way);
  onTestFinished(() => front.close());
  const read = await answersTo(front.url, 50);
  expect(read.match(/^\/\d+/gm)).toEqual(Array.from({ length: 50 }, (_, k) => `/${k}`));
  expect(connections()).toBe(1);
});

test('a client that sends thousands of requests ahead is cut off, and others are answered', async () => {
  const { way, connections } = await echoPartition();
  const front = await newFront({}, () => way);
  onTestFinished(() => front.close());
  const flood = await answersTo(front.url, 5_000);
  expect(flood.match(/HTTP/g)?.length ?? 0).toBeLessThan(5_000);
  expect(await answersTo(front.url, 1)).toContain('/0');
  expect(connections()).toBeLessThanOrEqual(2);
});

test('that the front has no room is logged', async () => {
  const { way } = await echoPartition();
  const logged: string[] = [];
  const log = (level: string, text: string): void => void logged.push(`${level} ${text}`);
  const front = await newFront({ limits: { connectionsMax: 2 }, log }, () => way);
  onTestFinished(() => front.close());
  const sockets = Array.from({ length: 3 }, () => connect(Number(new URL(front.url).port), '127.0.0.1'));
  await Promise.race(sockets.map((socket) => once(socket, 'close')));
  for (const socket of sockets) socket.destroy();
  expect(logged).toEqual(['warn bridge: 2 connections are open: one that rests makes way for each that comes']);
});
