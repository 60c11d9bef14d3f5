// Control of the simulated exchange at run time, for tests and demonstrations: faults, auctions, counterparties, restarts.
// The same calls over HTTP are rest-control.ts.

import { Decimal } from '../../base/decimal.ts';
import { CrossgateError } from '../../base/errors.ts';
import type { AuctionPhaseName, OrderSide, OrderTimeInForce, OrderType } from '../../exchange/mod.ts';
import type { Host } from '../host.ts';
import type { Streams } from '../streams/streams.ts';
import { type MarketState, picture } from '../venue/floor.ts';
import type { Liquidity } from '../venue/liquidity.ts';
import { type OrderView, Reason, reasonOf } from '../venue/order.ts';
import type { MarketFlags } from '../venue/venue-event.ts';
import type { AuctionView } from '../venue/venue-view.ts';
import { loadKeys } from '../world/key-files.ts';
import { COUNTERPARTY_ACCOUNT, type World } from '../world/world.ts';
import { checkWorld } from '../world/world-check.ts';
import type {
  AnswerFault,
  FaultSettings,
  Latency,
  RejectionFault,
  StreamFault,
  SubscriptionFault,
  TimedFault,
} from './faults.ts';

/** Timed faults that wait at once. */
const TIMED_MAX = 100;
const WORLD_LISTS = ['assets', 'markets', 'users', 'accounts', 'delegations'] as const;

/** An order of the scripted counterparty. */
export interface CounterpartyOrder {
  readonly symbol: string;
  readonly side: OrderSide;
  /** Null for a market order. */
  readonly price: string | null;
  readonly quantity: string;
  /** Default `IOC`. */
  readonly timeInForce?: OrderTimeInForce;
}

export class Control {
  private readonly host: Host;
  private readonly streams: Streams;
  private readonly liquidity: Liquidity;
  private readonly timed = new Set<NodeJS.Timeout>();

  constructor(host: Host, streams: Streams, liquidity: Liquidity) {
    this.host = host;
    this.streams = streams;
    this.liquidity = liquidity;
  }

  /** Do all due work, after a clock was moved by hand. */
  advance(): void {
    this.host.logins.dropExpired(this.host.runner.now());
    this.host.runner.advance();
  }

  /** Let the counterparty trade at once (IOC); returns the quantity that was filled. */
  trade(symbol: string, side: OrderSide, price: string | null, quantity: string): string {
    return this.counterparty({ symbol, side, price, quantity }).filled;
  }

  /** Place an order of the counterparty; `GTC` rests, `GTX` joins the auction. @throws CrossgateError if it is invalid */
  counterparty(order: CounterpartyOrder): { orderId: string; filled: string } {
    const { spec } = this.market(order.symbol);
    const { runner } = this.host;
    const decimal = (text: string, decimals: number): Decimal => {
      const value = Decimal.parse(text);
      if (value === null || value.significantDecimals() > decimals) {
        throw new CrossgateError('XG_SIMULATOR_INVALID', `"${text}" is not a decimal of at most ${decimals} places`);
      }
      return value.trimmed().withScale(decimals);
    };
    const type: OrderType = order.price === null ? 'MARKET' : 'LIMIT';
    const orderId = runner.floor.identifiers.next(runner.now());
    runner.execute({
      kind: 'create',
      orderId,
      requestId: runner.floor.identifiers.next(runner.now()),
      clientOrderId: null,
      tradingAccountId: COUNTERPARTY_ACCOUNT,
      symbol: order.symbol,
      type,
      side: order.side,
      price: order.price === null ? null : decimal(order.price, spec.pricePrecision),
      stopPrice: null,
      quantity: decimal(order.quantity, spec.quantityPrecision),
      timeInForce: order.timeInForce ?? 'IOC',
      allowBorrow: false,
      auctionId: null,
    });
    let filled = new Decimal(0n, spec.quantityPrecision);
    // Ids rise: the order's own fills come after every trade that is older than the order.
    for (let i = runner.floor.trades.length - 1; i >= 0; i--) {
      const trade = runner.floor.trades[i]!;
      if (BigInt(trade.tradeId) < BigInt(orderId)) break;
      if (trade.orderId === orderId) filled = filled.add(trade.quantity);
    }
    return { orderId, filled: filled.toString() };
  }

  /** The auction of a symbol as it stands. */
  auction(symbol: string): AuctionView {
    return this.auctionOf(symbol).view();
  }

  /** Move a symbol's auction to its next phase now. */
  advanceAuction(symbol: string): AuctionView {
    this.auctionOf(symbol);
    this.host.runner.execute({ kind: 'advanceAuction', symbol });
    return this.auction(symbol);
  }

  /** Move a symbol's auction on until it is in `phase`. */
  toPhase(symbol: string, phase: AuctionPhaseName): AuctionView {
    // Four phases: at most four steps lead to any of them.
    for (let step = 0; step < 4 && this.auction(symbol).phase !== phase; step++) this.advanceAuction(symbol);
    return this.auction(symbol);
  }

  postponeAuction(symbol: string, byMs: number, message: string): AuctionView {
    this.auctionOf(symbol);
    this.host.runner.execute({ kind: 'postponeAuction', symbol, byMs, message });
    return this.auction(symbol);
  }

  /** End an order that its owner did not cancel; default reason 3020, unsolicited cancel. */
  cancelOrder(orderId: string, reason: number = Reason.unsolicitedCancel): void {
    const known = reasonOf(reason);
    if (known === null) throw new CrossgateError('XG_SIMULATOR_INVALID', `${reason} is not a reason code`);
    this.host.runner.execute({ kind: 'forceCancel', orderId, reason: known });
  }

  /** Change the quantity of an order as its owner does on the exchange's page; one that cannot be amended stays as it is. */
  amendOrder(orderId: string, quantity: string): void {
    const { runner } = this.host;
    const order = runner.floor.orders.get(orderId);
    if (order === undefined) throw new CrossgateError('XG_SIMULATOR_INVALID', `no order ${orderId}`);
    const { tradingAccountId, market } = order;
    runner.execute({
      kind: 'amend',
      requestId: runner.floor.identifiers.next(runner.now()),
      tradingAccountId,
      symbol: market.symbol,
      orderId,
      clientOrderId: null,
      type: null,
      price: null,
      quantity: Decimal.of(quantity).trimmed().withScale(market.quantityPrecision),
    });
  }

  setMarket(symbol: string, flags: Partial<MarketFlags>): void {
    this.market(symbol);
    this.host.runner.execute({ kind: 'setMarket', symbol, flags });
  }

  /** @throws CrossgateError for an asset that is not listed, or a price that is not positive */
  setIndexPrice(asset: string, price: string): void {
    const { runner } = this.host;
    const value = Decimal.parse(price);
    if (runner.floor.asset(asset) === null || value === null || !value.isPositive()) {
      throw new CrossgateError('XG_SIMULATOR_INVALID', `no asset "${asset}", or "${price}" is no positive decimal`);
    }
    runner.execute({ kind: 'setIndexPrice', asset, price: value });
  }

  /** An order as the venue holds it, or null. */
  order(orderId: string): OrderView | null {
    const order = this.host.runner.floor.orders.get(orderId);
    return order === undefined ? null : picture(order);
  }

  /** Open orders of an account. */
  openOrders(tradingAccountId: string): OrderView[] {
    return this.host.runner.floor.openOrders(tradingAccountId).map(picture);
  }

  armAnswer(fault: AnswerFault): void {
    this.host.faults.armAnswer(fault);
  }

  armStream(fault: StreamFault): void {
    this.host.faults.armStream(fault);
  }

  /** Let subscriptions be refused or ignored. */
  armSubscription(fault: SubscriptionFault): void {
    this.host.faults.armSubscription(fault);
  }

  /** Let the venue refuse the next orders after acknowledging them. */
  armRejection(fault: RejectionFault): void {
    this.host.faults.armRejection(fault);
  }

  /** Arm everything that is given. */
  arm(settings: FaultSettings): void {
    this.host.faults.armAll(settings);
    if (settings.globalBreach !== undefined) this.setGlobalBreach(settings.globalBreach);
    if (settings.clockOffsetMs !== undefined) this.setClockOffset(settings.clockOffsetMs);
    for (const fault of settings.timed ?? []) this.armTimed(fault);
  }

  /** Let something befall the whole exchange after a time, by real time. */
  armTimed(fault: TimedFault): void {
    if (this.timed.size >= TIMED_MAX) return;
    let left = fault.times ?? 1;
    const timer = setInterval(() => {
      if (--left <= 0) this.disarm(timer);
      this.befall(fault);
    }, fault.everyMs);
    timer.unref();
    this.timed.add(timer);
  }

  /** Let no timed fault come any more. */
  disarmTimed(): void {
    for (const timer of this.timed) this.disarm(timer);
  }

  setLatency(latency: Latency | null): void {
    this.host.faults.latency = latency;
  }

  /** Keep all streams open but silent, or resume them; events in between are not sent later. */
  silenceStreams(silent: boolean): void {
    this.host.faults.streamsSilent = silent;
  }

  /** Take no notice of commands from now on: they wait. */
  holdCommands(): void {
    this.host.faults.commands.hold();
  }

  /** Take those that wait and all that come, or only `count` of them. */
  releaseCommands(count: number | null = null): void {
    this.host.faults.commands.release(count);
  }

  /** Answer every limited request with a global rate limit breach, or stop doing so. */
  setGlobalBreach(breach: boolean): void {
    this.host.limits.globalBreach = breach;
  }

  /** Let the exchange's clock differ from its clients'; a step back repeats times, but never ids. */
  setClockOffset(offsetMs: number): void {
    this.host.runner.setClockOffset(offsetMs);
  }

  /** Take all faults and blocks back. */
  clearFaults(): void {
    this.setClockOffset(0);
    this.disarmTimed();
    this.host.faults.clear();
    this.host.limits.clear();
  }

  /** Cut connections of streams without a close frame. */
  cutStreams(which: 'private' | 'public' | 'all' = 'all'): void {
    this.streams.cut((socket) => which === 'all' || (socket.login !== null) === (which === 'private'));
  }

  /** End all logins, or those of one key, as if their time were over. */
  expireLogins(keyName: string | null = null): void {
    this.host.logins.endAll(keyName);
  }

  /** Add to the world while it runs. Keys of a new user are generated like those of the first ones. @throws CrossgateError */
  extendWorld(more: Partial<World>): void {
    const { runner, keys, settings } = this.host;
    const { world } = runner.floor;
    const whole = Object.fromEntries(
      WORLD_LISTS.map((list) => [list, [...world[list], ...(more[list] ?? [])]]),
    ) as unknown as World;
    checkWorld(whole);
    for (const asset of more.assets ?? []) runner.execute({ kind: 'addAsset', asset });
    for (const market of more.markets ?? []) runner.execute({ kind: 'addMarket', market });
    for (const user of more.users ?? []) runner.execute({ kind: 'addUser', user });
    for (const account of more.accounts ?? []) runner.execute({ kind: 'addAccount', account });
    for (const delegation of more.delegations ?? []) runner.execute({ kind: 'addDelegation', delegation });
    for (const [name, key] of loadKeys(whole, settings.keysDirectory)) if (!keys.has(name)) keys.set(name, key);
  }

  /** Pay into an account from outside, or with a negative amount out of it. @throws CrossgateError if it is unknown */
  fund(tradingAccountId: string, asset: string, quantity: string): void {
    const { floor } = this.host.runner;
    const amount = Decimal.parse(quantity);
    const spec = floor.asset(asset);
    if (floor.ledger.account(tradingAccountId) === null || spec === null || amount === null) {
      throw new CrossgateError('XG_SIMULATOR_INVALID', 'no such account or asset, or the amount is no decimal');
    }
    if (amount.significantDecimals() > spec.precision) {
      throw new CrossgateError('XG_SIMULATOR_INVALID', `${asset} has ${spec.precision} decimals`);
    }
    this.host.runner.execute({ kind: 'fund', tradingAccountId, asset, quantity: amount });
  }

  /** Money arrives from an address, as custody sees it. @throws CrossgateError if account or asset are unknown */
  deposit(tradingAccountId: string, asset: string, network: string, quantity: string, address: string): void {
    const { floor } = this.host.runner;
    const amount = Decimal.parse(quantity);
    const account = floor.ledger.account(tradingAccountId);
    if (account === null || floor.asset(asset) === null || amount?.isPositive() !== true) {
      throw new CrossgateError('XG_SIMULATOR_INVALID', 'no such account or asset, or the amount is not positive');
    }
    const { user } = account;
    this.host.runner.execute({ kind: 'deposit', user, tradingAccountId, asset, network, quantity: amount, address });
  }

  /** Switch custody of an asset off, or on again. */
  setCustody(asset: string, enabled: boolean): void {
    this.host.runner.execute({ kind: 'setCustody', asset, enabled });
  }

  /** Put the bank of a withdrawal destination on the restricted list, or take it off. */
  restrictBank(destinationId: string, restricted: boolean): void {
    this.host.runner.execute({ kind: 'restrictBank', destinationId, restricted });
  }

  /** Keep OTC pairs at RISK_PENDING, or let them through. */
  holdOtc(hold: boolean): void {
    this.host.runner.execute({ kind: 'otcHold', hold });
  }

  /** Faults that are armed: those that have not hit yet and those that last. */
  get armedFaults(): number {
    const { faults, limits, runner } = this.host;
    const lasting = [limits.globalBreach, runner.clockOffsetMs !== 0].filter(Boolean).length;
    return faults.armed + this.timed.size + lasting;
  }

  /** Let moving liquidity take its next step now. */
  stepLiquidity(): void {
    this.liquidity.step();
  }

  /** Logins that are open. */
  get logins(): number {
    return this.host.logins.size;
  }

  /** Connected streams. */
  get streamCount(): number {
    return this.streams.count;
  }

  /** Those of them that hang on a login. */
  get privateStreamCount(): number {
    return this.streams.privateCount;
  }

  /** As a restarted exchange: logins and streams are gone, and with `memory` false all orders too. */
  restart(memory: boolean): void {
    this.expireLogins();
    this.streams.cut();
    if (memory) return;
    this.host.runner.restart();
    this.liquidity.start();
  }

  private befall(fault: TimedFault): void {
    switch (fault.what) {
      case 'cutStreams':
        this.cutStreams(fault.which);
        return;
      case 'expireLogins':
        this.expireLogins(fault.key);
        return;
      case 'restart':
        this.restart(fault.memory);
        return;
    }
  }

  private disarm(timer: NodeJS.Timeout): void {
    clearInterval(timer);
    this.timed.delete(timer);
  }

  private market(symbol: string): MarketState {
    const market = this.host.runner.floor.markets.get(symbol);
    if (market === undefined) throw new CrossgateError('XG_SIMULATOR_INVALID', `no market ${symbol}`);
    return market;
  }

  private auctionOf(symbol: string): NonNullable<MarketState['auction']> {
    const { auction } = this.market(symbol);
    if (auction === null) throw new CrossgateError('XG_SIMULATOR_INVALID', `${symbol} has no auctions`);
    return auction;
  }
}
