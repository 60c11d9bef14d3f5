// State shown by the private stream: our existing references, and open orders. REST lists only the last day and may
// lag, so reads are compared with this. The gateway interprets orders for FIX.

import { AgedSet } from '../../base/collections/aged-set.ts';
import { RecentPrints, TextPrint } from '../../base/collections/recent-prints.ts';
import type { ExchangeOrder } from '../../exchange/mod.ts';

/** References and open orders remembered; the oldest go first. */
const REMEMBERED_MAX = 50_000;

export class StreamMemory {
  readonly #print = new TextPrint();
  readonly #references = new RecentPrints(REMEMBERED_MAX);
  readonly #open = new Map<string, ExchangeOrder>();
  /** Keys of `#open`, the one heard of last the youngest. */
  readonly #openByAge = new AgedSet<string>();

  add(order: ExchangeOrder): void {
    const { tradingAccountId, clientOrderId } = order;
    if (clientOrderId !== null) this.#references.add(this.#print.of(tradingAccountId, clientOrderId));
    if (order.status === 'OPEN') {
      this.#open.set(order.orderId, order);
      this.#openByAge.add(order.orderId);
      if (this.#open.size > REMEMBERED_MAX) this.#open.delete(this.#openByAge.takeOldest() ?? '');
    } else {
      this.#open.delete(order.orderId);
      this.#openByAge.delete(order.orderId);
    }
  }

  /** A new snapshot follows: orders that ended while the stream was away must not stay open here. */
  forgetOpen(): void {
    this.#open.clear();
    this.#openByAge.clear();
  }

  /** Whether the exchange has shown an order with this reference. */
  hasSeen(tradingAccountId: string, clientOrderId: string): boolean {
    return this.#references.has(this.#print.of(tradingAccountId, clientOrderId));
  }

  /** Open orders of an account that are not among `orders`: those older than the day that REST lists. */
  openBeside(orders: readonly ExchangeOrder[], tradingAccountId: string): ExchangeOrder[] {
    const known = new Set(orders.map(({ orderId }) => orderId));
    return [...this.#open.values()].filter(
      (order) => order.tradingAccountId === tradingAccountId && !known.has(order.orderId),
    );
  }
}
