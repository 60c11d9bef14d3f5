// Texts of open orders, read when all records are known: of an order only the last one counts, and most orders end before
// that. Until then only the place of each is kept. Leaves which record is the last to fold.ts.

import type { Location } from './index/outbound-index.ts';
import type { JournalState } from './journal-state.ts';
import { FrameReader } from './segments/frame-reader.ts';

export class OrderTexts {
  readonly #directory: string;
  readonly #orders: JournalState['orders'];
  readonly #places = new Map<string, Location>();

  /** @param orders takes the texts */
  constructor(directory: string, { orders }: JournalState) {
    this.#directory = directory;
    this.#orders = orders;
  }

  /** The last record of an open order so far lies there. It has its place among the others, and its text later. */
  later(key: string, segment: number, group: number, record: number): void {
    if (!this.#orders.has(key)) this.#orders.set(key, '');
    this.#places.set(key, { segment, group, record });
  }

  /** The order ended. */
  ended(key: string): void {
    this.#orders.delete(key);
    this.#places.delete(key);
  }

  /** Where the last record of an open order lies, unless its text was read. */
  placeOf(key: string): Location | null {
    return this.#places.get(key) ?? null;
  }

  /** Read the texts that are missing, in the order in which they lie. @throws XG_JOURNAL_CORRUPT if one is damaged */
  settle(): void {
    const frames = new FrameReader(this.#directory);
    try {
      const inOrder = [...this.#places].sort(([, a], [, b]) => a.segment - b.segment || a.group - b.group);
      for (const [key, place] of inOrder) this.#orders.set(key, frames.orderText(place).toString('utf8'));
      this.#places.clear();
    } finally {
      frames.close();
    }
  }
}
