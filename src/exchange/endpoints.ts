// The exchange's REST endpoints besides its signed commands: method, path, callers, parameters (exchange catalogue,
// Appendix A), and the request of a query. Sending it and its share of the rate belong to exchange-client; logins are
// signing.ts, commands command.ts and account-commands.ts.

/** `login`: with the JWT of any key; `custody`: with that of an ECDSA key (trading-api.md, Authentication). */
export type EndpointAccess = 'public' | 'login' | 'custody';

/** One endpoint. `Must` and `May` are its query parameters; `:name` in the path is the variable part. */
export interface Endpoint<P extends string = string, Must extends string = string, May extends string = string> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: P;
  readonly access: EndpointAccess;
  readonly must: readonly Must[];
  readonly may: readonly May[];
}

function get<const P extends string, const Must extends string = never, const May extends string = never>(
  access: EndpointAccess,
  path: P,
  must: readonly Must[] = [],
  may: readonly May[] = [],
): Endpoint<P, Must, May> {
  return { method: 'GET', path, access, must, may };
}

/** A question with a body that changes no order: nothing is signed. */
function post<const P extends string, const May extends string = never>(
  access: EndpointAccess,
  path: P,
  may: readonly May[] = [],
): Endpoint<P, never, May> {
  return { method: 'POST', path, access, must: [], may };
}

/** Cursors are opaque and come from links (exchange reference §1.3). */
const PAGES = ['_pageSize', '_metaData', '_nextPage', '_previousPage'] as const;
const CREATED = [
  'createdAtDatetime[gte]',
  'createdAtDatetime[lte]',
  'createdAtTimestamp[gte]',
  'createdAtTimestamp[lte]',
] as const;
const SINCE = ['createdAtDatetime[gte]', 'createdAtDatetime[lte]'] as const;
const OWN = ['tradingAccountId'] as const;

/** Every endpoint that is no login, no logout and no signed command, by a name of ours. */
export const ENDPOINTS = {
  // General. trading-api.md names the nonce range without a version.
  nonce: get('login', '/trading-api/v1/nonce'),
  nonceOfDocument: get('login', '/nonce'),
  time: get('public', '/trading-api/v1/time'),

  // Accounts.
  tradingAccounts: get('login', '/trading-api/v1/accounts/trading-accounts'),
  tradingAccount: get('login', '/trading-api/v1/accounts/trading-accounts/:tradingAccountId'),
  assetAccounts: get('login', '/trading-api/v1/accounts/asset', OWN),
  assetAccount: get('login', '/trading-api/v1/accounts/asset/:symbol', OWN),
  transfers: get('login', '/trading-api/v1/history/transfer', SINCE, [
    ...OWN,
    'status',
    'requestId',
    'assetSymbol',
    ...PAGES,
  ]),
  borrowInterest: get(
    'login',
    '/trading-api/v1/history/borrow-interest',
    ['assetSymbol', ...SINCE],
    [...OWN, ...PAGES],
  ),
  simulatePortfolioMargin: post('login', '/trading-api/v1/simulate-portfolio-margin', ['includeExisting']),
  simulatePortfolioMargins: post('login', '/trading-api/v1/bulk-simulate-portfolio-margin', ['includeExisting']),

  // Orders, trades, liquidity.
  orders: get('login', '/trading-api/v2/orders', OWN, [
    'symbol',
    'clientOrderId',
    'side',
    'status',
    'isAuctionOrder',
    ...PAGES,
  ]),
  order: get('login', '/trading-api/v2/orders/:orderId', OWN),
  orderByClientOrderId: get('login', '/trading-api/v2/orders/client-order-id/:clientOrderId', OWN),
  pastOrders: get('login', '/trading-api/v2/history/orders', OWN, [
    'symbol',
    'orderId',
    'clientOrderId',
    'side',
    'status',
    ...CREATED,
    ...PAGES,
  ]),
  trades: get('login', '/trading-api/v1/trades', OWN, [
    'symbol',
    'orderId',
    'clientOrderId',
    'otcTradeId',
    'clientOtcTradeId',
    ...PAGES,
  ]),
  trade: get('login', '/trading-api/v1/trades/:tradeId', OWN),
  tradesByClientOrderId: get('login', '/trading-api/v1/trades/client-order-id/:clientOrderId', OWN),
  pastTrades: get('login', '/trading-api/v1/history/trades', OWN, [
    'symbol',
    'orderId',
    'tradeId',
    'clientOrderId',
    'otcTradeId',
    'clientOtcTradeId',
    ...CREATED,
    ...PAGES,
  ]),
  instructions: get('login', '/trading-api/v2/amm-instructions', OWN, ['symbol', 'status', ...PAGES]),
  instruction: get('login', '/trading-api/v2/amm-instructions/:instructionId', OWN),
  mmpConfiguration: get('login', '/trading-api/v2/mmp-configuration', OWN, ['symbol']),

  // Custody: ECDSA keys only.
  custodyTransactions: get('custody', '/trading-api/v1/wallets/transactions', [], [...SINCE, ...PAGES]),
  withdrawalLimits: get('custody', '/trading-api/v1/wallets/limits/:symbol'),
  cryptoDeposit: get('custody', '/trading-api/v1/wallets/deposit-instructions/crypto/:symbol'),
  cryptoWithdrawal: get(
    'custody',
    '/trading-api/v1/wallets/withdrawal-instructions/crypto/:symbol',
    [],
    ['signed', 'locked'],
  ),
  fiatDeposit: get('custody', '/trading-api/v1/wallets/deposit-instructions/fiat/:symbol'),
  fiatWithdrawal: get('custody', '/trading-api/v1/wallets/withdrawal-instructions/fiat/:symbol'),
  walletVerifications: get(
    'custody',
    '/trading-api/v1/wallets/self-hosted/verification-attempts',
    [],
    ['address', 'destinationId'],
  ),
  verifyWallet: post('custody', '/trading-api/v1/wallets/self-hosted/initiate'),
  deleteDestination: {
    ...get('custody', '/trading-api/v1/wallets/withdrawal-instructions/:destinationId'),
    method: 'DELETE',
  },

  // Assets and markets. trading-api.md names the assets without a version.
  assets: get('public', '/trading-api/v1/assets'),
  asset: get('public', '/trading-api/v1/assets/:symbol'),
  assetsOfDocument: get('public', '/trading-api/assets'),
  assetOfDocument: get('public', '/trading-api/assets/:symbol'),
  volGrids: get('public', '/trading-api/v1/vol-grids'),
  volGrid: get('public', '/trading-api/v1/assets/:symbol/vol-grid'),
  markets: get('public', '/trading-api/v1/markets', [], ['marketType', 'optionType']),
  market: get('public', '/trading-api/v1/markets/:symbol'),
  pastMarkets: get('public', '/trading-api/v1/history/markets', [], ['marketType', 'status']),
  pastMarket: get('public', '/trading-api/v1/history/markets/:symbol'),
  orderBook: get('public', '/trading-api/v1/markets/:symbol/orderbook/hybrid', [], ['depth']),
  marketTrades: get('public', '/trading-api/v1/markets/:symbol/trades'),
  tick: get('public', '/trading-api/v1/markets/:symbol/tick'),
  candles: get('public', '/trading-api/v1/markets/:symbol/candle', ['timeBucket', ...SINCE], PAGES),
  auctions: get('public', '/trading-api/v1/markets/:symbol/auctions'),
  auctionNoii: get('public', '/trading-api/v1/markets/:symbol/auctions/noii'),
  pastAuctions: get('public', '/trading-api/v1/history/markets/:symbol/auctions', [], [...CREATED, ...PAGES]),
  pastMarketTrades: get('public', '/trading-api/v1/history/markets/:symbol/trades', [], [...CREATED, ...PAGES]),
  indexPrices: get('public', '/trading-api/v1/index-prices'),
  indexPrice: get('public', '/trading-api/v1/index-prices/:assetSymbol'),

  // Derivatives.
  positions: get(
    'login',
    '/trading-api/v1/derivatives-positions',
    [],
    [...OWN, 'symbol', 'marketType', 'optionType', 'sort'],
  ),
  settlements: get(
    'login',
    '/trading-api/v1/history/derivatives-settlement',
    ['settlementDatetime[gte]', 'settlementDatetime[lte]'],
    [...OWN, 'symbol', ...PAGES],
  ),
  fundingRates: get(
    'public',
    '/trading-api/v1/history/markets/:symbol/funding-rate',
    [],
    ['updatedAtDatetime[gte]', 'updatedAtDatetime[lte]', ...PAGES],
  ),
  optionTrades: get('public', '/trading-api/v1/history/option-trades', [], [...CREATED, 'optionType']),
  optionLadders: get('public', '/trading-api/v1/option-ladder', ['baseSymbol'], ['expiry', 'type', 'sort']),
  optionLadder: get('public', '/trading-api/v1/option-ladder/:symbol'),
  expiryPrice: get('public', '/trading-api/v1/expiry-prices/:symbol'),

  // Negotiated trades, of one's own and of a broker.
  otcTrades: get('login', '/trading-api/v2/otc-trades', OWN, [
    'status',
    'sharedMatchKey',
    'clientOtcTradeId',
    'brokeredBy',
    ...SINCE,
    ...PAGES,
  ]),
  otcTrade: get('login', '/trading-api/v2/otc-trades/:otcTradeId', OWN),
  unconfirmedOtcTrade: get('login', '/trading-api/v2/otc-trades/unconfirmed-trade', [...OWN, 'sharedMatchKey']),
  delegatedAccounts: get('login', '/trading-api/v2/otc-trades/delegated-accounts'),
  brokerAccounts: get('login', '/trading-api/v2/idb/delegated-accounts', [], [...OWN, ...PAGES]),
  brokerOtcTrades: get(
    'login',
    '/trading-api/v2/idb/otc-trades',
    [],
    [...OWN, 'status', 'sharedMatchKey', ...SINCE, ...PAGES],
  ),
} as const satisfies Readonly<Record<string, Endpoint>>;

export type EndpointName = keyof typeof ENDPOINTS;

/** The values that stand in a path. */
type PathValues<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Readonly<Record<Name, string>> & PathValues<Rest>
  : P extends `${string}:${infer Name}`
    ? Readonly<Record<Name, string>>
    : unknown;

/** Parameters of an endpoint. Times are ISO text or milliseconds, as the name says; all values are text. */
export type EndpointQuestion<N extends EndpointName = EndpointName> =
  (typeof ENDPOINTS)[N] extends Endpoint<infer P, infer Must, infer May>
    ? PathValues<P> & { readonly [K in Must]: string } & { readonly [K in May]?: string }
    : never;

/**
 * Method, path with query, and access of a question. Values are escaped; parameters unknown to the endpoint are left
 * out.
 */
export function encodeQuestion<N extends EndpointName>(
  name: N,
  question: EndpointQuestion<N>,
): Pick<Endpoint, 'method' | 'access'> & { readonly target: string } {
  const { method, path, access, must, may }: Endpoint = ENDPOINTS[name];
  const values = question as Readonly<Record<string, string | undefined>>;
  const filled = path.replace(/:(\w+)/g, (_whole, value: string) => encodeURIComponent(values[value] ?? ''));
  const query = [...must, ...may].flatMap((field) => {
    const value = values[field];
    return value === undefined ? [] : [`${encodeURIComponent(field)}=${encodeURIComponent(value)}`];
  });
  return { method, access, target: query.length === 0 ? filled : `${filled}?${query.join('&')}` };
}
