// The public streams over the bridge: the exchange's own frames, one upstream connection per feed for all listeners and the
// gateway itself, and the present state for a later listener.

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { limitBuy } from '../../exchange-client/venue.ts';
import { type Json, Stream } from '../../simulator/exchange-caller.ts';
import { type Desk, FULL_TOKEN, startDesk } from '../desk.ts';

const MARKET_DATA = '/trading-api/v1/market-data';
let desk: Desk;
beforeAll(async () => {
  desk = await startDesk();
});
afterAll(() => desk.close());

async function listen(path: string, token = FULL_TOKEN): Promise<Stream> {
  const stream = await Stream.open(desk.bridge.url.replace('http', 'ws') + path, { authorization: `Bearer ${token}` });
  onTestFinished(() => stream.socket.terminate());
  return stream;
}

let references = 0;
/** An order that changes the book of BTCUSDC. */
const move = () => desk.client.submit(`m-${++references}`, limitBuy(`${9000 + references}`));
const isData = ({ dataType }: Json): boolean => dataType !== undefined;

const STREAMS = [
  ['l1Orderbook', `${MARKET_DATA}/orderbook`, { symbol: 'BTCUSDC' }, 'V1TALevel1'],
  ['l2Orderbook', `${MARKET_DATA}/orderbook`, { symbol: 'BTCUSDC' }, 'V1TALevel2'],
  ['anonymousTrades', `${MARKET_DATA}/trades`, { symbol: 'BTCUSDC' }, 'V1TAAnonymousTradeUpdate'],
  ['tick', `${MARKET_DATA}/tick`, { symbol: 'BTCUSDC' }, 'V1TATickerResponse'],
  ['indexPrice', '/trading-api/v1/index-data', { assetSymbol: 'BTC' }, 'V1TAIndexPrice'],
] as const;

describe('a public stream', () => {
  test.each(STREAMS)(
    'of %s has the frames of the exchange, for a second listener too',
    async (topic, path, of, type) => {
      const first = await listen(path);
      expect(await first.subscribe({ topic, ...of })).toMatchObject({ result: { responseCode: '200' } });
      const begin = await first.find(isData);
      expect(begin).toMatchObject({ dataType: type, data: of });
      const { streamCount } = desk.simulator.control;
      const second = await listen(path);
      await second.subscribe({ topic, ...of });
      const state = await second.find(isData);
      expect(state).toMatchObject({ type: 'snapshot', dataType: type, data: of });
      expect(Object.keys(state.data as Json).sort()).toEqual(Object.keys(begin.data as Json).sort());
      expect(desk.simulator.control.streamCount, 'one upstream connection').toBe(streamCount);
    },
  );

  test('says every change of a book to all its listeners, and nothing after the subscription is taken back', async () => {
    const both = [await listen(`${MARKET_DATA}/orderbook`), await listen(`${MARKET_DATA}/orderbook`)] as const;
    for (const one of both) await one.subscribe({ topic: 'l2Orderbook', symbol: 'BTCUSDC' });
    await both[0].find(isData);
    const seen = both.map(({ frames }) => frames.length);
    await move();
    const changes = await Promise.all(both.map((one, i) => one.find(isData, seen[i])));
    expect(changes[0]).toEqual(changes[1]);
    const id = both[0].send('unsubscribe', { topic: 'l2Orderbook', symbol: 'BTCUSDC' });
    await both[0].find((frame) => frame.id === id);
    const from = both[0].frames.length;
    const last = both[1].frames.length;
    await move();
    await both[1].find(isData, last);
    await both[0].ping();
    expect(both[0].frames.slice(from).filter(isData)).toEqual([]);
  });

  test('of the ticks of one market needs no subscription', async () => {
    const stream = await listen(`${MARKET_DATA}/tick/BTCUSDC`);
    expect(await stream.find(isData)).toMatchObject({ dataType: 'V1TATickerResponse', data: { symbol: 'BTCUSDC' } });
    await expect(listen(`${MARKET_DATA}/tick/NOPE`)).rejects.toThrow('404');
  });

  test.each([
    [`${MARKET_DATA}/orderbook`, { topic: 'l2Orderbook' }, 'A market symbol is missing'],
    [`${MARKET_DATA}/orderbook`, { topic: 'l2Orderbook', symbol: 'NOPE' }, "'NOPE' is not a valid market symbol"],
    [`${MARKET_DATA}/trades`, { topic: 'tick', symbol: 'BTCUSDC' }, "'tick' is not a valid topic"],
    ['/trading-api/v1/index-data', { topic: 'indexPrice' }, 'An asset symbol is missing'],
    ['/trading-api/v1/index-data', { topic: 'indexPrice', assetSymbol: ' ' }, "' ' is not a valid asset symbol"],
  ])('%s refuses %j', async (path, params, text) => {
    const stream = await listen(path);
    expect(await stream.subscribe(params)).toMatchObject({ error: { errorCode: '29013', errorCodeName: text } });
  });

  test('passes on that the exchange does not serve an asset', async () => {
    const stream = await listen('/trading-api/v1/index-data');
    const id = stream.send('subscribe', { topic: 'indexPrice', assetSymbol: 'NOPE' });
    expect(await stream.find((frame) => frame.id === id && 'error' in frame)).toMatchObject({
      error: { errorCodeName: expect.stringContaining("refuses 'indexPrice' of NOPE") },
    });
  });

  test('ends with a reason when the exchange cuts it, and its next listener has the state anew', async () => {
    const stream = await listen(`${MARKET_DATA}/trades`);
    await stream.subscribe({ topic: 'anonymousTrades', symbol: 'ETHUSDC' });
    await stream.find(isData);
    desk.simulator.control.cutStreams('public');
    expect(await stream.closed).toBe(1013);
    const next = await listen(`${MARKET_DATA}/trades`);
    await next.subscribe({ topic: 'anonymousTrades', symbol: 'ETHUSDC' });
    expect(await next.find(isData)).toMatchObject({ type: 'snapshot', data: { symbol: 'ETHUSDC' } });
  });

  test('needs the function market-data', async () => {
    await expect(listen(`${MARKET_DATA}/tick`, 'no-token-of-the-bridge-0009')).rejects.toThrow('401');
  });
});
