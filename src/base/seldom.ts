// What comes again and again, as wrong tokens, or frames that nobody understands: as lines of the log thousands in a minute would
// fill the disk that the journal needs, as alarms they would bury all others. Says when one is told; leaves telling to others.

export class Seldom {
  readonly #intervalMs: number;
  readonly #kinds = new Map<string, { toldAt: number; untold: number }>();

  /** One of a kind is told this often at most. */
  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /**
   * Whether one is to be told now: how many were not since the last that was, else null, and this one is counted.
   * @param kind one of a few words, never a peer's text
   * @param elapsedMs by a clock that nobody sets
   */
  due(kind: string, elapsedMs: number): number | null {
    const known = this.#kinds.get(kind);
    if (known !== undefined && elapsedMs - known.toldAt < this.#intervalMs) {
      known.untold++;
      return null;
    }
    this.#kinds.set(kind, { toldAt: elapsedMs, untold: 0 });
    return known?.untold ?? 0;
  }
}
