// OrderMassCancelRequest(q): one symbol or everything that the session reaches, an own cancel per order (rules
// O7, D12, U4). Orders that wait here for their turn are cancelled on their own session only.

import { type MessageView, Tag } from '../wire/mod.ts';
import { type MassCancelFacts, massCancelReport } from './answer.ts';
import { answerID } from './build-order.ts';
import { cancelMany } from './cancel-many.ts';
import { lockdownRefusal } from './gtx.ts';
import { isBeingCancelled, type Order } from './order.ts';
import { exchangeSymbolOf } from './order-terms.ts';
import { accountOf, isOwn, openInReach, symbolOf } from './reach.ts';
import { isUsed, useRequestID } from './request-ids.ts';
import type { SessionState, Turn } from './state.ts';
import { massCancelHeld } from './throttled-message.ts';

/** Orders that stay open are named in Text up to this many. */
const NAMED_MAX = 10;

interface Selection {
  readonly requestType: string;
  readonly symbol: string | null;
  readonly account: string | null;
  readonly side: string | null;
}

/** Handle a q. Cancels are never held back: neither by shutdown nor by an unhealthy journal (rule J2). */
export function handleMassCancel(turn: Turn, session: SessionState, view: MessageView): void {
  const clOrdID = view.string(Tag.ClOrdID) ?? '';
  const { sessionId } = session.config;
  const selection: Selection = {
    requestType: view.string(Tag.MassCancelRequestType) ?? '',
    symbol: view.string(Tag.Symbol),
    account: view.string(Tag.Account),
    side: view.string(Tag.Side),
  };
  const massActionReportID = answerID(turn);
  const answer = (
    response: string,
    rejectReason: string | null,
    affected: number | null,
    text: string | null,
  ): void => {
    const facts: MassCancelFacts = {
      clOrdID,
      requestType: selection.requestType,
      response,
      rejectReason,
      massActionReportID,
      affected,
      symbol: selection.symbol,
      senderSubID: view.string(Tag.SenderSubID),
      transactTime: turn.now,
      text,
    };
    turn.send(sessionId, massCancelReport(session, facts));
  };
  if (isUsed(turn.state, sessionId, clOrdID)) {
    answer('0', '99', null, `ClOrdID(11)=${clOrdID} was used before on this session; nothing is cancelled`);
    return;
  }
  const problem = selectionProblem(turn, session, selection);
  if (problem !== null) {
    answer('0', problem.reason, null, problem.text);
    return;
  }
  useRequestID(turn, sessionId, clOrdID);
  const { cancelled, staying } = select(turn, session, selection);
  const named = staying
    .slice(0, NAMED_MAX)
    .map((order) => (isOwn(session, order) ? order.clOrdID : `OrderID(37)=${order.exchangeOrderId}`));
  const text =
    staying.length === 0
      ? null
      : `${staying.length} orders stay open, the auction's phase forbids cancelling: ${named.join(', ')}`;
  const waiting = massCancelHeld(turn, session, (held) => coversHeld(session, selection, held));
  answer(selection.requestType, null, cancelled.length + waiting, text);
  const senderSubID = view.string(Tag.SenderSubID);
  const asker = { sessionId, origClOrdID: null, onBehalfOfCompID: view.string(Tag.OnBehalfOfCompID) };
  cancelMany(turn, cancelled, { kind: 'massCancel', clOrdID, senderSubID, massActionReportID, asker });
}

function selectionProblem(
  turn: Turn,
  session: SessionState,
  selection: Selection,
): { readonly reason: string; readonly text: string } | null {
  const { requestType, symbol, account } = selection;
  if (requestType !== '1' && requestType !== '7') {
    return {
      reason: '0',
      text: `MassCancelRequestType(530)=${requestType} is not carried here: use 1 (one symbol) or 7 (all orders)`,
    };
  }
  if (requestType === '1' && symbol === null) {
    return { reason: '1', text: 'MassCancelRequestType(530)=1 requires Symbol(55)' };
  }
  if (symbol !== null && !isKnownSymbol(turn, session, symbol)) {
    return { reason: '1', text: `Symbol(55)=${symbol} is no market of the exchange and no alias here` };
  }
  if (account !== null && !session.accounts.has(account)) {
    return { reason: '99', text: `Account(1)=${account} is not on this session's list of accounts` };
  }
  return null;
}

/** A market, or of an order that is open on one that is no more. A symbol that is neither was mistaken (rule O8). */
function isKnownSymbol({ state }: Turn, session: SessionState, symbol: string): boolean {
  if (state.board.rules(exchangeSymbolOf(session, symbol)) !== null) return true;
  for (const order of openInReach(state, session)) if (symbolOf(session, order) === symbol) return true;
  return false;
}

/** Whether an order that waits here is meant. */
function coversHeld(_session: SessionState, { symbol, account, side }: Selection, view: MessageView): boolean {
  if (symbol !== null && symbol !== view.string(Tag.Symbol)) return false;
  if (account !== null && account !== view.string(Tag.Account)) return false;
  return side === null || side === view.string(Tag.Side);
}

function select(turn: Turn, session: SessionState, selection: Selection): { cancelled: Order[]; staying: Order[] } {
  const cancelled: Order[] = [];
  const staying: Order[] = [];
  for (const order of openInReach(turn.state, session)) {
    if (selection.symbol !== null && selection.symbol !== symbolOf(session, order)) continue;
    if (selection.account !== null && selection.account !== accountOf(session, order)) continue;
    if (selection.side !== null && selection.side !== order.terms.side) continue;
    if (isBeingCancelled(order)) continue;
    if (lockdownRefusal(turn.state.board, session, order, 'cancel') !== null) staying.push(order);
    else cancelled.push(order);
  }
  return { cancelled, staying };
}
