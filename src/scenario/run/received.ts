// A received message as a run sees it: copied out of its frame, fields in wire order.

import type { MessageView } from '../../wire/mod.ts';

export interface ReceivedMessage {
  readonly msgType: string;
  /** Every field, 8 to 10, in wire order; values one character per byte. */
  readonly fields: readonly (readonly [tag: number, value: string])[];
}

/** Copy a message. The copy stays valid after the next chunk. */
export function receivedMessage(view: MessageView): ReceivedMessage {
  const fields = Array.from({ length: view.fieldCount }, (_, i) => [view.tagAt(i), view.stringAt(i)] as const);
  return { msgType: view.msgType, fields };
}

/** First value of a tag; null if it is absent. */
export function valueIn(message: ReceivedMessage, tag: number): string | null {
  return message.fields.find(([one]) => one === tag)?.[1] ?? null;
}
