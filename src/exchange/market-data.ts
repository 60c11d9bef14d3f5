// Public market data as values: books, trades, ticks, index prices, imbalance of auctions, read leniently from stream
// frames and REST answers. exchange-client subscribes; the gateway turns it into FIX.

import type { EpochMs } from '../base/time.ts';
import type { OrderSide } from './command.ts';
import { toAmount, toEpochMs, toObject, toText } from './json.ts';
import { oldestFirst } from './trade-order.ts';

/** Topics of public market data (exchange reference §4.1). The subject of `indexPrice` is an asset, of the others a symbol. */
export type MarketTopic = 'l1Orderbook' | 'l2Orderbook' | 'anonymousTrades' | 'tick' | 'indexPrice';

/** Price and quantity, decimal strings as received. */
export interface BookLevel {
  readonly price: string;
  readonly quantity: string;
}

/** A whole book: the best of each side (`l1Orderbook`), or up to 200 levels of each, best first (`l2Orderbook`). */
export interface MarketBook {
  readonly symbol: string;
  /** Number of the state that this is; rises with every change of the book. */
  readonly sequence: bigint;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  /** When the exchange changed it last; of quiet books hours ago. Null if it does not say. */
  readonly updatedAt: EpochMs | null;
}

/** A trade without its parties. */
export interface MarketTrade {
  readonly tradeId: string;
  readonly symbol: string;
  readonly price: string;
  readonly quantity: string;
  /** Side of the order that took; null if the frame does not say. */
  readonly side: OrderSide | null;
  /** Set for trades of an auction. */
  readonly auctionId: string | null;
  readonly createdAt: EpochMs | null;
}

/** The fields of a tick that market data is made of; amounts are decimal strings, null where there is none. */
export interface MarketTick {
  readonly symbol: string;
  readonly last: string | null;
  readonly lastTradeSize: string | null;
  readonly lastTradeAt: EpochMs | null;
  readonly bestBid: string | null;
  readonly bidVolume: string | null;
  readonly bestAsk: string | null;
  readonly askVolume: string | null;
  readonly open: string | null;
  readonly high: string | null;
  readonly low: string | null;
  readonly vwap: string | null;
  readonly baseVolume: string | null;
  readonly quoteVolume: string | null;
  readonly markPrice: string | null;
  /** In percent (exchange reference §4.2). */
  readonly fundingRate: string | null;
  readonly openInterest: string | null;
  readonly createdAt: EpochMs | null;
}

export interface IndexPrice {
  readonly assetSymbol: string;
  /** In USD. */
  readonly price: string;
  readonly updatedAt: EpochMs | null;
}

/** Net order imbalance of an auction (exchange reference §7.3). */
export interface Noii {
  readonly auctionId: string;
  readonly symbol: string;
  /** `UPDATE` during lockdown, `CROSS` for the final result. */
  readonly eventType: 'UPDATE' | 'CROSS';
  /** Price at which the auction would clear now; null in the final result or while there is none. */
  readonly farPrice: string | null;
  /** Price at which it has cleared; set in the final result only. */
  readonly clearingPrice: string | null;
  readonly referencePrice: string | null;
  readonly imbalanceDirection: OrderSide | 'NONE';
  readonly imbalanceQuantity: string | null;
  readonly pairedQuantity: string | null;
  readonly at: EpochMs | null;
}

/** Messages of the subscribed public feeds. A `snapshot` follows every (re)connect. */
export type MarketDataEvent =
  | { readonly kind: 'book'; readonly depth: 'l1' | 'l2'; readonly book: MarketBook }
  | {
      readonly kind: 'marketTrades';
      readonly symbol: string;
      /** Oldest first; each trade is said once. None in the snapshot of a market without (new) trades. */
      readonly trades: readonly MarketTrade[];
      readonly source: 'snapshot' | 'update';
      /** The feed was away for longer than its snapshot reaches back: trades before these may be missing. */
      readonly gapBefore: boolean;
    }
  | { readonly kind: 'tick'; readonly tick: MarketTick }
  | { readonly kind: 'indexPrice'; readonly indexPrice: IndexPrice }
  | { readonly kind: 'noii'; readonly noii: Noii }
  /** A feed is live, or gone: then its state is stale. */
  | { readonly kind: 'marketFeed'; readonly topics: readonly (MarketTopic | 'noii')[]; readonly live: boolean }
  /** The exchange does not serve this subject; it stays unsubscribed. */
  | { readonly kind: 'marketRefused'; readonly topic: MarketTopic; readonly subject: string; readonly reason: string };

/** Read a book frame (`V1TALevel1`, `V1TALevel2`); null if it lacks symbol, number or a well-formed side. */
export function decodeBook(json: unknown): MarketBook | null {
  const b = toObject(json);
  const symbol = toText(b?.symbol);
  if (b === null || symbol === null) return null;
  const range = b.sequenceNumberRange;
  const sequence = toText(b.sequenceNumber) ?? (Array.isArray(range) ? toText(range.at(-1)) : null);
  const bids = toLevels(b.bids ?? b.bid);
  const asks = toLevels(b.asks ?? b.ask);
  if (sequence === null || !/^\d{1,20}$/.test(sequence) || bids === null || asks === null) return null;
  return {
    symbol,
    sequence: BigInt(sequence),
    bids,
    asks,
    updatedAt: toEpochMs(b.timestamp) ?? toEpochMs(b.datetime),
  };
}

/** One public trade; `symbol` is that of the frame. Null without id, price or quantity. */
function decodeMarketTrade(json: unknown, symbol: string | null): MarketTrade | null {
  const t = toObject(json);
  if (t === null) return null;
  const of = toText(t.symbol) ?? symbol;
  const tradeId = toText(t.tradeId);
  const price = toAmount(t.price);
  const quantity = toAmount(t.quantity);
  if (of === null || tradeId === null || price === null || quantity === null) return null;
  return {
    tradeId,
    symbol: of,
    price,
    quantity,
    side: t.side === 'BUY' || t.side === 'SELL' ? t.side : null,
    auctionId: toText(t.auctionId),
    createdAt: toEpochMs(t.createdAtTimestamp) ?? toEpochMs(t.createdAtDatetime),
  };
}

/** Read the `data` of a `V1TAAnonymousTradeUpdate`, oldest trade first; null if it is none or names no symbol. */
export function decodeMarketTrades(
  json: unknown,
): { readonly symbol: string; readonly trades: readonly MarketTrade[] } | null {
  const d = toObject(json);
  if (d === null || !Array.isArray(d.trades)) return null;
  const decoded = d.trades.map((trade) => decodeMarketTrade(trade, toText(d.symbol)));
  const trades = oldestFirst(decoded.filter((trade) => trade !== null));
  const symbol = toText(d.symbol) ?? trades[0]?.symbol ?? null;
  return symbol === null ? null : { symbol, trades };
}

/** Read a tick (`V1TATickerResponse`, REST `Tick`). Null without symbol. */
export function decodeTick(json: unknown): MarketTick | null {
  const t = toObject(json);
  const symbol = toText(t?.symbol);
  if (t === null || symbol === null) return null;
  return {
    symbol,
    last: toAmount(t.last) ?? toAmount(t.close),
    lastTradeSize: toAmount(t.lastTradeSize) ?? toAmount(t.lastTradeQuantity),
    lastTradeAt: toEpochMs(t.lastTradeTimestamp) ?? toEpochMs(t.lastTradeDatetime),
    bestBid: toAmount(t.bestBid),
    bidVolume: toAmount(t.bidVolume),
    bestAsk: toAmount(t.bestAsk),
    askVolume: toAmount(t.askVolume),
    open: toAmount(t.open),
    high: toAmount(t.high),
    low: toAmount(t.low),
    vwap: toAmount(t.vwap),
    baseVolume: toAmount(t.baseVolume),
    quoteVolume: toAmount(t.quoteVolume),
    markPrice: toAmount(t.markPrice),
    fundingRate: toAmount(t.fundingRate),
    openInterest: toAmount(t.openInterest),
    createdAt: toEpochMs(t.createdAtTimestamp) ?? toEpochMs(t.createdAtDatetime),
  };
}

/** Read an index price (`V1TAIndexPrice`, REST `IndexPrice`). Null without asset or price. */
export function decodeIndexPrice(json: unknown): IndexPrice | null {
  const p = toObject(json);
  const assetSymbol = toText(p?.assetSymbol);
  const price = toAmount(p?.price);
  if (p === null || assetSymbol === null || price === null) return null;
  return { assetSymbol, price, updatedAt: toEpochMs(p.updatedAtTimestamp) ?? toEpochMs(p.updatedAtDatetime) };
}

/** Read an imbalance (`V1TANoii`, REST `AuctionNoii`). Null without auction, symbol or a known kind and direction. */
export function decodeNoii(json: unknown): Noii | null {
  const n = toObject(json);
  const auctionId = toText(n?.auctionId);
  const symbol = toText(n?.symbol);
  if (n === null || auctionId === null || symbol === null) return null;
  const { eventType, imbalanceDirection } = n;
  if (eventType !== 'UPDATE' && eventType !== 'CROSS') return null;
  if (imbalanceDirection !== 'BUY' && imbalanceDirection !== 'SELL' && imbalanceDirection !== 'NONE') return null;
  return {
    auctionId,
    symbol,
    eventType,
    farPrice: toAmount(n.farPrice),
    clearingPrice: toAmount(n.clearingPrice),
    referencePrice: toAmount(n.referencePrice),
    imbalanceDirection,
    imbalanceQuantity: toAmount(n.imbalanceQuantity),
    pairedQuantity: toAmount(n.pairedQuantity),
    at: toEpochMs(n.timestamp),
  };
}

/** Levels of one side: prices and quantities in one flat list, or in pairs; null if a value is no amount. */
function toLevels(value: unknown): BookLevel[] | null {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return null;
  const flat: unknown[] = value.flat();
  if (flat.length % 2 !== 0) return null;
  const levels: BookLevel[] = [];
  for (let i = 0; i < flat.length; i += 2) {
    const price = toAmount(flat[i]);
    const quantity = toAmount(flat[i + 1]);
    if (price === null || quantity === null) return null;
    levels.push({ price, quantity });
  }
  return levels;
}
