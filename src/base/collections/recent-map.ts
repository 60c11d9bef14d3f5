// A bounded map: a new key replaces the oldest. Reading or setting a key again does not make it younger; aged-set.ts
// does that.

export class RecentMap<K, V> {
  readonly #entries = new Map<K, V>();
  /** Keys in the order in which they were added, around. */
  readonly #ring: K[] = [];
  readonly #max: number;
  #oldest = 0;

  /** @param max entries kept, 1 or more */
  constructor(max: number) {
    this.#max = max;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  set(key: K, value: V): void {
    const { size } = this.#entries;
    this.#entries.set(key, value);
    if (this.#entries.size === size) return;
    if (this.#ring.length < this.#max) {
      this.#ring.push(key);
      return;
    }
    this.#entries.delete(this.#ring[this.#oldest]!);
    this.#ring[this.#oldest] = key;
    this.#oldest = (this.#oldest + 1) % this.#max;
  }
}
