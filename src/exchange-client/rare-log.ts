// What comes again and again, as frames of a stream that nobody understands, or refusals for the rate: as lines of the log
// thousands in a minute would fill the disk that the journal needs, as alarms they would bury all others.

import type { ResolvedOptions } from './options.ts';

/** One kind is said this often at most. */
const INTERVAL_MS = 60_000;

type Log = ResolvedOptions['log'];

export class RareLog {
  readonly #options: Pick<ResolvedOptions, 'log' | 'elapsedMs'>;
  readonly #kinds = new Map<string, { saidAt: number; unsaid: number }>();

  constructor(options: Pick<ResolvedOptions, 'log' | 'elapsedMs'>) {
    this.#options = options;
  }

  /** Say it, or count it and say how many there were with the next one. `kind`: one of a few words, never a peer's text. */
  say(kind: string, level: Parameters<Log>[0], text: string, fields: Parameters<Log>[2]): void {
    const unsaid = this.due(kind);
    if (unsaid === null) return;
    this.#options.log(level, text, unsaid === 0 ? fields : { ...fields, unsaidBefore: unsaid });
  }

  /** Whether a kind is to be said now: how many were not since it last was, else null, and this one is counted. */
  due(kind: string): number | null {
    const now = this.#options.elapsedMs();
    const known = this.#kinds.get(kind);
    if (known !== undefined && now - known.saidAt < INTERVAL_MS) {
      known.unsaid++;
      return null;
    }
    this.#kinds.set(kind, { saidAt: now, unsaid: 0 });
    return known?.unsaid ?? 0;
  }
}
