// The signed commands beside orders, typed: liquidity, transfers, market maker protection, negotiated trades, brokered trades,
// withdrawals (exchange catalogue, Appendices A and B). Each is turned into the fields of its dialect; envelope, nonce and
// signature are added like those of any command.

import { assert, unreachable } from '../base/assert.ts';
import type { CommandDialect, OrderSide, RawCommand } from './command.ts';
import { COMMAND_PATH, WITHDRAWAL_PATH } from './command-encoding.ts';

/** Amounts, prices and seconds are decimal strings; ids are digit strings. */
export type AccountCommand =
  | {
      readonly kind: 'createAMMInstruction';
      readonly symbol: string;
      readonly baseQuantity: string;
      readonly quoteQuantity: string;
      /** Of the price range, in quote currency. */
      readonly upperBound: string;
      readonly lowerBound: string;
      readonly feeTierId: string;
      readonly tradingAccountId: string;
    }
  | {
      readonly kind: 'terminateAMMInstruction';
      readonly instructionId: string;
      readonly symbol: string;
      readonly tradingAccountId: string;
    }
  | {
      readonly kind: 'transferAsset';
      readonly assetSymbol: string;
      readonly quantity: string;
      readonly fromTradingAccountId: string;
      readonly toTradingAccountId: string;
    }
  | {
      readonly kind: 'setMMP';
      readonly tradingAccountId: string;
      readonly underlyingAssetSymbol: string;
      readonly windowTimeInSeconds: string;
      readonly frozenTimeInSeconds: string;
      readonly quantityLimit: string | null;
      readonly deltaLimit: string | null;
    }
  | { readonly kind: 'resetMMP'; readonly tradingAccountId: string; readonly underlyingAssetSymbol: string }
  | {
      readonly kind: 'createOtcTrade';
      /** Agreed with the counterparty: 12 to 64 letters and digits. */
      readonly sharedMatchKey: string;
      readonly clientOtcTradeId: string | null;
      readonly tradingAccountId: string;
      readonly isTaker: boolean;
      readonly remarks: string | null;
      /** 1 to 25. */
      readonly trades: readonly OtcLeg[];
    }
  /** Exactly one of the two ids is set. */
  | {
      readonly kind: 'approveOtcTrade' | 'cancelOtcTrade';
      readonly otcTradeId: string | null;
      readonly clientOtcTradeId: string | null;
      readonly tradingAccountId: string;
    }
  | { readonly kind: 'cancelAllOtcTrades'; readonly tradingAccountId: string }
  | {
      readonly kind: 'idbCreateOtcTrade';
      readonly idbRemarks: string | null;
      readonly maker: BrokeredSide;
      readonly taker: BrokeredSide;
      /** From the maker's point of view. */
      readonly trades: readonly OtcLeg[];
    }
  | { readonly kind: 'idbCancelOtcTrade'; readonly sharedMatchKey: string; readonly idbRemarks: string | null }
  | { readonly kind: 'idbUpdateRemarks'; readonly sharedMatchKey: string; readonly idbRemarks: string }
  /** ECDSA keys only; has an envelope of its own in both dialects (rule X2). */
  | {
      readonly kind: 'withdraw';
      readonly destinationId: string;
      readonly symbol: string;
      readonly network: string;
      readonly quantity: string;
    };

/** One leg of a negotiated trade. */
export interface OtcLeg {
  readonly symbol: string;
  readonly side: OrderSide;
  readonly price: string;
  readonly quantity: string;
}

/** One side of a brokered trade. */
export interface BrokeredSide {
  readonly tradingAccountId: string;
  readonly remarks: string | null;
}

const AMM_PATH = '/trading-api/v2/amm-instructions';
const MMP_PATH = '/trading-api/v2/mmp-configuration';
const OTC_PATH = '/trading-api/v2/otc-trades';
const OTC_COMMAND_PATH = '/trading-api/v2/otc-command';
const IDB_PATH = '/trading-api/v2/idb/otc-trades';
const IDB_COMMAND_PATH = '/trading-api/v2/idb/otc-command';

/**
 * Turn a command into path and fields of a dialect. The older spellings (V2AddLiquidity, V2RemoveLiquidity,
 * V1TransferAsset) belong to `v2`; the others have one spelling, enveloped there (**assumed**, rule X2).
 */
export function accountCommand(command: AccountCommand, dialect: CommandDialect): RawCommand {
  const isV2 = dialect === 'v2';
  switch (command.kind) {
    case 'createAMMInstruction':
      return raw(AMM_PATH, isV2 ? 'V2AddLiquidity' : 'V3CreateAMMInstruction', fieldsOf(command));
    case 'terminateAMMInstruction': {
      const { instructionId, symbol, tradingAccountId } = command;
      return isV2
        ? raw(COMMAND_PATH, 'V2RemoveLiquidity', { liquidityId: instructionId, symbol, tradingAccountId })
        : raw(COMMAND_PATH, 'V3TerminateAMMInstruction', { instructionId, symbol, tradingAccountId });
    }
    case 'transferAsset':
      return raw(COMMAND_PATH, isV2 ? 'V1TransferAsset' : 'V2TransferAsset', fieldsOf(command));
    case 'setMMP':
      return raw(MMP_PATH, 'V1SetMMP', fieldsOf(command));
    case 'resetMMP':
      return raw(MMP_PATH, 'V1ResetMMP', fieldsOf(command));
    case 'createOtcTrade':
      return raw(OTC_PATH, 'V1CreateOtcTrade', fieldsOf(command));
    case 'approveOtcTrade':
      return raw(OTC_COMMAND_PATH, 'V1ApproveOtcTrade', oneOtcTrade(command));
    case 'cancelOtcTrade':
      return raw(OTC_COMMAND_PATH, 'V1CancelOtcTrade', oneOtcTrade(command));
    case 'cancelAllOtcTrades':
      return raw(OTC_COMMAND_PATH, 'V1CancelAllOtcTrades', fieldsOf(command));
    case 'idbCreateOtcTrade': {
      const { idbRemarks, maker, taker, trades } = command;
      const sides = { maker: withoutNulls(maker), taker: withoutNulls(taker) };
      return raw(IDB_PATH, 'V1IdbCreateOtcTrade', { idbRemarks, ...sides, trades });
    }
    case 'idbCancelOtcTrade':
      return raw(IDB_COMMAND_PATH, 'V1IdbCancelOtcTrade', fieldsOf(command));
    case 'idbUpdateRemarks':
      return raw(IDB_COMMAND_PATH, 'V1IdbUpdateRemarks', fieldsOf(command));
    case 'withdraw': {
      const { destinationId, network, symbol, quantity } = command;
      return raw(WITHDRAWAL_PATH, 'V1Withdrawal', { destinationId, network, symbol, quantity });
    }
    default:
      return unreachable(command);
  }
}

function raw(path: string, commandType: string, fields: Readonly<Record<string, unknown>>): RawCommand {
  return { kind: 'raw', path, fields: { commandType, ...fields } };
}

const LIQUIDITY = ['symbol', 'baseQuantity', 'quoteQuantity', 'upperBound', 'lowerBound', 'feeTierId'];
const MMP = ['tradingAccountId', 'underlyingAssetSymbol'];
/** Fields in the order of the documents, which the older signing format enforces (trading-api.md, Command construction). */
const FIELDS: Readonly<Partial<Record<AccountCommand['kind'], readonly string[]>>> = {
  createAMMInstruction: [...LIQUIDITY, 'tradingAccountId'],
  transferAsset: ['assetSymbol', 'quantity', 'fromTradingAccountId', 'toTradingAccountId'],
  setMMP: [...MMP, 'windowTimeInSeconds', 'frozenTimeInSeconds', 'quantityLimit', 'deltaLimit'],
  resetMMP: MMP,
  createOtcTrade: ['clientOtcTradeId', 'sharedMatchKey', 'tradingAccountId', 'isTaker', 'remarks', 'trades'],
  cancelAllOtcTrades: ['tradingAccountId'],
  idbCancelOtcTrade: ['sharedMatchKey', 'idbRemarks'],
  idbUpdateRemarks: ['sharedMatchKey', 'idbRemarks'],
};

function fieldsOf(command: AccountCommand): Readonly<Record<string, unknown>> {
  const given: Readonly<Record<string, unknown>> = { ...command };
  return Object.fromEntries((FIELDS[command.kind] ?? []).map((name) => [name, given[name]]));
}

function oneOtcTrade(
  command: Extract<AccountCommand, { kind: 'approveOtcTrade' | 'cancelOtcTrade' }>,
): Readonly<Record<string, unknown>> {
  const { otcTradeId, clientOtcTradeId, tradingAccountId } = command;
  assert((otcTradeId === null) !== (clientOtcTradeId === null), 'a negotiated trade is named by exactly one id');
  return otcTradeId === null ? { clientOtcTradeId, tradingAccountId } : { otcTradeId, tradingAccountId };
}

function withoutNulls(side: BrokeredSide): Record<string, unknown> {
  return Object.fromEntries(Object.entries(side).filter(([, value]) => value !== null));
}
