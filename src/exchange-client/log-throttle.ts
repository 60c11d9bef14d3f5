// Throttles log lines of an exchange client about recurring events, such as unreadable stream frames.

import { Seldom } from '../base/seldom.ts';
import type { ResolvedOptions } from './options.ts';

/** One kind is said this often at most. */
const INTERVAL_MS = 60_000;

type Log = ResolvedOptions['log'];

export class RareLog {
  readonly #options: Pick<ResolvedOptions, 'log' | 'elapsedMs'>;
  readonly #seldom = new Seldom(INTERVAL_MS);

  constructor(options: Pick<ResolvedOptions, 'log' | 'elapsedMs'>) {
    this.#options = options;
  }

  /** Say it, or count it and say how many there were with the next one. `kind`: one of a few words, never a peer's text. */
  say(kind: string, level: Parameters<Log>[0], text: string, fields: Parameters<Log>[2]): void {
    const { log, elapsedMs } = this.#options;
    this.#seldom.tell(kind, elapsedMs(), fields, (told) => log(level, text, told));
  }

  /** Whether a kind is to be said now: how many were not since it last was, else null, and this one is counted. */
  due(kind: string): number | null {
    return this.#seldom.due(kind, this.#options.elapsedMs());
  }
}
