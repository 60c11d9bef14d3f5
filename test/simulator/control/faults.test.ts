// Each fault knob of the simulated exchange, by the handle and by the control endpoint.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Simulator } from '../../../src/simulator/mod.ts';
import { ACCOUNT, Caller, type Json, startTestSimulator, v2Cancel, v2Order } from '../exchange-caller.ts';

let simulator: Simulator;
let caller: Caller;
beforeEach(async () => {
  simulator = await startTestSimulator();
  caller = await Caller.loggedIn(simulator);
});
afterEach(() => simulator.close());

const order = v2Order({ handle: '1', price: '59000' });
const openHandles = (): (string | null)[] => simulator.control.openOrders(ACCOUNT).map((o) => o.clientOrderId);

describe('answers', () => {
  test('an answer is lost after the order was executed', async () => {
    simulator.control.armAnswer({ what: 'lost', on: 'create' });
    await expect(caller.send(order)).rejects.toThrow();
    expect(openHandles()).toEqual(['1']);
    expect((await caller.send(v2Order({ handle: '2', price: '59000' }))).status).toBe(200);
  });

  test('a connection is cut before anything was executed', async () => {
    simulator.control.armAnswer({ what: 'lost', on: 'create', executed: false });
    await expect(caller.send(order)).rejects.toThrow();
    expect(openHandles()).toEqual([]);
  });

  test('an answer never comes', async () => {
    simulator.control.armAnswer({ what: 'hang' });
    const stream = await caller.stream();
    await stream.subscribe({ topic: 'orders' });
    const hanging = caller.send(order).catch(() => 'cut');
    await stream.find(({ dataType, type }) => dataType === 'V1TAOrder' && type === 'update');
    expect(openHandles()).toEqual(['1']);
    stream.close();
    await simulator.close();
    expect(await hanging).toBe('cut');
  });

  test('a refusal by code, so many times', async () => {
    const fault = {
      what: 'error',
      on: 'create',
      httpStatus: 400,
      errorCode: 6023,
      errorCodeName: 'ORDER_SIZE',
      times: 2,
    } as const;
    simulator.control.armAnswer(fault);
    for (const expected of [400, 400, 200]) expect((await caller.send(order)).status).toBe(expected);
  });

  test('500, 401 and 429 as error bodies; nothing is executed', async () => {
    for (const httpStatus of [500, 401, 429]) {
      simulator.control.armAnswer({ what: 'error', httpStatus });
      const answer = await caller.send(order);
      expect([answer.status, answer.json.errorCodeName]).toEqual([httpStatus, 'SIMULATED']);
    }
    expect(openHandles()).toEqual([]);
  });

  test('an HTML page with 403', async () => {
    simulator.control.armAnswer({ what: 'html' });
    const answer = await caller.send(order);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([403, 'text/html']);
    expect(answer.text).toContain('<html>');
  });

  test('broken JSON and an empty object, both executed', async () => {
    simulator.control.armAnswer({ what: 'malformed' });
    expect((await caller.send(order)).text).toBe('{"message":"Command acknow');
    simulator.control.armAnswer({ what: 'empty' });
    expect((await caller.send(v2Order({ handle: '2', price: '59000' }))).text).toBe('{}');
    expect(openHandles()).toEqual(['1', '2']);
  });

  test('a truncated answer', async () => {
    simulator.control.armAnswer({ what: 'truncated' });
    await expect(caller.send(order)).rejects.toThrow();
    expect(openHandles()).toEqual(['1']);
  });

  test('only the armed kind of request is hit', async () => {
    simulator.control.armAnswer({ what: 'error', on: 'cancel' });
    const orderId = await caller.create({ price: '59000' });
    expect((await caller.send(v2Cancel({ orderId }))).status).toBe(500);
    simulator.control.armAnswer({ what: 'error', on: 'login' });
    expect((await caller.login()).status).toBe(500);
    simulator.control.armAnswer({ what: 'error', on: 'get' });
    expect((await caller.get('/trading-api/v1/time')).status).toBe(500);
  });

  test('latency delays every answer', async () => {
    simulator.control.setLatency({ minMs: 60, maxMs: 60 });
    const before = performance.now();
    await caller.get('/trading-api/v1/time');
    expect(performance.now() - before).toBeGreaterThanOrEqual(55);
  });

  test('a global breach is 429 96001 with its header', async () => {
    simulator.control.setGlobalBreach(true);
    const answer = await caller.send(order);
    expect([answer.status, answer.json.errorCode]).toEqual([429, 96001]);
    expect(answer.headers.get('x-ratelimit-global-breach')).toBe('true');
    simulator.control.clearFaults();
    expect((await caller.send(order)).status).toBe(200);
  });
});

describe('streams', () => {
  const twoOrders = async (arm: () => void): Promise<Json[]> => {
    const stream = await caller.stream();
    await stream.subscribe({ topic: 'orders' });
    await stream.ping();
    arm();
    await caller.create({ price: '59000' });
    await stream.ping();
    stream.close();
    return stream.updates('V1TAOrder');
  };
  const codes = (orders: Json[]): unknown[] => orders.map(({ statusReasonCode }) => statusReasonCode);

  test('a frame comes twice', async () => {
    expect(codes(await twoOrders(() => simulator.control.armStream({ what: 'duplicate' })))).toEqual([
      6014, 6014, 6001,
    ]);
  });

  test('a frame is suppressed', async () => {
    expect(
      codes(await twoOrders(() => simulator.control.armStream({ what: 'suppress', dataType: 'V1TAOrder' }))),
    ).toEqual([6001]);
  });

  test('two frames change places', async () => {
    expect(codes(await twoOrders(() => simulator.control.armStream({ what: 'reorder' })))).toEqual([6001, 6014]);
  });

  test('silence: sockets stay open, nothing comes, not even pongs', async () => {
    const stream = await caller.stream();
    await stream.subscribe({ topic: 'orders' });
    await stream.ping();
    const count = stream.frames.length;
    simulator.control.silenceStreams(true);
    stream.send('keepalivePing');
    await caller.create({ price: '59000' });
    simulator.control.silenceStreams(false);
    await stream.ping();
    expect(stream.updates('V1TAOrder')).toEqual([]);
    expect(stream.frames.length - count).toBeLessThanOrEqual(2);
    stream.close();
  });

  test('cut: private streams only, without a close frame', async () => {
    const secret = await caller.stream();
    const open = await caller.stream('market-data/auction', {});
    simulator.control.cutStreams('private');
    expect(await secret.closed).toBe(1006);
    await open.ping();
    open.close();
  });
});

describe('the whole exchange', () => {
  test('expired logins are 401 and lose their streams', async () => {
    const stream = await caller.stream();
    simulator.control.expireLogins('demo-hmac');
    expect((await caller.send(order)).status).toBe(401);
    expect(await stream.closed).toBe(1006);
  });

  test('a restart with memory keeps orders, one without forgets them; ids are never used again', async () => {
    const first = await caller.create({ price: '59000' });
    simulator.control.restart(true);
    expect((await caller.get('/trading-api/v1/nonce')).status).toBe(401);
    expect(simulator.control.order(first)?.status).toBe('OPEN');
    simulator.control.restart(false);
    expect(simulator.control.order(first)).toBeNull();
    await caller.login();
    expect(BigInt(await caller.create({ price: '59000' }))).toBeGreaterThan(BigInt(first));
  });

  test('an unsolicited cancel is CANCELLED 3020', async () => {
    const stream = await caller.stream();
    await stream.subscribe({ topic: 'orders' });
    const orderId = await caller.create({ price: '59000' });
    simulator.control.cancelOrder(orderId);
    expect(await stream.order(orderId, 3020)).toMatchObject({
      status: 'CANCELLED',
      statusReason: 'Unsolicited cancel',
    });
    stream.close();
  });

  test('the counterparty fills exactly the requested quantity', async () => {
    const orderId = await caller.create({ price: '60000', quantity: '1' });
    expect(simulator.control.trade('BTCUSDC', 'SELL', '60000', '0.3')).toBe('0.30000000');
    expect(simulator.control.order(orderId)?.quantityFilled.toString()).toBe('0.30000000');
    expect(simulator.control.trade('BTCUSDC', 'SELL', '60001', '0.3')).toBe('0.00000000');
    expect(() => simulator.control.trade('NOPE', 'SELL', '1', '1')).toThrow('no market NOPE');
  });
});

describe('the control endpoint', () => {
  const post = (name: string, body: Json): ReturnType<Caller['fetch']> =>
    caller.fetch(`/control/${name}`, { method: 'POST', body: JSON.stringify(body) });

  test('arms faults, drives auctions, trades, cuts, expires and restarts', async () => {
    expect(
      (await post('faults', { answers: [{ what: 'error', httpStatus: 503 }], latency: { minMs: 0, maxMs: 1 } })).status,
    ).toBe(200);
    expect((await caller.send(order)).status).toBe(503);
    expect((await post('auctions', { symbol: 'BTCUSDC', action: 'phase', phase: 'ACCUMULATION' })).json.phase).toBe(
      'ACCUMULATION',
    );
    const orderId = await caller.create({ price: '60000' });
    const trade = { symbol: 'BTCUSDC', side: 'SELL', price: '60000', quantity: '0.5' };
    expect((await post('counterparty', trade)).json.filled).toBe('0.50000000');
    await post('orders/cancel', { orderId });
    expect(simulator.control.order(orderId)?.reason).toBe(3020);
    await post('markets', { symbol: 'BTCUSDC', createOrderEnabled: false });
    expect(simulator.control.order(await caller.create())?.reason).toBe(6044);
    await post('streams/cut', {});
    await post('logins/expire', {});
    expect(simulator.control.logins).toBe(0);
    await post('restart', { memory: false });
    expect(simulator.control.order(orderId)).toBeNull();
    expect((await caller.fetch('/control/state')).json).toMatchObject({
      logins: 0,
      privateStreams: 0,
      markets: [{ symbol: 'BTCUSDC' }, {}, {}, {}, {}, {}],
    });
  });

  test('nonsense is 400 with a sentence', async () => {
    for (const [name, body] of [
      ['faults', { answers: [{ what: 'explode' }] }],
      ['faults', { streams: 'all' }],
      ['auctions', { symbol: 'ETHUSDC', action: 'advance' }],
      ['counterparty', { symbol: 'BTCUSDC', side: 'SELL', price: 'x', quantity: '1' }],
      ['orders/cancel', { orderId: '1', reason: 1 }],
    ] as const) {
      const answer = await post(name, body);
      expect(answer.status).toBe(400);
      expect(answer.json.message).toEqual(expect.any(String));
    }
  });

  test('armed faults do not hit it', async () => {
    simulator.control.armAnswer({ what: 'error', on: 'any', times: 5 });
    expect((await post('faults', { clear: true })).status).toBe(200);
    expect((await caller.send(order)).status).toBe(200);
  });
});
