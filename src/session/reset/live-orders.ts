// Orders that the counterparty entered while reports of ended series are owed to it: nothing of theirs is among those, so their
// reports need not wait (rule S14). Every other report follows what is owed, so that none overtakes an earlier one of its order.
// They are known by ClOrdID(11), for this connection only: a report that had to wait for the next one is among the owed.

import { type MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';

/** Beyond these, reports follow what is owed as those of older orders do. */
const CL_ORD_IDS_MAX = 20_000;
const CL_ORD_ID_LENGTH_MAX = 64;

export class LiveOrders {
  readonly #clOrdIDs = new Set<string>();

  /** A request is handed to the application. A repetition may have been sent long ago. */
  note(view: MessageView): void {
    const { msgType } = view;
    const isNew = msgType === MsgType.NewOrderSingle;
    if (!isNew && msgType !== MsgType.OrderCancelReplaceRequest && msgType !== MsgType.OrderCancelRequest) return;
    if (view.boolean(Tag.PossDupFlag) === true || view.boolean(Tag.PossResend) === true) return;
    const clOrdID = view.string(Tag.ClOrdID);
    if (clOrdID === null || clOrdID.length > CL_ORD_ID_LENGTH_MAX || this.#clOrdIDs.size >= CL_ORD_IDS_MAX) return;
    if (isNew || this.#clOrdIDs.has(view.string(Tag.OrigClOrdID) ?? '')) this.#clOrdIDs.add(clOrdID);
  }

  /** Whether a report is of such an order. */
  has(report: MessageDraft): boolean {
    return this.#clOrdIDs.size > 0 && this.#clOrdIDs.has(report.get(Tag.ClOrdID) ?? '');
  }

  clear(): void {
    this.#clOrdIDs.clear();
  }
}
