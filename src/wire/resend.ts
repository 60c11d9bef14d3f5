// A stored frame made ready to be sent again after a ResendRequest(2), and nothing else changed in it (rule S3).
// Leaves which messages are resent and which are gap-filled to the session.

import { assert } from '../base/assert.ts';
import { DataFields } from './data-field.ts';
import { viewOf } from './framer.ts';
import type { MessageView } from './message-view.ts';
import { writeCheckSum } from './secrets.ts';

/** Header fields between SendingTime(52) and OrigSendingTime(122), and between that and LastMsgSeqNumProcessed(369). */
const BEFORE_ORIG_SENDING_TIME: readonly number[] = [43, 56, 57, 97, 115, 116, 122];
const BEFORE_LAST_PROCESSED: readonly number[] = [128, 129, 142, 143, 144, 145, 347, 369];

/** The last field from `at` on before which only these stand. Frames of earlier versions of this program had another order. */
function behind(view: MessageView, at: number, tags: readonly number[]): number {
  let last = at;
  while (tags.includes(view.tagAt(last + 1))) last++;
  return last;
}

/**
 * Copy a frame of ours as a possible duplicate: PossDupFlag(43)=Y, OrigSendingTime(122) = its SendingTime (or the 122 it
 * has already), but never later than the new SendingTime(52), BodyLength and CheckSum anew, LastMsgSeqNumProcessed(369) if
 * given. Every other byte stays, also in the session's own data fields (FIX 4.4 vol. 2, "Possible duplicates"; rule S3).
 *
 * @throws AssertionError if `raw` is not a frame that this program wrote
 */
export function resendFrame(
  raw: Uint8Array,
  change: { readonly sendingTime: string; readonly lastMsgSeqNumProcessed?: number | undefined },
  dataFields: DataFields = DataFields.STANDARD,
): Buffer {
  const view = viewOf(raw, dataFields);
  assert(view !== null, 'a stored outbound frame is whole');
  const sendingTimeAt = view.indexOf(52);
  assert(sendingTimeAt !== -1, 'a stored outbound frame has SendingTime(52)');
  const { sendingTime } = change;
  const firstTime = view.string(122) ?? view.stringAt(sendingTimeAt);
  // Its clock was set back since: counterparties refuse what has a later 122, and the report in it is lost to them.
  const isSetBack = firstTime > sendingTime;
  const processed = change.lastMsgSeqNumProcessed;
  const numberAt = view.indexOf(34);
  const firstTimeAt = behind(view, sendingTimeAt, BEFORE_ORIG_SENDING_TIME);
  const processedAt = behind(view, firstTimeAt, BEFORE_LAST_PROCESSED);

  const parts: Uint8Array[] = [];
  const field = (tag: number, value: string | number): void => {
    parts.push(Buffer.from(`${tag}=${value}\x01`, 'latin1'));
  };
  for (let i = 2; i < view.fieldCount - 1; i++) {
    const tag = view.tagAt(i);
    // These are written anew.
    const isReplaced = tag === 43 || tag === 122 || (tag === 369 && processed !== undefined);
    if (i === sendingTimeAt) field(52, sendingTime);
    else if (!isReplaced) parts.push(view.buffer.subarray(view.valueEnd(i - 1) + 1, view.valueEnd(i) + 1));
    if (i === numberAt) field(43, 'Y');
    if (i === firstTimeAt) field(122, isSetBack ? sendingTime : firstTime);
    if (i === processedAt && processed !== undefined) field(369, processed);
  }
  let bodyLength = 0;
  for (const part of parts) bodyLength += part.length;
  const head = Buffer.from(`8=${view.beginString}\x019=${bodyLength}\x01`, 'latin1');
  const frame = Buffer.concat([head, ...parts, Buffer.from('10=000\x01', 'latin1')]);
  let sum = 0;
  for (let i = 0; i < frame.length - 7; i++) sum += frame[i]!;
  writeCheckSum(frame, frame.length - 4, sum);
  return frame;
}
