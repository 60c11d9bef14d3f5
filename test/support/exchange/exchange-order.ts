// An order as the small exchanges of the tests keep it, and what they say of it: its frame, its next trade, the answer to its
// command. Leaves what happens to it to them.

import { Decimal } from '../../../src/base/decimal.ts';
import type { CommandOutcome, ExchangeOrder, ExchangeOrderStatus, ExchangeTrade } from '../../../src/exchange/mod.ts';
import { exchangeOrder, exchangeTrade } from '../../gateway/desk.ts';

/** The clocks of the small exchanges begin here and count events: after every time of the gateway. */
export const EXCHANGE_TIME = Date.UTC(2030, 0, 1);

export interface KeptOrder {
  readonly orderId: string;
  reference: string;
  price: string;
  quantity: Decimal;
  filled: Decimal;
  status: ExchangeOrderStatus;
  code: string;
  readonly trades: ExchangeTrade[];
}

/** An order that was just created. */
export function openOrder(orderId: string, reference: string, price: string, quantity: string): KeptOrder {
  const amounts = { quantity: Decimal.of(quantity), filled: Decimal.ZERO };
  return { orderId, reference, price, ...amounts, status: 'OPEN', code: '6014', trades: [] };
}

/** The order as a stream (`isRest` false) or a read states it; published then. */
export function frameOf(
  order: KeptOrder,
  published: number,
  isRest: boolean,
  more: Partial<ExchangeOrder> = {},
): ExchangeOrder {
  return exchangeOrder(
    {
      orderId: order.orderId,
      clientOrderId: order.reference,
      price: order.price,
      quantity: order.quantity.toString(),
      quantityFilled: order.filled.toString(),
      status: order.status,
      statusReasonCode: order.code,
      statusReason: null,
      publishedAt: isRest ? null : published,
      ...more,
    },
    published,
  );
}

/** Fill the order by at most what is left of it; its trade. */
export function fillOf(order: KeptOrder, wanted: Decimal, at: number): ExchangeTrade {
  const rest = order.quantity.subtract(order.filled);
  const quantity = wanted.compare(rest) < 0 ? wanted : rest;
  order.filled = order.filled.add(quantity);
  const { orderId, reference, price, trades } = order;
  const tradeId = `${orderId}${trades.length}`;
  const fields = { tradeId, orderId, clientOrderId: reference, price, quantity: quantity.toString() };
  const trade = exchangeTrade(fields, at);
  trades.push(trade);
  return trade;
}

/** The acknowledgement of a command about the order. */
export function accepted({ orderId, reference }: KeptOrder): CommandOutcome & { kind: 'accepted' } {
  return { kind: 'accepted', orderId, clientOrderId: reference, requestId: null };
}
