// A message as a case sees it: direction, type, fields by tag, and its text as evidence. A copy: views do not live so long.

import type { EpochMs } from '../../base/time.ts';
import { type MessageView, maskShown, toRedacted } from '../../wire/mod.ts';

export interface SeenMessage {
  readonly at: EpochMs;
  /** Of the gateway: `in` is what the OMS sent. */
  readonly direction: 'in' | 'out';
  readonly msgType: string;
  /** The first value of each tag. */
  readonly fields: ReadonlyMap<number, string>;
  /** Fields separated by `|`, secrets masked. */
  readonly text: string;
  /** The line did not let it pass. */
  readonly lost: boolean;
}

export function seenMessage(
  view: MessageView,
  direction: SeenMessage['direction'],
  at: EpochMs,
  lost = false,
): SeenMessage {
  const fields = new Map<number, string>();
  for (let i = 0; i < view.fieldCount; i++) {
    const tag = view.tagAt(i);
    if (!fields.has(tag)) fields.set(tag, view.stringAt(i));
  }
  const text = toRedacted(maskShown(view.bytes(), view.dataFields));
  return { at, direction, msgType: view.msgType, fields, text, lost };
}
