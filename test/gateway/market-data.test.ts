// Market data over FIX on the pure machine (V, W, X, Y; rule D4): who is told what, in every version and dialect, through
// stale feeds, refusals and a slow way out. Books, trades and imbalances come as the exchange client says them.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadDictionary, Validator } from '../../src/dictionary/mod.ts';
import type { MarketDataEvent, Noii } from '../../src/exchange/mod.ts';
import type { GatewayEffect, GatewaySessionConfig } from '../../src/gateway/mod.ts';
import { fromPrintable, viewOf } from '../../src/wire/mod.ts';
import { dictionary } from '../support/generated.ts';
import { Desk, gatewayConfig, SESSION, textOf } from './desk.ts';

type Level = readonly [price: string, quantity: string];

/** A desk whose published messages leave at once, unless the way out is said to be busy. */
class MarketDesk extends Desk {
  readonly published: string[] = [];
  readonly follows: string[] = [];
  isBusy = false;
  #sequence = 0n;

  constructor(session: Partial<GatewaySessionConfig> = {}) {
    super(gatewayConfig({ marketData: { symbolsPerRequestMax: 3, subscriptionsMax: 5 }, ...session }));
  }

  /** Everything said since, kept or not. */
  told(act: () => unknown): string[] {
    const [sent, published] = [this.sent.length, this.published.length];
    act();
    return [...this.published.slice(published), ...this.sent.slice(sent)];
  }

  override feed(input: Parameters<Desk['feed']>[0]): GatewayEffect[] {
    const effects = super.feed(input);
    let left = false;
    for (const effect of effects) {
      if (effect.kind === 'publish') {
        this.published.push(textOf(effect.draft));
        left = true;
      } else if (effect.kind === 'follow' || effect.kind === 'unfollow') {
        this.follows.push(`${effect.kind} ${effect.topic} ${effect.subject}`);
      }
    }
    if (left && !this.isBusy) this.room();
    return effects;
  }

  /** What was handed over has left. */
  room(): void {
    this.feed({ kind: 'marketDataRoom', sessionId: SESSION });
  }

  market(event: MarketDataEvent): string[] {
    return this.told(() => this.feed({ kind: 'marketData', event }));
  }

  book(bids: readonly Level[], asks: readonly Level[], depth: 'l1' | 'l2' = 'l2', symbol = 'BTCUSDC'): string[] {
    const levels = (side: readonly Level[]) => side.map(([price, quantity]) => ({ price, quantity }));
    const book = { symbol, sequence: ++this.#sequence, bids: levels(bids), asks: levels(asks), updatedAt: null };
    return this.market({ kind: 'book', depth, book });
  }

  trades(ids: readonly string[], source: 'snapshot' | 'update' = 'update', gapBefore = false): string[] {
    const trades = ids.map((tradeId) => ({
      tradeId,
      symbol: 'BTCUSDC',
      price: '50000.0',
      quantity: '0.5',
      side: null,
      auctionId: null,
      createdAt: this.now,
    }));
    return this.market({ kind: 'marketTrades', symbol: 'BTCUSDC', trades, source, gapBefore });
  }

  noii(more: Partial<Noii> = {}): string[] {
    return this.market({
      kind: 'noii',
      noii: {
        auctionId: '7',
        symbol: 'BTCUSDC',
        eventType: 'UPDATE',
        farPrice: '50010.0',
        clearingPrice: null,
        referencePrice: '50000.0',
        imbalanceDirection: 'BUY',
        imbalanceQuantity: '1.5',
        pairedQuantity: '4',
        at: this.now,
        ...more,
      },
    });
  }

  live(live: boolean, topics: readonly ('l1Orderbook' | 'l2Orderbook' | 'tick' | 'noii')[]): string[] {
    return this.market({ kind: 'marketFeed', topics, live });
  }
}

/** A request: `V('m', 1, {…})`. */
function V(
  mdReqID: string,
  type: 0 | 1 | 2,
  { depth = 0, update = '1', types = '0 1', symbols = 'BTCUSDC', more = '' } = {},
): string {
  const [entryTypes, names] = [types.split(' '), symbols.split(' ')];
  const updateType = type === 1 && update !== '' ? `265=${update}|` : '';
  return (
    `35=V|262=${mdReqID}|263=${type}|264=${depth}|${updateType}${more}267=${entryTypes.length}|` +
    `${entryTypes.map((one) => `269=${one}|`).join('')}146=${names.length}|${names.map((one) => `55=${one}|`).join('')}`
  );
}

describe('MarketDataRequest(V)', () => {
  test('263=1 265=0 gets the whole book in W, again on every change, cut to the levels asked for', () => {
    const desk = new MarketDesk();
    expect(desk.oms(V('m', 1, { depth: 2, update: '0' }))).toEqual([]);
    expect(desk.follows).toEqual(['follow l2Orderbook BTCUSDC']);
    expect(
      desk.book(
        [
          ['49999.0', '1'],
          ['49998.0', '2'],
          ['49997.0', '3'],
        ],
        [['50001.0', '4']],
      ),
    ).toEqual([
      '35=W|57=ADMIN|262=m|55=BTCUSDC|268=3|269=0|270=49999.0|271=1|290=1|269=0|270=49998.0|271=2|290=2|' +
        '269=1|270=50001.0|271=4|290=1|',
    ]);
    // Beyond the second level nobody asked.
    expect(
      desk.book(
        [
          ['49999.0', '1'],
          ['49998.0', '2'],
          ['49997.0', '9'],
        ],
        [['50001.0', '4']],
      ),
    ).toEqual([]);
    expect(
      desk.book(
        [
          ['49999.0', '5'],
          ['49998.0', '2'],
        ],
        [['50001.0', '4']],
      ),
    ).toEqual([expect.stringMatching(/^35=W\|.*\|268=3\|269=0\|270=49999.0\|271=5\|/)]);
  });

  test('263=1 265=1 gets W once, then X with what is new, changed and gone, deletions first', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 1));
    expect(
      desk.book(
        [
          ['49999.0', '1'],
          ['49998.0', '2'],
        ],
        [['50001.0', '4']],
      )[0],
    ).toMatch(/^35=W\|/);
    expect(
      desk.book(
        [
          ['49999.5', '7'],
          ['49999.0', '3'],
        ],
        [['50001.0', '4']],
      ),
    ).toEqual([
      '35=X|57=ADMIN|262=m|268=3|279=2|269=0|278=BTCUSDC:0:49998.0|55=BTCUSDC|270=49998.0|' +
        '279=0|269=0|278=BTCUSDC:0:49999.5|55=BTCUSDC|270=49999.5|271=7|290=1|' +
        '279=1|269=0|278=BTCUSDC:0:49999.0|55=BTCUSDC|270=49999.0|271=3|290=2|',
    ]);
    expect(
      desk.book(
        [
          ['49999.5', '7'],
          ['49999.0', '3'],
        ],
        [['50001.0', '4']],
      ),
    ).toEqual([]);
  });

  test('264=1 follows the best prices alone; 263=0 is answered once and forgotten', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 0, { depth: 1, types: '0' }));
    expect(desk.follows).toEqual(['follow l1Orderbook BTCUSDC']);
    expect(desk.book([['49999.0', '1']], [['50001.0', '4']], 'l1')).toEqual([
      '35=W|57=ADMIN|262=m|55=BTCUSDC|268=1|269=0|270=49999.0|271=1|290=1|',
    ]);
    expect(desk.follows.at(-1)).toBe('unfollow l1Orderbook BTCUSDC');
    expect(desk.book([['49999.0', '2']], [], 'l1')).toEqual([]);
    // The same MDReqID may be used again.
    expect(desk.oms(V('m', 0, { depth: 1 }))).toEqual([]);
  });

  test('several symbols and several subscribers: each symbol has its own W, each feed is followed once', () => {
    const desk = new MarketDesk();
    desk.oms(V('a', 1, { symbols: 'BTCUSDC ETHUSDC' }));
    desk.book([['49999.0', '1']], []);
    expect(desk.book([['3000.0', '1']], [], 'l2', 'ETHUSDC')[0]).toContain('262=a|55=ETHUSDC|');
    // Heard already: answered at once.
    expect(desk.told(() => desk.oms(V('b', 1)))).toEqual([expect.stringMatching(/262=b\|55=BTCUSDC\|268=1\|/)]);
    expect(desk.follows).toEqual(['follow l2Orderbook BTCUSDC', 'follow l2Orderbook ETHUSDC']);
    desk.oms(V('a', 2));
    expect(desk.follows.slice(2)).toEqual(['unfollow l2Orderbook ETHUSDC']);
    expect(desk.book([['49999.0', '2']], [])).toHaveLength(1);
  });

  test('symbols go by the session’s names', () => {
    const desk = new MarketDesk({ symbolAliases: { 'BTC/USDC': 'BTCUSDC' } });
    desk.oms(V('m', 1, { symbols: 'BTC/USDC' }));
    expect(desk.book([['1.0', '1']], [])[0]).toContain('|55=BTC/USDC|');
  });

  test('trades come one by one, each once; of the past before the subscription the last one', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 1, { types: '0 2' }));
    desk.trades(['1', '2'], 'snapshot');
    expect(desk.book([['49999.0', '1']], [])[0]).toMatch(
      /268=2\|269=0\|270=49999.0\|271=1\|290=1\|269=2\|270=50000.0\|271=0.5\|272=20260105\|273=12:00:00.000\|$/,
    );
    expect(desk.trades(['3', '4'])).toEqual([
      expect.stringMatching(/^35=X\|.*268=2\|279=0\|269=2\|278=BTCUSDC:2:3\|.*279=0\|269=2\|278=BTCUSDC:2:4\|/),
    ]);
    expect(desk.trades(['9'], 'snapshot', true)[0]).toContain('58=Trades before this one may be missing|');
  });

  test('statistics come from the tick, the index price from the base asset, in USD', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 1, { types: '3 4 5 6 7 8 9 B C' }));
    expect(desk.follows).toEqual(['follow indexPrice BTC', 'follow tick BTCUSDC']);
    const tick = {
      ...{ symbol: 'BTCUSDC', last: '5', lastTradeSize: null, lastTradeAt: null, bestBid: null, bidVolume: null },
      ...{ bestAsk: null, askVolume: null, open: '4', high: '7', low: '3', vwap: '4.5', baseVolume: '100' },
      ...{ quoteVolume: null, markPrice: null, fundingRate: null, openInterest: '12', createdAt: null },
    };
    expect(desk.market({ kind: 'tick', tick })).toEqual([]);
    const indexPrice = { assetSymbol: 'BTC', price: '50000', updatedAt: null };
    expect(desk.market({ kind: 'indexPrice', indexPrice })).toEqual([
      '35=W|57=ADMIN|262=m|55=BTCUSDC|268=8|269=3|270=50000|15=USD|269=4|270=4|269=5|270=5|269=7|270=7|' +
        '269=8|270=3|269=9|270=4.5|269=B|271=100|269=C|271=12|',
    ]);
    expect(desk.market({ kind: 'tick', tick: { ...tick, high: '8' } })).toEqual([
      '35=X|57=ADMIN|262=m|268=1|279=1|269=7|278=BTCUSDC:7|55=BTCUSDC|270=8|',
    ]);
  });

  test('an answer that the feeds keep waiting for goes out in two seconds, and says what counts for nothing', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 0, { types: '0 2' }));
    const late = desk.told(() => desk.advance(2_000));
    expect(late).toEqual(['35=W|57=ADMIN|262=m|55=BTCUSDC|268=1|269=0|276=B|58=The exchange has said nothing yet|']);
    expect(desk.follows).toContain('unfollow l2Orderbook BTCUSDC');
    expect(desk.gateway.deadline()).toBeNull();
  });

  test('the end of the session ends its subscriptions, and the ids are free', () => {
    const desk = new MarketDesk();
    desk.oms(V('m', 1, { types: '0 1 2' }));
    desk.oms(V('n', 0));
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
    expect(desk.follows.slice(2)).toEqual(['unfollow anonymousTrades BTCUSDC', 'unfollow l2Orderbook BTCUSDC']);
    expect(desk.book([['1.0', '1']], [])).toEqual([]);
    expect(desk.oms(V('m', 1))).toEqual([]);
  });
});
