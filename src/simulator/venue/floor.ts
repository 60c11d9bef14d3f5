// The venue's state in one place: markets, orders, trades and balances, and the events of the input being handled.
// Holds and finds; the decisions are in order-entry.ts, matching.ts and auction.ts.

import { assert } from '../../base/assert.ts';
import { Decimal } from '../../base/decimal.ts';
import { type EpochMs, parseIso } from '../../base/time.ts';
import type { ExchangeOrderStatus } from '../../exchange/mod.ts';
import { Auction, type AuctionSchedule } from '../auctions/auction-phase.ts';
import type { Instruction } from '../products/amm-instruction.ts';
import { CustodyBook, firstDestinations } from '../products/custody-book.ts';
import type { MmpConfiguration } from '../products/mmp-configuration.ts';
import { modelPrice } from '../products/option-model.ts';
import { OtcBook } from '../products/otc-book.ts';
import {
  type AccountSpec,
  AMM_ACCOUNT_PREFIX,
  type AssetSpec,
  FEE_ACCOUNT,
  type MarketSpec,
  type UserSpec,
  type World,
} from '../world/world.ts';
import { CandleSeries } from './candles.ts';
import { Histories } from './histories.ts';
import { IdentifierSequence } from './identifier.ts';
import { Ledger } from './ledger.ts';
import { isOpen, type Order, type OrderView, type Reason, remaining } from './order.ts';
import { OrderBook } from './order-book.ts';
import { newPosition, type Position } from './position.ts';
import type { MarketFlags, NoticeView, TransferAsset, VenueEvent } from './venue-event.ts';
import type { NoiiView, PublicTrade, TradeView } from './venue-view.ts';

/** Public trades kept per market for its history. */
const PUBLIC_TRADES_MAX = 2_000;
/** Closed orders kept for look-up; the oldest go first. */
const CLOSED_ORDERS_MAX = 100_000;
/** Fills kept for look-up. */
const TRADES_MAX = 100_000;
/** Transfers kept for look-up. */
const TRANSFERS_MAX = 10_000;
/** Auction results kept per market. */
const AUCTION_RESULTS_MAX = 1_000;

/** A market while it runs. */
export interface MarketState {
  readonly spec: MarketSpec;
  readonly tickSize: Decimal;
  readonly book: OrderBook;
  /** Stop orders that wait for their price, in order of arrival. */
  readonly stops: Order[];
  /** Orders of the running auction, in order of arrival. */
  readonly auctionOrders: Order[];
  readonly auction: Auction | null;
  readonly publicTrades: PublicTrade[];
  readonly candles: CandleSeries;
  readonly auctionResults: NoiiView[];
  lastNoii: NoiiView | null;
  lastPrice: Decimal | null;
  lastTradeAt: EpochMs | null;
  flags: MarketFlags;
  /** When a dated market ends; null for one that never does. */
  readonly expiresAt: EpochMs | null;
  expired: Expiry | null;
}

/** How a dated market ended: the price of its underlying, and what a contract was worth. */
export interface Expiry {
  readonly price: Decimal;
  readonly notional: Decimal;
  readonly at: EpochMs;
}

export interface FloorOptions {
  readonly world: World;
  /** Schedule per symbol; symbols without one that are auction-enabled use `'*'`. */
  readonly auctions: Readonly<Record<string, AuctionSchedule>>;
}

export class Floor {
  world: World;
  readonly markets = new Map<string, MarketState>();
  readonly ledger = new Ledger();
  readonly identifiers = new IdentifierSequence();
  /** All known orders, oldest first. */
  readonly orders = new Map<string, Order>();
  readonly indexPrices = new Map<string, Decimal>();
  readonly positions = new Map<string, Map<string, Position>>();
  readonly histories = new Histories();
  readonly otc = new OtcBook();
  readonly custody = new CustodyBook();
  /** Market maker protection by account and underlying. */
  readonly mmp = new Map<string, MmpConfiguration>();
  /** Configurations that counted a fill since their limits were looked at. */
  readonly mmpTouched = new Set<MmpConfiguration>();
  /** AMM instructions, oldest first. */
  readonly instructions = new Map<string, Instruction>();
  /** Transfers between accounts, oldest first. */
  readonly transfers: (TransferAsset & { readonly createdAt: EpochMs })[] = [];
  /** Fills of all accounts, oldest first. */
  readonly trades: TradeView[] = [];
  private readonly handles = new Map<string, string>();
  private readonly openByAccount = new Map<string, Set<Order>>();
  private readonly tradesByOrder = new Map<string, TradeView[]>();
  private events: VenueEvent[] = [];
  private readonly touchedBooks = new Set<string>();
  private readonly tradedInstructions = new Set<string>();
  private closed = 0;
  private schedules: FloorOptions['auctions'];

  constructor(options: FloorOptions, now: EpochMs) {
    this.schedules = options.auctions;
    this.world = { ...options.world, assets: [], markets: [], users: [], accounts: [], delegations: [] };
    const { assets, accounts, markets, users, delegations } = options.world;
    for (const asset of assets) this.addAsset(asset);
    for (const account of accounts) this.addAccount(account);
    assert(this.ledger.account(FEE_ACCOUNT) !== null, 'the world has the account that receives fees');
    for (const market of markets) this.addMarket(market, now);
    for (const user of users) this.addUser(user);
    this.world = { ...this.world, delegations };
  }

  /** Take the schedules of the settings after a restart; an auction that runs keeps the times it announced. */
  setSchedules(schedules: FloorOptions['auctions']): void {
    this.schedules = schedules;
    for (const { spec, auction } of this.markets.values()) {
      const schedule = schedules[spec.symbol] ?? schedules['*'];
      if (auction !== null && schedule !== undefined) auction.schedule = schedule;
    }
  }

  addAsset(asset: AssetSpec): void {
    this.world = { ...this.world, assets: [...this.world.assets, asset] };
    this.indexPrices.set(asset.symbol, Decimal.of(asset.indexPrice));
    for (const user of this.world.users) this.addDestinations(user.name, [asset]);
  }

  addAccount(account: AccountSpec): void {
    this.world = { ...this.world, accounts: [...this.world.accounts, account] };
    this.ledger.open(account);
  }

  addUser(user: UserSpec): void {
    this.world = { ...this.world, users: [...this.world.users, user] };
    this.addDestinations(user.name, this.world.assets);
  }

  private addDestinations(user: string, assets: readonly AssetSpec[]): void {
    for (const destination of firstDestinations(user, assets)) {
      this.custody.destinations.set(destination.destinationId, destination);
    }
  }

  addMarket(spec: MarketSpec, now: EpochMs): void {
    this.world = { ...this.world, markets: [...this.world.markets, spec] };
    const schedule = spec.auctionEnabled ? (this.schedules[spec.symbol] ?? this.schedules['*'] ?? null) : null;
    this.markets.set(spec.symbol, {
      spec,
      tickSize: Decimal.of(spec.tickSize).withScale(spec.pricePrecision),
      book: new OrderBook(),
      stops: [],
      auctionOrders: [],
      auction: schedule === null ? null : new Auction(spec.symbol, schedule, this.identifiers, now),
      publicTrades: [],
      candles: new CandleSeries(),
      auctionResults: [],
      lastNoii: null,
      lastPrice: null,
      lastTradeAt: null,
      flags: {
        marketEnabled: true,
        createOrderEnabled: true,
        amendOrderEnabled: true,
        cancelOrderEnabled: true,
        spotTradingEnabled: true,
        marginTradingEnabled: true,
      },
      expiresAt: spec.expiryDatetime === null ? null : parseIso(spec.expiryDatetime),
      expired: null,
    });
  }

  /** The asset of this symbol, or null. */
  asset(symbol: string): AssetSpec | null {
    return this.world.assets.find((asset) => asset.symbol === symbol) ?? null;
  }

  emit(event: VenueEvent): void {
    this.events.push(event);
  }

  /** The events since the last call, balances and books that changed once each at the end. */
  takeEvents(): VenueEvent[] {
    for (const change of this.ledger.takeChanged()) this.events.push({ kind: 'assetAccount', ...change });
    for (const symbol of this.touchedBooks) this.events.push({ kind: 'book', symbol });
    this.touchedBooks.clear();
    const out = this.events;
    this.events = [];
    return out;
  }

  bookChanged(market: MarketState): void {
    this.touchedBooks.add(market.spec.symbol);
  }

  notice(notice: NoticeView): void {
    this.emit({ kind: 'notice', notice });
  }

  register(order: Order): void {
    this.orders.set(order.orderId, order);
    if (order.clientOrderId !== null) this.handles.set(handleKey(order), order.orderId);
    this.openOf(order.tradingAccountId).add(order);
  }

  /** Keep an order that must not be found by its reference. */
  registerUnnamed(order: Order): void {
    this.orders.set(order.orderId, order);
    this.openOf(order.tradingAccountId).add(order);
  }

  /** Give an order another reference; the former one stays known. */
  rename(order: Order, clientOrderId: string): void {
    order.clientOrderId = clientOrderId;
    this.handles.set(handleKey(order), order.orderId);
  }

  byHandle(tradingAccountId: string, clientOrderId: string): Order | null {
    const orderId = this.handles.get(`${tradingAccountId}/${clientOrderId}`);
    return orderId === undefined ? null : (this.orders.get(orderId) ?? null);
  }

  openOrderCount(tradingAccountId: string): number {
    return this.openByAccount.get(tradingAccountId)?.size ?? 0;
  }

  openOrders(tradingAccountId: string): Order[] {
    return [...(this.openByAccount.get(tradingAccountId) ?? [])];
  }

  tradesOf(orderId: string): readonly TradeView[] {
    return this.tradesByOrder.get(orderId) ?? [];
  }

  /** Set status and reason, and tell. An order that ends is taken out of the open ones and its lock is released. */
  report(order: Order, status: ExchangeOrderStatus, reason: Reason, now: EpochMs): void {
    assert(order.status === 'OPEN', 'an order that ended does not change again');
    order.status = status;
    order.reason = reason;
    order.updatedAt = now;
    if (!isOpen(order)) {
      this.releaseLock(order);
      this.openOf(order.tradingAccountId).delete(order);
      this.closed++;
      this.forgetOld(order);
    }
    this.emit({ kind: 'order', order: picture(order) });
  }

  releaseLock(order: Order): void {
    const locked = order.lockPerUnit.multiply(remaining(order));
    this.ledger.lock(order.tradingAccountId, order.lockAsset, locked.negate());
    order.lockPerUnit = Decimal.ZERO;
  }

  recordTrade(trade: TradeView): void {
    this.trades.push(trade);
    if (this.trades.length > TRADES_MAX) this.trades.splice(0, TRADES_MAX / 10);
    const list = this.tradesByOrder.get(trade.orderId);
    if (list === undefined) this.tradesByOrder.set(trade.orderId, [trade]);
    else list.push(trade);
    if (trade.tradingAccountId.startsWith(AMM_ACCOUNT_PREFIX)) this.tradedInstructions.add(trade.tradingAccountId);
    this.emit({ kind: 'trade', trade });
  }

  /** Hidden accounts of instructions that traded since the last call. */
  takeTradedInstructions(): string[] {
    const out = [...this.tradedInstructions];
    this.tradedInstructions.clear();
    return out;
  }

  recordPublicTrade(market: MarketState, trade: PublicTrade): void {
    market.publicTrades.push(trade);
    market.candles.record(trade.price, trade.quantity, trade.createdAt);
    if (market.publicTrades.length > PUBLIC_TRADES_MAX * 1.1) market.publicTrades.splice(0, PUBLIC_TRADES_MAX / 10);
    if (market.spec.marketType === 'OPTION') this.histories.optionTrades.push({ trade, otcTradeId: null });
    this.emit({ kind: 'publicTrade', trade });
  }

  recordAuctionResult(market: MarketState, result: NoiiView): void {
    market.auctionResults.push(result);
    if (market.auctionResults.length > AUCTION_RESULTS_MAX) market.auctionResults.shift();
  }

  transfer(transfer: TransferAsset, now: EpochMs): void {
    const { fromTradingAccountId, toTradingAccountId, asset, quantity, refuseWith = null } = transfer;
    if (refuseWith === null) this.ledger.move(fromTradingAccountId, toTradingAccountId, asset, quantity);
    this.transfers.push({ ...transfer, createdAt: now });
    if (this.transfers.length > TRANSFERS_MAX) this.transfers.shift();
  }

  /** The position of an account in a derivative market, a new one where it had none. */
  position(tradingAccountId: string, symbol: string, now: EpochMs): Position {
    let inMarket = this.positions.get(symbol);
    if (inMarket === undefined) {
      inMarket = new Map();
      this.positions.set(symbol, inMarket);
    }
    let found = inMarket.get(tradingAccountId);
    if (found === undefined) {
      found = newPosition(tradingAccountId, symbol, now);
      inMarket.set(tradingAccountId, found);
    }
    return found;
  }

  /** Positions of a market that are not zero. */
  positionsOf(symbol: string): Position[] {
    return [...(this.positions.get(symbol)?.values() ?? [])].filter(({ quantity }) => !quantity.isZero());
  }

  /** Present value of a contract: the last trade, else the index price; for an option the model's price. */
  markPrice(market: MarketState, now: EpochMs = market.lastTradeAt ?? 0): Decimal {
    if (market.expired !== null) return market.expired.price;
    if (market.lastPrice !== null || market.spec.marketType !== 'OPTION') return this.referencePrice(market);
    return modelPrice(market.spec, this.indexPrice(market), market.expiresAt ?? now, now);
  }

  /** Last trade of the continuous book, else the index price of the base asset in quote (exchange reference §7.3). */
  referencePrice(market: MarketState): Decimal {
    if (market.spec.marketType === 'OPTION') return market.lastPrice ?? Decimal.of(market.spec.referencePrice);
    return market.lastPrice ?? this.indexPrice(market);
  }

  indexPrice(market: MarketState): Decimal {
    return this.indexPrices.get(market.spec.baseSymbol) ?? Decimal.of(market.spec.referencePrice);
  }

  private openOf(tradingAccountId: string): Set<Order> {
    let found = this.openByAccount.get(tradingAccountId);
    if (found === undefined) {
      found = new Set();
      this.openByAccount.set(tradingAccountId, found);
    }
    return found;
  }

  /** Orders of the house's own accounts are not kept once ended; of the others the oldest go when there are too many. */
  private forgetOld(ended: Order): void {
    if (this.ledger.account(ended.tradingAccountId)?.user === '') {
      this.forget(ended);
      return;
    }
    if (this.closed <= CLOSED_ORDERS_MAX) return;
    for (const order of this.orders.values()) {
      if (isOpen(order)) continue;
      this.forget(order);
      return;
    }
  }

  private forget(order: Order): void {
    this.closed--;
    this.orders.delete(order.orderId);
    this.tradesByOrder.delete(order.orderId);
    if (order.clientOrderId !== null && this.handles.get(handleKey(order)) === order.orderId) {
      this.handles.delete(handleKey(order));
    }
  }
}

/** A picture of an order that later changes leave alone. */
export function picture(order: Order): OrderView {
  return { ...order };
}

function handleKey(order: Order): string {
  return `${order.tradingAccountId}/${order.clientOrderId}`;
}
