// Connections of commands: which failure says that nothing left and which leaves everything open (rule U1), what a connection
// is used for again, and what is written on it.

import type { Socket } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  CommandConnections,
  type CommandConnectionsLimits,
} from '../../../src/exchange-client/commands/command-connections.ts';
import { errorText, type HttpRequest } from '../../../src/exchange-client/reads/http.ts';
import {
  type RawAnswer,
  type RawHttpServer,
  rawAnswer,
  startRawHttpServer,
} from '../../support/exchange/raw-http-server.ts';

let server: RawHttpServer | null = null;
let connections: CommandConnections | null = null;
afterEach(async () => {
  connections?.close();
  await server?.close();
  [server, connections] = [null, null];
});

/** Connections to a server that answers the n-th request with the n-th answer, and then with the last. */
async function connected(answers: readonly RawAnswer[], limits: Partial<CommandConnectionsLimits> = {}) {
  let count = 0;
  const arrived: (() => void)[] = [];
  server = await startRawHttpServer(() => {
    for (const resolve of arrived.splice(0)) resolve();
    return answers[Math.min(count++, answers.length - 1)]!;
  });
  connections = new CommandConnections(server.url, {
    connections: 1,
    connectMs: 60_000,
    requestMs: 60_000,
    ...limits,
  });
  const { requests } = server;
  /** Until so many requests have arrived. */
  const until = async (requestsMin: number): Promise<void> => {
    while (requests.length < requestsMin) await new Promise<void>((resolve) => arrived.push(resolve));
  };
  return { connections, requests, until };
}

const command = (body: string | null = '{}', more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'POST',
  target: '/trading-api/v2/orders',
  headers: { 'content-type': 'application/json' },
  body,
  ...more,
});
const OK = rawAnswer(200, '{"n":1}');
const SILENT: RawAnswer = () => {};

test('a request is one text: line, host, headers, length in bytes, body in UTF-8', async () => {
  const { connections, requests } = await connected([OK]);
  expect(await connections.send(command('{"x":"é"}'))).toMatchObject({ kind: 'answer', status: 200, body: '{"n":1}' });
  const { host } = new URL(server!.url);
  const head = `POST /trading-api/v2/orders HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: 10`;
  expect(requests).toEqual([`${head}\r\n\r\n${Buffer.from('{"x":"é"}').toString('latin1')}`]);
});

test('U1 a command that finds no connection in time was not sent; the one that holds it is unknown', async () => {
  const { connections, requests, until } = await connected([SILENT]);
  const first = connections.send(command('{"first":1}'));
  await until(1);
  expect(await connections.send(command('{"second":1}'), 5)).toEqual({
    kind: 'notSent',
    message: 'no connection within 5 ms',
  });
  connections.close();
  expect(await first).toMatchObject({ kind: 'broken' });
  expect(await connections.send(command())).toEqual({ kind: 'notSent', message: 'the client is closed' });
  expect(requests).toHaveLength(1);
});

test('U1 a command without an answer in time is unknown; its connection ends and the next has another', async () => {
  const { connections, requests } = await connected([SILENT, OK]);
  expect(await connections.send(command('{"first":1}'), 20)).toEqual({
    kind: 'broken',
    message: 'no answer within 20 ms',
  });
  expect(await connections.send(command('{"second":1}'))).toMatchObject({ kind: 'answer' });
  expect(requests).toHaveLength(2);
});

test('a command that waits is not lost with the connection that it waits for: it has the next one', async () => {
  const { connections, until, requests } = await connected([SILENT, OK]);
  const first = connections.send(command('{"first":1}'), 30);
  await until(1);
  const second = connections.send(command('{"second":1}'));
  expect(await first).toMatchObject({ kind: 'broken' });
  expect(await second).toMatchObject({ kind: 'answer' });
  expect(requests).toHaveLength(2);
});

test('U1 a connection that cannot be had is one command that was not sent; the others try again', async () => {
  const { connections } = await connected([OK], { connections: 2 });
  await server!.close();
  const all = [1, 2, 3].map((n) => connections.send(command(`{"n":${n}}`)));
  expect(await Promise.all(all)).toEqual(Array(3).fill({ kind: 'notSent', message: 'connect failed (ECONNREFUSED)' }));
});

test('names an untrusted certificate without its content, which would reach Text(58)', () => {
  const certificate = { subject: { CN: 'inside.venue' }, subjectaltname: 'DNS:inside.venue' } as PeerCertificate;
  const otherName = checkServerIdentity('exchange.desk.internal', certificate)!;
  expect(otherName.message).toContain('exchange.desk.internal');
  expect(errorText(otherName)).toBe('ERR_TLS_CERT_ALTNAME_INVALID: the certificate of the exchange is for other names');
  const late = Object.assign(new Error('Connect Timeout Error (attempted address: exchange.desk.internal:443)'), {
    code: 'UND_ERR_CONNECT_TIMEOUT',
  });
  expect(errorText(late)).toBe('UND_ERR_CONNECT_TIMEOUT: no connection in time');
  const noTls = Object.assign(
    new Error('40CD2C:error:0A00010B:SSL routines:tls_validate:wrong version number:../deps/x.c:77:'),
    {
      code: 'ERR_SSL_WRONG_VERSION_NUMBER',
      reason: 'wrong version number',
    },
  );
  expect(errorText(noTls)).toBe('ERR_SSL_WRONG_VERSION_NUMBER: wrong version number');
});

test('U1 a command waiting for a connection when all are closed was not sent', async () => {
  const { connections, until } = await connected([SILENT]);
  void connections.send(command());
  await until(1);
  const waiting = [connections.send(command()), connections.send(command())];
  connections.close();
  expect(await Promise.all(waiting)).toEqual(Array(2).fill({ kind: 'notSent', message: 'the client is closed' }));
});

test('U1 reports a command as unsent at once if all connections turn out closed', async () => {
  const { connections, requests } = await connected([OK]);
  await connections.send(command());
  const now = performance.now();
  const later = vi.spyOn(performance, 'now').mockReturnValue(now + 1_000);
  const second = connections.send(command());
  later.mockRestore();
  connections.close();
  expect(await second).toEqual({ kind: 'notSent', message: 'the client is closed' });
  expect(requests).toHaveLength(1);
});

test('a connection carries one command at a time: the next goes out with the answer to the one before', async () => {
  let answer = (): void => {};
  const held: RawAnswer = (socket) => {
    answer = () => socket.write(OK);
  };
  const { connections, requests, until } = await connected([held, OK]);
  const first = connections.send(command('{"first":1}'));
  const second = connections.send(command('{"second":1}'));
  await until(1);
  // A read of something else in between shows that nothing more is on its way.
  await fetch(`${server!.url}/elsewhere`).then((response) => response.text());
  expect(requests.filter((request) => request.startsWith('POST'))).toHaveLength(1);
  answer();
  expect(await Promise.all([first, second])).toMatchObject([{ kind: 'answer' }, { kind: 'answer' }]);
});

test('so many commands are unanswered at once as there may be connections', async () => {
  const { connections, requests, until } = await connected([SILENT], { connections: 2 });
  const all = [1, 2, 3].map((n) => connections.send(command(`{"n":${n}}`)));
  await until(2);
  connections.close();
  const kinds = (await Promise.all(all)).map(({ kind }) => kind);
  expect(kinds.toSorted()).toEqual(['broken', 'broken', 'notSent']);
  expect(requests).toHaveLength(2);
});

test.each([
  ['that says it ends', rawAnswer(200, '{}', 'application/json', 'connection: close\r\n')],
  [
    'that is kept for no longer than a request needs',
    rawAnswer(200, '{}', 'application/json', 'keep-alive: timeout=1\r\n'),
  ],
  ['with more behind its answer', `${OK}HTTP/1.1 200 X`],
])('a connection %s is not used again', async (_which, answer) => {
  const sockets = new Set<unknown>();
  const noted: RawAnswer = (socket) => {
    sockets.add(socket);
    socket.write(answer);
  };
  const { connections } = await connected([noted]);
  for (let i = 0; i < 3; i++) expect(await connections.send(command())).toMatchObject({ kind: 'answer' });
  expect(sockets.size).toBe(3);
});

describe('of two connections one ends', () => {
  /** Two connections to an exchange that answers when two commands are there, both used once. */
  async function pair() {
    const sockets: Socket[] = [];
    let waiting: Socket[] = [];
    const pairs: RawAnswer = (socket) => {
      sockets.push(socket);
      waiting = [...waiting.filter((each) => !each.destroyed), socket];
      if (waiting.length < 2) return;
      for (const each of waiting) each.write(OK);
      waiting = [];
    };
    const { connections } = await connected([pairs], { connections: 2 });
    const both = () => Promise.all([connections.send(command('{"n":1}')), connections.send(command('{"n":2}'))]);
    expect(await both()).toMatchObject([{ kind: 'answer' }, { kind: 'answer' }]);
    return { connections, sockets, both };
  }

  test.each([0, 1])('unused (%i): the other is used again, and two are to be had', async (ended) => {
    const { sockets, both } = await pair();
    const closed = new Promise((resolve) => sockets[ended]!.once('close', resolve));
    sockets[ended]!.end();
    await closed;
    expect(await both()).toMatchObject([{ kind: 'answer' }, { kind: 'answer' }]);
    expect(new Set(sockets).size).toBe(3);
  });

  test('with a command on it: the other is used again, and two are to be had', async () => {
    const { connections, sockets, both } = await pair();
    expect(await connections.send(command('{"n":3}'), 20)).toMatchObject({ kind: 'broken' });
    const last = sockets.at(-1)!;
    if (!last.destroyed) await new Promise((resolve) => last.once('close', resolve));
    expect(await both()).toMatchObject([{ kind: 'answer' }, { kind: 'answer' }]);
    expect(new Set(sockets).size).toBe(3);
  });
});

test('a connection that stays is used again', async () => {
  const sockets = new Set<unknown>();
  const noted: RawAnswer = (socket) => {
    sockets.add(socket);
    socket.write(OK);
  };
  const { connections } = await connected([noted]);
  for (let i = 0; i < 3; i++) expect(await connections.send(command())).toMatchObject({ kind: 'answer' });
  expect(sockets.size).toBe(1);
});

test.each([
  ['a line break in a header', { headers: { 'bx-nonce': '1\r\nbx-evil: 1' } }],
  ['a name of a header with a blank', { headers: { 'bx nonce': '1' } }],
  ['a character beyond ASCII in a header', { headers: { authorization: 'Bearer é' } }],
  ['a blank in its target', { target: '/trading-api/v2/orders HTTP/1.1' }],
  ['a target that is no path', { target: 'http://elsewhere.example/' }],
])('U1 a request with %s is not written, so nothing left', async (_what, more: Partial<HttpRequest>) => {
  const { connections, requests } = await connected([OK]);
  expect(await connections.send(command('{}', more))).toEqual({
    kind: 'notSent',
    message: 'the request cannot be written',
  });
  expect(await connections.send(command())).toMatchObject({ kind: 'answer' });
  expect(requests).toHaveLength(1);
});

test('an unrequested answer ends its connection, and belongs to no command', async () => {
  const ended = Promise.withResolvers<void>();
  const twice: RawAnswer = (socket) => {
    socket.once('close', ended.resolve);
    socket.write(OK, () => setImmediate(() => socket.write(rawAnswer(200, '{"orderId":"of another"}'))));
  };
  const { connections } = await connected([twice, rawAnswer(200, '{"n":2}')]);
  expect(await connections.send(command())).toMatchObject({ body: '{"n":1}' });
  await ended.promise;
  expect(await connections.send(command())).toMatchObject({ body: '{"n":2}' });
});
