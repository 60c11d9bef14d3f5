// Followers of the subjects of the public feeds: the gateway, by decoded events, and listeners of the bridge, by the
// exchange's own frames. Both share one connection per feed.

import type { MarketDataEvent, MarketTick, MarketTopic } from '../../exchange/mod.ts';
import type { MarketStreams } from './market-streams.ts';

export class MarketFollowers {
  private readonly streams: MarketStreams;
  /** Subjects that the gateway follows, and how many times; reference prices are none of them. */
  private readonly counts = new Map<string, number>();

  constructor(streams: MarketStreams) {
    this.streams = streams;
  }

  /** Follow for the gateway. The last tick, where there is one already: a quiet market says nothing for hours. False at the limit. */
  subscribe(topic: MarketTopic, subject: string): { readonly tick: MarketTick | null } | false {
    if (!this.streams.subscribe(topic, subject)) return false;
    const key = `${topic} ${subject}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    return { tick: topic === 'tick' ? this.streams.lastTick(subject) : null };
  }

  /** Give up one of the gateway's subscriptions; those of others stay. */
  unsubscribe(topic: MarketTopic, subject: string): void {
    const key = `${topic} ${subject}`;
    const count = this.counts.get(key) ?? 0;
    if (count === 0) return;
    if (count === 1) this.counts.delete(key);
    else this.counts.set(key, count - 1);
    this.streams.unsubscribe(topic, subject);
  }

  /** Whether the gateway follows the subject of an event; feeds and refusals concern it always. */
  isGateways(event: MarketDataEvent): boolean {
    switch (event.kind) {
      case 'book':
        return this.counts.has(`${event.depth}Orderbook ${event.book.symbol}`);
      case 'marketTrades':
        return this.counts.has(`anonymousTrades ${event.symbol}`);
      case 'tick':
        return this.counts.has(`tick ${event.tick.symbol}`);
      case 'indexPrice':
        return this.counts.has(`indexPrice ${event.indexPrice.assetSymbol}`);
      case 'marketRefused':
        return this.counts.delete(`${event.topic} ${event.subject}`);
      default:
        return true;
    }
  }
}
