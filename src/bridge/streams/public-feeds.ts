// The public feeds for listeners: the exchange's own frames of order books, trades, ticks and index prices, from the one
// connection per feed that the gateway's market data uses too. Nothing is kept here.

import { type MarketTopic, streamDataFrame } from '../../exchange/mod.ts';
import type { FeedFrame, FeedListener, ListenedFeeds } from './feeds.ts';
import { MARKET_TOPICS, type PublicFeedName, topicsOf } from './topics.ts';

/** Where the frames come from. */
export interface PublicUpstream {
  /** The present state, where it is known already; false where too many subjects are followed. */
  follow(topic: MarketTopic, subject: string): { readonly last: FeedFrame | null } | false;
  unfollow(topic: MarketTopic, subject: string): void;
}

const isMarketTopic = (topic: string): topic is MarketTopic => MARKET_TOPICS.some((one) => one === topic);

export class PublicFeeds implements ListenedFeeds {
  private readonly upstream: PublicUpstream;
  private readonly listeners = new Set<FeedListener>();
  /** State known when a subscription began, until its listener has it. */
  private readonly begun = new Map<string, FeedFrame | null>();

  constructor(upstream: PublicUpstream) {
    this.upstream = upstream;
  }

  /** Pass a frame on; it is written once, if somebody listens. */
  take(topic: MarketTopic, subject: string, frame: FeedFrame): void {
    let written: string | null = null;
    const text = (): string => {
      written ??= streamDataFrame(frame);
      return written;
    };
    for (const listener of [...this.listeners]) {
      if (hears(listener, topic)) listener.frame(topic, subject, text);
    }
  }

  /** A feed is gone: its listeners connect again for a new snapshot. */
  lost(topics: readonly MarketTopic[]): void {
    for (const listener of [...this.listeners]) if (topics.some((topic) => hears(listener, topic))) listener.lost();
  }

  refused(topic: MarketTopic, subject: string): void {
    for (const listener of [...this.listeners]) if (hears(listener, topic)) listener.refused(topic, subject);
  }

  listen(listener: FeedListener): void {
    this.listeners.add(listener);
  }

  leave(listener: FeedListener): void {
    this.listeners.delete(listener);
  }

  /** Begin a subscription; false where the gateway can follow no more subjects. */
  follow(_credential: string, _feed: string, topic: string, subject: string | null): boolean {
    if (subject === null || !isMarketTopic(topic)) return true;
    const taken = this.upstream.follow(topic, subject);
    if (taken === false) return false;
    this.begun.set(`${topic} ${subject}`, taken.last);
    return true;
  }

  unfollow(_credential: string, _feed: string, topic: string, subject: string | null): void {
    if (subject !== null && isMarketTopic(topic)) this.upstream.unfollow(topic, subject);
  }

  /** The state at the begin of a subscription; null where the exchange's own snapshot comes. */
  snapshotText(_credential: string, _feed: string, topic: string, subject: string | null): string | null {
    const key = `${topic} ${subject}`;
    const last = this.begun.get(key) ?? null;
    this.begun.delete(key);
    return last === null ? null : streamDataFrame(last);
  }

  /** A public feed is connected to with its first subscription. */
  isLive(): boolean {
    return true;
  }

  isRefused(): boolean {
    return false;
  }

  isCut(): boolean {
    return false;
  }
}

function hears({ feed }: FeedListener, topic: MarketTopic): boolean {
  return topicsOf(feed as PublicFeedName).includes(topic);
}
