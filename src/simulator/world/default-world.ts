// The built-in world of the simulated exchange, and the defaults that a world file's entries are filled with.

import {
  type AccountSpec,
  type AssetSpec,
  COUNTERPARTY_ACCOUNT,
  CUSTODY_ACCOUNT,
  FEE_ACCOUNT,
  MARKET_MAKER_ACCOUNT,
  type MarketSpec,
  OPEN_ORDERS_MAX,
  type UserSpec,
  type World,
} from './world.ts';

/** An asset with the defaults of a coin. */
export function assetSpec(symbol: string, fields: Partial<AssetSpec> = {}): AssetSpec {
  return {
    symbol,
    name: symbol,
    assetId: '1000',
    precision: 8,
    indexPrice: '1.0000',
    apr: '5.00',
    networks: [symbol],
    isFiat: false,
    withdrawalFee: '0.001',
    withdrawalLimit: '1000000',
    ...fields,
  };
}

/** A market with the defaults of BTC against USDC. */
export function marketSpec(symbol: string, fields: Partial<MarketSpec> = {}): MarketSpec {
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

/** A user with an ECDSA and an HMAC key named after it. */
export function userSpec(name: string, fields: Partial<UserSpec> = {}): UserSpec {
  return {
    name,
    userId: '20000',
    keys: [
      { name: `${name}-ecdsa`, kind: 'ecdsa' },
      { name: `${name}-hmac`, kind: 'hmac' },
    ],
    ipAllowList: [],
    idbShortCode: null,
    mayTradeOtc: true,
    ...fields,
  };
}

/** A funded account of a user. */
export function accountSpec(tradingAccountId: string, user: string, fields: Partial<AccountSpec> = {}): AccountSpec {
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
    makerOtcFee: '0.00000000',
    takerOtcFee: '0.00010000',
    brokerFee: '0.00005000',
    openSpotOrdersMax: OPEN_ORDERS_MAX,
    openMarginOrdersMax: OPEN_ORDERS_MAX,
    ...fields,
  };
}

/** Last day of the dated markets: far enough to be traded for years, fixed so that symbols stay the same. */
const EXPIRY = '2029-12-28';
const DATED = { expiryDatetime: `${EXPIRY}T08:00:00.000Z`, feeGroupId: 2 } as const;

/** The built-in world: markets of every kind, two funded users, a broker, and the market maker. */
export function defaultWorld(): World {
  const day = EXPIRY.replaceAll('-', '');
  const option = {
    ...DATED,
    marketType: 'OPTION',
    optionStrikePrice: '60000.0000',
    referencePrice: '5000.0000',
  } as const;
  return {
    assets: [
      assetSpec('BTC', { name: 'Bitcoin', assetId: '1', indexPrice: '60000.0000' }),
      assetSpec('ETH', { name: 'Ether', assetId: '3', indexPrice: '3000.0000' }),
      assetSpec('USDC', { name: 'USD Coin', assetId: '5', precision: 4, networks: ['ETH', 'SOL'], withdrawalFee: '3' }),
      assetSpec('USD', {
        name: 'US Dollar',
        assetId: '6',
        precision: 4,
        networks: ['SWIFT', 'ABA'],
        isFiat: true,
        withdrawalFee: '25',
      }),
    ],
    markets: [
      marketSpec('BTCUSDC', { auctionEnabled: true, auctionPriceCollar: '0.05' }),
      marketSpec('ETHUSDC', {
        marketId: '10001',
        baseSymbol: 'ETH',
        tickSize: '0.0100',
        minQuantityLimit: '0.00010000',
        maxQuantityLimit: '10000.00000000',
        referencePrice: '3000.0000',
      }),
      marketSpec('BTC-USDC-PERP', { marketId: '10002', marketType: 'PERPETUAL', feeGroupId: 2 }),
      marketSpec(`BTC-USDC-${day}`, { ...DATED, marketId: '10003', marketType: 'DATED_FUTURE' }),
      marketSpec(`BTC-USDC-${day}-60000-C`, { ...option, marketId: '10004', optionType: 'CALL' }),
      marketSpec(`BTC-USDC-${day}-60000-P`, { ...option, marketId: '10005', optionType: 'PUT' }),
    ],
    users: [
      userSpec('demo', { userId: '20001' }),
      userSpec('other', { userId: '20002' }),
      userSpec('broker', { userId: '20003', idbShortCode: 'IDB_A' }),
    ],
    accounts: [
      accountSpec('111000000000001', 'demo', { tradingAccountName: 'Primary Account', isPrimaryAccount: true }),
      accountSpec('111000000000002', 'demo', { tradingAccountName: 'Second Account' }),
      accountSpec('111000000000003', 'other', { tradingAccountName: 'Primary Account', isPrimaryAccount: true }),
    ],
    delegations: [
      {
        tradingAccountId: '111000000000002',
        idbShortCode: 'IDB_A',
        tradingAccountNickname: 'Demo by broker',
        approvalMethod: 'STRAIGHT_THROUGH',
        institutionName: 'Demo Capital',
        institutionRegistrationNumber: '10000001',
      },
      {
        tradingAccountId: '111000000000003',
        idbShortCode: 'IDB_A',
        tradingAccountNickname: 'Other by broker',
        approvalMethod: 'APPROVAL_REQUIRED',
        institutionName: 'Other Trading',
        institutionRegistrationNumber: null,
      },
    ],
  };
}

/** The world with the accounts that the venue itself and its scripts need. */
export function withHouseAccounts(world: World): World {
  const free = { unlimited: true, balances: {}, takerFee: '0.00000000', auctionFee: '0.00000000' };
  const house = [
    accountSpec(MARKET_MAKER_ACCOUNT, '', {
      ...free,
      tradingAccountName: 'Market maker',
      endCustomerId: 'market-maker',
    }),
    accountSpec(COUNTERPARTY_ACCOUNT, '', {
      ...free,
      tradingAccountName: 'Counterparty',
      endCustomerId: 'counterparty',
    }),
    accountSpec(CUSTODY_ACCOUNT, '', { ...free, tradingAccountName: 'Custody', endCustomerId: 'custody' }),
    accountSpec(FEE_ACCOUNT, '', { ...free, tradingAccountName: 'Fees', endCustomerId: 'fees' }),
  ];
  const known = new Set(world.accounts.map(({ tradingAccountId }) => tradingAccountId));
  return { ...world, accounts: [...world.accounts, ...house.filter((a) => !known.has(a.tradingAccountId))] };
}
