// Logins, trading accounts, assets in them, positions and settlements, transfers, interest, margin simulation and custody
// (exchange catalogue, Appendix B and C).

import { Type } from 'typebox';
import {
  AccountId,
  Amount,
  AssetSymbol,
  DateTime,
  exactly,
  Flag,
  FlagText,
  Hex,
  Id,
  listOf,
  MarketSymbol,
  moment,
  oneOf,
  Side,
  Text,
  Timestamp,
  Whole,
  Word,
} from './scalars.ts';

/** `ownerAuthorizer` is in real answers only (exchange reference §1.6). */
export const Login = exactly({ authorizer: Hex, ownerAuthorizer: Hex, token: Word });

const accountFields = {
  tradingAccountId: AccountId,
  tradingAccountName: Word,
  tradingAccountDescription: Text,
  isPrimaryAccount: FlagText,
  isBorrowing: FlagText,
  isLending: FlagText,
  isDefaulted: FlagText,
  isConcentrationRiskEnabled: FlagText,
  makerFee: Amount,
  takerFee: Amount,
  maxInitialLeverage: Amount,
  rateLimitToken: Hex,
  tradeFeeRate: listOf(
    exactly({
      feeGroupId: Whole,
      makerFee: Amount,
      takerFee: Amount,
      makerOtcFee: Amount,
      takerOtcFee: Amount,
      brokerFee: Amount,
      auctionFee: Amount,
    }),
  ),
  riskLimitUSD: Amount,
  totalLiabilitiesUSD: Amount,
  totalBorrowedUSD: Amount,
  totalCollateralUSD: Amount,
  initialMarginUSD: Amount,
  warningMarginUSD: Amount,
  liquidationMarginUSD: Amount,
  fullLiquidationMarginUSD: Amount,
  defaultedMarginUSD: Amount,
  endCustomerId: Word,
  liquidityAddonUSD: Amount,
  marketRiskUSD: Amount,
  marginProfile: exactly({
    initialMarketRiskMultiplierPct: Amount,
    warningMarketRiskMultiplierPct: Amount,
    liquidationMarketRiskMultiplierPct: Amount,
    fullLiquidationMarketRiskMultiplierPct: Amount,
    defaultedMarketRiskMultiplierPct: Amount,
  }),
};
export const TradingAccount = exactly(accountFields);
export const TradingAccountFrame = exactly({
  ...accountFields,
  totalBorrowedQuantity: Amount,
  totalCollateralQuantity: Amount,
  referenceAssetSymbol: AssetSymbol,
  ...moment('updatedAt'),
  publishedAtTimestamp: Timestamp,
});

const assetFields = {
  tradingAccountId: AccountId,
  assetId: Id,
  assetSymbol: AssetSymbol,
  availableQuantity: Amount,
  borrowedQuantity: Amount,
  lockedQuantity: Amount,
  loanedQuantity: Amount,
  ...moment('updatedAt'),
};
export const AssetAccount = exactly(assetFields);
export const AssetAccountFrame = exactly({ ...assetFields, publishedAtTimestamp: Timestamp });

export const Transfer = exactly({
  requestId: Id,
  fromTradingAccountId: AccountId,
  toTradingAccountId: AccountId,
  assetSymbol: AssetSymbol,
  quantity: Amount,
  status: Word,
  statusReasonCode: Id,
  statusReason: Word,
  ...moment('createdAt'),
});
export const BorrowInterest = exactly({
  assetId: Id,
  assetSymbol: AssetSymbol,
  borrowedQuantity: Amount,
  totalBorrowedQuantity: Amount,
  ...moment('createdAt'),
});

const positionFields = {
  tradingAccountId: AccountId,
  symbol: MarketSymbol,
  side: Side,
  quantity: Amount,
  notional: Amount,
  entryNotional: Amount,
  mtmPnl: Amount,
  reportedMtmPnl: Amount,
  reportedFundingPnl: Amount,
  realizedPnl: Amount,
  settlementAssetSymbol: AssetSymbol,
  ...moment('createdAt'),
  ...moment('updatedAt'),
};
export const Position = exactly({
  ...positionFields,
  greeks: exactly({ delta: Amount, gamma: Amount, theta: Amount, vega: Amount }),
});
export const PositionFrame = exactly({ ...positionFields, eventType: Word, publishedAtTimestamp: Timestamp });
export const Settlement = exactly(
  {
    tradingAccountId: AccountId,
    symbol: MarketSymbol,
    side: Side,
    settlementQuantity: Amount,
    deltaTradingQuantity: Amount,
    mtmPnl: Amount,
    eventType: oneOf('settlementUpdate', 'expiryUpdate'),
    settlementMarkPrice: Amount,
    settlementIndexPrice: Amount,
    settlementDatetime: DateTime,
    settlementTimestamp: Timestamp,
  },
  // Perpetuals only.
  { fundingPnl: Amount, settlementFundingRate: Amount },
);

export const PortfolioSimulation = exactly({
  collateralUSD: Amount,
  borrowedUSD: Amount,
  initialMarginUSD: Amount,
  warningMarginUSD: Amount,
  liquidationMarginUSD: Amount,
  fullLiquidationMarginUSD: Amount,
  defaultedMarginUSD: Amount,
  liquidityAddonUSD: Amount,
  marketRiskUSD: Amount,
});

const TransactionId = Type.String({ pattern: '^DB:[0-9a-f]{64}$' });
const Bank = exactly({ name: Word, physicalAddress: Word, routingCode: Word });
export const CustodyHistory = exactly({
  custodyTransactionId: TransactionId,
  direction: oneOf('DEPOSIT', 'WITHDRAWAL'),
  quantity: Amount,
  symbol: AssetSymbol,
  network: Word,
  fee: Amount,
  memo: Text,
  createdAtDateTime: DateTime,
  status: oneOf('PENDING', 'COMPLETE', 'CANCELLED', 'FAILED'),
  transactionDetails: Type.Union([exactly({ address: Word, blockchainTxId: Word }), exactly({ swiftUetr: Word })]),
});
export const CustodyLimits = exactly({ symbol: AssetSymbol, available: Amount, twentyFourHour: Amount });
export const CryptoDeposit = exactly({
  network: Word,
  symbol: AssetSymbol,
  memo: Word,
  address: Word,
  minimumDepositAmount: Amount,
});
export const CryptoWithdrawal = exactly(
  {
    network: Word,
    symbol: AssetSymbol,
    address: Word,
    fee: Amount,
    memo: Text,
    label: Word,
    destinationId: Hex,
    userWalletType: oneOf('HOSTED', 'SELF_HOSTED', 'UNKNOWN'),
    signed: Flag,
    locked: Flag,
  },
  { vaspName: Word, lockExpiryDateTime: DateTime },
);
export const FiatDeposit = exactly({
  network: Word,
  symbol: AssetSymbol,
  accountNumber: Id,
  name: Word,
  physicalAddress: Word,
  memo: Word,
  bank: Bank,
});
export const FiatWithdrawal = exactly({
  destinationId: Hex,
  accountNumber: Id,
  network: Word,
  symbol: AssetSymbol,
  name: Word,
  physicalAddress: Word,
  fee: Amount,
  memo: Text,
  bank: Bank,
  intermediaryBank: Bank,
});
const verification = {
  destinationId: Hex,
  network: Word,
  symbol: AssetSymbol,
  requestedDepositAmount: Amount,
  verificationAmount: Amount,
  totalDepositAmount: Amount,
  verificationExpiryTime: DateTime,
};
export const SelfHostedInitiation = exactly({ ...verification, depositAddress: Word, depositMemo: Word });
export const SelfHostedVerification = exactly({
  ...verification,
  address: Word,
  memo: Text,
  verificationStatus: oneOf('VERIFIED', 'PENDING_VERIFICATION', 'VERIFICATION_EXPIRED'),
});
export const Withdrawal = exactly({
  statusReason: Word,
  statusReasonCode: Whole,
  custodyTransactionId: TransactionId,
});
export const HeartbeatFrame = listOf(exactly({ sequenceNumber: Id, createdAtTimestamp: Timestamp }));
