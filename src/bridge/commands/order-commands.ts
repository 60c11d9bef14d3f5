// New orders over the bridge: taken of accounts that the configuration opens for them, through the order registry and its
// limits (rules B3, O12). Every other account is refused.

import { Type } from '../../base/schema.ts';
import { type CreateOrderCommand, ORDERS_PATH, type OrderTimeInForce, type OrderType } from '../../exchange/mod.ts';
import { Amount, Identifier, MarketSymbol } from '../reads/endpoints.ts';
import type { CommandFields, CommandSpec } from './command-spec.ts';

/** Order types by the words of both dialects (rule X2). */
const TYPES: Readonly<Record<string, OrderType>> = {
  LIMIT: 'LIMIT',
  LMT: 'LIMIT',
  MARKET: 'MARKET',
  MKT: 'MARKET',
  STOP_LIMIT: 'STOP_LIMIT',
  POST_ONLY: 'POST_ONLY',
};
const TIMES_IN_FORCE: readonly OrderTimeInForce[] = ['GTC', 'IOC', 'FOK', 'GTX'];
const words = (...all: readonly string[]) => Type.Union(all.map((word) => Type.Literal(word)));
const Price = Type.Optional(Type.Union([Amount, Type.Null()]));

/** The words of a dialect. */
interface Spelling {
  readonly reference: 'clientOrderId' | 'handle';
  readonly borrow: 'allowBorrow' | 'allowMargin';
  readonly types: readonly string[];
}

function createOrder(commandType: string, summary: string, spelling: Spelling): CommandSpec {
  const { reference, borrow, types } = spelling;
  return {
    commandType,
    path: ORDERS_PATH,
    needs: 'order-write',
    summary,
    bringsRisk: true,
    fields: {
      [reference]: Type.Optional(Type.Union([Identifier, Type.Null()])),
      symbol: MarketSymbol,
      type: words(...types),
      side: words('BUY', 'SELL'),
      price: Price,
      stopPrice: Price,
      quantity: Amount,
      timeInForce: words(...TIMES_IN_FORCE),
      [borrow]: Type.Optional(Type.Boolean()),
      tradingAccountId: Identifier,
    },
    askAt: (fields) => {
      const own = `tradingAccountId=${String(fields.tradingAccountId)}`;
      const id = fields[reference];
      return typeof id === 'string' ? `${ORDERS_PATH}/client-order-id/${id}?${own}` : `${ORDERS_PATH}?${own}`;
    },
    orders: (fields) => commandOf(fields, spelling),
  };
}

function commandOf(fields: CommandFields, { reference, borrow }: Spelling): CreateOrderCommand {
  const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return {
    kind: 'createOrder',
    clientOrderId: textOf(fields[reference]) ?? '',
    symbol: String(fields.symbol),
    type: TYPES[String(fields.type)]!,
    side: fields.side === 'SELL' ? 'SELL' : 'BUY',
    price: textOf(fields.price),
    stopPrice: textOf(fields.stopPrice),
    quantity: String(fields.quantity),
    timeInForce: TIMES_IN_FORCE.find((one) => one === fields.timeInForce)!,
    allowBorrow: fields[borrow] === true,
    isMMP: null,
    tradingAccountId: String(fields.tradingAccountId),
  };
}

export const ORDER_COMMANDS: readonly CommandSpec[] = [
  createOrder('V3CreateOrder', 'Enter an order', {
    reference: 'clientOrderId',
    borrow: 'allowBorrow',
    types: ['LIMIT', 'MARKET', 'STOP_LIMIT', 'POST_ONLY'],
  }),
  createOrder('V2CreateOrder', 'Enter an order, older spelling', {
    reference: 'handle',
    borrow: 'allowMargin',
    types: ['LMT', 'MKT', 'STOP_LIMIT', 'POST_ONLY'],
  }),
];
