// A binary heap: the first of many entries in logarithmic time. Its user decides the order of two entries.

export class BinaryHeap<T> {
  private readonly isBefore: (a: T, b: T) => boolean;
  private entries: T[] = [];

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.isBefore = isBefore;
  }

  get size(): number {
    return this.entries.length;
  }

  /** The first entry; undefined if there is none. */
  get first(): T | undefined {
    return this.entries[0];
  }

  push(entry: T): void {
    const { entries, isBefore } = this;
    let i = entries.length;
    entries.push(entry);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!isBefore(entry, entries[parent]!)) break;
      entries[i] = entries[parent]!;
      i = parent;
    }
    entries[i] = entry;
  }

  /** Remove the first entry. */
  pop(): void {
    const { entries, isBefore } = this;
    const last = entries.pop();
    if (last === undefined || entries.length === 0) return;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= entries.length) break;
      if (child + 1 < entries.length && isBefore(entries[child + 1]!, entries[child]!)) child++;
      if (!isBefore(entries[child]!, last)) break;
      entries[i] = entries[child]!;
      i = child;
    }
    entries[i] = last;
  }

  clear(): void {
    this.entries = [];
  }
}
