// The gateway's view of markets at this moment: reference data, auction phases, reference prices, live feeds.
// read-order-terms.ts (precision), gtx.ts (auctions) and risk-limits.ts (prices) draw the consequences for an order.

import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import type { AuctionPhase, Market } from '../../exchange/mod.ts';

/** Markets remembered that are listed no more; the oldest go first. */
const GONE_MAX = 10_000;

/** A market with its amounts read once. */
export interface MarketRules {
  readonly market: Market;
  /** The receiver's name for it (rule O8). */
  readonly name: string;
  /** Step of every price. */
  readonly tickSize: Decimal;
  readonly contractMultiplier: Decimal;
  readonly minQuantity: Decimal;
  readonly maxQuantity: Decimal;
}

/** An order's name for a market; `[N/A]` is no name. */
export function marketName(symbol: string, exchangeSymbol: string): string {
  return symbol === '[N/A]' ? exchangeSymbol : symbol;
}

/** A market as an order names it. */
export function namedAs(rules: MarketRules, symbol: string): MarketRules {
  const name = marketName(symbol, rules.name);
  return name === rules.name ? rules : { ...rules, name };
}

export interface ReferencePrice {
  readonly price: Decimal;
  readonly at: EpochMs;
}

function rulesOf(market: Market): MarketRules | null {
  const stated = Decimal.parse(market.tickSize);
  const minQuantity = Decimal.parse(market.minQuantityLimit);
  const maxQuantity = Decimal.parse(market.maxQuantityLimit);
  const contractMultiplier = Decimal.parse(market.contractMultiplier ?? '1');
  if (stated === null || minQuantity === null || maxQuantity === null || contractMultiplier === null) return null;
  // Of a market without a tick its decimals say how fine a price may be.
  const tickSize = stated.isPositive() ? stated : new Decimal(1n, market.pricePrecision);
  return { market, name: market.symbol, tickSize, contractMultiplier, minQuantity, maxQuantity };
}

export class MarketBoard {
  private readonly markets = new Map<string, MarketRules>();
  /** Markets that were listed before: those that expired, mostly. */
  private readonly gone = new Map<string, MarketRules>();
  private readonly phases = new Map<string, AuctionPhase>();
  private readonly prices = new Map<string, ReferencePrice>();
  /** Exchange logins with a live feed. */
  private readonly live = { private: new Set<string>(), auction: new Set<string>() };

  /**
   * Replace the reference data, and return delisted markets. A market with unreadable amounts is left out, and named in
   * the result if it is listed.
   */
  setMarkets(markets: readonly Market[], past: readonly Market[] = []): string[] {
    const before = [...this.markets.values()];
    this.markets.clear();
    const unreadable: string[] = [];
    for (const market of markets) {
      const rules = rulesOf(market);
      if (rules === null) unreadable.push(market.symbol);
      else this.markets.set(market.symbol, rules);
    }
    before.push(...past.map(rulesOf).filter((rules) => rules !== null));
    for (const rules of before) if (!this.markets.has(rules.market.symbol)) this.noteGone(rules);
    return unreadable;
  }

  /** Later reports of its orders need its precision and assets; it takes no new orders. */
  private noteGone(rules: MarketRules): void {
    const market = { ...rules.market, marketEnabled: false, createOrderEnabled: false };
    this.gone.set(market.symbol, { ...rules, market });
    if (this.gone.size <= GONE_MAX) return;
    for (const symbol of this.gone.keys()) {
      this.gone.delete(symbol);
      return;
    }
  }

  /** A market as it is listed, or as it was last. */
  rules(symbol: string): MarketRules | null {
    return this.markets.get(symbol) ?? this.gone.get(symbol) ?? null;
  }

  /** A market that is listed now; null for any other. */
  listed(symbol: string): MarketRules | null {
    return this.markets.get(symbol) ?? null;
  }

  /** Every listed market, in the exchange's order. */
  allRules(): MarketRules[] {
    return [...this.markets.values()];
  }

  get isLoaded(): boolean {
    return this.markets.size > 0;
  }

  setPhase(phase: AuctionPhase): void {
    this.phases.set(phase.symbol, phase);
  }

  /** Whether there was one to forget. */
  forgetPhase(symbol: string): boolean {
    return this.phases.delete(symbol);
  }

  /** The last phase heard of a symbol's auction, or null. */
  phase(symbol: string): AuctionPhase | null {
    return this.phases.get(symbol) ?? null;
  }

  /**
   * The last phase, while the auction feed is live; else null. The feed is public: any exchange login carries it for
   * the orders of all.
   */
  livePhase(symbol: string): AuctionPhase | null {
    return this.live.auction.size === 0 ? null : this.phase(symbol);
  }

  /** Every auction phase heard, one per symbol. */
  allPhases(): AuctionPhase[] {
    return [...this.phases.values()];
  }

  /** Note the last traded price of the continuous book; a text that is no positive decimal is ignored. */
  setReferencePrice(symbol: string, text: string, at: EpochMs): void {
    const price = Decimal.parse(text);
    if (price?.isPositive()) this.prices.set(symbol, { price, at });
  }

  /** Whether a price of the market was ever heard. */
  hasPrice(symbol: string): boolean {
    return this.prices.has(symbol);
  }

  /** The reference price, or null when there is none younger than `ageMaxMs`. */
  freshPrice(symbol: string, now: EpochMs, ageMaxMs: number): ReferencePrice | null {
    const price = this.prices.get(symbol);
    return price === undefined || now - price.at > ageMaxMs ? null : price;
  }

  setFeed(credential: string, feed: 'private' | 'auction', live: boolean): void {
    if (live) this.live[feed].add(credential);
    else this.live[feed].delete(credential);
  }

  /** Whether the private stream of an exchange login is. */
  isLive(credential: string): boolean {
    return this.live.private.has(credential);
  }
}
