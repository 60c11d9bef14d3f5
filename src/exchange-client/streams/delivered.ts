// Remembers delivered events: fills by id, states of orders by content. The exchange numbers none of its private
// frames, so duplicates, snapshots and a second connection are separated here (exchange reference §3.3).

import { RecentPrints, TextPrint } from '../../base/collections/recent-prints.ts';
import type { ExchangeOrder, ExchangeTrade } from '../../exchange/mod.ts';

/** Remembered fills; the oldest are dropped. Repetitions come within minutes. */
const TRADES_MAX = 10_000;
/** States of orders remembered, with and without their time. */
const STATES_MAX = 60_000;

export class Delivered {
  readonly #print = new TextPrint();
  readonly #trades = new RecentPrints(TRADES_MAX);
  readonly #states = new RecentPrints(STATES_MAX);

  /** Whether a fill was not delivered before. One tradeId may serve both sides of a self-match (rule O2). */
  takeTrade(trade: ExchangeTrade): boolean {
    return this.#trades.take(this.#printOf(trade));
  }

  hasTrade(trade: ExchangeTrade): boolean {
    return this.#trades.has(this.#printOf(trade));
  }

  /**
   * True if a state of an order is new. It is not if an equal one, including its time of publishing, was seen; for
   * repeats of an earlier connection (`isRepeat`), not even with another time.
   */
  takeOrder(order: ExchangeOrder, isRepeat: boolean): boolean {
    const { orderId, publishedAt, status, statusReasonCode, quantityFilled, quantity, price, type } = order;
    const print = this.#print;
    print.of(orderId, status, statusReasonCode, quantityFilled, quantity, price, type, order.clientOrderId);
    const isWanted = this.#states.take(print) || !isRepeat;
    if (publishedAt === null) return isWanted;
    return this.#states.take(print.and(String(publishedAt))) && isWanted;
  }

  #printOf({ orderId, tradeId }: ExchangeTrade): TextPrint {
    return this.#print.of(orderId, tradeId);
  }
}
