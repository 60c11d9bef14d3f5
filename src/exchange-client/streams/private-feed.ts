// The private stream of a login: orders, trades and error notices as events, each once, and all frames for the bridge.
// One stream per credential, shared by all FIX sessions that trade with it.

import { Seldom } from '../../base/seldom.ts';
import {
  decodeErrorNotice,
  decodeOrder,
  decodeTrade,
  type ExchangeEvent,
  oldestFirst,
  toObject,
  toText,
} from '../../exchange/mod.ts';
import type { ExchangeLogin } from '../login/login.ts';
import type { ResolvedOptions } from '../options.ts';
import { Delivered } from './delivered.ts';
import type { Rest } from './frame-turns.ts';
import { Stream } from './stream.ts';
import { StreamMemory } from './stream-memory.ts';
import type { LongFrame, StreamFrame, Subscription } from './subscription.ts';

/** Topics that orders need. */
const ORDER_TOPICS = ['orders', 'trades'] as const;
const NEEDED_TOPICS: readonly string[] = [...ORDER_TOPICS, 'heartbeat'];

/** Beginning of a topic. AMM instructions have no snapshot (exchange reference §4.2); if one comes, it is passed on. */
const SNAPSHOTS: Readonly<Record<string, string>> = {
  orders: 'V1TAOrder',
  trades: 'V1TATrade',
  assetAccounts: 'V1TAAssetAccount',
  tradingAccounts: 'V1TATradingAccount',
};

/** Lists of possibly thousands: a snapshot has every open order. */
const LONG: ReadonlySet<string> = new Set(['V1TAOrder']);

/** Trades that a snapshot has at most, the latest (exchange reference §4.2). */
const SNAPSHOT_TRADES = 20;

/** Entries of one kind that are not understood are an alarm this often at most: where one is not, many may be. */
const ALARM_INTERVAL_MS = 60_000;

export interface PrivateFeedParts {
  readonly options: ResolvedOptions;
  readonly login: ExchangeLogin;
  readonly onEvent: (event: ExchangeEvent) => void;
  readonly onFrame: (frame: StreamFrame) => void;
  /** The state of earlier frames is repeated, or over. */
  readonly onConnect?: () => void;
  /** The exchange says nothing of this topic. */
  readonly onRefused?: (subscription: Subscription) => void;
}

export class PrivateFeed {
  /** Orders seen on the stream, for look-ups. */
  readonly memory = new StreamMemory();
  readonly #parts: PrivateFeedParts;
  readonly #delivered = new Delivered();
  readonly #stream: Stream;
  /** Subscriptions besides those of orders, by topic and account: the present wishes of listeners. */
  readonly #beside = new Map<string, Subscription>();
  readonly #notUnderstoodTold = new Seldom(ALARM_INTERVAL_MS);
  #isLive = false;

  constructor(parts: PrivateFeedParts) {
    const { options, login, onEvent, onConnect, onRefused } = parts;
    const { tradingAccountIds, timeouts } = options;
    this.#parts = parts;
    // A topic that only a listener wants is no reason to be without orders: refused, never answered, or slow.
    const isNeeded = ({ topic }: Subscription): boolean => NEEDED_TOPICS.includes(topic);
    const ofOrders = tradingAccountIds.flatMap((tradingAccountId) =>
      ORDER_TOPICS.map((topic): Subscription => ({ topic, tradingAccountId })),
    );
    this.#stream = new Stream(options, {
      name: 'private-data stream',
      path: '/trading-api/v1/private-data',
      token: async () => (login.current ?? (await login.logIn().catch(() => null)))?.token,
      subscriptions: () => [...ofOrders, ...this.#beside.values(), { topic: 'heartbeat' }],
      isNeeded,
      snapshotOf: ({ topic }) => SNAPSHOTS[topic] ?? null,
      silenceMs: timeouts.heartbeatMs,
      isProbed: true,
      onFrame: (frame, isRepeat) => this.#frame(frame, isRepeat),
      long: { dataTypes: LONG, onFrame: (frame, isRepeat) => this.#inTurns(frame, isRepeat) },
      onConnect: () => {
        this.memory.forgetOpen();
        onConnect?.();
      },
      onLive: (live) => {
        this.#isLive = live;
        if (!live) this.memory.forgetOpen();
        onEvent({ kind: 'feed', feed: 'private', live });
      },
      onUnauthorized: (token) => void login.replace(token),
      onRefused: (subscription, reason) => {
        options.log('error', 'the exchange refused a private topic', { topic: subscription.topic, reason });
        const isBeside = !isNeeded(subscription);
        this.#beside.delete(nameOf(subscription));
        onRefused?.(subscription);
        return isBeside;
      },
      onSilence: (reason) =>
        options.onAlarm('private-stream-silent', `the private-data stream was silent: ${reason}`, { feed: 'private' }),
    });
  }

  /** Whether all is heard that the exchange says. */
  get isLive(): boolean {
    return this.#isLive && !this.#stream.isBehind;
  }

  /** Why nothing is heard though the stream is open, in words, or null. */
  get obstacle(): string | null {
    return this.#isLive && this.#stream.isMute ? 'the private stream is open and gives no sign of life' : null;
  }

  open(): void {
    this.#stream.open();
  }

  close(): void {
    this.#stream.close();
  }

  /** Subscribe to a topic beside those of orders, now and after every reconnect. One that the exchange refuses is let go. */
  follow(topic: string, tradingAccountId: string): void {
    const subscription = { topic, tradingAccountId };
    const name = nameOf(subscription);
    if (this.#beside.has(name)) return;
    this.#beside.set(name, subscription);
    this.#stream.subscribe(subscription);
  }

  unfollow(topic: string, tradingAccountId: string): void {
    const subscription = { topic, tradingAccountId };
    if (this.#beside.delete(nameOf(subscription))) this.#stream.unsubscribe(subscription);
  }

  /** Hear nothing until that is over. */
  hold(isHeld: boolean): void {
    this.#stream.hold(isHeld);
  }

  /** Move to a connection with the present login; nothing is lost or said twice. */
  handOver(): Promise<void> {
    return this.#stream.handOver();
  }

  #frame(frame: StreamFrame, isRepeat: boolean): void {
    const items = itemsOf(frame);
    this.#tellMissed(frame, items);
    const fresh = items.filter((item) => this.#item(frame, item, isRepeat));
    this.#passOn(frame, items.length, fresh, isRepeat);
  }

  *#inTurns({ entries, ...about }: LongFrame, isRepeat: boolean): Rest {
    const data: unknown[] = [];
    const fresh: unknown[] = [];
    for (const items of entries()) {
      if (data.length > 0) yield;
      data.push(...items);
      fresh.push(...items.filter((item) => this.#item(about, item, isRepeat)));
    }
    this.#passOn({ ...about, data }, data.length, fresh, isRepeat);
  }

  /** Orders first (rule B4): the bridge gets the frame when the reports are on their way. */
  #passOn(frame: StreamFrame, count: number, fresh: readonly unknown[], isRepeat: boolean): void {
    if (fresh.length === count || (frame.type === 'snapshot' && !isRepeat)) this.#parts.onFrame(frame);
    else if (fresh.length > 0) this.#parts.onFrame({ ...frame, type: 'update', data: fresh });
  }

  /** A full snapshot with a new oldest trade shows only the end of the missed events. */
  #tellMissed({ type, dataType, tradingAccountId: ofFrame }: StreamFrame, items: readonly unknown[]): void {
    if (type !== 'snapshot' || dataType !== 'V1TATrade' || items.length < SNAPSHOT_TRADES) return;
    const oldest = decodeTrade(items[0], ofFrame);
    if (oldest === null || this.#delivered.hasTrade(oldest)) return;
    this.#parts.onEvent({ kind: 'tradesMissed', tradingAccountId: oldest.tradingAccountId });
  }

  /** Deliver one entry; false if it was delivered before. */
  #item(frame: Omit<StreamFrame, 'data'>, item: unknown, isRepeat: boolean): boolean {
    const { onEvent } = this.#parts;
    const { dataType, tradingAccountId } = frame;
    const source = frame.type === 'snapshot' ? 'snapshot' : 'update';
    switch (dataType) {
      case 'V1TAOrder': {
        const order = decodeOrder(item, tradingAccountId);
        if (order === null) return this.#notUnderstood(dataType, item);
        const isNew = this.#delivered.takeOrder(order, isRepeat);
        // After a loss a snapshot shows the open orders, also the unchanged ones.
        if (!isNew && (isRepeat || source === 'update')) return false;
        onEvent({ kind: 'order', order, source });
        // The memory is consulted after a read's answer: the report does not wait for it.
        this.memory.add(order);
        return true;
      }
      case 'V1TATrade': {
        const trade = decodeTrade(item, tradingAccountId);
        if (trade === null) return this.#notUnderstood(dataType, item);
        if (!this.#delivered.takeTrade(trade)) return false;
        onEvent({ kind: 'trade', trade, source });
        return true;
      }
      case 'V1TAErrorResponse': {
        const notice = decodeErrorNotice(item, tradingAccountId);
        if (notice !== null) onEvent({ kind: 'errorNotice', notice });
        return true;
      }
      default:
        return true;
    }
  }

  /** It may be the end of an order, which stays open here: an operator has to look. */
  #notUnderstood(dataType: string, item: unknown): true {
    const { options } = this.#parts;
    const orderId = toText(toObject(item)?.orderId);
    const what = orderId === null ? 'an order without an id' : `order ${orderId}`;
    const text = `what the exchange says of ${what} (${dataType}) is not understood and was left out: the order stays here as it was`;
    if (this.#notUnderstoodTold.due(dataType, options.elapsedMs()) === null) {
      options.log('error', text, { dataType, orderId });
    } else options.onAlarm('entry-not-understood', text, { dataType, orderId });
    return true;
  }
}

function nameOf({ topic, tradingAccountId = '' }: Subscription): string {
  return `${topic} ${tradingAccountId}`;
}

/** Entries of a frame in the order in which they happened: a list of trades has the latest first. */
function itemsOf({ dataType, data, tradingAccountId }: StreamFrame): readonly unknown[] {
  if (!Array.isArray(data)) return [data];
  if (dataType !== 'V1TATrade' || data.length < 2) return data;
  const dated = data.map((item: unknown) => {
    const trade = decodeTrade(item, tradingAccountId);
    return { item, tradeId: trade?.tradeId ?? '', createdAt: trade?.createdAt ?? null };
  });
  return oldestFirst(dated).map(({ item }) => item);
}
