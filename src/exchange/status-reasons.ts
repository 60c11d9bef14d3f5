// Registry of status reason codes: why an order, transfer, custody operation or OTC trade is in its state.
// Codes of HTTP error bodies are another table (http-errors.ts): the same integer means something else there.

/** Where a status reason code is used (exchange catalogue, appendix D). */
export type StatusReasonArea = 'order' | 'custody' | 'otc' | 'mmp' | 'rate';

/** Order processing; the 6000s name states of the life of an order as well as rejections. */
const ORDER: Readonly<Record<string, string>> = {
  1001: 'Ok',
  1002: 'Request could not be placed',
  2001: 'Malformed request',
  2002: 'Client id of the user not valid',
  2003: 'Handle not valid',
  2004: 'Quantity not valid',
  2005: 'Unknown error',
  2006: 'Not a spot account',
  2007: 'Account exists already',
  2008: 'Side is neither buy nor sell',
  2009: 'Market not valid',
  2010: 'Account does not exist',
  2011: 'Types of the accounts differ',
  2012: 'Price not valid',
  2013: 'Order type not supported',
  2015: 'Too many open margin orders',
  2016: 'Unknown kind of request',
  2017: 'Order id not valid',
  2018: 'Time in force not supported',
  2020: 'Margin trading not allowed',
  2021: 'Too many open spot orders',
  2029: 'Request id not valid',
  2035: 'Nonce not valid',
  2106: 'Temporarily refused, try again',
  2115: 'Auction not valid',
  3001: 'Balance of the account too low',
  3002: 'Order not found',
  3003: 'Borrowing unavailable',
  3004: 'Balance could not be adjusted',
  3005: 'Insufficient balance',
  3006: 'Insufficient collateral',
  3007: 'Duplicate order id',
  3020: 'Unsolicited cancel',
  3021: 'Forced cancel',
  3023: 'Duplicate order handle',
  3031: 'Price out of range',
  3032: 'Order already closed or rejected',
  // Named only by the exchange's own FIX; its data dictionary lacks it (exchange reference §7.2).
  3042: 'Insufficient loaned balance',
  3047: 'Leverage may not be increased',
  3048: 'Borrowing limit reached',
  3049: 'No more loans on offer',
  3051: 'Insufficient balance owed by insurance (iou)',
  3052: 'Insufficient balance owed to insurance (uoi)',
  3059: 'Minimum collateral reached',
  3060: 'Minimum collateral reached',
  3061: 'Insufficient balance owed to insurance',
  3062: 'Risk limit reached',
  3063: 'Request id missing',
  3064: 'Order could neither make nor take',
  3065: 'Open interest limit of the market exceeded',
  3066: 'Concentration limit of the account exceeded',
  3067: 'Market expiring or expired',
  3073: 'MMP frozen: no new MMP order',
  3077: 'Credit check failed: line of credit',
  3078: 'Credit check failed: deferred settlement',
  3082: 'No active auction in this market',
  3083: 'Auction orders cannot be created in this phase',
  3084: 'Auction orders cannot be amended in this phase',
  3085: 'Auction orders cannot be cancelled in this phase',
  3086: 'GTX order without auction id',
  3087: 'Auction id on an order that is not GTX',
  3090: 'Auction orders are MARKET or LIMIT only',
  6001: 'Open',
  6002: 'Executed',
  6003: 'Matured',
  6004: 'Expired',
  6005: 'User cancelled',
  6007: 'Self cross prevention',
  6011: 'Self cross prevention amend',
  6012: 'Stop limit amend',
  6013: 'Partially filled',
  6014: 'Order accepted',
  6015: 'Filled',
  6018: 'Price not a multiple of the tick size',
  6019: 'MMP cancelled',
  6021: 'Auction order unfilled at the cross',
  6022: 'Auction order outside the price collar',
  6023: 'Auction order cancelled: insufficient margin',
  6024: 'Auction order cancelled in bulk',
  6026: 'Order does not belong to this auction',
  6041: 'Transfers disabled in this market',
  6042: 'Amendments disabled in this market',
  6043: 'Cancels disabled in this market',
  6044: 'Orders disabled in this market',
  6045: 'Margin orders disabled in this market',
  6046: 'Spot orders disabled in this market',
  6050: 'Exchange under maintenance',
};

const CUSTODY: Readonly<Record<string, string>> = {
  8301: 'Unexpected error',
  8305: 'Withdrawal assertion failed',
  8306: 'User not valid for custody',
  8307: 'Unexpected failure of the withdrawal',
  8310: 'Withdrawal destination not found',
  8311: 'Withdrawal lacks fields',
  8313: 'Coin not supported',
  8315: 'Crypto deposit not found',
  8316: 'Deposit address could not be allocated',
  8317: 'Swift code is restricted',
  8318: 'Operation not supported',
  8319: 'Custody operation disabled',
  8320: 'Address failed validation',
  8322: 'Withdrawal amount not valid',
  8327: 'Login not valid',
  8329: 'Unexpected failure of the destination',
  8331: 'Destination not valid',
  8332: 'Network not valid',
  8333: 'Symbol not valid',
  8334: 'Kind of authentication not valid',
  8335: 'Destination belongs to another user',
  8336: 'Destination not on the white list',
  8399: 'Unknown error',
  8401: 'Transfer: insufficient balance',
  8402: 'Transfer: credit check failed, line of credit',
  8403: 'Transfer: credit check failed, deferred settlement',
  8499: 'Transfer: internal error',
};

const OTC: Readonly<Record<string, string>> = {
  9001: 'Required fields missing',
  9002: 'sharedMatchKey must be 12 to 64 letters and digits',
  9003: 'Side is neither BUY nor SELL',
  9004: 'clientOtcTradeId must be digits without leading zero',
  9005: 'More than 25 legs',
  9006: 'Quantity must be positive, in the precision of the base asset',
  9007: 'Price must be positive, in the precision of the quote asset',
  9008: 'otcTradeId must be digits without leading zero',
  9009: 'Symbol not valid',
  9010: 'Trading account id not valid: it begins with 111',
  9011: 'BX-SIGNATURE header missing',
  9012: 'BX-NONCE header missing',
  9013: 'BX-TIMESTAMP header missing',
  9014: 'BX-TIMESTAMP not a number or out of range',
  9015: 'BX-NONCE not a number, out of range or not greater than the last',
  9016: 'BX-REFERRER not a number or out of range',
  9017: 'Market type must be PERPETUAL, DATED_FUTURE or OPTION',
  9018: 'Not entitled to OTC trades',
  9019: 'Remarks longer than 255 characters',
  9020: 'Needs otcTradeId or clientOtcTradeId',
  9021: 'Two legs in the same market',
  9022: 'OTC trade not found',
  9023: 'Booking refused',
  9024: 'OTC trade exists already',
  9025: 'sharedMatchKey not unique',
  9026: 'Both sides claim the same maker or taker role',
  9027: 'Inputs of the two sides differ',
  9028: 'OTC trade expired',
  9029: 'Command type not valid',
  9030: 'OTC trade can no longer be accepted',
  9031: 'Both sides are the same account',
  9032: 'OTC trade expired or no longer valid for matching',
  9033: 'Maximum leverage of the account reached',
  9034: 'Fees cannot be borrowed on this account',
  9035: 'Borrowing unavailable: the account has open loans',
  9036: 'Not possible because of the counterparty: ask the exchange',
  9037: 'Cancelled by user',
  9038: 'Cancelled by counterparty',
  9039: 'Cancelled by broker',
  9040: 'Broker cannot match within one institution',
  9999: 'Something went wrong',
};

const MMP: Readonly<Record<string, string>> = {
  2104: 'MMP configuration not valid',
  2105: 'MMP reset not valid',
  2108: 'MMP cannot be reset while MMP orders are open',
};

const RATE: Readonly<Record<string, string>> = {
  3034: 'Rate limit of the account exceeded',
  3035: 'Rate limit of the exchange exceeded',
};

/** All status reason codes by area: code → short text. The lifecycle texts (6000s) are those seen on the stream. */
export const STATUS_REASONS: Readonly<Record<StatusReasonArea, Readonly<Record<string, string>>>> = {
  order: ORDER,
  custody: CUSTODY,
  otc: OTC,
  mmp: MMP,
  rate: RATE,
};

const ALL: ReadonlyMap<string, string> = new Map(Object.values(STATUS_REASONS).flatMap((area) => Object.entries(area)));

/** Short text of a status reason code of any area, or null if it is not in the registry. Never for HTTP error codes. */
export function statusReasonText(code: string): string | null {
  return ALL.get(code) ?? null;
}

/** The `errorCodeName` of a status reason: `INSUFFICIENT_BALANCE` is documented, the pattern of the others **assumed**. */
export function statusReasonName(code: string): string | null {
  const text = statusReasonText(code);
  return text === null
    ? null
    : text
        .toUpperCase()
        .replace(/[^A-Z0-9]+/g, '_')
        .replace(/^_|_$/g, '');
}
