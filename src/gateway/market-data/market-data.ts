// Market data over FIX: requests, and the public feeds (V → W, X, Y; rule D4). The messages age quickly: they are
// numbered but not kept (effect `publish`), and while a session's output is busy only the latest of each symbol waits
// (market-data-stream.ts). It all ends with the session's Logout.

import { unreachable } from '../../base/assert.ts';
import type { EpochMs } from '../../base/time.ts';
import type { AuctionPhase, Market, MarketDataEvent, MarketTopic } from '../../exchange/mod.ts';
import { MDReqRejReason, type MessageView, SubscriptionRequestType, Tag } from '../../wire/mod.ts';
import { exchangeSymbolOf } from '../rules/read-order-terms.ts';
import { type FeedTopic, subjectKey } from '../state/market-data-board.ts';
import type { MarketDataState, SessionFeed, Stream } from '../state/market-data-state.ts';
import type { SessionState } from '../state/session-state.ts';
import { type GatewayState, Turn } from '../state/state.ts';
import type { GatewayInput } from '../vocabulary/input.ts';
import { askerOf } from '../vocabulary/sender.ts';
import { repeatImbalances, tellImbalance } from './auction-status.ts';
import { goneOf, topicsOf } from './market-data-entry.ts';
import { fullRefresh, marketDataReject } from './market-data-message.ts';
import { type MarketDataRefusal, type MarketDataRequest, readMarketDataRequest } from './market-data-request.ts';
import { begin, changed, end, feedOf, flush, touch } from './market-data-stream.ts';

/** Longest wait of a whole answer, the first or a new one, for missing feeds. */
const WHOLE_ANSWER_MS = 2_000;
/**
 * Requests of one session for the present state (263=0) that wait for it; beyond the limit the oldest is answered with
 * the known part.
 */
const WAITING_MAX = 200;
/** Symbols of such requests that are kept while nothing can be said, for a counterparty that does not read; more are refused. */
const ONCE_MAX = 2_000;
/** Trades kept for one slow subscriber; older ones are lost, and a message says so. */
const TRADES_MAX = 500;

/** Take a MarketDataRequest(V). */
export function handleMarketDataRequest(turn: Turn, session: SessionState, view: MessageView): void {
  const mdReqID = view.string(Tag.MDReqID) ?? '';
  const address = { mdReqID, ...askerOf(view) };
  const refuse = ({ reason, text }: MarketDataRefusal): void =>
    turn.send(session.config.sessionId, marketDataReject(session, address, reason, text));
  switch (view.string(Tag.SubscriptionRequestType)) {
    case SubscriptionRequestType.DisablePreviousSnapshot: {
      const streams = feedOf(turn, session.config.sessionId).subscriptions.get(mdReqID);
      if (streams === undefined) refuse({ reason: null, text: `MDReqID(262)=${mdReqID} is no subscription` });
      else for (const stream of streams) end(turn, stream);
      return;
    }
    case SubscriptionRequestType.Snapshot:
    case SubscriptionRequestType.SnapshotPlusUpdates:
      break;
    default: {
      const reason = MDReqRejReason.UnsupportedSubscriptionRequestType;
      refuse({ reason, text: 'SubscriptionRequestType(263) is 0, 1 or 2' });
      return;
    }
  }
  const request = readMarketDataRequest(turn, session, view);
  const refusal = 'reason' in request ? request : overLimits(turn, session, request);
  if (refusal !== null) refuse(refusal);
  else if (!('reason' in request)) subscribe(turn, session, request);
}

/** Objections to the request that depend on other state. */
function overLimits(turn: Turn, session: SessionState, request: MarketDataRequest): MarketDataRefusal | null {
  const feed = feedOf(turn, session.config.sessionId);
  if (feed.subscriptions.has(request.mdReqID)) {
    const text = `MDReqID(262)=${request.mdReqID} is subscribed already; take it back with 263=2`;
    return { reason: MDReqRejReason.DuplicateMdReqId, text };
  }
  const { length } = request.symbols;
  if (!request.subscribes) {
    if (feed.once.size + length <= ONCE_MAX) return null;
    const text = `${feed.once.size} symbols of requests with 263=0 wait for their answers; read them and ask again`;
    return { reason: MDReqRejReason.InsufficientBandwidth, text };
  }
  const max = session.config.marketData?.subscriptionsMax ?? 0;
  if (feed.symbolCount + length <= max) return null;
  const text = `The session may have ${max} symbols subscribed; take some back with 263=2`;
  return { reason: MDReqRejReason.InsufficientBandwidth, text };
}

function subscribe(turn: Turn, session: SessionState, request: MarketDataRequest): void {
  const { marketData } = turn.state;
  const { sessionId } = session.config;
  const {
    mdReqID,
    senderSubID,
    onBehalfOfCompID,
    onBehalfOfSubID,
    depth,
    types,
    newsOfAuctions,
    incremental,
    subscribes,
  } = request;
  const feed = feedOf(turn, sessionId);
  const all = new Set<Stream>();
  for (const { symbol, market } of request.symbols) {
    const { symbol: exchangeSymbol, baseSymbol: asset } = market.market;
    const wanted = { exchangeSymbol, asset, types, depth };
    const topics = topicsOf(wanted);
    const stream: Stream = {
      ...wanted,
      sessionId,
      mdReqID,
      senderSubID,
      onBehalfOfCompID,
      onBehalfOfSubID,
      symbol,
      incremental,
      newsOfAuctions,
      topics: newsOfAuctions && !topics.includes('noii') ? [...topics, 'noii'] : topics,
      pictureName: `${exchangeSymbol} ${depth} ${[...types].sort().join(' ')}`,
      once: !subscribes,
      dueAt: turn.steady + WHOLE_ANSWER_MS,
      isDue: false,
      said: null,
      begun: false,
      trades: [],
      tradesLost: false,
      newsSaid: null,
    };
    all.add(stream);
    begin(turn, stream);
    marketData.waiting.add(stream);
    feed.dirty.add(stream);
  }
  if (subscribes) feed.subscriptions.set(mdReqID, all);
  else {
    for (const stream of all) feed.once.add(stream);
    hurry(marketData, feed);
  }
  flush(turn, sessionId, feed);
}

/** More requests for the present state wait than allowed: the oldest are answered with the known part. */
function hurry({ waiting }: MarketDataState, feed: SessionFeed): void {
  const own = [...feed.once].filter((stream) => waiting.has(stream));
  for (const stream of own.slice(0, Math.max(0, own.length - WAITING_MAX))) {
    stream.isDue = true;
    waiting.delete(stream);
    feed.dirty.add(stream);
  }
}

/** The session is over: it subscribes again if it still wants to know. */
export function endMarketData(turn: Turn, sessionId: string): void {
  const { feeds } = turn.state.marketData;
  const feed = feeds.get(sessionId);
  if (feed === undefined) return;
  for (const streams of [...feed.subscriptions.values()]) for (const stream of [...streams]) end(turn, stream);
  for (const stream of [...feed.once]) end(turn, stream);
  feeds.delete(sessionId);
}

/** A session's settings changed: data that it may no longer have ends, with a notice in the next market data. */
export function reviseMarketData(state: GatewayState, sessionId: string): void {
  const { feeds, owed } = state.marketData;
  const [feed, session] = [feeds.get(sessionId), state.sessions.get(sessionId)];
  if (feed === undefined || session === undefined) return;
  const turn = new Turn(state, 0);
  const once = [...feed.once].map((stream) => [stream]);
  for (const streams of [...feed.subscriptions.values(), ...once]) {
    const [first, ...more] = streams;
    if (first === undefined || [first, ...more].every((stream) => mayHave(session, stream))) continue;
    const text = 'The settings of the session changed: it may not have this market data any more';
    turn.publish(sessionId, marketDataReject(session, first, MDReqRejReason.InsufficientPermissions, text));
    for (const stream of [first, ...more]) end(turn, stream);
  }
  owed.push(...turn.published());
}

function mayHave(session: SessionState, { symbol, exchangeSymbol }: Stream): boolean {
  if (session.config.marketData === undefined || session.symbols?.has(exchangeSymbol) === false) return false;
  return exchangeSymbolOf(session, symbol) === exchangeSymbol;
}

/** Data without a request of the counterparty. */
export function handleMarketData(
  turn: Turn,
  input: Extract<GatewayInput, { kind: 'marketData' | 'marketDataRoom' | 'marketDataLost' }>,
): void {
  const { marketData } = turn.state;
  for (const effect of marketData.owed.splice(0)) turn.owe(effect);
  if (input.kind === 'marketData') takeMarketData(turn, input.event);
  else if (input.kind === 'marketDataRoom') marketDataRoom(turn, input.sessionId);
  else refreshMarketData(turn, input.sessionId);
}

/** Take an event of a public feed. */
function takeMarketData(turn: Turn, event: MarketDataEvent): void {
  const { marketData } = turn.state;
  const { board } = marketData;
  switch (event.kind) {
    case 'book':
      board.take(event);
      changed(turn, event.depth === 'l1' ? 'l1Orderbook' : 'l2Orderbook', event.book.symbol);
      return;
    case 'marketTrades':
      takeTrades(turn, event);
      return;
    case 'tick':
      board.take(event);
      changed(turn, 'tick', event.tick.symbol);
      return;
    case 'indexPrice':
      board.take(event);
      changed(turn, 'indexPrice', event.indexPrice.assetSymbol);
      return;
    case 'noii':
      board.take(event);
      changed(turn, 'noii', event.noii.symbol);
      tellImbalance(turn, event.noii);
      return;
    case 'marketFeed': {
      const { live } = event;
      const concerned = event.topics
        .filter((topic) => board.isDown(topic) === live)
        .flatMap((topic) => [...followersOf(marketData, topic)]);
      board.take(event);
      // Report that the feed is down, and its state once it is back.
      for (const stream of concerned) sayAnew(turn, stream);
      touch(turn, concerned);
      return;
    }
    case 'marketRefused':
      refused(turn, event.topic, event.subject, event.reason);
      return;
    default:
      unreachable(event);
  }
}

/** The stream's next message is complete again. */
function sayAnew(turn: Turn, stream: Stream): void {
  const { waiting } = turn.state.marketData;
  stream.said = null;
  if (waiting.has(stream)) return;
  stream.dueAt = turn.steady + WHOLE_ANSWER_MS;
  waiting.add(stream);
}

function* followersOf({ streams }: MarketDataState, topic: FeedTopic): Generator<Stream> {
  for (const [key, heard] of streams) if (key.startsWith(`${topic} `)) yield* heard;
}

function takeTrades(turn: Turn, event: Extract<MarketDataEvent, { kind: 'marketTrades' }>): void {
  const { board, streams } = turn.state.marketData;
  const { symbol, source, gapBefore } = event;
  // The first that is heard of a market is its past: the last trade of that is of interest.
  const isPast = source === 'snapshot' && board.lastTrade(symbol) === null;
  const trades = isPast ? event.trades.slice(-1) : event.trades;
  board.take(event);
  const heard = streams.get(subjectKey('anonymousTrades', symbol)) ?? [];
  for (const stream of heard) {
    if (!stream.begun) continue;
    if (gapBefore) stream.tradesLost = true;
    const all = stream.trades.concat(trades);
    stream.trades = all.slice(-TRADES_MAX);
    if (all.length > TRADES_MAX) stream.tradesLost = true;
  }
  touch(turn, heard);
}

/** The exchange no longer serves a subject, or does not know it: its dependents end, with a notice. */
function refused(turn: Turn, topic: MarketTopic, subject: string, reason: string): void {
  const { board, streams, feeds } = turn.state.marketData;
  const ended = new Set<Set<Stream>>();
  for (const stream of streams.get(subjectKey(topic, subject)) ?? []) {
    const whole = stream.once ? new Set([stream]) : feeds.get(stream.sessionId)?.subscriptions.get(stream.mdReqID);
    ended.add(whole ?? new Set([stream]));
  }
  board.drop(topic, subject);
  for (const whole of ended) {
    const [first] = whole;
    if (first === undefined) continue;
    const text = `The exchange does not say ${topic} of ${subject}: ${reason}`;
    const session = turn.state.sessions.get(first.sessionId);
    if (session !== undefined) {
      turn.send(first.sessionId, marketDataReject(session, first, MDReqRejReason.UnknownSymbol, text));
    }
    for (const stream of [...whole]) end(turn, stream);
  }
}

/**
 * Data of a delisted market, such as an expired option, would pass for present. A subscription with nothing else ends;
 * in others that market is left out from now on.
 */
export function endDelisted(turn: Turn, markets: readonly Market[]): void {
  const { streams, feeds } = turn.state.marketData;
  if (streams.size === 0) return;
  const listed = new Set(markets.map(({ symbol }) => symbol));
  const gone = new Set<Stream>();
  for (const heard of streams.values()) {
    // One answer (263=0) is given in a moment anyway.
    for (const stream of heard) if (!stream.once && !listed.has(stream.exchangeSymbol)) gone.add(stream);
  }
  for (const stream of gone) {
    const { sessionId, mdReqID, symbol } = stream;
    const text = `The exchange lists Symbol(55)=${symbol} no more`;
    end(turn, stream);
    const goesOn = feeds.get(sessionId)?.subscriptions.has(mdReqID) === true;
    const session = turn.state.sessions.get(sessionId);
    if (session === undefined) continue;
    if (goesOn) turn.publish(sessionId, fullRefresh(session, stream, goneOf(stream, text), []));
    else turn.send(sessionId, marketDataReject(session, stream, MDReqRejReason.UnknownSymbol, text));
  }
}

/** Another auction began: data of the one before is void. */
export function newAuctionPhase(turn: Turn, { symbol, auctionId }: AuctionPhase): void {
  if (turn.state.marketData.board.newAuction(symbol, auctionId)) changed(turn, 'noii', symbol);
}

/** Messages handed to a session have left: more may follow. */
function marketDataRoom(turn: Turn, sessionId: string): void {
  const feed = turn.state.marketData.feeds.get(sessionId);
  if (feed === undefined) return;
  feed.busy = false;
  flush(turn, sessionId, feed);
}

/**
 * The counterparty lost messages that are not kept: all its subscriptions start again with full refreshes. For trades
 * it gets a notice that some may be missing.
 */
function refreshMarketData(turn: Turn, sessionId: string): void {
  repeatImbalances(turn, sessionId);
  const feed = turn.state.marketData.feeds.get(sessionId);
  if (feed === undefined) return;
  for (const streams of feed.subscriptions.values()) {
    for (const stream of streams) {
      if (stream.begun) {
        sayAnew(turn, stream);
        stream.tradesLost = true;
        stream.newsSaid = null;
      }
      feed.dirty.add(stream);
    }
  }
  flush(turn, sessionId, feed);
}

/** When a whole answer is due, or null. */
export function marketDataDueAt({ waiting }: MarketDataState): EpochMs | null {
  for (const { dueAt } of waiting) return dueAt;
  return null;
}

/** Send the due whole answers with the known parts. */
export function tickMarketData(turn: Turn): void {
  const { waiting } = turn.state.marketData;
  const due: Stream[] = [];
  for (const stream of waiting) {
    if (stream.dueAt > turn.steady) break;
    due.push(stream);
  }
  for (const stream of due) {
    waiting.delete(stream);
    stream.isDue = true;
  }
  touch(turn, due);
}
