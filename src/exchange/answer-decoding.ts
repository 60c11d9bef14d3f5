// Lenient reading of REST answers to commands, logins and reads of reference data. Which HTTP outcome counts as
// accepted, refused or unknown is decided in exchange-client (rule U1).

import { Decimal } from '../base/decimal.ts';
import { strangersWords } from '../base/redacted-text.ts';
import type { EpochMs } from '../base/time.ts';
import { toAmount, toBoolean, toEpochMs, toId, toObject, toText } from './json.ts';
import type { Market } from './market.ts';

/** A refusal in JSON (exchange reference §5). */
export interface ErrorBody {
  readonly errorCode: string | null;
  readonly errorCodeName: string | null;
  readonly message: string | null;
}

/** Read an error body of either documented shape; null if the value is no JSON object or says nothing of an error. */
export function decodeErrorBody(json: unknown): ErrorBody | null {
  const e = toObject(json);
  if (e === null) return null;
  const errorCode = toText(e.errorCode);
  const errorCodeName = toText(e.errorCodeName) ?? toText(e.type);
  const said = toText(e.message);
  const message = said === null ? null : strangersWords(said);
  return errorCode === null && errorCodeName === null && message === null
    ? null
    : { errorCode, errorCodeName, message };
}

/** Ids in the acknowledgement of a command (exchange reference §1.4); each null where the reply does not carry it. */
export interface Acknowledgement {
  readonly orderId: string | null;
  readonly clientOrderId: string | null;
  readonly requestId: string | null;
  /** Of a negotiated trade. */
  readonly otcTradeId?: string;
}

/** Read an acknowledgement; null if the value is no JSON object or carries an `errorCode`. */
export function decodeAcknowledgement(json: unknown): Acknowledgement | null {
  const a = toObject(json);
  if (a === null || toText(a.errorCode) !== null) return null;
  const otcTradeId = toId(a.otcTradeId);
  return {
    ...(otcTradeId === null ? {} : { otcTradeId }),
    orderId: toId(a.orderId),
    clientOrderId: toId(a.clientOrderId) ?? toId(a.handle),
    // A brokered trade answers for each side, a withdrawal by its transaction.
    requestId: toId(a.requestId) ?? toId(toObject(a.maker)?.requestId) ?? toId(a.custodyTransactionId),
  };
}

/** Characters allowed in a header and in a cookie (RFC 6265, cookie-octet). A JWT uses fewer. */
const TOKEN = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,16384}$/;

/** Read a login answer; null without both fields, or with a token that no request could carry. The token is a secret. */
export function decodeLogin(json: unknown): { readonly authorizer: string; readonly token: string } | null {
  const l = toObject(json);
  const authorizer = toText(l?.authorizer);
  const token = toText(l?.token);
  return authorizer === null || token === null || !TOKEN.test(token) ? null : { authorizer, token };
}

/** Read the answer of `GET /time`; null if it names no time. */
export function decodeTime(json: unknown): EpochMs | null {
  const t = toObject(json);
  return toEpochMs(t?.timestamp) ?? toEpochMs(t?.datetime);
}

const MARKET_TYPES: ReadonlySet<string> = new Set<Market['marketType']>([
  'SPOT',
  'PERPETUAL',
  'DATED_FUTURE',
  'OPTION',
]);

/** Read a market. Null without a symbol that can be written, known type, tick size, precisions or quantity limits: it cannot be traded safely. */
export function decodeMarket(json: unknown): Market | null {
  const m = toObject(json);
  if (m === null) return null;
  const symbol = toText(m.symbol);
  const marketType = toText(m.marketType);
  const tickSize = toAmount(m.tickSize);
  const pricePrecision = toPrecision(m.pricePrecision);
  const quantityPrecision = toPrecision(m.quantityPrecision);
  const minQuantityLimit = toAmount(m.minQuantityLimit);
  const maxQuantityLimit = toAmount(m.maxQuantityLimit);
  // It becomes part of addresses.
  if (symbol === null || !symbol.isWellFormed()) return null;
  if (marketType === null || !MARKET_TYPES.has(marketType) || tickSize === null) return null;
  if (pricePrecision === null || quantityPrecision === null) return null;
  if (minQuantityLimit === null || maxQuantityLimit === null) return null;
  const orderTypes = m.orderTypes;
  const contractMultiplier = toAmount(m.contractMultiplier) ?? '';
  return {
    symbol,
    marketType: marketType as Market['marketType'],
    baseSymbol: toText(m.baseSymbol) ?? toText(m.underlyingBaseSymbol) ?? '',
    quoteSymbol: toText(m.quoteSymbol) ?? toText(m.underlyingQuoteSymbol) ?? '',
    tickSize,
    ...(Decimal.parse(contractMultiplier)?.isPositive() === true ? { contractMultiplier } : {}),
    ...derivativeFields(m),
    pricePrecision,
    quantityPrecision,
    minQuantityLimit,
    maxQuantityLimit,
    orderTypes: Array.isArray(orderTypes) ? orderTypes.filter((type) => typeof type === 'string') : [],
    marketEnabled: toBoolean(m.marketEnabled) ?? false,
    createOrderEnabled: toBoolean(m.createOrderEnabled) ?? false,
    cancelOrderEnabled: toBoolean(m.cancelOrderEnabled) ?? false,
    marginTradingEnabled: toBoolean(m.marginTradingEnabled) ?? false,
    auctionEnabled: toBoolean(m.auctionEnabled) ?? false,
    auctionPriceCollar: toAmount(m.auctionPriceCollar),
  };
}

/** Fields that markets of some types have; trading-api.md says `strikePrice`, the catalogue `optionStrikePrice`. */
function derivativeFields(
  m: Readonly<Record<string, unknown>>,
): Pick<Market, 'settlementAssetSymbol' | 'expiresAt' | 'strikePrice' | 'optionType'> {
  const settlementAssetSymbol = toText(m.settlementAssetSymbol);
  const expiresAt = toEpochMs(m.expiryDatetime);
  const strikePrice = toAmount(m.strikePrice) ?? toAmount(m.optionStrikePrice);
  const { optionType } = m;
  return {
    ...(settlementAssetSymbol === null ? {} : { settlementAssetSymbol }),
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(strikePrice === null ? {} : { strikePrice }),
    ...(optionType === 'CALL' || optionType === 'PUT' ? { optionType } : {}),
  };
}

function toPrecision(value: unknown): number | null {
  const text = toText(value);
  return text !== null && /^\d{1,2}$/.test(text) ? Number(text) : null;
}

/** Last trade price of a tick (`V1TATickerResponse`, REST `Tick`), before the first trade its mark price; null if there is none. */
export function decodeLastPrice(json: unknown): { readonly symbol: string | null; readonly price: string } | null {
  const t = toObject(json);
  const price = firstPrice(toAmount(t?.last), toAmount(t?.close), toAmount(t?.markPrice));
  return t === null || price === null ? null : { symbol: toText(t.symbol), price };
}

/** The first of these that says something: one that is zero is that of a market without a trade. */
export function firstPrice(...prices: readonly (string | null)[]): string | null {
  return prices.find((price) => price !== null && Decimal.parse(price)?.isPositive() === true) ?? null;
}

/** A list as REST sends it: a bare array, or `{data, links}` when `_metaData=true`. Null if it is neither. */
export function decodePage(json: unknown): { readonly items: readonly unknown[]; readonly next: string | null } | null {
  if (Array.isArray(json)) return { items: json, next: null };
  const page = toObject(json);
  if (page === null || !Array.isArray(page.data)) return null;
  return { items: page.data, next: toText(toObject(page.links)?.next) };
}
