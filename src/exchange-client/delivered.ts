// What has been delivered already: fills by their ids, states of orders by what they say. The exchange numbers none of its
// private frames, so that duplicates, snapshots and a second connection are told apart here (exchange reference §3.3).

import { RecentMap } from '../base/recent-map.ts';
import type { ExchangeOrder, ExchangeTrade } from '../exchange/mod.ts';

/** Fills remembered, and orders; the oldest go first. What is said twice is said again within minutes. */
const REMEMBERED_MAX = 10_000;
/** States remembered of one order, the latest: what is said again is said soon. */
const STATES_MAX = 64;

/** One state of an order as it was said: that much of it is compared, and kept. */
type Said = Pick<
  ExchangeOrder,
  'publishedAt' | 'status' | 'statusReasonCode' | 'quantityFilled' | 'quantity' | 'price' | 'type' | 'clientOrderId'
>;

export class Delivered {
  readonly #trades = new RecentMap<string, true>(REMEMBERED_MAX);
  readonly #orders = new RecentMap<string, Said[]>(REMEMBERED_MAX);

  /** Whether a fill was not delivered before. One tradeId may serve both sides of a self-match (rule O2). */
  takeTrade(trade: ExchangeTrade): boolean {
    if (this.hasTrade(trade)) return false;
    this.#trades.set(keyOf(trade), true);
    return true;
  }

  hasTrade(trade: ExchangeTrade): boolean {
    return this.#trades.has(keyOf(trade));
  }

  /**
   * Whether a state of an order is to be delivered. An update is a duplicate if all of it, its time of publishing included,
   * was said before; what the connection before may have said (`isRepeat`) also if the same state was. A snapshot after a
   * reconnect is delivered whole.
   */
  takeOrder(order: ExchangeOrder, isRepeat: boolean): boolean {
    const { publishedAt } = order;
    const before = this.#statesOf(order.orderId);
    let isKnownState = false;
    for (const said of before) {
      const isSameTime = said.publishedAt === publishedAt;
      if ((!isSameTime && !isRepeat) || !isSameState(said, order)) continue;
      if (isSameTime && publishedAt !== null) return false;
      isKnownState = true;
    }
    if (before.length >= STATES_MAX) before.shift();
    before.push(saidOf(order));
    return !(isRepeat && isKnownState);
  }

  #statesOf(orderId: string): Said[] {
    let states = this.#orders.get(orderId);
    if (states === undefined) {
      states = [];
      this.#orders.set(orderId, states);
    }
    return states;
  }
}

const keyOf = ({ orderId, tradeId }: ExchangeTrade): string => `${orderId} ${tradeId}`;

function saidOf(order: ExchangeOrder): Said {
  const { publishedAt, status, statusReasonCode, quantityFilled, quantity, price, type, clientOrderId } = order;
  return { publishedAt, status, statusReasonCode, quantityFilled, quantity, price, type, clientOrderId };
}

function isSameState(a: Said, b: Said): boolean {
  return (
    a.status === b.status &&
    a.statusReasonCode === b.statusReasonCode &&
    a.quantityFilled === b.quantityFilled &&
    a.quantity === b.quantity &&
    a.price === b.price &&
    a.type === b.type &&
    a.clientOrderId === b.clientOrderId
  );
}
