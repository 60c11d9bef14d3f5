// One listener of a stream: its subscriptions and frames, and its end if it reads too slowly, falls silent, or its data
// is gone. Upgrade and authentication are streams.ts.

import type { WebSocket } from 'ws';
import {
  readStreamRequest,
  type StreamRequest,
  streamAcknowledgement,
  streamPong,
  streamRefusal,
} from '../../exchange/mod.ts';
import type { Caller } from '../access.ts';
import { ENTRIES_MAX, type FeedListener, type ListenedFeeds } from './feeds.ts';
import { type FeedName, isPublicFeed, topicsOf } from './topics.ts';

const NO_SUBSCRIPTION = 'There is no such subscription';
const METHOD_INVALID = 'The method is not valid';
const SYMBOL = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;
/** Codes of a refused subscription, as on the exchange. */
const StreamErrorCode = { method: '29012', topic: '29013' } as const;
const SUBSCRIPTIONS_MAX = 200;
/** Messages of a listener in one interval of `REQUESTS_MS`. */
const REQUESTS_MAX = 100;
const REQUESTS_MS = 1_000;
/** Further ones before the answer to a close: a listener that sends more floods, and is cut off. */
const REQUESTS_BEHIND_CLOSE_MAX = 1_000;
/** After this without a message from the listener, its connection is closed, as the exchange does. */
export const SILENCE_MS = 90_000;
/** Time for a close to be answered before the socket is cut. */
const FAREWELL_MS = 2_000;

/** Codes of RFC 6455 §7.4.1 and its registry. */
const CloseCode = { goingAway: 1001, policy: 1008, tryAgainLater: 1013 } as const;
type CloseCode = (typeof CloseCode)[keyof typeof CloseCode];

interface Subscription {
  readonly id: string;
  readonly topic: string;
  /** Account or symbol; null for a topic that has none. */
  readonly subject: string | null;
}

export interface ListenerOptions {
  readonly socket: WebSocket;
  readonly caller: Caller;
  readonly feed: FeedName;
  readonly feeds: ListenedFeeds;
  /** The account named in the address, or null. */
  readonly tradingAccountId: string | null;
  /** The market named in the address, which needs no subscription, or null. */
  readonly symbol: string | null;
  readonly bytesMax: number;
  /** A monotonic time in milliseconds. */
  readonly elapsedMs: () => number;
  readonly log: (text: string, fields: Readonly<Record<string, unknown>>) => void;
  /** It was dropped. */
  readonly onDropped: () => void;
}

export class StreamListener implements FeedListener {
  readonly credential: string;
  readonly feed: FeedName;
  private readonly options: ListenerOptions;
  private readonly subscriptions = new Map<string, Subscription>();
  private ended = false;
  private heardAt: number;
  private windowFrom: number;
  private requests = 0;
  /** Bytes of snapshots that may still wait, by subscription: one can exceed the ordinary limit. */
  private readonly excused = new Map<string, number>();

  constructor(options: ListenerOptions) {
    this.options = options;
    this.credential = options.caller.credential;
    this.feed = options.feed;
    this.heardAt = options.elapsedMs();
    this.windowFrom = this.heardAt;
    const { socket, feeds } = options;
    feeds.listen(this);
    options.caller.streams++;
    socket.on('message', (data, isBinary) => this.message(isBinary ? '' : String(data)));
    // The socket answers pings by itself: no other limit would count them.
    socket.on('ping', () => this.takes());
    socket.on('pong', () => this.takes());
    // Input that is no frame, or too long: the socket closes itself with its code.
    socket.on('error', ({ message }) => this.end(CloseCode.policy, `its frame cannot be read: ${message}`));
    socket.on('close', () => this.leave());
    if (options.symbol !== null) this.begin({ id: '', topic: topicsOf(this.feed)[0]!, subject: options.symbol });
  }

  frame(topic: string, subject: string | null, text: () => string): void {
    if (this.ended || !this.subscriptions.has(nameOf(topic, subject))) return;
    this.send(text());
  }

  lost(): void {
    this.end(CloseCode.tryAgainLater, 'the stream of the exchange was lost; connect again for a new snapshot');
  }

  /** Sent as an error under the subscription's id: silence would mean an empty topic. */
  refused(topic: string, subject: string | null): void {
    const name = nameOf(topic, subject);
    const subscription = this.subscriptions.get(name);
    if (subscription === undefined) return;
    this.drop(name, subscription);
    this.refuse(subscription.id, refusalOf(subscription));
  }

  /** The gateway is going down. */
  goAway(): void {
    this.end(CloseCode.goingAway, 'the gateway is shutting down');
  }

  isOf(caller: Caller): boolean {
    return this.options.caller === caller;
  }

  /** It was opened with a token that is another one now. */
  tokenEnded(): void {
    this.end(CloseCode.policy, 'the token was changed; connect again with the new one');
  }

  /** To be called now and then. */
  lookForSilence(): void {
    if (this.options.elapsedMs() - this.heardAt > SILENCE_MS) {
      this.end(CloseCode.policy, `no keepalivePing for ${SILENCE_MS / 1000} seconds`);
    }
  }

  /** Whether one more message, or frame of the protocol, is within the rate of a listener that is still one. */
  private takes(): boolean {
    if (this.ended) {
      if (++this.requests > REQUESTS_MAX + REQUESTS_BEHIND_CLOSE_MAX) this.options.socket.terminate();
      return false;
    }
    const now = this.options.elapsedMs();
    if (now - this.windowFrom >= REQUESTS_MS) {
      this.windowFrom = now;
      this.requests = 0;
    }
    if (++this.requests <= REQUESTS_MAX) return true;
    this.end(CloseCode.policy, `more than ${REQUESTS_MAX} messages in a second`);
    return false;
  }

  private message(text: string): void {
    if (!this.takes()) return;
    this.heardAt = this.options.elapsedMs();
    const request = readStreamRequest(text);
    switch (request.kind) {
      case 'keepalivePing':
        this.send(streamPong(request.id));
        return;
      case 'empty':
        return;
      case 'invalid':
        this.send(streamRefusal(request.id, StreamErrorCode.method, METHOD_INVALID, METHOD_INVALID));
        return;
      case 'subscribe':
        this.subscribe(request);
        return;
      case 'unsubscribe':
        this.unsubscribe(request);
        return;
    }
  }

  private subscribe({ id, params }: Extract<StreamRequest, { params: unknown }>): void {
    const refuse = (text: string): void => this.refuse(id, text);
    const topics = [...new Set((params.topic ?? '').split('+'))].slice(0, SUBSCRIPTIONS_MAX);
    const unknown = topics.find((topic) => !topicsOf(this.feed).includes(topic));
    if (unknown !== undefined) {
      refuse(`'${unknown.slice(0, 40)}' is not a valid topic`);
      return;
    }
    const subjects = this.subjectsOf(params);
    if (typeof subjects === 'string') {
      refuse(subjects);
      return;
    }
    const wanted = topics.flatMap((topic) =>
      (topic === 'heartbeat' ? [null] : subjects).map((subject): Subscription => ({ id, topic, subject })),
    );
    const silent = wanted.find((one) =>
      this.options.feeds.isRefused(this.credential, this.feed, one.topic, one.subject),
    );
    if (silent !== undefined) {
      refuse(refusalOf(silent));
      return;
    }
    const fresh = wanted.filter(({ topic, subject }) => !this.subscriptions.has(nameOf(topic, subject)));
    if (this.subscriptions.size + fresh.length > SUBSCRIPTIONS_MAX) {
      refuse(`At most ${SUBSCRIPTIONS_MAX} subscriptions`);
      return;
    }
    const about = this.feed === 'auction' ? ` (${topics.join('+')} ${params.symbol})` : '';
    this.send(streamAcknowledgement(id, `Successfully subscribed${about}${this.cutAmong(fresh)}`));
    for (const subscription of fresh) this.begin(subscription);
  }

  /** Begin a subscription with the state that is known. */
  private begin(subscription: Subscription): void {
    const { id, topic, subject } = subscription;
    const { feeds } = this.options;
    this.subscriptions.set(nameOf(topic, subject), subscription);
    if (!feeds.follow(this.credential, this.feed, topic, subject)) {
      this.subscriptions.delete(nameOf(topic, subject));
      this.refuse(id, 'The gateway follows as many subjects as it can; try again later');
      return;
    }
    const snapshot = feeds.snapshotText(this.credential, this.feed, topic, subject);
    if (snapshot !== null) this.send(snapshot, nameOf(topic, subject));
  }

  /** Subscription with an incomplete snapshot, as words after an acknowledgement. */
  private cutAmong(subscriptions: readonly Subscription[]): string {
    const { feeds } = this.options;
    const cut = subscriptions.filter(({ topic, subject }) => feeds.isCut(this.credential, this.feed, topic, subject));
    if (cut.length === 0) return '';
    const names = cut.map(({ topic, subject }) => (subject === null ? topic : `${topic} of ${subject}`)).join(', ');
    return `; of ${names} the snapshot has only the latest ${ENTRIES_MAX}: the REST calls have all`;
  }

  /** Subject of a subscription, or why it is refused. */
  private subjectsOf(params: Readonly<Record<string, string>>): string[] | string {
    if (this.feed === 'auction') {
      const { symbol } = params;
      if (symbol === undefined) return 'A market symbol is missing';
      const markets = this.options.caller.exchange.markets();
      const known = markets.some((market) => market.auctionEnabled && market.symbol === symbol);
      return known ? [symbol] : `'${symbol.slice(0, 40)}' is not a valid market symbol`;
    }
    if (isPublicFeed(this.feed)) return this.publicSubjectsOf(params);
    const own = this.options.caller.tradingAccountIds;
    const account = params.tradingAccountId ?? this.options.tradingAccountId;
    if (account === null) return [...own];
    return own.has(account) ? [account] : `'${account.slice(0, 40)}' is not a trading account of this token`;
  }

  /** A market by its symbol, an index by its asset. The exchange's own refusal of an unknown asset comes as an error. */
  private publicSubjectsOf({ symbol, assetSymbol }: Readonly<Record<string, string>>): string[] | string {
    if (this.feed === 'index') {
      if (assetSymbol === undefined) return 'An asset symbol is missing';
      return SYMBOL.test(assetSymbol) ? [assetSymbol] : `'${assetSymbol.slice(0, 40)}' is not a valid asset symbol`;
    }
    if (symbol === undefined) return 'A market symbol is missing';
    const known = this.options.caller.exchange.markets().some((market) => market.symbol === symbol);
    return known ? [symbol] : `'${symbol.slice(0, 40)}' is not a valid market symbol`;
  }

  private unsubscribe({ id, params }: Extract<StreamRequest, { params: unknown }>): void {
    const { subscriptionId, topic } = params;
    const subject = params.symbol ?? params.assetSymbol ?? params.tradingAccountId ?? null;
    let found = false;
    for (const [name, subscription] of this.subscriptions) {
      const matches =
        subscriptionId !== undefined
          ? subscription.id === subscriptionId
          : subscription.topic === topic && (subject === null || subscription.subject === subject);
      if (!matches) continue;
      this.drop(name, subscription);
      found = true;
    }
    if (found) this.send(streamAcknowledgement(id, 'Successfully unsubscribed'));
    else this.refuse(id, NO_SUBSCRIPTION);
  }

  private drop(name: string, { topic, subject }: Subscription): void {
    this.subscriptions.delete(name);
    this.options.feeds.unfollow(this.credential, this.feed, topic, subject);
  }

  private refuse(id: string, text: string): void {
    this.send(streamRefusal(id, StreamErrorCode.topic, text, text));
  }

  /** @param snapshotOf the subscription that it is the snapshot of */
  private send(text: string, snapshotOf?: string): void {
    const { socket, bytesMax } = this.options;
    const { excused } = this;
    if (this.ended || socket.readyState !== socket.OPEN) return;
    if (excused.size > 0 && socket.bufferedAmount <= bytesMax) excused.clear();
    // Asked for again before it was read, it is excused once.
    if (snapshotOf !== undefined) excused.set(snapshotOf, Buffer.byteLength(text));
    socket.send(text, () => {});
    let bytesHere = bytesMax;
    if (excused.size > 0) for (const bytes of excused.values()) bytesHere += bytes;
    if (socket.bufferedAmount > bytesHere) {
      this.end(CloseCode.policy, `too slow: more than ${bytesMax} bytes were waiting to be read`);
    }
  }

  private end(code: CloseCode, reason: string): void {
    if (this.ended) return;
    this.leave();
    const { socket, caller, log, feed, onDropped } = this.options;
    onDropped();
    log(`a listener was dropped: ${reason}`, { caller: caller.name, feed });
    socket.close(code, reason);
    const farewell = setTimeout(() => socket.terminate(), FAREWELL_MS);
    socket.once('close', () => clearTimeout(farewell));
  }

  private leave(): void {
    if (this.ended) return;
    this.ended = true;
    for (const [name, subscription] of this.subscriptions) this.drop(name, subscription);
    this.options.feeds.leave(this);
    this.options.caller.streams--;
  }
}

function nameOf(topic: string, subject: string | null): string {
  return `${topic}\n${subject ?? ''}`;
}

function refusalOf({ topic, subject }: Pick<Subscription, 'topic' | 'subject'>): string {
  const of = subject === null ? '' : ` of ${subject}`;
  return `The exchange refuses '${topic}'${of} to this gateway; leave it out`;
}
