// The bytes of a message as the journal keeps them: secrets are masked in every message. core.ts decides when to
// record.

import { type MessageView, MsgType, maskSecrets, maskShown, Tag } from '../../wire/mod.ts';

/** The record of a message with short-lived content: its number and type only. */
export const NOT_KEPT = new Uint8Array(0);

/** A copy of a message for the journal, its secrets masked. */
export function recordedBytes(view: MessageView): Buffer {
  return holdsSecret(view) ? masked(view) : view.copyBytes();
}

/** The same without a copy where there is nothing to mask: valid as long as the view is. */
export function recordedView(view: MessageView): Uint8Array {
  return holdsSecret(view) ? masked(view) : view.bytes();
}

/** A Logon is never read again: what a session holds secret is masked in it too. */
function masked(view: MessageView): Buffer {
  const mask = view.msgType === MsgType.Logon ? maskShown : maskSecrets;
  return mask(view.bytes(), view.dataFields);
}

function holdsSecret(view: MessageView): boolean {
  const isOfUser = view.msgType === MsgType.Logon || view.msgType === MsgType.UserRequest;
  if (isOfUser || view.has(Tag.Password) || view.has(Tag.NewPassword)) return true;
  return view.has(Tag.EncryptedPassword) || view.has(Tag.EncryptedNewPassword);
}
