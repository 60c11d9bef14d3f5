// A set of the members added last, so many of them: a new one takes the place of the oldest. What is asked for does not
// become younger by that; where it has to, aged-set.ts serves.

export class RecentSet<T> {
  readonly #members = new Set<T>();
  /** In the order in which they were added, around. */
  readonly #ring: T[] = [];
  readonly #max: number;
  #oldest = 0;

  /** @param max members kept, 1 or more */
  constructor(max: number) {
    this.#max = max;
  }

  has(member: T): boolean {
    return this.#members.has(member);
  }

  /** Add if it is not there; returns the member that had to go, undefined if none. */
  add(member: T): T | undefined {
    const { size } = this.#members;
    this.#members.add(member);
    if (this.#members.size === size) return undefined;
    if (this.#ring.length < this.#max) {
      this.#ring.push(member);
      return undefined;
    }
    const gone = this.#ring[this.#oldest]!;
    this.#ring[this.#oldest] = member;
    this.#oldest = (this.#oldest + 1) % this.#max;
    this.#members.delete(gone);
    return gone;
  }
}
