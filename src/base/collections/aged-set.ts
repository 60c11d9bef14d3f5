// A set that knows its oldest member, for memories that forget the oldest when they are full. A Set of JavaScript could be
// asked too, but steps over every member removed before: a full one of 50,000 takes 80 µs to name its oldest. How many
// members are too many is the owner's business.

/** Places of removed members that are put up with before the others are moved together. */
const HOLES_MIN = 1_024;

/** Members in the order in which they were added last; every operation takes constant time on average. */
export class AgedSet<T> {
  /** Each member's place in `#places`. */
  readonly #placeOf = new Map<T, number>();
  #places: (T | undefined)[] = [];
  /** No member stands before this place. */
  #first = 0;

  get size(): number {
    return this.#placeOf.size;
  }

  has(member: T): boolean {
    return this.#placeOf.has(member);
  }

  /** Add as the youngest, also if it is there; false if it was. */
  add(member: T): boolean {
    const known = this.#placeOf.get(member);
    if (known !== undefined) this.#places[known] = undefined;
    this.#placeOf.set(member, this.#places.length);
    this.#places.push(member);
    this.#moveTogether();
    return known === undefined;
  }

  /** Remove; false if it is not there. */
  delete(member: T): boolean {
    const known = this.#placeOf.get(member);
    if (known === undefined) return false;
    this.#placeOf.delete(member);
    this.#places[known] = undefined;
    return true;
  }

  /** Remove and return the member added longest ago; undefined if there is none. */
  takeOldest(): T | undefined {
    for (; this.#first < this.#places.length; this.#first++) {
      const oldest = this.#places[this.#first];
      if (oldest === undefined) continue;
      this.delete(oldest);
      return oldest;
    }
    return undefined;
  }

  clear(): void {
    this.#placeOf.clear();
    this.#places = [];
    this.#first = 0;
  }

  /** Done when more places are empty than not: each addition pays for a few moves. */
  #moveTogether(): void {
    if (this.#places.length < 2 * this.#placeOf.size + HOLES_MIN) return;
    this.#places = this.#places.slice(this.#first).filter((member) => member !== undefined);
    this.#first = 0;
    for (const [place, member] of this.#places.entries()) this.#placeOf.set(member as T, place);
  }
}
