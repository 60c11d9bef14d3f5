// A desk for market data: what the exchange's public feeds say goes in, what is published comes out, and leaves at once unless
// a test says that the way out is busy.

import type { MarketDataEvent, MarketTick, MarketTopic, Noii } from '../../src/exchange/mod.ts';
import type { GatewayEffect, GatewaySessionConfig } from '../../src/gateway/mod.ts';
import { Desk, gatewayConfig, SESSION, textOf } from './desk.ts';

type Level = readonly [price: string, quantity: string];

/** A desk with immediate output, unless the output is set busy. */
export class MarketDesk extends Desk {
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

  /** Handed-over messages have left. */
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

  trades(
    ids: readonly string[],
    source: 'snapshot' | 'update' = 'update',
    gapBefore = false,
    auctionId: string | null = null,
  ): string[] {
    const trades = ids.map((tradeId) => ({
      tradeId,
      symbol: 'BTCUSDC',
      price: '50000.0',
      quantity: '0.5',
      side: null,
      auctionId,
      createdAt: this.now,
    }));
    return this.market({ kind: 'marketTrades', symbol: 'BTCUSDC', trades, source, gapBefore });
  }

  tick(symbol = 'BTCUSDC', more: Partial<MarketTick> = {}): string[] {
    const tick = {
      ...{ symbol, last: '5', lastTradeSize: null, lastTradeAt: null, bestBid: null, bidVolume: null },
      ...{ bestAsk: null, askVolume: null, open: '4', high: '7', low: '3', vwap: '4.5', baseVolume: '100' },
      ...{ quoteVolume: null, markPrice: null, fundingRate: null, openInterest: '12', createdAt: null },
      ...more,
    };
    return this.market({ kind: 'tick', tick });
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

  live(live: boolean, topics: readonly (MarketTopic | 'noii')[]): string[] {
    return this.market({ kind: 'marketFeed', topics, live });
  }
}

/** A request: `V('m', 1, {…})`. */
export function V(
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
