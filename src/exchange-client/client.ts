// The exchange port over HTTP and WebSocket: joins login, commands, reads and streams, and closes the questions between
// them (nonce range of the day, a lost outcome, whether a feed is live). Its parts stand in their own files.

import { CrossgateError } from '../base/errors.ts';
import {
  type AccountCommand,
  accountCommand,
  type CommandOutcome,
  type EndpointName,
  type EndpointQuestion,
  type ExchangeCommand,
  type ExchangeEvent,
  type ExchangeOrder,
  type ExchangePort,
  encodeQuestion,
  type LookupOutcome,
  type Market,
  type MarketDataEvent,
  type MarketDataPort,
  type MarketTopic,
  nonceRangeOfDay,
  type OrderLookup,
  type RawCommand,
} from '../exchange/mod.ts';
import { CommandLane, type CommandResult } from './commands/command-lane.ts';
import { priorityOf } from './commands/command-order.ts';
import { CommandWays } from './commands/command-ways.ts';
import { ExchangeClock } from './exchange-clock.ts';
import { createSigner } from './login/credential.ts';
import { ExchangeLogin } from './login/login.ts';
import { type ExchangeClientOptions, type ResolvedOptions, resolveOptions } from './options.ts';
import { rateAlarm } from './rates/rate-alarm.ts';
import { RateBudget } from './rates/rate-budget.ts';
import { cancelsAmongOrders, categoryOf } from './rates/rate-category.ts';
import { HttpOrigin } from './reads/http.ts';
import { MarketList } from './reads/market-list.ts';
import type { ReadResult } from './reads/read-answers.ts';
import { Reads } from './reads/reads.ts';
import { ReferencePrices } from './reads/reference-prices.ts';
import { ServiceWatch } from './service-watch.ts';
import { AuctionFeed } from './streams/auction-feed.ts';
import type { MarketFrameListener } from './streams/last-frames.ts';
import { MarketFollowers } from './streams/market-followers.ts';
import { MarketStreams } from './streams/market-streams.ts';
import { PrivateFeed } from './streams/private-feed.ts';
import type { StreamFrame } from './streams/subscription.ts';

/** For logins, their ends, and questions for the time. */
const LOGIN_CONNECTIONS = 3;

/** Fences sent for one look-up before it is given up for this time. */
const FENCES_MAX = 2;

/** The port, and the bridge's additional needs. */
export interface ExchangeClient extends ExchangePort, MarketDataPort {
  /** Ask an endpoint of the exchange by its name, in the bridge's share of the rate. `body`: of those that take one, as JSON. */
  call<N extends EndpointName>(name: N, question: EndpointQuestion<N>, body?: unknown): Promise<ReadResult>;
  /** GET a target (path with query) with this login, in the bridge's share of the rate (rule B4). */
  get(target: string): Promise<ReadResult>;
  /** POST a question that needs no signature (a margin simulation), in the bridge's share of the rate. */
  post(target: string, body: string): Promise<ReadResult>;
  /**
   * Send a command other than an order's and return the exchange's own answer beside its outcome. `barred` is asked when its
   * turn has come: why it must not leave any more, or null.
   */
  send(commandId: string, command: RawCommand | AccountCommand, barred?: () => string | null): Promise<CommandResult>;
  /** When the login's token ends; null without one, or where it does not say. */
  tokenExpiresAt(): number | null;
  /** Say the reference price of this market from now on, besides those that are followed anyway. */
  followPrice(symbol: string): void;
  /** Hear a private topic beside those of orders, such as `assetAccounts`, by `onFrame`, until it is unfollowed. */
  followTopic(topic: string, tradingAccountId: string): void;
  unfollowTopic(topic: string, tradingAccountId: string): void;
  /**
   * Hear the frames of a public topic of a subject by `marketListener`, until it is unfollowed. Its present state, where it
   * is known already; false where more subjects are followed than a client may.
   */
  followFrames(topic: MarketTopic, subject: string): { readonly last: StreamFrame | null } | false;
  unfollowFrames(topic: MarketTopic, subject: string): void;
  /** Hears the frames of the public feeds; set before `start`. */
  marketListener: MarketFrameListener | null;
  /** Receive every data frame of the private and the auction feed, for re-serving them. */
  onFrame: (feed: 'private' | 'auction', frame: StreamFrame) => void;
  /** A connection of that feed begins: its state is repeated, or over. */
  onConnect: (feed: 'private' | 'auction') => void;
  /** The exchange refuses a private topic of an account; that of a connection that has begun. */
  onTopicRefused: (topic: string, tradingAccountId: string | null) => void;
}

/** Make a client; nothing is contacted before `start`. @throws CrossgateError XG_CONFIG_INVALID for an unusable key */
export function createExchangeClient(options: ExchangeClientOptions): ExchangeClient {
  return new HttpExchangeClient(resolveOptions(options));
}

class HttpExchangeClient implements ExchangeClient {
  onEvent: (event: ExchangeEvent) => void = () => {};
  onMarketData: (event: MarketDataEvent) => void = () => {};
  onFrame: (feed: 'private' | 'auction', frame: StreamFrame) => void = () => {};
  onConnect: (feed: 'private' | 'auction') => void = () => {};
  onTopicRefused: (topic: string, tradingAccountId: string | null) => void = () => {};
  readonly #options: ResolvedOptions;
  readonly #commandHttp: CommandWays;
  /**
   * Separate, because an unanswered request occupies its connection: without a login no cancel leaves, and our reads go
   * before the bridge's.
   */
  readonly #loginHttp: HttpOrigin;
  readonly #readHttp: HttpOrigin;
  readonly #bridgeHttp: HttpOrigin;
  readonly #login: ExchangeLogin;
  readonly #budget: RateBudget;
  readonly #lane: CommandLane;
  readonly #reads: Reads;
  readonly #bridgeReads: Reads;
  readonly #private: PrivateFeed;
  readonly #marketStreams: MarketStreams;
  readonly #prices: ReferencePrices;
  readonly #clock: ExchangeClock;
  readonly #followers: MarketFollowers;
  /** Accounts that could not be read when last tried. */
  readonly #gaps = new Set<string>();
  readonly #auctions: AuctionFeed;
  readonly #markets: MarketList;
  readonly #watch = new ServiceWatch();
  #rangeRead: Promise<boolean> | null = null;
  #isOpen = false;
  #isPublicOpen = false;
  #closed = false;

  constructor(options: ResolvedOptions) {
    this.#options = options;
    const { baseUrl, settings, timeouts, rates } = options;
    const { connectMs, requestMs } = timeouts;
    const tls = options.tls ?? {};
    const perCommand = { connections: settings.connectionsMax, connectMs, requestMs, tls };
    this.#commandHttp = new CommandWays(baseUrl, perCommand, this.#watch);
    this.#loginHttp = new HttpOrigin(baseUrl, { connections: LOGIN_CONNECTIONS, connectMs, requestMs, tls });
    this.#readHttp = new HttpOrigin(baseUrl, { connections: settings.readConnectionsMax, connectMs, requestMs, tls });
    this.#bridgeHttp = new HttpOrigin(baseUrl, { connections: settings.readConnectionsMax, connectMs, requestMs, tls });
    const signer = createSigner(options.credential, {
      prehash: options.prehash,
      loginUserId: settings.loginUserId,
      onSignerFailure: (text) => options.onAlarm('signer-failed', text, {}),
    });
    const budget = new RateBudget(
      rates,
      options,
      options.addressBudget,
      cancelsAmongOrders(options),
      rateAlarm(options),
    );
    this.#budget = budget;
    this.#clock = new ExchangeClock(options, this.#loginHttp, budget);
    const clock = this.#clock;
    this.#login = new ExchangeLogin({ options, signer, http: this.#loginHttp, budget, clock });
    this.#lane = new CommandLane({
      options,
      signer,
      login: this.#login,
      http: this.#commandHttp,
      budget,
      clock,
      readRange: () => this.#refreshRange(),
    });
    this.#reads = new Reads(options, this.#login, this.#readHttp, budget, this.#watch);
    this.#bridgeReads = new Reads(options, this.#login, this.#bridgeHttp, budget);
    const onEvent = (event: ExchangeEvent): void => this.onEvent(event);
    this.#private = new PrivateFeed({
      options,
      login: this.#login,
      onEvent,
      onFrame: (frame) => this.onFrame('private', frame),
      onConnect: () => this.onConnect('private'),
      onRefused: ({ topic, tradingAccountId = null }) => this.onTopicRefused(topic, tradingAccountId),
    });
    this.#marketStreams = new MarketStreams(options, (event) => this.#marketEvent(event));
    this.#followers = new MarketFollowers(this.#marketStreams);
    this.#prices = new ReferencePrices(options, { streams: this.#marketStreams, reads: this.#reads }, onEvent);
    this.#auctions = new AuctionFeed({
      options,
      onEvent,
      onMarketData: (event) => this.onMarketData(event),
      onFrame: (frame) => this.onFrame('auction', frame),
      onConnect: () => this.onConnect('auction'),
    });
    this.#markets = new MarketList(options, this.#reads, (markets) => this.#marketsChanged(markets));
    this.#login.onRenewed = () => this.#private.handOver();
  }

  followTopic(topic: string, tradingAccountId: string): void {
    this.#private.follow(topic, tradingAccountId);
  }

  unfollowTopic(topic: string, tradingAccountId: string): void {
    this.#private.unfollow(topic, tradingAccountId);
  }

  async start(): Promise<void> {
    try {
      // Retried after a later failure; an existing login stays in use, because logins are few (exchange reference §5,
      // 8400).
      if (this.#login.current === null) await this.#login.logIn();
    } catch (error) {
      // The exchange is there: auctions and prices are public, and orders of other logins may wait for them.
      const isRefused = error instanceof CrossgateError && error.code === 'XG_EXCHANGE_LOGIN_FAILED';
      if (isRefused && !this.#isPublicOpen && (await this.#markets.read())) this.#openPublic();
      throw error;
    }
    if (!(await this.#readRange())) {
      throw new CrossgateError('XG_EXCHANGE_ANSWER_INVALID', 'the nonce range could not be read from the exchange');
    }
    if (!(await this.#markets.read())) {
      throw new CrossgateError('XG_EXCHANGE_ANSWER_INVALID', 'the markets could not be read from the exchange');
    }
    await this.#readRateLimitTokens();
    this.#openPublic();
    if (this.#isOpen || this.#closed) return;
    this.#isOpen = true;
    this.#private.open();
    this.#clock.start();
  }

  markets(): readonly Market[] {
    return this.#markets.all;
  }

  obstacle(): string | null {
    return this.#watch.obstacle ?? this.#private.obstacle;
  }

  tokenExpiresAt(): number | null {
    return this.#login.expiresAt;
  }

  pastMarkets(): readonly Market[] {
    return this.#markets.past;
  }

  async submit(commandId: string, command: ExchangeCommand, sharer?: string, atOnce = false): Promise<CommandOutcome> {
    return (await this.#lane.submit({ commandId, command, priority: priorityOf(command), sharer, atOnce })).outcome;
  }

  send(
    commandId: string,
    command: RawCommand | AccountCommand,
    barred: (() => string | null) | null = null,
  ): Promise<CommandResult> {
    const raw = command.kind === 'raw' ? command : accountCommand(command, this.#options.dialect);
    return this.#lane.submit({ commandId, command: raw, priority: 'bridge', barred });
  }

  call<N extends EndpointName>(name: N, question: EndpointQuestion<N>, body?: unknown): Promise<ReadResult> {
    const { method, access, target } = encodeQuestion(name, question);
    const asked = { method, target, body: body === undefined ? null : JSON.stringify(body) };
    const category = access === 'public' ? 'public' : categoryOf(target);
    return this.#bridgeReads.ask(asked, category, { priority: 'bridge' });
  }

  get(target: string): Promise<ReadResult> {
    return this.#bridgeReads.get(target, categoryOf(target), 'bridge');
  }

  post(target: string, body: string): Promise<ReadResult> {
    return this.#bridgeReads.ask({ method: 'POST', target, body }, categoryOf(target), { priority: 'bridge' });
  }

  subscribe(topic: MarketTopic, subject: string): boolean {
    const taken = !this.#closed && this.#followers.subscribe(topic, subject);
    if (taken === false) return false;
    if (taken.tick !== null) this.onMarketData({ kind: 'tick', tick: taken.tick });
    return true;
  }

  unsubscribe(topic: MarketTopic, subject: string): void {
    this.#followers.unsubscribe(topic, subject);
  }

  get marketListener(): MarketFrameListener | null {
    return this.#marketStreams.listener;
  }

  set marketListener(listener: MarketFrameListener | null) {
    this.#marketStreams.listener = listener;
  }

  followFrames(topic: MarketTopic, subject: string): { readonly last: StreamFrame | null } | false {
    if (this.#closed || !this.#marketStreams.subscribe(topic, subject)) return false;
    return { last: this.#marketStreams.lastFrame(topic, subject) };
  }

  unfollowFrames(topic: MarketTopic, subject: string): void {
    this.#marketStreams.unsubscribe(topic, subject);
  }

  followPrice(symbol: string): void {
    if (!this.#closed) this.#prices.ask(symbol);
  }

  async lookup(lookup: OrderLookup): Promise<LookupOutcome> {
    const { tradingAccountId, clientOrderId, commandId } = lookup;
    const { nonces, recoveredCeiling } = this.#lane;
    // Without a commandId an earlier process sent it; without a nonce its nonce is unknown.
    const upTo = commandId === null ? recoveredCeiling : (this.#lane.nonceOf(commandId) ?? nonces.last);
    const turn = this.#options.addressBudget.lookups.next(tradingAccountId);
    let hasWaited = false;
    // Rule U2: absent for good only if nothing can still arrive, and a live stream has not said otherwise.
    const isAgreed = (): boolean =>
      this.#private.isLive && !this.#private.memory.hasSeen(tradingAccountId, clientOrderId);
    const canDecide = (): boolean =>
      (hasWaited || this.#lane.isSettled(upTo)) && (lookup.ofRequest === true || isAgreed());
    for (let fences = 0; ; ) {
      const { order, decides } = await this.#reads.order(lookup, turn, canDecide);
      if (order === null) return { kind: 'failed', message: 'the exchange could not be asked' };
      // An open order leaves open whether a request can still be carried out; any other answer is one.
      if (order !== 'absent' && (lookup.ofRequest !== true || order.status !== 'OPEN'))
        return await this.#found(order, turn);
      const answer = (final: boolean): LookupOutcome | Promise<LookupOutcome> =>
        order === 'absent' ? { kind: 'absent', final } : this.#found(order, turn, final);
      const agreed = order !== 'absent' || isAgreed();
      if (decides || hasWaited || !agreed) return await answer(decides && agreed);
      if (!nonces.isFenced(upTo) && (fences++ >= FENCES_MAX || !(await this.#fence(upTo, tradingAccountId)))) {
        return await answer(false);
      }
      // Reads lag behind acknowledgements: the look that decides comes this long after the fence.
      await new Promise((resolve) => setTimeout(resolve, this.#options.timeouts.settleMs));
      hasWaited = nonces.isFenced(upTo);
    }
  }

  async recent(tradingAccountId: string): ReturnType<ExchangePort['recent']> {
    const recent = await this.#reads.recent(tradingAccountId);
    if (recent === null) {
      // It is tried again and again; said once, until it succeeds.
      if (!this.#closed && !this.#gaps.has(tradingAccountId)) {
        this.#gaps.add(tradingAccountId);
        const text = 'events missed while the private stream was away could not be read; the read is repeated';
        this.#options.onAlarm('gap-not-closed', text, { tradingAccountId });
      }
      return null;
    }
    this.#gaps.delete(tradingAccountId);
    const older = this.#private.memory.openBeside(recent.orders, tradingAccountId);
    return { orders: [...recent.orders, ...older], trades: recent.trades };
  }

  hold(isHeld: boolean): void {
    this.#private.hold(isHeld);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#clock.close();
    this.#markets.close();
    this.#prices.close();
    this.#marketStreams.close();
    this.#auctions.close();
    this.#private.close();
    this.#lane.close();
    this.#budget.close();
    await this.#login.logOut();
    this.#commandHttp.close();
    await Promise.all([this.#loginHttp.close(), this.#readHttp.close(), this.#bridgeHttp.close()]);
  }

  async #found(order: ExchangeOrder, turn: number, final = false): Promise<LookupOutcome> {
    const trades = await this.#reads.trades(order, turn);
    if (trades === null) return { kind: 'failed', message: 'the trades of the order could not be read' };
    return { kind: 'found', order, trades, final, clockOffsetMs: this.#clock.offsetMs };
  }

  /** A cancel of an order that cannot exist: its acknowledgement makes every nonce far enough below it impossible (rule X6). */
  async #fence(nonce: bigint, tradingAccountId: string): Promise<boolean> {
    const symbol = this.#markets.all[0]?.symbol;
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
    await this.#lane.submit({ commandId: `fence-${nonce}`, command, priority: 'cancel', above });
    return this.#lane.nonces.isFenced(nonce);
  }

  async #readRateLimitTokens(): Promise<void> {
    if (!this.#options.settings.rateLimitToken) return;
    const tokens = await this.#reads.rateLimitTokens();
    if (tokens !== null) this.#lane.rateLimitTokens = tokens;
    else this.#options.log('warn', 'the rate limit tokens could not be read; commands go without them', {});
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

  #openPublic(): void {
    if (this.#isPublicOpen || this.#closed) return;
    this.#isPublicOpen = true;
    this.#markets.start();
    this.#auctions.follow(this.#markets.all);
    this.#prices.open(this.#markets.all);
  }

  #marketsChanged(markets: readonly Market[]): void {
    this.onEvent({ kind: 'markets', markets });
    this.#auctions.follow(markets);
    this.#prices.follow(markets);
  }

  #marketEvent(event: MarketDataEvent): void {
    if (this.#closed) return;
    this.#prices.take(event);
    // The gateway hears nothing that only the reference prices or the bridge follow.
    if (this.#followers.isGateways(event)) this.onMarketData(event);
  }
}
