// Messages that wait for their turn because the session sent too fast (rule S7), or for the first price of their market (rule
// O12), kept in order per session until their time. An order or replacement among them is recorded, so that a restart rejects
// it and does not forget it. throttled-message.ts and price-wait.ts process them.

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
  /**
   * The market with a first reference price that it waits for, and the deadline; null if it waits for its turn alone.
   */
  readonly price: PriceWait | null;
}

/** The wait of a message. */
export interface PriceWait {
  readonly symbol: string;
  until: EpochMs;
}

/** Markets remembered because their price was awaited in vain; the oldest are dropped. */
const IN_VAIN_MAX = 10_000;

export class HeldMessages {
  private readonly bySession = new Map<string, HeldMessage[]>();
  /** By market, those that wait for its price. */
  private readonly byPrice = new Map<string, Set<HeldMessage>>();
  /** By market, when its price was last awaited in vain. */
  private readonly inVain = new Map<string, EpochMs>();
  /** The message in turn, if it comes from here. */
  released: HeldMessage | null = null;

  /** Keep a message; they come in the order of their turns. `isFirst`: its turn had come, and it goes before the others. */
  add(message: HeldMessage, isFirst = false): void {
    const queue = this.bySession.get(message.sessionId);
    if (queue === undefined) this.bySession.set(message.sessionId, [message]);
    else if (isFirst) queue.unshift(message);
    else queue.push(message);
    const { price } = message;
    if (price === null) return;
    const waiting = this.byPrice.get(price.symbol) ?? new Set();
    this.byPrice.set(price.symbol, waiting.add(message));
  }

  /** A market has a price: the turn of those that wait for it has come. */
  priceHeard(symbol: string, at: EpochMs): void {
    const waiting = this.byPrice.get(symbol);
    if (waiting === undefined) return;
    for (const message of waiting) message.releaseAt = Math.min(message.releaseAt, at);
  }

  /** True if a message of the session waits for a price: later ones wait behind it. */
  awaitsPrice(sessionId: string): boolean {
    return this.byPrice.size > 0 && this.of(sessionId).some(({ price }) => price !== null);
  }

  noteInVain(symbol: string, at: EpochMs): void {
    this.inVain.delete(symbol);
    this.inVain.set(symbol, at);
    for (const oldest of this.inVain.keys()) {
      if (this.inVain.size <= IN_VAIN_MAX) break;
      this.inVain.delete(oldest);
    }
  }

  /** When a market's price was last awaited in vain, or null. */
  inVainAt(symbol: string): EpochMs | null {
    return this.inVain.get(symbol) ?? null;
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
      this.leavePrice(message);
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
    this.leavePrice(message);
  }

  private leavePrice(message: HeldMessage): void {
    const { price } = message;
    const waiting = price === null ? undefined : this.byPrice.get(price.symbol);
    if (waiting?.delete(message) === true && waiting.size === 0) this.byPrice.delete(price!.symbol);
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
