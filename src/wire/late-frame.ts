// A frame of ours that had to wait before it could leave. Leaves to the engine which do, and to resend.ts what is sent again.

import { assert } from '../base/assert.ts';
import { DataFields } from './data-field.ts';
import { viewOf } from './framer.ts';
import { writeCheckSum } from './secrets.ts';

const SENDING_TIME = 52;
/** `10=ddd` and SOH. */
const TRAILER_BYTES = 7;

/**
 * Copy a frame with another SendingTime(52), cut to the precision of its own, and CheckSum(10) anew; every other byte stays.
 * @throws AssertionError if `raw` is not a frame that this program wrote
 */
export function lateFrame(raw: Uint8Array, sendingTime: string, dataFields = DataFields.STANDARD): Buffer {
  const view = viewOf(raw, dataFields);
  assert(view !== null, 'an outbound frame is whole');
  const at = view.indexOf(SENDING_TIME);
  assert(at !== -1, 'an outbound frame has SendingTime(52)');
  const frame = view.copyBytes();
  const start = view.valueStart(at);
  const length = view.valueEnd(at) - start;
  frame.write(sendingTime.slice(0, length).padEnd(length, '0'), start, 'latin1');
  let sum = 0;
  for (let i = 0; i < frame.length - TRAILER_BYTES; i++) sum += frame[i]!;
  writeCheckSum(frame, frame.length - TRAILER_BYTES + 3, sum);
  return frame;
}
