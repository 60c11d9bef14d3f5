// Who subscribes to which market data, what each was told last, and what is owed. Leaves saying it to market-data-stream.ts.

import type { EpochMs } from '../../base/time.ts';
import type { MarketTrade } from '../../exchange/mod.ts';
import type { Picture, Wanted } from '../market-data/market-data-entry.ts';
import type { MarketDataAddress } from '../market-data/market-data-message.ts';
import type { GatewayEffect } from '../vocabulary/effect.ts';
import { type FeedTopic, MarketDataBoard } from './market-data-board.ts';

/** One symbol of a subscription. */
export interface Stream extends Wanted, MarketDataAddress {
  readonly sessionId: string;
  readonly incremental: boolean;
  /** One answer, and no more (263=0). */
  readonly once: boolean;
  readonly newsOfAuctions: boolean;
  readonly topics: readonly FeedTopic[];
  dueAt: EpochMs;
  /** A whole answer goes out with what is known. */
  isDue: boolean;
  /** What was said last; null: what follows is a full refresh. */
  said: Picture | null;
  /** Something was said since it was subscribed. */
  begun: boolean;
  /** Not said yet, oldest first. */
  trades: MarketTrade[];
  tradesLost: boolean;
  /** The imbalance said last in words. */
  newsSaid: string | null;
}

/** What one session gets. */
export class SessionFeed {
  /** By MDReqID(262); requests for the present state only are not among them. */
  readonly subscriptions = new Map<string, Set<Stream>>();
  /** Of requests for the present state (263=0), what is not answered yet, oldest first. */
  readonly once = new Set<Stream>();
  /** Streams with something to say, the one that waits longest first. */
  readonly dirty = new Set<Stream>();
  /** A batch is on its way out. */
  busy = false;

  get symbolCount(): number {
    let count = 0;
    for (const streams of this.subscriptions.values()) count += streams.size;
    return count;
  }
}

/** All market data of all sessions. */
export class MarketDataState {
  readonly board = new MarketDataBoard();
  readonly feeds = new Map<string, SessionFeed>();
  /** Who hears of a subject. */
  readonly streams = new Map<string, Set<Stream>>();
  /** Whose whole answer is owed, the earliest due first. */
  readonly waiting = new Set<Stream>();
  /** What a change of settings made of it, to go out with what is said next. */
  owed: GatewayEffect[] = [];

  /** The clock was set back: whole answers come as soon as before. */
  setBack(byMs: number): void {
    for (const stream of this.waiting) stream.dueAt -= byMs;
  }
}
