// Limits how often a recurring event is reported. Wrong tokens or garbled frames could write thousands of lines a
// minute, fill the journal's disk, and bury other alarms. It decides when to report; the caller reports.

type TellableFields = Readonly<Record<string, string | number | boolean | null>>;

export class Seldom {
  readonly #intervalMs: number;
  readonly #kinds = new Map<string, { toldAt: number; untold: number }>();

  /** Highest frequency of reports of one kind. */
  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /**
   * Decides whether to report an event now. Returns the number of unreported events since the last report, or null if
   * this one is only counted.
   * @param kind one of a few words, never a peer's text
   * @param elapsedMs from a monotonic clock
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

  /** Report an event if one is due now, with these fields and the number of unreported events since the last report. */
  tell(kind: string, elapsedMs: number, fields: TellableFields, tell: (fields: TellableFields) => void): void {
    const unsaidBefore = this.due(kind, elapsedMs);
    if (unsaidBefore !== null) tell(unsaidBefore === 0 ? fields : { ...fields, unsaidBefore });
  }
}
