// Examples of command bodies: one of each, made of an example of each field.

import type { CommandSpec } from '../commands/command-spec.ts';

const OTC_LEG = { symbol: 'BTC-USDC-PERP', side: 'BUY', price: '60000.0', quantity: '0.5' };
/** By field. */
const FIELDS: Readonly<Record<string, unknown>> = {
  symbol: 'BTCUSDC',
  baseQuantity: '1',
  quoteQuantity: '60000',
  upperBound: '66000',
  lowerBound: '54000',
  feeTierId: '1',
  tradingAccountId: '111000000000001',
  instructionId: '297735387747975680',
  liquidityId: '297735387747975680',
  orderId: '297735387747975681',
  handle: '4711',
  otcTradeId: '200000000000000098',
  clientOtcTradeId: '20050900225',
  sharedMatchKey: 'cfBtcXrpMatch001',
  isTaker: true,
  remarks: 'first trade of the day',
  trades: [OTC_LEG],
  underlyingAssetSymbol: 'BTC',
  windowTimeInSeconds: '60',
  frozenTimeInSeconds: '30',
  quantityLimit: '5',
  deltaLimit: '10',
  delayBySeconds: '15',
  clientOrderId: '4711',
  type: 'LIMIT',
  side: 'BUY',
  price: '59900.0',
  quantity: '0.1',
  timeInForce: 'GTC',
  allowBorrow: false,
  allowMargin: false,
};
/** Of two names of one thing, the other one stays out. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  V3CreateOrder: ['stopPrice'],
  V2CreateOrder: ['stopPrice'],
  V3CancelOrder: ['clientOrderId'],
  V2CancelOrder: ['orderId'],
  V1ApproveOtcTrade: ['clientOtcTradeId'],
  V1CancelOtcTrade: ['clientOtcTradeId'],
  V1DelayedCancelAllOrders: ['cancelId'],
};

/** The body of a command, as a caller sends it. */
export function commandExample({ commandType, fields }: CommandSpec): Readonly<Record<string, unknown>> {
  const left = LEFT_OUT[commandType] ?? [];
  const named = Object.keys(fields).filter((name) => !left.includes(name));
  const older = commandType === 'V2CreateOrder' ? { type: 'LMT' } : {};
  return { commandType, ...Object.fromEntries(named.map((name) => [name, FIELDS[name]])), ...older };
}
