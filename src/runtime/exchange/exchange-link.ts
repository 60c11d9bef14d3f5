// One exchange login as the engine sees it: submits commands, asks for orders, reconciles accounts after every (re)connect,
// and turns what the exchange says into gateway inputs. How HTTP and streams work is exchange-client's.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EngineLog } from '../../engine/mod.ts';
import { type CommandOutcome, type ExchangeEvent, type ExchangePort, refusedHere } from '../../exchange/mod.ts';
import type { GatewayEffect, GatewayInput } from '../../gateway/mod.ts';
import type { CredentialConfig } from '../gateway-config.ts';
import { LaterTrades } from './later-trades.ts';

type Submit = Extract<GatewayEffect, { kind: 'submit' }>;
type Lookup = Extract<GatewayEffect, { kind: 'lookup' }>;
type RecentOfAccount = NonNullable<Awaited<ReturnType<ExchangePort['recent']>>>;

/** Commands kept while the login is not up yet: cancels only, since an order must not wait in the dark (rule O4). */
const WAITING_MAX = 10_000;
const START_RETRY_FIRST_MS = 500;
const START_RETRY_MAX_MS = 15_000;
const RECONCILE_RETRY_MS = 2_000;
/** Entries of a comparison taken in one turn of the event loop: each order that ended long ago is looked for in files. */
const RECONCILED_IN_A_TURN = 10;
/** Fills wait no longer for older ones that are being read. */
const LATER_TRADES_MS = 1_000;

export interface ExchangeLinkOptions {
  readonly credential: CredentialConfig;
  readonly port: ExchangePort;
  readonly input: (input: GatewayInput) => void;
  readonly alarm: (alarm: string, text: string, fields: Readonly<Record<string, string>>) => void;
  readonly log: EngineLog;
  /** Whether the answer to a look-up is needed still. */
  readonly isLookupWanted?: (lookupId: string) => boolean;
  /** Said when a command has its outcome, with the time it took. */
  readonly onOutcome?: (kind: CommandOutcome['kind'], ms: number) => void;
  /** Said when a stream of the exchange becomes live or is gone. */
  readonly onFeed?: (feed: 'private' | 'auction', live: boolean) => void;
  /** Said when an account was compared with the exchange. */
  readonly onReconciled?: () => void;
}

export class ExchangeLink {
  readonly name: string;
  /** Sent commands without an outcome. */
  inFlight = 0;
  /** Logged in, markets known. */
  up = false;
  private readonly options: ExchangeLinkOptions;
  private waiting: Submit[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();
  /**
   * Accounts being read. `overtaken`: the stream came back since the reading began, so that what is read may be older than the
   * gap. `again`: an operator asked meanwhile, perhaps after a newer change.
   */
  private readonly reconciling = new Map<string, 'current' | 'again' | 'overtaken'>();
  /** Accounts that were never compared with the exchange since this process started (rule J3). */
  private readonly unreconciled: Set<string>;
  private readonly laterTrades: LaterTrades;
  private readonly reconciledWaiters: (() => void)[] = [];
  private closed = false;
  /** Nothing of the exchange can be recorded now: what is asked of it waits. */
  private isHeld = false;
  private heldLookups: Lookup[] = [];
  private startRetryMs = START_RETRY_FIRST_MS;
  /** Why the login failed last. */
  private startFailure: string | null = null;

  constructor(options: ExchangeLinkOptions) {
    this.options = options;
    this.name = options.credential.name;
    this.unreconciled = new Set(options.credential.tradingAccountIds);
    this.laterTrades = new LaterTrades(options.input);
    options.port.onEvent = (event) => this.event(event);
  }

  /** Log in; on failure say so and keep trying, so that FIX sessions work while the exchange does not. Resolves after the first try. */
  async start(): Promise<void> {
    const { port, input, log, credential } = this.options;
    try {
      await port.start();
    } catch (error) {
      if (this.closed) return;
      const reason = error instanceof Error ? error.message : String(error);
      const text = `the exchange cannot be used: ${reason}`;
      // Tried every few seconds: each reason is an alarm once, not thousands of times in a night.
      if (reason === this.startFailure) log('warn', text, { credential: this.name });
      else this.options.alarm('exchange-login-failed', text, { credential: this.name });
      this.startFailure = reason;
      this.after(this.startRetryMs, () => void this.start());
      this.startRetryMs = Math.min(this.startRetryMs * 2, START_RETRY_MAX_MS);
      return;
    }
    if (this.closed) return;
    this.startRetryMs = START_RETRY_FIRST_MS;
    this.up = true;
    log('info', 'exchange login is up', { credential: this.name, accounts: credential.tradingAccountIds.join(' ') });
    const past = port.pastMarkets();
    input({ kind: 'markets', markets: port.markets(), ...(past.length === 0 ? {} : { past }) });
    const waiting = this.waiting;
    this.waiting = [];
    for (const effect of waiting) this.submit(effect);
  }

  /** Resolves once every account was compared with the exchange, at the latest after `limitMs`; false if some was not. */
  async reconciled(limitMs: number): Promise<boolean> {
    if (this.unreconciled.size === 0) return true;
    await new Promise<void>((resolve) => {
      this.reconciledWaiters.push(resolve);
      this.after(limitMs, resolve);
    });
    return this.unreconciled.size === 0;
  }

  submit(effect: Submit): void {
    if (!this.up && !this.closed) {
      this.keep(effect);
      return;
    }
    this.inFlight++;
    const begun = performance.now();
    const sharer = effect.isOneOfMany === true ? `${effect.sessionId} (many)` : effect.sessionId;
    this.options.port.submit(effect.commandId, effect.command, sharer, effect.isAtOnce).then(
      (outcome) => this.outcome(effect, outcome, begun),
      // The port promises not to reject; if it does, the command's arrival is unknown.
      (error: unknown) => this.outcome(effect, { kind: 'unknown', message: String(error) }, begun),
    );
  }

  /**
   * Bring nothing that would have to be recorded until that is over: neither what the exchange says by itself nor answers to
   * questions; every order has one at most. Commands go out, and their answers come.
   */
  hold(isHeld: boolean): void {
    if (this.isHeld === isHeld || this.closed) return;
    this.isHeld = isHeld;
    this.options.port.hold(isHeld);
    // They are read again when the stream is back.
    this.laterTrades.forget();
    if (isHeld) return;
    const held = this.heldLookups;
    this.heldLookups = [];
    for (const effect of held) this.lookup(effect);
  }

  lookup(effect: Lookup): void {
    if (this.isHeld) {
      this.heldLookups.push(effect);
      return;
    }
    const { port, input } = this.options;
    const { lookupId, tradingAccountId, orderId, clientOrderId, commandId, ofRequest, enteredAt } = effect;
    if (!this.up) {
      this.after(0, () =>
        input({ kind: 'lookedUp', lookupId, outcome: { kind: 'failed', message: 'the exchange login is not up' } }),
      );
      return;
    }
    const isWanted = (): boolean => this.options.isLookupWanted?.(lookupId) !== false;
    port.lookup({ tradingAccountId, orderId, clientOrderId, commandId, ofRequest, enteredAt, isWanted }).then(
      (outcome) => this.unlessClosed(() => input({ kind: 'lookedUp', lookupId, outcome })),
      (error: unknown) =>
        this.unlessClosed(() =>
          input({ kind: 'lookedUp', lookupId, outcome: { kind: 'failed', message: String(error) } }),
        ),
    );
  }

  /** Why orders of this login would not be served now, in words, or null. */
  get obstacle(): string | null {
    return this.options.port.obstacle();
  }

  get tradingAccountIds(): readonly string[] {
    return this.options.credential.tradingAccountIds;
  }

  /**
   * Compare an account with the exchange: on request, or because a session was given it at run time (rule J3). Why that cannot
   * be done now, in words; null if it can. It is done by itself once that is over.
   */
  reconcileAccount(tradingAccountId: string): string | null {
    if (!this.up) return `the exchange login ${this.name} is not up`;
    if (this.isHeld) return "the journal cannot record the exchange's events";
    // The result is used anyway: otherwise requests every minute would never let a long one finish.
    if (this.reconciling.get(tradingAccountId) === 'current') this.reconciling.set(tradingAccountId, 'again');
    if (!this.reconciling.has(tradingAccountId)) void this.reconcile(tradingAccountId);
    return null;
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.laterTrades.forget();
    await this.options.port.close();
  }

  private keep(effect: Submit): void {
    const { kind } = effect.command;
    const carriesRisk = kind === 'createOrder' || kind === 'amendOrder';
    if (!carriesRisk && this.waiting.length < WAITING_MAX) {
      this.waiting.push(effect);
      return;
    }
    this.after(0, () =>
      this.options.input({
        kind: 'outcome',
        commandId: effect.commandId,
        outcome: refusedHere(`the exchange login ${this.name} is not up; the command was not sent`),
      }),
    );
  }

  private outcome(effect: Submit, outcome: CommandOutcome, begun: number): void {
    this.inFlight--;
    this.options.onOutcome?.(outcome.kind, performance.now() - begun);
    this.unlessClosed(() => this.options.input({ kind: 'outcome', commandId: effect.commandId, outcome }));
  }

  private event(event: ExchangeEvent): void {
    if (this.closed) return;
    const { input } = this.options;
    if (event.kind === 'tradesMissed') {
      const end = this.laterTrades.begin(event.tradingAccountId);
      if (end !== null) this.after(LATER_TRADES_MS, end);
      return;
    }
    if (event.kind !== 'feed') {
      if (event.kind !== 'trade' || !this.laterTrades.keeps(event)) input(event);
      return;
    }
    input({ kind: 'feed', credential: this.name, feed: event.feed, live: event.live });
    this.options.onFeed?.(event.feed, event.live);
    // Whatever was missed while the stream was away is read over REST, after every connect (rule J3 for the first).
    if (event.feed === 'private' && event.live) {
      for (const id of this.options.credential.tradingAccountIds) {
        if (this.reconciling.has(id)) this.reconciling.set(id, 'overtaken');
        else void this.reconcile(id);
      }
    }
  }

  private async reconcile(tradingAccountId: string): Promise<void> {
    // The private stream comes back when that is over, and brings it here again.
    if (this.isHeld || this.reconciling.has(tradingAccountId)) return;
    this.reconciling.set(tradingAccountId, 'current');
    const { input, port, log } = this.options;
    const recent = await port.recent(tradingAccountId).catch((error: unknown) => {
      log('error', `the answer to a reconciliation is not understood: ${String(error)}`, { tradingAccountId });
      return null;
    });
    const isTold = recent !== null && (await this.tell(tradingAccountId, recent));
    const became = this.reconciling.get(tradingAccountId);
    this.reconciling.delete(tradingAccountId);
    if (this.closed) return;
    if (became === 'overtaken') {
      void this.reconcile(tradingAccountId);
      return;
    }
    if (recent === null) {
      log('warn', 'an account could not be reconciled with the exchange; trying again', { tradingAccountId });
      this.laterTrades.release(tradingAccountId);
      input({ kind: 'reconciled', tradingAccountId, ok: false });
      this.after(RECONCILE_RETRY_MS, () => void this.reconcile(tradingAccountId));
      return;
    }
    if (!isTold) return;
    input({ kind: 'reconciled', tradingAccountId, ok: true });
    this.options.onReconciled?.();
    this.unreconciled.delete(tradingAccountId);
    if (this.unreconciled.size === 0) for (const resolve of this.reconciledWaiters.splice(0)) resolve();
    if (became === 'again') void this.reconcile(tradingAccountId);
  }

  /** Report the data read of an account; false if it became outdated before all of it was reported. */
  private async tell(tradingAccountId: string, { trades, orders }: RecentOfAccount): Promise<boolean> {
    const { input } = this.options;
    // Trades first: an order that ended is then reported with its fills before its end (rule D6). With the first of them comes the
    // order, which may have been made larger before it was filled.
    const orderOf = new Map(orders.map((order) => [order.orderId, order]));
    const areTold = await this.inTurns(tradingAccountId, trades, (trade) => {
      const order = orderOf.get(trade.orderId);
      orderOf.delete(trade.orderId);
      input({ kind: 'trade', trade, source: 'reconciliation', ...(order === undefined ? {} : { order }) });
    });
    if (!areTold) return false;
    this.laterTrades.release(tradingAccountId);
    return await this.inTurns(tradingAccountId, orders, (order) =>
      input({ kind: 'order', order, source: 'reconciliation' }),
    );
  }

  /** A day may have hundreds of thousands of orders: between a few of them everybody else has a turn. */
  private async inTurns<T>(tradingAccountId: string, items: readonly T[], take: (item: T) => void): Promise<boolean> {
    const isWanted = (): boolean =>
      !this.closed && !this.isHeld && this.reconciling.get(tradingAccountId) !== 'overtaken';
    for (const [i, item] of items.entries()) {
      if (i > 0 && i % RECONCILED_IN_A_TURN === 0) await nextTurn();
      if (!isWanted()) return false;
      take(item);
    }
    return isWanted();
  }

  private after(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.unlessClosed(run);
    }, ms);
    this.timers.add(timer);
  }

  private unlessClosed(run: () => void): void {
    if (!this.closed) run();
  }
}
