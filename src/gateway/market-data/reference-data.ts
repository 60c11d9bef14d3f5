// Reference data over FIX: SecurityListRequest(x) and SecurityDefinitionRequest(c), answered at once from the latest
// markets. Field names per version and dialect are decided here (rule D1); security-status.ts decides whether a market
// trades now.

import { Decimal } from '../../base/decimal.ts';
import { MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { addText } from '../reports/text.ts';
import { exchangeSymbolOf } from '../rules/read-order-terms.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import type { MarketRules } from '../vocabulary/market-board.ts';
import { addressTo, askerOf, type Sender } from '../vocabulary/sender.ts';

/** Markets per turn and per SecurityList(y), well below the longest message that any engine accepts. */
const PART_MAX = 100;

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

function marketsOf(turn: Turn, session: SessionState): MarketRules[] {
  const { symbols } = session;
  return turn.state.board.allRules().filter(({ market }) => symbols === null || symbols.has(market.symbol));
}

/** Address an answer to the requester (rules O9, D11). */
export function answerTo(view: MessageView, msgType: string): MessageDraft {
  return addressTo(new MessageDraft(msgType), askerOf(view));
}

/** Take a SecurityListRequest(x): one market (559=0) or all (559=4); anything else is 560=1, a symbol not found 560=2. */
export function handleSecurityListRequest(turn: Turn, session: SessionState, view: MessageView): void {
  const type = view.string(Tag.SecurityListRequestType);
  const symbol = view.string(Tag.Symbol);
  let markets: MarketRules[] = [];
  let result = '0';
  if (type === '4') markets = marketsOf(turn, session);
  else if (type === '0' && symbol !== null) {
    const market = marketOf(turn, session, symbol);
    if (market !== null) markets = [market];
  } else result = '1';
  if (result === '0' && markets.length === 0) result = '2';
  const total = markets.length;
  const asked = askedIn(view);
  list(turn, session, markets, (next, by, from, some) => {
    const part = { result, some, total, fragment: from / PART_MAX + 1, isLast: from + PART_MAX >= total };
    next.send(by.config.sessionId, securityList(next, by, asked, part));
  });
}

/** Fields that every answer repeats from its request. */
interface Asked {
  readonly reqID: string;
  readonly asker: Sender;
}

function askedIn(view: MessageView): Asked {
  return { reqID: view.string(Tag.SecurityReqID) ?? '', asker: askerOf(view) };
}

/**
 * Answer in parts, each in a turn of its own, so that others are served in between; at least one, of no markets if
 * there are none. Nothing piles up: the rest of an earlier long answer to the session goes at once, ahead of another
 * one.
 */
function list(
  turn: Turn,
  { config: { sessionId } }: SessionState,
  markets: readonly MarketRules[],
  tell: (turn: Turn, session: SessionState, from: number, some: readonly MarketRules[]) => void,
): void {
  const { listings, sessions, pieces } = turn.state;
  if (markets.length > PART_MAX) listings.get(sessionId)?.(turn, true);
  let from = 0;
  const goOn = (next: Turn, isWhole: boolean): void => {
    do {
      const session = sessions.get(sessionId);
      if (session !== undefined) tell(next, session, from, markets.slice(from, from + PART_MAX));
      from += PART_MAX;
    } while (isWhole && from < markets.length);
    if (from >= markets.length) {
      if (listings.get(sessionId) === goOn) listings.delete(sessionId);
      return;
    }
    listings.set(sessionId, goOn);
    pieces.add(sessionId, next.now, (later) => {
      if (listings.get(sessionId) === goOn) goOn(later, false);
    });
  };
  goOn(turn, false);
}

interface Fragment {
  readonly result: string;
  readonly some: readonly MarketRules[];
  readonly total: number;
  readonly fragment: number;
  readonly isLast: boolean;
}

function securityList(turn: Turn, session: SessionState, { reqID, asker }: Asked, part: Fragment): MessageDraft {
  const draft = addressTo(new MessageDraft(MsgType.SecurityList), asker)
    .add(Tag.SecurityReqID, reqID)
    .add(Tag.SecurityResponseID, `${reqID}-${part.fragment}`)
    .add(Tag.SecurityRequestResult, part.result);
  // The exchange's own FIX has it; stock dictionaries have it from 5.0SP2 on.
  if (session.isVenue || session.version.hasLateFields) draft.addTime(Tag.TransactTime, turn.now);
  // Required there, with a market or without.
  if (part.some.length === 0) return session.isExchangeFix ? draft.add(Tag.NoRelatedSym, '0') : draft;
  draft
    .add(Tag.TotNoRelatedSym, `${part.total}`)
    .add(Tag.LastFragment, part.isLast ? 'Y' : 'N')
    .add(Tag.NoRelatedSym, `${part.some.length}`);
  for (const rules of part.some) {
    draft.add(Tag.Symbol, sessionSymbolOf(session, rules.market.symbol)).add(Tag.Currency, rules.market.quoteSymbol);
    if (session.version.saysLots) {
      draft.addDecimal(Tag.RoundLot, increment(rules)).addDecimal(Tag.MinTradeVol, smallest(rules));
    }
    if (session.isExchangeFix) addVenueFields(rules, addAssets(rules, draft, false));
    else if (session.isVenue) addVenueFields(rules, draft, true);
    else addText(draft, session, inWords(rules));
  }
  return draft;
}

/** Fields of a market in the exchange's own FIX (exchange reference §7.2). */
function addVenueFields(rules: MarketRules, draft: MessageDraft, related = false): void {
  const { market, tickSize } = rules;
  draft.addDecimal(Tag.MinPriceIncrement, tickSize);
  if (related) addAssets(rules, draft, true);
  draft
    .add(Tag.MinQuantityLimit, market.minQuantityLimit)
    .add(Tag.MaxQuantityLimit, market.maxQuantityLimit)
    .add(Tag.PricePrecision, `${market.pricePrecision}`)
    .add(Tag.QuantityPrecision, `${market.quantityPrecision}`)
    .add(Tag.MarginTradingEnabled, market.marginTradingEnabled ? 'Y' : 'N');
}

/** Base and quote asset; FIX.5.0SP2 has RelatedInstrumentType(1648) before each. */
function addAssets({ market }: MarketRules, draft: MessageDraft, isTyped: boolean): MessageDraft {
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
function inWords({ market, tickSize, minQuantity, maxQuantity }: MarketRules): string {
  const most = maxQuantity.isPositive() ? ` and below ${maxQuantity.trimmed()}` : '';
  const amounts = `Price in steps of ${tickSize.trimmed()}; OrderQty above ${minQuantity.trimmed()}${most}`;
  const decimals = `${market.quantityPrecision} decimals at most`;
  return `${amounts}, ${decimals}${market.auctionEnabled ? '; has auctions (59=5)' : ''}`;
}

/** The smallest step of a quantity. */
function increment({ market }: MarketRules): Decimal {
  return new Decimal(1, market.quantityPrecision).trimmed();
}

/** The smallest quantity that may be traded: the exchange's limit is exclusive. */
function smallest(rules: MarketRules): Decimal {
  return rules.minQuantity.add(increment(rules)).trimmed();
}

/** SecurityRequestType(321) values that ask for one symbol, and for all. */
const ONE: ReadonlySet<string> = new Set(['0', '1', '4']);
const ALL: ReadonlySet<string> = new Set(['3', '8']);

/** Take a SecurityDefinitionRequest(c): one d per market, 323=6 for a symbol that is not found, 323=5 for another request. */
export function handleSecurityDefinitionRequest(turn: Turn, session: SessionState, view: MessageView): void {
  const type = view.string(Tag.SecurityRequestType) ?? '';
  const symbol = view.string(Tag.Symbol);
  const isOne = ONE.has(type) && symbol !== null;
  const one = isOne ? marketOf(turn, session, symbol) : null;
  const markets = ALL.has(type) ? marketsOf(turn, session) : one === null ? [] : [one];
  const asked = askedIn(view);
  const total = markets.length;
  if (total > 0) {
    list(turn, session, markets, (next, by, from, some) => {
      for (const [i, rules] of some.entries()) {
        const draft = definition(by, asked, { number: from + i + 1, total, response: '1' });
        addMarket(by, rules, draft);
        next.send(by.config.sessionId, draft);
      }
    });
    return;
  }
  const response = isOne || ALL.has(type) ? '6' : '5';
  const text = isOne
    ? `Symbol(55)=${symbol} is not traded on this session`
    : `SecurityRequestType(321)=${type} is not carried; 0 asks for the market in Symbol(55), 3 for all`;
  const draft = definition(session, asked, { number: 1, total: 0, response });
  if (symbol !== null) draft.add(Tag.Symbol, symbol);
  turn.send(session.config.sessionId, addText(draft, session, text));
}

function definition(
  { version }: SessionState,
  { reqID, asker }: Asked,
  { number, total, response }: { readonly number: number; readonly total: number; readonly response: string },
): MessageDraft {
  return addressTo(new MessageDraft(MsgType.SecurityDefinition), asker)
    .add(Tag.SecurityReqID, reqID)
    .add(Tag.SecurityResponseID, `${reqID}-${number}`)
    .add(Tag.SecurityResponseType, response)
    .addIf(Tag.TotNoRelatedSym, version.hasParties ? null : `${total}`);
}

function addMarket(session: SessionState, rules: MarketRules, draft: MessageDraft): void {
  const { version, isVenue } = session;
  draft.add(Tag.Symbol, sessionSymbolOf(session, rules.market.symbol)).add(Tag.Currency, rules.market.quoteSymbol);
  addText(draft, session, inWords(rules));
  if (version.saysLots) {
    draft.addDecimal(Tag.RoundLot, increment(rules)).addDecimal(Tag.MinTradeVol, smallest(rules));
  }
  if (isVenue && version.hasParties) addVenueFields(rules, draft);
}
