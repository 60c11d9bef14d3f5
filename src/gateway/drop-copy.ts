// Drop copies: every ExecutionReport(8) of the orders that a drop copy session is told of, in the words of that session
// (rule S9), and its request for what it missed. Who is told is copy-selection.ts's; keeping, numbering and repeating are
// the session's: a copy is in the journal like any report, whether the session is there or not.

import { type MessageView, MsgType, Tag } from '../wire/mod.ts';
import type { CopySession } from './copy-selection.ts';
import { executionReport, type ReportFacts } from './execution-report.ts';
import type { Order } from './order.ts';
import { inWordsOf } from './session-names.ts';
import type { SessionState, Turn } from './state.ts';
import { rejectBusiness } from './unsupported-message.ts';

/** Tags that are echoed on reports and that versions without Parties have as well. */
const PLAIN_ECHO: ReadonlySet<number> = new Set([Tag.ListID, Tag.Currency, Tag.HandlInst]);
/** ExecRestatementReason(378) values that every version has. */
const COMMON_REASONS: ReadonlySet<string> = new Set(['1', '3', '5']);

/** Tell the drop copy sessions of a report. `facts` are those of the order's own session, null if there is none. */
export function copyReport(turn: Turn, order: Order, facts: ReportFacts, session: SessionState | null): void {
  const { dropCopies, board } = turn.state;
  // An answer to a question is no execution.
  if (dropCopies.isEmpty || facts.type === 'I') return;
  const { sessionId, tradingAccountId, terms } = order;
  for (const copy of dropCopies.of({ sessionId, tradingAccountId, exchangeSymbol: terms.exchangeSymbol })) {
    const draft = executionReport(
      copy.session,
      board,
      orderSeenBy(copy, order),
      factsFor(copy.session, facts, session),
    );
    turn.send(copy.session.config.sessionId, draft);
  }
}

/** The order as the drop copy session names it. */
function orderSeenBy({ session, names }: CopySession, order: Order): Order {
  const { senderSubID, fields } = order.echo;
  const known = session.version.hasParties ? fields : fields.filter(([tag]) => PLAIN_ECHO.has(tag));
  return inWordsOf(names, order, { senderSubID, onBehalfOfCompID: null, fields: known });
}

/** Reasons are numbers of a version and dialect: what the copy's does not have becomes its "other" (rule D1). */
function factsFor({ version, isVenue }: SessionState, facts: ReportFacts, from: SessionState | null): ReportFacts {
  const { ordRejReason, restatementReason, ordStatusReqID: _ordStatusReqID, massStatus: _massStatus, ...rest } = facts;
  const knownReason = ordRejReason === undefined || isVenue || version.ordRejReasons.has(ordRejReason);
  return {
    ...rest,
    isCopy: true,
    ...(ordRejReason === undefined ? {} : { ordRejReason: knownReason ? ordRejReason : version.ordRejOther }),
    ...(restatementReason === undefined
      ? {}
      : { restatementReason: reasonIn(version, restatementReason, from?.version ?? null) }),
  };
}

function reasonIn(version: SessionState['version'], reason: string, from: SessionState['version'] | null): string {
  if (from === version || COMMON_REASONS.has(reason)) return reason;
  if (from !== null && reason === from.disconnectReason) return version.disconnectReason;
  if (from !== null && reason === from.logoutReason) return version.logoutReason;
  return version.unsolicitedReason;
}

/** Take a DropCopyRequest(UDC): what resets left unproven comes again, after the report named by ExecID(17). */
export function handleDropCopyRequest(turn: Turn, session: SessionState, view: MessageView): void {
  if (session.config.kind !== 'dropCopy') {
    rejectBusiness(turn, session, view, '3', 'DropCopyRequest(UDC) is for drop copy sessions; send a ResendRequest(2)');
    return;
  }
  turn.repeat(session.config.sessionId, view.string(Tag.ExecID));
}

/** Messages that enter, change or ask for orders. */
const ORDER_MESSAGES: ReadonlySet<string> = new Set([
  MsgType.NewOrderSingle,
  MsgType.NewOrderList,
  MsgType.OrderCancelRequest,
  MsgType.OrderCancelReplaceRequest,
  MsgType.OrderMassCancelRequest,
  MsgType.OrderStatusRequest,
  MsgType.OrderMassStatusRequest,
]);

/** Refuse an order message on a session that takes none; false if the message is none, or the session takes them. */
export function refuseOrderMessage(turn: Turn, session: SessionState, view: MessageView): boolean {
  if (session.takesOrders || !ORDER_MESSAGES.has(view.msgType)) return false;
  const text = `A drop copy session is told of orders and enters none; send MsgType(35)=${view.msgType} on an order session`;
  // 380=6 (not authorized) came with 4.3.
  rejectBusiness(turn, session, view, session.version.hasMassMessages ? '6' : '0', text);
  return true;
}
