// Refuses a request of the exchange's own FIX by the message that answers it there: that FIX has no BusinessMessageReject(j)
// (rule D1). For requests that nothing else answers; nothing is remembered of them.

import { MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { printable } from '../reports/text.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import { addressTo, askerOf, senderOf } from '../vocabulary/sender.ts';
import { answerID } from './build-order.ts';

/** The refusal of a request by its type; null for one that the exchange's own FIX does not have. */
export function refuseInKind(turn: Turn, session: SessionState, view: MessageView, text: string): MessageDraft | null {
  if (!session.isExchangeFix) return null;
  const answer = (msgType: string, ...echoed: readonly number[]): MessageDraft => {
    const isOfUser = view.msgType !== MsgType.SecurityListRequest;
    const draft = addressTo(new MessageDraft(msgType), isOfUser ? senderOf(view) : askerOf(view));
    for (const tag of echoed) draft.addIf(tag, view.string(tag));
    return draft;
  };
  const why = printable(text, session.config.charset);
  switch (view.msgType) {
    case MsgType.NewOrderSingle:
      return answer(MsgType.ExecutionReport, Tag.ClOrdID, Tag.Account, Tag.Symbol, Tag.Side, Tag.OrderQty, Tag.OrdType)
        .add(Tag.OrderID, 'NONE')
        .add(Tag.ExecID, answerID(turn))
        .add(Tag.ExecType, '8')
        .add(Tag.OrdStatus, '8')
        .add(Tag.OrdRejReason, '99')
        .add(Tag.TimeInForce, view.string(Tag.TimeInForce) ?? '1')
        .add(Tag.LeavesQty, '0')
        .add(Tag.CumQty, '0')
        .add(Tag.AvgPx, '0')
        .addTime(Tag.TransactTime, turn.now)
        .add(Tag.Text, why);
    case MsgType.OrderCancelRequest:
    case MsgType.OrderCancelReplaceRequest:
      return answer(MsgType.OrderCancelReject, Tag.ClOrdID, Tag.OrigClOrdID)
        .add(Tag.OrderID, 'NONE')
        .add(Tag.OrdStatus, '8')
        .add(Tag.CxlRejResponseTo, view.msgType === MsgType.OrderCancelRequest ? '1' : '2')
        .add(Tag.CxlRejReason, '99')
        .add(Tag.RejectText, why)
        .addTime(Tag.TransactTime, turn.now);
    case MsgType.OrderMassCancelRequest:
      return answer(MsgType.OrderMassCancelReport, Tag.ClOrdID, Tag.MassCancelRequestType)
        .add(Tag.MassActionReportID, answerID(turn))
        .add(Tag.MassCancelResponse, '0')
        .add(Tag.MassCancelRejectReason, '99')
        .addTime(Tag.TransactTime, turn.now)
        .add(Tag.Text, why);
    case MsgType.SecurityListRequest:
      return answer(MsgType.SecurityList, Tag.SecurityReqID)
        .add(Tag.SecurityRequestResult, '1')
        .addTime(Tag.TransactTime, turn.now);
    default:
      return null;
  }
}
