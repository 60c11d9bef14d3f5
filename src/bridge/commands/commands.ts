// The table of signed commands that the bridge offers, and why it offers no others: orders (rule B3), transfers and
// custody (rule B1). Carrying them out is command-call.ts.

import { type TSchema, Type } from '../../base/schema.ts';
import { type AccountCommand, COMMAND_PATH, ORDERS_PATH, WITHDRAWAL_PATH } from '../../exchange/mod.ts';
import type { TradeLeg } from '../port.ts';
import { Problem } from '../problem.ts';
import { Amount, Identifier, MarketSymbol } from '../reads/endpoints.ts';
import { CANCEL_COMMANDS } from './cancel-commands.ts';
import type { CommandFields, CommandSpec } from './command-spec.ts';
import { ORDER_COMMANDS } from './order-commands.ts';

const AMM_PATH = '/trading-api/v2/amm-instructions';
const OTC_PATH = '/trading-api/v2/otc-trades';
const OTC_COMMAND_PATH = '/trading-api/v2/otc-command';
const MMP_PATH = '/trading-api/v2/mmp-configuration';

const account = { tradingAccountId: Identifier };
const liquidity = {
  symbol: MarketSymbol,
  baseQuantity: Amount,
  quoteQuantity: Amount,
  upperBound: Amount,
  lowerBound: Amount,
  feeTierId: Type.String({ pattern: '^[A-Za-z0-9]{1,20}$' }),
  ...account,
};
const underlying = { ...account, underlyingAssetSymbol: MarketSymbol };
const Seconds = Type.String({ pattern: '^[0-9]{1,9}$' });
const oneOtcTrade = { otcTradeId: Type.Optional(Identifier), clientOtcTradeId: Type.Optional(Identifier), ...account };

const text = (value: unknown): string => encodeURIComponent(typeof value === 'string' ? value : '');
const ofAccount = (fields: CommandFields): string => `tradingAccountId=${text(fields.tradingAccountId)}`;
const instructions = (fields: CommandFields): string =>
  `${AMM_PATH}?${ofAccount(fields)}&symbol=${text(fields.symbol)}`;
const instruction =
  (id: string) =>
  (fields: CommandFields): string =>
    `${AMM_PATH}/${text(fields[id])}?${ofAccount(fields)}`;
const otcTrades = (fields: CommandFields): string => `${OTC_PATH}?${ofAccount(fields)}`;
const namedTrades = (fields: CommandFields): readonly string[] => {
  const { otcTradeId, clientOtcTradeId } = fields;
  const byId = otcTradeId === undefined ? [] : [`${OTC_PATH}/${text(otcTradeId)}?${ofAccount(fields)}`];
  const byClientId = `${OTC_PATH}?${ofAccount(fields)}&clientOtcTradeId=${text(clientOtcTradeId)}`;
  return clientOtcTradeId === undefined ? byId : [...byId, byClientId];
};
const protection = (fields: CommandFields): string =>
  `${MMP_PATH}?${ofAccount(fields)}&symbol=${text(fields.underlyingAssetSymbol)}`;

const create = (fields: CommandFields): AccountCommand => ({
  kind: 'createAMMInstruction',
  symbol: String(fields.symbol),
  baseQuantity: String(fields.baseQuantity),
  quoteQuantity: String(fields.quoteQuantity),
  upperBound: String(fields.upperBound),
  lowerBound: String(fields.lowerBound),
  feeTierId: String(fields.feeTierId),
  tradingAccountId: String(fields.tradingAccountId),
});
const terminate =
  (id: string) =>
  (fields: CommandFields): AccountCommand => ({
    kind: 'terminateAMMInstruction',
    instructionId: String(fields[id]),
    symbol: String(fields.symbol),
    tradingAccountId: String(fields.tradingAccountId),
  });
const protect = (fields: CommandFields): AccountCommand => ({
  kind: 'setMMP',
  tradingAccountId: String(fields.tradingAccountId),
  underlyingAssetSymbol: String(fields.underlyingAssetSymbol),
  windowTimeInSeconds: String(fields.windowTimeInSeconds),
  frozenTimeInSeconds: String(fields.frozenTimeInSeconds),
  quantityLimit: fields.quantityLimit === undefined ? null : String(fields.quantityLimit),
  deltaLimit: fields.deltaLimit === undefined ? null : String(fields.deltaLimit),
});
const resume = (fields: CommandFields): AccountCommand => ({
  kind: 'resetMMP',
  tradingAccountId: String(fields.tradingAccountId),
  underlyingAssetSymbol: String(fields.underlyingAssetSymbol),
});

export const COMMANDS: readonly CommandSpec[] = [
  {
    commandType: 'V3CreateAMMInstruction',
    path: AMM_PATH,
    needs: 'amm-write',
    summary: 'Create an AMM instruction',
    bringsRisk: true,
    fields: liquidity,
    askAt: instructions,
    meaning: create,
  },
  {
    commandType: 'V2AddLiquidity',
    path: AMM_PATH,
    needs: 'amm-write',
    summary: 'Create an AMM instruction, older spelling',
    bringsRisk: true,
    fields: liquidity,
    askAt: instructions,
    meaning: create,
  },
  {
    commandType: 'V3TerminateAMMInstruction',
    path: COMMAND_PATH,
    needs: 'amm-write',
    summary: 'Terminate an AMM instruction',
    bringsRisk: false,
    fields: { instructionId: Identifier, symbol: MarketSymbol, ...account },
    askAt: instruction('instructionId'),
    idsAt: (fields) => [instruction('instructionId')(fields)],
    meaning: terminate('instructionId'),
  },
  {
    commandType: 'V2RemoveLiquidity',
    path: COMMAND_PATH,
    needs: 'amm-write',
    summary: 'Terminate an AMM instruction, older spelling',
    bringsRisk: false,
    fields: { liquidityId: Identifier, symbol: MarketSymbol, ...account },
    askAt: instruction('liquidityId'),
    idsAt: (fields) => [instruction('liquidityId')(fields)],
    meaning: terminate('liquidityId'),
  },
  {
    commandType: 'V1CreateOtcTrade',
    path: OTC_PATH,
    needs: 'otc-write',
    summary: 'Enter one side of a negotiated trade',
    bringsRisk: true,
    legs: ({ trades }) => trades as readonly TradeLeg[],
    fields: {
      clientOtcTradeId: Type.Optional(Identifier),
      sharedMatchKey: Type.String({ pattern: '^[A-Za-z0-9]{12,64}$' }),
      ...account,
      isTaker: Type.Boolean(),
      remarks: Type.Optional(Type.String({ maxLength: 255 })),
      trades: Type.Array(
        Type.Object(
          {
            symbol: MarketSymbol,
            side: Type.String({ pattern: '^(BUY|SELL)$' }),
            price: Amount,
            quantity: Amount,
          },
          { additionalProperties: false },
        ),
        { minItems: 1, maxItems: 25 },
      ),
    },
    askAt: otcTrades,
  },
  {
    commandType: 'V1ApproveOtcTrade',
    path: OTC_COMMAND_PATH,
    needs: 'otc-write',
    summary: 'Approve a negotiated trade',
    bringsRisk: true,
    fields: oneOtcTrade,
    askAt: otcTrades,
    idsAt: namedTrades,
  },
  {
    commandType: 'V1CancelOtcTrade',
    path: OTC_COMMAND_PATH,
    needs: 'otc-write',
    summary: 'Cancel a negotiated trade',
    bringsRisk: false,
    fields: oneOtcTrade,
    askAt: otcTrades,
    idsAt: namedTrades,
  },
  {
    commandType: 'V1CancelAllOtcTrades',
    path: OTC_COMMAND_PATH,
    needs: 'otc-write',
    summary: 'Cancel all pending negotiated trades of an account',
    bringsRisk: false,
    fields: account,
    askAt: otcTrades,
  },
  {
    commandType: 'V1SetMMP',
    path: MMP_PATH,
    needs: 'mmp-write',
    summary: 'Set the market maker protection of an account for the options on one asset',
    bringsRisk: false,
    fields: {
      ...underlying,
      windowTimeInSeconds: Seconds,
      frozenTimeInSeconds: Seconds,
      quantityLimit: Type.Optional(Amount),
      deltaLimit: Type.Optional(Amount),
    },
    askAt: protection,
    meaning: protect,
  },
  {
    commandType: 'V1ResetMMP',
    path: MMP_PATH,
    needs: 'mmp-write',
    summary: 'Reset it: orders under it are taken again after it cancelled them',
    bringsRisk: true,
    fields: underlying,
    askAt: protection,
    meaning: resume,
  },
  ...CANCEL_COMMANDS,
];

/** The commandType may also stand in the query, as in the exchange's document; the body decides. */
export const COMMAND_QUERY: Readonly<Record<string, TSchema>> = {
  commandType: Type.Optional(Type.String({ maxLength: 64, description: 'As in the body, which decides.' })),
};

/** Paths that take commands; the last two only to say why they do not. */
export const COMMAND_PATHS: readonly string[] = [
  AMM_PATH,
  COMMAND_PATH,
  OTC_PATH,
  OTC_COMMAND_PATH,
  MMP_PATH,
  ORDERS_PATH,
  WITHDRAWAL_PATH,
];

const ORDER_COMMAND = /^V\d+(Create|Amend)Order$/;
const CUSTODY_COMMAND = /^V\d+(Transfer\w*|Withdraw\w*)$/;

const INSTEAD_OF_ORDER =
  'Send NewOrderSingle(D) or OrderCancelReplaceRequest(G) on a FIX session: there the risk limits are. The function `cancel` cancels orders here.';

const INSTEAD_OF_AMENDMENT =
  'Amend an order of a FIX session with OrderCancelReplaceRequest(G). Cancel an order entered here, and enter a new one when it has ended.';

/** The specification of a command at a path. @param takesOrders its account takes orders here @throws Problem saying why it is not offered */
export function commandAt(path: string, commandType: string, takesOrders = false): CommandSpec {
  const order = takesOrders ? ORDER_COMMANDS.find((command) => command.commandType === commandType) : undefined;
  if (order?.path === path) return order;
  if (path === ORDERS_PATH || ORDER_COMMAND.test(commandType)) {
    const isAmendment = takesOrders && commandType.includes('Amend');
    throw new Problem('order-command', isAmendment ? INSTEAD_OF_AMENDMENT : INSTEAD_OF_ORDER);
  }
  if (path === WITHDRAWAL_PATH || CUSTODY_COMMAND.test(commandType)) {
    throw new Problem(
      'custody-off',
      'This gateway moves no assets: transfer and withdraw on the pages of the exchange, where two people are asked.',
    );
  }
  const spec = COMMANDS.find((command) => command.commandType === commandType);
  if (spec?.path === path) return spec;
  const elsewhere = spec === undefined ? 'See /openapi.json for those offered.' : `Send it to ${spec.path}.`;
  throw new Problem('command-unknown', `The command "${commandType.slice(0, 40)}" is not taken here. ${elsewhere}`);
}

/** The JSON Schema of a whole command body. */
export function commandSchema(spec: CommandSpec): TSchema {
  return Type.Object(
    { commandType: Type.Literal(spec.commandType), ...spec.fields },
    { additionalProperties: false, description: spec.summary },
  );
}
