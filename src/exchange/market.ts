// Markets as reference data: the gateway checks an order against them before the exchange sees it.

/** A market (exchange reference §1.6). Amounts are decimal strings. */
export interface Market {
  readonly symbol: string;
  readonly marketType: 'SPOT' | 'PERPETUAL' | 'DATED_FUTURE' | 'OPTION';
  readonly baseSymbol: string;
  readonly quoteSymbol: string;
  readonly tickSize: string;
  /** Units of the base asset that a quantity of 1 is (**assumed**); absent where the market has none. */
  readonly contractMultiplier?: string;
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
  // The one that may be absent.
  return one.contractMultiplier === other.contractMultiplier;
}

function isEqual(one: Market[keyof Market], other: Market[keyof Market]): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((item, i) => item === other[i]);
}
