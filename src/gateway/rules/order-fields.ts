// Treatment of every field that a NewOrderSingle(D), an OrderCancelReplaceRequest(G) or an order of a NewOrderList(E)
// may have in any version: no field that would change the order is ignored silently (rule D13). The rules of engagement
// show this table. read-order-terms.ts, order-replace.ts and build-order.ts carry fields.

import { Decimal } from '../../base/decimal.ts';
import { type EpochMs, formatUtcTimestamp } from '../../base/time.ts';
import { type MessageView, Tag } from '../../wire/mod.ts';
import type { SessionState } from '../state/session-state.ts';
import type { MarketRules } from '../vocabulary/market-board.ts';
import { other, type Refusal, unknownSymbol, unsupported } from '../vocabulary/refusal.ts';

/**
 * `carried`: it shapes the order, or returns on its reports. `checked`: accepted only with the value that holds here
 * anyway. `noted`: informs others about the order without changing it. `refused`: the exchange has no such function.
 */
export type FieldUse = 'carried' | 'checked' | 'noted' | 'refused';

export interface FieldGroup {
  readonly use: FieldUse;
  readonly tags: readonly number[];
  /** For the rules of engagement. */
  readonly what: string;
}

const tags = (text: string): number[] => text.split(' ').map(Number);

/** Every field of D, G and E but the header's, once. */
export const FIELD_GROUPS: readonly FieldGroup[] = [
  { use: 'carried', tags: tags('1 11 37 38 40 41 44 54 55 59 60 99 544 20002 20003'), what: 'The order itself.' },
  {
    use: 'carried',
    tags: tags('18'),
    what: '6 (post only) on a limit order; `o` in FIX.5.0SP2. Anything else is refused.',
  },
  { use: 'carried', tags: tags('336 386'), what: 'The auction of a GTX order, else refused.' },
  {
    use: 'carried',
    tags: tags('48 22'),
    what: 'The market by another name; it must agree with 55, and comes back where 55 is `[N/A]`.',
  },
  {
    use: 'carried',
    tags: tags('66 447 448 452 453 523 526 583 802 803'),
    what: 'Come back on the reports, up to 255 characters each, and a Parties group up to 64 fields and 4,096 characters; they change nothing.',
  },
  {
    use: 'carried',
    tags: tags('67 68 73 433 893 1385'),
    what: 'The list: its order, and whether it is whole. Contingencies and lists that wait are refused.',
  },
  { use: 'checked', tags: tags('15'), what: 'One of the two assets of the market; it comes back.' },
  { use: 'checked', tags: tags('21'), what: '1 or 2; it is echoed. No order is handled by hand (3).' },
  { use: 'checked', tags: tags('63'), what: '0 or 1: trades settle at once.' },
  { use: 'checked', tags: tags('64'), what: 'The present day in UTC: trades settle at once.' },
  { use: 'checked', tags: tags('120'), what: 'The quote asset of the market.' },
  { use: 'checked', tags: tags('160'), what: '0 or 1.' },
  { use: 'checked', tags: tags('100'), what: 'A name agreed for this exchange (setting `exDestinations`).' },
  { use: 'checked', tags: tags('121'), what: 'N.' },
  { use: 'checked', tags: tags('775 1092'), what: '0.' },
  { use: 'checked', tags: tags('110'), what: '0: no minimum.' },
  { use: 'checked', tags: tags('77'), what: 'O: nothing here keeps an order from opening a position.' },
  { use: 'checked', tags: tags('423'), what: '2, per unit.' },
  { use: 'checked', tags: tags('854'), what: '0, units.' },
  { use: 'checked', tags: tags('231'), what: 'That of the market, which is 1 where it has none.' },
  {
    use: 'checked',
    tags: tags('167 200 201 202 205 460 461 541 947'),
    what: 'Must not contradict the kind, date, strike and right of the market that 55 names (103=1).',
  },
  {
    use: 'noted',
    tags: tags('65 106 107 206 207 223 348 349 350 351 454 455 456 762 969 1079 1193'),
    what: 'Describe the instrument; 55 or 48 decides.',
  },
  {
    use: 'noted',
    tags: tags(
      '47 76 81 109 114 203 204 376 377 439 440 528 529 581 582 635 660 1028 1029 1030 1031 1032 1033 1034 1035 1091',
    ),
    what: 'Capacities, firms, desks and compliance: for those who look at orders later.',
  },
  {
    use: 'noted',
    tags: tags('12 13 70 75 229 427 479 480 481 494 497 513 589 590 591 768 769 770 771'),
    what: 'Booking, commission and registration between you and others.',
  },
  { use: 'noted', tags: tags('58 69 352 353 354 355'), what: 'Free text has no effect here.' },
  { use: 'noted', tags: tags('23 117 140 586 625 1133'), what: 'Has no effect.' },
  {
    use: 'noted',
    tags: tags('390 391 394 401 414 415 765 766 767'),
    what: 'Of a list: it is not bid for, and ListStatus(N) comes at its beginning and end.',
  },
  { use: 'refused', tags: tags('78 79 80 467 661 736'), what: 'Allocations.' },
  {
    use: 'refused',
    tags: tags('152'),
    what: 'An amount in quote currency: the exchange takes quantities in the base asset only, in OrderQty(38).',
  },
  { use: 'refused', tags: tags('468 469 516'), what: 'Rounding of amounts, and a share of something.' },
  {
    use: 'refused',
    tags: tags('111 210 1082 1083 1084 1085 1086 1087 1088 1089 1090 1138'),
    what: 'Displayed and hidden quantities, minimum fills, price levels.',
  },
  { use: 'refused', tags: tags('126 168 432'), what: 'Start and expiry times.' },
  { use: 'refused', tags: tags('192 193 640'), what: 'The second leg of a swap.' },
  { use: 'refused', tags: tags('1080 1081'), what: 'Hitting one order of another firm.' },
  {
    use: 'refused',
    tags: tags('211 388 389 835 836 837 838 840 841 842 843 844 846 1094 1096 1097 1098 1099'),
    what: 'Pegs and discretion.',
  },
  { use: 'refused', tags: tags('847 848 849 957 958 959 960'), what: 'Strategies.' },
  {
    use: 'refused',
    tags: tags('1100 1101 1102 1103 1104 1105 1106 1107 1108 1109 1110 1111 1112 1113 1114'),
    what: 'Triggers (a stop is 40=4 with 99).',
  },
];

/** The reference for checking a field. */
interface FieldContext {
  readonly session: SessionState;
  readonly rules: MarketRules;
  readonly now: EpochMs;
}

/** Null where the value may stand, else why not, to be read after `Name(tag)=value `. */
type FieldCheck = (value: string, context: FieldContext) => Refusal | string | null;

/** Groups: with 0 entries they ask for nothing. */
const NO_ENTRIES: ReadonlySet<number> = new Set([Tag.NoAllocs, Tag.NoStrategyParameters]);
/** The exchange's create command has a quantity of the base asset and no amount (trading-api.md, V2CreateOrder). */
const NO_QUOTE_QUANTITIES =
  'is not supported: the exchange takes no amounts in quote currency; send OrderQty(38), a quantity of the base asset';

const NO_FUNCTION = 'is not supported: the exchange has no such function';

const oneOf =
  (values: readonly string[], why: string): FieldCheck =>
  (value) =>
    values.includes(value) ? null : `is not supported: ${why}`;

const equalTo =
  (number: Decimal, why: string): FieldCheck =>
  (value) =>
    Decimal.parse(value)?.equals(number) === true ? null : `is not supported: ${why}`;

/** A particular of the instrument that must be the market's. */
const ofMarket =
  (holds: (value: string, rules: MarketRules) => boolean): FieldCheck =>
  (value, { rules }) =>
    holds(value, rules) ? null : unknownSymbol(`contradicts the market ${rules.name}`);

/** Date, strike and right of a derivative, as its symbol says them (exchange catalogue, OptionAndDatedFuturesMarketSymbol). */
function particulars({ market }: MarketRules): readonly (string | undefined)[] {
  const isDated = market.marketType === 'OPTION' || market.marketType === 'DATED_FUTURE';
  return isDated ? market.symbol.split('-').slice(2) : [];
}

const OPTIONS: readonly string[] = ['OPT', 'OOF', 'OOP', 'OOC'];
/** Kinds of trades that the exchange has no market for. */
const NO_MARKET: readonly string[] = ['MLEG', 'REPO', 'FORWARD', 'BUYSELL', 'SECLOAN', 'SECPLEDGE', 'FXSWAP', 'FXNDF'];

/** True for options, futures or neither, against the market's kind; other words only describe. */
function isKind({ market }: MarketRules, option: boolean, future: boolean): boolean {
  if (option) return market.marketType === 'OPTION';
  return !future || market.marketType === 'DATED_FUTURE' || market.marketType === 'PERPETUAL';
}

const CHECKS: Readonly<Record<number, FieldCheck>> = {
  // Another currency is refused, never guessed (rule O8).
  [Tag.Currency]: (value, { rules: { market, name } }) =>
    value === market.baseSymbol || value === market.quoteSymbol
      ? null
      : other(`is no currency of ${name}: leave it out, or use ${market.quoteSymbol} or ${market.baseSymbol}`),
  [Tag.HandlInst]: oneOf(['1', '2'], 'orders are not handled by hand, use 1 or 2'),
  [Tag.SettlType]: oneOf(['0', '1'], 'trades settle at once, use 0 or leave it out'),
  [Tag.SettlDate]: (value, { now }) =>
    value === formatUtcTimestamp(now).slice(0, 8)
      ? null
      : 'is not supported: trades settle at once, leave it out or use the present day (UTC)',
  [Tag.SettlCurrency]: (value, { rules: { market, name } }) =>
    value === market.quoteSymbol ? null : `is not supported: ${name} settles in ${market.quoteSymbol}`,
  [Tag.SettlInstMode]: oneOf(['0', '1'], 'the exchange takes no settlement instructions'),
  [Tag.ExDestination]: (value, { session }) =>
    (session.config.exDestinations ?? []).includes(value)
      ? null
      : 'is not supported: it is no name agreed for this exchange, and orders go nowhere else',
  [Tag.ForexReq]: oneOf(['N'], 'the exchange converts no currencies'),
  [Tag.BookingType]: oneOf(['0'], 'trades are booked as they are'),
  [Tag.PriceProtectionScope]: oneOf(['0'], 'the exchange has no such function'),
  [Tag.MinQty]: equalTo(Decimal.ZERO, 'the exchange has no such function'),
  [Tag.PositionEffect]: oneOf(['O'], 'the exchange has no such function'),
  [Tag.PriceType]: oneOf(['2'], 'prices are per unit (2)'),
  [Tag.QtyType]: oneOf(['0'], 'quantities are in units (0)'),
  [Tag.ContractMultiplier]: (value, { rules: { name, contractMultiplier } }) =>
    Decimal.parse(value)?.equals(contractMultiplier) === true
      ? null
      : `is not supported: quantities of ${name} are in units of ${contractMultiplier.trimmed()}`,
  [Tag.SecurityType]: ofMarket(
    (value, rules) => !NO_MARKET.includes(value) && isKind(rules, OPTIONS.includes(value), value === 'FUT'),
  ),
  [Tag.CFICode]: ofMarket((value, rules) => isKind(rules, value.startsWith('O'), value.startsWith('F'))),
  [Tag.Product]: ofMarket((value) => value !== '13'),
  [Tag.MaturityMonthYear]: ofMarket((value, rules) => /^\d{6}(\d\d)?$/.test(value) && isDateOf(rules, value)),
  [Tag.MaturityDate]: ofMarket((value, rules) => particulars(rules)[0] === value),
  [Tag.MaturityDay]: ofMarket((value, rules) => Number(particulars(rules)[0]?.slice(6)) === Number(value)),
  [Tag.PutOrCall]: ofMarket((value, rules) => particulars(rules)[2] === (value === '0' ? 'P' : 'C')),
  [Tag.StrikePrice]: ofMarket((value, rules) => {
    const strike = Decimal.parse(particulars(rules)[1] ?? '');
    return strike !== null && Decimal.parse(value)?.equals(strike) === true;
  }),
  [Tag.CashOrderQty]: () => NO_QUOTE_QUANTITIES,
  [Tag.StrikeCurrency]: ofMarket(
    (value, rules) => particulars(rules)[1] !== undefined && value === rules.market.quoteSymbol,
  ),
};

function isDateOf(rules: MarketRules, start: string): boolean {
  return particulars(rules)[0]?.startsWith(start) === true;
}

/** Checked fields, with the objection to each. */
const LOOKED_AT: ReadonlyMap<number, FieldCheck> = new Map([
  ...FIELD_GROUPS.filter(({ use }) => use === 'refused').flatMap(({ tags: refused }) =>
    refused.map((tag): [number, FieldCheck] => [
      tag,
      (value) => (NO_ENTRIES.has(tag) && value === '0' ? null : NO_FUNCTION),
    ]),
  ),
  ...Object.entries(CHECKS).map(([tag, check]): [number, FieldCheck] => [Number(tag), check]),
]);

/** The first name is the one of FIX.4.4. */
const NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(Tag)
    .reverse()
    .map(([name, tag]) => [tag, name]),
);

/** Name of a field in the rules of engagement and in Text(58). */
export const nameOf = (tag: number): string => `${NAMES.get(tag) ?? 'Field'}(${tag})`;

/** Characters of a value that are repeated in Text(58). */
const SHOWN_MAX = 48;

/** A value as it was written, cut where it is long. */
export function shown(value: string | null): string {
  return value !== null && value.length > SHOWN_MAX
    ? `${value.slice(0, SHOWN_MAX)}... (${value.length} characters)`
    : `${value}`;
}

/** The refusal of a D or G for a field that would make another order of it, or null (rule D13). */
export function fieldRefusal(
  session: SessionState,
  rules: MarketRules,
  view: MessageView,
  now: EpochMs,
): Refusal | null {
  let context: FieldContext | null = null;
  for (let i = 0; i < view.fieldCount; i++) {
    const tag = view.tagAt(i);
    const check = LOOKED_AT.get(tag);
    if (check === undefined || view.depthAt(i) !== 0) continue;
    const value = view.stringAt(i);
    context ??= { session, rules, now };
    const refusal = check(value, context);
    if (refusal === null) continue;
    const written = `${nameOf(tag)}=${shown(value)}`;
    if (typeof refusal === 'string') return unsupported(`${written} ${refusal}`);
    return { ...refusal, text: `${written} ${refusal.text}` };
  }
  return null;
}
