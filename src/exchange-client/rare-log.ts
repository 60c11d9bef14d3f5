// Lines of the log about what comes again and again, as frames of a stream that nobody understands: thousands in a minute would
// fill the disk that the journal needs. Leaves what is an alarm to whoever raises it.

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
    const { log, elapsedMs } = this.#options;
    const now = elapsedMs();
    const known = this.#kinds.get(kind);
    if (known !== undefined && now - known.saidAt < INTERVAL_MS) {
      known.unsaid++;
      return;
    }
    const unsaid = known?.unsaid ?? 0;
    this.#kinds.set(kind, { saidAt: now, unsaid: 0 });
    log(level, text, unsaid === 0 ? fields : { ...fields, unsaidBefore: unsaid });
  }
}
