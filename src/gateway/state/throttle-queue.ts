// Messages that wait for their turn because the session sent too fast (rule S7), kept in order per session until their
// time. An order or replacement among them is recorded, so that a restart rejects it and does not forget it.
// throttled-message.ts processes them.

import type { EpochMs } from '../../base/time.ts';
import { DataFields, type DataPair, type MessageView, Tag, viewOf } from '../../wire/mod.ts';

/** An order in a list that waits, as the NewOrderSingle(D) that it stands for. */
interface ListedOrder {
  readonly clOrdID: string;
  readonly view: MessageView;
}

/** A message that waits. Its view is a copy of its own. */
export interface HeldMessage {
  readonly sessionId: string;
  readonly view: MessageView;
  readonly possDup: boolean;
  releaseAt: EpochMs;
  /** ClOrdID(11), or the empty text. */
  readonly clOrdID: string;
  /** Key of its record; null if it has none. */
  readonly recordKey: string | null;
  /** Of a NewOrderList(E) its orders, once somebody looked for one: not read again for each request. */
  orders: readonly ListedOrder[] | null;
}

export class HeldMessages {
  private readonly bySession = new Map<string, HeldMessage[]>();

  /** Keep a message; they come in the order of their turns. */
  add(message: HeldMessage): void {
    const queue = this.bySession.get(message.sessionId);
    if (queue === undefined) this.bySession.set(message.sessionId, [message]);
    else queue.push(message);
  }

  /** The clock was set back: turns come as soon as before. */
  setBack(byMs: number): void {
    for (const queue of this.bySession.values()) for (const message of queue) message.releaseAt -= byMs;
  }

  /** When the next turn comes, or null. */
  earliest(): EpochMs | null {
    let at: EpochMs | null = null;
    for (const [head] of this.bySession.values()) {
      if (head !== undefined && (at === null || head.releaseAt < at)) at = head.releaseAt;
    }
    return at;
  }

  /** Remove and return a message in turn, or null. */
  takeDue(now: EpochMs): HeldMessage | null {
    for (const [sessionId, queue] of this.bySession) {
      if (queue[0]!.releaseAt > now) continue;
      const message = queue.shift()!;
      if (queue.length === 0) this.bySession.delete(sessionId);
      return message;
    }
    return null;
  }

  /** Those of a session, in their order. */
  of(sessionId: string): readonly HeldMessage[] {
    return this.bySession.get(sessionId) ?? [];
  }

  remove(message: HeldMessage): void {
    const queue = this.bySession.get(message.sessionId);
    const i = queue?.indexOf(message) ?? -1;
    if (queue === undefined || i === -1) return;
    queue.splice(i, 1);
    if (queue.length === 0) this.bySession.delete(message.sessionId);
  }

  sessionIds(): string[] {
    return [...this.bySession.keys()];
  }
}

/** A view of its own of the same frame, valid for as long as it is kept. */
export function ownView(view: MessageView): MessageView | null {
  return viewOf(view.copyBytes(), view.dataFields);
}

/** The frame one character per byte, for a record. */
export function toText(view: MessageView): string {
  return view.copyBytes().toString('latin1');
}

/** By field of the message, the number of groups that it stands in, for a record; null if no field stands in one. */
export function depthsOf(view: MessageView): number[] | null {
  const depths = Array.from({ length: view.fieldCount }, (_, i) => view.depthAt(i));
  return depths.some((depth) => depth > 0) ? depths : null;
}

/** The view of a recorded frame, with the session's data tags and group depth; null if it is none. */
export function fromText(
  text: string,
  dataPairs: readonly DataPair[],
  depths: readonly number[] | null,
): MessageView | null {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const view = viewOf(bytes, new DataFields(dataPairs));
  if (depths !== null) view?.outlineAs(Uint8Array.from(depths));
  return view;
}

export function clOrdIDOf(view: MessageView): string {
  return view.string(Tag.ClOrdID) ?? '';
}
