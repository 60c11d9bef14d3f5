// Signed commands of the simulated exchange over real HTTP: signature, nonce, timestamp, envelope, dialects, refusals.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Simulator } from '../../../src/simulator/mod.ts';
import { ACCOUNT, Caller, freshNonce, startTestSimulator, v2Cancel, v2Order } from '../exchange-caller.ts';

let simulator: Simulator;
let hmac: Caller;
let ecdsa: Caller;

beforeAll(async () => {
  simulator = await startTestSimulator();
  hmac = await Caller.loggedIn(simulator, 'demo-hmac');
  ecdsa = await Caller.loggedIn(simulator, 'demo-ecdsa');
});
afterAll(() => simulator.close());

const v3 = (fields: object = {}): Record<string, unknown> => ({
  commandType: 'V3CreateOrder',
  symbol: 'BTCUSDC',
  type: 'LIMIT',
  side: 'BUY',
  price: '59000',
  quantity: '0.5',
  timeInForce: 'GTC',
  tradingAccountId: ACCOUNT,
  ...fields,
});

describe('signature', () => {
  test('X1 an HMAC key signs the hexdigest', async () => {
    const answer = await hmac.send(v2Order({ price: '59000' }));
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      message: 'Command acknowledged - CreateOrder',
      orderId: expect.stringMatching(/^\d{18}$/),
    });
  });

  test('X1 an ECDSA key signs the 64 hex characters; the string itself is refused unless accepted', async () => {
    expect((await ecdsa.send(v2Order({ price: '59000' }))).status).toBe(200);
    expect((await ecdsa.send(v2Order({ price: '59000' }), { prehash: 'none' })).json.errorCode).toBe(8008);
    const lenient = await startTestSimulator({ prehashes: ['none'] });
    const caller = await Caller.loggedIn(lenient, 'demo-ecdsa');
    expect((await caller.send(v2Order({ price: '59000' }), { prehash: 'none' })).status).toBe(200);
    expect((await caller.send(v2Order({ price: '59000' }), { prehash: 'hexdigest' })).status).toBe(400);
    await lenient.close();
  });

  test('a missing signature is 400 6029 MISSING_SIGNATURE_HEADER', async () => {
    const { status, json } = await hmac.send(v2Order(), { headers: { 'bx-signature': null } });
    expect([status, json.errorCode, json.errorCodeName]).toEqual([400, 6029, 'MISSING_SIGNATURE_HEADER']);
  });

  test('the body must be the bytes that were signed', async () => {
    const { status, json } = await hmac.send(v2Order(), { body: (body) => body.replace('BUY', 'SELL') });
    expect([status, json.errorCode]).toEqual([400, 8008]);
  });

  test('spaces and newlines in the body do not change its signature', async () => {
    const spaced = (body: string): string => JSON.stringify(JSON.parse(body), null, 2);
    expect((await hmac.send(v2Order({ price: '59000' }), { body: spaced })).status).toBe(200);
  });

  test('a key cannot sign for another login', async () => {
    const other = await Caller.loggedIn(simulator, 'other-hmac');
    other.token = hmac.token;
    expect((await other.send(v2Order())).json.errorCode).toBe(8008);
  });

  test('without or with a wrong JWT the answer is 401', async () => {
    expect((await hmac.send(v2Order(), { headers: { authorization: null } })).status).toBe(401);
    expect((await hmac.send(v2Order(), { headers: { authorization: 'Bearer x.y.z' } })).status).toBe(401);
  });
});

describe('nonce and timestamp', () => {
  test('a nonce outside the range of the day is refused (2035)', async () => {
    const yesterday = String(BigInt(Date.now() - 86_400_000) * 1000n);
    expect((await hmac.send(v2Order(), { nonce: yesterday })).json.errorCode).toBe(2035);
  });

  test('a nonce is not accepted twice, nor one below the last', async () => {
    const caller = await Caller.loggedIn(simulator, 'other-hmac');
    const order = v2Order({ tradingAccountId: '111000000000003', price: '59000' });
    const nonce = freshNonce(Date.now(), simulator.url);
    expect((await caller.send(order, { nonce })).status).toBe(200);
    expect((await caller.send(order, { nonce })).json.errorCode).toBe(2035);
    expect((await caller.send(order, { nonce: String(BigInt(nonce) - 1n) })).json.errorCode).toBe(2035);
  });

  test('with BX-NONCE-WINDOW-ENABLED a nonce may be up to 100 below the highest, once', async () => {
    const caller = await Caller.loggedIn(simulator, 'other-ecdsa');
    const order = v2Order({ tradingAccountId: '111000000000003', price: '59000' });
    const headers = { 'bx-nonce-window-enabled': 'true' };
    const highest = BigInt(freshNonce(Date.now(), simulator.url)) + 1_000n;
    const send = async (below: bigint): Promise<number> =>
      (await caller.send(order, { nonce: String(highest - below), headers })).status;
    expect([await send(0n), await send(100n), await send(100n), await send(101n), await send(1n)]).toEqual([
      200, 200, 400, 400, 200,
    ]);
    // A trailing slash is tolerated, there too.
    const options = { nonce: String(highest - 2n), headers, path: '/trading-api/v2/orders/' };
    expect((await caller.send(order, options)).status).toBe(200);
  });

  test('nonces are scoped per key', async () => {
    const nonce = freshNonce(Date.now(), simulator.url);
    expect((await hmac.send(v2Order({ price: '59000' }), { nonce })).status).toBe(200);
    expect((await ecdsa.send(v2Order({ price: '59000' }), { nonce })).status).toBe(200);
  });

  test('a timestamp far from the clock is refused', async () => {
    const timestamp = String(Date.now() - 3_600_000);
    expect((await hmac.send(v2Order(), { timestamp })).json.errorCode).toBe(8175);
  });

  test('the range changes with the UTC day', async () => {
    let now = Date.UTC(2026, 8, 23, 23, 59, 59, 999);
    const day = await startTestSimulator({ now: () => now });
    const caller = await Caller.loggedIn(day, 'demo-hmac', () => now);
    const nonce = String(BigInt(now) * 1000n);
    expect((await caller.send(v2Order(), { nonce })).status).toBe(200);
    now += 1;
    expect((await caller.send(v2Order(), { nonce: String(BigInt(nonce) + 1n) })).status).toBe(400);
    expect((await caller.send(v2Order(), { nonce: String(BigInt(now) * 1000n) })).status).toBe(200);
    await day.close();
  });
});

describe('envelope and dialects', () => {
  test('timestamp and nonce of the envelope are those of the headers, authorizer that of the login', async () => {
    expect((await hmac.send(v2Order(), { envelope: { timestamp: '1' } })).status).toBe(400);
    expect((await hmac.send(v2Order(), { envelope: { nonce: '1' } })).status).toBe(400);
    expect((await hmac.send(v2Order(), { envelope: { authorizer: 'X' } })).json.errorCode).toBe(6105);
  });

  test('X2 the flat dialect is accepted beside the envelope; nulls may be left out', async () => {
    const { status, json } = await hmac.send(v3({ clientOrderId: '9001' }), { dialect: 'v3' });
    expect([status, json.clientOrderId, json.handle]).toEqual([200, '9001', '9001']);
  });

  test('X2 a dialect that is switched off is refused', async () => {
    const only = await startTestSimulator({ dialects: ['v2'] });
    const caller = await Caller.loggedIn(only, 'demo-hmac');
    expect((await caller.send(v3(), { dialect: 'v3' })).status).toBe(400);
    await only.close();
  });

  test('X2 V2CancelOrder is taken by /v2/command and by /v2/orders', async () => {
    for (const path of ['/trading-api/v2/command', '/trading-api/v2/orders']) {
      const orderId = await hmac.create({ price: '59000' });
      const answer = await hmac.send(v2Cancel({ orderId }), { path });
      expect(answer.json).toMatchObject({
        commandType: 'V2CancelOrder',
        message: 'Command acknowledged - CancelOrder',
        orderId,
      });
      expect(simulator.control.order(orderId)?.status).toBe('CANCELLED');
    }
  });

  test('fields may be in any order', async () => {
    const reversed = Object.fromEntries(Object.entries(v2Order({ price: '59000' })).reverse());
    expect((await hmac.send(reversed)).status).toBe(200);
  });

  test('a command that does not belong to the endpoint is refused', async () => {
    expect((await hmac.send(v2Order(), { path: '/trading-api/v2/command' })).status).toBe(400);
    expect((await hmac.send({ commandType: 'V9Nothing' })).status).toBe(400);
  });

  test('removed endpoints answer 404', async () => {
    for (const path of ['/trading-api/v1/orders', '/trading-api/v1/command?commandType=V1CancelAllOrders']) {
      expect((await hmac.send(v2Order(), { path })).status).toBe(404);
    }
  });
});

describe('refusals at the door', () => {
  const refused = async (fields: object): Promise<unknown[]> => {
    const { status, json } = await hmac.send(v2Order({ ...fields }));
    return [status, json.errorCode];
  };

  test('off tick 6018, size 6023, finer than the market 2012 and 2004', async () => {
    expect(await refused({ price: '60000.05' })).toEqual([400, 6018]);
    expect(await refused({ price: '60000.00001' })).toEqual([400, 2012]);
    expect(await refused({ quantity: '0.00001' })).toEqual([400, 6023]);
    expect(await refused({ quantity: '1000' })).toEqual([400, 6023]);
    expect(await refused({ quantity: '1.000000001' })).toEqual([400, 2004]);
  });

  test('trailing zeros are free', async () => {
    expect((await hmac.send(v2Order({ price: '59000.000000', quantity: '1.0000000000' }))).status).toBe(200);
  });

  test('a handle that is no positive 64-bit integer is 6104', async () => {
    for (const handle of ['abc', '01', '-1', '9223372036854775808', '0']) {
      expect(await refused({ handle })).toEqual([400, 6104]);
    }
    expect((await hmac.send(v2Order({ handle: '9223372036854775807', price: '59000' }))).status).toBe(200);
  });

  test("an unknown market is 21000, another's account 403 6105", async () => {
    expect(await refused({ symbol: 'NOPE' })).toEqual([400, 21000]);
    expect(await refused({ tradingAccountId: '111000000000003' })).toEqual([403, 6105]);
    expect(await refused({ tradingAccountId: '111000000000900' })).toEqual([403, 6105]);
  });

  test('type, side, time in force and prices that do not fit', async () => {
    expect(await refused({ type: 'LIMIT' })).toEqual([400, 2013]);
    expect(await refused({ side: 'buy' })).toEqual([400, 2008]);
    expect(await refused({ timeInForce: 'DAY' })).toEqual([400, 2018]);
    expect(await refused({ type: 'POST_ONLY', timeInForce: 'IOC' })).toEqual([400, 2018]);
    expect(await refused({ type: 'MKT' })).toEqual([400, 2012]);
    expect(await refused({ price: null })).toEqual([400, 2012]);
    expect(await refused({ stopPrice: '1' })).toEqual([400, 2012]);
  });

  test('numbers where decimal strings belong, and nonsense, are 8175', async () => {
    expect(await refused({ price: 60000 })).toEqual([400, 8175]);
    expect(await refused({ quantity: '1e3' })).toEqual([400, 8175]);
    expect(await refused({ quantity: '-1' })).toEqual([400, 8175]);
    expect(await refused({ allowMargin: 'yes' })).toEqual([400, 8175]);
  });

  test('a body that is no JSON object is 400', async () => {
    for (const body of ['', 'null', '[]', '"x"', '{', '{"command":[]}']) {
      expect((await hmac.send(v2Order(), { body: () => body })).status).toBe(400);
    }
  });
});

describe('commands', () => {
  test('cancel by handle names the order; a cancel needs one of the two', async () => {
    const orderId = await hmac.create({ handle: '7001', price: '58000' });
    const answer = await hmac.send(v2Cancel({ handle: '7001' }));
    expect(answer.json).toMatchObject({ orderId, handle: '7001', clientOrderId: '7001' });
    expect((await hmac.send(v2Cancel({}))).status).toBe(400);
    const both = {
      commandType: 'V3CancelOrder',
      orderId,
      clientOrderId: '7001',
      symbol: 'BTCUSDC',
      tradingAccountId: ACCOUNT,
    };
    expect((await hmac.send(both)).status).toBe(400);
  });

  test('a cancel of an unknown order is acknowledged all the same', async () => {
    expect((await hmac.send(v2Cancel({ orderId: '1' }))).status).toBe(200);
  });

  test('cancel-all, by market, delayed and unset are acknowledged with their names', async () => {
    const account = { tradingAccountId: ACCOUNT };
    const commands = [
      [{ commandType: 'V1CancelAllOrders', ...account }, 'CancelAllOrders'],
      [{ commandType: 'V1CancelAllOrdersByMarket', symbol: 'BTCUSDC', ...account }, 'CancelAllOrdersByMarket'],
      [
        { commandType: 'V1DelayedCancelAllOrders', delayBySeconds: '5', cancelId: null, ...account },
        'DelayedCancelAllOrders',
      ],
      [{ commandType: 'V1UnsetDelayedCancelAllOrders', ...account }, 'UnsetDelayedCancelAllOrders'],
    ] as const;
    for (const [command, name] of commands) {
      expect((await hmac.send(command)).json).toMatchObject({
        commandType: command.commandType,
        message: `Command acknowledged - ${name}`,
        requestId: expect.stringMatching(/^\d{18}$/),
      });
    }
    expect(simulator.control.openOrders(ACCOUNT)).toEqual([]);
    const odd = { commandType: 'V1DelayedCancelAllOrders', delayBySeconds: '7', ...account };
    expect((await hmac.send(odd)).status).toBe(400);
  });

  test('amend needs an orderId and something to amend', async () => {
    const orderId = await hmac.create({ price: '58000' });
    const amend = { commandType: 'V1AmendOrder', orderId, symbol: 'BTCUSDC', tradingAccountId: ACCOUNT };
    expect((await hmac.send(amend)).status).toBe(400);
    expect((await hmac.send({ ...amend, price: '57000' })).json.message).toBe('Command acknowledged - AmendOrder');
    expect(simulator.control.order(orderId)?.price?.toString()).toBe('57000.0000');
  });

  test('a transfer moves assets between the user’s accounts', async () => {
    const transfer = {
      commandType: 'V2TransferAsset',
      assetSymbol: 'USDC',
      quantity: '1000.5',
      fromTradingAccountId: ACCOUNT,
      toTradingAccountId: '111000000000002',
    };
    expect((await hmac.send(transfer)).json.message).toBe('Command acknowledged - TransferAsset');
    const { json } = await hmac.get('/trading-api/v1/accounts/asset/USDC?tradingAccountId=111000000000002');
    expect(json.availableQuantity).toBe('10001000.5000');
    expect((await hmac.send({ ...transfer, quantity: '99999999999' })).status).toBe(400);
    expect((await hmac.send({ ...transfer, toTradingAccountId: '111000000000003' })).status).toBe(403);
  });
});
