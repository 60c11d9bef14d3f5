// What comes again and again, as wrong tokens, or frames that nobody understands: as lines of the log thousands in a minute would
// fill the disk that the journal needs, as alarms they would bury all others. Says when one is told; leaves the telling to others.

type TellableFields = Readonly<Record<string, string | number | boolean | null>>;

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

  /** Have one told if it is to be told now: with these fields, and how many were not since the last that was. */
  tell(kind: string, elapsedMs: number, fields: TellableFields, tell: (fields: TellableFields) => void): void {
    const unsaidBefore = this.due(kind, elapsedMs);
    if (unsaidBefore !== null) tell(unsaidBefore === 0 ? fields : { ...fields, unsaidBefore });
  }
}
