// The present state of every topic of the exchange's streams, kept for snapshots, and a tap for listeners. Each login
// has one upstream connection, which the orders use too; streams.ts has the listeners' sockets.

import { strangersWords } from '../../base/redacted-text.ts';
import { streamDataFrame, toObject, toText } from '../../exchange/mod.ts';
import { withoutRateLimitToken } from '../reads/rate-limit-token.ts';
import type { FeedName } from './topics.ts';

/** A data frame as the exchange sent it: `data` is one object or, in snapshots, an array. */
export interface FeedFrame {
  readonly type: 'snapshot' | 'update' | 'error';
  readonly dataType: string;
  readonly tradingAccountId: string | null;
  readonly data: unknown;
}

/** How one topic is kept: by which field, and how many entries that have ended. */
interface TopicKeeping {
  readonly topic: string;
  readonly feed: FeedName;
  readonly key: string | null;
  /** Second half of the key, where an entry has it. */
  readonly within?: string;
  readonly endedMax: number;
  /** Entries that have ended may be forgotten; the others not, up to `ENTRIES_MAX`. */
  readonly isOpen: (entry: Readonly<Record<string, unknown>>) => boolean;
}

/** Entries of one topic and subject: writing them delays orders. */
export const ENTRIES_MAX = 10_000;
/** Topics and subjects together. */
const SHELVES_MAX = 10_000;

/** Lists and objects within each other; the exchange's entries have two or three. */
const DEPTH_MAX = 100;

/** Entries that may come before a shelf is tidied again. */
const TIDY_AFTER = 200;

interface Shelf {
  readonly entries: Map<string, unknown>;
  /** Some are missing that a snapshot should have. */
  isCut: boolean;
  /** Size at which it is tidied next. */
  tidyAt: number;
  /** Its entries as they were last written in a snapshot; null since they changed. */
  text: string | null;
}

const never = (): boolean => false;
const always = (): boolean => true;
const whileOpen = (entry: Readonly<Record<string, unknown>>): boolean => entry.status === 'OPEN';

/** dataType → how it is kept. A null key: nothing to keep, a snapshot does not exist. */
const KEEPING: Readonly<Record<string, TopicKeeping>> = {
  V1TAOrder: { topic: 'orders', feed: 'private', key: 'orderId', endedMax: 20, isOpen: whileOpen },
  // One tradeId may serve both sides of a self-match (rule O2).
  V1TATrade: { topic: 'trades', feed: 'private', key: 'tradeId', within: 'orderId', endedMax: 20, isOpen: never },
  V1TAAssetAccount: { topic: 'assetAccounts', feed: 'private', key: 'assetSymbol', endedMax: 0, isOpen: always },
  V1TATradingAccount: {
    topic: 'tradingAccounts',
    feed: 'private',
    key: 'tradingAccountId',
    endedMax: 0,
    isOpen: always,
  },
  V1TADerivativesPosition: {
    topic: 'derivativesPositionsV2',
    feed: 'private',
    key: 'symbol',
    endedMax: 0,
    isOpen: always,
  },
  V1TAAmmInstruction: {
    topic: 'ammInstructions',
    feed: 'private',
    key: 'instructionId',
    endedMax: 20,
    isOpen: whileOpen,
  },
  V1TAMMPTrigger: { topic: 'mmpTrigger', feed: 'private', key: 'mmpTriggerId', endedMax: 20, isOpen: never },
  V1TAMMPConfigRequest: { topic: 'mmpRequest', feed: 'private', key: 'requestId', endedMax: 20, isOpen: never },
  V1TAHeartbeat: { topic: 'heartbeat', feed: 'private', key: null, endedMax: 0, isOpen: never },
  V1TAAuctionPhase: { topic: 'phase', feed: 'auction', key: 'symbol', endedMax: 0, isOpen: always },
  V1TANoii: { topic: 'noii', feed: 'auction', key: 'symbol', endedMax: 0, isOpen: always },
};

/** Private topics that orders do not need. */
const BESIDE_ORDERS: readonly string[] = [
  'assetAccounts',
  'tradingAccounts',
  'derivativesPositionsV2',
  'ammInstructions',
  'mmpTrigger',
  'mmpRequest',
];

/** Where topics come from that orders do not need: subscribed while somebody listens, since each costs every order its frames. */
export interface Upstream {
  follow(credential: string, topic: string, tradingAccountId: string): void;
  unfollow(credential: string, topic: string, tradingAccountId: string): void;
}

/** Called for every frame: its topic, its subject (account or symbol, null for none), its text. */
export interface FeedListener {
  readonly credential: string;
  readonly feed: FeedName;
  frame(topic: string, subject: string | null, text: () => string): void;
  /** The upstream connection is gone: its last state is stale. */
  lost(): void;
  /** The exchange refuses a topic that it may listen to already. */
  refused(topic: string, subject: string | null): void;
}

/** The feeds as a listener needs them. */
export type ListenedFeeds = Pick<
  Feeds,
  'isLive' | 'isRefused' | 'isCut' | 'listen' | 'leave' | 'snapshotText' | 'unfollow'
> & {
  /** False where no more subjects can be followed. */
  follow(credential: string, feed: FeedName, topic: string, subject: string | null): boolean;
};

export class Feeds {
  private readonly shelves = new Map<string, Shelf>();
  private readonly live = new Set<string>();
  /** Topics and subjects that the exchange refuses now. */
  private readonly refused = new Set<string>();
  private readonly listeners = new Set<FeedListener>();
  /** How many subscriptions there are to each topic and account that orders do not need. */
  private readonly followers = new Map<string, number>();
  private readonly upstream: Upstream | null;

  /** @param upstream null: every topic is heard anyway */
  constructor(upstream: Upstream | null = null) {
    this.upstream = upstream;
  }

  /** Take a frame of a login's stream. */
  take(credential: string, feed: FeedName, said: FeedFrame): void {
    const frame = said.dataType === 'V1TATradingAccount' ? ofEach(said, withoutRateLimitToken) : said;
    // Refusals of commands belong to the orders, as on the exchange.
    const isRefusal = frame.dataType === 'V1TAErrorResponse';
    if (!isRefusal && !Object.hasOwn(KEEPING, frame.dataType)) return;
    const keeping = isRefusal ? null : KEEPING[frame.dataType]!;
    const items = Array.isArray(frame.data) ? frame.data : [frame.data];
    // It could be read, but not written again. The part of a long snapshot beyond the kept one is written for listeners
    // only.
    if (isDeeper(this.listeners.size > 0 ? items : keptOf(frame, items), DEPTH_MAX)) return;
    const subject =
      feed === 'private' ? frame.tradingAccountId : (toText(toObject(items[0])?.symbol) ?? frame.tradingAccountId);
    const topic = keeping?.topic ?? 'orders';
    if (keeping !== null && (subject !== null || feed === 'private')) {
      const name = nameOf(credential, feed, topic, subject);
      // The exchange sent this before it processed our unsubscription.
      if (this.isUnfollowed(topic, name)) return;
      // A frame ends a refusal of its topic.
      this.refused.delete(name);
      this.keep(keeping, name, frame, items);
    }
    if (frame.dataType === 'V1TAAuctionPhase') for (const item of items) this.forgetImbalance(credential, item);
    let written: string | null = null;
    const text = (): string => {
      written ??= streamDataFrame(isRefusal ? ofEach(frame, withoutSecrets) : frame);
      return written;
    };
    for (const listener of [...this.listeners]) {
      if (listener.feed === feed && (feed === 'auction' || listener.credential === credential)) {
        listener.frame(topic, subject, text);
      }
    }
  }

  private isUnfollowed(topic: string, name: string): boolean {
    return this.upstream !== null && BESIDE_ORDERS.includes(topic) && !this.followers.has(name);
  }

  /** An auction's last imbalance ends with the market's next auction, which has none before its lockdown. */
  private forgetImbalance(credential: string, phase: unknown): void {
    const present = toObject(phase);
    const symbol = toText(present?.symbol) ?? '';
    const name = nameOf(credential, 'auction', 'noii', symbol);
    const noii = toObject(this.shelves.get(name)?.entries.get(symbol));
    if (noii !== null && toText(noii.auctionId) !== toText(present?.auctionId)) this.shelves.delete(name);
  }

  /** A login's stream became live, or ended: then its state is dropped, and its listeners are informed. */
  setLive(credential: string, feed: FeedName, live: boolean): void {
    const name = `${credential}\n${feed}\n`;
    if (live) {
      this.live.add(name);
      return;
    }
    this.live.delete(name);
    this.forget(credential, feed);
    for (const listener of [...this.listeners]) {
      if (listener.feed === feed && (feed === 'auction' || listener.credential === credential)) listener.lost();
    }
  }

  /**
   * Its connection begins. State of an earlier connection that never became live would stay for good, because no
   * snapshot replaces it.
   */
  forget(credential: string, feed: FeedName): void {
    const name = `${credential}\n${feed}\n`;
    for (const shelf of this.shelves.keys()) if (shelf.startsWith(name)) this.shelves.delete(shelf);
    for (const one of this.refused) if (one.startsWith(name)) this.refused.delete(one);
  }

  /** The exchange refuses a private topic: it is silent until the exchange grants it to the next connection. */
  refuse(credential: string, topic: string, account: string | null): void {
    this.refused.add(nameOf(credential, 'private', topic, account));
    for (const listener of [...this.listeners]) {
      if (listener.feed === 'private' && listener.credential === credential) listener.refused(topic, account);
    }
  }

  isRefused(credential: string, feed: FeedName, topic: string, subject: string | null): boolean {
    return this.refused.has(nameOf(credential, feed, topic, subject));
  }

  isLive(credential: string, feed: FeedName): boolean {
    if (feed === 'private') return this.live.has(`${credential}\n${feed}\n`);
    for (const name of this.live) if (name.endsWith(`\n${feed}\n`)) return true;
    return false;
  }

  /** The present state of a topic as a snapshot; null where a topic has none. */
  snapshot(credential: string, feed: FeedName, topic: string, subject: string | null): FeedFrame | null {
    const found = Object.entries(KEEPING).find(([, keeping]) => keeping.feed === feed && keeping.topic === topic);
    if (found === undefined || found[1].key === null) return null;
    const data: unknown[] = [];
    for (const [name, shelf] of this.shelves) {
      const [of, , , about] = name.split('\n');
      if (name !== nameOf(of!, feed, topic, subject) || about !== (subject ?? '')) continue;
      if (feed === 'private' && of !== credential) continue;
      data.push(...shelf.entries.values());
    }
    const tradingAccountId = feed === 'private' ? subject : null;
    return { type: 'snapshot', dataType: found[0], tradingAccountId, data };
  }

  /** Begin a listener's subscription. The first one of a topic subscribes upstream, and gets the exchange's own snapshot. */
  follow(credential: string, feed: FeedName, topic: string, subject: string | null): boolean {
    if (feed !== 'private' || subject === null || !BESIDE_ORDERS.includes(topic)) return true;
    const name = nameOf(credential, feed, topic, subject);
    const before = this.followers.get(name) ?? 0;
    this.followers.set(name, before + 1);
    if (before === 0) this.upstream?.follow(credential, topic, subject);
    return true;
  }

  /** End a listener's subscription. The last one of a topic unsubscribes upstream; its entries go, since they would turn stale. */
  unfollow(credential: string, feed: FeedName, topic: string, subject: string | null): void {
    const name = nameOf(credential, feed, topic, subject ?? '');
    const before = this.followers.get(name);
    if (before === undefined) return;
    if (before > 1) {
      this.followers.set(name, before - 1);
      return;
    }
    this.followers.delete(name);
    if (this.upstream === null) return;
    this.shelves.delete(name);
    this.upstream.unfollow(credential, topic, subject ?? '');
  }

  /** The same as text. It is written once until something changes: who subscribes again and again costs orders no time. */
  snapshotText(credential: string, feed: FeedName, topic: string, subject: string | null): string | null {
    const shelf = feed === 'private' ? this.shelves.get(nameOf(credential, feed, topic, subject)) : undefined;
    // The exchange has not said it yet: its own snapshot comes, if the topic has one.
    if (shelf === undefined && this.upstream !== null && BESIDE_ORDERS.includes(topic)) return null;
    if (shelf !== undefined && shelf.text !== null) return shelf.text;
    const snapshot = this.snapshot(credential, feed, topic, subject);
    const text = snapshot === null ? null : streamDataFrame(snapshot);
    if (shelf !== undefined) shelf.text = text;
    return text;
  }

  /** Whether a snapshot has not all that it should have, for there is too much of it. */
  isCut(credential: string, feed: FeedName, topic: string, subject: string | null): boolean {
    return this.shelves.get(nameOf(credential, feed, topic, subject))?.isCut === true;
  }

  listen(listener: FeedListener): void {
    this.listeners.add(listener);
  }

  leave(listener: FeedListener): void {
    this.listeners.delete(listener);
  }

  private keep(keeping: TopicKeeping, name: string, frame: FeedFrame, items: readonly unknown[]): void {
    if (keeping.key === null || frame.type === 'error') return;
    let shelf = this.shelves.get(name);
    if (shelf === undefined) {
      if (this.shelves.size >= SHELVES_MAX) return;
      shelf = { entries: new Map(), isCut: false, tidyAt: TIDY_AFTER, text: null };
      this.shelves.set(name, shelf);
    }
    const { entries } = shelf;
    shelf.text = null;
    if (frame.type === 'snapshot') {
      entries.clear();
      shelf.tidyAt = TIDY_AFTER;
      shelf.isCut = items.slice(0, -ENTRIES_MAX).some((item) => isOpenEntry(item, keeping));
    }
    for (const item of keptOf(frame, items)) {
      const entry = toObject(item);
      const id = toText(entry?.[keeping.key]);
      if (entry === null || id === null) continue;
      const key = keeping.within === undefined ? id : `${id} ${toText(entry[keeping.within])}`;
      // Taken out and put in again: the latest stands last.
      entries.delete(key);
      entries.set(key, entry);
    }
    if (entries.size >= shelf.tidyAt) tidy(shelf, keeping);
  }
}

/** All of them within one turn of the event loop: those of a snapshot that would be forgotten again are not even put in. */
function keptOf({ type }: FeedFrame, items: readonly unknown[]): readonly unknown[] {
  return type === 'snapshot' ? items.slice(-ENTRIES_MAX) : items;
}

/** Forget all but the latest ended entries, and the oldest of too many. Looks at all of them, so it is done now and then. */
function tidy(shelf: Shelf, keeping: TopicKeeping): void {
  const { entries } = shelf;
  let ended = 0;
  for (const [position, key] of [...entries.keys()].reverse().entries()) {
    const open = isOpenEntry(entries.get(key), keeping);
    if (!open) ended++;
    else if (position >= ENTRIES_MAX) shelf.isCut = true;
    if (position >= ENTRIES_MAX || (!open && ended > keeping.endedMax)) entries.delete(key);
  }
  shelf.tidyAt = entries.size + TIDY_AFTER;
}

function isOpenEntry(item: unknown, { isOpen }: TopicKeeping): boolean {
  const entry = toObject(item);
  return entry !== null && isOpen(entry);
}

/** A refusal may repeat the request, and with it the gateway's login. */
function withoutSecrets(refusal: unknown): unknown {
  const entry = toObject(refusal);
  const said = toText(entry?.message);
  return said === null ? refusal : { ...entry, message: strangersWords(said) };
}

function ofEach(frame: FeedFrame, change: (item: unknown) => unknown): FeedFrame {
  return { ...frame, data: Array.isArray(frame.data) ? frame.data.map(change) : change(frame.data) };
}

function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  // A snapshot has a million values, nearly all of them texts.
  for (const name in value) {
    const item: unknown = value[name as keyof typeof value];
    if (typeof item === 'object' && item !== null && isDeeper(item, levels - 1)) return true;
  }
  return false;
}

function nameOf(credential: string, feed: FeedName, topic: string, subject: string | null): string {
  return `${credential}\n${feed}\n${topic}\n${subject ?? ''}`;
}
