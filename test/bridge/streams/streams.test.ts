// A listener's view: the exchange's own stream protocol, snapshots from the one upstream connection, refusals, and a
// reason with every drop.

import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { topicsOf } from '../../../src/bridge/streams/topics.ts';
import { type Json, Stream } from '../../simulator/exchange-caller.ts';
import {
  ACCOUNT,
  type Desk,
  FOREIGN_ACCOUNT,
  FULL_TOKEN,
  liquidity,
  READER_TOKEN,
  SECOND_ACCOUNT,
  startDesk,
} from '../desk.ts';

const PRIVATE = '/trading-api/v1/private-data';
const AUCTION = '/trading-api/v1/market-data/auction';
const bearer = { authorization: `Bearer ${FULL_TOKEN}` };

function listen(desk: Desk, path = PRIVATE, headers: Record<string, string> = bearer): Promise<Stream> {
  return Stream.open(desk.bridge.url.replace('http', 'ws') + path, headers);
}

/** Ask for an upgrade that is refused: its HTTP answer. */
function refusedUpgrade(
  desk: Desk,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: Json }> {
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  };
  return new Promise((resolve, reject) => {
    const sent = request(desk.bridge.url + path, { headers: { ...headers, ...upgrade } }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += String(chunk);
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
    });
    sent.on('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('the upgrade was granted'));
    });
    sent.on('error', reject);
    sent.end();
  });
}

const closeOf = (socket: WebSocket): Promise<{ code: number; reason: string }> =>
  new Promise((resolve) => socket.on('close', (code, reason) => resolve({ code, reason: String(reason) })));

describe('a listener', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await startDesk();
  });
  afterAll(() => desk.close());

  test.each(topicsOf('private'))('gets %s of an account, beginning with its state', async (topic) => {
    const stream = await listen(desk);
    const answer = await stream.subscribe({ topic, tradingAccountId: ACCOUNT });
    expect(answer).toMatchObject({ result: { message: 'Successfully subscribed' } });
    // A heartbeat has no state.
    if (topic !== 'heartbeat') {
      const first = await stream.find(({ dataType }) => dataType !== undefined);
      expect(first).toMatchObject({ type: 'snapshot', tradingAccountId: ACCOUNT, data: expect.any(Array) });
    }
    stream.close();
    await stream.closed;
  });

  test('gets an acknowledgement, then a snapshot, then updates as they happen', async () => {
    const stream = await listen(desk);
    const id = stream.send('subscribe', { topic: 'ammInstructions', tradingAccountId: ACCOUNT });
    const snapshot = await stream.find(({ type }) => type === 'snapshot');
    expect(stream.frames[0]).toEqual({
      jsonrpc: '2.0',
      id,
      result: { responseCode: '200', responseCodeName: 'OK', message: 'Successfully subscribed' },
    });
    expect(snapshot).toMatchObject({ dataType: 'V1TAAmmInstruction', tradingAccountId: ACCOUNT, data: [] });
    const created = await desk.post('/trading-api/v2/amm-instructions', liquidity());
    const update = await stream.find(({ type }) => type === 'update');
    expect(update).toMatchObject({ dataType: 'V1TAAmmInstruction', tradingAccountId: ACCOUNT });
    expect((update.data as Json).instructionId).toBe(created.json.instructionId);

    const later = await listen(desk);
    await later.subscribe({ topic: 'ammInstructions', tradingAccountId: ACCOUNT });
    const present = await later.find(({ type }) => type === 'snapshot');
    expect((present.data as Json[]).map(({ instructionId }) => instructionId)).toEqual([created.json.instructionId]);
    stream.close();
    later.close();
  });

  test('sees orders and trades that came over FIX, as the exchange shows them', async () => {
    const stream = await listen(desk, `${PRIVATE}?tradingAccountId=${ACCOUNT}`);
    await stream.subscribe({ topic: 'orders+trades' });
    const order = {
      kind: 'createOrder',
      clientOrderId: '90001',
      symbol: 'BTCUSDC',
      type: 'LIMIT',
      side: 'BUY',
      price: '70000.0',
      stopPrice: null,
      quantity: '0.01',
      timeInForce: 'IOC',
      allowBorrow: false,
      isMMP: null,
      tradingAccountId: ACCOUNT,
    } as const;
    const outcome = await desk.client.submit('order-1', order);
    if (outcome.kind !== 'accepted') throw new Error('the order was not accepted');
    const trade = await stream.find(({ dataType, type }) => dataType === 'V1TATrade' && type === 'update');
    expect((trade.data as Json).orderId).toBe(outcome.orderId);
    const filled = await stream.find(
      ({ dataType, type, data }) => dataType === 'V1TAOrder' && type === 'update' && (data as Json).status === 'CLOSED',
    );
    expect((filled.data as Json).quantityFilled).toBe('0.01000000');
    stream.close();
  });

  test('without an account gets all accounts of its token, and asset and trading accounts too', async () => {
    const stream = await listen(desk);
    await stream.subscribe({ topic: 'assetAccounts+tradingAccounts' });
    for (const account of [ACCOUNT, SECOND_ACCOUNT]) {
      for (const dataType of ['V1TAAssetAccount', 'V1TATradingAccount']) {
        const frame = await stream.find((f) => f.dataType === dataType && f.tradingAccountId === account);
        expect(frame.type).toBe('snapshot');
        expect((frame.data as Json[]).length).toBeGreaterThan(0);
      }
    }
    stream.close();
  });

  test('sees how positions in derivatives change', async () => {
    const stream = await listen(desk);
    await stream.subscribe({ topic: 'derivativesPositionsV2', tradingAccountId: ACCOUNT });
    await stream.find(({ type }) => type === 'snapshot');
    const perpetual = {
      symbol: 'BTC-USDC-PERP',
      type: 'LIMIT',
      side: 'BUY',
      price: '70000.0',
      stopPrice: null,
    } as const;
    const order = { ...perpetual, quantity: '0.01', timeInForce: 'IOC', allowBorrow: false, isMMP: null } as const;
    const entered = { kind: 'createOrder', ...order, clientOrderId: '90002', tradingAccountId: ACCOUNT } as const;
    expect(await desk.client.submit('order-2', entered)).toMatchObject({ kind: 'accepted' });
    const update = await stream.find(({ type }) => type === 'update');
    expect(update).toMatchObject({ dataType: 'V1TADerivativesPosition', data: { symbol: 'BTC-USDC-PERP' } });
    stream.close();
  });

  test('brings its token in the cookie that clients of the exchange use, and is answered pings', async () => {
    const stream = await listen(desk, PRIVATE, { cookie: `JWT_COOKIE=${FULL_TOKEN}` });
    await stream.ping();
    expect(stream.frames[0]).toMatchObject({ result: { responseCode: 200, message: 'Keep alive pong' } });
    stream.close();
  });

  test('of the auction feed gets phase and imbalance of a symbol', async () => {
    const stream = await listen(desk, AUCTION);
    const acknowledged = await stream.subscribe({ topic: 'phase', symbol: 'BTCUSDC' });
    expect((acknowledged.result as Json).message).toBe('Successfully subscribed (phase BTCUSDC)');
    await stream.subscribe({ topic: 'noii', symbol: 'BTCUSDC' });
    desk.simulator.control.toPhase('BTCUSDC', 'LOCKDOWN');
    const phase = await stream.find(
      ({ dataType, data }) => dataType === 'V1TAAuctionPhase' && JSON.stringify(data).includes('LOCKDOWN'),
    );
    expect(phase.type).toBe('update');
    await stream.find(({ dataType }) => dataType === 'V1TANoii');
    stream.close();
  });

  test('is refused accounts of others, unknown topics, symbols and methods, and stays connected', async () => {
    const stream = await listen(desk);
    const auction = await listen(desk, AUCTION);
    const foreign = await stream.subscribe({ topic: 'orders', tradingAccountId: FOREIGN_ACCOUNT });
    expect(foreign.error).toMatchObject({
      errorCode: '29013',
      message: `'${FOREIGN_ACCOUNT}' is not a trading account of this token`,
    });
    expect((await stream.subscribe({ topic: 'gossip' })).error).toMatchObject({ errorCode: '29013' });
    expect((await auction.subscribe({ topic: 'phase', symbol: 'NOSUCH' })).error).toMatchObject({ errorCode: '29013' });
    const id = stream.send('dance');
    expect((await stream.find((frame) => frame.id === id)).error).toMatchObject({ errorCode: '29012' });
    stream.socket.send('{');
    await stream.find((frame) => frame.id === '' && frame.error !== undefined);
    await stream.ping();
    stream.close();
    auction.close();
  });

  test('unsubscribes by subscription and hears no more of it', async () => {
    const stream = await listen(desk);
    const acknowledged = await stream.subscribe({ topic: 'ammInstructions', tradingAccountId: ACCOUNT });
    const id = stream.send('unsubscribe', { subscriptionId: String(acknowledged.id) });
    expect(await stream.find((frame) => frame.id === id)).toHaveProperty('result');
    const other = await listen(desk);
    await other.subscribe({ topic: 'ammInstructions', tradingAccountId: ACCOUNT });
    await desk.post('/trading-api/v2/amm-instructions', liquidity());
    await other.find(({ type }) => type === 'update');
    await stream.ping();
    expect(stream.updates('V1TAAmmInstruction')).toEqual([]);
    stream.close();
    other.close();
  });

  test('that has no token, the wrong one, no permission or a foreign account is refused before the upgrade', async () => {
    expect(await refusedUpgrade(desk, PRIVATE, {})).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    for (const cookie of ['JWT_COOKIE=a-token-that-nobody-gave-out', `other; MY_JWT_COOKIE=${FULL_TOKEN}`]) {
      const refusal = await refusedUpgrade(desk, PRIVATE, { cookie });
      expect(refusal).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    }
    const reader = { authorization: `Bearer ${READER_TOKEN}` };
    expect(await refusedUpgrade(desk, PRIVATE, reader)).toMatchObject({
      status: 403,
      body: { code: 'function-forbidden' },
    });
    expect(await refusedUpgrade(desk, `${PRIVATE}?tradingAccountId=${FOREIGN_ACCOUNT}`, bearer)).toMatchObject({
      status: 403,
      body: { code: 'account-forbidden' },
    });
  });

  test('beyond the streams of a token is refused, and one that left makes room', async () => {
    const open = await Promise.all([1, 2, 3, 4].map(() => listen(desk)));
    expect(await refusedUpgrade(desk, PRIVATE, bearer)).toMatchObject({
      status: 429,
      body: { code: 'too-many-streams' },
    });
    open[0]!.socket.close();
    await open[0]!.closed;
    const again = await listen(desk);
    await again.ping();
    for (const stream of [...open, again]) stream.close();
  });

  test('of many that come at once is one of as many as a token may have, and the others are refused', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 40 }, () => listen(desk)));
    const open = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(open).toHaveLength(4);
    for (const stream of open) stream.close();
    await Promise.all(open.map(({ closed }) => closed));
  });

  test('that is reopened beyond the rate is refused, with the wait', async () => {
    const desk = await startDesk({ limits: { newStreamsPerMinute: 3 } });
    for (let i = 0; i < 3; i++) {
      const stream = await listen(desk);
      stream.close();
      await stream.closed;
    }
    const { status, body } = await refusedUpgrade(desk, PRIVATE, bearer);
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'too-many-streams' });
    expect(body.detail).toMatch(/^At most 3 new streams of one token in a minute: wait (59|60) seconds\.$/);
    // Another path is another stream of the same token.
    expect((await refusedUpgrade(desk, AUCTION, bearer)).status).toBe(429);
    await desk.close();
  });

  test('with plain HTTP is referred to a WebSocket', async () => {
    const answer = await desk.get(PRIVATE);
    expect([answer.status, answer.headers.get('upgrade')]).toEqual([426, 'websocket']);
    expect(answer.json.code).toBe('malformed');
  });
});

describe('a listener is dropped with a reason', () => {
  test('when it reads too slowly, while others are not held up', async () => {
    let dropped = false;
    const desk = await startDesk({
      limits: { streamBytesMax: 100_000 },
      log: (_level, text) => {
        if (text.startsWith('a listener was dropped')) dropped = true;
      },
    });
    const quick = await listen(desk);
    await quick.subscribe({ topic: 'tradingAccounts', tradingAccountId: ACCOUNT });
    const slow = await listen(desk);
    await slow.subscribe({ topic: 'tradingAccounts', tradingAccountId: ACCOUNT });
    await slow.find(({ type }) => type === 'snapshot');
    const closed = closeOf(slow.socket);
    slow.socket.pause();
    const frame = {
      type: 'update',
      dataType: 'V1TATradingAccount',
      tradingAccountId: ACCOUNT,
      data: { tradingAccountId: ACCOUNT, filling: 'x'.repeat(50_000) },
    } as const;
    // Turn by turn, so that what can be written is; kernel buffers take several megabytes.
    for (let i = 0; i < 400 && !dropped; i++) {
      desk.feeds.take('primary', 'private', frame);
      await new Promise((resolve) => setImmediate(resolve));
    }
    // It has two seconds to read the reason.
    slow.socket.resume();
    const { code, reason } = await closed;
    expect(code).toBe(1008);
    expect(reason).toBe('too slow: more than 100000 bytes were waiting to be read');
    await quick.ping();
    quick.close();
    await desk.close();
  });

  test('when the stream of the exchange is lost; it is let in again once that is live', async () => {
    const desk = await startDesk();
    const stream = await listen(desk);
    await stream.subscribe({ topic: 'orders' });
    const closed = closeOf(stream.socket);
    desk.feeds.setLive('primary', 'private', false);
    expect(await closed).toEqual({
      code: 1013,
      reason: 'the stream of the exchange was lost; connect again for a new snapshot',
    });
    expect(await refusedUpgrade(desk, PRIVATE, bearer)).toMatchObject({ status: 503, body: { code: 'exchange-gone' } });
    desk.feeds.setLive('primary', 'private', true);
    const again = await listen(desk);
    await again.ping();
    again.close();
    await desk.close();
  });

  test('when the gateway goes down', async () => {
    const desk = await startDesk();
    const stream = await listen(desk);
    const closed = closeOf(stream.socket);
    const closing = desk.close();
    expect(await closed).toEqual({ code: 1001, reason: 'the gateway is shutting down' });
    await closing;
  });

  test('when it sends too many messages', async () => {
    const desk = await startDesk();
    const stream = await listen(desk);
    const closed = closeOf(stream.socket);
    for (let i = 0; i < 500; i++) stream.send('keepalivePing');
    expect((await closed).code).toBe(1008);
    await desk.close();
  });

  test('when it sends too many pings of the protocol', async () => {
    const desk = await startDesk();
    const stream = await listen(desk);
    let isClosed = false;
    const closed = closeOf(stream.socket).finally(() => {
      isClosed = true;
    });
    for (let i = 0; i < 200 && !isClosed; i++) {
      const answered = new Promise((resolve) => stream.socket.once('pong', resolve));
      stream.socket.ping();
      await Promise.race([answered, closed]);
    }
    expect(isClosed).toBe(true);
    expect(await closed).toEqual({ code: 1008, reason: 'more than 100 messages in a second' });
    await desk.close();
  });

  test.each([
    ['a message that is too long', 1009, (socket: WebSocket) => socket.send('x'.repeat(1_000_000))],
    ['what is no frame', 1002, (socket: WebSocket) => socket.send('x', { mask: false })],
  ])('when it sends %s, which stands in the log too', async (_, code, send) => {
    const lines: [string, Readonly<Record<string, unknown>>][] = [];
    const desk = await startDesk({ log: (_level, text, fields) => lines.push([text, fields]) });
    const stream = await listen(desk);
    const closed = closeOf(stream.socket);
    send(stream.socket);
    expect((await closed).code).toBe(code);
    const told = [expect.stringContaining('dropped: its frame cannot be read'), { caller: 'desk', feed: 'private' }];
    expect(lines).toEqual([told]);
    expect(desk.bridge.callers()[0]).toMatchObject({ name: 'desk', streams: 0 });
    await desk.close();
  });

  test('when it has said nothing for more than 90 seconds, which is looked at again and again', async () => {
    const intervals = vi.spyOn(globalThis, 'setInterval');
    const desk = await startDesk();
    // The last that was started is that of the bridge.
    const look = intervals.mock.calls.filter(([, ms]) => ms === 10_000).at(-1)![0] as () => void;
    intervals.mockRestore();
    const stream = await listen(desk);
    const closed = closeOf(stream.socket);
    look();
    await stream.ping();
    const now = performance.now.bind(performance);
    const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 90_001);
    look();
    later.mockRestore();
    expect(await closed).toEqual({ code: 1008, reason: 'no keepalivePing for 90 seconds' });
    await desk.close();
  });

  test('never for data of a time while our clock was set back', async () => {
    let setBackMs = 0;
    const desk = await startDesk({ now: () => Date.now() - setBackMs });
    const stream = await listen(desk);
    setBackMs = 3_600_000;
    for (let second = 0; second < 2; second++) {
      for (let i = 0; i < 60; i++) await stream.ping();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    await stream.ping();
    stream.close();
    await desk.close();
  });
});
