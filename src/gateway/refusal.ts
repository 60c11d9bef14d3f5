// Refusals as values: why a request is turned down before the exchange hears of it, in both dialects' numbers and in
// words. Leaves the message that carries them to execution-report.ts and answer.ts.

/** A refused request. `ordRejReason` is a standard number; `venueReason` what the exchange's own FIX says (D1). */
export interface Refusal {
  readonly ordRejReason: string;
  readonly venueReason: string;
  readonly cxlRejReason: string;
  readonly venueCxlRejReason: string;
  /** In words a support desk can act on, naming tag and value. */
  readonly text: string;
  /** An auction's phase forbids it: 39 of the 9 is the present status in both dialects (rule T4). */
  readonly isPhase: boolean;
}

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

export const unknownSymbol = (text: string): Refusal => refusal({ ord: '1', cxl: '1' }, text);
/** The exchange takes no orders now. */
export const exchangeClosed = (text: string): Refusal => refusal({ ord: '2', venue: '99' }, text);
export const exceedsLimit = (text: string): Refusal => refusal({ ord: '3', venue: '3' }, text);
export const outsidePriceBand = (text: string): Refusal => refusal({ ord: '3', venue: '3031' }, text);
export const unknownOrder = (text: string): Refusal => refusal({ ord: '5', cxl: '1' }, text);
export const duplicateClOrdID = (text: string): Refusal => refusal({ ord: '6', cxl: '6' }, text);
export const staleOrder = (text: string): Refusal => refusal({ ord: '8' }, text);
/** A standard value that is not supported here (rule D13). */
export const unsupported = (text: string): Refusal => refusal({ ord: '11', venue: '99' }, text);
export const unsupportedOrdType = (text: string): Refusal => refusal({ ord: '11', venue: '2013' }, text);
export const incorrectQuantity = (text: string): Refusal => refusal({ ord: '13' }, text);
export const incorrectPriceIncrement = (text: string): Refusal => refusal({ ord: '99', venue: '18' }, text);
/** 103=15: not on the session's list, or not the order's (rule O7). */
export const unknownAccount = (text: string): Refusal => refusal({ ord: '15', cxl: '1' }, text);
export const tooLate = (text: string): Refusal => refusal({ ord: '4', cxl: '0', venue: '99' }, text);
export const alreadyPending = (text: string): Refusal => refusal({ ord: '99', cxl: '3', venueCxl: '99' }, text);
/** The session sends too fast (rule S7); the exchange's own FIX says 3034. */
export const rateExceeded = (text: string): Refusal =>
  refusal({ ord: '99', venue: '3034', cxl: '99', venueCxl: '3034' }, text);
export const other = (text: string): Refusal => refusal({ ord: '99' }, text);

/** The phase of the auction forbids the change (rule T4). */
export const forbiddenByPhase = (text: string, cxlRejReason: string): Refusal => ({
  ...refusal({ ord: '2', cxl: cxlRejReason, venue: '99' }, text),
  isPhase: true,
});

/** A conditionally required field is missing (rule D13). */
export const fieldMissing = (name: string, tag: number, when: string): Refusal =>
  other(`${name}(${tag}) is required ${when}`);

/** A refusal that the exchange gave: its own number in `venue`, the nearest standard one otherwise. */
export function exchangeRefusal(code: string | null, text: string): Refusal {
  const standard = code === null ? null : (STANDARD_REASONS[code] ?? null);
  return {
    ordRejReason: standard?.ord ?? '99',
    venueReason: code !== null && VENUE_REASONS.has(code) ? code : (standard?.ord ?? '99'),
    cxlRejReason: standard?.cxl ?? '99',
    venueCxlRejReason: code !== null && VENUE_CXL_REASONS.has(code) ? code : (standard?.cxl ?? '99'),
    text: code === null || text.includes(code) ? text : `${text} (exchange code ${code})`,
    isPhase: false,
  };
}

/** Exchange code → standard number; codes of order rejections and of refused commands that mean the same thing. */
const STANDARD_REASONS: Readonly<Record<string, Reasons>> = {
  '2009': { ord: '1' },
  '2010': { ord: '15' },
  '2004': { ord: '13' },
  '2013': { ord: '11' },
  '2018': { ord: '11' },
  '2015': { ord: '3' },
  '2021': { ord: '3' },
  '3001': { ord: '3' },
  '3002': { ord: '5', cxl: '1' },
  '3003': { ord: '3' },
  '3005': { ord: '3' },
  '3006': { ord: '3' },
  '3007': { ord: '6', cxl: '6' },
  '3023': { ord: '6', cxl: '6' },
  '3031': { ord: '3' },
  '3032': { ord: '99', cxl: '0' },
  '3062': { ord: '3' },
  '3065': { ord: '3' },
  '3066': { ord: '3' },
  '3067': { ord: '2' },
  '3082': { ord: '2' },
  '3083': { ord: '2' },
  '3090': { ord: '11' },
  '6044': { ord: '2' },
  '6050': { ord: '2' },
  '21000': { ord: '1' },
};

/** Numbers that the exchange's own FIX sends in 103 and 102 (exchange reference §7.2). */
const VENUE_REASONS: ReadonlySet<string> = new Set(
  '1 5 6 13 15 18 99 2013 2015 2021 3001 3003 3020 3021 3031 3032 3033 3034 3035 3036 3064 3065 3066 3067 3068 3069'.split(
    ' ',
  ),
);
const VENUE_CXL_REASONS: ReadonlySet<string> = new Set(['0', '1', '6', '99', '3034', '3035', '3036']);
