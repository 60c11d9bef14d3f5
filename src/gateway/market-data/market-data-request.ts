// Reads MarketDataRequest(V) and reports its faults as MDReqRejReason(281) and text. market-data.ts decides what
// depends on other subscriptions of the session.

import {
  MDEntryType,
  MDReqRejReason,
  MDUpdateType,
  type MessageView,
  SubscriptionRequestType,
  Tag,
} from '../../wire/mod.ts';
import { marketOf } from '../reference-data/instrument.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import type { MarketDataSettings } from '../vocabulary/config.ts';
import type { MarketRules } from '../vocabulary/market-board.ts';
import { askerOf, type Sender } from '../vocabulary/sender.ts';
import { topicOf } from './market-data-entry.ts';

export interface MarketDataRequest extends Sender {
  readonly mdReqID: string;
  readonly subscribes: boolean;
  /** Only changes, after the first W. */
  readonly incremental: boolean;
  readonly depth: number;
  /** MDEntryType(269) values to be said as entries. */
  readonly types: ReadonlySet<string>;
  /** Imbalances are said in News(B): the version has no entries for them (rule D4). */
  readonly newsOfAuctions: boolean;
  readonly symbols: readonly { readonly symbol: string; readonly market: MarketRules }[];
}

/** MDReqRejReason(281), null where the version has no value for it, and the reason in words. */
export interface MarketDataRefusal {
  readonly reason: string | null;
  readonly text: string;
}

/** Types of auctions; a version without them gets News(B). */
const OF_AUCTIONS: ReadonlySet<string> = new Set([MDEntryType.Imbalance, MDEntryType.AuctionClearingPrice]);

/** Read a request that subscribes or asks for the present state (263=1 or 0). */
export function readMarketDataRequest(
  turn: Turn,
  session: SessionState,
  view: MessageView,
): MarketDataRequest | MarketDataRefusal {
  const { marketData } = session.config;
  if (marketData === undefined) {
    return refusal(MDReqRejReason.InsufficientPermissions, 'Market data is not agreed for this session');
  }
  const problem = unsupported(view);
  if (problem !== null) return problem;
  const entryTypes = (view.groupEntries(Tag.NoMDEntryTypes) ?? []).map((one) => one.string(Tag.MDEntryType) ?? '');
  const depth = view.int(Tag.MarketDepth) ?? 0;
  const types = new Set<string>();
  let newsOfAuctions = false;
  for (const type of entryTypes) {
    const isKnown = topicOf(type, depth) !== null;
    if (isKnown && hasEntry(session, type)) types.add(type);
    else if (isKnown && OF_AUCTIONS.has(type)) newsOfAuctions = true;
    else return refusal(MDReqRejReason.UnsupportedMdEntryType, `MDEntryType(269)=${type} is not carried`);
  }
  if (types.size === 0 && !newsOfAuctions) {
    return refusal(MDReqRejReason.UnsupportedMdEntryType, 'NoMDEntryTypes(267) names no MDEntryType(269)');
  }
  const symbols = symbolsOf(turn, session, view, marketData);
  if ('reason' in symbols) return symbols;
  return {
    mdReqID: view.string(Tag.MDReqID) ?? '',
    ...askerOf(view),
    subscribes: view.string(Tag.SubscriptionRequestType) === SubscriptionRequestType.SnapshotPlusUpdates,
    incremental: view.string(Tag.MDUpdateType) === MDUpdateType.IncrementalRefresh,
    depth,
    types,
    newsOfAuctions,
    symbols,
  };
}

const refusal = (reason: string | null, text: string): MarketDataRefusal => ({ reason, text });

/** In `standard` the stock dictionary's values, in `venue` also ours (rule D1). */
function hasEntry({ version, isVenue }: SessionState, type: string): boolean {
  return isVenue || version.mdEntryTypes.has(type);
}

/** Requests for a book that does not exist. */
function unsupported(view: MessageView): MarketDataRefusal | null {
  const depth = view.int(Tag.MarketDepth);
  if (depth === null || depth < 0) {
    const text = 'MarketDepth(264) is 0 for the whole book, or a number of levels';
    return refusal(MDReqRejReason.UnsupportedMarketDepth, text);
  }
  const subscribes = view.string(Tag.SubscriptionRequestType) === SubscriptionRequestType.SnapshotPlusUpdates;
  if (subscribes && !view.has(Tag.MDUpdateType)) {
    const text = 'MDUpdateType(265) is required with 263=1: 0 full refresh, 1 incremental';
    return refusal(MDReqRejReason.UnsupportedMdUpdateType, text);
  }
  if (view.string(Tag.AggregatedBook) === 'N') {
    const text = 'AggregatedBook(266)=N: the exchange says one entry per price and side, not one per order';
    return refusal(MDReqRejReason.UnsupportedAggregatedBook, text);
  }
  if (view.string(Tag.MDImplicitDelete) === 'Y') {
    const text = 'MDImplicitDelete(547)=Y: deletions are always sent with 279=2';
    return refusal(MDReqRejReason.UnsupportedMdImplicitDelete, text);
  }
  if (view.has(Tag.Scope) && view.string(Tag.Scope) !== '1') {
    return refusal(MDReqRejReason.UnsupportedScope, 'Scope(546): there is the local market only');
  }
  if (view.has(Tag.OpenCloseSettlFlag)) {
    const text = 'OpenCloseSettlFlag(286): there is one opening and one closing price, those of the last 24 hours';
    return refusal(MDReqRejReason.UnsupportedOpenCloseSettlFlag, text);
  }
  const trading = view.groupEntries(Tag.NoTradingSessions) ?? [];
  if (trading.some((one) => one.string(Tag.TradingSessionID) !== '1')) {
    return refusal(MDReqRejReason.UnsupportedTradingSessionId, 'TradingSessionID(336): 1 is the platform');
  }
  return null;
}

/** Symbols of the request, each once. */
function symbolsOf(
  turn: Turn,
  session: SessionState,
  view: MessageView,
  { symbolsPerRequestMax }: MarketDataSettings,
): MarketDataRequest['symbols'] | MarketDataRefusal {
  const found = new Map<string, MarketRules>();
  for (const one of view.groupEntries(Tag.NoRelatedSym) ?? []) {
    const symbol = one.string(Tag.Symbol) ?? '';
    const market = marketOf(turn, session, symbol);
    if (market === null) {
      return refusal(MDReqRejReason.UnknownSymbol, `Symbol(55)=${symbol} is not traded on this session`);
    }
    found.set(symbol, market);
  }
  if (found.size === 0) return refusal(MDReqRejReason.UnknownSymbol, 'NoRelatedSym(146) names no symbol');
  if (found.size > symbolsPerRequestMax) {
    const text = `${found.size} symbols: one request may have ${symbolsPerRequestMax}`;
    return refusal(MDReqRejReason.InsufficientBandwidth, text);
  }
  return [...found].map(([symbol, market]) => ({ symbol, market }));
}
