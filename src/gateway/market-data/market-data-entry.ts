// Market data of a symbol at one moment, as entries of NoMDEntries(268): built from the latest feeds, cut to the
// requested depth, compared with the last message. market-data-message.ts writes entries.

import { assert } from '../../base/assert.ts';
import type { EpochMs } from '../../base/time.ts';
import type { BookLevel, MarketTick, MarketTopic, MarketTrade, Noii } from '../../exchange/mod.ts';
import { MDEntryType } from '../../wire/mod.ts';
import type { FeedTopic, MarketDataBoard } from '../state/market-data-board.ts';

/** One entry; amounts are the exchange's own text. */
export interface MDEntry {
  /** MDEntryType(269). */
  readonly type: string;
  /** Its name among the present entries of one symbol: the price of a level, the id of a trade. */
  readonly key: string;
  readonly px: string | null;
  readonly size: string | null;
  /** Place in its side of the book, from 1. */
  readonly position?: number;
  /** Where it is not the market's quote currency. */
  readonly currency?: string;
  readonly at?: EpochMs | null;
  /** The feed behind it says nothing: QuoteCondition(276)=B, and nothing of it counts. */
  readonly isInactive?: boolean;
  readonly tradeCondition?: string | null;
  /** A price at which an auction would clear, not one at which it has. */
  readonly isTheoretical?: boolean;
  /** The auction that a trade was made in. */
  readonly auctionId?: string | null;
  readonly text?: string;
}

/** Requested data of one symbol. */
export interface Wanted {
  readonly exchangeSymbol: string;
  /** The index that IndexValue belongs to. */
  readonly asset: string;
  /** MDEntryType(269) values that are said as entries. */
  readonly types: ReadonlySet<string>;
  /** MarketDepth(264): levels of each side, 0 for all. */
  readonly depth: number;
}

/** The feed that an MDEntryType(269) comes from; null for one that the exchange has nothing for. */
export function topicOf(type: string, depth: number): FeedTopic | null {
  switch (type) {
    case MDEntryType.Bid:
    case MDEntryType.Offer:
      return bookTopic(depth);
    case MDEntryType.Trade:
      return 'anonymousTrades';
    case MDEntryType.IndexValue:
      return 'indexPrice';
    case MDEntryType.Imbalance:
    case MDEntryType.AuctionClearingPrice:
      return 'noii';
    default:
      return Object.hasOwn(OF_TICK, type) ? 'tick' : null;
  }
}

/** The best of each side has a feed of its own. */
function bookTopic(depth: number): 'l1Orderbook' | 'l2Orderbook' {
  return depth === 1 ? 'l1Orderbook' : 'l2Orderbook';
}

/** Field of a tick → price or size of the entry. The exchange's day has no end: its close is the last price. */
const OF_TICK: Readonly<Record<string, readonly ['px' | 'size', keyof MarketTick]>> = {
  [MDEntryType.OpeningPrice]: ['px', 'open'],
  [MDEntryType.ClosingPrice]: ['px', 'last'],
  [MDEntryType.SettlementPrice]: ['px', 'markPrice'],
  [MDEntryType.TradingSessionHighPrice]: ['px', 'high'],
  [MDEntryType.TradingSessionLowPrice]: ['px', 'low'],
  [MDEntryType.TradingSessionVwapPrice]: ['px', 'vwap'],
  [MDEntryType.TradeVolume]: ['size', 'baseVolume'],
  [MDEntryType.OpenInterest]: ['size', 'openInterest'],
};

/** Everything of a symbol at one moment but for trades, which are events. */
export interface Picture {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  /** Data that is no level of a book: statistics, auctions, and values without effect. By name. */
  readonly rest: ReadonlyMap<string, MDEntry>;
}

const NO_LEVELS: readonly BookLevel[] = [];

/** Of a market that says nothing any more: nothing of it counts. */
export function goneOf({ types }: Wanted, text: string): Picture {
  const rest = new Map<string, MDEntry>();
  for (const type of types) rest.set(type, { type, key: 'inactive', px: null, size: null, isInactive: true, text });
  return { bids: NO_LEVELS, asks: NO_LEVELS, rest };
}

/** The data due now. */
export function pictureOf(board: MarketDataBoard, wanted: Wanted): Picture {
  const { types, depth, exchangeSymbol } = wanted;
  const topic = bookTopic(depth);
  const followsBook = types.has(MDEntryType.Bid) || types.has(MDEntryType.Offer);
  const book = followsBook ? board.book(topic, exchangeSymbol) : null;
  const cut = (levels: readonly BookLevel[]): readonly BookLevel[] =>
    depth === 0 || depth >= levels.length ? levels : levels.slice(0, depth);
  const rest = new Map<string, MDEntry>();
  for (const entry of otherEntries(board, wanted)) rest.set(`${entry.type}:${entry.key}`, entry);
  return {
    bids: book !== null && types.has(MDEntryType.Bid) ? cut(book.bids) : NO_LEVELS,
    asks: book !== null && types.has(MDEntryType.Offer) ? cut(book.asks) : NO_LEVELS,
    rest,
  };
}

/** Entries that are no levels of a book. */
function otherEntries(board: MarketDataBoard, wanted: Wanted): MDEntry[] {
  const entries: MDEntry[] = [];
  for (const type of wanted.types) {
    const topic = topicOf(type, wanted.depth);
    assert(topic !== null, 'the exchange has no other');
    const state = board.state(topic, subjectOf(topic, wanted));
    // That no trade was heard of may mean that there was none.
    if (state === 'down' || (state === 'silent' && topic !== 'anonymousTrades')) {
      const text = state === 'down' ? 'The feed of the exchange is down' : 'The exchange has said nothing yet';
      entries.push({ type, key: 'inactive', px: null, size: null, isInactive: true, text });
    } else if (topic === 'tick') addStatistic(entries, type, board.tick(wanted.exchangeSymbol));
    else if (topic === 'indexPrice') {
      const index = board.indexPrice(wanted.asset);
      if (index !== null) {
        entries.push({ type, key: '', px: index.price, size: null, currency: 'USD', at: index.updatedAt });
      }
    } else if (topic === 'noii') addNoii(entries, type, board.noii(wanted.exchangeSymbol));
  }
  return entries;
}

/** The subject by which a feed is followed for this. */
export function subjectOf(topic: FeedTopic, { exchangeSymbol, asset }: Wanted): string {
  return topic === 'indexPrice' ? asset : exchangeSymbol;
}

/** Feeds to be followed for this. */
export function topicsOf({ types, depth }: Wanted): FeedTopic[] {
  const topics = new Set<FeedTopic>();
  for (const type of types) {
    const topic = topicOf(type, depth);
    if (topic !== null) topics.add(topic);
  }
  return [...topics];
}

/** Whether a feed comes only where it is asked for. */
export function isAskedFor(topic: FeedTopic): topic is MarketTopic {
  return topic !== 'noii';
}

function addStatistic(entries: MDEntry[], type: string, tick: MarketTick | null): void {
  const [what, field] = OF_TICK[type]!;
  const value = tick?.[field];
  if (typeof value !== 'string') return;
  entries.push({
    type,
    key: '',
    px: what === 'px' ? value : null,
    size: what === 'size' ? value : null,
    at: tick!.createdAt,
  });
}

/** Far price while the auction runs, clearing price in its result; the imbalance has the reference price (rule D4). */
function addNoii(entries: MDEntry[], type: string, noii: Noii | null): void {
  if (noii === null) return;
  const { at } = noii;
  if (type === MDEntryType.Imbalance) {
    const { imbalanceDirection, imbalanceQuantity } = noii;
    const tradeCondition = imbalanceDirection === 'NONE' ? null : imbalanceDirection === 'BUY' ? 'P' : 'Q';
    const px = noii.referencePrice;
    entries.push({ type, key: '', px, size: imbalanceQuantity ?? '0', at, tradeCondition });
    return;
  }
  const isTheoretical = noii.eventType === 'UPDATE';
  const px = isTheoretical ? noii.farPrice : noii.clearingPrice;
  if (px === null) return;
  entries.push({ type, key: '', px, size: noii.pairedQuantity, at, isTheoretical });
}

/** A trade as an entry. */
export function tradeEntry(trade: MarketTrade, text?: string): MDEntry {
  const { tradeId, price, quantity, createdAt, auctionId } = trade;
  const entry = { type: MDEntryType.Trade, key: tradeId, px: price, size: quantity, at: createdAt, auctionId };
  return text === undefined ? entry : { ...entry, text };
}

/** A change of entries, as MDUpdateAction(279) has them. */
export interface MDChange {
  readonly action: 'new' | 'change' | 'delete';
  readonly entry: MDEntry;
}

/** Changes, deletions first, so that no client ever holds a crossed book. A level that only moved did not change. */
export function changesBetween(before: Picture, after: Picture): MDChange[] {
  const changes: MDChange[] = [];
  addLevelChanges(changes, MDEntryType.Bid, before.bids, after.bids);
  addLevelChanges(changes, MDEntryType.Offer, before.asks, after.asks);
  for (const [name, entry] of before.rest) if (!after.rest.has(name)) changes.push({ action: 'delete', entry });
  for (const [name, entry] of after.rest) {
    const known = before.rest.get(name);
    if (known === undefined) changes.push({ action: 'new', entry });
    else if (!isSame(known, entry)) changes.push({ action: 'change', entry });
  }
  const gone = changes.filter(({ action }) => action === 'delete');
  return gone.length === 0 || gone.length === changes.length
    ? changes
    : [...gone, ...changes.filter(({ action }) => action !== 'delete')];
}

/** A book changes in few places: only the part between its first and its last difference is examined. */
function addLevelChanges(
  changes: MDChange[],
  type: string,
  before: readonly BookLevel[],
  after: readonly BookLevel[],
): void {
  if (before === after) return;
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && isSameLevel(before[from]!, after[from]!)) from++;
  let same = 0;
  while (same < shorter - from && isSameLevel(before[before.length - 1 - same]!, after[after.length - 1 - same]!))
    same++;
  const quantities = new Map<string, string>();
  for (let i = from; i < before.length - same; i++) quantities.set(before[i]!.price, before[i]!.quantity);
  for (let i = from; i < after.length - same; i++) {
    const { price, quantity } = after[i]!;
    const known = quantities.get(price);
    quantities.delete(price);
    if (known === quantity) continue;
    const entry = { type, key: price, px: price, size: quantity, position: i + 1 };
    changes.push({ action: known === undefined ? 'new' : 'change', entry });
  }
  for (const [price, size] of quantities) {
    changes.push({ action: 'delete', entry: { type, key: price, px: price, size } });
  }
}

const isSameLevel = (a: BookLevel, b: BookLevel): boolean => a.price === b.price && a.quantity === b.quantity;

function isSame(a: MDEntry, b: MDEntry): boolean {
  return (
    a.px === b.px &&
    a.size === b.size &&
    a.tradeCondition === b.tradeCondition &&
    a.isTheoretical === b.isTheoretical &&
    a.text === b.text
  );
}
