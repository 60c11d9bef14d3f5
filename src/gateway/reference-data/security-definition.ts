// SecurityDefinitionRequest(c) → SecurityDefinition(d), one message per market: the one way to reference data in
// FIX.4.2, which has no SecurityList(y).

import { MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { addText } from '../reports/text.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import type { MarketRules } from '../vocabulary/market-board.ts';
import { addressTo, askerOf, type Sender } from '../vocabulary/sender.ts';
import {
  addInstrument,
  addUnderlying,
  addVenueFields,
  increment,
  inWords,
  marketOf,
  marketsOf,
  smallest,
} from './instrument.ts';
import { filterIn, matches } from './instrument-filter.ts';
import { listMarkets } from './market-listing.ts';

/** SecurityRequestType(321) values that ask for one symbol, and for all. */
const ONE: ReadonlySet<string> = new Set(['0', '1', '4']);
const ALL: ReadonlySet<string> = new Set(['3', '8']);

/** Fields that every answer repeats from its request. */
interface Asked {
  readonly reqID: string;
  readonly asker: Sender;
}

/**
 * Take a SecurityDefinitionRequest(c): one d per market, 323=6 for a symbol that is not found, 323=5 for another
 * request. A list (321=3) can be narrowed by type, maturity, strike and underlying.
 */
export function handleSecurityDefinitionRequest(turn: Turn, session: SessionState, view: MessageView): void {
  const type = view.string(Tag.SecurityRequestType) ?? '';
  const symbol = view.string(Tag.Symbol);
  const isOne = ONE.has(type) && symbol !== null;
  const one = isOne ? marketOf(turn, session, symbol) : null;
  const filter = filterIn(session, view);
  const markets = ALL.has(type)
    ? marketsOf(turn, session).filter((rules) => matches(filter, rules))
    : one === null
      ? []
      : [one];
  const asked = { reqID: view.string(Tag.SecurityReqID) ?? '', asker: askerOf(view) };
  const total = markets.length;
  if (total > 0) {
    listMarkets(turn, session, markets, (next, by, from, some) => {
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
    : ALL.has(type)
      ? 'No market of this session is of that kind'
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
  addInstrument(session, rules, draft, true);
  if (version.hasParties) addUnderlying(session, rules, draft);
  draft.add(Tag.Currency, rules.market.quoteSymbol);
  addText(draft, session, inWords(rules));
  // FIX.4.2 has the group of underlyings last.
  if (!version.hasParties) addUnderlying(session, rules, draft);
  if (version.saysLots) {
    draft.addDecimal(Tag.RoundLot, increment(rules)).addDecimal(Tag.MinTradeVol, smallest(rules));
  }
  if (isVenue && version.hasParties) addVenueFields(session, rules, draft);
}
