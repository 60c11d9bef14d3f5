// A small exchange for property tests: it executes commands at once, may lose its answers, and keeps its events in a
// pool for delivery in any order and number.

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
import {
  accepted,
  EXCHANGE_TIME,
  fillOf,
  frameOf,
  type KeptOrder,
  openOrder,
} from '../support/exchange/exchange-order.ts';

/** A type of order as a command says it, and as a frame does. */
export const TYPES = { LIMIT: 'LMT', MARKET: 'MKT', STOP_LIMIT: 'STOP_LIMIT', POST_ONLY: 'POST_ONLY' } as const;

/** A frame's fields for an order other than a limit buy. */
export type OrderKind = Partial<Pick<ExchangeOrder, 'side' | 'type' | 'stopPrice' | 'timeInForce'>>;

export interface ModelOrder extends KeptOrder {
  published: number;
  kind: OrderKind;
}

export class ModelExchange {
  readonly orders: ModelOrder[] = [];
  /** Events not delivered yet. */
  pool: GatewayInput[] = [];
  #nextId = 9_000;
  #clock = EXCHANGE_TIME;

  /** Carry a command out, or not, and say what the answer would be. */
  execute(command: OrderCommand): CommandOutcome {
    if (command.kind === 'createOrder') return accepted(this.create(command));
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
    if (command.type !== null) order.kind = { ...order.kind, type: TYPES[command.type] };
    this.publish(order);
    return accepted(order);
  }

  /** Enter an order. */
  protected create(
    { clientOrderId, price, quantity }: Pick<CreateOrderCommand, 'clientOrderId' | 'price' | 'quantity'>,
    kind: OrderKind = {},
  ): ModelOrder {
    const order = { ...openOrder(`${this.#nextId++}`, clientOrderId, price ?? '0.0', quantity), published: 0, kind };
    this.orders.push(order);
    this.publish(order);
    return order;
  }

  /** A fill; `said` is what its trade says otherwise. */
  fill(order: ModelOrder, quantity: Decimal, said: Partial<ExchangeTrade> = {}): void {
    if (order.status !== 'OPEN') return;
    const trade = { ...fillOf(order, quantity, this.#clock++), ...said };
    order.trades[order.trades.length - 1] = trade;
    this.pool.push({ kind: 'trade', trade, source: 'update' });
    if (order.filled.equals(order.quantity)) this.end(order, 'CLOSED', '6002');
    else {
      order.code = '6013';
      this.publish(order);
    }
  }

  /** Change the order's quantity without anybody asking. */
  restate(order: ModelOrder, quantity: Decimal): void {
    order.quantity = quantity;
    this.publish(order);
  }

  end(order: ModelOrder, status: ExchangeOrderStatus, code: string): void {
    if (order.status !== 'OPEN') return;
    order.status = status;
    order.code = code;
    this.publish(order);
  }

  /** The begin of a new private stream: everything, without the old one's content. */
  snapshot(): void {
    this.pool = [];
    for (const order of this.orders) {
      for (const trade of order.trades) this.pool.push({ kind: 'trade', trade, source: 'snapshot' });
      this.pool.push({ kind: 'order', order: this.frame(order, false), source: 'snapshot' });
    }
  }

  lookup(orderId: string | null, reference: string): LookupOutcome {
    const order = this.#find(orderId, reference);
    if (order === null) return { kind: 'absent', final: true };
    return { kind: 'found', order: this.frame(order, true), trades: order.trades };
  }

  frame(order: ModelOrder, isRest: boolean): ExchangeOrder {
    return frameOf(order, order.published, isRest, order.kind);
  }

  protected publish(order: ModelOrder): void {
    order.published = this.#clock++;
    this.pool.push({ kind: 'order', order: this.frame(order, false), source: 'update' });
  }

  #find(orderId: string | null, reference: string | null): ModelOrder | null {
    return (
      this.orders.find((order) => (orderId === null ? order.reference === reference : order.orderId === orderId)) ??
      null
    );
  }
}

/** The answer to a command that is not executed. */
export function refused(errorCode: string, message: string): CommandOutcome {
  return { kind: 'refused', httpStatus: 400, errorCode, errorCodeName: null, message };
}
