// The limits of sessions and of trading accounts with their amounts read once, and how many orders each sent of late
// (rule O12). risk-limits.ts compares with them.

import { assert } from '../../base/assert.ts';
import { SlidingWindow } from '../../base/collections/sliding-window.ts';
import { Decimal } from '../../base/decimal.ts';
import type { AccountLimits, GatewaySessionConfig, RiskLimits } from '../vocabulary/config.ts';

/** Limits of a session or of an account; null where there is none. */
export interface OrderLimits {
  /** Their owner, for Text(58): `this session`, `account 111000000000001`. */
  readonly whose: string;
  readonly orderQtyMax: Decimal | null;
  readonly notionalMax: Decimal | null;
  readonly openOrdersMax: number | null;
  readonly priceBandPercent: Decimal | null;
  readonly referencePriceAgeMaxMs: number;
  /** Orders and replacements that went out within a second. */
  readonly rate: SlidingWindow | null;
}

/** Age at which a reference price is stale where an account's limits name none. */
const PRICE_AGE_MAX_MS = 30_000;

const LIMIT_POSITIVE = 'is a positive decimal; a session without limits does not start (rule O12)';

/** Of a session that takes no orders. */
export const NO_ORDERS: OrderLimits = {
  whose: 'this session',
  orderQtyMax: Decimal.ZERO,
  notionalMax: Decimal.ZERO,
  openOrdersMax: 0,
  priceBandPercent: null,
  referencePriceAgeMaxMs: 0,
  rate: null,
};

/** Read a session's limits. @throws AssertionError if there are no usable ones */
export function sessionLimits({ sessionId, limits }: GatewaySessionConfig): OrderLimits {
  assert(limits !== undefined && limits !== null, `limits of ${sessionId}: none; a session needs them (rule O12)`);
  for (const key of ['orderQtyMax', 'notionalMax'] as const) {
    assert(Decimal.parse(limits[key])?.isPositive() === true, `${key} of ${sessionId} ${LIMIT_POSITIVE}`);
  }
  assert(limits.openOrdersMax > 0, `openOrdersMax of ${sessionId} is positive (rule O12)`);
  return orderLimits('this session', sessionId, limits);
}

/** Read a trading account's limits. @throws AssertionError if an amount is unusable */
export function accountLimits(tradingAccountId: string, limits: AccountLimits): OrderLimits {
  return orderLimits(`account ${tradingAccountId}`, tradingAccountId, limits);
}

function orderLimits(whose: string, name: string, limits: Partial<RiskLimits>): OrderLimits {
  const amount = (key: 'orderQtyMax' | 'notionalMax' | 'priceBandPercent'): Decimal | null => {
    const written = limits[key] ?? null;
    if (written === null) return null;
    const read = Decimal.parse(written);
    assert(read?.isPositive() === true, `${key} of ${name} is positive`);
    return read;
  };
  const { ordersPerSecondMax = 0 } = limits;
  return {
    whose,
    orderQtyMax: amount('orderQtyMax'),
    notionalMax: amount('notionalMax'),
    openOrdersMax: limits.openOrdersMax ?? null,
    priceBandPercent: amount('priceBandPercent'),
    referencePriceAgeMaxMs: limits.referencePriceAgeMaxMs ?? PRICE_AGE_MAX_MS,
    rate: ordersPerSecondMax === 0 ? null : new SlidingWindow(ordersPerSecondMax, 1_000),
  };
}
