// Markets as reference data: the gateway checks an order against them before the exchange sees it.

import type { EpochMs } from '../base/time.ts';

/** A market (exchange reference §1.6). Amounts are decimal strings. */
export interface Market {
  readonly symbol: string;
  readonly marketType: 'SPOT' | 'PERPETUAL' | 'DATED_FUTURE' | 'OPTION';
  readonly baseSymbol: string;
  readonly quoteSymbol: string;
  readonly tickSize: string;
  /** Units of the base asset that a quantity of 1 is (**assumed**); absent where the market has none. */
  readonly contractMultiplier?: string;
  /** Asset that a derivative settles in; absent for spot markets. */
  readonly settlementAssetSymbol?: string;
  /** When a dated future or an option expires; absent for others. */
  readonly expiresAt?: EpochMs;
  /** Of an option, in quote currency. */
  readonly strikePrice?: string;
  readonly optionType?: 'CALL' | 'PUT';
  readonly pricePrecision: number;
  readonly quantityPrecision: number;
  /** Exclusive: a quantity must be greater. */
  readonly minQuantityLimit: string;
  /** Exclusive: a quantity must be less. */
  readonly maxQuantityLimit: string;
  readonly orderTypes: readonly string[];
  readonly marketEnabled: boolean;
  readonly createOrderEnabled: boolean;
  readonly cancelOrderEnabled: boolean;
  /** Orders may borrow (spot markets only). */
  readonly marginTradingEnabled: boolean;
  readonly auctionEnabled: boolean;
  /** Decimal ratio around the index price, or null. */
  readonly auctionPriceCollar: string | null;
}

/** Whether two say the same. */
export function isSameMarket(one: Market, other: Market): boolean {
  for (const key in one) if (!isEqual(one[key as keyof Market], other[key as keyof Market])) return false;
  // Fields that only one of the two has.
  for (const key in other) if (!(key in one)) return false;
  return true;
}

function isEqual(one: Market[keyof Market], other: Market[keyof Market]): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((item, i) => item === other[i]);
}
