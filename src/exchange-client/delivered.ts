// What has been delivered already: fills by their ids, states of orders by what they say. The exchange numbers none of its
// private frames, so that duplicates, snapshots and a second connection are told apart here (exchange reference §3.3).

import { AgedSet } from '../base/aged-set.ts';
import type { ExchangeOrder, ExchangeTrade } from '../exchange/mod.ts';

/** Fills and states remembered; the oldest go first. */
const REMEMBERED_MAX = 50_000;

export class Delivered {
  readonly #trades = new AgedSet<string>();
  /** States as published, with their time, and states as such. */
  readonly #published = new AgedSet<string>();
  readonly #states = new AgedSet<string>();

  /** Whether a fill was not delivered before. One tradeId may serve both sides of a self-match (rule O2). */
  takeTrade(trade: ExchangeTrade): boolean {
    return add(this.#trades, `${trade.orderId} ${trade.tradeId}`);
  }

  /**
   * Whether a state of an order is to be delivered. An update is a duplicate if all of it, its time of publishing included,
   * was said before; what the connection before may have said (`isRepeat`) also if the same state was. A snapshot after a
   * reconnect is delivered whole.
   */
  takeOrder(order: ExchangeOrder, isRepeat: boolean): boolean {
    const state = stateOf(order);
    const isKnownState = !add(this.#states, state);
    const isKnown = order.publishedAt !== null && !add(this.#published, `${order.publishedAt} ${state}`);
    return !isKnown && !(isRepeat && isKnownState);
  }
}

function stateOf(o: ExchangeOrder): string {
  return `${o.orderId} ${o.status} ${o.statusReasonCode} ${o.quantityFilled} ${o.quantity} ${o.price} ${o.type} ${o.clientOrderId}`;
}

/** Remember; false if it was there. */
function add(held: AgedSet<string>, key: string): boolean {
  if (held.has(key)) return false;
  held.add(key);
  if (held.size > REMEMBERED_MAX) held.takeOldest();
  return true;
}
