// A small exchange for property tests that knows every kind of order: limit, post-only, market, IOC, FOK, stop, and orders for
// the auction, bought and sold. It executes commands at once and keeps its events in a pool, from which a test delivers them in
// any order and any number of times. What happens to an order beyond its command is the test's choice.

import { Decimal } from '../../src/base/decimal.ts';
import type {
  CommandOutcome,
  CreateOrderCommand,
  ExchangeOrder,
  ExchangeOrderStatus,
  ExchangeTrade,
  LookupOutcome,
  OrderCommand,
} from '../../src/exchange/mod.ts';
import type { GatewayInput } from '../../src/gateway/mod.ts';
import { accepted, fillOf, frameOf, type KeptOrder, openOrder } from '../support/exchange-order.ts';
import { errorNotice } from './desk.ts';

const TYPES = { LIMIT: 'LMT', MARKET: 'MKT', STOP_LIMIT: 'STOP_LIMIT', POST_ONLY: 'POST_ONLY' } as const;

export interface KindOrder extends KeptOrder {
  readonly side: 'BUY' | 'SELL';
  type: ExchangeOrder['type'];
  readonly stopPrice: string | null;
  readonly timeInForce: ExchangeOrder['timeInForce'];
  published: number;
}

export class KindsExchange {
  readonly orders: KindOrder[] = [];
  pool: GatewayInput[] = [];
  #nextId = 9_000;
  #clock = 1_000_000;

  /** Carry a command out, or not, and say what the answer would be. A create is refused where `refuses` says how. */
  execute(command: OrderCommand, refuses: 'no' | 'at once' | 'later'): CommandOutcome {
    if (command.kind === 'createOrder') return this.#create(command, refuses);
    if (command.kind === 'cancelOrder') {
      const order = this.#find(command.orderId, command.clientOrderId);
      if (order === null) return refused('3002', 'Order is not found');
      if (order.status !== 'OPEN') return refused('3032', 'Order is either closed or rejected');
      this.end(order, 'CANCELLED', '6005');
      return accepted(order);
    }
    if (command.kind !== 'amendOrder') throw new Error(`not in the model: ${command.kind}`);
    const order = this.#find(command.orderId, null);
    if (order?.status !== 'OPEN' || !order.filled.isZero()) return refused('3032', 'Order cannot be amended');
    order.price = command.price ?? order.price;
    order.quantity = command.quantity === null ? order.quantity : Decimal.of(command.quantity);
    order.reference = command.clientOrderId ?? order.reference;
    if (command.type !== null) order.type = TYPES[command.type];
    this.#publish(order);
    return accepted(order);
  }

  #create(command: CreateOrderCommand, refuses: 'no' | 'at once' | 'later'): CommandOutcome {
    if (refuses === 'at once') return refused('3005', 'Insufficient balance');
    const { clientOrderId, side, stopPrice, timeInForce, quantity, price } = command;
    const terms = { side, type: TYPES[command.type], stopPrice, timeInForce };
    const order = {
      ...openOrder(`${this.#nextId++}`, clientOrderId, price ?? '0.0', quantity),
      ...terms,
      published: 0,
    };
    this.orders.push(order);
    if (refuses === 'later') {
      const of = { orderId: order.orderId, clientOrderId, errorCode: '3005', message: 'Insufficient balance' };
      this.pool.push({ kind: 'errorNotice', notice: errorNotice(of) });
      this.end(order, 'REJECTED', '3005');
    } else this.#publish(order);
    return accepted(order);
  }

  /** Entered by somebody else, with a reference of theirs. */
  enterElsewhere(reference: string): void {
    const terms = { side: 'BUY', type: 'LMT', stopPrice: null, timeInForce: 'GTC' } as const;
    const order = { ...openOrder(`${this.#nextId++}`, reference, '100.0', '2'), ...terms, published: 0 };
    this.orders.push(order);
    this.#publish(order);
  }

  /** A fill at `price`. */
  fill(order: KindOrder, quantity: Decimal, price: string, auctionId: string | null): void {
    if (order.status !== 'OPEN') return;
    const { side } = order;
    const fees = side === 'BUY' ? { baseFee: '0.00010000', quoteFee: '0.0000' } : {};
    const trade: ExchangeTrade = { ...fillOf(order, quantity, this.#clock++), side, price, auctionId, ...fees };
    order.trades[order.trades.length - 1] = trade;
    this.pool.push({ kind: 'trade', trade, source: 'update' });
    if (order.filled.equals(order.quantity)) this.end(order, 'CLOSED', '6002');
    else {
      order.code = '6013';
      this.#publish(order);
    }
  }

  /** A stop order becomes a limit order. */
  trigger(order: KindOrder): void {
    if (order.status !== 'OPEN' || order.type !== 'STOP_LIMIT') return;
    order.type = 'LMT';
    order.code = '6012';
    this.#publish(order);
  }

  end(order: KindOrder, status: ExchangeOrderStatus, code: string): void {
    if (order.status !== 'OPEN') return;
    order.status = status;
    order.code = code;
    this.#publish(order);
  }

  /** What a new private stream begins with: everything, and nothing of the old one. */
  snapshot(): void {
    this.pool = [];
    for (const order of this.orders) {
      for (const trade of order.trades) this.pool.push({ kind: 'trade', trade, source: 'snapshot' });
      this.pool.push({ kind: 'order', order: this.#frame(order, false), source: 'snapshot' });
    }
  }

  lookup(orderId: string | null, reference: string): LookupOutcome {
    const order = this.#find(orderId, reference);
    if (order === null) return { kind: 'absent', final: true };
    return { kind: 'found', order: this.#frame(order, true), trades: order.trades, final: true };
  }

  #frame(order: KindOrder, isRest: boolean): ExchangeOrder {
    const { side, type, stopPrice, timeInForce } = order;
    return frameOf(order, order.published, isRest, { side, type, stopPrice, timeInForce });
  }

  #publish(order: KindOrder): void {
    order.published = this.#clock++;
    this.pool.push({ kind: 'order', order: this.#frame(order, false), source: 'update' });
  }

  #find(orderId: string | null, reference: string | null): KindOrder | null {
    return (
      this.orders.find((order) => (orderId === null ? order.reference === reference : order.orderId === orderId)) ??
      null
    );
  }
}

function refused(errorCode: string, message: string): CommandOutcome {
  return { kind: 'refused', httpStatus: 400, errorCode, errorCodeName: null, message };
}
