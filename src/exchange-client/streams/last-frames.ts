// The present state of every followed subject of the public feeds, as frames of the exchange: a second follower gets it,
// for the exchange sends no snapshot again.

import { type MarketTopic, toObject, toText } from '../../exchange/mod.ts';
import type { StreamFrame } from './subscription.ts';

/** Public trades of a market that its state has, as the exchange's snapshot (exchange reference §4.1). */
const TRADES_MAX = 100;

const TOPIC_OF: Readonly<Record<string, MarketTopic>> = {
  V1TALevel1: 'l1Orderbook',
  V1TALevel2: 'l2Orderbook',
  V1TAAnonymousTradeUpdate: 'anonymousTrades',
  V1TATickerResponse: 'tick',
  V1TAIndexPrice: 'indexPrice',
};

/** A frame of one subject. */
export interface MarketFrame {
  readonly topic: MarketTopic;
  readonly subject: string;
  readonly frame: StreamFrame;
}

/** The frames of a frame, one per subject; none if it is of no public topic. */
export function framesOf(frame: StreamFrame): MarketFrame[] {
  const topic = TOPIC_OF[frame.dataType];
  if (topic === undefined || frame.type === 'error') return [];
  const items: readonly unknown[] = Array.isArray(frame.data) ? frame.data : [frame.data];
  return items.flatMap((data) => {
    const entry = toObject(data);
    const subject = toText(topic === 'indexPrice' ? entry?.assetSymbol : entry?.symbol);
    return subject === null ? [] : [{ topic, subject, frame: { ...frame, data } }];
  });
}

/** A listener of frames; each is of one subject. */
export interface MarketFrameListener {
  frame(topic: MarketTopic, subject: string, frame: StreamFrame): void;
  /** A feed is gone: the state of its topics is stale. */
  lost(topics: readonly MarketTopic[]): void;
  /** The exchange does not serve this subject. */
  refused(topic: MarketTopic, subject: string): void;
}

export class LastFrames {
  private readonly frames = new Map<string, StreamFrame>();

  take({ topic, subject, frame }: MarketFrame): void {
    const key = `${topic} ${subject}`;
    const before = topic === 'anonymousTrades' && frame.type === 'update' ? this.frames.get(key) : undefined;
    this.frames.set(key, before === undefined ? frame : { ...frame, data: withEarlier(frame.data, before.data) });
  }

  /** The state of a subject, as a snapshot; null if the feed has said none. */
  of(topic: MarketTopic, subject: string): StreamFrame | null {
    const frame = this.frames.get(`${topic} ${subject}`);
    return frame === undefined ? null : { ...frame, type: 'snapshot' };
  }

  forget(topic: MarketTopic, subject: string): void {
    this.frames.delete(`${topic} ${subject}`);
  }

  forgetTopic(topic: MarketTopic): void {
    for (const key of this.frames.keys()) if (key.startsWith(`${topic} `)) this.frames.delete(key);
  }
}

/** New trades before earlier ones: a list of trades has the latest first. */
function withEarlier(data: unknown, before: unknown): unknown {
  const entry = toObject(data);
  const trades = (of: unknown): readonly unknown[] => {
    const list = toObject(of)?.trades;
    return Array.isArray(list) ? list : [];
  };
  return { ...entry, trades: [...trades(data), ...trades(before)].slice(0, TRADES_MAX) };
}
