// The simulated exchange's core as a deterministic machine: handle(command, now) → events, deadline() → time or null.
// No clock, no I/O, no randomness. The faces in front of it are rest-*.ts and streams.ts.

import { unreachable } from '../../base/assert.ts';
import type { EpochMs } from '../../base/time.ts';
import { advanceAuction, auctionDeadline, auctionStep, postponeAuction } from '../auctions/auction.ts';
import { createInstruction, tendInstructions, terminateInstruction } from '../products/amm.ts';
import { completeWithdrawals, custodyDeadline, handleCustody } from '../products/custody.ts';
import { resetMmp, setMmp, tendMmp } from '../products/mmp.ts';
import { expireOtc, handleOtc, otcDeadline } from '../products/otc.ts';
import { CUSTODY_ACCOUNT } from '../world/world.ts';
import { Floor, type FloorOptions, type MarketState } from './floor.ts';
import { expireMarket, expiryOf, HOUR_MS, hourToDo, nextHour, settleHour } from './hourly.ts';
import { isOpen } from './order.ts';
import { end } from './order-end.ts';
import { amendOrder, cancelAll, cancelLimitOrders, cancelOrder, createOrder } from './order-entry.ts';
import type { VenueCommand, VenueEvent } from './venue-event.ts';

/** Steps that one advance may take: more than this means that the clock leapt over days of short auctions. */
const STEPS_MAX = 10_000;
/**
 * A clock that jumps this far skips the auctions in between: months of short ones would block the process for minutes.
 */
const LEAP_MS = 86_400_000;

export class Venue {
  readonly floor: Floor;
  /** When an account's orders are to be cancelled, by account (V1DelayedCancelAllOrders). */
  readonly switches = new Map<string, EpochMs>();

  /** The next full hour that is to be settled. */
  hourAt: EpochMs;

  constructor(options: FloorOptions, now: EpochMs) {
    this.floor = new Floor(options, now);
    this.hourAt = nextHour(now);
  }

  /** Execute one command. Everything due before it happens first. */
  handle(command: VenueCommand, now: EpochMs): VenueEvent[] {
    this.doDue(now);
    this.execute(command, now);
    tendInstructions(this.floor, now);
    tendMmp(this.floor, now);
    return this.floor.takeEvents();
  }

  /** Do what is due at `now`. */
  advance(now: EpochMs): VenueEvent[] {
    this.doDue(now);
    return this.floor.takeEvents();
  }

  /** After a restart: finish the auctions that should have ended meanwhile and begin new ones, then do what else is due. */
  resume(now: EpochMs): void {
    this.beginAuctionsAnew(now);
    this.advance(now);
  }

  /** When `advance` has something to do next. */
  deadline(): EpochMs {
    let earliest = this.hourAt;
    const consider = (at: EpochMs | null): void => {
      if (at !== null && at < earliest) earliest = at;
    };
    for (const market of this.floor.markets.values()) {
      consider(auctionDeadline(market));
      consider(expiryOf(market));
    }
    consider(otcDeadline(this.floor));
    consider(custodyDeadline(this.floor));
    for (const at of this.switches.values()) consider(at);
    return earliest;
  }

  private doDue(now: EpochMs): void {
    for (let step = 0; step < STEPS_MAX; step++) {
      const due = this.deadline();
      if (due > now) return;
      if (now - due > LEAP_MS) this.beginAuctionsAnew(now);
      for (const [account, at] of this.switches) {
        if (at > due) continue;
        this.switches.delete(account);
        cancelLimitOrders(this.floor, account, due);
      }
      for (const market of this.floor.markets.values()) {
        const at = auctionDeadline(market);
        if (at !== null && at <= due) auctionStep(this.floor, market, due);
        const end = expiryOf(market);
        if (end !== null && end <= due) expireMarket(this.floor, market, due);
      }
      expireOtc(this.floor, due);
      completeWithdrawals(this.floor, due);
      if (this.hourAt <= due) {
        settleHour(this.floor, this.hourAt);
        this.hourAt = hourToDo(this.hourAt + HOUR_MS, now);
      }
      tendInstructions(this.floor, due);
      tendMmp(this.floor, due);
    }
  }

  /** Finish those that should have ended, and hold none of those that would have followed. */
  private beginAuctionsAnew(now: EpochMs): void {
    for (const market of this.floor.markets.values()) {
      const { auction } = market;
      if (auction === null || auction.schedule.manual) continue;
      for (let at = auctionDeadline(market); at !== null && at <= now; at = auctionDeadline(market)) {
        if (auction.phase === 'COOLING') {
          auction.plan(now);
          break;
        }
        auctionStep(this.floor, market, at);
      }
    }
  }

  private execute(command: VenueCommand, now: EpochMs): void {
    const { floor } = this;
    switch (command.kind) {
      case 'create':
        createOrder(floor, command, now);
        return;
      case 'cancel':
        cancelOrder(floor, command, now);
        return;
      case 'amend':
        amendOrder(floor, command, now);
        return;
      case 'createInstruction':
        createInstruction(floor, command, now);
        return;
      case 'terminateInstruction':
        terminateInstruction(floor, command, now);
        return;
      case 'cancelAll':
        cancelAll(floor, command.tradingAccountId, command.symbol, now);
        return;
      case 'delayedCancelAll':
        this.switches.set(command.tradingAccountId, now + command.delayMs);
        return;
      case 'unsetDelayedCancelAll':
        this.switches.delete(command.tradingAccountId);
        return;
      case 'forceCancel': {
        const order = floor.orders.get(command.orderId);
        if (order !== undefined && isOpen(order)) end(floor, order, 'CANCELLED', command.reason, now);
        return;
      }
      case 'transfer':
        floor.transfer(command, now);
        return;
      case 'setMmp':
        setMmp(floor, command, now);
        return;
      case 'resetMmp':
        resetMmp(floor, command, now);
        return;
      case 'otcCreate':
      case 'otcApprove':
      case 'otcCancel':
      case 'otcRemark':
      case 'otcHold':
        handleOtc(floor, command, now);
        return;
      case 'withdraw':
      case 'deposit':
      case 'initiateSelfHosted':
      case 'deleteDestination':
      case 'setCustody':
      case 'restrictBank':
        handleCustody(floor, command, now);
        return;
      case 'addAsset':
      case 'addMarket':
      case 'addUser':
      case 'addAccount':
      case 'addDelegation':
      case 'fund':
        changeWorld(floor, command, now);
        return;
      case 'advanceAuction': {
        const market = this.auctionMarket(command.symbol);
        if (market !== null) advanceAuction(floor, market, now);
        return;
      }
      case 'postponeAuction': {
        const market = this.auctionMarket(command.symbol);
        if (market !== null) postponeAuction(floor, market, command.byMs, command.message, now);
        return;
      }
      case 'setMarket': {
        const market = floor.markets.get(command.symbol);
        if (market !== undefined) market.flags = { ...market.flags, ...command.flags };
        return;
      }
      case 'setIndexPrice':
        floor.indexPrices.set(command.asset, command.price);
        floor.emit({ kind: 'indexPrice', asset: command.asset, price: command.price });
        return;
      default:
        unreachable(command);
    }
  }

  private auctionMarket(symbol: string): MarketState | null {
    const market = this.floor.markets.get(symbol);
    return market === undefined || market.auction === null ? null : market;
  }
}

type WorldChange = Extract<
  VenueCommand,
  { kind: 'addAsset' | 'addMarket' | 'addUser' | 'addAccount' | 'addDelegation' | 'fund' }
>;

function changeWorld(floor: Floor, command: WorldChange, now: EpochMs): void {
  switch (command.kind) {
    case 'addAsset':
      floor.addAsset(command.asset);
      return;
    case 'addMarket':
      floor.addMarket(command.market, now);
      return;
    case 'addUser':
      floor.addUser(command.user);
      return;
    case 'addAccount':
      floor.addAccount(command.account);
      return;
    case 'addDelegation':
      floor.world = { ...floor.world, delegations: [...floor.world.delegations, command.delegation] };
      return;
    case 'fund': {
      const { tradingAccountId, asset, quantity } = command;
      if (quantity.isNegative()) floor.ledger.move(tradingAccountId, CUSTODY_ACCOUNT, asset, quantity.negate());
      else floor.ledger.move(CUSTODY_ACCOUNT, tradingAccountId, asset, quantity);
      return;
    }
  }
}
