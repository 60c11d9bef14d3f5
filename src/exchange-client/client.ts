// The exchange port over HTTP and WebSocket: joins login, commands, reads and streams, and closes the questions between
// them (nonce range of the day, a lost outcome, whether a feed is live). Its parts stand in their own files.

import { CrossgateError } from '../base/errors.ts';
import {
  type CommandOutcome,
  decodeErrorNotice,
  decodeLastPrice,
  decodeOrder,
  decodePhase,
  decodeTrade,
  type ExchangeCommand,
  type ExchangeEvent,
  type ExchangeOrder,
  type ExchangePort,
  type LookupOutcome,
  type Market,
  nonceRangeOfDay,
  type OrderLookup,
  type RawCommand,
  toObject,
  toText,
} from '../exchange/mod.ts';
import { CommandLane, type CommandResult, priorityOf } from './command-lane.ts';
import { createSigner } from './credential.ts';
import { HttpOrigin } from './http.ts';
import { ExchangeLogin } from './login.ts';
import { type ExchangeClientOptions, type ResolvedOptions, resolveOptions } from './options.ts';
import { RateBudget } from './rate-budget.ts';
import { type ReadResult, Reads } from './reads.ts';
import { Stream, type StreamFrame, type Subscription } from './stream.ts';
import { StreamMemory } from './stream-memory.ts';

/** Symbols whose price is followed unless configured. */
const REFERENCE_SYMBOLS_MAX = 100;
/** Fences sent for one look-up before it is given up for this time. */
const FENCES_MAX = 2;

/** The port, and what the bridge needs beside it. */
export interface ExchangeClient extends ExchangePort {
  /** GET a target (path with query) with this login, in the bridge's share of the rate (rule B4). */
  get(target: string): Promise<ReadResult>;
  /** POST a question that needs no signature (a margin simulation), in the bridge's share of the rate. */
  post(target: string, body: string): Promise<ReadResult>;
  /** Send a command other than an order's and return the exchange's own answer beside its outcome. */
  send(commandId: string, command: RawCommand): Promise<CommandResult>;
  /** Receive every data frame of the private and the auction feed, for re-serving them. */
  onFrame: (feed: 'private' | 'auction', frame: StreamFrame) => void;
}

/** Make a client; nothing is contacted before `start`. @throws CrossgateError XG_CONFIG_INVALID for an unusable key */
export function createExchangeClient(options: ExchangeClientOptions): ExchangeClient {
  return new HttpExchangeClient(resolveOptions(options));
}

class HttpExchangeClient implements ExchangeClient {
  onEvent: (event: ExchangeEvent) => void = () => {};
  onFrame: (feed: 'private' | 'auction', frame: StreamFrame) => void = () => {};
  readonly #options: ResolvedOptions;
  readonly #commandHttp: HttpOrigin;
  readonly #readHttp: HttpOrigin;
  readonly #login: ExchangeLogin;
  readonly #lane: CommandLane;
  readonly #reads: Reads;
  readonly #streams: Stream[] = [];
  readonly #memory = new StreamMemory();
  readonly #lastPrices = new Map<string, string>();
  #markets: readonly Market[] = [];
  #priceTimer: NodeJS.Timeout | null = null;
  #rangeRead: Promise<boolean> | null = null;
  #privateLive = false;
  #closed = false;

  constructor(options: ResolvedOptions) {
    this.#options = options;
    const { baseUrl, settings, timeouts, rates, now } = options;
    const http = (connections: number): HttpOrigin =>
      new HttpOrigin(baseUrl, { connections, connectMs: timeouts.connectMs, requestMs: timeouts.requestMs });
    this.#commandHttp = http(settings.connectionsMax);
    this.#readHttp = http(settings.readConnectionsMax);
    const signer = createSigner(options.credential, { prehash: options.prehash, loginUserId: settings.loginUserId });
    const budget = new RateBudget(rates, now);
    this.#login = new ExchangeLogin(options, signer, this.#readHttp);
    this.#lane = new CommandLane({ options, signer, login: this.#login, http: this.#commandHttp, budget });
    this.#lane.readRange = () => this.#refreshRange();
    this.#reads = new Reads(options, this.#login, this.#readHttp, budget);
  }

  async start(): Promise<void> {
    await this.#login.logIn();
    if (!(await this.#readRange())) {
      throw new CrossgateError('XG_EXCHANGE_ANSWER_INVALID', 'the nonce range could not be read from the exchange');
    }
    const markets = await this.#reads.markets();
    if (markets === null) {
      throw new CrossgateError('XG_EXCHANGE_ANSWER_INVALID', 'the markets could not be read from the exchange');
    }
    this.#markets = markets;
    if (this.#streams.length === 0) this.#openStreams();
  }

  markets(): readonly Market[] {
    return this.#markets;
  }

  async submit(commandId: string, command: ExchangeCommand, sharer?: string): Promise<CommandOutcome> {
    return (await this.#lane.submit(commandId, command, priorityOf(command), null, sharer)).outcome;
  }

  send(commandId: string, command: RawCommand): Promise<CommandResult> {
    return this.#lane.submit(commandId, command, 'bridge');
  }

  get(target: string): Promise<ReadResult> {
    return this.#reads.get(target, 'other', 'bridge');
  }

  post(target: string, body: string): Promise<ReadResult> {
    return this.#reads.ask({ method: 'POST', target, body }, 'other', 'bridge');
  }

  async lookup(lookup: OrderLookup): Promise<LookupOutcome> {
    const { tradingAccountId, orderId, clientOrderId, commandId } = lookup;
    const { nonces, recoveredCeiling } = this.#lane;
    // Without a commandId an earlier process sent it; without a nonce nobody knows which one it had.
    const upTo = commandId === null ? recoveredCeiling : (this.#lane.nonceOf(commandId) ?? nonces.last);
    for (let fences = 0, settled = false; ; ) {
      const order = await this.#reads.order(tradingAccountId, orderId, clientOrderId);
      if (order === null) return { kind: 'failed', message: 'the exchange could not be asked' };
      // An open order leaves open whether a request can still be carried out; any other answer is one.
      if (order !== 'absent' && (lookup.ofRequest !== true || order.status !== 'OPEN')) return await this.#found(order);
      const answer = (final: boolean): LookupOutcome | Promise<LookupOutcome> =>
        order === 'absent' ? { kind: 'absent', final } : this.#found(order, final);
      // Rule U2: absent for good only if nothing can still arrive, and a live stream has not said otherwise.
      const agreed =
        order !== 'absent' || (this.#privateLive && !this.#memory.hasSeen(tradingAccountId, clientOrderId));
      if (settled && agreed) return await answer(true);
      if (settled || !agreed) return await answer(false);
      if (!nonces.isFenced(upTo) && (fences++ >= FENCES_MAX || !(await this.#fence(upTo, tradingAccountId)))) {
        return await answer(false);
      }
      // Reads lag behind acknowledgements: the look that decides comes this long after the fence.
      await new Promise((resolve) => setTimeout(resolve, this.#options.timeouts.settleMs));
      settled = nonces.isFenced(upTo);
    }
  }

  async recent(tradingAccountId: string): ReturnType<ExchangePort['recent']> {
    const recent = await this.#reads.recent(tradingAccountId);
    if (recent === null) return null;
    const older = this.#memory.openBeside(recent.orders, tradingAccountId);
    return { orders: [...recent.orders, ...older], trades: recent.trades };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#priceTimer !== null) clearInterval(this.#priceTimer);
    for (const stream of this.#streams) stream.close();
    this.#lane.close();
    await this.#login.logOut();
    await Promise.all([this.#commandHttp.close(), this.#readHttp.close()]);
  }

  async #found(order: ExchangeOrder, final = false): Promise<LookupOutcome> {
    const trades = await this.#reads.trades(order);
    if (trades === null) return { kind: 'failed', message: 'the trades of the order could not be read' };
    return { kind: 'found', order, trades, final };
  }

  /** A cancel of an order that cannot exist: its acknowledgement makes every nonce far enough below it impossible (rule X6). */
  async #fence(nonce: bigint, tradingAccountId: string): Promise<boolean> {
    const symbol = this.#markets[0]?.symbol;
    if (symbol === undefined) return false;
    if (this.#lane.nonces.isFenced(nonce)) return true;
    const command: ExchangeCommand = {
      kind: 'cancelOrder',
      orderId: this.#options.settings.impossibleOrderId,
      clientOrderId: null,
      symbol,
      tradingAccountId,
    };
    const above = this.#lane.nonces.fenceAbove(nonce);
    await this.#lane.submit(`fence-${nonce}`, command, 'cancel', above);
    return this.#lane.nonces.isFenced(nonce);
  }

  #readRange(): Promise<boolean> {
    this.#rangeRead ??= this.#reads
      .nonceRange()
      .then((range) => {
        if (range !== null) this.#lane.nonces.setRange(range);
        return range !== null;
      })
      .finally(() => {
        this.#rangeRead = null;
      });
    return this.#rangeRead;
  }

  /** At the day's change; if the exchange does not say, the documented rule does: the UTC day in microseconds. */
  async #refreshRange(): Promise<void> {
    if (await this.#readRange()) return;
    this.#lane.nonces.setRange(nonceRangeOfDay(this.#options.now()));
    this.#options.log('warn', 'the nonce range could not be read; the UTC day is used', {});
  }

  #openStreams(): void {
    const { auctionSymbols, timeouts, tradingAccountIds } = this.#options;
    const silent = (feed: string): void =>
      this.#options.onAlarm('privateStreamSilent', `the ${feed} stream was silent for too long`, { feed });
    const privateTopics = ['orders', 'trades'];
    const perAccount = tradingAccountIds.flatMap((tradingAccountId) =>
      privateTopics.map((topic): Subscription => ({ topic, tradingAccountId })),
    );
    const beside = tradingAccountIds.flatMap((tradingAccountId) =>
      (this.#options.privateTopics ?? []).map((topic): Subscription => ({ topic, tradingAccountId })),
    );
    this.#add({
      name: 'private-data stream',
      path: '/trading-api/v1/private-data',
      token: () => this.#streamToken(),
      subscriptions: () => [...perAccount, { topic: 'heartbeat' }, ...beside],
      snapshotsDue: () => perAccount.length + beside.length,
      silenceMs: timeouts.heartbeatMs,
      onFrame: (frame) => this.#privateFrame(frame),
      onLive: (live) => {
        this.#privateLive = live;
        if (!live) this.#memory.forgetOpen();
        this.onEvent({ kind: 'feed', feed: 'private', live });
      },
      onSilence: () => silent('private-data'),
    });
    const auctions = this.#markets
      .filter(
        ({ auctionEnabled, symbol }) => auctionEnabled && (auctionSymbols === 'all' || auctionSymbols.includes(symbol)),
      )
      .flatMap(({ symbol }): Subscription[] => [
        { topic: 'phase', symbol },
        { topic: 'noii', symbol },
      ]);
    if (auctions.length > 0) {
      this.#add({
        name: 'auction stream',
        path: '/trading-api/v1/market-data/auction',
        token: () => Promise.resolve(null),
        subscriptions: () => auctions,
        snapshotsDue: () => auctions.length,
        // Phases can be hours apart: only missing pongs say that the connection is gone.
        silenceMs: Number.POSITIVE_INFINITY,
        onFrame: (frame) => this.#auctionFrame(frame),
        onLive: (live) => this.onEvent({ kind: 'feed', feed: 'auction', live }),
        onSilence: () => {},
      });
    }
    this.#followPrices();
  }

  #followPrices(): void {
    const symbols =
      this.#options.referenceSymbols ??
      this.#markets
        .filter(({ marketType, marketEnabled }) => marketType !== 'OPTION' && marketEnabled)
        .slice(0, REFERENCE_SYMBOLS_MAX)
        .map(({ symbol }) => symbol);
    if (symbols.length === 0) return;
    for (const symbol of symbols) void this.#firstPrice(symbol);
    let live = false;
    this.#add({
      name: 'tick stream',
      path: '/trading-api/v1/market-data/tick',
      token: () => Promise.resolve(null),
      subscriptions: () => symbols.map((symbol) => ({ topic: 'tick', symbol })),
      snapshotsDue: () => 0,
      silenceMs: Number.POSITIVE_INFINITY,
      onFrame: ({ data }) => {
        for (const item of Array.isArray(data) ? data : [data]) {
          const last = decodeLastPrice(item);
          if (last?.symbol != null) this.#price(last.symbol, last.price);
        }
      },
      onLive: (now) => {
        live = now;
      },
      onSilence: () => {},
    });
    // A quiet market's price is as old as its last trade, not stale: confirmed while the feed is live (rule O12).
    this.#priceTimer = setInterval(() => {
      if (live) for (const [symbol, price] of this.#lastPrices) this.onEvent({ kind: 'referencePrice', symbol, price });
    }, this.#options.timeouts.priceRefreshMs);
  }

  async #firstPrice(symbol: string): Promise<void> {
    const price = await this.#reads.lastPrice(symbol);
    if (price !== null && !this.#lastPrices.has(symbol)) this.#price(symbol, price);
  }

  #price(symbol: string, price: string): void {
    if (this.#closed) return;
    this.#lastPrices.set(symbol, price);
    this.onEvent({ kind: 'referencePrice', symbol, price });
  }

  #add(options: Omit<ConstructorParameters<typeof Stream>[1], 'onUnauthorized'>): void {
    const stream = new Stream(this.#options, {
      ...options,
      onUnauthorized: (token) => void this.#login.replace(token),
    });
    this.#streams.push(stream);
    stream.open();
  }

  async #streamToken(): Promise<string | undefined> {
    const token = this.#login.current ?? (await this.#login.logIn().catch(() => null));
    return token?.token;
  }

  #privateFrame(frame: StreamFrame): void {
    const { dataType, tradingAccountId, data } = frame;
    const source = frame.type === 'snapshot' ? 'snapshot' : 'update';
    for (const item of Array.isArray(data) ? data : [data]) {
      if (dataType === 'V1TAOrder') {
        const order = decodeOrder(item, tradingAccountId);
        if (order !== null) {
          this.#memory.add(order);
          this.onEvent({ kind: 'order', order, source });
        } else this.#notUnderstood(dataType, item);
      } else if (dataType === 'V1TATrade') {
        const trade = decodeTrade(item, tradingAccountId);
        if (trade !== null) this.onEvent({ kind: 'trade', trade, source });
        else this.#notUnderstood(dataType, item);
      } else if (dataType === 'V1TAErrorResponse') {
        const notice = decodeErrorNotice(item, tradingAccountId);
        if (notice !== null) this.onEvent({ kind: 'errorNotice', notice });
      }
    }
    // Orders first (rule B4): what re-serves the stream gets the frame when the reports are on their way.
    this.onFrame('private', frame);
  }

  #auctionFrame(frame: StreamFrame): void {
    this.onFrame('auction', frame);
    if (frame.dataType !== 'V1TAAuctionPhase') return;
    for (const item of Array.isArray(frame.data) ? frame.data : [frame.data]) {
      const phase = decodePhase(item);
      if (phase !== null) this.onEvent({ kind: 'phase', phase });
      else this.#notUnderstood(frame.dataType, item);
    }
  }

  #notUnderstood(dataType: string, item: unknown): void {
    const orderId = toText(toObject(item)?.orderId);
    this.#options.log('error', 'an entry of a stream is not understood and was left out', { dataType, orderId });
  }
}
