// One WebSocket of the exchange, from its upgrade to its end: subscribes, pings, watches for silence, and says when
// every subscription is answered and every snapshot is there. stream.ts reconnects; owners interpret frames (exchange
// reference §4.2).

import { channel } from 'node:diagnostics_channel';
import { type RawData, WebSocket } from 'ws';
import { connectFailure } from '../../base/socket-failure.ts';
import { askedMs, parseExactJson, toObject, toText } from '../../exchange/mod.ts';
import { RareLog } from '../log-throttle.ts';
import type { ResolvedOptions } from '../options.ts';
import { FrameTurns, type Rest } from './frame-turns.ts';
import { type LongList, longList } from './long-frame.ts';
import { type LongFrame, nameOf, type StreamFrame, type Subscription, subjectOf } from './subscription.ts';

/** Marks the stages of an order for measurements. Free of cost without a listener. */
const stages = channel('crossgate:stage');
/** Longest frame accepted: a snapshot has every open order of an account, a kilobyte each. */
const FRAME_BYTES_MAX = 128 * 1024 * 1024;
/** Longest frame that is taken in one turn of the event loop: a hundred orders. */
const ONE_TURN_BYTES_MAX = 64 * 1024;
/** Requests on one connection with awaited answers. */
const PENDING_MAX = 10_000;
/** Between probes, and how long the answer to one may take. */
const PROBE_MS = 500;
const PROBE_ANSWER_MS = 1_000;

export interface ConnectionOptions {
  readonly name: string;
  /** Path with `/trading-api`. */
  readonly path: string;
  /** Cookie token of a private stream, null for public ones. */
  readonly token: string | null;
  /** Whether a subscription must be granted, with its snapshot, before the stream counts as live. */
  readonly isNeeded: (subscription: Subscription) => boolean;
  /** dataType of the snapshot that a subscription begins with; null for none. */
  readonly snapshotOf: (subscription: Subscription) => string | null;
  /** Without any frame but pongs for so long, the stream is taken for dead. */
  readonly silenceMs: number;
  readonly isProbed: boolean;
  /** Lists that may be long: their frames arrive as `LongFrame`s and are processed in turns. */
  readonly mayBeLong: (dataType: string) => boolean;
  /** Returns the work left. */
  readonly onFrame: (frame: StreamFrame | LongFrame) => Rest | null;
  /** All required subscriptions of the start are answered and there. */
  readonly onLive: () => void;
  /** `askedMs`: how long the exchange asks to wait, null if it does not say. */
  readonly onEnded: (reason: string, askedMs: number | null) => void;
  /** The exchange keeps this address out, for now. */
  readonly onBlocked: () => void;
  /** The exchange refused the token. */
  readonly onUnauthorized: (token: string) => void;
  /** The exchange refused a subscription; false ends the connection. */
  readonly onRefused: (subscription: Subscription, reason: string) => boolean;
  readonly onSilence: (reason: string) => void;
}

/** A snapshot that a subscription begins with, and the account or symbol that it is of. */
interface DueSnapshot {
  readonly dataType: string;
  readonly subject: string | null;
}

type Pending = { readonly kind: 'subscribe' | 'unsubscribe'; readonly subscription: Subscription } | { kind: 'ping' };

export class StreamConnection {
  readonly #client: ResolvedOptions;
  readonly #options: ConnectionOptions;
  /** By their names: there may be thousands. */
  readonly #subscriptions: Map<string, Subscription>;
  /** The id of each request, which is that of its subscription. */
  readonly #subscriptionIds = new Map<string, string>();
  readonly #pending = new Map<string, Pending>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #drainers = new Map<string, () => void>();
  readonly #rareLog: RareLog;
  readonly #turns = new FrameTurns((isPaused) => this.#pause(isPaused));
  #socket: WebSocket | null = null;
  #upgradeAnswered: () => void = () => {};
  #requestId = 0;
  #acksDue = 0;
  /** Snapshots that are still to come. */
  readonly #snapshotsDue: DueSnapshot[] = [];
  #isLive = false;
  #isOver = false;
  /** Last frame that says something of the feed, and last frame of any kind, by the monotonic clock. */
  #lastFrameAt = 0;
  #lastSignAt = 0;
  /** When the first probe left that is unanswered; before the last sign of life if there is none. */
  #probedAt = 0;

  constructor(client: ResolvedOptions, options: ConnectionOptions, subscriptions: readonly Subscription[]) {
    this.#client = client;
    this.#options = options;
    this.#rareLog = new RareLog(client);
    this.#subscriptions = new Map(subscriptions.map((one) => [nameOf(one), one]));
  }

  get isLive(): boolean {
    return this.#isLive;
  }

  /** Whether a probe stays without any sign of life. */
  get isMute(): boolean {
    const isOwed = this.#probedAt > this.#lastSignAt;
    return isOwed && !this.isBehind && performance.now() - this.#probedAt > PROBE_ANSWER_MS;
  }

  /** Part of its frames is unprocessed: newer data may exist. */
  get isBehind(): boolean {
    return this.#turns.isBusy;
  }

  /** Tell something before anything else that was said. */
  tellFirst(rest: Rest): void {
    this.#turns.goFirst(rest);
  }

  /** `answered` is called once the request for the stream was answered, or can no longer be. */
  open(answered: () => void): void {
    const { baseUrl, timeouts, tls } = this.#client;
    const { token, path } = this.#options;
    this.#upgradeAnswered = answered;
    const socket = new WebSocket(baseUrl.replace(/^http/, 'ws') + path, {
      headers: token === null ? {} : { cookie: `JWT_COOKIE=${token}` },
      handshakeTimeout: timeouts.loginMs,
      maxPayload: FRAME_BYTES_MAX,
      perMessageDeflate: false,
      ...tls,
    });
    this.#socket = socket;
    // A 429 to an upgrade is about connections, not requests: only this stream waits, as after any other end.
    socket.on('upgrade', answered);
    socket.on('open', () => this.#opened());
    socket.on('message', (data) => this.#turns.add(() => this.#message(data)));
    socket.on('unexpected-response', (_request, response) => {
      if (response.statusCode === 401 && token !== null) this.#options.onUnauthorized(token);
      if (response.statusCode === 403) this.#options.onBlocked();
      // A client that reconnects too soon may be blocked for longer. For an exchange that is away this is a guess.
      const isAsked = response.statusCode === 403 || response.statusCode === 429;
      const asked = isAsked ? askedMs(response.headers, this.#client.now()) : null;
      this.#end(`HTTP ${response.statusCode} instead of a stream`, asked);
    });
    socket.on('error', (error) => this.#end(connectFailure(error)));
    socket.on('close', (code) => this.#end(`closed (${code})`));
  }

  /** Subscribe to one more; before the connection is open it goes with the first ones. */
  subscribe(subscription: Subscription): void {
    // A repeated subscription is not answered (exchange reference §4.2), and would be waited for.
    const name = nameOf(subscription);
    if (this.#subscriptions.has(name)) return;
    this.#subscriptions.set(name, subscription);
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    const id = this.#request(subscription);
    this.#after(this.#client.timeouts.loginMs, () => {
      if (this.#pending.has(id)) this.#tellUnanswered(subscription);
    });
  }

  unsubscribe(subscription: Subscription): void {
    const name = nameOf(subscription);
    if (!this.#subscriptions.delete(name)) return;
    const subscriptionId = this.#subscriptionIds.get(name);
    this.#subscriptionIds.delete(name);
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    // A private subscription is ended by its id, a public one by its topic (exchange reference §4.2).
    const isPrivate = subscription.tradingAccountId !== undefined;
    this.#send('unsubscribe', isPrivate ? { subscriptionId } : { ...subscription }, {
      kind: 'unsubscribe',
      subscription,
    });
  }

  /** Resolves when everything that the exchange has sent until now was delivered, when the connection ended, or after `limitMs`. */
  drained(limitMs: number): Promise<void> {
    if (this.#isOver || this.#socket?.readyState !== WebSocket.OPEN) return Promise.resolve();
    return new Promise((resolve) => {
      // Frames keep their order: the pong comes after all that was sent before it.
      const id = this.#send('keepalivePing', {}, { kind: 'ping' });
      this.#drainers.set(id, resolve);
      this.#after(limitMs, resolve);
    });
  }

  /** End it without a word to its owner. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#turns.close();
    this.#upgradeAnswered();
    for (const timer of this.#timers) clearInterval(timer);
    for (const resolve of this.#drainers.values()) resolve();
    this.#drainers.clear();
    const socket = this.#socket;
    if (socket === null) return;
    // A later error concerns no listener; without one it would end the process.
    socket.removeAllListeners();
    socket.on('error', () => {});
    socket.terminate();
  }

  #opened(): void {
    const { timeouts } = this.#client;
    const { silenceMs } = this.#options;
    this.#lastFrameAt = performance.now();
    this.#lastSignAt = this.#lastFrameAt;
    const { isNeeded, snapshotOf } = this.#options;
    for (const subscription of this.#subscriptions.values()) {
      if (isNeeded(subscription)) {
        this.#acksDue++;
        const dataType = snapshotOf(subscription);
        if (dataType !== null) this.#snapshotsDue.push({ dataType, subject: subjectOf(subscription) });
      }
      this.#request(subscription);
    }
    this.#after(timeouts.loginMs, () => this.#judge(() => this.#openingIsOver()));
    this.#every(timeouts.keepaliveMs, () => this.#keepAlive());
    if (this.#options.isProbed) this.#every(PROBE_MS, () => this.#probe());
    if (Number.isFinite(silenceMs)) {
      this.#every(Math.min(silenceMs / 4, timeouts.keepaliveMs), () => {
        const isSilent = (): boolean => performance.now() - this.#lastFrameAt > silenceMs;
        if (isSilent()) this.#judge(() => isSilent() && this.#silent(`nothing was said for ${silenceMs} ms`));
      });
    }
    this.#lookLive();
  }

  /** Acknowledged but no snapshot: a topic that has none to send. Unanswered: try again, unless it is not needed. */
  #openingIsOver(): void {
    const { name, isNeeded } = this.#options;
    if (this.isBehind) {
      this.#after(this.#client.timeouts.loginMs, () => this.#openingIsOver());
      return;
    }
    for (const pending of this.#pending.values()) {
      if (pending.kind === 'subscribe' && !isNeeded(pending.subscription)) this.#tellUnanswered(pending.subscription);
    }
    if (this.#isLive) return;
    if (this.#acksDue > 0) {
      this.#end('the subscriptions were not answered in time');
      return;
    }
    const due = this.#snapshotsDue.splice(0);
    const missing = due
      .map(({ dataType, subject }) => (subject === null ? dataType : `${dataType} ${subject}`))
      .join(' ');
    this.#client.log('warn', `${name}: not every topic sent a snapshot`, { missing });
    this.#lookLive();
  }

  /** The others on this connection work: it is not ended for one. */
  #tellUnanswered(subscription: Subscription): void {
    const text = `${this.#options.name}: the exchange has not answered a subscription`;
    this.#client.log('warn', text, { ...subscription });
  }

  /** Every ping is answered: one without any sign of life after it means a connection that is gone but not closed. */
  #keepAlive(): void {
    const { pongMs } = this.#client.timeouts;
    const at = performance.now();
    this.#send('keepalivePing', {}, { kind: 'ping' });
    const isSilent = (): boolean => this.#lastSignAt < at;
    this.#after(pongMs, () => {
      if (isSilent()) this.#judge(() => isSilent() && this.#silent(`no sign of life within ${pongMs} ms of a ping`));
    });
  }

  /** Every answer counts: one that is lost is no silence. */
  #probe(): void {
    if (this.#probedAt <= this.#lastSignAt) this.#probedAt = performance.now();
    this.#send('keepalivePing', {}, { kind: 'ping' });
  }

  /**
   * After a standstill of the process, timers are due before meanwhile received input is read: it is read before the
   * judgement.
   */
  #judge(run: () => void): void {
    setImmediate(() => {
      if (!this.#isOver) run();
    });
  }

  /** Input that arrived meanwhile is unread: this is no silence. */
  #pause(isPaused: boolean): void {
    if (isPaused) this.#socket?.pause();
    else {
      this.#lastSignAt = performance.now();
      this.#lastFrameAt = this.#lastSignAt;
      this.#socket?.resume();
    }
  }

  #silent(reason: string): void {
    if (this.isBehind) return;
    this.#options.onSilence(reason);
    this.#end(reason);
  }

  #request(subscription: Subscription): string {
    const id = this.#send('subscribe', { ...subscription }, { kind: 'subscribe', subscription });
    this.#subscriptionIds.set(nameOf(subscription), id);
    return id;
  }

  #send(method: string, params: Readonly<Record<string, string | undefined>>, pending: Pending): string {
    // Client-chosen, unique, an unsigned number as text (exchange reference §4.2).
    this.#requestId++;
    const id = `${this.#client.now()}${String(this.#requestId % 1_000_000).padStart(6, '0')}`;
    if (this.#pending.size >= PENDING_MAX) {
      const oldest = this.#pending.keys().next().value;
      if (oldest !== undefined) this.#pending.delete(oldest);
    }
    this.#pending.set(id, pending);
    this.#socket?.send(JSON.stringify({ jsonrpc: '2.0', type: 'command', method, params, id }), () => {});
    return id;
  }

  #message(data: RawData): Rest | null {
    if (this.#isOver) return null;
    if (stages.hasSubscribers) stages.publish('stream frame in');
    this.#lastSignAt = performance.now();
    const long = Buffer.isBuffer(data) && data.length > ONE_TURN_BYTES_MAX ? longList(data) : null;
    const list = long !== null && this.#options.mayBeLong(toText(long.head.dataType) ?? '') ? long : null;
    const frame = list?.head ?? toObject(parseExactJson(String(data)));
    if (frame === null) {
      this.#tellNotUnderstood();
      return null;
    }
    const id = toText(frame.id) ?? '';
    const pending = this.#pending.get(id) ?? null;
    this.#pending.delete(id);
    if ('result' in frame) this.#acknowledged(id, pending, toText(toObject(frame.result)?.message));
    else if ('error' in frame && !('dataType' in frame)) this.#refused(pending, toObject(frame.error));
    else {
      this.#lastFrameAt = this.#lastSignAt;
      return this.#data(frame, list);
    }
    this.#lookLive();
    return null;
  }

  #tellNotUnderstood(): void {
    this.#rareLog.say('frame', 'warn', `${this.#options.name}: a frame that is no JSON object was ignored`, {});
  }

  /** A pong says nothing of the feed: only data and acknowledgements count against silence. */
  #acknowledged(id: string, pending: Pending | null, message: string | null): void {
    if (pending?.kind === 'ping' || message === 'Keep alive pong') {
      this.#drainers.get(id)?.();
      this.#drainers.delete(id);
      return;
    }
    this.#lastFrameAt = this.#lastSignAt;
    // One that is said again is not that of another subscription.
    if (pending === null && id !== '') return;
    if (pending?.kind === 'unsubscribe' || (pending !== null && !this.#options.isNeeded(pending.subscription))) return;
    if (this.#acksDue > 0) this.#acksDue--;
  }

  #refused(pending: Pending | null, error: Readonly<Record<string, unknown>> | null): void {
    const reason = toText(error?.errorCodeName) ?? toText(error?.message) ?? 'no reason given';
    if (pending !== null && pending.kind !== 'subscribe') return;
    if (pending === null || !this.#options.onRefused(pending.subscription, reason)) {
      this.#end(`subscription refused: ${reason}`);
      return;
    }
    this.#subscriptions.delete(nameOf(pending.subscription));
    this.#subscriptionIds.delete(nameOf(pending.subscription));
    if (this.#isLive || !this.#options.isNeeded(pending.subscription)) return;
    this.#acksDue--;
    this.#notDue(this.#options.snapshotOf(pending.subscription), subjectOf(pending.subscription));
  }

  #data(frame: Readonly<Record<string, unknown>>, list: LongList | null): Rest | null {
    const type = toText(frame.type);
    const dataType = toText(frame.dataType);
    if (dataType === null || (type !== 'snapshot' && type !== 'update' && type !== 'error')) return null;
    const { token } = this.#options;
    if (type === 'error' && toText(toObject(frame.data)?.errorCode) === '401' && token !== null) {
      this.#options.onUnauthorized(token);
      this.#end('the exchange refused the login on the stream');
      return null;
    }
    const { data } = frame;
    const tradingAccountId = toText(frame.tradingAccountId);
    const about = { type, dataType, tradingAccountId } as const;
    const rest = this.#options.onFrame(
      list === null ? { ...about, data } : { ...about, entries: () => this.#read(list) },
    );
    const isTold = (): void => {
      if (type === 'snapshot') this.#notDue(dataType, tradingAccountId ?? symbolIn(data));
      this.#lookLive();
    };
    if (rest !== null) return inTurns(rest, isTold);
    isTold();
    return null;
  }

  *#read(list: LongList): ReturnType<LongFrame['entries']> {
    for (const entries of list.entries()) {
      if (entries === null) this.#tellNotUnderstood();
      else yield entries;
    }
  }

  /** An answer without a subject belongs to the subscription that still waits for one of its type. */
  #notDue(dataType: string | null, subject: string | null): void {
    const at = this.#snapshotsDue.findIndex(
      (due) => due.dataType === dataType && (subject === null || due.subject === null || due.subject === subject),
    );
    if (at !== -1) this.#snapshotsDue.splice(at, 1);
  }

  #lookLive(): void {
    if (this.#isLive || this.#isOver || this.#acksDue > 0 || this.#snapshotsDue.length > 0) return;
    this.#isLive = true;
    this.#options.onLive();
  }

  #end(reason: string, asked: number | null = null): void {
    if (this.#isOver) return;
    this.close();
    this.#options.onEnded(reason, asked);
  }

  #after(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    this.#timers.add(timer);
  }

  #every(ms: number, run: () => void): void {
    this.#timers.add(setInterval(run, ms));
  }
}

function* inTurns(rest: Rest, isTold: () => void): Rest {
  yield* rest;
  isTold();
}

/** The market that a frame without an account speaks of. */
function symbolIn(data: unknown): string | null {
  return toText(toObject(Array.isArray(data) ? data[0] : data)?.symbol);
}
