// Positions in derivative markets: what a trade, an hourly settlement and an expiry do to them, exactly.
// The fee account stands on the other side of every payment, so that the sum of all balances never changes.

import type { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import { assetPrecision, FEE_ACCOUNT, type MarketSpec } from '../world/world.ts';
import type { Floor, MarketState } from './floor.ts';
import { ZERO } from './order.ts';
import type { Position, SettlementView } from './position.ts';

/** Decimals of entry costs and profits that are only reported, never paid. */
const REPORT_DECIMALS = 16;

/** Pay `amount` (negative: receive) from an account to the house. */
export function payHouse(floor: Floor, account: string, asset: string, amount: Decimal): void {
  if (amount.isPositive()) floor.ledger.move(account, FEE_ACCOUNT, asset, amount);
  else floor.ledger.move(FEE_ACCOUNT, account, asset, amount.negate());
}

/** One side of a fill: `quantity` and `amount` are signed, positive for a buy. */
interface Change {
  readonly quantity: Decimal;
  readonly amount: Decimal;
  readonly now: EpochMs;
}

/** Count one side of a fill. */
export function changePosition(floor: Floor, spec: MarketSpec, account: string, change: Change): void {
  const { quantity, amount, now } = change;
  const position = floor.position(account, spec.symbol, now);
  const held = position.quantity;
  if (held.isZero()) position.createdAt = now;
  const reduces = !held.isZero() && held.isNegative() !== quantity.isNegative();
  if (!reduces) position.entryCost = position.entryCost.add(amount);
  else reduce(position, quantity, amount);
  position.quantity = held.add(quantity);
  position.cost = position.cost.add(amount);
  position.tradedSinceSettlement = position.tradedSinceSettlement.add(quantity);
  position.updatedAt = now;
  if (!position.quantity.isZero()) return;
  payHouse(floor, account, spec.quoteSymbol, position.cost);
  position.cost = ZERO;
  position.entryCost = ZERO;
}

/** Realize what a reducing fill closes; beyond zero it opens the other way at its own price. */
function reduce(position: Position, quantity: Decimal, amount: Decimal): void {
  const held = position.quantity;
  const closesAll = quantity.abs().compare(held.abs()) >= 0;
  const closed = closesAll ? held : quantity.negate();
  const closedEntry = closesAll
    ? position.entryCost
    : position.entryCost.multiply(closed).divide(held, REPORT_DECIMALS);
  const proceeds = closesAll ? amount.multiply(held).divide(quantity, REPORT_DECIMALS) : amount.negate();
  position.realizedPnl = position.realizedPnl.add(proceeds.subtract(closedEntry));
  position.entryCost = closesAll ? amount.add(proceeds) : position.entryCost.subtract(closedEntry);
  position.reportedMtmPnl = ZERO;
}

/** Profit since the last settlement at `mark`. */
export function mtmPnl(position: Position, mark: Decimal): Decimal {
  return position.quantity.multiply(mark).subtract(position.cost);
}

/** Settle a position in cash at `mark`, with its funding; the quantity stays. */
export function settlePosition(
  floor: Floor,
  market: MarketState,
  position: Position,
  { mark, fundingRate, now }: { readonly mark: Decimal; readonly fundingRate: Decimal | null; readonly now: EpochMs },
): void {
  const decimals = assetPrecision(floor.world.assets, market.spec.quoteSymbol);
  const profit = mtmPnl(position, mark).round(decimals);
  const funding =
    fundingRate === null ? ZERO : position.quantity.multiply(mark).multiply(fundingRate).negate().round(decimals);
  payHouse(floor, position.tradingAccountId, market.spec.quoteSymbol, profit.add(funding).negate());
  // The rounding remainder stays in the cost, so that no amount is lost.
  position.cost = position.cost.add(profit);
  position.reportedMtmPnl = position.reportedMtmPnl.add(profit);
  position.reportedFundingPnl = position.reportedFundingPnl.add(funding);
  recordSettlement(floor, market, position, { mark, profit, funding, fundingRate, eventType: 'settlementUpdate', now });
}

/** End a position at `price` per unit: everything is paid, nothing is held any more. */
export function expirePosition(
  floor: Floor,
  market: MarketState,
  position: Position,
  price: Decimal,
  now: EpochMs,
): void {
  const profit = mtmPnl(position, price);
  payHouse(floor, position.tradingAccountId, market.spec.quoteSymbol, profit.negate());
  const eventType = 'expiryUpdate';
  recordSettlement(floor, market, position, { mark: price, profit, funding: ZERO, fundingRate: null, eventType, now });
  position.realizedPnl = position.realizedPnl.add(position.quantity.multiply(price).subtract(position.entryCost));
  position.quantity = ZERO;
  position.cost = ZERO;
  position.entryCost = ZERO;
}

function recordSettlement(
  floor: Floor,
  market: MarketState,
  position: Position,
  settled: {
    readonly mark: Decimal;
    readonly profit: Decimal;
    readonly funding: Decimal;
    readonly fundingRate: Decimal | null;
    readonly eventType: SettlementView['eventType'];
    readonly now: EpochMs;
  },
): void {
  floor.histories.settlements.push({
    tradingAccountId: position.tradingAccountId,
    symbol: position.symbol,
    quantity: position.quantity,
    tradedQuantity: position.tradedSinceSettlement,
    mtmPnl: settled.profit,
    fundingPnl: settled.funding,
    eventType: settled.eventType,
    markPrice: settled.mark,
    indexPrice: floor.indexPrice(market),
    fundingRate: settled.fundingRate,
    at: settled.now,
  });
  position.tradedSinceSettlement = ZERO;
  position.updatedAt = settled.now;
  const { tradingAccountId, symbol } = position;
  floor.emit({ kind: 'position', tradingAccountId, symbol, eventType: settled.eventType });
}
