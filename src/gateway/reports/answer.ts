// Writes the answers that are no ExecutionReport: OrderCancelReject(9), OrderMassCancelReport(r),
// BusinessMessageReject(j) (rules D1, D8, D12). Callers choose among them.

import type { EpochMs } from '../../base/time.ts';
import { MessageDraft, MsgType, Tag } from '../../wire/mod.ts';
import { type Order, orderIdOf, secondaryOrderIdOf } from '../book/order.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Refusal } from '../vocabulary/refusal.ts';
import { addressTo, type Sender } from '../vocabulary/sender.ts';
import { ordStatusShown } from './execution-report.ts';
import { addText, printable, type Reader } from './text.ts';
import { addTransactTime } from './transact-time.ts';

/** The request that a 9 answers. */
export interface CancelRejectFacts extends Sender {
  readonly responseTo: 'F' | 'G';
  readonly clOrdID: string;
  readonly origClOrdID: string;
  readonly account: string | null;
  readonly transactTime: EpochMs;
  /** Turned down here, before the exchange heard of it: 39=8 in the `venue` dialect (rule D8). */
  readonly refusedHere: boolean;
}

/** Echoed fields that a 9 has: 66 is required for orders of a list (FIX 4.2 and 4.4, message 9). */
const ECHOED_IN_9: ReadonlySet<number> = new Set([Tag.SecondaryClOrdID, Tag.ClOrdLinkID, Tag.ListID]);

/** CxlRejReason(102) as the session's version and dialect have it. */
export function cxlRejReasonFor(
  { config, isVenue, version }: Pick<SessionState, 'config' | 'isVenue' | 'version'>,
  refusal: Refusal,
): string {
  // Rule T4, by our board or by the exchange.
  const cxlRejReason = refusal.isPhase ? config.lockdownCxlRejReason : refusal.cxlRejReason;
  if (isVenue) return refusal.isPhase ? cxlRejReason : refusal.venueCxlRejReason;
  return version.cxlRejReasons.has(cxlRejReason) ? cxlRejReason : version.cxlRejOther;
}

/** Write a 9; `order` is null when the request names none of the session's orders. */
export function cancelReject(
  session: SessionState,
  order: Order | null,
  facts: CancelRejectFacts,
  refusal: Refusal,
): MessageDraft {
  const draft = addressTo(new MessageDraft(MsgType.OrderCancelReject), facts);
  const status = order === null || (session.isVenue && facts.refusedHere) ? '8' : ordStatusShown(session, order);
  draft
    .add(Tag.OrderID, order === null ? 'NONE' : (orderIdOf(order) ?? 'NONE'))
    .addIf(Tag.SecondaryOrderID, order === null ? null : secondaryOrderIdOf(order))
    .add(Tag.ClOrdID, facts.clOrdID)
    .add(Tag.OrigClOrdID, facts.origClOrdID)
    .add(Tag.OrdStatus, status);
  for (const [tag, value] of order?.echo.fields ?? []) if (ECHOED_IN_9.has(tag)) draft.add(tag, value);
  draft.addIf(Tag.Account, order?.echo.account ?? facts.account);
  addTransactTime(draft, session, facts.transactTime)
    .add(Tag.CxlRejResponseTo, facts.responseTo === 'F' ? '1' : '2')
    .add(Tag.CxlRejReason, cxlRejReasonFor(session, refusal));
  addText(draft, session, refusal.text);
  if (session.isVenue) draft.add(Tag.RejectText, printable(refusal.text, session.config.charset));
  return draft;
}

/** Entries of the group 1370; a report names the others in its Text(58). */
const NOT_AFFECTED_MAX = 100;

/** An order that a mass cancel leaves; without ClOrdID where another session entered it. */
export interface NotAffectedOrder {
  readonly clOrdID: string | null;
  readonly orderID: string;
}

export interface MassCancelFacts extends Sender {
  readonly clOrdID: string;
  readonly requestType: string;
  /** 531: the request type when carried out, `0` when refused. */
  readonly response: string;
  readonly rejectReason: string | null;
  readonly massActionReportID: string;
  readonly affected: number | null;
  /** Orders that stay open although they were meant; empty where there are none. */
  readonly notAffected: readonly NotAffectedOrder[];
  readonly symbol: string | null;
  readonly side: string | null;
  readonly secondaryClOrdID: string | null;
  readonly transactTime: EpochMs;
  readonly text: string | null;
}

/** Write an r; it carries 37, which the version requires, and 533 (rules D3, D12). */
export function massCancelReport(session: SessionState, facts: MassCancelFacts): MessageDraft {
  const draft = addressTo(new MessageDraft(MsgType.OrderMassCancelReport), facts);
  // The exchange's own FIX knows 99 alone (exchange reference §7.2).
  const rejectReason = facts.rejectReason !== null && session.isVenue ? '99' : facts.rejectReason;
  draft
    .add(Tag.ClOrdID, facts.clOrdID)
    .addIf(Tag.SecondaryClOrdID, facts.secondaryClOrdID)
    .add(Tag.OrderID, facts.massActionReportID);
  if (session.isVenue || session.version.identifiesMassActions) {
    draft.add(Tag.MassActionReportID, facts.massActionReportID);
  }
  draft
    .add(Tag.MassCancelRequestType, facts.requestType)
    .add(Tag.MassCancelResponse, facts.response)
    .addIf(Tag.MassCancelRejectReason, rejectReason)
    .addIf(Tag.TotalAffectedOrders, facts.affected === null ? null : `${facts.affected}`);
  const left = session.version.hasLateFields ? facts.notAffected.slice(0, NOT_AFFECTED_MAX) : [];
  if (left.length > 0) draft.add(Tag.NoNotAffectedOrders, `${left.length}`);
  for (const { clOrdID, orderID } of left) {
    draft.add(Tag.NotAffOrigClOrdID, clOrdID ?? 'NONE').add(Tag.NotAffectedOrderID, orderID);
  }
  draft.addIf(Tag.Symbol, facts.symbol).addIf(Tag.Side, facts.side);
  return addText(addTransactTime(draft, session, facts.transactTime), session, facts.text);
}

/** Content of a j, each named as its field. */
interface BusinessRejectFacts {
  readonly refSeqNum: number | null;
  readonly refMsgType: string;
  readonly businessRejectRefID: string | null;
  readonly businessRejectReason: string;
  readonly text: string;
}

/** Write a j for a valid message that this gateway does not carry (FIX 4.4 vol. 2, BusinessMessageReject). */
export function businessReject(session: Reader, asker: Sender, facts: BusinessRejectFacts): MessageDraft {
  const { refSeqNum, refMsgType, businessRejectRefID, businessRejectReason, text } = facts;
  const draft = addressTo(new MessageDraft(MsgType.BusinessMessageReject), asker)
    .addIf(Tag.RefSeqNum, refSeqNum === null ? null : `${refSeqNum}`)
    .add(Tag.RefMsgType, refMsgType)
    .addIf(Tag.BusinessRejectRefID, businessRejectRefID)
    .add(Tag.BusinessRejectReason, businessRejectReason);
  return addText(draft, session, text);
}
