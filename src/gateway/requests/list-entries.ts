// The orders of a NewOrderList(E), each as the NewOrderSingle(D) that it stands for. new-order-list.ts processes them,
// and throttled-message.ts while the list waits for its turn.

import { FrameWriter, isOfBody, MessageDraft, type MessageView, MsgType, Tag, viewOf } from '../../wire/mod.ts';
import type { SessionState } from '../state/session-state.ts';

/** Orders in one list; a longer one is refused whole. */
export const ORDERS_MAX = 1_000;

/** Header fields that every order of the list has from the list. */
const SHARED_HEADER: readonly number[] = [
  Tag.SenderSubID,
  Tag.OnBehalfOfCompID,
  Tag.OnBehalfOfSubID,
  Tag.PossResend,
  Tag.OrigSendingTime,
];

/** One order of a list. */
export interface ListEntry {
  readonly listSeqNo: number;
  readonly clOrdID: string;
  readonly view: MessageView;
}

/** The orders of the list in the order of their ListSeqNo(67), each as the NewOrderSingle(D) that it stands for. */
export function readEntries(session: SessionState, view: MessageView): ListEntry[] {
  const entries: ListEntry[] = [];
  const start = view.indexOf(Tag.NoOrders);
  if (start === -1) return entries;
  const writer = new FrameWriter();
  const at = view.string(Tag.TransactTime) ?? view.string(Tag.SendingTime) ?? '';
  let draft: MessageDraft | null = null;
  let listSeqNo = 0;
  const finish = (): void => {
    if (draft === null || entries.length > ORDERS_MAX) return;
    if (draft.get(Tag.TransactTime) === null) draft.add(Tag.TransactTime, at);
    const entry = viewOf(writer.encode(headerOf(session, view), draft), view.dataFields);
    if (entry !== null) entries.push({ listSeqNo, clOrdID: entry.string(Tag.ClOrdID) ?? '', view: entry });
  };
  // Where no dictionary knows the group, whatever stands behind it counts as the last entry's.
  const depth = view.depthAt(start + 1);
  const delimiter = view.tagAt(start + 1);
  for (let i = start + 1; i < view.fieldCount && view.depthAt(i) >= depth; i++) {
    const tag = view.tagAt(i);
    if (tag === Tag.CheckSum) break;
    const isOwn = view.depthAt(i) === depth;
    if (isOwn && tag === delimiter) {
      finish();
      draft = newEntry(view);
      // Without one it goes where it stands.
      listSeqNo = entries.length + 1;
    }
    if (isOwn && tag === Tag.ListSeqNo) listSeqNo = Number(view.stringAt(i));
    // Where messages are not validated, any field may stand behind the group, one of the header too.
    else if (isOfBody(tag)) draft?.add(tag, view.stringAt(i));
  }
  finish();
  return entries.sort((a, b) => a.listSeqNo - b.listSeqNo);
}

function newEntry(view: MessageView): MessageDraft {
  const draft = new MessageDraft(MsgType.NewOrderSingle);
  for (const tag of SHARED_HEADER) {
    const value = view.string(tag);
    if (value !== null && tag !== Tag.SenderSubID && tag !== Tag.OrigSendingTime) draft.header(tag, value);
  }
  return draft.addIf(Tag.ListID, view.string(Tag.ListID));
}

function headerOf(session: SessionState, view: MessageView) {
  return {
    beginString: session.config.beginString,
    senderCompID: view.string(Tag.SenderCompID) ?? '',
    targetCompID: view.string(Tag.TargetCompID) ?? '',
    msgSeqNum: view.int(Tag.MsgSeqNum) ?? 0,
    sendingTime: view.string(Tag.SendingTime) ?? '',
    senderSubID: view.string(Tag.SenderSubID) ?? undefined,
    origSendingTime: view.string(Tag.OrigSendingTime) ?? undefined,
  };
}
