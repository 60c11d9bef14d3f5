// Streams of market data: one symbol of one subscription each, with its last message, sending changes in batches per
// session (rule D4). market-data.ts has subscriptions and feeds.

import { type MessageDraft, MsgType } from '../../wire/mod.ts';
import { type FeedTopic, type MarketDataBoard, subjectKey } from '../state/market-data-board.ts';
import { SessionFeed, type Stream } from '../state/market-data-state.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import { isAskedFor, type MDEntry, subjectOf, tradeEntry } from './market-data-entry.ts';
import { addressed, fullBody, imbalanceNews, incrementalBody, inWords, styleOf } from './market-data-message.ts';
import { newsSince } from './shared-picture.ts';

/** Entries handed to a session at once, about a millisecond's work: reports that come meanwhile wait behind no more than these. */
const BATCH_ENTRIES_MAX = 1_000;
const FULL = MsgType.MarketDataSnapshotFullRefresh;
const INCREMENTAL = MsgType.MarketDataIncrementalRefresh;

/** Follow the parts of a stream. */
export function begin(turn: Turn, stream: Stream): void {
  const { board, streams } = turn.state.marketData;
  for (const topic of stream.topics) {
    const subject = subjectOf(topic, stream);
    const key = subjectKey(topic, subject);
    const heard = streams.get(key) ?? new Set();
    streams.set(key, heard.add(stream));
    if (isAskedFor(topic) && board.follow(topic, subject)) turn.follow(topic, subject);
  }
}

/** Say nothing more to a stream. */
export function end(turn: Turn, stream: Stream): void {
  const { board, streams, feeds, waiting } = turn.state.marketData;
  for (const topic of stream.topics) {
    const subject = subjectOf(topic, stream);
    const key = subjectKey(topic, subject);
    const heard = streams.get(key);
    heard?.delete(stream);
    if (heard?.size === 0) streams.delete(key);
    if (isAskedFor(topic) && board.isFollowed(topic, subject) && board.unfollow(topic, subject)) {
      turn.unfollow(topic, subject);
    }
  }
  waiting.delete(stream);
  const feed = feeds.get(stream.sessionId);
  if (feed === undefined) return;
  feed.dirty.delete(stream);
  if (stream.once) {
    feed.once.delete(stream);
    return;
  }
  const all = feed.subscriptions.get(stream.mdReqID);
  all?.delete(stream);
  if (all?.size === 0) feed.subscriptions.delete(stream.mdReqID);
}

/** Data that a session receives from now on. */
export function feedOf(turn: Turn, sessionId: string): SessionFeed {
  const { feeds } = turn.state.marketData;
  let feed = feeds.get(sessionId);
  if (feed === undefined) {
    feed = new SessionFeed();
    feeds.set(sessionId, feed);
  }
  return feed;
}

/** A subject has something new. */
export function changed(turn: Turn, topic: FeedTopic, subject: string): void {
  const heard = turn.state.marketData.streams.get(subjectKey(topic, subject));
  if (heard !== undefined) touch(turn, heard);
}

/** These have something to say, perhaps. */
export function touch(turn: Turn, streams: Iterable<Stream>): void {
  const { feeds } = turn.state.marketData;
  const touched = new Set<string>();
  for (const stream of streams) {
    feeds.get(stream.sessionId)?.dirty.add(stream);
    touched.add(stream.sessionId);
  }
  for (const sessionId of touched) {
    const feed = feeds.get(sessionId);
    if (feed !== undefined) flush(turn, sessionId, feed);
  }
}

/** Send news, unless the session's output is busy: then the latest of each waits. */
export function flush(turn: Turn, sessionId: string, feed: SessionFeed): void {
  const session = turn.state.sessions.get(sessionId);
  if (feed.busy || session === undefined) return;
  let published = 0;
  for (const stream of feed.dirty) {
    if (published >= BATCH_ENTRIES_MAX) break;
    feed.dirty.delete(stream);
    if (stream.said === null && !isReady(turn, stream)) continue;
    published += say(turn, session, stream);
    if (stream.once) end(turn, stream);
  }
  feed.busy = published > 0;
}

/**
 * True if a full refresh has all parts: each feed has data, or is down. A subscription gets its trades later, so it
 * waits for none; one answer (263=0) has no later, so it waits for the snapshot of the trades.
 */
function isReady(turn: Turn, stream: Stream): boolean {
  const { board } = turn.state.marketData;
  if (stream.isDue) return true;
  const needsTrades = stream.once || stream.topics.length === 1;
  return stream.topics.every(
    (topic) =>
      (topic === 'anonymousTrades' && !needsTrades) || board.state(topic, subjectOf(topic, stream)) !== 'silent',
  );
}

/** Send the changes since the last message; returns the number of entries. */
function say(turn: Turn, session: SessionState, stream: Stream): number {
  const { board, waiting, pictures } = turn.state.marketData;
  const { sessionId, incremental } = stream;
  const before = stream.said;
  const shared = pictures.of(board, stream.pictureName, stream);
  const { picture } = shared;
  const trades = newTrades(board, stream);
  const since = newsSince(shared, before);
  const { changes } = since;
  stream.said = picture;
  stream.begun = true;
  stream.isDue = false;
  waiting.delete(stream);
  let count = 0;
  const isFull = changes === null || !incremental;
  if (changes === null || changes.length + trades.length > 0) {
    const write = (): MessageDraft => {
      if (isFull) return fullBody(session, stream.symbol, picture, trades);
      const news = trades.map((entry) => ({ action: 'new', entry }) as const);
      return incrementalBody(session, stream.symbol, [...changes, ...news]);
    };
    // Trades are a session's own: each session has other ones to come.
    const body = trades.length > 0 ? write() : since.body(styleOf(session, stream.symbol, isFull), () => kept(write()));
    turn.publish(sessionId, addressed(isFull ? FULL : INCREMENTAL, stream, body));
    count += trades.length + (isFull ? 1 + picture.bids.length + picture.asks.length : changes.length);
  }
  const noii = stream.newsOfAuctions ? board.noii(stream.exchangeSymbol) : null;
  const words = noii === null ? null : inWords(stream.symbol, noii);
  if (words !== null && words !== stream.newsSaid) {
    stream.newsSaid = words;
    turn.publish(sessionId, imbalanceNews(session, stream, words));
    count++;
  }
  return count;
}

/** In memory of its own: it is kept, and would keep a slab of other messages. */
function kept(body: MessageDraft): MessageDraft {
  body.move(0, 0);
  return body;
}

/** Trades that were not said yet; at the beginning the last one, if any. */
function newTrades(board: MarketDataBoard, stream: Stream): MDEntry[] {
  if (!stream.topics.includes('anonymousTrades')) return [];
  const last = board.lastTrade(stream.exchangeSymbol);
  if (!stream.begun) return last === null ? [] : [tradeEntry(last)];
  const { trades, tradesLost } = stream;
  if (trades.length === 0) return [];
  stream.trades = [];
  stream.tradesLost = false;
  return trades.map((trade, i) =>
    tradesLost && i === 0 ? tradeEntry(trade, 'Trades before this one may be missing') : tradeEntry(trade),
  );
}
