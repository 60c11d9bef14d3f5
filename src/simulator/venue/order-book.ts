// The continuous book of one market: price levels in order, arrival order within a level, both sides.
// Knows nothing of balances, accounts or events; matching.ts decides what trades.

import { assert } from '../../base/assert.ts';
import { Decimal } from '../../base/decimal.ts';
import type { OrderSide } from '../../exchange/mod.ts';
import { type Order, remaining } from './order.ts';

interface Entry {
  readonly order: Order;
  readonly level: Level;
  previous: Entry | null;
  next: Entry | null;
}

interface Level {
  readonly price: Decimal;
  quantity: Decimal;
  head: Entry | null;
  tail: Entry | null;
}

/** A price and all the quantity that waits there. */
export interface BookLevel {
  readonly price: Decimal;
  readonly quantity: Decimal;
}

/** One side of a book; exported for memory.ts, which rebuilds it. */
export class BookSide {
  readonly levels = new Map<bigint, Level>();
  /** Price coefficients, worst first, so that the best is cheap to take away. */
  readonly prices: bigint[] = [];
  private readonly side: OrderSide;

  constructor(side: OrderSide) {
    this.side = side;
  }

  levelAt(price: Decimal): Level {
    const found = this.levels.get(price.coefficient);
    if (found !== undefined) return found;
    const level: Level = { price, quantity: new Decimal(0n, 0), head: null, tail: null };
    this.levels.set(price.coefficient, level);
    this.prices.splice(this.position(price.coefficient), 0, price.coefficient);
    return level;
  }

  drop(level: Level): void {
    this.levels.delete(level.price.coefficient);
    this.prices.splice(this.position(level.price.coefficient), 1);
  }

  best(): Level | null {
    const price = this.prices.at(-1);
    return price === undefined ? null : this.levels.get(price)!;
  }

  private position(price: bigint): number {
    let low = 0;
    let high = this.prices.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const found = this.prices[middle]!;
      if (this.side === 'BUY' ? found < price : found > price) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Price-time priority book; prices of one book all have the same scale. */
export class OrderBook {
  private readonly bids = new BookSide('BUY');
  private readonly asks = new BookSide('SELL');
  private readonly entries = new Map<string, Entry>();
  /** Rises with every change, as `sequenceNumber` of the public book. */
  sequence = 0;

  /** Put an order with a price at the end of its level. */
  add(order: Order): void {
    assert(order.price !== null, 'an order in the book has a price');
    assert(!this.entries.has(order.orderId), 'an order is in the book once');
    const level = this.side(order.side).levelAt(order.price);
    const entry: Entry = { order, level, previous: level.tail, next: null };
    if (level.tail === null) level.head = entry;
    else level.tail.next = entry;
    level.tail = entry;
    level.quantity = level.quantity.add(remaining(order));
    this.entries.set(order.orderId, entry);
    this.sequence++;
  }

  has(orderId: string): boolean {
    return this.entries.has(orderId);
  }

  /** Take an order out; its remaining quantity must be as the book last knew it. */
  remove(order: Order): void {
    const entry = this.entries.get(order.orderId);
    assert(entry !== undefined, 'the order is in the book');
    const { level } = entry;
    level.quantity = level.quantity.subtract(remaining(order));
    if (entry.previous === null) level.head = entry.next;
    else entry.previous.next = entry.next;
    if (entry.next === null) level.tail = entry.previous;
    else entry.next.previous = entry.previous;
    this.entries.delete(order.orderId);
    if (level.head === null) this.side(order.side).drop(level);
    this.sequence++;
  }

  /** Account for a fill of `quantity` that is about to be added to the order's filled quantity. */
  reduce(order: Order, quantity: Decimal): void {
    const entry = this.entries.get(order.orderId);
    assert(entry !== undefined, 'the order is in the book');
    entry.level.quantity = entry.level.quantity.subtract(quantity);
    this.sequence++;
  }

  /** The order that trades next on `side`, or null. */
  first(side: OrderSide): Order | null {
    return this.side(side).best()?.head?.order ?? null;
  }

  /** Best price of a side, or null. */
  bestPrice(side: OrderSide): Decimal | null {
    return this.side(side).best()?.price ?? null;
  }

  /** Orders of a side in the order in which they would trade. */
  *orders(side: OrderSide): Generator<Order> {
    const { prices, levels } = this.side(side);
    for (let i = prices.length - 1; i >= 0; i--) {
      let entry = levels.get(prices[i]!)!.head;
      while (entry !== null) {
        const next: Entry | null = entry.next;
        yield entry.order;
        entry = next;
      }
    }
  }

  /** The best `depth` levels of a side, best first. */
  levels(side: OrderSide, depth: number): BookLevel[] {
    const { prices, levels } = this.side(side);
    const out: BookLevel[] = [];
    for (let i = prices.length - 1; i >= 0 && out.length < depth; i--) {
      const level = levels.get(prices[i]!)!;
      out.push({ price: level.price, quantity: level.quantity });
    }
    return out;
  }

  get size(): number {
    return this.entries.size;
  }

  private side(side: OrderSide): BookSide {
    return side === 'BUY' ? this.bids : this.asks;
  }
}
