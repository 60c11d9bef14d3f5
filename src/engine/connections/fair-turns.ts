// How long one connection may be served before the others have their turn (rule S14). A session that floods takes a bounded slice
// of each turn of the event loop, whatever its limits say. Leaves reading and resting to connection.ts.

/** An order passes through about six turns of the event loop on its way: each may wait for one slice. */
const SLICE_SHARED_MS = 0.3;
/** No other session sends: fewer turns cost less. */
const SLICE_ALONE_MS = 2;
/** A party that sent so recently counts as one that sends. */
const RECENT_MS = 250;

/** Shared by all connections of an engine. */
export class FairTurns {
  #latest: object | null = null;
  #latestAt = Number.NEGATIVE_INFINITY;
  /** When another party than the latest was served last. */
  #otherAt = Number.NEGATIVE_INFINITY;

  /** Begin to serve a party: when its slice ends, by `performance.now()`. */
  begin(party: object): number {
    const now = performance.now();
    if (party !== this.#latest) {
      this.#otherAt = this.#latestAt;
      this.#latest = party;
    }
    this.#latestAt = now;
    return now + (now - this.#otherAt < RECENT_MS ? SLICE_SHARED_MS : SLICE_ALONE_MS);
  }
}
