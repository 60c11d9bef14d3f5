// TradeCaptureReport(AE) of an OMS → TradeCaptureReportAck(AR): enters one side of a negotiated (OTC) trade, accepts one that
// a broker entered, cancels one. At most once per TradeReportID(571) (rule U4), within the limits of orders (rule O12). AD and
// later AEs report the outcome of a trade.

import { Decimal } from '../../base/decimal.ts';
import type { AccountCommand, CommandOutcome, DataAnswer, OtcLeg } from '../../exchange/mod.ts';
import { ExecType, type GroupEntry, MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { addText } from '../reports/text.ts';
import type { InboundMessage } from '../requests/inbound-message.ts';
import { closedRefusal, reconciliationRefusal, staleRefusal } from '../requests/new-order.ts';
import { killSwitchOn } from '../rules/kill-switch-check.ts';
import { exchangeSymbolOf } from '../rules/read-order-terms.ts';
import { isUsed, requestIDProblem, useRequestID } from '../rules/request-ids.ts';
import { limitRefusal } from '../rules/risk-limits.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import type { AccountEntitlement } from '../vocabulary/config.ts';
import { addressTo, askerOf, type Sender } from '../vocabulary/sender.ts';

/** TradeReportRejectReason(751). */
const Reason = { UnknownInstrument: '2', NotAuthorized: '3', TradeType: '4', Other: '99' } as const;
/** TrdRptStatus(939). An unknown outcome has none: FIX.4.4 has no value for it. */
const Status = { Accepted: '0', Rejected: '1' } as const;

/** An id of the exchange, and one of its clients: an i64 without a leading zero (exchange catalogue, App. D 9004, 9008). */
const OTC_ID = /^[1-9]\d{0,18}$/;
const SHARED_KEY = /^[A-Za-z0-9]{12,64}$/;
/** Longest remark that the exchange keeps. */
const REMARKS_MAX = 255;

/** Names of the amounts in refusals. */
const WORDS = { quantity: 'LastQty(32)', price: 'LastPx(31)', multiplier: 'ContractMultiplier(231)' };

/** The fields of the AE that its AR repeats. */
interface Asked {
  readonly asker: Sender;
  readonly echo: ReadonlyMap<number, string | null>;
}

/** Why an AE is refused. */
interface Objection {
  readonly reason: string;
  readonly text: string;
}

type Entry = 'submit' | 'accept' | 'cancel';

/** Take a TradeCaptureReport(AE). */
export function handleTradeEntry(inbound: InboundMessage): void {
  const { turn, session, view } = inbound;
  const asked = askedIn(view);
  const entry = entryOf(view);
  const account = accountIn(session, view);
  const objection =
    typeof entry !== 'string' ? entry : (objectionTo(inbound, entry) ?? ('text' in account ? account : null));
  if (objection !== null || typeof entry !== 'string' || 'text' in account) {
    answer(turn, session, asked, Status.Rejected, objection!);
  } else if (entry === 'cancel') cancel(turn, session, view, { asked, account });
  else enter(inbound, entry, { asked, account });
}

interface Known {
  readonly asked: Asked;
  readonly account: AccountEntitlement;
}

/** The purpose of the AE: TradeReportTransType(487)=1 or TradeReportType(856)=3 or 6 ends a trade, 856=2 accepts one. */
function entryOf(view: MessageView): Entry | Objection {
  const type = view.string(Tag.TradeReportType) ?? '0';
  const trans = view.string(Tag.TradeReportTransType) ?? '0';
  if (trans === '1' || type === '3' || type === '6') return 'cancel';
  if (type === '2') return 'accept';
  if (type === '0' && trans === '0') return 'submit';
  const text = `TradeReportTransType(487)=${trans} with TradeReportType(856)=${type} is not supported; cancel the trade and submit a new one`;
  return { reason: Reason.Other, text };
}

/** Why the session may not do this now, or null. A cancel ends risk: only what forbids it for good refuses it. */
function objectionTo(inbound: InboundMessage, entry: Entry): Objection | null {
  const { turn, session, view } = inbound;
  const { sessionId, negotiatedPerMinute = 0 } = session.config;
  const reportID = view.string(Tag.TradeReportID) ?? '';
  const problem = requestIDProblem('TradeReportID(571)', reportID);
  if (problem !== null) return { reason: Reason.Other, text: problem };
  if (!session.takesOrders || negotiatedPerMinute === 0) {
    const text = 'Negotiated trades are not agreed for this session (setting negotiatedPerMinute)';
    return { reason: Reason.NotAuthorized, text };
  }
  const trdType = view.string(Tag.TrdType);
  if (trdType !== null && trdType !== '1') {
    return { reason: Reason.TradeType, text: `TrdType(828)=${trdType} is not supported; use 1` };
  }
  if (isUsed(turn.state, sessionId, usedAs(reportID))) {
    const text = `TradeReportID(571)=${reportID} was used before and does not run again; ask by AD with TrdType(828)=1 what became of it`;
    return { reason: Reason.Other, text };
  }
  const refusal = entry === 'cancel' ? null : (closedRefusal(turn, session) ?? staleRefusal(inbound));
  return refusal === null ? null : { reason: Reason.Other, text: refusal.text };
}

/** Its name among the ids of the session, where no ClOrdID(11) of an order can be the same. */
const usedAs = (reportID: string): string => `trade report ${reportID}`;

/** The account of the AE's side; a session with one account need not name it (rule O7). */
function accountIn({ config, accounts }: SessionState, view: MessageView): AccountEntitlement | Objection {
  const name = sideOf(view)?.string(Tag.Account) ?? null;
  if (name === null && config.accounts.length === 1) return config.accounts[0]!;
  const found = name === null ? undefined : accounts.get(name);
  if (found !== undefined) return found;
  const text = name === null ? 'Account(1) is required: the session has several' : `Account(1)=${name} is unknown`;
  return { reason: Reason.NotAuthorized, text };
}

function sideOf(view: MessageView): GroupEntry | null {
  const sides = view.groupEntries(Tag.NoSides) ?? [];
  return sides.length === 1 ? sides[0]! : null;
}

/** The leg of the AE as this account trades it (rules O7, O8). */
function legIn(turn: Turn, session: SessionState, view: MessageView): OtcLeg | Objection {
  const named = view.string(Tag.Symbol) ?? '';
  const symbol = exchangeSymbolOf(session, named);
  if (turn.state.board.rules(symbol) === null || session.symbols?.has(symbol) === false) {
    return { reason: Reason.UnknownInstrument, text: `Symbol(55)=${named} is no market of this session` };
  }
  const side = sideOf(view)?.string(Tag.Side);
  if (side !== '1' && side !== '2') {
    return { reason: Reason.Other, text: 'NoSides(552) needs one entry, with Side(54)=1 or 2: your own side' };
  }
  const [qty, px] = [view.decimal(Tag.LastQty), view.decimal(Tag.LastPx)];
  if (qty === null || px === null || !qty.isPositive()) {
    return { reason: Reason.Other, text: 'LastQty(32) must be positive, and LastPx(31) is required' };
  }
  const [price, quantity] = [px.trimmed().toString(), qty.trimmed().toString()];
  return { symbol, side: side === '1' ? 'BUY' : 'SELL', price, quantity };
}

/** Enter or accept a trade. */
function enter(inbound: InboundMessage, entry: 'submit' | 'accept', { asked, account }: Known): void {
  const { turn, session, view } = inbound;
  const { sessionId } = session.config;
  const leg = legIn(turn, session, view);
  const objection = 'text' in leg ? leg : riskOf(turn, session, account, leg);
  if (objection !== null || 'text' in leg) {
    answer(turn, session, asked, Status.Rejected, objection!);
    return;
  }
  const command = entry === 'submit' ? submissionIn(view, account, leg) : acceptanceIn(view, account);
  if ('text' in command) {
    answer(turn, session, asked, Status.Rejected, command);
    return;
  }
  const rate = takeRate(turn, session);
  if (rate !== null) {
    answer(turn, session, asked, Status.Rejected, rate);
    return;
  }
  useRequestID(turn, sessionId, usedAs(view.string(Tag.TradeReportID)!));
  if (command.kind === 'approveOtcTrade') checkTerms(turn, session, { asked, account }, { command, leg });
  else send(turn, session, { asked, account }, command);
}

/** The limit or switch that forbids the trade now (rule O12), or null. */
function riskOf(turn: Turn, session: SessionState, account: AccountEntitlement, leg: OtcLeg): Objection | null {
  const { tradingAccountId } = account;
  const on = killSwitchOn(turn.state, session.config.sessionId, tradingAccountId);
  if (on !== null) return { reason: Reason.Other, text: `${on}; no trades are taken` };
  if (turn.state.accounts.get(tradingAccountId)?.reconciled !== true) {
    return { reason: Reason.Other, text: reconciliationRefusal(account.account).text };
  }
  const refusal = limitRefusal(turn, session, tradingAccountId, {
    words: WORDS,
    exchangeSymbol: leg.symbol,
    side: leg.side === 'BUY' ? '1' : '2',
    price: Decimal.of(leg.price),
    stopPx: null,
    orderQty: Decimal.of(leg.quantity),
  });
  return refusal === null ? null : { reason: Reason.Other, text: refusal.text };
}

/** One more negotiated trade of the session, or the wait until there may be one. */
function takeRate(turn: Turn, { negotiated, config }: SessionState): Objection | null {
  if (turn.state.managed.isFull(config.sessionId)) {
    return { reason: Reason.Other, text: 'Too many requests of this session are open; wait for an answer' };
  }
  const waitS = Math.ceil((negotiated?.waitMs(turn.steady) ?? 0) / 1000);
  if (waitS > 0) {
    const text = `More than ${negotiated?.max} negotiated trades of this session in a minute; wait ${waitS} s`;
    return { reason: Reason.Other, text };
  }
  negotiated?.take(turn.steady);
  return null;
}

type Submission = Extract<AccountCommand, { kind: 'createOtcTrade' }>;
interface Acceptance {
  readonly kind: 'approveOtcTrade';
  readonly otcTradeId: string;
  readonly clientOtcTradeId: null;
  readonly tradingAccountId: string;
}

function submissionIn(view: MessageView, account: AccountEntitlement, leg: OtcLeg): Submission | Objection {
  const { tradingAccountId } = account;
  const clientOtcTradeId = view.string(Tag.TradeReportID)!;
  const sharedMatchKey = view.string(Tag.TradeLinkID) ?? '';
  const side = sideOf(view);
  const isTaker = side?.boolean(Tag.AggressorIndicator) ?? null;
  const remarks = side?.string(Tag.Text) ?? null;
  const text = !OTC_ID.test(clientOtcTradeId)
    ? 'TradeReportID(571) of a new trade is its id with the exchange: 1 to 19 digits, the first not 0'
    : !SHARED_KEY.test(sharedMatchKey)
      ? 'TradeLinkID(820) is the key that both parties agreed: 12 to 64 letters and digits'
      : isTaker === null
        ? 'AggressorIndicator(1057) of your side is required: Y for the taker, N for the maker'
        : remarks !== null && remarks.length > REMARKS_MAX
          ? `Text(58) of a side has at most ${REMARKS_MAX} characters`
          : null;
  if (text !== null || isTaker === null) return { reason: Reason.Other, text: text ?? '' };
  const who = { sharedMatchKey, clientOtcTradeId, tradingAccountId, isTaker, remarks };
  return { kind: 'createOtcTrade', ...who, trades: [leg] };
}

/** The trade that an AE accepts: of a broker, so that only the exchange's id names it. */
function acceptanceIn(view: MessageView, { tradingAccountId }: AccountEntitlement): Acceptance | Objection {
  const otcTradeId = view.string(Tag.SecondaryTradeReportRefID) ?? '';
  if (!OTC_ID.test(otcTradeId)) {
    return {
      reason: Reason.Other,
      text: 'SecondaryTradeReportRefID(881) names the trade: SecondaryTradeReportID(818)',
    };
  }
  return { kind: 'approveOtcTrade', otcTradeId, clientOtcTradeId: null, tradingAccountId };
}

/** A trade is accepted by the terms that the AE says: the exchange is asked for them first. */
function checkTerms(
  turn: Turn,
  session: SessionState,
  known: Known,
  { command, leg }: { readonly command: Acceptance; readonly leg: OtcLeg },
): void {
  const { sessionId } = session.config;
  const { tradingAccountId, credential } = known.account;
  const none = { since: null, until: null, symbol: null, orderId: null, tradeId: null, cursor: null };
  const { otcTradeId } = command;
  turn.ask(sessionId, credential, { kind: 'otcTrades', tradingAccountId, otcTradeId, ...none }, (next, said) => {
    const present = next.state.sessions.get(sessionId);
    if (present === undefined) return;
    // A switch may have been thrown, or the market have moved, meanwhile.
    const objection = differenceIn(said, otcTradeId, leg) ?? riskOf(next, present, known.account, leg);
    if (objection === null) send(next, present, known, command);
    else answer(next, present, known.asked, Status.Rejected, objection);
  });
}

/** How the trade at the exchange differs from the leg of the AE, or null. */
function differenceIn(said: DataAnswer, otcTradeId: string, leg: OtcLeg): Objection | null {
  const refused = (text: string): Objection => ({ reason: Reason.Other, text });
  if (said.kind !== 'otcTrades') {
    const why = said.kind === 'failed' ? said.message : 'the answer is no negotiated trade';
    return refused(`Nothing was accepted, the exchange could not be asked for the trade: ${why}`);
  }
  const trade = said.otcTrades.find((one) => one.otcTradeId === otcTradeId);
  if (trade === undefined) return refused(`The account has no negotiated trade ${otcTradeId}`);
  const [first] = trade.legs;
  if (first === undefined || trade.legs.length > 1) {
    return refused(`Trade ${otcTradeId} has ${trade.legs.length} legs: accept it over the bridge`);
  }
  const isSame = (a: string, b: string): boolean => Decimal.of(a).compare(Decimal.of(b)) === 0;
  const { symbol, side, price, quantity } = first;
  if (symbol === leg.symbol && side === leg.side && isSame(price, leg.price) && isSame(quantity, leg.quantity))
    return null;
  return refused(`Trade ${otcTradeId} is ${side} ${quantity} ${symbol} at ${price}: the report says other terms`);
}

/** Cancel or decline a trade, by the exchange's id in 881 or by the TradeReportID(571) that entered it in 572. */
function cancel(turn: Turn, session: SessionState, view: MessageView, known: Known): void {
  const otcTradeId = view.string(Tag.SecondaryTradeReportRefID);
  const clientOtcTradeId = otcTradeId === null ? view.string(Tag.TradeReportRefID) : null;
  if (!OTC_ID.test(otcTradeId ?? clientOtcTradeId ?? '')) {
    const text = 'SecondaryTradeReportRefID(881) or TradeReportRefID(572) names the trade, by 1 to 19 digits';
    answer(turn, session, known.asked, Status.Rejected, { reason: Reason.Other, text });
    return;
  }
  useRequestID(turn, session.config.sessionId, usedAs(view.string(Tag.TradeReportID)!));
  const { tradingAccountId } = known.account;
  send(turn, session, known, { kind: 'cancelOtcTrade', otcTradeId, clientOtcTradeId, tradingAccountId });
}

function send(turn: Turn, session: SessionState, { asked, account }: Known, command: AccountCommand): void {
  const { sessionId } = session.config;
  turn.manage(sessionId, account.credential, command, (next, outcome) => {
    const present = next.state.sessions.get(sessionId);
    if (present !== undefined) tellOutcome(next, present, asked, outcome);
  });
}

/** The exchange's word about the request; a trade that is entered is not matched yet. */
function tellOutcome(turn: Turn, session: SessionState, asked: Asked, outcome: CommandOutcome): void {
  if (outcome.kind === 'accepted') {
    answer(turn, session, asked, Status.Accepted, { reason: null, text: null, otcTradeId: outcome.otcTradeId ?? null });
    return;
  }
  if (outcome.kind === 'refused') {
    answer(turn, session, asked, Status.Rejected, { reason: Reason.Other, text: outcome.message });
    return;
  }
  const text = `The outcome is unknown, ask by AD with TrdType(828)=1 what became of it: ${outcome.message}`;
  answer(turn, session, asked, null, { reason: null, text });
}

/** Tags of the AE that the AR repeats. */
const ECHOED: readonly number[] = [
  Tag.TradeReportID,
  Tag.TradeReportTransType,
  Tag.TradeReportType,
  Tag.TradeReportRefID,
  Tag.SecondaryTradeReportRefID,
  Tag.TradeLinkID,
  Tag.Symbol,
];

function askedIn(view: MessageView): Asked {
  return { asker: askerOf(view), echo: new Map(ECHOED.map((tag) => [tag, view.string(tag)])) };
}

interface Verdict {
  readonly reason: string | null;
  readonly text: string | null;
  readonly otcTradeId?: string | null;
}

/** Send the AR. `status` null: the outcome is unknown. */
function answer(turn: Turn, session: SessionState, { asker, echo }: Asked, status: string | null, said: Verdict): void {
  const echoed = (tag: number): string | null => echo.get(tag) ?? null;
  const execType = echoed(Tag.TradeReportTransType) === '1' ? ExecType.TradeCancel : ExecType.Trade;
  const draft = addressTo(new MessageDraft(MsgType.TradeCaptureReportAck), asker)
    .addIf(Tag.TradeReportID, echoed(Tag.TradeReportID))
    .addIf(Tag.TradeReportTransType, echoed(Tag.TradeReportTransType))
    .addIf(Tag.TradeReportType, echoed(Tag.TradeReportType))
    .add(Tag.TrdType, '1')
    // FIX.4.4 requires it, as it does the instrument.
    .addIf(Tag.ExecType, session.version.saysTick ? null : execType)
    .addIf(Tag.TradeReportRefID, echoed(Tag.TradeReportRefID))
    .addIf(Tag.SecondaryTradeReportRefID, echoed(Tag.SecondaryTradeReportRefID))
    .addIf(Tag.TrdRptStatus, status)
    .addIf(Tag.TradeReportRejectReason, said.reason)
    .addIf(Tag.SecondaryTradeReportID, said.otcTradeId ?? null)
    .addIf(Tag.TradeLinkID, echoed(Tag.TradeLinkID))
    .add(Tag.Symbol, echoed(Tag.Symbol) ?? '[N/A]')
    .addTime(Tag.TransactTime, turn.now);
  turn.send(session.config.sessionId, addText(draft, session, said.text));
}
