// The last traded price of the markets that orders are checked against (rule O12): read once, followed on the tick stream,
// confirmed while that is live and quiet.

import type { ExchangeEvent, Market, MarketDataEvent } from '../exchange/mod.ts';
import type { MarketStreams } from './market-streams.ts';
import type { ResolvedOptions } from './options.ts';
import type { Reads } from './reads.ts';

/** Symbols whose price is followed unless configured. */
const SYMBOLS_MAX = 100;

export class ReferencePrices {
  readonly #options: ResolvedOptions;
  readonly #onEvent: (event: ExchangeEvent) => void;
  readonly #last = new Map<string, string>();
  #symbols: ReadonlySet<string> = new Set();
  #timer: NodeJS.Timeout | null = null;
  #isLive = false;
  #isClosed = false;

  constructor(options: ResolvedOptions, onEvent: (event: ExchangeEvent) => void) {
    this.#options = options;
    this.#onEvent = onEvent;
  }

  open(markets: readonly Market[], streams: MarketStreams, reads: Reads): void {
    const { referenceSymbols, timeouts } = this.#options;
    const symbols =
      referenceSymbols ??
      markets
        .filter(({ marketType, marketEnabled }) => marketType !== 'OPTION' && marketEnabled)
        .slice(0, SYMBOLS_MAX)
        .map(({ symbol }) => symbol);
    this.#symbols = new Set(symbols);
    for (const symbol of symbols) {
      streams.subscribe('tick', symbol);
      void this.#first(symbol, reads);
    }
    // A quiet market's price is as old as its last trade, not stale: confirmed while the feed is live.
    this.#timer = setInterval(() => {
      if (this.#isLive) for (const [symbol, price] of this.#last) this.#say(symbol, price);
    }, timeouts.priceRefreshMs);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  take(event: MarketDataEvent): void {
    if (event.kind === 'marketFeed' && event.topics.includes('tick')) this.#isLive = event.live;
    if (event.kind !== 'tick' || event.tick.last === null || !this.#symbols.has(event.tick.symbol)) return;
    this.#last.set(event.tick.symbol, event.tick.last);
    this.#say(event.tick.symbol, event.tick.last);
  }

  async #first(symbol: string, reads: Reads): Promise<void> {
    const price = await reads.lastPrice(symbol);
    if (price === null || this.#last.has(symbol) || this.#isClosed) return;
    this.#last.set(symbol, price);
    this.#say(symbol, price);
  }

  #say(symbol: string, price: string): void {
    if (!this.#isClosed) this.#onEvent({ kind: 'referencePrice', symbol, price });
  }
}
