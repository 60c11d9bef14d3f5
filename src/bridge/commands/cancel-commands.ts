// The cancels that the bridge offers (rule B5): a permission of their own, through the order registry. They work while the
// FIX session of the orders is down, and while the journal cannot record.

import { Type } from '../../base/schema.ts';
import { type CancelCommand, COMMAND_PATH } from '../../exchange/mod.ts';
import { Identifier, MarketSymbol } from '../reads/endpoints.ts';
import type { CommandFields, CommandSpec } from './command-spec.ts';

const ORDERS = '/trading-api/v2/orders';
/** Seconds that the exchange takes (exchange catalogue, DelayBySeconds). */
const DELAYS = ['5', '10', '15', '20', '25', '30', '40', '50', '60'] as const;

const account = { tradingAccountId: Identifier };
const accountOf = (fields: CommandFields): string => String(fields.tradingAccountId);
const idOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const openOrders = (fields: CommandFields): string =>
  `${ORDERS}?tradingAccountId=${accountOf(fields)}&status=OPEN${typeof fields.symbol === 'string' ? `&symbol=${encodeURIComponent(fields.symbol)}` : ''}`;

/** An order by the exchange's id, or by the reference it was sent with. */
function oneOrder(reference: 'clientOrderId' | 'handle') {
  return (fields: CommandFields): string => {
    const orderId = idOf(fields.orderId);
    const place = orderId ?? `client-order-id/${idOf(fields[reference])}`;
    return `${ORDERS}/${place}?tradingAccountId=${accountOf(fields)}`;
  };
}

function cancelOrder(commandType: string, reference: 'clientOrderId' | 'handle', summary: string): CommandSpec {
  const Id = Type.Optional(Type.Union([Identifier, Type.Null()]));
  return {
    commandType,
    path: COMMAND_PATH,
    needs: 'cancel',
    summary,
    bringsRisk: false,
    fields: { orderId: Id, [reference]: Id, symbol: MarketSymbol, ...account },
    askAt: oneOrder(reference),
    fault: (fields) =>
      (idOf(fields.orderId) === null) === (idOf(fields[reference]) === null)
        ? `${commandType} names exactly one of orderId and ${reference}.`
        : null,
    cancels: (fields): CancelCommand => ({
      kind: 'cancelOrder',
      orderId: idOf(fields.orderId),
      clientOrderId: idOf(fields[reference]),
      symbol: String(fields.symbol),
      tradingAccountId: accountOf(fields),
    }),
  };
}

function cancelMany(
  commandType: string,
  summary: string,
  fields: CommandSpec['fields'],
  cancels: (fields: CommandFields) => CancelCommand,
): CommandSpec {
  return {
    commandType,
    path: COMMAND_PATH,
    needs: 'cancel',
    summary,
    bringsRisk: false,
    fields: { ...fields, ...account },
    askAt: openOrders,
    cancels,
  };
}

export const CANCEL_COMMANDS: readonly CommandSpec[] = [
  cancelOrder('V3CancelOrder', 'clientOrderId', 'Cancel an order'),
  cancelOrder('V2CancelOrder', 'handle', 'Cancel an order, older spelling'),
  cancelMany(
    'V1CancelAllOrdersByMarket',
    'Cancel all open orders of an account in a market',
    { symbol: MarketSymbol },
    (fields) => ({
      kind: 'cancelAllByMarket',
      symbol: String(fields.symbol),
      tradingAccountId: accountOf(fields),
    }),
  ),
  cancelMany('V1CancelAllOrders', 'Cancel all open orders of an account', {}, (fields) => ({
    kind: 'cancelAll',
    tradingAccountId: accountOf(fields),
  })),
  cancelMany(
    'V1DelayedCancelAllOrders',
    'Cancel all open limit orders of an exclusive account after a delay, unless it is asked for again or unset',
    {
      delayBySeconds: Type.Union(DELAYS.map((delay) => Type.Literal(delay))),
      cancelId: Type.Optional(Type.Union([Identifier, Type.Null()])),
    },
    (fields) => ({
      kind: 'delayedCancelAll',
      delayBySeconds: DELAYS.find((delay) => delay === fields.delayBySeconds)!,
      cancelId: idOf(fields.cancelId),
      tradingAccountId: accountOf(fields),
    }),
  ),
  cancelMany('V1UnsetDelayedCancelAllOrders', 'Take the delayed cancel-all of an account back', {}, (fields) => ({
    kind: 'unsetDelayedCancelAll',
    tradingAccountId: accountOf(fields),
  })),
];
