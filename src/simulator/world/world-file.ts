// The world file: assets, markets, users with their keys, accounts and delegations as YAML or JSON, what is left out filled
// with defaults. Its form is documented in docs/operate/simulated-exchange.md; sums, references and precisions are world-check.ts.

import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { CrossgateError } from '../../base/errors.ts';
import { type TSchema, Type } from '../../base/schema.ts';
import { accountSpec, assetSpec, marketSpec, userSpec } from './default-world.ts';
import { readPlainFile } from './plain-file.ts';
import type { AccountSpec, AssetSpec, DelegationSpec, MarketSpec, UserSpec, World } from './world.ts';

const CLOSED = { additionalProperties: false } as const;
const text = Type.String({ minLength: 1, maxLength: 200 });
const amount = Type.String({ pattern: '^-?[0-9]{1,30}(\\.[0-9]{1,18})?$' });
const digits = Type.Integer({ minimum: 0, maximum: 18 });
const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()]);
const optional = (fields: Readonly<Record<string, TSchema>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]));

/** Everything but the names may be left out. */
const WORLD_FILE = Type.Object(
  optional({
    assets: Type.Array(
      Type.Object(
        {
          symbol: text,
          ...optional({
            name: text,
            assetId: text,
            precision: digits,
            indexPrice: amount,
            apr: amount,
            networks: Type.Array(text, { maxItems: 20 }),
            isFiat: Type.Boolean(),
            withdrawalFee: amount,
            withdrawalLimit: amount,
          }),
        },
        CLOSED,
      ),
    ),
    markets: Type.Array(
      Type.Object(
        {
          symbol: text,
          ...optional({
            marketId: text,
            marketType: Type.Enum(['SPOT', 'PERPETUAL', 'DATED_FUTURE', 'OPTION']),
            baseSymbol: text,
            quoteSymbol: text,
            tickSize: amount,
            pricePrecision: digits,
            quantityPrecision: digits,
            minQuantityLimit: amount,
            maxQuantityLimit: amount,
            priceBuffer: amount,
            auctionEnabled: Type.Boolean(),
            auctionPriceCollar: orNull(amount),
            referencePrice: amount,
            initialMarginRate: amount,
            feeGroupId: Type.Integer({ minimum: 1 }),
            expiryDatetime: orNull(Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' })),
            optionStrikePrice: orNull(amount),
            optionType: orNull(Type.Enum(['CALL', 'PUT'])),
          }),
        },
        CLOSED,
      ),
    ),
    users: Type.Array(
      Type.Object(
        {
          name: Type.String({ pattern: '^[A-Za-z0-9_-]{1,40}$' }),
          userId: text,
          ...optional({
            keys: Type.Array(
              Type.Object(
                {
                  name: Type.String({ pattern: '^[A-Za-z0-9_-]{1,60}$' }),
                  kind: Type.Enum(['hmac', 'ecdsa']),
                },
                CLOSED,
              ),
            ),
            ipAllowList: Type.Array(text),
            idbShortCode: orNull(text),
            mayTradeOtc: Type.Boolean(),
          }),
        },
        CLOSED,
      ),
    ),
    accounts: Type.Array(
      Type.Object(
        {
          tradingAccountId: Type.String({ pattern: '^111[0-9]{12}$' }),
          user: text,
          ...optional({
            tradingAccountName: text,
            tradingAccountDescription: text,
            isPrimaryAccount: Type.Boolean(),
            endCustomerId: Type.String({ maxLength: 32 }),
            // Not a record, because its pattern accepts names with a line break.
            balances: Type.Object({}, { additionalProperties: amount }),
            unlimited: Type.Boolean(),
            makerFee: amount,
            takerFee: amount,
            auctionFee: amount,
            makerOtcFee: amount,
            takerOtcFee: amount,
            brokerFee: amount,
            openSpotOrdersMax: Type.Integer({ minimum: 0 }),
            openMarginOrdersMax: Type.Integer({ minimum: 0 }),
          }),
        },
        CLOSED,
      ),
    ),
    delegations: Type.Array(
      Type.Object(
        {
          tradingAccountId: text,
          idbShortCode: text,
          tradingAccountNickname: text,
          approvalMethod: Type.Enum(['STRAIGHT_THROUGH', 'APPROVAL_REQUIRED']),
          institutionName: text,
          institutionRegistrationNumber: orNull(text),
        },
        CLOSED,
      ),
    ),
  }),
  CLOSED,
);

type Named<T, K extends keyof T> = Partial<T> & Pick<T, K>;

interface WorldFile {
  readonly assets?: readonly Named<AssetSpec, 'symbol'>[];
  readonly markets?: readonly Named<MarketSpec, 'symbol'>[];
  readonly users?: readonly Named<UserSpec, 'name' | 'userId'>[];
  readonly accounts?: readonly Named<AccountSpec, 'tradingAccountId' | 'user'>[];
  readonly delegations?: readonly DelegationSpec[];
}

/** The check; compiled at the first call, since few bring a world of their own. */
const worldCheck = ((): (() => ValidateFunction) => {
  let compiled: ValidateFunction | null = null;
  return () => {
    compiled ??= new Ajv({ allErrors: true, verbose: true, strict: false }).compile(WORLD_FILE);
    return compiled;
  };
})();

/** A complaint in words: the place, and the probable intention if known. */
function placed({ instancePath, message = 'does not fit', keyword, params, data }: ErrorObject): string {
  const named = keyword === 'additionalProperties' ? `: ${String(params.additionalProperty).slice(0, 40)}` : '';
  const quotes = keyword === 'type' && typeof data === 'number' && params.type === 'string' ? ', in quotes' : '';
  return `${instancePath || '/'} ${message}${named}${quotes}`;
}

/** Fill a world's data with the defaults. @throws CrossgateError naming the places that do not fit; `what` is not fitting */
export function readWorld(data: unknown, what = 'the world'): World {
  const check = worldCheck();
  if (!check(data)) {
    const places = (check.errors ?? []).slice(0, 10).map(placed);
    throw new CrossgateError('XG_SIMULATOR_INVALID', `${what} does not fit: ${places.join('; ')}`);
  }
  const file = data as WorldFile;
  return {
    assets: (file.assets ?? []).map((asset) => assetSpec(asset.symbol, asset)),
    markets: (file.markets ?? []).map((market) => marketSpec(market.symbol, market)),
    users: (file.users ?? []).map((user) => userSpec(user.name, user)),
    accounts: (file.accounts ?? []).map((account) => accountSpec(account.tradingAccountId, account.user, account)),
    delegations: file.delegations ?? [],
  };
}

/** Load a world file. @throws CrossgateError if it cannot be read or does not fit */
export function loadWorld(path: string): World {
  return readWorld(readPlainFile(path, 'world'), `the world file ${path}`);
}
