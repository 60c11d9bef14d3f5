// Features of each FIX version, as a table (rules D1 to D5). One row per version; report writers look here and nowhere
// else.

import { assert } from '../../base/assert.ts';

/** ExecTransType(20): gone after 4.2, so no constant of later versions has it. */
export const EXEC_TRANS_TYPE = 20;

/** Why an order changed or ended without being asked, as ExecRestatementReason(378) says it in each version. */
export type RestatementReason = 'restated' | 'repriced' | 'declined' | 'unsolicited' | 'disconnect' | 'logout';

/** Values that a report repeats of an order, as the version's stock dictionary has them. */
interface RepeatedValues {
  readonly ordTypes: ReadonlySet<string>;
  readonly sides: ReadonlySet<string>;
  readonly timesInForce: ReadonlySet<string>;
  readonly execInsts: ReadonlySet<string>;
  readonly partyIDSources: ReadonlySet<string>;
  readonly partyRoles: ReadonlySet<string>;
  readonly partySubIDTypes: ReadonlySet<string>;
}

export interface FixVersion {
  /** 150=F for fills and 150=I for status; before 4.3: 150=1/2, and status by ExecTransType(20)=3. */
  readonly hasTradeExecType: boolean;
  /** ExecTransType(20) is required in 8, and HandlInst(21) in D and G. */
  readonly hasExecTransType: boolean;
  /** 39=5, Replaced, of an unfilled order with an accepted replacement: gone after 4.2 (FIX 4.2 App. D). */
  readonly hasReplacedStatus: boolean;
  /** 150=L for a triggered stop order (5.0SP2). */
  readonly hasTriggeredExecType: boolean;
  /** Parties(453), SecondaryClOrdID(526), ClOrdLinkID(583) in 8. */
  readonly hasParties: boolean;
  /** CashMargin(544) and the MiscFees group in 8. */
  readonly hasFees: boolean;
  /** OrderMassCancel, OrderMassStatus, and so 584, 790, 911, 912 in 8. */
  readonly hasMassMessages: boolean;
  /** TradingSessionID(336) is free text in 8 and may name the auction; 5.0SP2 enumerates it. */
  readonly namesAuction: boolean;
  /** AggressorIndicator(1057) and MatchType(574) in 8. */
  readonly saysHowMatched: boolean;
  /** LastLiquidityInd(851) in 8, said where 1057 is not. */
  readonly saysLiquidity: boolean;
  /** RoundLot(561) and MinTradeVol(562) in d; later versions have them in a group of market segments, and in y as before. */
  readonly saysLots: boolean;
  /** MinPriceIncrement(969) and MaturityTime(1079) of an instrument, and the message for changes of a list (BK). */
  readonly saysTick: boolean;
  /** SettlMethod(1193) of an instrument, and MaxTradeVol(1140) in the entries of y. */
  readonly saysSettlMethod: boolean;
  /** TransactTime(60) in y, NotAffectedOrders in r, and other fields of our messages that only 5.0SP2 has. */
  readonly hasLateFields: boolean;
  /** MassActionReportID(1369) is required in r. */
  readonly identifiesMassActions: boolean;
  /** ExecRestatementReason(378): of a change of terms, of an unsolicited cancel, and of one after the session ended. */
  readonly restatementReasons: Readonly<Record<RestatementReason, string>>;
  /** OrdRejReason(103) and CxlRejReason(102) values that the version's stock dictionary has. */
  readonly ordRejReasons: ReadonlySet<string>;
  readonly cxlRejReasons: ReadonlySet<string>;
  /** MDEntryType(269) values that the version's stock dictionary has, of those that market data is said with here. */
  readonly mdEntryTypes: ReadonlySet<string>;
  /** Of an order that another version's session entered, other values may come. */
  readonly repeats: RepeatedValues;
  /** The value for "other" in a version without 99. */
  readonly ordRejOther: string;
  readonly cxlRejOther: string;
}

const upTo = (last: number, ...more: string[]): ReadonlySet<string> =>
  new Set([...Array.from({ length: last + 1 }, (_, i) => `${i}`), ...more]);

const fromTo = (first: number, last: number): ReadonlySet<string> =>
  new Set(Array.from({ length: last - first + 1 }, (_, i) => `${first + i}`));

/** Values of every version: GT renewal or restatement, repricing, partial decline of OrderQty(38). */
const TERMS_CHANGED = { restated: '1', repriced: '3', declined: '5' } as const;

const FIX42: FixVersion = {
  hasTradeExecType: false,
  hasExecTransType: true,
  hasReplacedStatus: true,
  hasTriggeredExecType: false,
  hasParties: false,
  hasFees: false,
  hasMassMessages: false,
  namesAuction: false,
  saysHowMatched: false,
  saysLiquidity: false,
  saysLots: false,
  saysTick: false,
  saysSettlMethod: false,
  hasLateFields: false,
  identifiesMassActions: false,
  restatementReasons: { ...TERMS_CHANGED, unsolicited: '4', disconnect: '4', logout: '4' },
  ordRejReasons: upTo(8),
  cxlRejReasons: upTo(3),
  mdEntryTypes: upTo(9),
  repeats: {
    ordTypes: new Set('123456789ABCDEFGHIP'),
    sides: new Set('123456789'),
    timesInForce: new Set('0123456'),
    execInsts: new Set('0123456789ABCDEFGILMNOPRSTUVW'),
    partyIDSources: new Set(),
    partyRoles: new Set(),
    partySubIDTypes: new Set(),
  },
  ordRejOther: '0',
  cxlRejOther: '2',
};

const FIX44: FixVersion = {
  hasTradeExecType: true,
  hasExecTransType: false,
  hasReplacedStatus: false,
  hasTriggeredExecType: false,
  hasParties: true,
  hasFees: true,
  hasMassMessages: true,
  namesAuction: true,
  saysHowMatched: false,
  saysLiquidity: true,
  saysLots: true,
  saysTick: false,
  saysSettlMethod: false,
  hasLateFields: false,
  identifiesMassActions: false,
  restatementReasons: { ...TERMS_CHANGED, unsolicited: '8', disconnect: '99', logout: '99' },
  // 12 is missing from stock dictionaries of 4.4.
  ordRejReasons: new Set([...upTo(11), '13', '14', '15', '99']),
  cxlRejReasons: upTo(6, '99'),
  mdEntryTypes: upTo(9, 'A', 'B', 'C'),
  repeats: {
    ordTypes: new Set('12346789DEGIJKLMP'),
    sides: new Set('123456789ABCDEFG'),
    timesInForce: new Set('01234567'),
    execInsts: new Set('0123456789ABCDEFGHIJKLMNOPQRSUVWXYZabcde'),
    partyIDSources: new Set('123456789ABCDEFGHI'),
    partyRoles: fromTo(1, 38),
    partySubIDTypes: fromTo(1, 26),
  },
  ordRejOther: '99',
  cxlRejOther: '99',
};

/** From 5.0 on. */
const REPEATED_50: RepeatedValues = {
  ...FIX44.repeats,
  ordTypes: new Set('123456789ABCDEFGHIJKLMPQ'),
  execInsts: new Set('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijk'),
  partyRoles: fromTo(1, 78),
};
const REPEATED_50SP1: RepeatedValues = {
  ...REPEATED_50,
  timesInForce: new Set('0123456789'),
  execInsts: new Set('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst'),
  partyRoles: fromTo(1, 81),
};

/** From 5.0 on: the clearing price of an auction, and the empty book. */
const MD_ENTRY_TYPES_50 = upTo(9, 'A', 'B', 'C', 'J', 'Q');

const FIX50SP2: FixVersion = {
  ...FIX44,
  hasTriggeredExecType: true,
  saysHowMatched: true,
  saysLots: false,
  saysTick: true,
  saysSettlMethod: true,
  hasLateFields: true,
  identifiesMassActions: true,
  namesAuction: false,
  mdEntryTypes: MD_ENTRY_TYPES_50,
  repeats: { ...REPEATED_50SP1, timesInForce: new Set('0123456789AB'), partyRoles: fromTo(1, 85) },
  restatementReasons: { ...TERMS_CHANGED, unsolicited: '8', disconnect: '12', logout: '13' },
  ordRejReasons: upTo(16, '18', '99'),
  cxlRejReasons: new Set([...upTo(8), '18', '99']),
};

/** Additions of SP2 and its extension packs are left out. */
const FIX50: FixVersion = {
  ...FIX44,
  hasTriggeredExecType: true,
  saysHowMatched: true,
  saysTick: true,
  namesAuction: false,
  mdEntryTypes: MD_ENTRY_TYPES_50,
  repeats: REPEATED_50,
};

/** Answered as in 5.0, except for its required fields. */
const FIX50SP1: FixVersion = {
  ...FIX50,
  saysLots: false,
  saysSettlMethod: true,
  identifiesMassActions: true,
  repeats: REPEATED_50SP1,
};

const VERSIONS: Readonly<Record<string, FixVersion>> = {
  'FIX.4.2': FIX42,
  'FIX.4.4': FIX44,
  'FIXT.1.1/7': FIX50,
  'FIXT.1.1/8': FIX50SP1,
  'FIXT.1.1/9': FIX50SP2,
};

/**
 * The row of a BeginString, of FIXT.1.1 that of its DefaultApplVerID(1137).
 * @throws AssertionError for one that carries no orders here
 */
export function fixVersion(beginString: string, defaultApplVerID: '7' | '8' | '9' = '9'): FixVersion {
  const name = beginString === 'FIXT.1.1' ? `${beginString}/${defaultApplVerID}` : beginString;
  const version = VERSIONS[name];
  assert(version !== undefined, `orders are not carried in ${name}`);
  return version;
}
