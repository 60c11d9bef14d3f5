// The subject of an ExecutionReport(8) that was sent: the order itself, or a request about it. For readers of logs and journals that
// keep a record of orders.

import type { EpochMs } from '../base/time.ts';
import { ExecType, OrdStatus } from './enumerations.ts';
import type { MessageView } from './message-view.ts';
import { Tag } from './tag.ts';

/** Tag of ExecTransType in FIX.4.0 to 4.2. */
const EXEC_TRANS_TYPE = 20;
/** Its value for a status. */
const STATUS = '3';
/** OrdRejReason(103) of a repeated ClOrdID(11). */
const DUPLICATE = '6';

/** ExecID(17) of a report that answers a request and belongs to no order of the exchange. */
export function answerExecID(now: EpochMs, count: number): string {
  return `X${now}-${count}`;
}

const ANSWER = /^X\d+-\d+$/;

/** Whether a report answers a request for the status of an order. */
export function isStatusReport(view: MessageView): boolean {
  return view.string(Tag.ExecType) === ExecType.OrderStatus || view.string(EXEC_TRANS_TYPE) === STATUS;
}

/** Whether a report refuses a D that repeats another's ClOrdID(11): the order of that one stays as it is. */
export function refusesRepetition(view: MessageView): boolean {
  if (view.string(Tag.ExecType) !== ExecType.Rejected || isStatusReport(view)) return false;
  if (view.string(Tag.OrdStatus) !== OrdStatus.Rejected) return true;
  // The exchange rejects orders for it too: those reports have the order's ExecID.
  return view.string(Tag.OrdRejReason) === DUPLICATE && ANSWER.test(view.string(Tag.ExecID) ?? '');
}

/**
 * The last accepted ClOrdID(11) of a report's order: on a pending F or G, 11 is the request's. Null where the report does not say
 * it: the exchange's own FIX has no OrigClOrdID(41) in an 8.
 */
export function acceptedClOrdID(view: MessageView): string | null {
  const execType = view.string(Tag.ExecType);
  const isPending = execType === ExecType.PendingCancel || execType === ExecType.PendingReplace;
  return view.string(isPending ? Tag.OrigClOrdID : Tag.ClOrdID);
}
