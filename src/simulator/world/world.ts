// The world of the simulated exchange as plain data: assets, markets, users with their keys, accounts with balances.
// The built-in one is default-world.ts, files of one's own are world-file.ts; key material is key-files.ts, everything
// that moves is venue.ts.

/** An asset and how finely its amounts are written. */
export interface AssetSpec {
  readonly symbol: string;
  readonly name: string;
  readonly assetId: string;
  readonly precision: number;
  /** Price in USD at the start, a decimal string. */
  readonly indexPrice: string;
  /** Yearly interest on what is borrowed, in percent. */
  readonly apr: string;
  /** Networks that custody moves it over: chains, or bank networks of a fiat currency. */
  readonly networks: readonly string[];
  readonly isFiat: boolean;
  /** Fee of a withdrawal, in units of the asset. */
  readonly withdrawalFee: string;
  /** A user's withdrawal limit within 24 hours. */
  readonly withdrawalLimit: string;
}

/** A market (the exchange reference's Market, as far as it gates trading). Amounts are decimal strings. */
export interface MarketSpec {
  readonly symbol: string;
  readonly marketId: string;
  readonly marketType: 'SPOT' | 'PERPETUAL' | 'DATED_FUTURE' | 'OPTION';
  readonly baseSymbol: string;
  readonly quoteSymbol: string;
  readonly tickSize: string;
  readonly pricePrecision: number;
  readonly quantityPrecision: number;
  /** Exclusive bounds of an order's quantity. */
  readonly minQuantityLimit: string;
  readonly maxQuantityLimit: string;
  /** Ratio around the last price within which a limit price is accepted. */
  readonly priceBuffer: string;
  readonly auctionEnabled: boolean;
  /** Ratio around the index price, or null. */
  readonly auctionPriceCollar: string | null;
  /** Price that the liquidity script starts from. */
  readonly referencePrice: string;
  /** Share of the notional that a derivative order locks; ignored for SPOT. */
  readonly initialMarginRate: string;
  readonly feeGroupId: number;
  readonly expiryDatetime: string | null;
  readonly optionStrikePrice: string | null;
  readonly optionType: 'CALL' | 'PUT' | null;
}

/** A key of a user; generated at the first start unless its public half is given here. */
export interface KeySpec {
  readonly name: string;
  readonly kind: 'hmac' | 'ecdsa';
}

export interface UserSpec {
  readonly name: string;
  readonly userId: string;
  readonly keys: readonly KeySpec[];
  /** Addresses or ranges (`10.0.0.0/8`) from which this user may log in; empty means any. */
  readonly ipAllowList: readonly string[];
  /** Set for an inter-dealer broker: the short code that its OTC trades carry as `brokeredBy`. */
  readonly idbShortCode: string | null;
  /** Whether OTC commands of this user are taken; default yes. */
  readonly mayTradeOtc: boolean;
}

/** A trading account with an owner who lets a broker enter OTC trades for it. */
export interface DelegationSpec {
  readonly tradingAccountId: string;
  readonly idbShortCode: string;
  readonly tradingAccountNickname: string;
  readonly approvalMethod: 'STRAIGHT_THROUGH' | 'APPROVAL_REQUIRED';
  readonly institutionName: string;
  readonly institutionRegistrationNumber: string | null;
}

export interface AccountSpec {
  readonly tradingAccountId: string;
  readonly tradingAccountName: string;
  readonly tradingAccountDescription: string;
  readonly isPrimaryAccount: boolean;
  /** Name of the owning user. */
  readonly user: string;
  /** Orders of one end customer never trade with each other. */
  readonly endCustomerId: string;
  readonly balances: Readonly<Record<string, string>>;
  /** Never refused for want of balance: the scripts that make the market. */
  readonly unlimited: boolean;
  readonly makerFee: string;
  readonly takerFee: string;
  readonly auctionFee: string;
  readonly makerOtcFee: string;
  readonly takerOtcFee: string;
  readonly brokerFee: string;
  /** Open orders at once in spot markets without borrowing; the exchange's figure is unknown (**assumed**). */
  readonly openSpotOrdersMax: number;
  /** The same for orders that may borrow and for those in derivative markets, which need margin (**assumed**). */
  readonly openMarginOrdersMax: number;
}

/** Of an account that says nothing else: more than a trader or a quoting program keeps open. */
export const OPEN_ORDERS_MAX = 100_000;

export interface World {
  readonly assets: readonly AssetSpec[];
  readonly markets: readonly MarketSpec[];
  readonly users: readonly UserSpec[];
  /** Those of the scripts and of fees are added where they are missing. */
  readonly accounts: readonly AccountSpec[];
  readonly delegations: readonly DelegationSpec[];
}

/** The account with the orders of the liquidity script. */
export const MARKET_MAKER_ACCOUNT = '111000000000900';
/** The account of the scripted counterparty: trades that tests ask for, and the takers of moving liquidity. */
export const COUNTERPARTY_ACCOUNT = '111000000000901';
/** Hidden accounts that hold what AMM instructions committed begin with this. */
export const AMM_ACCOUNT_PREFIX = 'amm-';
/** Fee tiers of AMM instructions, the same in every market that has them. */
export const FEE_TIERS = [
  { feeTierId: '1', staticSpreadFee: '0.00040000', isDislocationEnabled: true },
  { feeTierId: '2', staticSpreadFee: '0.00200000', isDislocationEnabled: false },
] as const;
/** The account that deposits come from and withdrawals go to: the world outside. */
export const CUSTODY_ACCOUNT = '111000000000998';
/** The account that receives fees; it has no user. */
export const FEE_ACCOUNT = '111000000000999';

/** Decimals of an asset's amounts. */
export function assetPrecision(assets: readonly AssetSpec[], symbol: string): number {
  return assets.find((asset) => asset.symbol === symbol)?.precision ?? 8;
}
