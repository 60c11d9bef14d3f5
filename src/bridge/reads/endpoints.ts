// The table of calls: the exchange's own paths, the callers of each, its parameters and the account it concerns. Routes
// and the OpenAPI document are both made from it. Commands stand in commands.ts.

import { type TSchema, Type } from '../../base/schema.ts';
import type { BridgeFunction } from '../port.ts';

/** Where a call names the trading account it concerns. `answer`: the list in the answer is cut down to the token's. */
export type AccountPlace = 'none' | 'query' | 'path' | 'body' | 'bodies' | 'answer';

export interface Endpoint {
  readonly method: 'GET' | 'POST';
  /** As in OpenAPI: `{name}` for the variable part. */
  readonly path: string;
  readonly needs: BridgeFunction;
  readonly summary: string;
  readonly account: AccountPlace;
  /** Query parameters; all others are refused. */
  readonly query: Readonly<Record<string, TSchema>>;
  readonly body: TSchema | null;
}

const NAME = '^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$';
/** An id of the exchange: digits, too long for a number. */
export const Identifier = Type.String({ pattern: '^[0-9]{1,20}$' });
export const MarketSymbol = Type.String({ pattern: NAME });
const Time = Type.String({ pattern: '^[0-9TZ:.+-]{1,40}$' });
const Word = Type.String({ pattern: '^[A-Za-z0-9_+.-]{1,64}$' });
/** A decimal amount as text: money is never a JSON number. */
export const Amount = Type.String({ pattern: '^-?[0-9]{1,30}(\\.[0-9]{1,18})?$' });

/** Name inside `{…}` of a path. */
export const PATH_PARAMETERS: Readonly<Record<string, TSchema>> = {
  symbol: MarketSymbol,
  assetSymbol: MarketSymbol,
  tradingAccountId: Identifier,
  instructionId: Identifier,
  orderId: Identifier,
  clientOrderId: Identifier,
  tradeId: Identifier,
  otcTradeId: Identifier,
};

const PAGE = {
  _pageSize: Type.Optional(Type.String({ pattern: '^[0-9]{1,3}$' })),
  _metaData: Type.Optional(Type.String({ pattern: '^(true|false)$' })),
  _nextPage: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_=+/.-]{1,512}$' })),
  _previousPage: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_=+/.-]{1,512}$' })),
};
const RANGE = Object.fromEntries(
  ['createdAtDatetime', 'createdAtTimestamp'].flatMap((field) =>
    ['gte', 'lte', 'gt', 'lt'].map((operator) => [`${field}[${operator}]`, Type.Optional(Time)]),
  ),
);
/** Where the exchange wants a range. */
const SPAN = { 'createdAtDatetime[gte]': Time, 'createdAtDatetime[lte]': Time };
const SETTLED = { 'settlementDatetime[gte]': Time, 'settlementDatetime[lte]': Time };
const UPDATED = {
  'updatedAtDatetime[gte]': Type.Optional(Time),
  'updatedAtDatetime[lte]': Type.Optional(Time),
};
const ACCOUNT = { tradingAccountId: Identifier };
const Flag = Type.String({ pattern: '^(true|false)$' });
/** May stand several times, or with commas. */
const Words = Type.Optional(
  Type.Union([
    Type.String({ pattern: '^[A-Za-z0-9_]{1,64}(,[A-Za-z0-9_]{1,64}){0,9}$' }),
    Type.Array(Word, { maxItems: 10 }),
  ]),
);
const optional = (...names: string[]): Record<string, TSchema> =>
  Object.fromEntries(names.map((name) => [name, Type.Optional(Word)]));

const V1 = '/trading-api/v1';
const V2 = '/trading-api/v2';

function read(
  needs: BridgeFunction,
  path: string,
  summary: string,
  account: AccountPlace,
  query: Readonly<Record<string, TSchema>> = {},
): Endpoint {
  return { method: 'GET', path, needs, summary, account, query, body: null };
}

const marketData = (path: string, summary: string, query: Readonly<Record<string, TSchema>> = {}): Endpoint =>
  read('market-data', path, summary, 'none', query);
const auctions = (path: string, summary: string, query: Readonly<Record<string, TSchema>> = {}): Endpoint =>
  read('auctions', path, summary, 'none', query);

const ENTRY = Type.Object({ symbol: MarketSymbol, quantity: Amount }, { additionalProperties: false });

/** One portfolio to simulate. Multipliers are JSON numbers, as the exchange defines them; amounts are text. */
const Portfolio = Type.Object(
  {
    tradingAccountId: Identifier,
    positions: Type.Optional(Type.Array(ENTRY, { maxItems: 1000 })),
    orders: Type.Optional(
      Type.Array(
        Type.Object(
          {
            symbol: MarketSymbol,
            quantity: Amount,
            limitPrice: Type.Optional(Type.Union([Amount, Type.Null()])),
            timeInForce: Type.Optional(Type.Union([Word, Type.Null()])),
          },
          { additionalProperties: false },
        ),
        { maxItems: 1000 },
      ),
    ),
    referencePrices: Type.Optional(
      Type.Array(Type.Object({ symbol: MarketSymbol, price: Amount }, { additionalProperties: false }), {
        maxItems: 1000,
      }),
    ),
    priceVolOffsetParams: Type.Optional(
      Type.Object(
        {
          globalCryptoPriceMultiplier: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
          cryptoPriceMultipliers: Type.Optional(Type.Record(Type.String({ pattern: NAME }), Type.Number())),
          volOffset: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

/** Custody belongs to the whole login, and to no trading account. */
const custody = (path: string, summary: string, query: Readonly<Record<string, TSchema>> = {}): Endpoint =>
  read('custody', `${V1}/wallets/${path}`, summary, 'none', query);

const EXISTING = { includeExisting: Type.Optional(Type.String({ pattern: '^(true|false)$' })) };

/** Every read, and every question that changes nothing. */
export const ENDPOINTS: readonly Endpoint[] = [
  marketData(`${V1}/time`, 'Time of the exchange'),
  marketData(`${V1}/markets`, 'Markets', optional('marketType', 'optionType')),
  marketData(`${V1}/markets/{symbol}`, 'One market'),
  marketData(`${V1}/history/markets`, 'Markets that are or were listed', {
    marketType: Words,
    status: Words,
  }),
  marketData(`${V1}/history/markets/{symbol}`, 'One market that was listed'),
  marketData(`${V1}/markets/{symbol}/orderbook/hybrid`, 'Order book of a market', {
    depth: Type.Optional(Type.String({ pattern: '^[0-9]{1,4}$' })),
  }),
  marketData(`${V1}/markets/{symbol}/trades`, 'Latest public trades of a market'),
  marketData(`${V1}/markets/{symbol}/tick`, 'Present price and volume of a market'),
  marketData(`${V1}/history/markets/{symbol}/trades`, 'Earlier public trades of a market', { ...RANGE, ...PAGE }),
  marketData(`${V1}/markets/{symbol}/candle`, 'Prices and volume of a market by the minute, hour or day', {
    timeBucket: Word,
    ...SPAN,
    ...PAGE,
  }),
  marketData(`${V1}/history/markets/{symbol}/funding-rate`, 'Earlier funding rates of a perpetual', {
    ...UPDATED,
    ...PAGE,
  }),
  marketData(`${V1}/history/option-trades`, 'Earlier public trades of options', {
    ...RANGE,
    ...optional('optionType'),
  }),
  marketData(`${V1}/option-ladder`, 'Options on an asset, by strike', {
    baseSymbol: MarketSymbol,
    ...optional('expiry', 'type', 'sort'),
  }),
  marketData(`${V1}/option-ladder/{symbol}`, 'One option of the ladder'),
  marketData(`${V1}/expiry-prices/{symbol}`, 'Price at which an option or a dated future expired'),
  marketData(`${V1}/assets`, 'Assets'),
  marketData(`${V1}/assets/{symbol}`, 'One asset'),
  marketData(`${V1}/vol-grids`, 'Volatilities by strike and expiry'),
  marketData(`${V1}/assets/{symbol}/vol-grid`, 'Volatilities of one asset'),
  // trading-api.md names these two without a version.
  marketData('/trading-api/assets', 'Assets, as the document has the path'),
  marketData('/trading-api/assets/{symbol}', 'One asset, as the document has the path'),
  marketData(`${V1}/index-prices`, 'Index prices'),
  marketData(`${V1}/index-prices/{assetSymbol}`, 'Index price of one asset'),
  auctions(`${V1}/markets/{symbol}/auctions`, 'The running auction of a market, with its phase'),
  auctions(`${V1}/markets/{symbol}/auctions/noii`, 'Net order imbalance during lockdown'),
  auctions(`${V1}/history/markets/{symbol}/auctions`, 'Results of earlier auctions', { ...RANGE, ...PAGE }),
  read('accounts', `${V1}/accounts/trading-accounts`, 'Trading accounts of this token', 'answer'),
  read('accounts', `${V1}/accounts/trading-accounts/{tradingAccountId}`, 'One trading account', 'path'),
  read('accounts', `${V1}/accounts/asset`, 'Asset accounts of a trading account', 'query', ACCOUNT),
  read('accounts', `${V1}/accounts/asset/{symbol}`, 'One asset account', 'query', ACCOUNT),
  read('accounts', `${V1}/history/borrow-interest`, "Hourly interest on an account's loans", 'query', {
    ...ACCOUNT,
    assetSymbol: MarketSymbol,
    ...SPAN,
    ...PAGE,
  }),
  read('accounts', `${V1}/derivatives-positions`, 'Positions in derivatives', 'query', {
    ...ACCOUNT,
    ...optional('symbol', 'marketType', 'optionType', 'sort'),
  }),
  read('accounts', `${V1}/history/derivatives-settlement`, 'Settlements of these positions, by the hour', 'query', {
    ...ACCOUNT,
    ...optional('symbol'),
    ...SETTLED,
    ...PAGE,
  }),
  read('accounts', `${V1}/history/transfer`, 'Transfers between trading accounts', 'query', {
    ...ACCOUNT,
    ...optional('status', 'requestId', 'assetSymbol'),
    ...SPAN,
    ...PAGE,
  }),
  read('orders', `${V2}/orders`, 'Orders of a trading account', 'query', {
    ...ACCOUNT,
    ...optional('symbol', 'side', 'status', 'clientOrderId', 'handle', 'isAuctionOrder'),
    ...RANGE,
    ...PAGE,
  }),
  read('orders', `${V2}/orders/{orderId}`, 'One order', 'query', ACCOUNT),
  read(
    'orders',
    `${V2}/orders/client-order-id/{clientOrderId}`,
    'One order by the reference it was sent with',
    'query',
    ACCOUNT,
  ),
  read('orders', `${V2}/history/orders`, 'Earlier orders', 'query', {
    ...ACCOUNT,
    ...optional('symbol', 'side', 'status', 'orderId', 'clientOrderId'),
    ...RANGE,
    ...PAGE,
  }),
  read('orders', `${V1}/trades`, 'Trades of a trading account', 'query', {
    ...ACCOUNT,
    ...optional('symbol', 'orderId', 'clientOrderId', 'otcTradeId', 'clientOtcTradeId'),
    ...RANGE,
    ...PAGE,
  }),
  read('orders', `${V1}/trades/{tradeId}`, 'One trade', 'query', ACCOUNT),
  read(
    'orders',
    `${V1}/trades/client-order-id/{clientOrderId}`,
    'Trades of one order by its reference',
    'query',
    ACCOUNT,
  ),
  read('orders', `${V1}/history/trades`, 'Earlier trades', 'query', {
    ...ACCOUNT,
    ...optional('symbol', 'orderId', 'tradeId', 'clientOrderId', 'otcTradeId', 'clientOtcTradeId'),
    ...RANGE,
    ...PAGE,
  }),
  read('amm', `${V2}/amm-instructions`, 'AMM instructions of a trading account', 'query', {
    ...ACCOUNT,
    ...optional('symbol', 'status'),
    ...PAGE,
  }),
  read('amm', `${V2}/amm-instructions/{instructionId}`, 'One AMM instruction', 'query', ACCOUNT),
  read('otc', `${V2}/otc-trades`, 'Negotiated trades of a trading account', 'query', {
    ...ACCOUNT,
    ...optional('status', 'sharedMatchKey', 'clientOtcTradeId', 'brokeredBy'),
    ...RANGE,
    ...PAGE,
  }),
  read('otc', `${V2}/otc-trades/unconfirmed-trade`, 'Entries of other parties that wait under a key', 'query', {
    ...ACCOUNT,
    sharedMatchKey: Word,
  }),
  read('otc', `${V2}/otc-trades/delegated-accounts`, 'Accounts of this token that a broker may trade for', 'answer'),
  read('otc', `${V2}/otc-trades/{otcTradeId}`, 'One negotiated trade', 'query', ACCOUNT),
  read('mmp', `${V2}/mmp-configuration`, 'Market maker protection of a trading account', 'query', {
    ...ACCOUNT,
    symbol: Type.Optional(MarketSymbol),
  }),
  custody('transactions', 'History of deposits and withdrawals', { ...RANGE, ...PAGE }),
  custody('limits/{symbol}', 'Withdrawal limits of an asset'),
  custody('deposit-instructions/crypto/{symbol}', 'Where to deposit a crypto asset'),
  custody('deposit-instructions/fiat/{symbol}', 'Where to deposit a currency'),
  custody('withdrawal-instructions/crypto/{symbol}', 'Known destinations of a crypto asset', {
    signed: Type.Optional(Flag),
    locked: Type.Optional(Flag),
  }),
  custody('withdrawal-instructions/fiat/{symbol}', 'Known destinations of a currency'),
  custody('self-hosted/verification-attempts', 'Verifications of self-hosted wallets', {
    address: Type.Optional(Word),
    destinationId: Type.Optional(Word),
  }),
  {
    method: 'POST',
    path: `${V1}/simulate-portfolio-margin`,
    needs: 'margin',
    summary: 'Margin of a portfolio that does not exist',
    account: 'body',
    query: EXISTING,
    body: Portfolio,
  },
  {
    method: 'POST',
    path: `${V1}/bulk-simulate-portfolio-margin`,
    needs: 'margin',
    summary: 'Margin of several such portfolios',
    account: 'bodies',
    query: EXISTING,
    body: Type.Array(Portfolio, { minItems: 1, maxItems: 100 }),
  },
];
