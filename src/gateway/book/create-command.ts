// The command that makes an order at the exchange, from its terms. Leaves nonce, signature and dialect to the exchange
// client, and whether an order may go out at all to new-order.ts and cancel-and-new.ts.

import type { CreateOrderCommand, OrderType } from '../../exchange/mod.ts';
import type { Order } from './order.ts';
import type { OrderTerms } from './order-terms.ts';

const EXCHANGE_TYPES: Readonly<Record<OrderTerms['ordType'], OrderType>> = {
  '1': 'MARKET',
  '2': 'LIMIT',
  '4': 'STOP_LIMIT',
  p: 'POST_ONLY',
};

/** Write the command of an order, or of a further leg with the rest of its quantity (rule O6). */
export function createCommand(order: Order, terms: OrderTerms, reference: string): CreateOrderCommand {
  // A stop that triggered works as a limit order; its next leg begins as one.
  const isTriggered = terms.ordType === '4' && order.triggered;
  const type = isTriggered ? 'LIMIT' : EXCHANGE_TYPES[terms.ordType];
  return {
    kind: 'createOrder',
    clientOrderId: reference,
    symbol: terms.exchangeSymbol,
    type: terms.execInst === '6' ? 'POST_ONLY' : type,
    side: terms.side === '1' ? 'BUY' : 'SELL',
    price: terms.price?.trimmed().toString() ?? null,
    stopPrice: isTriggered ? null : (terms.stopPx?.trimmed().toString() ?? null),
    quantity: terms.orderQty.subtract(order.filledBefore).trimmed().toString(),
    timeInForce: terms.exchangeTimeInForce,
    allowBorrow: terms.cashMargin === '2',
    // Only options have it, and V2CreateOrder has no place for it: it is sent only if requested.
    isMMP: terms.mmp === true ? true : null,
    tradingAccountId: order.tradingAccountId,
  };
}
