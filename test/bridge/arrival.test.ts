// Requests as they come in over TCP: only their head is asked for, or they come too slowly, cut, or as no HTTP at all.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { ACCOUNT, type Desk, FULL_TOKEN, liquidity, READER_TOKEN, startDesk } from './desk.ts';

const BOOK = '/trading-api/v1/markets/BTCUSDC/orderbook/hybrid';
const STREAM = '/trading-api/v1/private-data';
const AMM = '/trading-api/v2/amm-instructions';
const ALLOWED = 2;

let desk: Desk;
const logged: string[] = [];
beforeAll(async () => {
  const log = (level: string, text: string): void => void logged.push(`${level} ${text}`);
  desk = await startDesk({ log, limits: { requestArrivalMs: 300, requestsPerTokenMax: ALLOWED } });
});
afterAll(() => desk.close());

/** Send these bytes, `later` once something came, and read to the end of the connection. */
async function answerTo(
  text: string,
  later?: string,
): Promise<{ status: number; headers: string; body: string; read: string; afterMs: number }> {
  const begun = performance.now();
  const socket = connect(Number(new URL(desk.bridge.url).port), '127.0.0.1');
  socket.write(text);
  let read = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    if (later !== undefined && read === '') socket.write(later);
    read += chunk;
  });
  await new Promise((resolve) => socket.once('close', resolve));
  const [headers = '', body = ''] = read.split('\r\n\r\n');
  return { status: Number(headers.split(' ')[1]), headers, body, read, afterMs: performance.now() - begun };
}

const begin = (length: number): string =>
  `POST ${AMM} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${FULL_TOKEN}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{"commandType":`;

test('HEAD is answered as GET is, without the body', async () => {
  const head = async (path: string, token: string | null = FULL_TOKEN): Promise<Response> =>
    fetch(desk.bridge.url + path, {
      method: 'HEAD',
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
    });
  const api = await head('/openapi.json', null);
  expect([api.status, await api.text()]).toEqual([200, '']);
  expect(Number(api.headers.get('content-length'))).toBeGreaterThan(1000);
  const book = await head(BOOK);
  expect([book.status, book.headers.get('content-type'), await book.text()]).toEqual([
    200,
    'application/json; charset=utf-8',
    '',
  ]);
  expect((await head(BOOK, null)).status).toBe(401);
  expect((await head('/trading-api/v1/nonce')).status).toBe(404);
  // A command is not carried out by asking for its head.
  expect((await head('/trading-api/v2/command')).status).toBe(405);
});

test('serves an absolute target like any other, also with a wrong method', async () => {
  const ask = (method: string) =>
    answerTo(
      `${method} http://bridge.test:80${BOOK}?depth=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${FULL_TOKEN}\r\n\r\n`,
    );
  const [get, put] = [await ask('GET'), await ask('PUT')];
  expect([get.status, put.status, JSON.parse(put.body).code]).toEqual([200, 405, 'method-not-allowed']);
  expect(put.headers).toContain('allow: GET, HEAD');
});

test("strangers' connections keep no caller out, and end no stream of one", async () => {
  const stream = new WebSocket(desk.bridge.url.replace('http', 'ws') + STREAM, {
    headers: { authorization: `Bearer ${FULL_TOKEN}` },
  });
  await once(stream, 'open');
  const idle: Socket[] = [];
  for (let opened = 0; opened < 150; opened++) {
    const socket = connect(Number(new URL(desk.bridge.url).port), '127.0.0.1').on('error', () => {});
    idle.push(socket);
    await once(socket, 'connect');
  }
  const answer = await answerTo(
    `GET ${BOOK} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${FULL_TOKEN}\r\n\r\n`,
  );
  expect(answer.status).toBe(200);
  stream.ping();
  await once(stream, 'pong');
  for (const socket of idle) socket.destroy();
  stream.terminate();
});

test('connections that a caller leaves open keep no other caller out, and end no stream of one', async () => {
  const stream = new WebSocket(desk.bridge.url.replace('http', 'ws') + STREAM, {
    headers: { authorization: `Bearer ${FULL_TOKEN}` },
  });
  await once(stream, 'open');
  const ask = (token: string, connection: string): string =>
    `GET ${BOOK} HTTP/1.1\r\nHost: localhost\r\nConnection: ${connection}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const left: Socket[] = [];
  for (let opened = 0; opened < 120; opened++) {
    const socket = connect(Number(new URL(desk.bridge.url).port), '127.0.0.1').on('error', () => {});
    left.push(socket);
    socket.write(ask(READER_TOKEN, 'keep-alive'));
    // Those that find no room are ended without an answer.
    await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  }
  expect((await answerTo(ask(FULL_TOKEN, 'close'))).status).toBe(200);
  // Not for each of them.
  const full = logged.filter((line) => line.includes('connections are open'));
  expect(full[0]).toBe('warn 100 connections are open: one that rests makes way for each that comes');
  expect(full.length).toBeLessThan(10);
  stream.ping();
  await once(stream, 'pong');
  for (const socket of left) socket.destroy();
  stream.terminate();
});

test('cuts a request with a slow body soon after its time, and carries none of it out', async () => {
  const before = desk.audited.length;
  const answer = await answerTo(begin(500));
  expect(answer.status).toBe(408);
  expect(answer.headers).toContain('application/problem+json');
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'too-slow', status: 408 });
  expect(answer.afterMs).toBeLessThan(3_000);
  expect(desk.audited).toHaveLength(before);
});

test('answers a complete command before refusing any input behind it', async () => {
  desk.simulator.control.setLatency({ minMs: 900, maxMs: 900 });
  const body = JSON.stringify(liquidity());
  const whole = begin(body.length).replace('{"commandType":', body);
  const carriedOut = (): number => desk.audited.filter(({ action }) => action === 'bridge: outcome accepted').length;
  for (const [behind, code] of [
    // As with a Content-Length that leaves out blanks.
    ['   ', 'malformed'],
    ['x', 'malformed'],
    [`GET / HTTP/1.1\r\nHost: localhost\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`, 'too-large'],
    [begin(500), 'too-slow'],
  ] as const) {
    const before = carriedOut();
    const { read } = await answerTo(whole + behind);
    const [first, second, ...more] = read.split(/(?=HTTP\/1\.1 )/);
    expect([first?.slice(9, 12), carriedOut() - before], behind.slice(0, 9)).toEqual(['200', 1]);
    expect([second, more]).toEqual([expect.stringContaining(`"code":"${code}"`), []]);
    expect(second).toContain('Connection: close');
  }
  desk.simulator.control.setLatency({ minMs: 0, maxMs: 0 });
});

test('requests that are sent ahead on one connection, however many, are no leak that Node.js warns of', async () => {
  const warned: string[] = [];
  const onWarning = ({ message }: Error): void => void warned.push(message);
  process.on('warning', onWarning);
  const many = await startDesk();
  const socket = connect(Number(new URL(many.bridge.url).port), '127.0.0.1');
  const ask = (more: string): string =>
    `GET ${BOOK} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${FULL_TOKEN}\r\n${more}\r\n`;
  socket.write(ask('').repeat(11) + ask('Connection: close\r\n'));
  let read = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    read += chunk;
  });
  await once(socket, 'close');
  expect(read.match(/HTTP\/1\.1 200/g)).toHaveLength(12);
  await many.close();
  process.off('warning', onWarning);
  expect(warned).toEqual([]);
});

test('requests that are cut give their places back to the caller', async () => {
  for (let i = 0; i <= ALLOWED; i++) {
    const socket = connect(Number(new URL(desk.bridge.url).port), '127.0.0.1');
    socket.write(begin(500));
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
  }
  await Promise.all(Array.from({ length: ALLOWED }, () => answerTo(begin(500))));
  expect((await desk.post(AMM, liquidity())).status).toBe(200);
});

test("a caller that hangs up keeps its request's place until the exchange has answered", async () => {
  desk.simulator.control.setLatency({ minMs: 400, maxMs: 400 });
  const audited = (what: string): number => desk.audited.filter(({ action }) => action.includes(what)).length;
  const before = { sent: audited('V3CreateAMM'), answered: audited('outcome') };
  const hangUp = new AbortController();
  const headers = { authorization: `Bearer ${FULL_TOKEN}`, 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(liquidity()), signal: hangUp.signal };
  const impatient = Array.from({ length: ALLOWED }, () => fetch(desk.bridge.url + AMM, request));
  while (audited('V3CreateAMM') < before.sent + ALLOWED) await new Promise((resolve) => setImmediate(resolve));
  hangUp.abort();
  for (const call of impatient) await expect(call).rejects.toThrow();
  expect((await desk.get(BOOK)).status).toBe(429);
  while (audited('outcome') < before.answered + ALLOWED) await new Promise((resolve) => setImmediate(resolve));
  expect((await desk.get(BOOK)).status).toBe(200);
  desk.simulator.control.setLatency({ minMs: 0, maxMs: 0 });
});

test('answers input other than HTTP, and endless headers, as problems too', async () => {
  const none = await answerTo('8=FIX.4.4\x019=5\x0135=0\x01\r\n\r\n');
  expect([none.status, JSON.parse(none.body).code]).toEqual([400, 'malformed']);
  const long = await answerTo(`GET ${BOOK} HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`);
  expect([long.status, JSON.parse(long.body).code]).toEqual([431, 'too-large']);
});

test("carries out a request that offers HTTP/2, as Java's first, and keeps its connection", async () => {
  const command = JSON.stringify({ commandType: 'V1CancelAllOtcTrades', tradingAccountId: ACCOUNT });
  const post = (connection: string): string =>
    `POST /trading-api/v2/otc-command HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${FULL_TOKEN}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${command.length}\r\nConnection: ${connection}\r\n\r\n${command}`;
  const offer = 'Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA';
  const { status, read } = await answerTo(post(offer), post('close'));
  expect(status, read).toBe(200);
  expect(read.match(/Command acknowledged - CancelAllOtcTrades/g)).toHaveLength(2);
});

test('answers a missing Host, an unknown Expect and a stream without handshake as problems', async () => {
  const hostless = await answerTo(
    `GET ${BOOK} HTTP/1.1\r\nAuthorization: Bearer ${FULL_TOKEN}\r\nConnection: close\r\n\r\n`,
  );
  const expecting = await answerTo(begin(15).replace('Content-Type', 'Expect: tea\r\nContent-Type'));
  const upgrade = `GET ${STREAM} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${FULL_TOKEN}\r\nConnection: upgrade\r\n`;
  const keyless = await answerTo(`${upgrade}Upgrade: websocket\r\n\r\n`);
  const ofOldVersion = await answerTo(
    `${upgrade}Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 7\r\n\r\n`,
  );
  for (const [answer, status] of [
    [hostless, 400],
    [expecting, 417],
    [keyless, 400],
    [ofOldVersion, 400],
  ] as const) {
    expect(answer.headers.toLowerCase()).toContain('content-type: application/problem+json');
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([status, { code: 'malformed', status }]);
  }
  expect(ofOldVersion.headers.toLowerCase()).toContain('sec-websocket-version: 13, 8');
});
