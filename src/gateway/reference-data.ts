// Reference data over FIX: SecurityListRequest(x) and SecurityDefinitionRequest(c), answered at once from the markets that
// were read last. What a field may be called in which version and dialect is decided here (rule D1); whether a market
// trades now is security-status.ts's.

import { Decimal } from '../base/decimal.ts';
import { MessageDraft, type MessageView, MsgType, Tag } from '../wire/mod.ts';
import type { MarketRules } from './market-board.ts';
import { exchangeSymbolOf } from './order-terms.ts';
import { addressTo, askerOf } from './sender.ts';
import type { SessionState } from './session-state.ts';
import type { Turn } from './state.ts';

/** Markets in one SecurityList(y): it stays well below the longest message that any engine takes. */
const FRAGMENT_MAX = 100;

/** The session's name of a symbol: its alias, where it has one. */
export function sessionSymbolOf(session: SessionState, exchangeSymbol: string): string {
  return session.aliases.get(exchangeSymbol) ?? exchangeSymbol;
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

/** Address an answer to whoever asked (rules O9, D11). */
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
  for (let from = 0, fragment = 1; from < Math.max(1, total); from += FRAGMENT_MAX, fragment++) {
    const some = markets.slice(from, from + FRAGMENT_MAX);
    turn.send(
      session.config.sessionId,
      securityList(turn, session, view, { result, some, total, fragment, isLast: from + FRAGMENT_MAX >= total }),
    );
  }
}

interface Fragment {
  readonly result: string;
  readonly some: readonly MarketRules[];
  readonly total: number;
  readonly fragment: number;
  readonly isLast: boolean;
}

function securityList(turn: Turn, session: SessionState, view: MessageView, part: Fragment): MessageDraft {
  const reqID = view.string(Tag.SecurityReqID) ?? '';
  const draft = answerTo(view, MsgType.SecurityList)
    .add(Tag.SecurityReqID, reqID)
    .add(Tag.SecurityResponseID, `${reqID}-${part.fragment}`)
    .add(Tag.SecurityRequestResult, part.result);
  // The exchange's own FIX has it; stock dictionaries have it from 5.0SP2 on.
  if (session.isVenue || session.version.hasLateFields) draft.addTime(Tag.TransactTime, turn.now);
  if (part.some.length === 0) return draft;
  draft
    .add(Tag.TotNoRelatedSym, `${part.total}`)
    .add(Tag.LastFragment, part.isLast ? 'Y' : 'N')
    .add(Tag.NoRelatedSym, `${part.some.length}`);
  for (const rules of part.some) {
    draft.add(Tag.Symbol, sessionSymbolOf(session, rules.market.symbol)).add(Tag.Currency, rules.market.quoteSymbol);
    if (session.version.saysLots) {
      draft.addDecimal(Tag.RoundLot, increment(rules)).addDecimal(Tag.MinTradeVol, smallest(rules));
    }
    if (session.isVenue) addVenueFields(rules, draft, true);
    else draft.add(Tag.Text, inWords(rules));
  }
  return draft;
}

/** What the exchange's own FIX says of a market (exchange reference §7.2). */
function addVenueFields({ market }: MarketRules, draft: MessageDraft, related: boolean): void {
  draft.add(Tag.MinPriceIncrement, market.tickSize);
  if (related) {
    draft.add(Tag.NoRelatedInstruments, '2');
    for (const asset of [market.baseSymbol, market.quoteSymbol]) {
      draft
        .add(Tag.RelatedInstrumentType, '1')
        .add(Tag.RelatedSymbol, asset)
        .add(Tag.RelatedSecurityType, asset === market.baseSymbol ? 'DIGITAL' : 'CASH');
    }
  }
  draft
    .add(Tag.MinQuantityLimit, market.minQuantityLimit)
    .add(Tag.MaxQuantityLimit, market.maxQuantityLimit)
    .add(Tag.PricePrecision, `${market.pricePrecision}`)
    .add(Tag.QuantityPrecision, `${market.quantityPrecision}`)
    .add(Tag.MarginTradingEnabled, market.marginTradingEnabled ? 'Y' : 'N');
}

/** What no stock dictionary of the version has a field for. */
function inWords({ market, tickSize, minQuantity, maxQuantity }: MarketRules): string {
  const amounts = `Price in steps of ${tickSize.trimmed()}; OrderQty above ${minQuantity.trimmed()} and below ${maxQuantity.trimmed()}`;
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
  const { sessionId } = session.config;
  for (const [index, rules] of markets.entries()) {
    const draft = definition(session, view, { number: index + 1, total: markets.length, response: '1' });
    addMarket(session, rules, draft);
    turn.send(sessionId, draft);
  }
  if (markets.length > 0) return;
  const response = isOne || ALL.has(type) ? '6' : '5';
  const text = isOne
    ? `Symbol(55)=${symbol} is not traded on this session`
    : `SecurityRequestType(321)=${type} is not carried; 0 asks for the market in Symbol(55), 3 for all`;
  const draft = definition(session, view, { number: 1, total: 0, response });
  if (symbol !== null) draft.add(Tag.Symbol, symbol);
  turn.send(sessionId, draft.add(Tag.Text, text));
}

function definition(
  { version }: SessionState,
  view: MessageView,
  { number, total, response }: { readonly number: number; readonly total: number; readonly response: string },
): MessageDraft {
  const reqID = view.string(Tag.SecurityReqID) ?? '';
  return answerTo(view, MsgType.SecurityDefinition)
    .add(Tag.SecurityReqID, reqID)
    .add(Tag.SecurityResponseID, `${reqID}-${number}`)
    .add(Tag.SecurityResponseType, response)
    .addIf(Tag.TotNoRelatedSym, version.hasParties ? null : `${total}`);
}

function addMarket(session: SessionState, rules: MarketRules, draft: MessageDraft): void {
  const { version, isVenue } = session;
  draft.add(Tag.Symbol, sessionSymbolOf(session, rules.market.symbol)).add(Tag.Currency, rules.market.quoteSymbol);
  draft.add(Tag.Text, inWords(rules));
  if (version.saysLots) {
    draft.addDecimal(Tag.RoundLot, increment(rules)).addDecimal(Tag.MinTradeVol, smallest(rules));
  }
  if (isVenue && version.hasParties) addVenueFields(rules, draft, false);
}
