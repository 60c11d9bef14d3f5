// Refusals as values: why a request is turned down before the exchange hears of it, in both dialects' numbers and in
// words. Leaves the message that carries them to execution-report.ts and answer.ts.

/** A refused request. `ordRejReason` is a standard number; `venueReason` the value of the exchange's own FIX (D1). */
export interface Refusal {
  readonly ordRejReason: string;
  readonly venueReason: string;
  readonly cxlRejReason: string;
  readonly venueCxlRejReason: string;
  /** In words a support desk can act on, naming tag and value. */
  readonly text: string;
  /** An auction's phase forbids it: 39 of the 9 is the present status in both dialects (rule T4). */
  readonly isPhase: boolean;
  /** The request never left this process (rule D8). */
  readonly isUnsent?: true;
  /** The market that has no reference price at all yet: the exchange is asked for it, and the request may wait (rule O12). */
  readonly lacksPriceOf?: string;
}

/** Whether a check came to a refusal, and not to the admitted request. */
export function isRefusal(outcome: object): outcome is Refusal {
  return 'ordRejReason' in outcome && 'isPhase' in outcome;
}

/** The numbers of OrdRejReason(103). */
export type OrdRejReasons = Pick<Refusal, 'ordRejReason' | 'venueReason'>;

interface Reasons {
  readonly ord: string;
  readonly cxl?: string;
  readonly venue?: string;
  readonly venueCxl?: string;
}

function refusal(reasons: Reasons, text: string): Refusal {
  const cxl = reasons.cxl ?? '99';
  return {
    ordRejReason: reasons.ord,
    venueReason: reasons.venue ?? reasons.ord,
    cxlRejReason: cxl,
    venueCxlRejReason: reasons.venueCxl ?? cxl,
    text,
    isPhase: false,
  };
}

/** Numbers shared by several refusals; the exchange's own FIX lacks 2, 3, 8 and 11. */
const EXCHANGE_CLOSED: Reasons = { ord: '2', venue: '99' };
const UNSUPPORTED: Reasons = { ord: '11', venue: '99' };
const UNKNOWN_ORDER: Reasons = { ord: '5', cxl: '1' };
const DUPLICATE: Reasons = { ord: '6', cxl: '6' };
const PRICE: Reasons = { ord: '99', venue: '18' };
/** A price off the grid has a number of its own in FIX.5.0SP2. */
const PRICE_INCREMENT: Reasons = { ord: '18', cxl: '18', venueCxl: '99' };
/** Limits, of ours and of the exchange, that its own FIX has no number for. */
const LIMIT: Reasons = { ord: '3', venue: '99' };
const ACCOUNT_RATE: Reasons = { ord: '99', venue: '3034', venueCxl: '3034' };

export const unknownSymbol = (text: string): Refusal => refusal({ ord: '1', cxl: '1' }, text);
/** The exchange takes no orders now. */
export const exchangeClosed = (text: string): Refusal => refusal(EXCHANGE_CLOSED, text);
export const exceedsLimit = (text: string): Refusal => refusal(LIMIT, text);
export const outsidePriceBand = (text: string): Refusal => refusal({ ord: '3', venue: '3031' }, text);
export const unknownOrder = (text: string): Refusal => refusal(UNKNOWN_ORDER, text);
export const duplicateClOrdID = (text: string): Refusal => refusal(DUPLICATE, text);
export const staleOrder = (text: string): Refusal => refusal({ ord: '8', venue: '99' }, text);
/** A standard value that is not supported here (rule D13). */
export const unsupported = (text: string): Refusal => refusal(UNSUPPORTED, text);
export const unsupportedOrdType = (text: string): Refusal => refusal({ ord: '11', venue: '2013' }, text);
export const incorrectQuantity = (text: string): Refusal => refusal({ ord: '13' }, text);
export const incorrectPriceIncrement = (text: string): Refusal => refusal(PRICE_INCREMENT, text);
/** 103=15: not on the session's list, or not the order's (rule O7). */
export const unknownAccount = (text: string): Refusal => refusal({ ord: '15', cxl: '1' }, text);
export const tooLate = (text: string): Refusal => refusal({ ord: '4', cxl: '0', venue: '99' }, text);
export const alreadyPending = (text: string): Refusal => refusal({ ord: '99', cxl: '3', venueCxl: '99' }, text);
/** The session sends too fast (rule S7); the exchange's own FIX says 3034. */
export const rateExceeded = (text: string): Refusal => refusal(ACCOUNT_RATE, text);
export const other = (text: string): Refusal => refusal({ ord: '99' }, text);

/** The phase of the auction forbids the change (rule T4): 102 of the 9 is the session's, see `cancelReject`. */
export const forbiddenByPhase = (text: string): Refusal => ({
  ...refusal(EXCHANGE_CLOSED, text),
  isPhase: true,
});

/** A conditionally required field is missing (rule D13). */
export const fieldMissing = (name: string, tag: number, when: string): Refusal =>
  other(`${name}(${tag}) is required ${when}`);

/** A refusal on the exchange's streams: its own number in `venue`, the nearest standard one otherwise. */
export const exchangeRefusal = (code: string | null, text: string): Refusal =>
  refusalByCode(code, STATUS_REASONS, text);

/** The same for a command's HTTP answer, with a code table of its own: 6018 and 6023, for example, are in both. */
export const httpRefusal = (code: string | null, text: string): Refusal => refusalByCode(code, HTTP_REASONS, text);

function refusalByCode(code: string | null, table: Readonly<Record<string, Reasons>>, text: string): Refusal {
  if (code === null) return other(text);
  const reasons = Object.hasOwn(table, code) ? table[code]! : { ord: '99' };
  const known = refusal(reasons, text.includes(code) ? text : `${text} (exchange code ${code})`);
  return {
    ...known,
    venueReason: VENUE_REASONS.has(code) ? code : known.venueReason,
    venueCxlRejReason: VENUE_CXL_REASONS.has(code) ? code : known.venueCxlRejReason,
    isPhase: PHASE_CODES.has(code),
  };
}

/**
 * Auction orders cannot be amended, or cancelled, in this phase: the exchange's word for our `forbiddenByPhase` (rule
 * T4).
 */
const PHASE_CODES: ReadonlySet<string> = new Set(['3084', '3085']);

/** Status reason code → numbers of 103 and 102 (exchange catalogue, Appendix D). */
const STATUS_REASONS: Readonly<Record<string, Reasons>> = {
  // Numbers of 103 (exchange catalogue, Appendix D); in 102 they mean other things.
  '1': { ord: '1' },
  '5': UNKNOWN_ORDER,
  '6': DUPLICATE,
  '13': { ord: '13' },
  '15': { ord: '15' },
  '18': PRICE,
  '2009': { ord: '1' },
  '2010': { ord: '15' },
  '2004': { ord: '13' },
  '2012': PRICE,
  '2013': UNSUPPORTED,
  '2017': UNKNOWN_ORDER,
  '2018': UNSUPPORTED,
  '2015': { ord: '3' },
  '2021': { ord: '3' },
  '3001': { ord: '3' },
  '3002': UNKNOWN_ORDER,
  '3003': { ord: '3' },
  '3005': LIMIT,
  '3006': LIMIT,
  '3007': DUPLICATE,
  '3023': DUPLICATE,
  '3031': { ord: '3' },
  '3032': { ord: '99', cxl: '0' },
  '3062': LIMIT,
  '3065': { ord: '3' },
  '3066': { ord: '3' },
  '3067': EXCHANGE_CLOSED,
  '3069': DUPLICATE,
  '3082': EXCHANGE_CLOSED,
  '3083': EXCHANGE_CLOSED,
  '3090': UNSUPPORTED,
  '6018': PRICE_INCREMENT,
  '6044': EXCHANGE_CLOSED,
  '6050': EXCHANGE_CLOSED,
};

/** The same of HTTP error codes (exchange reference §5); a refused command may carry a status reason too. */
const HTTP_REASONS: Readonly<Record<string, Reasons>> = {
  ...STATUS_REASONS,
  '6023': { ord: '13' },
  '21000': { ord: '1' },
  // The exchange's own FIX says 3034 and 3035 for these (exchange catalogue, Appendix D).
  '96000': ACCOUNT_RATE,
  '96001': { ord: '99', venue: '3035', venueCxl: '3035' },
  '96100': ACCOUNT_RATE,
};

/** Numbers that the exchange's own FIX sends in 103 and 102 (exchange reference §7.2). */
const VENUE_REASONS: ReadonlySet<string> = new Set(
  '1 5 6 13 15 18 99 2013 2015 2021 3001 3003 3020 3021 3031 3032 3033 3034 3035 3036 3064 3065 3066 3067 3068 3069'.split(
    ' ',
  ),
);
/** Of 102, besides 0, 1, 6 and 99, which are its own and no codes of the exchange. */
const VENUE_CXL_REASONS: ReadonlySet<string> = new Set(['3034', '3035', '3036']);
