// OrderMassCancelRequest(q): one symbol or everything that the session reaches, an own cancel per order (rules
// O7, D12, U4). Orders that wait here for their turn are cancelled on their own session only.

import { type MessageView, Tag } from '../../wire/mod.ts';
import { type ChangeRequest, hasManyRequests, isOwnCancel, type Order, orderIdOf } from '../book/order.ts';
import { type MassCancelFacts, massCancelReport, type NotAffectedOrder } from '../reports/answer.ts';
import { isOwn } from '../reports/visibility.ts';
import { answerID } from '../rules/build-order.ts';
import { lockdownRefusal } from '../rules/gtx.ts';
import { isUsed, requestIDProblem, useRequestID } from '../rules/request-ids.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import { isOtherFirm, type Sender, senderOf, writerOf } from '../vocabulary/sender.ts';
import { cancelMany } from './cancel-many.ts';
import type { InboundMessage } from './inbound-message.ts';
import {
  accountProblem,
  type OrderSelection,
  readSelection,
  restrictionProblem,
  selectedOrders,
  selectsHeld,
  symbolProblem,
} from './order-selection.ts';
import { heldCoveredBy, massCancelHeld } from './throttled-message.ts';

/** Orders that stay open are named in Text up to this many. */
const NAMED_MAX = 10;

/** Handle a q. Cancels are never held back: neither by shutdown nor by an unhealthy journal (rule J2). */
export function handleMassCancel(inbound: InboundMessage): void {
  const { turn, session, view } = inbound;
  const { sessionId } = session.config;
  const request = readMassCancel(turn, view);
  const answer = (
    end: Pick<MassCancelFacts, 'response' | 'rejectReason' | 'affected' | 'notAffected' | 'text'>,
  ): void => {
    turn.send(sessionId, massCancelReport(session, { ...request.facts, ...end }));
  };
  const admitted = admit(inbound, request);
  if ('reason' in admitted) {
    const { reason, text } = admitted;
    answer({ response: '0', rejectReason: reason, affected: null, notAffected: [], text });
    return;
  }
  const { clOrdID, requestType, massActionReportID } = request.facts;
  useRequestID(turn, sessionId, clOrdID);
  const { cancelled, staying, underway } = admitted;
  const notAffected = staying.map((order) => ({
    clOrdID: isOwn(session, order) ? order.clOrdID : null,
    orderID: orderIdOf(order) ?? 'NONE',
  }));
  const waiting = heldCoveredBy(turn, session, (held) => selectsHeld(session, request.selection, held));
  const affected = cancelled.length + waiting.length;
  const text = uncountedText(underway, notAffected);
  answer({ response: requestType, rejectReason: null, affected, notAffected, text });
  massCancelHeld(turn, session, waiting, massActionReportID);
  const sender = senderOf(view);
  const { onBehalfOfCompID, onBehalfOfSubID } = sender;
  const asker = { sessionId, origClOrdID: null, onBehalfOfCompID, onBehalfOfSubID };
  const kindOf = (order: Order) => (isOwn(session, order) ? 'massCancel' : 'accountCancel');
  cancelMany(turn, cancelled, { kindOf, clOrdID, sender, massActionReportID, asker });
}

/** A q as it reads, and the part of its answer that repeats it. */
interface MassCancel {
  readonly selection: OrderSelection;
  readonly facts: Omit<MassCancelFacts, 'response' | 'rejectReason' | 'affected' | 'notAffected' | 'text'>;
}

function readMassCancel(turn: Turn, view: MessageView): MassCancel {
  const selection = readSelection(view);
  const facts = {
    clOrdID: view.string(Tag.ClOrdID) ?? '',
    requestType: view.string(Tag.MassCancelRequestType) ?? '',
    massActionReportID: answerID(turn),
    symbol: selection.symbol,
    side: selection.side,
    secondaryClOrdID: view.string(Tag.SecondaryClOrdID),
    ...senderOf(view),
    transactTime: turn.now,
  };
  return { selection, facts };
}

/** A refused q: MassCancelRejectReason(532) and Text(58). */
interface MassCancelRefusal {
  readonly reason: string;
  readonly text: string;
}

/** The orders that a q cancels. */
interface Selected {
  readonly cancelled: readonly Order[];
  /** The phase of their auction forbids it. */
  readonly staying: readonly Order[];
  /** So many are being cancelled already. */
  readonly underway: number;
}

function admit(
  { turn, session, view }: InboundMessage,
  { selection, facts }: MassCancel,
): Selected | MassCancelRefusal {
  const { clOrdID, requestType } = facts;
  const noID = requestIDProblem('ClOrdID(11)', clOrdID);
  if (noID !== null) return { reason: '99', text: noID };
  if (isUsed(turn.state, session.config.sessionId, clOrdID)) {
    return { reason: '99', text: `ClOrdID(11)=${clOrdID} was used before on this session; nothing is cancelled` };
  }
  const { symbol } = selection;
  if (requestType !== '1' && requestType !== '7') {
    const text = `MassCancelRequestType(530)=${requestType} is not carried here: use 1 (one symbol) or 7 (all orders)`;
    return { reason: '0', text };
  }
  if (requestType === '1' && symbol === null) {
    return { reason: '1', text: 'MassCancelRequestType(530)=1 requires Symbol(55)' };
  }
  const restriction = restrictionProblem(view);
  if (restriction !== null) return { reason: '99', text: restriction };
  const unknown = symbolProblem(turn, session, selection, view);
  if (unknown !== null) return { reason: '1', text: unknown };
  const foreign = accountProblem(turn, session, selection);
  return foreign === null ? select(turn, session, senderOf(view), selection) : { reason: '99', text: foreign };
}

/** Orders that TotalAffectedOrders(533) leaves out, because this q does nothing to them. */
function uncountedText(underway: number, staying: readonly NotAffectedOrder[]): string | null {
  const texts = staying.length === 0 ? [] : [stayingText(staying)];
  if (underway === 1) texts.push('1 order is being cancelled already, and is not counted');
  if (underway > 1) texts.push(`${underway} orders are being cancelled already, and are not counted`);
  return texts.length === 0 ? null : texts.join('; ');
}

function stayingText(orders: readonly NotAffectedOrder[]): string {
  const named = orders.slice(0, NAMED_MAX).map(({ clOrdID, orderID }) => clOrdID ?? `OrderID(37)=${orderID}`);
  const stay = orders.length === 1 ? '1 order stays open' : `${orders.length} orders stay open`;
  return `${stay}, the auction's phase forbids cancelling: ${named.join(', ')}`;
}

function select(turn: Turn, session: SessionState, sender: Sender, selection: OrderSelection): Selected {
  let underway = 0;
  const cancelled: Order[] = [];
  const staying: Order[] = [];
  for (const order of selectedOrders(turn, session, selection)) {
    const isUnderway = order.requests.some((open) => isAskedFor(session, sender, order, open));
    if (isUnderway || hasManyRequests(order)) underway++;
    else if (lockdownRefusal(turn.state.board, order, 'cancel') !== null) staying.push(order);
    else cancelled.push(order);
  }
  return { cancelled, staying, underway };
}

/**
 * True if a cancel under way would answer the sender of a q with its refusal, or is repeated after a refusal. The
 * cancel of another session or firm may be refused and leave the order open, with only that party informed.
 */
function isAskedFor(session: SessionState, sender: Sender, order: Order, request: ChangeRequest): boolean {
  const { kind, stage, asker } = request;
  if (kind === 'replace' || kind === 'bridgeCancel' || stage === 'unknown') return false;
  if (isOwnCancel(kind)) return true;
  const isOfSession = asker === null ? isOwn(session, order) : asker.sessionId === session.config.sessionId;
  return isOfSession && !isOtherFirm(sender, writerOf(request, order));
}
