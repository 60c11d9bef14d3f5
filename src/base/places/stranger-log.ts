// The log budget of strangers: one line per origin (origin.ts) and minute, then the number of lines left out. A stranger could
// otherwise fill the disk that the journal needs, and hide other lines. A configured session has a line of its own, so that
// one engine with a wrong password does not hide the reason of another behind the same address.

import { originOf } from './origin.ts';

const MINUTE_MS = 60_000;
/** Origins and sessions with a line of their own within a minute; further ones share one. */
const LINES_MAX = 500;
const OTHERS = 'other addresses';

type Fields = Readonly<Record<string, unknown>>;

export interface StrangerLogOptions {
  readonly log: (level: 'warn' | 'error', text: string, fields: Fields) => void;
  /** A monotonic clock. */
  readonly elapsedMs: () => number;
  /** Run something after a time, without keeping the process alive. */
  readonly later: (run: () => void, ms: number) => void;
}

interface Budget {
  readonly since: number;
  /** The words for its count line. */
  readonly about: string;
  leftOut: number;
}

export interface StrangerLine {
  readonly address: string;
  readonly text: string;
  readonly fields: Fields;
  /** The configured session that it is about; never a name that only the stranger knows. */
  readonly session?: string | null;
  readonly level?: 'warn' | 'error';
}

export class StrangerLog {
  readonly #options: StrangerLogOptions;
  /** The oldest first. */
  readonly #budgets = new Map<string, Budget>();
  #isDue = false;

  constructor(options: StrangerLogOptions) {
    this.#options = options;
  }

  /** Log a line, or count it. */
  say({ address, text, fields, session = null, level = 'warn' }: StrangerLine): void {
    this.#countOver();
    const origin = originOf(address);
    const own = session === null ? origin : `${origin} ${session}`;
    const key = this.#budgets.has(own) || this.#budgets.size < LINES_MAX ? own : OTHERS;
    const budget = this.#budgets.get(key);
    if (budget !== undefined) {
      budget.leftOut++;
      this.#countLater();
      return;
    }
    const about = key === OTHERS ? OTHERS : session === null ? origin : `${origin} for ${session}`;
    this.#budgets.set(key, { since: this.#options.elapsedMs(), about, leftOut: 0 });
    this.#options.log(level, text, fields);
  }

  /** Log the counts of minutes that are over. */
  #countOver(): void {
    const now = this.#options.elapsedMs();
    for (const [key, { since, about, leftOut }] of this.#budgets) {
      if (now - since < MINUTE_MS) return;
      this.#budgets.delete(key);
      if (leftOut === 0) continue;
      this.#options.log('warn', `${leftOut} more of connections from ${about} within a minute were left out`, {
        leftOut,
      });
    }
  }

  #countLater(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#options.later(() => {
      this.#isDue = false;
      this.#countOver();
      if ([...this.#budgets.values()].some(({ leftOut }) => leftOut > 0)) this.#countLater();
    }, MINUTE_MS);
  }
}
