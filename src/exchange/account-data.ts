// Data of a trading account as values: positions, balances, margins, read leniently from REST answers, and the questions
// that bring them. exchange-client asks; the gateway turns the answers into FIX.

import type { EpochMs } from '../base/time.ts';
import type { OrderSide } from './command.ts';
import type { ExchangeTrade } from './event.ts';
import { toAmount, toObject, toText } from './json.ts';
import type { MmpConfiguration } from './mmp.ts';
import type { OtcTrade } from './otc-trade.ts';

/** A derivative position (exchange catalogue, DerivativesPositionResponse). Amounts are decimal strings. */
export interface DerivativePosition {
  readonly symbol: string;
  readonly side: OrderSide;
  /** Without a sign. */
  readonly quantity: string;
  /** At the mark price. */
  readonly notional: string | null;
  /** At the average entry price. */
  readonly entryNotional: string | null;
  readonly mtmPnl: string | null;
  readonly reportedMtmPnl: string | null;
  readonly reportedFundingPnl: string | null;
  readonly realizedPnl: string | null;
  readonly settlementAssetSymbol: string | null;
}

/** The balance of one asset (exchange catalogue, AssetAccount). */
export interface AssetBalance {
  readonly assetSymbol: string;
  readonly availableQuantity: string;
  readonly borrowedQuantity: string;
  readonly lockedQuantity: string;
  readonly loanedQuantity: string;
}

/** Margins and liabilities of a trading account, by the names of trading-api.md; those that are absent are left out. */
export type AccountFigures = Readonly<Record<string, string>>;

/** Fields of a trading account that are amounts or flags (trading-api.md, Other resources known by name). */
export const ACCOUNT_FIGURES = [
  'totalCollateralUSD',
  'totalLiabilitiesUSD',
  'totalBorrowedUSD',
  'initialMarginUSD',
  'warningMarginUSD',
  'liquidationMarginUSD',
  'fullLiquidationMarginUSD',
  'defaultedMarginUSD',
  'liquidityAddonUSD',
  'marketRiskUSD',
  'riskLimitUSD',
  'isBorrowing',
  'isLending',
  'isDefaulted',
  'isConcentrationRiskEnabled',
  'endCustomerId',
] as const;

/** Which trades are asked for; absent filters narrow nothing. */
export interface TradeQuestion {
  readonly kind: 'trades' | 'otcTrades';
  readonly tradingAccountId: string;
  /** Both or neither; without them the trades of the last day. */
  readonly since: EpochMs | null;
  readonly until: EpochMs | null;
  readonly symbol: string | null;
  readonly orderId: string | null;
  readonly tradeId: string | null;
  /** One negotiated trade, whatever its time. */
  readonly otcTradeId?: string;
  /** Of the page before; null for the first. Opaque. */
  readonly cursor: string | null;
}

/** A question about an account. */
export type DataQuestion =
  | { readonly kind: 'positions' | 'collateral' | 'mmp'; readonly tradingAccountId: string }
  | TradeQuestion;

/** Its answer. */
export type DataAnswer =
  | { readonly kind: 'positions'; readonly positions: readonly DerivativePosition[] }
  | { readonly kind: 'collateral'; readonly figures: AccountFigures; readonly balances: readonly AssetBalance[] }
  | { readonly kind: 'mmp'; readonly configurations: readonly MmpConfiguration[] }
  /** One page, and where the next one begins; null behind the last. */
  | { readonly kind: 'trades'; readonly trades: readonly ExchangeTrade[]; readonly next: string | null }
  | { readonly kind: 'otcTrades'; readonly otcTrades: readonly OtcTrade[]; readonly next: string | null }
  /** Not to be had now; for a human. */
  | { readonly kind: 'failed'; readonly message: string };

/** Read a position; null without symbol, side or quantity. */
export function decodePosition(json: unknown): DerivativePosition | null {
  const p = toObject(json);
  const symbol = toText(p?.symbol);
  const quantity = toAmount(p?.quantity);
  if (p === null || symbol === null || quantity === null) return null;
  if (p.side !== 'BUY' && p.side !== 'SELL') return null;
  return {
    symbol,
    side: p.side,
    quantity: quantity.replace(/^-/, ''),
    notional: toAmount(p.notional),
    entryNotional: toAmount(p.entryNotional),
    mtmPnl: toAmount(p.mtmPnl),
    reportedMtmPnl: toAmount(p.reportedMtmPnl),
    reportedFundingPnl: toAmount(p.reportedFundingPnl),
    realizedPnl: toAmount(p.realizedPnl),
    settlementAssetSymbol: toText(p.settlementAssetSymbol),
  };
}

/** Read a balance; null without asset or available quantity. */
export function decodeBalance(json: unknown): AssetBalance | null {
  const b = toObject(json);
  const assetSymbol = toText(b?.assetSymbol);
  const availableQuantity = toAmount(b?.availableQuantity);
  if (b === null || assetSymbol === null || availableQuantity === null) return null;
  return {
    assetSymbol,
    availableQuantity,
    borrowedQuantity: toAmount(b.borrowedQuantity) ?? '0',
    lockedQuantity: toAmount(b.lockedQuantity) ?? '0',
    loanedQuantity: toAmount(b.loanedQuantity) ?? '0',
  };
}

/** Read the figures of a trading account; null if the answer is none, or is another account's. */
export function decodeAccountFigures(json: unknown, tradingAccountId: string): AccountFigures | null {
  const a = toObject(json);
  if (a === null || toText(a.tradingAccountId) !== tradingAccountId) return null;
  const said = ACCOUNT_FIGURES.map((name) => [name, toText(a[name])] as const);
  return Object.fromEntries(said.filter((entry): entry is [(typeof entry)[0], string] => entry[1] !== null));
}
