// Whatever a client sends, the simulated exchange answers; nothing brings it down. A failure prints fast-check's seed.

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readStreamRequest } from '../../../src/exchange/mod.ts';
import type { Simulator } from '../../../src/simulator/mod.ts';
import { checkAsyncProperty, checkProperty } from '../../support/random/seeded-property.ts';
import { ACCOUNT, Caller, type Json, startTestSimulator, v2Cancel, v2Order } from '../exchange-caller.ts';

let simulator: Simulator;
let caller: Caller;
beforeAll(async () => {
  simulator = await startTestSimulator();
  caller = await Caller.loggedIn(simulator);
});
afterAll(() => simulator.close());

const odd = fc.oneof(
  fc.constantFrom(
    'constructor',
    '__proto__',
    'toString',
    '',
    '0',
    '-1',
    '1e9',
    '99999999999999999999999999',
    ' ',
    null,
    // A value without a text form.
    { toString: null },
    [{ toString: null }],
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const template = fc.constantFrom<Json>(
  v2Order({ handle: '1' }),
  v2Cancel({ orderId: '1' }),
  { commandType: 'V1AmendOrder', orderId: '1', symbol: 'BTCUSDC', price: '1', tradingAccountId: ACCOUNT },
  { commandType: 'V1DelayedCancelAllOrders', delayBySeconds: '5', tradingAccountId: ACCOUNT },
  {
    commandType: 'V2TransferAsset',
    assetSymbol: 'BTC',
    quantity: '1',
    fromTradingAccountId: ACCOUNT,
    toTradingAccountId: ACCOUNT,
  },
  { commandType: 'V3TerminateAMMInstruction', instructionId: '1', symbol: 'BTCUSDC', tradingAccountId: ACCOUNT },
);

test('a command with any field replaced by anything is acknowledged or refused, never a 500', async () => {
  await checkAsyncProperty(
    fc.asyncProperty(
      template,
      fc.nat(20),
      odd,
      fc.constantFrom('v2' as const, 'v3' as const),
      async (command, at, value, dialect) => {
        const names = Object.keys(command);
        const name = names[at % names.length]!;
        const { status, json } = await caller.send({ ...command, [name]: value }, { dialect });
        expect([200, 400, 403, 404]).toContain(status);
        if (status !== 200) expect(json).toMatchObject({ errorCode: expect.any(Number), message: expect.any(String) });
      },
    ),
    150,
  );
});

test('names that every object has are no command, no order type, no topic and no stream', async () => {
  expect((await caller.send({ commandType: 'constructor' })).status).toBe(400);
  expect((await caller.send(v2Order({ type: 'constructor' }))).json.errorCode).toBe(2013);
  const stream = await caller.stream();
  expect((await stream.subscribe({ topic: 'constructor' })).error).toMatchObject({ errorCode: '29013' });
  stream.close();
  await expect(caller.stream('constructor')).rejects.toThrow('404');
});

test('any query is answered', async () => {
  const paths = ['v2/orders', 'v1/trades', 'v2/history/orders', 'v2/amm-instructions', 'v1/history/transfer'];
  const name = fc.constantFrom(
    '_pageSize',
    '_nextPage',
    '_metaData',
    'createdAtDatetime[gte]',
    'createdAtTimestamp[lt]',
    'status',
    'symbol',
  );
  await checkAsyncProperty(
    fc.asyncProperty(
      fc.constantFrom(...paths),
      fc.array(fc.tuple(name, fc.string({ maxLength: 20 })), { maxLength: 4 }),
      async (path, query) => {
        const text = new URLSearchParams([['tradingAccountId', ACCOUNT], ...query]);
        expect([200, 400]).toContain((await caller.get(`/trading-api/${path}?${text}`)).status);
      },
    ),
    80,
  );
});

test('the control endpoint obeys or refuses anything, never with a 500', async () => {
  // The parameters of each path: one missing field hides the others.
  const fieldsOf: Readonly<Record<string, string>> = {
    faults: 'answers streams rejections timed latency clockOffsetMs clear what on times',
    auctions: 'symbol action phase byMs message',
    counterparty: 'symbol side price quantity timeInForce',
    markets: 'symbol marketEnabled cancelOrderEnabled',
    'orders/cancel': 'orderId reason',
    'streams/cut': 'which',
    world: 'assets markets users accounts',
    funds: 'tradingAccountId asset quantity',
    deposits: 'tradingAccountId asset network quantity address',
    custody: 'asset enabled destinationId restricted',
    otc: 'hold',
    'index-prices': 'asset price',
  };
  const sound: Readonly<Record<string, unknown>> = {
    symbol: 'BTCUSDC',
    action: 'phase',
    phase: 'CROSS',
    side: 'BUY',
    price: '60000',
    quantity: '1',
    asset: 'BTC',
    tradingAccountId: ACCOUNT,
    network: 'BTC',
  };
  const told = fc.constantFrom(...Object.keys(fieldsOf)).chain((path) => {
    const names = fieldsOf[path]!.split(' ');
    const value = (name: string) => (sound[name] === undefined ? odd : fc.oneof(fc.constant(sound[name]), odd));
    const fields = fc.record(Object.fromEntries(names.map((name) => [name, value(name)])), { requiredKeys: [] });
    const others = fc.dictionary(fc.constantFrom('__proto__', 'constructor'), odd, { maxKeys: 1 });
    return fc.tuple(fc.constant(path), fields, others);
  });
  await checkAsyncProperty(
    fc.asyncProperty(told, async ([path, fields, others]) => {
      const body = JSON.stringify({ ...fields, ...others });
      const answer = await caller.fetch(`/control/${path}`, { method: 'POST', body });
      expect([200, 400, 404], `${path} ${JSON.stringify(answer.json)}`).toContain(answer.status);
      simulator.control.clearFaults();
    }),
    100,
  );
});

test('an index price of an asset that is not listed, or that is not positive, is refused', async () => {
  for (const fields of [
    { asset: 'BTC', price: 'constructor' },
    { asset: 'BTC', price: '-1' },
    { asset: 'BTC', price: '0' },
    { asset: 'NOPE', price: '1' },
  ]) {
    const answer = await caller.fetch('/control/index-prices', { method: 'POST', body: JSON.stringify(fields) });
    expect(answer.status, JSON.stringify(fields)).toBe(400);
  }
});

test('a stream survives any text frame', async () => {
  checkProperty(fc.property(fc.oneof(fc.string(), fc.json()), (text) => readStreamRequest(text).kind.length > 0));
  const stream = await caller.stream();
  for (const frame of fc.sample(fc.oneof(fc.string({ maxLength: 100 }), fc.json()), { numRuns: 100, seed: 1 })) {
    stream.socket.send(frame);
  }
  for (const params of [null, [], 'x', { topic: 5 }, { topic: '+' }, { topic: 'orders', tradingAccountId: {} }]) {
    stream.socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'subscribe', params, id: '1' }));
  }
  await stream.ping();
  stream.close();
});

test('a body larger than the limit is 413 with an error body', async () => {
  const { status, json } = await caller.send(v2Order({ handle: '1'.repeat(2_000_000) }));
  expect([status, json.errorCode]).toEqual([413, 413]);
});

test('GET /time shows a differing clock, which refuses old timestamps', async () => {
  simulator.control.setClockOffset(3_600_000);
  const { json } = await caller.fetch('/trading-api/v1/time');
  expect(Number(json.timestamp)).toBeGreaterThan(Date.now() + 3_000_000);
  expect((await caller.send(v2Order())).status).toBe(400);
  simulator.control.clearFaults();
  expect((await caller.send(v2Order({ price: '59000' }))).status).toBe(200);
});

test('a request that offers HTTP/2, as those of Java’s own client, is answered in HTTP/1.1', async () => {
  const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAEAAEAAAAIAAAABAAM' };
  const path = '/trading-api/v2/users/login';
  const asked = request(`${simulator.url}${path}`, { method: 'POST', headers });
  asked.end('{}');
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([400, 'application/json; charset=utf-8']);
  answer.resume();
});
