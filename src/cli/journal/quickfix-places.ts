// Where the messages of a QuickFIX file store lie, as its header names them: of tens of millions too. An object for each would
// take gigabytes, and a Map holds no more than 16.7 million. Leaves reading a header to quickfix-store.ts.

/** `end`: where the next message begins, where the length may be too small. */
export type Place = readonly [msgSeqNum: number, offset: number, length: number, end: number];

const CELLS = 4;
const PLACES_PER_CHUNK = 65_536;

export class QuickfixPlaces {
  #chunks: Float64Array[] = [];
  #count = 0;
  #highest = Number.NEGATIVE_INFINITY;
  #isAscending = true;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** The highest number that is named. */
  get highest(): number {
    return this.#highest;
  }

  add(msgSeqNum: number, offset: number, length: number, end = 0): void {
    const from = CELLS * (this.#count % PLACES_PER_CHUNK);
    if (from === 0) this.#chunks.push(new Float64Array(CELLS * PLACES_PER_CHUNK));
    const cells = this.#chunks.at(-1)!;
    cells[from] = msgSeqNum;
    cells[from + 1] = offset;
    cells[from + 2] = length;
    cells[from + 3] = end;
    this.#count++;
    if (msgSeqNum <= this.#highest) this.#isAscending = false;
    else this.#highest = msgSeqNum;
  }

  /** Those of the numbers below this one, ascending; of a number that is named twice, the later. */
  *below(msgSeqNum: number): Generator<Place> {
    if (!this.#isAscending) this.#sort();
    for (let k = 0; k < this.#count; k++) {
      const place = this.#at(k);
      if (place[0] >= msgSeqNum) return;
      yield place;
    }
  }

  #at(k: number): Place {
    const cells = this.#chunks[Math.floor(k / PLACES_PER_CHUNK)]!;
    const from = CELLS * (k % PLACES_PER_CHUNK);
    return [cells[from]!, cells[from + 1]!, cells[from + 2]!, cells[from + 3]!];
  }

  #sort(): void {
    const order = new Uint32Array(this.#count);
    for (let k = 0; k < order.length; k++) order[k] = k;
    order.sort((a, b) => this.#at(a)[0] - this.#at(b)[0] || a - b);
    const sorted = new QuickfixPlaces();
    for (let k = 0; k < order.length; k++) {
      const place = this.#at(order[k]!);
      const isLast = k + 1 === order.length || this.#at(order[k + 1]!)[0] !== place[0];
      if (isLast) sorted.add(...place);
    }
    this.#chunks = sorted.#chunks;
    this.#count = sorted.#count;
    this.#isAscending = true;
  }
}
