// Drives the venue's core without any face, for tests of matching and auctions: orders in a line, states in a line.

import { Decimal } from '../../src/base/decimal.ts';
import type { AuctionSchedule } from '../../src/simulator/auctions/auction-phase.ts';
import { type OrderView, remaining } from '../../src/simulator/venue/order.ts';
import { Venue } from '../../src/simulator/venue/venue.ts';
import type { CreateOrder, VenueCommand, VenueEvent } from '../../src/simulator/venue/venue-event.ts';
import { defaultWorld, withHouseAccounts } from '../../src/simulator/world/default-world.ts';
import type { World } from '../../src/simulator/world/world.ts';

export const START = 1_700_000_000_000;
export const A = '111000000000001';
export const B = '111000000000003';

const MANUAL: AuctionSchedule = { coolingMs: 0, accumulationMs: 0, lockdownMs: 0, noiiMs: 1_000, manual: true };

export interface OrderFields {
  readonly account?: string;
  readonly symbol?: string;
  readonly type?: CreateOrder['type'];
  readonly price?: string | null;
  readonly stopPrice?: string | null;
  readonly timeInForce?: CreateOrder['timeInForce'];
  readonly clientOrderId?: string | null;
  readonly allowBorrow?: boolean;
  readonly auctionId?: string | null;
}

export class VenueDesk {
  readonly venue: Venue;
  readonly events: VenueEvent[] = [];
  now = START;

  constructor(world: World = defaultWorld(), schedule: AuctionSchedule = MANUAL) {
    this.venue = new Venue({ world: withHouseAccounts(world), auctions: { '*': schedule } }, this.now);
  }

  handle(command: VenueCommand): VenueEvent[] {
    const events = this.venue.handle(command, this.now);
    this.events.push(...events);
    return events;
  }

  advance(now: number): VenueEvent[] {
    this.now = now;
    const events = this.venue.advance(now);
    this.events.push(...events);
    return events;
  }

  command(side: CreateOrder['side'], quantity: string, fields: OrderFields = {}): CreateOrder {
    const symbol = fields.symbol ?? 'BTCUSDC';
    const { spec } = this.venue.floor.markets.get(symbol)!;
    const price = (text: string | null): Decimal | null =>
      text === null ? null : Decimal.of(text).trimmed().withScale(spec.pricePrecision);
    const { identifiers } = this.venue.floor;
    return {
      kind: 'create',
      orderId: identifiers.next(this.now),
      requestId: identifiers.next(this.now),
      clientOrderId: fields.clientOrderId ?? null,
      tradingAccountId: fields.account ?? A,
      symbol,
      type: fields.type ?? (fields.price === null ? 'MARKET' : 'LIMIT'),
      side,
      price: price(fields.price === undefined ? '60000' : fields.price),
      stopPrice: price(fields.stopPrice ?? null),
      quantity: Decimal.of(quantity).trimmed().withScale(spec.quantityPrecision),
      timeInForce: fields.timeInForce ?? 'GTC',
      allowBorrow: fields.allowBorrow ?? false,
      auctionId: fields.auctionId ?? null,
    };
  }

  /** Place an order; returns its id. */
  place(side: CreateOrder['side'], quantity: string, fields: OrderFields = {}): string {
    const command = this.command(side, quantity, fields);
    this.handle(command);
    return command.orderId;
  }

  cancel(orderId: string, account = A, symbol = 'BTCUSDC'): VenueEvent[] {
    const requestId = this.venue.floor.identifiers.next(this.now);
    return this.handle({ kind: 'cancel', requestId, tradingAccountId: account, symbol, orderId, clientOrderId: null });
  }

  phase(symbol = 'BTCUSDC'): void {
    this.handle({ kind: 'advanceAuction', symbol });
  }

  order(orderId: string): OrderView {
    return this.venue.floor.orders.get(orderId)!;
  }

  /** `CLOSED 6002 1/1`: status, reason code, filled and whole quantity. */
  state(orderId: string): string {
    const { status, reason, quantityFilled, quantity } = this.order(orderId);
    return `${status} ${reason} ${quantityFilled.trimmed()}/${quantity.trimmed()}`;
  }

  /** Reason codes reported for an order, in order. */
  reasons(orderId: string): number[] {
    return this.events.flatMap((e) => (e.kind === 'order' && e.order.orderId === orderId ? [e.order.reason] : []));
  }

  /** `1@60000` of every fill of an order. */
  fills(orderId: string): string[] {
    return this.venue.floor.tradesOf(orderId).map((t) => `${t.quantity.trimmed()}@${t.price.trimmed()}`);
  }

  /** Codes of the error notices so far. */
  notices(): number[] {
    return this.events.flatMap((e) => (e.kind === 'notice' ? [e.notice.reason] : []));
  }

  balance(account: string, asset: string): { total: string; locked: string } {
    const { total, locked } = this.venue.floor.ledger.balance(account, asset);
    return { total: total.trimmed().toString(), locked: locked.trimmed().toString() };
  }

  /** Expected locks of an account's open orders on an asset. */
  lockedByOrders(account: string, asset: string): Decimal {
    let sum = Decimal.ZERO;
    for (const order of this.venue.floor.openOrders(account)) {
      if (order.lockAsset === asset) sum = sum.add(order.lockPerUnit.multiply(remaining(order)));
    }
    return sum;
  }
}
