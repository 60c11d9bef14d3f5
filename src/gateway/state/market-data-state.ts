// Market data subscriptions, the last message to each, and due messages. market-data-stream.ts sends it.

import type { EpochMs } from '../../base/time.ts';
import type { MarketTrade } from '../../exchange/mod.ts';
import type { MessageDraft } from '../../wire/mod.ts';
import type { Picture, Wanted } from '../market-data/market-data-entry.ts';
import type { MarketDataAddress } from '../market-data/market-data-message.ts';
import { SharedPictures } from '../market-data/shared-picture.ts';
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
  /** The same for all streams of this symbol, depth and kind of data. */
  readonly pictureName: string;
  dueAt: EpochMs;
  /** A whole answer goes out with the known parts. */
  isDue: boolean;
  /** The last message; null: a full refresh follows. */
  said: Picture | null;
  /** Something was said since it was subscribed. */
  begun: boolean;
  /** Not said yet, oldest first. */
  trades: MarketTrade[];
  tradesLost: boolean;
  /** The imbalance said last in words. */
  newsSaid: string | null;
}

/** Data of one session. */
export class SessionFeed {
  /** By MDReqID(262); requests for the present state only are not among them. */
  readonly subscriptions = new Map<string, Set<Stream>>();
  /** Unanswered requests for the present state (263=0), oldest first. */
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
  /** Bodies of messages that many sessions get. */
  readonly pictures = new SharedPictures<MessageDraft>();
  /** Receivers of a subject. */
  readonly streams = new Map<string, Set<Stream>>();
  /** Requests with their whole answer due, the earliest first. */
  readonly waiting = new Set<Stream>();
  /** Effects of changed settings, sent with the next message. */
  owed: GatewayEffect[] = [];
}
