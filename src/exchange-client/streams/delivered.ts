// What has been delivered already: fills by their ids, states of orders by what they say. The exchange numbers none of its
// private frames, so that duplicates, snapshots and a second connection are told apart here (exchange reference §3.3).

import { RecentPrints, TextPrint } from '../../base/recent-prints.ts';
import type { ExchangeOrder, ExchangeTrade } from '../../exchange/mod.ts';

/** Fills remembered; the oldest go first. What is said twice is said again within minutes. */
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
   * Whether a state of an order is new: not if all of it, its time of publishing included, was said before; of what the
   * connection before may have said (`isRepeat`), also not if the same state was.
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
