// SecurityListRequest(x) → SecurityList(y), once or until taken back, and the list's changes: from FIX.5.0 on
// SecurityListUpdateReport(BK), in FIX.4.4 the whole list again. security-status.ts says whether a market trades now.

import { MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { addText } from '../reports/text.ts';
import { rejectBusiness } from '../reports/unsupported-message.ts';
import { LIST_SUBSCRIPTIONS_MAX, type ListRequest } from '../state/list-subscriptions.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import type { MarketRules } from '../vocabulary/market-board.ts';
import { addressTo, askerOf } from '../vocabulary/sender.ts';
import {
  addAssets,
  addInstrument,
  addUnderlying,
  addVenueFields,
  increment,
  inWords,
  largest,
  marketOf,
  marketsOf,
  smallest,
} from './instrument.ts';
import { filterIn, matches, narrows } from './instrument-filter.ts';
import { changesSince, type ListChange } from './list-changes.ts';
import { listMarkets, PART_MAX } from './market-listing.ts';

/**
 * Take a SecurityListRequest(x): one market (559=0), those of a type, maturity or underlying (559=1), or all (559=4);
 * anything else is 560=1, and a list without a market 560=2.
 */
export function handleSecurityListRequest(turn: Turn, session: SessionState, view: MessageView): void {
  const { sessionId } = session.config;
  const { lists } = turn.state;
  const reqID = view.string(Tag.SecurityReqID) ?? '';
  const subscription = view.string(Tag.SubscriptionRequestType);
  if (subscription === '2') {
    lists.remove(sessionId, reqID);
    return;
  }
  const type = view.string(Tag.SecurityListRequestType);
  const filter = filterIn(session, view);
  const symbol = view.string(Tag.Symbol);
  const isSupported = type === '4' || (type === '0' && symbol !== null) || (type === '1' && narrows(filter));
  const request = { reqID, asker: askerOf(view), filter, symbol: type === '0' ? symbol : null };
  if (isSupported && subscription === '1' && !lists.add(sessionId, reqID, request, LIST_SUBSCRIPTIONS_MAX)) {
    const text = `More than ${LIST_SUBSCRIPTIONS_MAX} lists are subscribed; take one back with 263=2`;
    rejectBusiness(turn, session, view, '0', text);
    return;
  }
  sendList(turn, session, request, isSupported);
}

function marketsIn(turn: Turn, session: SessionState, { filter, symbol }: ListRequest): MarketRules[] {
  if (symbol === null) return marketsOf(turn, session).filter((rules) => matches(filter, rules));
  const market = marketOf(turn, session, symbol);
  return market === null ? [] : [market];
}

function sendList(turn: Turn, session: SessionState, request: ListRequest, isSupported: boolean): void {
  const markets = isSupported ? marketsIn(turn, session, request) : [];
  const total = markets.length;
  const result = !isSupported ? '1' : total === 0 ? '2' : '0';
  listMarkets(turn, session, markets, (next, by, from, some) => {
    const part = { result, some, total, fragment: from / PART_MAX + 1, isLast: from + PART_MAX >= total };
    next.send(by.config.sessionId, securityList(next, by, request, part));
  });
}

/** Report changes of the markets to the subscribers. `before`: the markets before the input. */
export function tellLists(turn: Turn, before: readonly MarketRules[]): void {
  const { lists, sessions, board } = turn.state;
  if (lists.isEmpty) return;
  const changes = changesSince(before, board.allRules());
  if (changes.length === 0) return;
  for (const [sessionId, request] of lists.all()) {
    const session = sessions.get(sessionId);
    if (session !== undefined) tellChanges(turn, session, request, changes);
  }
}

function tellChanges(turn: Turn, session: SessionState, request: ListRequest, changes: readonly ListChange[]): void {
  const { symbols } = session;
  const concerned = changes.filter(({ rules }) => {
    const isOpen = symbols === null || symbols.has(rules.market.symbol);
    return isOpen && matches(request.filter, rules);
  });
  if (concerned.length === 0) return;
  // FIX.4.4 has no message for changes, and y no word for a market that is gone.
  if (!session.version.saysTick) {
    sendList(turn, session, request, true);
    return;
  }
  for (const action of ['D', 'A', 'M'] as const) {
    const some = concerned.filter((change) => change.action === action).map(({ rules }) => rules);
    if (some.length > 0) sendUpdate(turn, session, request, action, some);
  }
}

function sendUpdate(
  turn: Turn,
  session: SessionState,
  request: ListRequest,
  action: ListChange['action'],
  markets: readonly MarketRules[],
): void {
  const total = markets.length;
  listMarkets(turn, session, markets, (next, by, from, some) => {
    const number = ++next.state.answerCount;
    const draft = addressTo(new MessageDraft(MsgType.SecurityListUpdateReport), request.asker)
      .add(Tag.SecurityReportID, `${number}`)
      .add(Tag.SecurityReqID, request.reqID)
      .add(Tag.SecurityResponseID, `${request.reqID}-u${number}`)
      .add(Tag.SecurityRequestResult, '0')
      .add(Tag.TotNoRelatedSym, `${total}`)
      .add(Tag.SecurityUpdateAction, action);
    if (by.version.hasLateFields) draft.addTime(Tag.TransactTime, next.now);
    draft.add(Tag.LastFragment, from + PART_MAX >= total ? 'Y' : 'N').add(Tag.NoRelatedSym, `${some.length}`);
    for (const rules of some) {
      // It begins each entry in the versions that have it.
      if (by.version.saysSettlMethod) draft.add(Tag.ListUpdateAction, action);
      addEntry(by, rules, draft, false);
    }
    next.send(by.config.sessionId, draft);
  });
}

interface Fragment {
  readonly result: string;
  readonly some: readonly MarketRules[];
  readonly total: number;
  readonly fragment: number;
  readonly isLast: boolean;
}

function securityList(turn: Turn, session: SessionState, { reqID, asker }: ListRequest, part: Fragment): MessageDraft {
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
  for (const rules of part.some) addEntry(session, rules, draft, true);
  return draft;
}

/** One market of a list. FIX.5.0 has its underlying asset in y and not in BK. */
function addEntry(session: SessionState, rules: MarketRules, draft: MessageDraft, isList: boolean): void {
  const { version, isVenue, isExchangeFix } = session;
  addInstrument(session, rules, draft, true);
  if (version.saysSettlMethod) {
    const most = largest(rules);
    draft.addDecimal(Tag.MinTradeVol, smallest(rules));
    if (most !== null) draft.addDecimal(Tag.MaxTradeVol, most);
    draft.addDecimal(Tag.RoundLot, increment(rules));
  }
  if (isList || version.saysSettlMethod) addUnderlying(session, rules, draft);
  draft.add(Tag.Currency, rules.market.quoteSymbol);
  if (version.saysLots) draft.addDecimal(Tag.RoundLot, increment(rules)).addDecimal(Tag.MinTradeVol, smallest(rules));
  if (isExchangeFix) addVenueFields(session, rules, addAssets(rules, draft, false));
  else if (isVenue) addVenueFields(session, rules, draft, true);
  else addText(draft, session, inWords(rules));
}
