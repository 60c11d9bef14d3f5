// An instrument in the fields of each version: its name, its type, maturity, strike and multiplier, and the rules that it
// trades by (rule D1). Leaves lists and their parts to security-list.ts and security-definition.ts.

import { Decimal } from '../../base/decimal.ts';
import { formatUtcTimestamp } from '../../base/time.ts';
import type { Market } from '../../exchange/mod.ts';
import { type MessageDraft, Tag } from '../../wire/mod.ts';
import { exchangeSymbolOf } from '../rules/read-order-terms.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import type { MarketRules } from '../vocabulary/market-board.ts';

/** MaturityDay(205) of FIX.4.2, where later versions have MaturityDate(541). */
const MATURITY_DAY = 205;

/** SecurityType(167): a perpetual is a future without maturity; spot is a foreign exchange contract (**assumed**). */
export const SECURITY_TYPES: Readonly<Record<Market['marketType'], string>> = {
  SPOT: 'FOR',
  PERPETUAL: 'FUT',
  DATED_FUTURE: 'FUT',
  OPTION: 'OPT',
};

/** The session's name of a symbol: its alias, where it has one. */
export function sessionSymbolOf(session: SessionState, exchangeSymbol: string): string {
  return session.names.symbols.get(exchangeSymbol) ?? exchangeSymbol;
}

/** A listed market by the session's name for it; null if there is none, or the session may not trade it. */
export function marketOf(turn: Turn, session: SessionState, symbol: string): MarketRules | null {
  const exchangeSymbol = exchangeSymbolOf(session, symbol);
  if (session.symbols !== null && !session.symbols.has(exchangeSymbol)) return null;
  return turn.state.board.listed(exchangeSymbol);
}

/** Every listed market that the session may trade. */
export function marketsOf(turn: Turn, session: SessionState): MarketRules[] {
  const { symbols } = session;
  return turn.state.board.allRules().filter(({ market }) => symbols === null || symbols.has(market.symbol));
}

/** CFICode(461), ISO 10962 with X for what is not said; null for spot markets. */
export function cfiCodeOf({ marketType, optionType }: Market): string | null {
  if (marketType === 'SPOT') return null;
  if (marketType !== 'OPTION') return 'FXXXXX';
  return optionType === 'PUT' ? 'OPXXXX' : 'OCXXXX';
}

/**
 * Symbol(55) and the fields that describe the instrument, in the order of the version's groups. `isDetailed`: tick and
 * settlement too, which only reference data carries.
 */
export function addInstrument(
  session: SessionState,
  rules: MarketRules,
  draft: MessageDraft,
  isDetailed = false,
): MessageDraft {
  const { version } = session;
  const { market } = rules;
  draft.add(Tag.Symbol, sessionSymbolOf(session, market.symbol));
  if (version.hasParties) draft.addIf(Tag.CFICode, cfiCodeOf(market));
  draft.add(Tag.SecurityType, SECURITY_TYPES[market.marketType]);
  addMaturity(session, market, draft);
  if (!version.saysSettlMethod) addPutOrCall(market, draft);
  const strike = market.strikePrice === undefined ? null : Decimal.parse(market.strikePrice);
  if (strike !== null) {
    draft.addDecimal(Tag.StrikePrice, strike.trimmed());
    if (version.hasParties) draft.add(Tag.StrikeCurrency, market.quoteSymbol);
  }
  if (market.marketType !== 'SPOT') draft.addDecimal(Tag.ContractMultiplier, rules.contractMultiplier.trimmed());
  if (isDetailed && version.saysTick) draft.addDecimal(Tag.MinPriceIncrement, rules.tickSize);
  if (isDetailed && version.saysSettlMethod && market.marketType !== 'SPOT') draft.add(Tag.SettlMethod, 'C');
  // Behind the strike in the groups of later versions.
  if (version.saysSettlMethod) addPutOrCall(market, draft);
  return draft;
}

function addPutOrCall({ optionType }: Market, draft: MessageDraft): void {
  if (optionType !== undefined) draft.add(Tag.PutOrCall, optionType === 'CALL' ? '1' : '0');
}

function addMaturity({ version }: SessionState, { expiresAt }: Market, draft: MessageDraft): void {
  if (expiresAt === undefined) return;
  const [date = '', time = ''] = formatUtcTimestamp(expiresAt).split('-');
  draft.add(Tag.MaturityMonthYear, date.slice(0, 6));
  if (version.hasParties) draft.add(Tag.MaturityDate, date);
  else draft.add(MATURITY_DAY, `${Number(date.slice(6))}`);
  if (version.saysTick) draft.add(Tag.MaturityTime, `${time.slice(0, 8)}Z`);
}

/** The group of the underlying asset: NoUnderlyings(711), in FIX.4.2 NoRelatedSym(146). */
export function addUnderlying({ version }: SessionState, { market }: MarketRules, draft: MessageDraft): MessageDraft {
  if (market.marketType === 'SPOT') return draft;
  return draft
    .add(version.hasParties ? Tag.NoUnderlyings : Tag.NoRelatedSym, '1')
    .add(Tag.UnderlyingSymbol, market.baseSymbol);
}

/** Fields of a market in the exchange's own FIX (exchange reference §7.2). */
export function addVenueFields(
  { version }: SessionState,
  rules: MarketRules,
  draft: MessageDraft,
  related = false,
): void {
  const { market, tickSize } = rules;
  // Later versions have it in the instrument.
  if (!version.saysTick) draft.addDecimal(Tag.MinPriceIncrement, tickSize);
  if (related) addAssets(rules, draft, true);
  draft
    .add(Tag.MinQuantityLimit, market.minQuantityLimit)
    .add(Tag.MaxQuantityLimit, market.maxQuantityLimit)
    .add(Tag.PricePrecision, `${market.pricePrecision}`)
    .add(Tag.QuantityPrecision, `${market.quantityPrecision}`)
    .add(Tag.MarginTradingEnabled, market.marginTradingEnabled ? 'Y' : 'N');
}

/** Base and quote asset; FIX.5.0SP2 has RelatedInstrumentType(1648) before each. */
export function addAssets({ market }: MarketRules, draft: MessageDraft, isTyped: boolean): MessageDraft {
  draft.add(Tag.NoRelatedInstruments, '2');
  for (const asset of [market.baseSymbol, market.quoteSymbol]) {
    draft
      .addIf(Tag.RelatedInstrumentType, isTyped ? '1' : null)
      .add(Tag.RelatedSymbol, asset)
      .add(Tag.RelatedSecurityType, asset === market.baseSymbol ? 'DIGITAL' : 'CASH');
  }
  return draft;
}

/** Data that no stock dictionary of the version has a field for. */
export function inWords({ market, tickSize, minQuantity, maxQuantity }: MarketRules): string {
  const most = maxQuantity.isPositive() ? ` and below ${maxQuantity.trimmed()}` : '';
  const amounts = `Price in steps of ${tickSize.trimmed()}; OrderQty above ${minQuantity.trimmed()}${most}`;
  const decimals = `${market.quantityPrecision} decimals at most`;
  return `${contractInWords(market)}${amounts}, ${decimals}${market.auctionEnabled ? '; has auctions (59=5)' : ''}`;
}

function contractInWords({ marketType, expiresAt, settlementAssetSymbol }: Market): string {
  if (marketType === 'SPOT') return '';
  const kind = { PERPETUAL: 'Perpetual future', DATED_FUTURE: 'Dated future', OPTION: 'Option' }[marketType];
  const expiry = expiresAt === undefined ? '' : `, expires ${formatUtcTimestamp(expiresAt)}`;
  const asset = settlementAssetSymbol === undefined ? '' : `, settles in ${settlementAssetSymbol}`;
  return `${kind}${expiry}${asset}; `;
}

/** The smallest step of a quantity. */
export function increment({ market }: MarketRules): Decimal {
  return new Decimal(1, market.quantityPrecision).trimmed();
}

/** The smallest quantity that may be traded: the exchange's limit is exclusive. */
export function smallest(rules: MarketRules): Decimal {
  return rules.minQuantity.add(increment(rules)).trimmed();
}

/** The largest quantity that may be traded, or null if there is no limit: the exchange's is exclusive. */
export function largest(rules: MarketRules): Decimal | null {
  return rules.maxQuantity.isPositive() ? rules.maxQuantity.subtract(increment(rules)).trimmed() : null;
}
