// An exchange that answers some requests and others not: what goes unanswered holds the connections that it is on, and nothing
// that is more urgent waits for one of those.

import { afterEach, expect, test } from 'vitest';
import type { ExchangeCommand } from '../../../src/exchange/mod.ts';
import { type RawHttpServer, rawAnswer, startRawHttpServer } from '../../support/exchange/raw-http-server.ts';
import { readAnswer, scriptedOptions } from '../../support/exchange/scripted-exchange.ts';
import { ACCOUNT, limitBuy, type Observed, observe } from '../venue.ts';

const TAKEN = rawAnswer(200, '{"message":"ok","requestId":"1","orderId":"2"}');
const OTHER = '111000000000002';
const about = { symbol: 'BTCUSDC', tradingAccountId: ACCOUNT } as const;
const cancel: ExchangeCommand = { kind: 'cancelOrder', orderId: '7', clientOrderId: null, ...about };

let server: RawHttpServer;
let observed: Observed;
const looks: (() => void)[] = [];
/** So many commands are refused for their login first. */
let refusals = 0;
afterEach(async () => {
  await observed.client.close();
  await server.close();
});

/** A client of an exchange that leaves requests with one of these words in them unanswered for good. */
async function start(...unanswered: readonly string[]): Promise<void> {
  // Nothing goes out because something else was given up.
  await startWith({ timeouts: { requestMs: 60_000, overtakeMs: 60_000, loginMs: 60_000 } }, unanswered);
}

async function startWith(
  options: Partial<Parameters<typeof observe>[0]>,
  unanswered: readonly string[],
): Promise<void> {
  server = await startRawHttpServer((request) => {
    for (const look of looks.splice(0)) look();
    if (unanswered.some((word) => request.includes(word))) return () => {};
    if (/^GET \S*\/(orders|trades)\?/.test(request)) return rawAnswer(200, '[]');
    if (!request.startsWith('POST') || request.includes('/login')) return readAnswer(request);
    return refusals-- > 0 ? rawAnswer(401, '{"message":"no such login"}') : TAKEN;
  });
  const settings = { connectionsMax: 2, readConnectionsMax: 2 };
  observed = observe({ ...scriptedOptions(server.url, [ACCOUNT, OTHER]), settings, ...options });
  await observed.client.start();
}

/** So many requests with this word in them have arrived. */
async function arrived(word: string, count: number): Promise<void> {
  while (server.requests.filter((request) => request.includes(word)).length < count) {
    await new Promise<void>((resolve) => looks.push(resolve));
  }
}

test('C3 X3 a cancel waits for no connection that an unanswered order holds', async () => {
  await start('CreateOrder');
  for (const id of ['1', '2', '3']) void observed.client.submit(id, limitBuy(id));
  await arrived('CreateOrder', 2);
  expect(await observed.client.submit('c', cancel)).toMatchObject({ kind: 'accepted' });
});

test('B4 an order waits for no connection that an unanswered command of the bridge holds', async () => {
  await start('TerminateAMM');
  const fields = { commandType: 'V3TerminateAMMInstruction', tradingAccountId: ACCOUNT };
  const path = '/trading-api/v2/command';
  for (const id of ['1', '2', '3']) void observed.client.send(id, { kind: 'raw', path, fields });
  await arrived('TerminateAMM', 2);
  expect(await observed.client.submit('4', limitBuy('4'))).toMatchObject({ kind: 'accepted' });
});

test('B4 a read of our own waits for no connection that an unanswered question of the bridge holds', async () => {
  await start('/candle');
  for (let i = 0; i < 3; i++) void observed.client.get('/trading-api/v1/markets/BTCUSDC/candle');
  await arrived('/candle', 2);
  expect(await observed.client.recent(ACCOUNT)).toEqual({ orders: [], trades: [] });
});

test('C3 a login, without which no cancel leaves, waits for no connection that an unanswered read holds', async () => {
  await start('/v2/orders?');
  refusals = 1;
  for (const account of ['1', '2', '3']) void observed.client.recent(account);
  await arrived('/v2/orders?', 2);
  expect(await observed.client.submit('c', cancel)).toMatchObject({ kind: 'accepted' });
  expect(refusals, 'the first login was refused').toBeLessThan(1);
});

test("X3 in serial mode an unanswered order delays all accounts' until refused; a cancel passes", async () => {
  const timeouts = { requestMs: 60_000, overtakeMs: 100, orderWaitMs: 100 };
  await startWith({ nonceMode: 'serial', timeouts }, ['CreateOrder']);
  void observed.client.submit('1', limitBuy('1'));
  await arrived('CreateOrder', 1);
  const order = await observed.client.submit('2', { ...limitBuy('2'), tradingAccountId: OTHER });
  expect(order).toMatchObject({ kind: 'refused', httpStatus: null });
  const cancelled = await observed.client.submit('c', { ...cancel, tradingAccountId: OTHER });
  expect(cancelled).toMatchObject({ kind: 'accepted' });
  expect(server.requests.filter((request) => request.includes('CreateOrder'))).toHaveLength(1);
});
