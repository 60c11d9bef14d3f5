// WebSocket streams of the simulated exchange over real sockets: authentication, subscriptions, frames, keepalive.

import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Simulator, SimulatorOptions } from '../../../src/simulator/mod.ts';
import { ACCOUNT, Caller, type Json, startTestSimulator, v2Cancel } from '../exchange-caller.ts';

let simulator: Simulator;
let caller: Caller;
const start = async (options: Partial<SimulatorOptions> = {}): Promise<void> => {
  simulator = await startTestSimulator(options);
  caller = await Caller.loggedIn(simulator);
};
beforeEach(() => start());
afterEach(() => simulator.close());

/** The first bytes that an upgrade without or with some cookie is answered; empty if the connection is dropped. */
function upgradeAnswer(path: string, cookie: string | null): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(simulator.port, '127.0.0.1');
    let text = '';
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
    const headers = [
      'Host: x',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    ];
    if (cookie !== null) headers.push(`Cookie: ${cookie}`);
    const target = path.startsWith('/') ? path : `/trading-api/v1/${path}`;
    socket.write(`GET ${target} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
  });
}

describe('connection', () => {
  test('without a token the connection is dropped, with a wrong one it is 401', async () => {
    expect(await upgradeAnswer('private-data', null)).toBe('');
    const answer = await upgradeAnswer('private-data', 'JWT_COOKIE=wrong');
    expect(answer).toContain('401 Unauthorized');
    expect(answer).toContain('set-cookie: JWT_COOKIE=SESSION_TERMINATED');
  });

  test('a target that is no path is 400', async () => {
    expect(await upgradeAnswer('//', null)).toContain('400 Bad Request');
  });

  test('an unknown path is 404', async () => {
    expect(await upgradeAnswer('nothing', null)).toContain('404 Not Found');
  });

  test('the deprecated streams are gone', async () => {
    for (const path of ['private', 'market-data']) expect(await upgradeAnswer(path, null)).toContain('404');
  });

  test('a key has at most ten authenticated connections', async () => {
    const streams = await Promise.all(Array.from({ length: 10 }, () => caller.stream()));
    expect(await upgradeAnswer('private-data', `JWT_COOKIE=${caller.token}`)).toContain('429');
    for (const stream of streams) stream.close();
  });

  test('logout closes the streams of the login', async () => {
    const stream = await caller.stream();
    await caller.get('/trading-api/v1/users/logout');
    expect(await stream.closed).toBe(1006);
  });

  test('drops a stream with a silent client without a close frame', async () => {
    await simulator.close();
    await start({ streamIdleMs: 200 });
    const stream = await caller.stream();
    expect(await stream.closed).toBe(1006);
  });
});

describe('protocol', () => {
  test('keepalivePing is answered "Keep alive pong" with a numeric code, params or not', async () => {
    const stream = await caller.stream();
    stream.socket.send('{"jsonrpc":"2.0","type":"command","method":"keepalivePing","id":"5"}');
    const frame = await stream.find(({ id }) => id === '5');
    expect(frame.result).toEqual({ responseCode: 200, responseCodeName: 'OK', message: 'Keep alive pong' });
    stream.close();
  });

  test('an invalid topic or account is 29013, an invalid method or text 29012; the stream stays open', async () => {
    const stream = await caller.stream();
    const error = async (params: Json): Promise<unknown> => (await stream.subscribe(params)).error;
    expect(await error({ topic: 'abcde' })).toEqual({
      code: '-32602',
      errorCode: '29013',
      errorCodeName: "'abcde' is not a valid topic",
    });
    expect(await error({ topic: 'orders', tradingAccountId: '111000000000003' })).toMatchObject({ errorCode: '29013' });
    expect(await error({ topic: 'events' })).toMatchObject({ errorCode: '29013' });
    stream.socket.send('no json');
    await stream.find((frame) => (frame.error as Json | undefined)?.errorCode === '29012');
    await stream.ping();
    stream.close();
  });

  test('several topics are joined with +; a repeated subscription is ignored', async () => {
    const stream = await caller.stream();
    await stream.subscribe({ topic: 'orders+trades', tradingAccountId: ACCOUNT });
    await stream.ping();
    const count = stream.frames.length;
    stream.send('subscribe', { topic: 'orders', tradingAccountId: ACCOUNT }, 'again');
    await stream.ping();
    expect(stream.frames.length).toBe(count + 1);
    const snapshots = stream.frames.filter(({ type }) => type === 'snapshot').map(({ dataType }) => dataType);
    expect(snapshots).toEqual(['V1TAOrder', 'V1TATrade']);
    stream.close();
  });

  test('two subscriptions with one id are both served', async () => {
    const stream = await caller.stream();
    stream.send('subscribe', { topic: 'orders' }, '7');
    stream.send('subscribe', { topic: 'trades' }, '7');
    await stream.find(({ dataType }) => dataType === 'V1TATrade');
    expect(stream.frames.filter(({ id }) => id === '7')).toHaveLength(2);
    stream.close();
  });

  test('unsubscribing by subscriptionId stops the updates', async () => {
    const stream = await caller.stream();
    const ack = await stream.subscribe({ topic: 'orders', tradingAccountId: ACCOUNT });
    stream.send('unsubscribe', { subscriptionId: String(ack.id) }, 'bye');
    await stream.find(({ id }) => id === 'bye');
    await caller.create({ price: '59000' });
    await stream.ping();
    expect(stream.updates('V1TAOrder')).toEqual([]);
    stream.close();
  });
});

describe('private data', () => {
  test('the snapshot is an array of open orders and the 20 most recent ended ones', async () => {
    const open = await caller.create({ price: '59000' });
    for (let i = 0; i < 22; i++) await caller.send(v2Cancel({ orderId: await caller.create({ price: '58000' }) }));
    const stream = await caller.stream();
    await stream.subscribe({ topic: 'orders', tradingAccountId: ACCOUNT });
    const { data } = await stream.find(({ type }) => type === 'snapshot');
    expect(data).toHaveLength(21);
    expect((data as Json[])[0]).toMatchObject({ orderId: open, status: 'OPEN' });
    stream.close();
  });

  test("an order's life: 6014, 6001, trade, 6013, trade, 6002, as objects with the account", async () => {
    const stream = await caller.stream();
    await stream.subscribe({ topic: 'orders', tradingAccountId: ACCOUNT });
    await stream.subscribe({ topic: 'trades', tradingAccountId: ACCOUNT });
    const orderId = await caller.create({ handle: '42', quantity: '1', price: '60000' });
    expect(simulator.control.trade('BTCUSDC', 'SELL', '60000', '0.4')).toBe('0.40000000');
    simulator.control.trade('BTCUSDC', 'SELL', '60000', '0.6');
    await stream.order(orderId, 6002);
    const told = stream.frames
      .filter(({ type }) => type === 'update')
      .map(({ dataType, data }) => `${dataType} ${(data as Json).statusReasonCode ?? (data as Json).quantity}`);
    expect(told).toEqual([
      'V1TAOrder 6014',
      'V1TAOrder 6001',
      'V1TATrade 0.40000000',
      'V1TAOrder 6013',
      'V1TATrade 0.60000000',
      'V1TAOrder 6002',
    ]);
    const last = stream.frames.at(-1)!;
    expect(last).toMatchObject({ type: 'update', tradingAccountId: ACCOUNT });
    expect(last.data).toMatchObject({
      handle: '42',
      clientOrderId: '42',
      type: 'LMT',
      side: 'BUY',
      status: 'CLOSED',
      statusReason: 'Executed',
      quantity: '1.00000000',
      quantityFilled: '1.00000000',
      averageFillPrice: '60000.0000',
      timeInForce: 'GTC',
    });
    stream.close();
  });

  test('an engine rejection is the error frame, then the order REJECTED', async () => {
    const stream = await caller.stream();
    await stream.subscribe({ topic: 'orders', tradingAccountId: ACCOUNT });
    const orderId = await caller.create({ handle: '5', quantity: '999', price: '60000' });
    const order = await stream.order(orderId, 3005);
    expect(order).toMatchObject({ status: 'REJECTED', statusReason: 'Insufficient balance' });
    const error = stream.frames.find(({ type }) => type === 'error')!;
    expect(error).toMatchObject({ dataType: 'V1TAErrorResponse', tradingAccountId: ACCOUNT });
    expect(error.data).toMatchObject({ orderId, handle: '5', errorCode: 3005, errorCodeName: 'INSUFFICIENT_BALANCE' });
    expect(stream.frames.indexOf(error)).toBeLessThan(stream.frames.findIndex(({ data }) => data === order));
    stream.close();
  });

  test('without tradingAccountId means all accounts of the user, and no others', async () => {
    const stream = await caller.stream();
    await stream.subscribe({ topic: 'orders' });
    const other = await Caller.loggedIn(simulator, 'other-hmac');
    await other.create({ tradingAccountId: '111000000000003', price: '59000' });
    const second = await caller.create({ tradingAccountId: '111000000000002', price: '59000' });
    await stream.order(second, 6001);
    expect(stream.updates('V1TAOrder').every(({ orderId }) => orderId === second)).toBe(true);
    stream.close();
  });

  test('assetAccounts and tradingAccounts have snapshots; a lock is an update', async () => {
    const stream = await caller.stream();
    await stream.subscribe({ topic: 'assetAccounts+tradingAccounts', tradingAccountId: ACCOUNT });
    await caller.create({ price: '59000' });
    const update = await stream.find(({ dataType, type }) => dataType === 'V1TAAssetAccount' && type === 'update');
    expect(update.data).toMatchObject({ assetSymbol: 'USDC', lockedQuantity: '59000.0000' });
    const accounts = stream.frames.find(({ dataType }) => dataType === 'V1TATradingAccount')!;
    expect(accounts.data).toMatchObject([{ tradingAccountId: ACCOUNT, isPrimaryAccount: 'true' }]);
    stream.close();
  });

  test('heartbeats rise', async () => {
    await simulator.close();
    await start({ heartbeatMs: 20 });
    const stream = await caller.stream();
    await stream.subscribe({ topic: 'heartbeat' });
    const number = (frame: Json): number => Number((frame.data as Json[])[0]!.sequenceNumber);
    const first = await stream.find(({ dataType }) => dataType === 'V1TAHeartbeat');
    await stream.find((frame) => frame.dataType === 'V1TAHeartbeat' && number(frame) === number(first) + 1);
    stream.close();
  });
});

describe('public streams', () => {
  test('anonymousTrades: snapshot with trades, then each trade', async () => {
    const stream = await caller.stream('market-data/trades', {});
    const ack = await stream.subscribe({ topic: 'anonymousTrades', symbol: 'BTCUSDC' });
    expect((ack.result as Json).message).toBe('Successfully subscribed (anonymousTrades BTCUSDC)');
    await caller.create({ price: '60000' });
    simulator.control.trade('BTCUSDC', 'SELL', '60000', '0.25');
    const { data } = await stream.find(({ type }) => type === 'update');
    expect(data).toMatchObject({
      symbol: 'BTCUSDC',
      trades: [{ price: '60000.0000', quantity: '0.25000000', side: 'SELL' }],
    });
    stream.close();
  });

  test('tick by path needs no subscription and survives an empty frame', async () => {
    const stream = await caller.stream('market-data/tick/BTCUSDC', {});
    const { data } = await stream.find(({ dataType }) => dataType === 'V1TATickerResponse');
    expect(data).toMatchObject({ symbol: 'BTCUSDC', last: '60000.0000' });
    stream.socket.send('{}');
    await stream.ping();
    stream.close();
  });

  test('l1 and l2 books: whole frames, flat levels, contiguous sequence ranges', async () => {
    const stream = await caller.stream('market-data/orderbook', {});
    const ack = await stream.subscribe({ topic: 'l2Orderbook', symbol: 'BTCUSDC' });
    expect((ack.result as Json).message).toBe('Successfully subscribed ( BTCUSDC 2)');
    await stream.subscribe({ topic: 'l1Orderbook', symbol: 'BTCUSDC' });
    await caller.create({ price: '59000', quantity: '1' });
    await caller.create({ price: '59100', quantity: '2' });
    const { data } = await stream.find(
      (f) => f.dataType === 'V1TALevel2' && ((f.data as Json).bids as string[]).length === 4,
    );
    expect((data as Json).bids).toEqual(['59100.0000', '2.00000000', '59000.0000', '1.00000000']);
    const ranges = stream.updates('V1TALevel2').map(({ sequenceNumberRange }) => sequenceNumberRange as number[]);
    for (let i = 1; i < ranges.length; i++) expect(ranges[i]![0]).toBe(ranges[i - 1]![1]! + 1);
    await stream.find((f) => f.dataType === 'V1TALevel1' && ((f.data as Json).bid as string[])[0] === '59100.0000');
    stream.close();
  });

  test('auction feed: phases and imbalance with the documented fields', async () => {
    const stream = await caller.stream('market-data/auction', {});
    const ack = await stream.subscribe({ topic: 'phase', symbol: 'BTCUSDC' });
    expect((ack.result as Json).message).toBe('Successfully subscribed (phase BTCUSDC)');
    await stream.subscribe({ topic: 'noii', symbol: 'BTCUSDC' });
    simulator.control.toPhase('BTCUSDC', 'ACCUMULATION');
    await caller.create({ timeInForce: 'GTX', quantity: '0.8', price: '60000' });
    simulator.control.counterparty({
      symbol: 'BTCUSDC',
      side: 'SELL',
      price: '59990',
      quantity: '0.5',
      timeInForce: 'GTX',
    });
    simulator.control.toPhase('BTCUSDC', 'LOCKDOWN');
    simulator.control.advance();
    simulator.control.toPhase('BTCUSDC', 'CROSS');
    await stream.find(({ data }) => (data as Json | undefined)?.eventType === 'AUCTION_CROSS_COMPLETED');
    expect(stream.updates('V1TAAuctionPhase').map(({ eventType }) => eventType)).toEqual([
      'AUCTION_STARTED',
      'AUCTION_LOCKDOWN',
      'AUCTION_CROSS_COMPLETED',
    ]);
    expect(stream.updates('V1TAAuctionPhase')[1]).toMatchObject({
      symbol: 'BTCUSDC',
      phase: 'LOCKDOWN',
      createAuctionOrderEnabled: true,
      amendAuctionOrderEnabled: false,
      cancelAuctionOrderEnabled: false,
      startTime: expect.stringMatching(/Z$/),
    });
    const [update, cross] = stream.updates('V1TANoii');
    expect(update).toMatchObject({ eventType: 'UPDATE', farPrice: '60000.0000', pairedQuantity: '0.50000000' });
    expect(cross).toMatchObject({ eventType: 'CROSS', clearingPrice: '60000.0000', imbalanceDirection: 'BUY' });
    stream.close();
  });

  test('index prices: the present one on subscribing, then changes', async () => {
    const stream = await caller.stream('index-data', {});
    await stream.subscribe({ topic: 'indexPrice', assetSymbol: 'BTC' });
    simulator.control.setIndexPrice('BTC', '61000');
    const { data } = await stream.find((f) => (f.data as Json | undefined)?.price === '61000.0000');
    expect(data).toMatchObject({ assetSymbol: 'BTC' });
    stream.close();
  });
});
