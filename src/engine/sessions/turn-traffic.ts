// Measures how much is read in a turn of the event loop: one counterparty alone, or many with answers that better leave
// together. commit-queue.ts acts on it.

/** So much read in one turn, or still in the next, is a crowd. */
const CROWD = 3;
const CROWD_STILL = 2;
/** Of so many times that something was read, the turn of one is looked at. */
const LOOKED_AT_ONE_IN = 64;

export class TurnTraffic {
  /** Count of this turn's reads; true if the last turn had only one counterparty. */
  #chunks = 0;
  #wasAlone = false;
  /** Reads of the examined turn. */
  #seen = 0;
  #isCrowd = false;
  #unseen = 0;

  get isCrowd(): boolean {
    return this.#isCrowd;
  }

  /** No other session was read in the last turn or so far in this one. */
  get isAlone(): boolean {
    return this.#wasAlone && this.#chunks === 1;
  }

  /** The whole group was handled. */
  handled(): void {
    this.#chunks++;
  }

  /**
   * Something was read. Whether this turn is to be looked at: without a crowd that is done now and then only, as it costs a
   * turn of its own.
   */
  read(isLookedAt: boolean): boolean {
    this.#seen++;
    if (this.#isCrowd || isLookedAt) return false;
    this.#unseen++;
    if (this.#unseen < LOOKED_AT_ONE_IN) return false;
    this.#unseen = 0;
    return true;
  }

  /** A new turn begins here: earlier reads do not count. */
  lookAt(): void {
    this.#seen = 1;
  }

  turnEnded(): void {
    this.#wasAlone = this.#chunks === 1;
    this.#chunks = 0;
    this.#isCrowd = this.#seen >= (this.#isCrowd ? CROWD_STILL : CROWD);
    this.#seen = 0;
  }
}
