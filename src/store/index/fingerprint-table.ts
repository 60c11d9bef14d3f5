// Where things lie that are found by a fingerprint: two numbers each, in one array with open addressing. An object and a key
// for each would be most of what a busy journal has the collector do. Nothing is removed but all of it at once.

import { assert } from '../../base/assert.ts';

/** Numbers of a slot: both halves of the fingerprint, and the two numbers kept for it. */
const SLOT = 4;
const FIRST_SLOTS = 64;
/** Beyond, a table doubles: three quarters full. */
const fullAt = (slots: number): number => (slots >>> 2) * 3;

export class PlaceTable {
  #slots = new Uint32Array(FIRST_SLOTS * SLOT);
  #mask = FIRST_SLOTS - 1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Keep a place; a later one of the same fingerprint replaces it. `a` is never 0, which stands for nothing. */
  set(hi: number, lo: number, a: number, b: number): void {
    assert(a > 0, 'a place is behind the header of its file');
    const at = this.#slotOf(hi, lo);
    const slots = this.#slots;
    if (slots[at + 2] === 0) {
      slots[at] = hi;
      slots[at + 1] = lo;
      this.#size++;
    }
    slots[at + 2] = a;
    slots[at + 3] = b;
    if (this.#size >= fullAt(this.#mask + 1)) this.#grow();
  }

  /** The place of a fingerprint, or null. */
  get(hi: number, lo: number): readonly [a: number, b: number] | null {
    const at = this.#slotOf(hi, lo);
    const a = this.#slots[at + 2]!;
    return a === 0 ? null : [a, this.#slots[at + 3]!];
  }

  /** Forget all of it. */
  clear(): void {
    if (this.#size === 0) return;
    if (this.#mask >= FIRST_SLOTS) {
      this.#slots = new Uint32Array(FIRST_SLOTS * SLOT);
      this.#mask = FIRST_SLOTS - 1;
    } else {
      this.#slots.fill(0);
    }
    this.#size = 0;
  }

  /** The slot that has a fingerprint, or the free one where it belongs. */
  #slotOf(hi: number, lo: number): number {
    const slots = this.#slots;
    for (let k = lo & this.#mask; ; k = (k + 1) & this.#mask) {
      const at = k * SLOT;
      if (slots[at + 2] === 0 || (slots[at] === hi && slots[at + 1] === lo)) return at;
    }
  }

  #grow(): void {
    const before = this.#slots;
    this.#mask = 2 * this.#mask + 1;
    this.#slots = new Uint32Array((this.#mask + 1) * SLOT);
    for (let at = 0; at < before.length; at += SLOT) {
      if (before[at + 2] === 0) continue;
      this.#slots.set(before.subarray(at, at + SLOT), this.#slotOf(before[at]!, before[at + 1]!));
    }
  }
}
