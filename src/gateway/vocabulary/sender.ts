// The person behind a session who wrote a message, so that its answer finds them: SenderSubID(50) returns as
// TargetSubID(57), OnBehalfOfCompID(115) as DeliverToCompID(128), and its OnBehalfOfSubID(116) as DeliverToSubID(129)
// (rules O9, D11).

import { MessageDraft, type MessageView, Tag } from '../../wire/mod.ts';

export interface Sender {
  readonly senderSubID: string | null;
  readonly onBehalfOfCompID: string | null;
  /** Of `onBehalfOfCompID`; null without one. */
  readonly onBehalfOfSubID: string | null;
}

export const NOBODY: Sender = { senderSubID: null, onBehalfOfCompID: null, onBehalfOfSubID: null };

/** Longest name that answers are addressed to: one message may have thousands of answers. */
const NAME_MAX = 255;

export function senderOf(view: MessageView): Sender {
  const onBehalfOfCompID = nameIn(view, Tag.OnBehalfOfCompID);
  const onBehalfOfSubID = onBehalfOfCompID === null ? null : nameIn(view, Tag.OnBehalfOfSubID);
  return { senderSubID: nameIn(view, Tag.SenderSubID), onBehalfOfCompID, onBehalfOfSubID };
}

/** The writer of a message that belongs to no order: its answer goes to `ADMIN` if no writer is named (rule D11). */
export function askerOf(view: MessageView): Sender {
  const sender = senderOf(view);
  return sender.senderSubID === null ? { ...sender, senderSubID: 'ADMIN' } : sender;
}

function nameIn(view: MessageView, tag: number): string | null {
  const name = view.string(tag);
  return name !== null && name.length > NAME_MAX ? null : name;
}

/**
 * The writer of the first message, completed by the second's unless they are of two firms: names of two firms never
 * stand together.
 */
export function senderOr(first: Sender, second: Sender): Sender {
  const { senderSubID, onBehalfOfCompID } = first;
  if (senderSubID === null && onBehalfOfCompID === null) return second;
  if (onBehalfOfCompID === null) return senderSubID === second.senderSubID ? second : first;
  if (onBehalfOfCompID !== second.onBehalfOfCompID) return first;
  return {
    senderSubID: senderSubID ?? second.senderSubID,
    onBehalfOfCompID,
    onBehalfOfSubID: first.onBehalfOfSubID ?? second.onBehalfOfSubID,
  };
}

/** True if two firms behind one session wrote the two: each names its firm, and the firms differ. */
export function isOtherFirm({ onBehalfOfCompID }: Sender, { onBehalfOfCompID: second }: Sender): boolean {
  return onBehalfOfCompID !== null && second !== null && onBehalfOfCompID !== second;
}

/** Names as a request of an order keeps them; in records from before they were kept, the firm is that of the order. */
export interface KeptSender {
  readonly senderSubID: string | null;
  readonly onBehalfOfCompID?: string | null;
  readonly onBehalfOfSubID?: string | null;
}

/** The requester of a change of an order. */
export function writerOf(kept: KeptSender, { echo }: { readonly echo: Sender }): Sender {
  const { senderSubID, onBehalfOfCompID, onBehalfOfSubID = null } = kept;
  if (onBehalfOfCompID === undefined) return { ...NOBODY, senderSubID, onBehalfOfCompID: echo.onBehalfOfCompID };
  return { senderSubID, onBehalfOfCompID, onBehalfOfSubID };
}

/** Address a message to the writer of the one that it answers. */
export function addressTo(
  draft: MessageDraft,
  { senderSubID, onBehalfOfCompID, onBehalfOfSubID }: Sender,
): MessageDraft {
  if (senderSubID !== null) draft.header(Tag.TargetSubID, senderSubID);
  if (onBehalfOfCompID !== null) draft.header(Tag.DeliverToCompID, onBehalfOfCompID);
  if (onBehalfOfSubID !== null) draft.header(Tag.DeliverToSubID, onBehalfOfSubID);
  return draft;
}

/** Begin an answer that is addressed to the requester (rules O9, D11). */
export function answerTo(view: MessageView, msgType: string): MessageDraft {
  return addressTo(new MessageDraft(msgType), askerOf(view));
}
