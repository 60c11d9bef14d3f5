// The way of each of the latest new orders, hop by hop, for the drawing of the console. The journal has the times of older ones, in
// milliseconds.

import type { OrderTimes } from '../../runtime/mod.ts';

/** Orders kept, the latest ones. */
const KEPT = 5_000;

/** Times since the bytes of the D were read, in milliseconds; null: the order was not there. */
export interface Hops {
  readonly taken: number;
  readonly checked: number | null;
  readonly recorded: number | null;
  readonly sent: number | null;
  readonly answered: number | null;
  readonly reported: number;
}

export class OrderHops {
  readonly #kept = new Map<string, Hops>();

  note({ sessionId, clOrdID, readAt, takenAt, ...times }: OrderTimes): void {
    const since = (at: number): number | null => (at === 0 ? null : Math.max(0, at - readAt));
    this.#kept.set(`${sessionId}\n${clOrdID}`, {
      taken: takenAt - readAt,
      checked: since(times.checkedAt),
      recorded: since(times.recordedAt),
      sent: since(times.sentAt),
      answered: since(times.answeredAt),
      reported: times.reportedAt - readAt,
    });
    if (this.#kept.size > KEPT) this.#kept.delete(this.#kept.keys().next().value!);
  }

  /** Of an order by its first ClOrdID(11); null if it is not among the latest. */
  of(sessionId: string, clOrdID: string): Hops | null {
    return this.#kept.get(`${sessionId}\n${clOrdID}`) ?? null;
  }
}
