// A stream of the exchange that stays: reconnects with bounded, jittered back-off, and hands over to a connection with
// another login without losing or repeating a frame. One connection is stream-connection.ts.

import { RareLog } from '../log-throttle.ts';
import type { ResolvedOptions } from '../options.ts';
import type { Rest } from './frame-turns.ts';
import { type ConnectionOptions, StreamConnection } from './stream-connection.ts';
import type { LongFrame, StreamFrame, Subscription } from './subscription.ts';

/** Frames of a new connection that wait for the old one's last; more ends the attempt. */
const WAITING_FRAMES_MAX = 50_000;
/** Entries processed in one turn of the event loop. */
const FRAMES_IN_A_TURN = 20;
/** Longest wait for the old connection's last frames. */
const DRAIN_MS = 2_000;
/** Attempts at one hand-over; then the old connection stays until the exchange ends it. */
const HAND_OVERS_MAX = 5;

export interface StreamOptions {
  readonly name: string;
  /** Path with `/trading-api`. */
  readonly path: string;
  /** Cookie token for private streams; null for public ones; undefined when there is none to be had now. */
  readonly token: () => Promise<string | null | undefined>;
  readonly subscriptions: () => readonly Subscription[];
  /** Whether a subscription must be granted before the stream counts as live; default: each. */
  readonly isNeeded?: (subscription: Subscription) => boolean;
  /** dataType of the snapshot that a subscription begins with, which a stream that needs it waits for; null for none. */
  readonly snapshotOf: (subscription: Subscription) => string | null;
  /** Without any frame for so long, the stream is taken for dead. */
  readonly silenceMs: number;
  /** Whether it is asked for a sign of life every moment, so that `isMute` is known soon. */
  readonly isProbed?: boolean;
  /** `isRepeat`: the connection before this one may have said it already. */
  readonly onFrame: (frame: StreamFrame, isRepeat: boolean) => void;
  /** dataTypes with possibly long lists, processed some entries per turn; default: none. */
  readonly long?: {
    readonly dataTypes: ReadonlySet<string>;
    readonly onFrame: (frame: LongFrame, isRepeat: boolean) => Rest;
  };
  /** A connection begins, and its state anew: the one before may have ended before it was live. */
  readonly onConnect?: () => void;
  readonly onLive: (live: boolean) => void;
  /** The exchange refused the token. */
  readonly onUnauthorized: (token: string) => void;
  /** The exchange refused a subscription: false reconnects, true goes on without it. */
  readonly onRefused: (subscription: Subscription, reason: string) => boolean;
  readonly onSilence: (reason: string) => void;
}

/** A successor connection, and its frames until it takes over. */
interface Successor {
  readonly connection: StreamConnection;
  readonly frames: (StreamFrame | LongFrame)[];
  readonly settled: (handedOver: boolean) => void;
}

/** Longest wait that the answer to an upgrade may ask for: orders are not heard of meanwhile. */
const ASKED_MAX_MS = 60_000;

/** Live for as many first pauses (`reconnectMs`), a stream is one that works: when it breaks, the next one comes as soon. */
const STEADY_PAUSES = 20;

export class Stream {
  readonly #client: ResolvedOptions;
  readonly #options: StreamOptions;
  readonly #rare: RareLog;
  #current: StreamConnection | null = null;
  #successor: Successor | null = null;
  #live = false;
  #closed = false;
  #isOpen = false;
  /** The receiver can take nothing now. */
  #isHeld = false;
  /** Which connecting counts: one that was overtaken by a hold does not. */
  #connecting = 0;
  /** Connections tried since it was steadily live. */
  #attempts = 0;
  #liveSince = 0;
  /** Token of the last connection that was live. */
  #provenToken: string | null = null;
  #reconnect: NodeJS.Timeout | null = null;

  constructor(client: ResolvedOptions, options: StreamOptions) {
    this.#client = client;
    this.#options = options;
    this.#rare = new RareLog(client);
  }

  /** Whether the connection owes a sign of life. */
  get isMute(): boolean {
    return this.#current?.isMute === true;
  }

  /** Part of the exchange's data is unprocessed. */
  get isBehind(): boolean {
    return this.#current?.isBehind === true;
  }

  open(): void {
    this.#isOpen = true;
    void this.#connect();
  }

  /** Have no connection until that is over: meanwhile the data is read by other means. */
  hold(isHeld: boolean): void {
    if (this.#isHeld === isHeld || this.#closed) return;
    this.#isHeld = isHeld;
    this.#connecting++;
    if (!isHeld) {
      if (this.#isOpen) void this.#connect();
      return;
    }
    if (this.#reconnect !== null) clearTimeout(this.#reconnect);
    this.#reconnect = null;
    const current = this.#current;
    this.#current = null;
    this.#abandon();
    current?.close();
    this.#setLive(false);
  }

  close(): void {
    this.#closed = true;
    if (this.#reconnect !== null) clearTimeout(this.#reconnect);
    this.#current?.close();
    this.#current = null;
    this.#abandon();
  }

  /** Follow one more, now and after every reconnect: the owner's `subscriptions` names it already. */
  subscribe(subscription: Subscription): void {
    this.#current?.subscribe(subscription);
    this.#successor?.connection.subscribe(subscription);
  }

  unsubscribe(subscription: Subscription): void {
    this.#current?.unsubscribe(subscription);
    this.#successor?.connection.unsubscribe(subscription);
  }

  /**
   * Open a connection with the present token, and let it take over when it is live and the old one has said its last.
   * Resolves when that is done, or cannot be: the old connection then stays.
   */
  async handOver(): Promise<void> {
    for (let attempt = 0; attempt < HAND_OVERS_MAX && !this.#closed; attempt++) {
      if (this.#current === null) return;
      if (await this.#succeed()) return;
      const { reconnectMs, reconnectMaxMs } = this.#client.timeouts;
      await new Promise((resolve) => setTimeout(resolve, Math.min(reconnectMaxMs, reconnectMs * 2 ** attempt)).unref());
    }
  }

  async #connect(): Promise<void> {
    this.#reconnect = null;
    if (this.#isHeld) return;
    const connecting = ++this.#connecting;
    const isOver = (): boolean => this.#closed || connecting !== this.#connecting;
    const token = await this.#options.token();
    if (isOver()) return;
    if (token === undefined) {
      this.#retry('no login');
      return;
    }
    const answered = await this.#room();
    if (isOver() || answered === null) {
      answered?.();
      if (!isOver()) this.#retry('the rate limit of this address is used up');
      return;
    }
    const connection = this.#connection(token, {
      onFrame: (frame) => this.#tell(frame, false),
      onLive: () => {
        this.#provenToken = token;
        this.#setLive(true);
      },
    });
    this.#current = connection;
    this.#options.onConnect?.();
    connection.open(answered);
  }

  /** An upgrade is a request of this address too; it comes after orders, as reads do. */
  #room(): Promise<(() => void) | null> {
    const { addressBudget, rates, elapsedMs, timeouts } = this.#client;
    return addressBudget.room(elapsedMs, rates.cancelShare + rates.orderShare, timeouts.loginMs);
  }

  /** One attempt at a hand-over; whether the new connection has taken over. */
  async #succeed(): Promise<boolean> {
    const token = await this.#options.token();
    if (token === undefined) return false;
    const answered = await this.#room();
    // If it was lost meanwhile, it is reconnected already: a successor would be a surplus connection that stays open.
    if (this.#closed || this.#isHeld || answered === null || this.#successor !== null || this.#current === null) {
      answered?.();
      return false;
    }
    return await new Promise((resolve) => {
      const frames: Successor['frames'] = [];
      const connection: StreamConnection = this.#connection(token, {
        onFrame: (frame) => {
          if (this.#successor?.connection !== connection) return this.#tell(frame, false);
          if (frames.push(frame) > WAITING_FRAMES_MAX) this.#abandon();
          return null;
        },
        onLive: () => {
          this.#provenToken = token;
          if (this.#successor?.connection !== connection) this.#setLive(true);
          else void (this.#current?.drained(DRAIN_MS) ?? Promise.resolve()).then(() => this.#promote(connection));
        },
      });
      this.#successor = { connection, frames, settled: resolve };
      connection.open(answered);
    });
  }

  /**
   * The successor becomes the connection; its frames so far follow, marked as possible repeats. After a loss it is
   * none: listeners have dropped the earlier state.
   */
  #promote(connection: StreamConnection): void {
    const successor = this.#successor;
    if (this.#closed || successor?.connection !== connection) return;
    this.#successor = null;
    this.#current?.close();
    this.#current = connection;
    if (!this.#live) this.#options.onConnect?.();
    connection.tellFirst(this.#tellAll(successor));
    successor.settled(true);
  }

  *#tellAll({ frames, connection }: Successor): Rest {
    const isRepeat = this.#live;
    for (const [i, frame] of frames.entries()) {
      if (i > 0 && i % FRAMES_IN_A_TURN === 0) yield;
      const rest = this.#tell(frame, isRepeat);
      if (rest !== null) yield* rest;
    }
    if (connection.isLive) this.#setLive(true);
  }

  #tell(frame: StreamFrame | LongFrame, isRepeat: boolean): Rest | null {
    if ('entries' in frame) return this.#options.long?.onFrame(frame, isRepeat) ?? null;
    this.#options.onFrame(frame, isRepeat);
    return null;
  }

  #abandon(): void {
    const successor = this.#successor;
    this.#successor = null;
    successor?.connection.close();
    successor?.settled(false);
  }

  #connection(
    token: string | null,
    { onFrame, onLive }: Pick<ConnectionOptions, 'onFrame' | 'onLive'>,
  ): StreamConnection {
    const { name, path, snapshotOf, silenceMs, onRefused, onSilence, subscriptions } = this.#options;
    const { isNeeded = () => true, isProbed = false, long } = this.#options;
    const mayBeLong = (dataType: string): boolean => long?.dataTypes.has(dataType) === true;
    const onUnauthorized = (refused: string): void => {
      // The exchange is there and has only forgotten the login, as after a restart: the next one need not wait as long as for
      // an exchange that is not. Once for each login that worked, so that one refused again and again waits longer and longer.
      if (refused === this.#provenToken) this.#attempts = 0;
      this.#provenToken = null;
      this.#options.onUnauthorized(refused);
    };
    const onEnded = (reason: string, asked: number | null): void => this.#ended(connection, reason, asked);
    const onBlocked = (): void => this.#blocked();
    const about = {
      name,
      path,
      isNeeded,
      snapshotOf,
      silenceMs,
      isProbed,
      onUnauthorized,
      onRefused,
      onSilence,
      onBlocked,
      mayBeLong,
    };
    const connection: StreamConnection = new StreamConnection(
      this.#client,
      { ...about, token, onFrame, onLive, onEnded },
      subscriptions(),
    );
    return connection;
  }

  /** Each attempt hears it, and there is one every few seconds. */
  #blocked(): void {
    const unsaid = this.#rare.due('blocked');
    if (unsaid === null) return;
    const text = `${this.#options.name}: the exchange answered 403`;
    const again = unsaid === 0 ? text : `${text}, ${unsaid} times since it was last said`;
    this.#client.onAlarm('address-blocked', again, {});
  }

  #ended(connection: StreamConnection, reason: string, asked: number | null): void {
    if (this.#successor?.connection === connection) {
      this.#client.log('warn', `${this.#options.name}: hand-over failed: ${reason}`, {});
      this.#abandon();
      return;
    }
    if (connection !== this.#current) return;
    this.#current = null;
    this.#setLive(false);
    const heir = this.#successor?.connection;
    // A connection that is nearly there is sooner live than another one.
    if (heir !== undefined) this.#promote(heir);
    else if (!this.#closed) this.#retry(reason, asked);
  }

  #setLive(live: boolean): void {
    if (this.#live === live || this.#closed) return;
    this.#live = live;
    const now = performance.now();
    if (live) this.#liveSince = now;
    // One that is cut as soon as it is live, for ever, asks for a snapshot and for all that was missed each time.
    else if (now - this.#liveSince >= STEADY_PAUSES * this.#client.timeouts.reconnectMs) this.#attempts = 0;
    this.#options.onLive(live);
  }

  #retry(reason: string, asked: number | null = null): void {
    const { reconnectMs, reconnectMaxMs } = this.#client.timeouts;
    const ceiling = Math.min(reconnectMaxMs, reconnectMs * 2 ** Math.min(this.#attempts, 16));
    this.#attempts++;
    // Half fixed, half random, so that many clients do not come back in step.
    const wait = Math.max(ceiling / 2 + (Math.random() * ceiling) / 2, Math.min(asked ?? 0, ASKED_MAX_MS));
    this.#client.log('warn', `${this.#options.name}: ${reason}; reconnecting`, { waitMs: Math.round(wait) });
    this.#reconnect = setTimeout(() => void this.#connect(), wait);
  }
}
