// Remembers the newest texts by a fingerprint of 128 bits each, for questions of "seen before?". One array costs the
// garbage collector less than a map of strings, and orders do not wait for it. Use recent-map.ts if the text itself
// matters or a collision must be noticed.

/** Places at first; they double until all are used. */
const PLACES_FIRST = 64;
/** Words of a print. */
const WORDS = 4;

/** Rolling fingerprint of texts in sequence. Texts with equal fingerprints count as equal. */
export class TextPrint {
  a = 0;
  b = 0;
  c = 0;
  d = 0;

  /** Print of these, and of no others. */
  of(...texts: readonly (string | null)[]): this {
    this.a = 0x2545f491;
    this.b = 0x6a09e667;
    this.c = 0x3c6ef372;
    this.d = 0x510e527f;
    return this.and(...texts);
  }

  /** The text behind the fingerprint, and its two halves. */
  and(...texts: readonly (string | null)[]): this {
    for (const text of texts) {
      const length = text === null ? -1 : text.length;
      // Where one text ends belongs to the print: `ab`, `c` are not `a`, `bc`.
      this.#take(length);
      for (let i = 0; i < length; i++) this.#take(text!.charCodeAt(i));
    }
    return this;
  }

  /** Each word takes it with a factor of its own, and mixes high bits into low ones. */
  #take(code: number): void {
    const a = Math.imul(this.a ^ code, 0x01000193);
    const b = Math.imul(this.b ^ code, 0x5bd1e995);
    const c = Math.imul(this.c + code, 0x2c1b3c6d);
    const d = Math.imul(this.d + code, 0x297a2d39);
    this.a = a ^ (a >>> 15);
    this.b = b ^ (b >>> 13);
    this.c = c ^ (c >>> 16);
    this.d = d ^ (d >>> 14);
  }
}

export class RecentPrints {
  readonly #max: number;
  /** Four words by place; the places are used in turn, around. */
  #words = new Int32Array(0);
  /** Place + 1 by the first word, the next free entry where that is taken; 0 is free. */
  #index = new Int32Array(0);
  #next = 0;
  #size = 0;

  /** @param max prints kept, 1 or more */
  constructor(max: number) {
    this.#max = max;
  }

  /** Whether a print is among those kept. */
  has(print: TextPrint): boolean {
    return this.find(print) !== -1;
  }

  /** The place of a print, below `max`; -1 if it is not kept. */
  find({ a, b, c, d }: TextPrint): number {
    const index = this.#index;
    const words = this.#words;
    const mask = index.length - 1;
    if (mask < 0) return -1;
    for (let i = a & mask; index[i] !== 0; i = (i + 1) & mask) {
      const at = (index[i]! - 1) * WORDS;
      if (words[at] === a && words[at + 1] === b && words[at + 2] === c && words[at + 3] === d) return at / WORDS;
    }
    return -1;
  }

  /** Keep a print, in the place of the oldest if there is no other; the place. One that is kept does not become younger. */
  add(print: TextPrint): number {
    const known = this.find(print);
    return known === -1 ? this.#keep(print) : known;
  }

  /** The same; whether it was not kept before. */
  take(print: TextPrint): boolean {
    const isNew = this.find(print) === -1;
    if (isNew) this.#keep(print);
    return isNew;
  }

  #keep(print: TextPrint): number {
    if (this.#size === this.#max) this.#remove(this.#next);
    else if (this.#size === this.#words.length / WORDS) this.#grow();
    const place = this.#next;
    const at = place * WORDS;
    this.#words[at] = print.a;
    this.#words[at + 1] = print.b;
    this.#words[at + 2] = print.c;
    this.#words[at + 3] = print.d;
    this.#enter(place);
    this.#size++;
    this.#next = (place + 1) % this.#max;
    return place;
  }

  #enter(place: number): void {
    const mask = this.#index.length - 1;
    let i = this.#words[place * WORDS]! & mask;
    while (this.#index[i] !== 0) i = (i + 1) & mask;
    this.#index[i] = place + 1;
  }

  /** Entries behind the one that goes move up, as far as they are found from where they belong. */
  #remove(place: number): void {
    const index = this.#index;
    const mask = index.length - 1;
    let free = this.#words[place * WORDS]! & mask;
    while (index[free] !== place + 1) free = (free + 1) & mask;
    for (let i = (free + 1) & mask; index[i] !== 0; i = (i + 1) & mask) {
      const home = this.#words[(index[i]! - 1) * WORDS]! & mask;
      if (((i - home) & mask) < ((i - free) & mask)) continue;
      index[free] = index[i]!;
      free = i;
    }
    index[free] = 0;
    this.#size--;
  }

  /** Nothing has gone yet: the places used are the first ones. */
  #grow(): void {
    const places = Math.min(this.#max, Math.max(PLACES_FIRST, this.#size * 2));
    const words = new Int32Array(places * WORDS);
    words.set(this.#words);
    this.#words = words;
    this.#index = new Int32Array(2 ** Math.ceil(Math.log2(places * 2)));
    for (let place = 0; place < this.#size; place++) this.#enter(place);
  }
}

/** Whole numbers of 64 bits by text, those of the texts added last. */
export class RecentBigInts {
  readonly #print = new TextPrint();
  readonly #prints: RecentPrints;
  #values = new BigInt64Array(0);

  /** @param max numbers kept, 1 or more */
  constructor(max: number) {
    this.#prints = new RecentPrints(max);
  }

  get(text: string): bigint | undefined {
    const place = this.#prints.find(this.#print.of(text));
    return place === -1 ? undefined : this.#values[place];
  }

  set(text: string, value: bigint): void {
    const place = this.#prints.add(this.#print.of(text));
    if (place >= this.#values.length) {
      const values = new BigInt64Array(Math.max(PLACES_FIRST, place * 2));
      values.set(this.#values);
      this.#values = values;
    }
    this.#values[place] = value;
  }
}
