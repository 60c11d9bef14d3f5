// Hourly work and expiry of the venue: settlement of derivatives with funding, interest on borrowed assets, and the end
// of dated markets. Rates are **assumed**: the exchange does not publish its formulas.

import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import { intrinsicValue } from '../products/option-model.ts';
import { assetPrecision, FEE_ACCOUNT } from '../world/world.ts';
import type { Floor, MarketState } from './floor.ts';
import { Reason, ZERO } from './order.ts';
import { end } from './order-end.ts';
import { expirePosition, settlePosition } from './positions.ts';

export const HOUR_MS = 3_600_000;
/** Hours that are caught up after a clock leapt: as many as the history endpoints look back. */
const HOURS_BACK_MAX = 91 * 24;
const RATE_DECIMALS = 8;
const RATE_MAX = Decimal.of('0.005');
const HOURS_PER_FUNDING = Decimal.of('8');
const HOURS_PER_YEAR = Decimal.of('8760');
const PERCENT = Decimal.of('100');

/** Start of the hour after `now`. */
export function nextHour(now: EpochMs): EpochMs {
  return now - (now % HOUR_MS) + HOUR_MS;
}

/** The first hour that is still caught up at `now` when `due` was the next one. */
export function hourToDo(due: EpochMs, now: EpochMs): EpochMs {
  return Math.max(due, nextHour(now) - HOURS_BACK_MAX * HOUR_MS);
}

/** A perpetual's funding rate now, a ratio per hour: an eighth of its premium over the index, bounded. */
export function fundingRate(floor: Floor, market: MarketState): Decimal {
  const index = floor.indexPrice(market);
  const premium = floor.markPrice(market).subtract(index).divide(index, RATE_DECIMALS);
  const rate = premium.divide(HOURS_PER_FUNDING, RATE_DECIMALS);
  if (rate.compare(RATE_MAX) > 0) return RATE_MAX;
  return rate.compare(RATE_MAX.negate()) < 0 ? RATE_MAX.negate() : rate;
}

/** Do what happens every full hour. */
export function settleHour(floor: Floor, at: EpochMs): void {
  for (const market of floor.markets.values()) {
    const { marketType, symbol } = market.spec;
    if ((marketType !== 'PERPETUAL' && marketType !== 'DATED_FUTURE') || market.expired !== null) continue;
    const rate = marketType === 'PERPETUAL' ? fundingRate(floor, market) : null;
    if (rate !== null) floor.histories.funding.push({ symbol, rate, at });
    const settled = { mark: floor.markPrice(market), fundingRate: rate, now: at };
    for (const position of floor.positionsOf(symbol)) settlePosition(floor, market, position, settled);
  }
  chargeInterest(floor, at);
}

/** Interest on every negative balance of a customer, to the fee account. */
function chargeInterest(floor: Floor, at: EpochMs): void {
  for (const { tradingAccountId, user } of floor.world.accounts) {
    if (user === '') continue;
    for (const asset of floor.ledger.assets(tradingAccountId)) {
      const { total } = floor.ledger.balance(tradingAccountId, asset);
      if (!total.isNegative()) continue;
      const borrowed = total.negate();
      const interest = borrowed
        .multiply(Decimal.of(floor.asset(asset)?.apr ?? '0'))
        .divide(HOURS_PER_YEAR.multiply(PERCENT), assetPrecision(floor.world.assets, asset));
      floor.ledger.move(tradingAccountId, FEE_ACCOUNT, asset, interest);
      floor.histories.interest.push({ tradingAccountId, asset, borrowed, interest, at });
    }
  }
}

/** When a market ends, or null for one that never does or has ended. */
export function expiryOf(market: MarketState): EpochMs | null {
  return market.expired === null ? market.expiresAt : null;
}

/** End a dated market: orders are cancelled (3067), positions are paid at the expiry price, trading is over. */
export function expireMarket(floor: Floor, market: MarketState, at: EpochMs): void {
  const price = floor.indexPrice(market);
  for (const account of floor.ledger.accountIds()) {
    for (const order of floor.openOrders(account)) {
      if (order.market.symbol === market.spec.symbol) end(floor, order, 'CANCELLED', Reason.marketExpired, at);
    }
  }
  const value = intrinsicValue(market.spec, price) ?? price;
  for (const position of floor.positionsOf(market.spec.symbol)) expirePosition(floor, market, position, value, at);
  market.expired = { price, notional: intrinsicValue(market.spec, price) ?? ZERO, at };
  market.flags = {
    ...market.flags,
    marketEnabled: false,
    createOrderEnabled: false,
    amendOrderEnabled: false,
    cancelOrderEnabled: false,
  };
}
