// Unexpected input on a connection of commands, from an exchange or a device that miscounts, or sends answers of no
// command.

import type { Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { ExchangeClientOptions } from '../../../src/exchange-client/mod.ts';
import {
  type RawAnswer,
  type RawHttpServer,
  rawAnswer,
  startRawHttpServer,
} from '../../support/exchange/raw-http-server.ts';
import { readAnswer, scriptedOptions } from '../../support/exchange/scripted-exchange.ts';
import { ACCOUNT, limitBuy, type Observed, observe } from '../venue.ts';

let server: RawHttpServer;
let observed: Observed;
afterEach(async () => {
  await observed.client.close();
  await server.close();
});

/** A client with one connection for orders; `answer` is asked what the command with this reference is answered with. */
async function start(answer: (reference: string) => RawAnswer, more: Partial<ExchangeClientOptions> = {}) {
  server = await startRawHttpServer((request) => {
    if (!request.startsWith('POST') || request.includes('/login')) return readAnswer(request);
    return answer(/"handle":"(\d+)"/.exec(request)![1]!);
  });
  const settings = { connectionsMax: 1 };
  observed = observe({ ...scriptedOptions(server.url, [ACCOUNT]), settings, ...more });
  await observed.client.start();
  return observed.client;
}

const acknowledged = (reference: string): string =>
  rawAnswer(200, JSON.stringify({ requestId: `5${reference}`, orderId: `9${reference}`, handle: reference }));

test("U1 a repeated acknowledgement is not the next order's, and later orders have their own", async () => {
  const client = await start((reference) => acknowledged(reference === '2' ? '1' : reference));
  expect(await client.submit('a', limitBuy('1'))).toMatchObject({ kind: 'accepted', orderId: '91' });
  expect(await client.submit('b', limitBuy('2'))).toEqual({ kind: 'unknown', message: 'HTTP 200 for another command' });
  expect(await client.submit('c', limitBuy('3'))).toMatchObject({ kind: 'accepted', orderId: '93' });
});

test("U1 ends a connection with shifted answers: no later order gets another's id", async () => {
  // On the first connection each is answered with what the one before should have been.
  let shifted: Socket | null = null;
  let before = '1';
  const client = await start((reference) => (socket) => {
    shifted ??= socket;
    socket.write(acknowledged(socket === shifted ? before : reference));
    before = reference;
  });
  const outcomes = await Promise.all(['1', '2', '3', '4'].map((id) => client.submit(id, limitBuy(id))));
  expect(outcomes.map((outcome) => (outcome.kind === 'accepted' ? outcome.orderId : outcome.message))).toEqual([
    '91',
    'HTTP 200 for another command',
    '93',
    '94',
  ]);
});

test('U1 a negotiated trade that is acknowledged under the key of another is unknown', async () => {
  const client = await start(() =>
    rawAnswer(200, '{"requestId":"1","otcTradeId":"7","sharedMatchKey":"ofTheFirst0001"}'),
  );
  const enter = (sharedMatchKey: string) =>
    client.submit(sharedMatchKey, {
      kind: 'raw',
      path: '/trading-api/v2/otc-trades',
      fields: { commandType: 'V1CreateOtcTrade', handle: '1', sharedMatchKey, tradingAccountId: ACCOUNT },
    });
  expect(await enter('ofTheFirst0001')).toMatchObject({ kind: 'accepted' });
  expect(await enter('ofTheSecond002')).toEqual({ kind: 'unknown', message: 'HTTP 200 for another command' });
});

test("U1 a repeated acknowledgement with only its request id is not the next command's", async () => {
  // Of a transfer, of a cancel, of an AMM instruction: each has a request id of its own.
  let requests = 0;
  const client = await start((reference) => rawAnswer(200, `{"requestId":"${reference === '2' ? 1 : ++requests}"}`));
  const transfer = (handle: string) =>
    client.submit(handle, {
      kind: 'raw',
      path: '/trading-api/v2/command',
      fields: { commandType: 'V2TransferAsset', handle, assetSymbol: 'BTC', quantity: '1' },
    });
  expect(await transfer('1')).toMatchObject({ kind: 'accepted', requestId: '1' });
  expect(await transfer('2')).toEqual({
    kind: 'unknown',
    message: 'HTTP 200 for the command before it, once more',
  });
  expect(await transfer('3')).toMatchObject({ kind: 'accepted', requestId: '2' });
});

test('a refusal says the same of every command: it counts for each', async () => {
  const client = await start(() => rawAnswer(400, '{"message":"no","errorCode":2001}'));
  for (const id of ['1', '2']) expect(await client.submit(id, limitBuy(id))).toMatchObject({ kind: 'refused' });
});

test('U1 an acknowledgement that names no reference, or the same number otherwise, is that of the order', async () => {
  const bodies = ['{"orderId":"91"}', '{"orderId":"92","handle":"002"}', '{"orderId":"93","clientOrderId":3}'];
  const client = await start((reference) => rawAnswer(200, bodies[Number(reference) - 1]!));
  for (const id of ['1', '2', '3']) {
    expect(await client.submit(id, limitBuy(id))).toMatchObject({ kind: 'accepted', orderId: `9${id}` });
  }
});

test.each([
  ['with a length', (body: string) => rawAnswer(200, body)],
  [
    'in one chunk',
    (body: string) =>
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  ],
])(
  'U1 an answer of ten megabytes %s is not read: its command is unknown, and no session waits for it',
  async (_how, answer) => {
    const pad = '1.5'.concat(',1.5'.repeat(2_500_000));
    const client = await start(() => answer(`{"requestId":"1","orderId":"9","handle":"1","pad":[${pad}]}`));
    expect(await client.submit('a', limitBuy('1'))).toEqual({
      kind: 'unknown',
      message: 'no whole answer: answer longer than 262144 bytes',
    });
  },
);
