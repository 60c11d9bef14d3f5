// Who of a session's people wrote a message, so that its answer finds them: SenderSubID(50) comes back as TargetSubID(57),
// OnBehalfOfCompID(115) as DeliverToCompID(128) (rules O9, D11).

import { type MessageDraft, type MessageView, Tag } from '../wire/mod.ts';

export interface Sender {
  readonly senderSubID: string | null;
  readonly onBehalfOfCompID: string | null;
}

/** Longest name that answers are addressed to: one message may have thousands of answers. */
const NAME_MAX = 255;

export function senderOf(view: MessageView): Sender {
  return { senderSubID: nameIn(view, Tag.SenderSubID), onBehalfOfCompID: nameIn(view, Tag.OnBehalfOfCompID) };
}

/** Whoever wrote a message that belongs to no order: what answers it goes to `ADMIN` where nobody is named (rule D11). */
export function askerOf(view: MessageView): Sender {
  const { senderSubID, onBehalfOfCompID } = senderOf(view);
  return { senderSubID: senderSubID ?? 'ADMIN', onBehalfOfCompID };
}

function nameIn(view: MessageView, tag: number): string | null {
  const name = view.string(tag);
  return name !== null && name.length > NAME_MAX ? null : name;
}

/**
 * Whoever wrote the first of two, and of what that leaves out the second, unless they are not of one firm: a name of one firm
 * never stands beside the other firm's.
 */
export function senderOr(first: Sender, second: Sender): Sender {
  const { senderSubID, onBehalfOfCompID } = first;
  if (senderSubID === null && onBehalfOfCompID === null) return second;
  if (onBehalfOfCompID === null) return senderSubID === second.senderSubID ? second : first;
  if (senderSubID === null && onBehalfOfCompID === second.onBehalfOfCompID) return second;
  return first;
}

/** Whoever asked for a change of an order. */
export function writerOf(
  { senderSubID, onBehalfOfCompID }: { readonly senderSubID: string | null; readonly onBehalfOfCompID?: string | null },
  order: { readonly echo: Sender },
): Sender {
  return {
    senderSubID,
    onBehalfOfCompID: onBehalfOfCompID === undefined ? order.echo.onBehalfOfCompID : onBehalfOfCompID,
  };
}

/** Address a message to whoever wrote the one that it answers. */
export function addressTo(draft: MessageDraft, { senderSubID, onBehalfOfCompID }: Sender): MessageDraft {
  if (senderSubID !== null) draft.header(Tag.TargetSubID, senderSubID);
  if (onBehalfOfCompID !== null) draft.header(Tag.DeliverToCompID, onBehalfOfCompID);
  return draft;
}
