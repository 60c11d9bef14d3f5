// Which markets a request asks for: by the fields of its instrument, and by the underlying asset. A field that is absent
// narrows nothing.

import { Decimal } from '../../base/decimal.ts';
import { formatUtcTimestamp } from '../../base/time.ts';
import type { Market } from '../../exchange/mod.ts';
import { type MessageView, Tag } from '../../wire/mod.ts';
import { exchangeSymbolOf } from '../rules/read-order-terms.ts';
import type { InstrumentFilter } from '../state/list-subscriptions.ts';
import type { SessionState } from '../state/session-state.ts';
import type { MarketRules } from '../vocabulary/market-board.ts';
import { cfiCodeOf, SECURITY_TYPES } from './instrument.ts';

/** SecurityType(167) of spot markets in newer versions, taken beside our own word. */
const SPOT_TYPES: ReadonlySet<string> = new Set(['FXSPOT', SECURITY_TYPES.SPOT]);

/** The filter in a request. */
export function filterIn(session: SessionState, view: MessageView): InstrumentFilter {
  const symbol = view.string(Tag.Symbol);
  const groups = view.groupEntries(session.version.hasParties ? Tag.NoUnderlyings : Tag.NoRelatedSym) ?? [];
  const underlyings = groups.map((entry) => entry.string(Tag.UnderlyingSymbol)).filter((asset) => asset !== null);
  return {
    symbol: symbol === null || symbol === '[N/A]' ? null : exchangeSymbolOf(session, symbol),
    securityType: view.string(Tag.SecurityType),
    cfiCode: view.string(Tag.CFICode),
    underlyings: underlyings.length === 0 ? null : new Set(underlyings),
    maturity: view.string(Tag.MaturityDate) ?? view.string(Tag.MaturityMonthYear),
    putOrCall: view.string(Tag.PutOrCall),
    strikePrice: view.decimal(Tag.StrikePrice),
    currency: view.string(Tag.Currency),
  };
}

/** True if the filter narrows by something other than the symbol. */
export function narrows({ symbol: _, ...others }: InstrumentFilter): boolean {
  return Object.values(others).some((value) => value !== null);
}

/** Whether the filter asks for the market. */
export function matches(filter: InstrumentFilter, { market }: MarketRules): boolean {
  const { symbol, securityType, underlyings, maturity, putOrCall, strikePrice, currency } = filter;
  if (symbol !== null && market.symbol !== symbol) return false;
  if (securityType !== null && !isOfType(market, securityType)) return false;
  if (!isOfCfiCode(market, filter.cfiCode)) return false;
  if (underlyings !== null && !underlyings.has(market.baseSymbol)) return false;
  if (maturity !== null && !maturesIn(market, maturity)) return false;
  if (putOrCall !== null && market.optionType !== (putOrCall === '0' ? 'PUT' : 'CALL')) return false;
  if (currency !== null && market.quoteSymbol !== currency) return false;
  if (strikePrice === null) return true;
  return market.strikePrice !== undefined && Decimal.parse(market.strikePrice)?.equals(strikePrice) === true;
}

function isOfType({ marketType }: Market, securityType: string): boolean {
  return marketType === 'SPOT' ? SPOT_TYPES.has(securityType) : SECURITY_TYPES[marketType] === securityType;
}

function isOfCfiCode(market: Market, wanted: string | null): boolean {
  if (wanted === null) return true;
  const code = cfiCodeOf(market);
  if (code === null) return false;
  return [0, 1].every((i) => wanted[i] === undefined || wanted[i] === 'X' || code[i] === 'X' || code[i] === wanted[i]);
}

function maturesIn({ expiresAt }: Market, maturity: string): boolean {
  return expiresAt !== undefined && formatUtcTimestamp(expiresAt).startsWith(maturity);
}
