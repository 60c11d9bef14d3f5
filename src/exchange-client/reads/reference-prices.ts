// Last traded prices of markets that orders are checked against (rule O12), or the exchange's mark price before any
// trade. Read once, followed on the tick stream, confirmed while that is live and quiet.

import { type ExchangeEvent, firstPrice, type Market, type MarketDataEvent } from '../../exchange/mod.ts';
import type { ResolvedOptions } from '../options.ts';
import type { MarketStreams } from '../streams/market-streams.ts';
import type { Reads } from './reads.ts';

/** Symbols with a followed price unless configured. */
const SYMBOLS_MAX = 100;
/** Further ones, asked for by their first order. */
const ASKED_MAX = 2_000;

export class ReferencePrices {
  readonly #options: ResolvedOptions;
  readonly #onEvent: (event: ExchangeEvent) => void;
  readonly #last = new Map<string, string>();
  readonly #symbols = new Set<string>();
  readonly #asked = new Set<string>();
  /** When the exchange refused the ticks of one that was asked for. */
  readonly #refusedAt = new Map<string, number>();
  /** When a price was read last, of those that were since the feed was away. */
  readonly #readAt = new Map<string, number>();
  readonly #streams: MarketStreams;
  readonly #reads: Reads;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(
    options: ResolvedOptions,
    sources: { readonly streams: MarketStreams; readonly reads: Reads },
    onEvent: (event: ExchangeEvent) => void,
  ) {
    this.#options = options;
    this.#onEvent = onEvent;
    this.#streams = sources.streams;
    this.#reads = sources.reads;
  }

  open(markets: readonly Market[]): void {
    this.follow(markets);
    // A quiet market's price is as old as its last trade, not stale: confirmed while the feed is live.
    this.#timer = setInterval(() => {
      if (this.#streams.isLive('tick')) for (const [symbol, price] of this.#last) this.#say(symbol, price);
    }, this.#options.timeouts.priceRefreshMs);
  }

  /** Follow the prices of these markets alone: the configured symbols, else as many as there may be. */
  follow(markets: readonly Market[]): void {
    const { referenceSymbols } = this.#options;
    const wanted =
      referenceSymbols ??
      markets
        .filter(({ marketType, marketEnabled }) => marketType !== 'OPTION' && marketEnabled)
        .map(({ symbol }) => symbol);
    const listed = new Set(markets.map(({ symbol }) => symbol));
    for (const symbol of this.#asked) {
      if (listed.has(symbol)) continue;
      this.#asked.delete(symbol);
      this.#refusedAt.delete(symbol);
    }
    const asked = markets.filter(({ symbol, marketEnabled }) => marketEnabled && this.#asked.has(symbol));
    this.#keep(new Set([...wanted, ...asked.map(({ symbol }) => symbol)]));
    // Those that were asked for take no room from the others.
    let followed = wanted.filter((symbol) => this.#symbols.has(symbol)).length;
    for (const symbol of wanted) {
      if (referenceSymbols === undefined && followed >= SYMBOLS_MAX) break;
      if (this.#follow(symbol)) followed++;
    }
    for (const { symbol } of asked) this.#follow(symbol);
  }

  /** Follow one more: an option, or a market beyond those that are followed anyway. */
  ask(symbol: string): void {
    if (!this.#asked.has(symbol) && this.#asked.size >= ASKED_MAX) return;
    this.#asked.add(symbol);
    const { elapsedMs, timeouts } = this.#options;
    const refusedAt = this.#refusedAt.get(symbol);
    // Every order in it asks: a refused market would be subscribed and read as often.
    if (refusedAt !== undefined && elapsedMs() - refusedAt < timeouts.askAgainMs) return;
    this.#refusedAt.delete(symbol);
    if (this.#follow(symbol) || this.#last.has(symbol) || !this.#symbols.has(symbol)) return;
    // Its feed has said nothing since it came back.
    const readAt = this.#readAt.get(symbol);
    if (readAt === undefined || elapsedMs() - readAt >= timeouts.askAgainMs) void this.#first(symbol);
  }

  /** Whether it is followed from now on, and was not before. */
  #follow(symbol: string): boolean {
    if (this.#symbols.has(symbol)) return false;
    // Before the counterparties' own subscriptions: without a price orders are refused.
    this.#streams.subscribe('tick', symbol, true);
    this.#symbols.add(symbol);
    void this.#first(symbol);
    return true;
  }

  /** A price from before its market was gone is no price of today: it is not confirmed, and read anew if the market returns. */
  #keep(wanted: ReadonlySet<string>): void {
    for (const symbol of this.#symbols) {
      if (wanted.has(symbol)) continue;
      this.#symbols.delete(symbol);
      this.#last.delete(symbol);
      this.#readAt.delete(symbol);
      this.#streams.unsubscribe('tick', symbol);
    }
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  take(event: MarketDataEvent): void {
    if (event.kind === 'marketFeed' && event.topics.includes('tick') && !event.live) this.#forgetAll();
    // The stream has forgotten it already.
    if (event.kind === 'marketRefused' && event.topic === 'tick' && this.#symbols.delete(event.subject)) {
      this.#last.delete(event.subject);
      if (this.#asked.has(event.subject)) this.#refusedAt.set(event.subject, this.#options.elapsedMs());
    }
    if (event.kind !== 'tick') return;
    const { symbol, last, markPrice } = event.tick;
    const price = firstPrice(last, markPrice);
    if (price === null || !this.#symbols.has(symbol)) return;
    this.#last.set(symbol, price);
    this.#say(symbol, price);
  }

  /** A price from before the feed was away is not confirmed after it: each market says its own anew. */
  #forgetAll(): void {
    this.#last.clear();
    this.#readAt.clear();
  }

  async #first(symbol: string): Promise<void> {
    this.#readAt.set(symbol, this.#options.elapsedMs());
    const price = await this.#reads.lastPrice(symbol);
    if (price === null || this.#last.has(symbol) || !this.#symbols.has(symbol)) return;
    this.#last.set(symbol, price);
    this.#say(symbol, price);
  }

  #say(symbol: string, price: string): void {
    if (!this.#isClosed) this.#onEvent({ kind: 'referencePrice', symbol, price });
  }
}
