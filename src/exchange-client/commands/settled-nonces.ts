// The highest nonce that was acknowledged long enough ago for reads to show everything carried out until then: reads
// lag behind acknowledgements. client.ts draws the conclusion for an order (rule U2).

interface Acknowledged {
  readonly nonce: bigint;
  readonly at: number;
}

/** Three values are kept at any rate: the result is at most twice as old as necessary. */
export class SettledNonces {
  readonly #settleMs: number;
  #settled = -1n;
  /** The next to be settled, and the latest after it. */
  #next: Acknowledged | null = null;
  #latest: Acknowledged | null = null;

  /** @param settleMs after an acknowledgement, how long until reads are believed to show all that came before it */
  constructor(settleMs: number) {
    this.#settleMs = settleMs;
  }

  /** The highest nonce that is acknowledged at this time, by a time that only grows. */
  note(nonce: bigint, elapsed: number): void {
    this.highest(elapsed);
    const acknowledged = { nonce, at: elapsed };
    if (this.#next === null) this.#next = acknowledged;
    else this.#latest = acknowledged;
  }

  /** The highest that is settled; -1 if none is. */
  highest(elapsed: number): bigint {
    const isSettled = (one: Acknowledged | null): one is Acknowledged =>
      one !== null && elapsed - one.at >= this.#settleMs;
    if (isSettled(this.#latest)) {
      this.#settled = this.#latest.nonce;
      this.#next = null;
      this.#latest = null;
    } else if (isSettled(this.#next)) {
      this.#settled = this.#next.nonce;
      this.#next = this.#latest;
      this.#latest = null;
    }
    return this.#settled;
  }
}
