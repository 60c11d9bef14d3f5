// Reads the top of the book and the auction phase from the exchange's public REST addresses, without a login, before
// the OMS trades. Orders go over FIX only.

import { Decimal } from '../base/decimal.ts';
import { CrossgateError } from '../base/errors.ts';

/** Largest answer read, in bytes of text: a book of 200 levels is a tenth of this. */
const ANSWER_MAX = 1_000_000;
const REQUEST_TIMEOUT_MS = 3_000;

/** Best prices and the price step of a market. */
export interface TopOfBook {
  readonly bestBid: Decimal;
  readonly bestAsk: Decimal;
  readonly tickSize: Decimal;
}

/** The running auction of a symbol, as far as an order needs it. */
export interface AuctionState {
  readonly auctionId: string;
  readonly phase: 'COOLING' | 'ACCUMULATION' | 'LOCKDOWN' | 'CROSS';
  readonly takesOrders: boolean;
}

export class PublicMarket {
  readonly #base: string;
  readonly #symbol: string;

  constructor(exchangeUrl: string, symbol: string) {
    this.#base = `${exchangeUrl.replace(/\/$/, '')}/trading-api/v1/markets/${encodeURIComponent(symbol)}`;
    this.#symbol = symbol;
  }

  /** @throws CrossgateError XG_EXCHANGE_UNREACHABLE or XG_EXCHANGE_ANSWER_INVALID, also for an empty book */
  async topOfBook(): Promise<TopOfBook> {
    const [market, book] = await Promise.all([this.#get(''), this.#get('/orderbook/hybrid')]);
    const bestBid = price(member(member(book, 'bids'), 0));
    const bestAsk = price(member(member(book, 'asks'), 0));
    const tickSize = decimal(member(market, 'tickSize'));
    if (bestBid === null || bestAsk === null || tickSize === null) {
      throw new CrossgateError('XG_EXCHANGE_ANSWER_INVALID', `${this.#symbol} has no bid, no ask or no tick size now`);
    }
    return { bestBid, bestAsk, tickSize };
  }

  /** The auction of the symbol, or null if none is announced. @throws as `topOfBook` */
  async auction(): Promise<AuctionState | null> {
    const first = member(member(await this.#get('/auctions'), 'data'), 0);
    const phase = member(first, 'phase');
    if (phase !== 'COOLING' && phase !== 'ACCUMULATION' && phase !== 'LOCKDOWN' && phase !== 'CROSS') return null;
    return {
      auctionId: String(member(first, 'auctionId')),
      phase,
      takesOrders: member(first, 'createAuctionOrderEnabled') === true,
    };
  }

  async #get(path: string): Promise<unknown> {
    const url = this.#base + path;
    let text: string;
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
      text = await response.text();
      if (!response.ok) throw new Error(`HTTP status ${response.status}`);
    } catch (cause) {
      throw new CrossgateError('XG_EXCHANGE_UNREACHABLE', `GET ${url}: ${reasonOf(cause)}`, { cause });
    }
    if (text.length > ANSWER_MAX)
      throw new CrossgateError('XG_EXCHANGE_ANSWER_INVALID', `GET ${url}: too long an answer`);
    try {
      return JSON.parse(text) as unknown;
    } catch (cause) {
      throw new CrossgateError('XG_EXCHANGE_ANSWER_INVALID', `GET ${url}: the answer is not JSON`, { cause });
    }
  }
}

/** The cause of a fetch error says more than the error itself, for example that the port is closed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  return `${error.message}${code}`;
}

function member(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[key] : undefined;
}

function decimal(value: unknown): Decimal | null {
  return typeof value === 'string' ? Decimal.parse(value) : null;
}

/** A level of the book is `{price, priceLevelQuantity}`; streams write it as `[price, quantity]`. */
function price(level: unknown): Decimal | null {
  return decimal(Array.isArray(level) ? level[0] : member(level, 'price'));
}
