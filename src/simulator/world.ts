// The world of the simulated exchange as plain data: assets, markets, users with their keys, accounts with balances.
// Leaves key material to key-files.ts and everything that moves to venue.ts.

/** An asset and how finely its amounts are written. */
export interface AssetSpec {
  readonly symbol: string;
  readonly name: string;
  readonly assetId: string;
  readonly precision: number;
  /** Price in USD at the start, a decimal string. */
  readonly indexPrice: string;
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
  /** Addresses from which this user may log in; empty means any. */
  readonly ipAllowList: readonly string[];
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
}

export interface World {
  readonly assets: readonly AssetSpec[];
  readonly markets: readonly MarketSpec[];
  readonly users: readonly UserSpec[];
  /** Those of the scripts and of fees are added where they are missing. */
  readonly accounts: readonly AccountSpec[];
}

/** The account whose orders the liquidity script places. */
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
/** The account that receives fees; it has no user. */
export const FEE_ACCOUNT = '111000000000999';

function market(symbol: string, fields: Partial<MarketSpec>): MarketSpec {
  return {
    symbol,
    marketId: '10000',
    marketType: 'SPOT',
    baseSymbol: 'BTC',
    quoteSymbol: 'USDC',
    tickSize: '0.1000',
    pricePrecision: 4,
    quantityPrecision: 8,
    minQuantityLimit: '0.00001000',
    maxQuantityLimit: '1000.00000000',
    priceBuffer: '0.3',
    auctionEnabled: false,
    auctionPriceCollar: null,
    referencePrice: '60000.0000',
    initialMarginRate: '0.1',
    feeGroupId: 1,
    expiryDatetime: null,
    optionStrikePrice: null,
    optionType: null,
    ...fields,
  };
}

function account(tradingAccountId: string, user: string, fields: Partial<AccountSpec>): AccountSpec {
  return {
    tradingAccountId,
    tradingAccountName: user,
    tradingAccountDescription: `Simulated account of ${user}`,
    isPrimaryAccount: false,
    user,
    endCustomerId: user,
    balances: { BTC: '100', ETH: '1000', USDC: '10000000' },
    unlimited: false,
    makerFee: '0.00000000',
    takerFee: '0.00020000',
    auctionFee: '0.00010000',
    ...fields,
  };
}

/** The built-in world: two spot markets, one perpetual, two funded users, and the market maker. */
export function defaultWorld(): World {
  return {
    assets: [
      { symbol: 'BTC', name: 'Bitcoin', assetId: '1', precision: 8, indexPrice: '60000.0000' },
      { symbol: 'ETH', name: 'Ether', assetId: '3', precision: 8, indexPrice: '3000.0000' },
      { symbol: 'USDC', name: 'USD Coin', assetId: '5', precision: 4, indexPrice: '1.0000' },
    ],
    markets: [
      market('BTCUSDC', { auctionEnabled: true, auctionPriceCollar: '0.05' }),
      market('ETHUSDC', {
        marketId: '10001',
        baseSymbol: 'ETH',
        tickSize: '0.0100',
        minQuantityLimit: '0.00010000',
        maxQuantityLimit: '10000.00000000',
        referencePrice: '3000.0000',
      }),
      market('BTC-USDC-PERP', { marketId: '10002', marketType: 'PERPETUAL', feeGroupId: 2 }),
    ],
    users: [
      {
        name: 'demo',
        userId: '20001',
        keys: [
          { name: 'demo-ecdsa', kind: 'ecdsa' },
          { name: 'demo-hmac', kind: 'hmac' },
        ],
        ipAllowList: [],
      },
      {
        name: 'other',
        userId: '20002',
        keys: [
          { name: 'other-ecdsa', kind: 'ecdsa' },
          { name: 'other-hmac', kind: 'hmac' },
        ],
        ipAllowList: [],
      },
    ],
    accounts: [
      account('111000000000001', 'demo', { tradingAccountName: 'Primary Account', isPrimaryAccount: true }),
      account('111000000000002', 'demo', { tradingAccountName: 'Second Account' }),
      account('111000000000003', 'other', { tradingAccountName: 'Primary Account', isPrimaryAccount: true }),
    ],
  };
}

/** The world with the accounts that the venue itself and its scripts need. */
export function withHouseAccounts(world: World): World {
  const free = { unlimited: true, balances: {}, takerFee: '0.00000000', auctionFee: '0.00000000' };
  const house = [
    account(MARKET_MAKER_ACCOUNT, '', { ...free, tradingAccountName: 'Market maker', endCustomerId: 'market-maker' }),
    account(COUNTERPARTY_ACCOUNT, '', { ...free, tradingAccountName: 'Counterparty', endCustomerId: 'counterparty' }),
    account(FEE_ACCOUNT, '', { ...free, tradingAccountName: 'Fees', endCustomerId: 'fees' }),
  ];
  const known = new Set(world.accounts.map(({ tradingAccountId }) => tradingAccountId));
  return { ...world, accounts: [...world.accounts, ...house.filter((a) => !known.has(a.tradingAccountId))] };
}
