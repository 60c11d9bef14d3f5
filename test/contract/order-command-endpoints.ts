// Rows of the signed commands about orders, liquidity, transfers and market maker protection.

import type { CreateOrderCommand } from '../../src/exchange/mod.ts';
import { ACCOUNT, type Caller, type Json, v2Cancel, v2Order } from '../simulator/exchange-caller.ts';
import { command, type EndpointRow, flat } from './endpoint-row.ts';
import * as order from './order-schemas.ts';
import { acknowledged, liquidity, mmp, SECOND, type Situation } from './situation.ts';

const ORDERS = '/trading-api/v2/orders';
const COMMAND = '/trading-api/v2/command';
const AMM = '/trading-api/v2/amm-instructions';
const MMP = '/trading-api/v2/mmp-configuration';

const v3Order = (): Json => ({
  commandType: 'V3CreateOrder',
  symbol: 'BTCUSDC',
  type: 'LIMIT',
  side: 'BUY',
  price: '50000.0',
  quantity: '0.1',
  timeInForce: 'GTC',
  tradingAccountId: ACCOUNT,
});
let references = 50_000;
const typedOrder = async (): Promise<CreateOrderCommand> => ({
  kind: 'createOrder',
  clientOrderId: String(++references),
  symbol: 'BTCUSDC',
  type: 'LIMIT',
  side: 'BUY',
  price: '50000.0',
  stopPrice: null,
  quantity: '0.1',
  timeInForce: 'GTC',
  allowBorrow: false,
  isMMP: null,
  tradingAccountId: ACCOUNT,
});

interface Resting {
  readonly orderId: string;
  readonly symbol: string;
  readonly tradingAccountId: string;
}
const resting = async ({ demo }: Situation): Promise<Resting> => {
  const { orderId } = await acknowledged(demo, v3Order());
  return { orderId: String(orderId), symbol: 'BTCUSDC', tradingAccountId: ACCOUNT };
};
const typedCancel = async (s: Situation) =>
  ({ kind: 'cancelOrder', clientOrderId: null, ...(await resting(s)) }) as const;

const CREATED = ['CreateOrderCommandResponseV3', order.CreateOrderAcknowledgement] as const;
const about = (commandType: string, name: string) => order.orderAcknowledgement(commandType, name);
const done = (commandType: string, name: string) => order.plainAcknowledgement(commandType, name);

const OF_ORDERS: readonly EndpointRow[] = [
  command(ORDERS, 'V3CreateOrder', ...CREATED, { ask: ({ demo }) => flat(demo, v3Order()), typed: typedOrder }),
  command(ORDERS, 'V2CreateOrder', ...CREATED, {
    ask: ({ demo }) => demo.send(v2Order({ price: '50000.0' })),
    typed: typedOrder,
  }),
  command(COMMAND, 'V3CancelOrder', 'CancelOrderCommandResponseV3', about('V3CancelOrder', 'CancelOrder'), {
    ask: async (s) => flat(s.demo, { commandType: 'V3CancelOrder', ...(await resting(s)) }),
    typed: typedCancel,
  }),
  command(COMMAND, 'V2CancelOrder', 'CancelOrderCommandResponseV3', about('V2CancelOrder', 'CancelOrder'), {
    ask: async (s) => s.demo.send(v2Cancel({ orderId: (await resting(s)).orderId })),
    typed: typedCancel,
  }),
  command(COMMAND, 'V1AmendOrder', 'AmendOrderCommandResponseV1', about('V1AmendOrder', 'AmendOrder'), {
    ask: async (s) => flat(s.demo, { commandType: 'V1AmendOrder', ...(await resting(s)), price: '50001.0' }),
    typed: async (s) => ({
      kind: 'amendOrder',
      clientOrderId: null,
      type: null,
      price: '50001.0',
      quantity: null,
      ...(await resting(s)),
    }),
  }),
];

const OF_SECOND = { tradingAccountId: SECOND };
const OF_MARKET = { symbol: 'ETHUSDC', tradingAccountId: ACCOUNT };

const OF_MANY: readonly EndpointRow[] = [
  command(
    COMMAND,
    'V1CancelAllOrdersByMarket',
    'CancelAllOrdersByMarketResponse',
    done('V1CancelAllOrdersByMarket', 'CancelAllOrdersByMarket'),
    {
      ask: ({ demo }) => flat(demo, { commandType: 'V1CancelAllOrdersByMarket', ...OF_MARKET }),
      typed: async () => ({ kind: 'cancelAllByMarket', ...OF_MARKET }),
    },
  ),
  command(COMMAND, 'V1CancelAllOrders', 'CancelAllOrdersResponse', done('V1CancelAllOrders', 'CancelAllOrders'), {
    ask: ({ demo }) => flat(demo, { commandType: 'V1CancelAllOrders', ...OF_SECOND }),
    typed: async () => ({ kind: 'cancelAll', ...OF_SECOND }),
  }),
  command(
    COMMAND,
    'V1DelayedCancelAllOrders',
    'DelayedCancelAllOrdersResponse',
    done('V1DelayedCancelAllOrders', 'DelayedCancelAllOrders'),
    {
      ask: ({ demo }) => flat(demo, { commandType: 'V1DelayedCancelAllOrders', delayBySeconds: '60', ...OF_SECOND }),
      typed: async () => ({ kind: 'delayedCancelAll', delayBySeconds: '60', cancelId: null, ...OF_SECOND }),
    },
  ),
  command(
    COMMAND,
    'V1UnsetDelayedCancelAllOrders',
    'UnsetDelayedCancelAllOrdersResponse',
    done('V1UnsetDelayedCancelAllOrders', 'UnsetDelayedCancelAllOrders'),
    {
      ask: ({ demo }) => flat(demo, { commandType: 'V1UnsetDelayedCancelAllOrders', ...OF_SECOND }),
      typed: async () => ({ kind: 'unsetDelayedCancelAll', ...OF_SECOND }),
    },
  ),
];

const TRANSFER = { assetSymbol: 'USDC', quantity: '1', fromTradingAccountId: ACCOUNT, toTradingAccountId: SECOND };

const TRANSFERS: readonly EndpointRow[] = (['V2TransferAsset', 'V1TransferAsset'] as const).map((commandType) =>
  command(COMMAND, commandType, 'TransferAssetResponse', done(commandType, 'TransferAsset'), {
    ask: ({ demo }) => {
      const transfer = { commandType, ...TRANSFER };
      return commandType === 'V1TransferAsset' ? demo.send(transfer) : flat(demo, transfer);
    },
    typed: async () => ({ kind: 'transferAsset', ...TRANSFER }),
  }),
);

const LIQUIDITY = {
  symbol: 'ETHUSDC',
  baseQuantity: '10',
  quoteQuantity: '30000',
  upperBound: '3600',
  lowerBound: '2400',
  feeTierId: '1',
  tradingAccountId: ACCOUNT,
};
const typedLiquidity = async () => ({ kind: 'createAMMInstruction', ...LIQUIDITY }) as const;
const instructionOf = async (demo: Caller): Promise<string> =>
  String((await acknowledged(demo, liquidity(), AMM)).instructionId);
const typedEnd = async ({ demo }: Situation) =>
  ({ kind: 'terminateAMMInstruction', instructionId: await instructionOf(demo), ...OF_MARKET }) as const;

const OF_LIQUIDITY: readonly EndpointRow[] = [
  command(
    AMM,
    'V3CreateAMMInstruction',
    'CreateAMMInstructionCommandResponseV3',
    order.instructionAcknowledgement('CreateAMMInstruction', null),
    { ask: ({ demo }) => flat(demo, liquidity(), AMM), typed: typedLiquidity },
  ),
  command(
    AMM,
    'V2AddLiquidity',
    'CreateAMMInstructionCommandResponseV3',
    order.instructionAcknowledgement('AddLiquidity', null),
    {
      ask: ({ demo }) => demo.send({ ...liquidity(), commandType: 'V2AddLiquidity' }, { path: AMM }),
      typed: typedLiquidity,
    },
  ),
  command(
    COMMAND,
    'V3TerminateAMMInstruction',
    'TerminateAMMInstructionCommandResponseV3',
    order.instructionAcknowledgement('TerminateAMMInstruction', 'V3TerminateAMMInstruction'),
    {
      ask: async ({ demo }) =>
        flat(demo, {
          commandType: 'V3TerminateAMMInstruction',
          instructionId: await instructionOf(demo),
          ...OF_MARKET,
        }),
      typed: typedEnd,
    },
  ),
  command(
    COMMAND,
    'V2RemoveLiquidity',
    'TerminateAMMInstructionCommandResponseV3',
    order.instructionAcknowledgement('RemoveLiquidity', 'V2RemoveLiquidity'),
    {
      ask: async ({ demo }) =>
        demo.send({ commandType: 'V2RemoveLiquidity', liquidityId: await instructionOf(demo), ...OF_MARKET }),
      typed: typedEnd,
    },
  ),
];

const PROTECTED = { tradingAccountId: ACCOUNT, underlyingAssetSymbol: 'BTC' };

const OF_PROTECTION: readonly EndpointRow[] = [
  command(MMP, 'V1SetMMP', 'SetMMPCommandResponse', order.MmpAcknowledgement('SetMMP'), {
    ask: ({ demo }) => flat(demo, mmp(), MMP),
    typed: async () => ({
      kind: 'setMMP',
      windowTimeInSeconds: '60',
      frozenTimeInSeconds: '30',
      quantityLimit: '5',
      deltaLimit: '100',
      ...PROTECTED,
    }),
  }),
  command(MMP, 'V1ResetMMP', 'ResetMMPCommandResponse', order.MmpAcknowledgement('ResetMMP'), {
    ask: ({ demo }) => flat(demo, { commandType: 'V1ResetMMP', ...PROTECTED }, MMP),
    typed: async () => ({ kind: 'resetMMP', ...PROTECTED }),
  }),
];

export const ORDER_COMMAND_ENDPOINTS: readonly EndpointRow[] = [
  ...OF_ORDERS,
  ...OF_MANY,
  ...TRANSFERS,
  ...OF_LIQUIDITY,
  ...OF_PROTECTION,
];
