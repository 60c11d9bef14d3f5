// Registry of `errorCode` in HTTP error bodies and in refusals on the streams' subscriptions.
// Status reasons of orders are another table (status-reasons.ts): 6018 and 6023, for example, are in both.

/** Name as sent in `errorCodeName`, and its meaning in our words (exchange reference §5, §4.2). */
export interface HttpError {
  readonly name: string;
  readonly text: string;
}

/** Error code → name and meaning. Names that no capture shows are **assumed**. */
export const HTTP_ERRORS: Readonly<Record<string, HttpError>> = {
  6018: { name: 'PRICE_MUST_BE_OF_TICK_SIZE', text: 'the price is not a multiple of the tick size' },
  6023: { name: 'ORDER_SIZE_OUTSIDE_VALID_RANGE', text: 'the quantity is outside the limits of the market' },
  6029: { name: 'MISSING_SIGNATURE_HEADER', text: 'the request carries no signature' },
  6104: { name: 'INVALID_CLIENT_ORDER_ID', text: 'the client order id is not a number' },
  6105: { name: 'UNAUTHORIZED_COMMAND', text: 'the key may not run this command on this account' },
  8008: { name: 'INVALID_SIGNATURE', text: 'the login signature does not verify' },
  8010: { name: 'INVALID_REQUEST', text: 'the login request is not valid' },
  8011: { name: 'USER_NOT_EXISTS', text: 'the user of the login does not exist' },
  8012: { name: 'LOGIN_FAILED', text: 'the login failed' },
  8175: { name: 'REQUEST_VALIDATION_ERROR', text: 'the login body is not valid' },
  8400: { name: 'MAX_SESSION_COUNT_REACHED', text: 'too many logins are open for this user' },
  21000: { name: 'INVALID_MARKET_SYMBOL', text: 'no such market' },
  23001: { name: 'QUERY_FILTER_ERROR', text: 'the query filters by a field that cannot be filtered' },
  28004: { name: 'INVALID_SYMBOL', text: 'no such symbol' },
  29012: { name: 'INVALID_METHOD', text: 'the stream does not know this method' },
  29013: { name: 'INVALID_TOPIC', text: 'the stream does not have this topic, symbol or account' },
  29014: { name: 'INVALID_MARKET_ERROR', text: 'the stream does not have this market' },
  30001: { name: 'ASSET_SYMBOL_NOT_FOUND', text: 'no such asset' },
  96000: { name: 'RATE_LIMIT_EXCEEDED', text: 'the rate limit of this category is exhausted' },
  96001: { name: 'GLOBAL_RATE_LIMIT_EXCEEDED', text: 'the rate limit of the whole exchange is exhausted' },
  96100: { name: 'RATE_LIMIT_EXCEEDED', text: 'the rate limit is exhausted' },
};

/** Meaning of an HTTP error code, or null if the registry lacks it. Not for status reason codes. */
export function httpErrorText(code: string): string | null {
  return Object.hasOwn(HTTP_ERRORS, code) ? HTTP_ERRORS[code]!.text : null;
}

/** The `errorCodeName` of an HTTP error code, or null if it is not in the registry. */
export function httpErrorName(code: string): string | null {
  return Object.hasOwn(HTTP_ERRORS, code) ? HTTP_ERRORS[code]!.name : null;
}
