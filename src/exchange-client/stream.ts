// One WebSocket of the exchange: connects, subscribes, pings, watches for silence, reconnects with bounded, jittered
// back-off. What the frames say is its owner's business (exchange reference §4).

import { WebSocket } from 'ws';
import { parseExactJson, toObject, toText } from '../exchange/mod.ts';
import type { ResolvedOptions } from './options.ts';

/** Longest frame accepted. */
const FRAME_BYTES_MAX = 16 * 1024 * 1024;

export interface Subscription {
  readonly topic: string;
  readonly symbol?: string;
  readonly tradingAccountId?: string;
}

/** A data frame: `data` is one object or, in snapshots, an array. */
export interface StreamFrame {
  readonly type: 'snapshot' | 'update' | 'error';
  readonly dataType: string;
  readonly tradingAccountId: string | null;
  readonly data: unknown;
}

export interface StreamOptions {
  readonly name: string;
  /** Path with `/trading-api`. */
  readonly path: string;
  /** Cookie token for private streams; null for public ones; undefined when there is none to be had now. */
  readonly token: () => Promise<string | null | undefined>;
  readonly subscriptions: () => readonly Subscription[];
  /** How many snapshot frames must come before the stream counts as live. */
  readonly snapshotsDue: () => number;
  /** Without any frame for so long, the stream is taken for dead. */
  readonly silenceMs: number;
  readonly onFrame: (frame: StreamFrame) => void;
  readonly onLive: (live: boolean) => void;
  /** The exchange refused the token. */
  readonly onUnauthorized: (token: string) => void;
  readonly onSilence: () => void;
}

export class Stream {
  readonly #client: ResolvedOptions;
  readonly #options: StreamOptions;
  #socket: WebSocket | null = null;
  #token: string | null = null;
  #requestId = 0;
  #acksDue = 0;
  #snapshotsDue = 0;
  #live = false;
  #closed = false;
  #attempts = 0;
  #reconnect: NodeJS.Timeout | null = null;
  #keepalive: NodeJS.Timeout | null = null;
  #opening: NodeJS.Timeout | null = null;
  /** Last frame that says something of the feed, and last frame of any kind. */
  #lastFrameAt = 0;
  #lastSignAt = 0;

  constructor(client: ResolvedOptions, options: StreamOptions) {
    this.#client = client;
    this.#options = options;
  }

  open(): void {
    void this.#connect();
  }

  close(): void {
    this.#closed = true;
    if (this.#reconnect !== null) clearTimeout(this.#reconnect);
    this.#drop();
  }

  async #connect(): Promise<void> {
    this.#reconnect = null;
    const token = await this.#options.token();
    if (this.#closed) return;
    if (token === undefined) {
      this.#retry('no login');
      return;
    }
    this.#token = token;
    const { baseUrl, timeouts } = this.#client;
    const url = baseUrl.replace(/^http/, 'ws') + this.#options.path;
    const socket = new WebSocket(url, {
      headers: token === null ? {} : { cookie: `JWT_COOKIE=${token}` },
      handshakeTimeout: timeouts.loginMs,
      maxPayload: FRAME_BYTES_MAX,
      perMessageDeflate: false,
    });
    this.#socket = socket;
    socket.on('open', () => this.#subscribe());
    socket.on('message', (data) => this.#message(socket, String(data)));
    socket.on('unexpected-response', (_request, response) => {
      if (response.statusCode === 401 && token !== null) this.#options.onUnauthorized(token);
      if (response.statusCode === 403) {
        this.#client.onAlarm('addressBlocked', `${this.#options.name}: the exchange answered 403`, {});
      }
      this.#ended(socket, `HTTP ${response.statusCode} instead of a stream`);
    });
    socket.on('error', (error) => this.#ended(socket, error.message));
    socket.on('close', (code) => this.#ended(socket, `closed (${code})`));
  }

  #subscribe(): void {
    const subscriptions = this.#options.subscriptions();
    const { timeouts, now } = this.#client;
    this.#acksDue = subscriptions.length;
    this.#snapshotsDue = this.#options.snapshotsDue();
    this.#lastFrameAt = now();
    this.#lastSignAt = this.#lastFrameAt;
    for (const subscription of subscriptions) this.#send('subscribe', { ...subscription });
    this.#opening = setTimeout(() => this.#openingIsOver(), timeouts.loginMs);
    this.#keepalive = setInterval(() => this.#keepAlive(), timeouts.keepaliveMs);
    this.#lookLive();
  }

  /** Acknowledged but no snapshot: a topic that has none to send. Refused or unanswered: try again. */
  #openingIsOver(): void {
    this.#opening = null;
    if (this.#acksDue > 0) {
      this.#fail('the subscriptions were not answered in time');
      return;
    }
    this.#client.log('warn', `${this.#options.name}: not every topic sent a snapshot`, { missing: this.#snapshotsDue });
    this.#snapshotsDue = 0;
    this.#lookLive();
  }

  #keepAlive(): void {
    // Every ping is answered: two without any sign of life mean a connection that is gone but not closed.
    if (this.#client.now() - this.#lastSignAt > 2 * this.#client.timeouts.keepaliveMs + 1_000) {
      this.#fail('no sign of life');
      return;
    }
    if (this.#client.now() - this.#lastFrameAt > this.#options.silenceMs) {
      this.#options.onSilence();
      this.#fail('silent for too long');
      return;
    }
    this.#send('keepalivePing', {});
  }

  #send(method: string, params: Readonly<Record<string, string | undefined>>): void {
    // Client-chosen, unique, an unsigned number as text (exchange reference §4.2).
    this.#requestId++;
    const id = `${this.#client.now()}${String(this.#requestId % 1_000_000).padStart(6, '0')}`;
    this.#socket?.send(JSON.stringify({ jsonrpc: '2.0', type: 'command', method, params, id }), () => {});
  }

  #message(socket: WebSocket, text: string): void {
    if (socket !== this.#socket) return;
    this.#lastSignAt = this.#client.now();
    const frame = toObject(parseExactJson(text));
    if (frame === null) {
      this.#client.log('warn', `${this.#options.name}: a frame that is no JSON object was ignored`, {});
      return;
    }
    if ('result' in frame) {
      // A pong says nothing of the feed: only data and acknowledgements count against silence.
      const message = toText(toObject(frame.result)?.message);
      if (message === 'Keep alive pong') return;
      this.#acksDue--;
    } else if ('error' in frame && !('dataType' in frame)) {
      const error = toObject(frame.error);
      this.#fail(
        `subscription refused: ${toText(error?.errorCodeName) ?? toText(error?.message) ?? 'no reason given'}`,
      );
      return;
    } else this.#data(frame);
    this.#lastFrameAt = this.#client.now();
    this.#lookLive();
  }

  #data(frame: Readonly<Record<string, unknown>>): void {
    const type = toText(frame.type);
    const dataType = toText(frame.dataType);
    if (dataType === null || (type !== 'snapshot' && type !== 'update' && type !== 'error')) return;
    const code = toText(toObject(frame.data)?.errorCode);
    if (type === 'error' && code === '401' && this.#token !== null) {
      this.#options.onUnauthorized(this.#token);
      this.#fail('the exchange refused the login on the stream');
      return;
    }
    this.#options.onFrame({ type, dataType, tradingAccountId: toText(frame.tradingAccountId), data: frame.data });
    if (type === 'snapshot') this.#snapshotsDue--;
  }

  #lookLive(): void {
    if (this.#live || this.#acksDue > 0 || this.#snapshotsDue > 0 || this.#socket === null) return;
    this.#live = true;
    this.#attempts = 0;
    if (this.#opening !== null) clearTimeout(this.#opening);
    this.#opening = null;
    this.#options.onLive(true);
  }

  #fail(reason: string): void {
    const socket = this.#socket;
    if (socket !== null) this.#ended(socket, reason);
  }

  #ended(socket: WebSocket, reason: string): void {
    if (socket !== this.#socket) return;
    this.#drop();
    if (this.#closed) return;
    if (this.#live) {
      this.#live = false;
      this.#options.onLive(false);
    }
    this.#retry(reason);
  }

  #retry(reason: string): void {
    const { reconnectMs, reconnectMaxMs } = this.#client.timeouts;
    const ceiling = Math.min(reconnectMaxMs, reconnectMs * 2 ** Math.min(this.#attempts, 16));
    this.#attempts++;
    // Half fixed, half random, so that many clients do not come back in step.
    const wait = ceiling / 2 + (Math.random() * ceiling) / 2;
    this.#client.log('warn', `${this.#options.name}: ${reason}; reconnecting`, { waitMs: Math.round(wait) });
    this.#reconnect = setTimeout(() => void this.#connect(), wait);
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    if (this.#keepalive !== null) clearInterval(this.#keepalive);
    if (this.#opening !== null) clearTimeout(this.#opening);
    this.#keepalive = null;
    this.#opening = null;
    if (socket === null) return;
    // An error after this concerns nobody; without a listener it would end the process.
    socket.removeAllListeners();
    socket.on('error', () => {});
    socket.terminate();
  }
}
