// Which days of the long campaign held so far, kept in a file from one run to the next: what was simulated by which commit,
// and how often each fault struck in all of it. A day that failed is not in it and comes again. Runs nothing itself.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { addTally, newTally, type Tally } from './tally.ts';

/** Days that held, `from` and `to` included. */
export interface Held {
  from: number;
  to: number;
  /** Short commit id; with a `+` behind it if files of src or test/simulation were changed since. */
  readonly commit: string;
}

export class CampaignRecord {
  readonly #path: string;
  readonly #held: Held[];
  readonly tally: Tally;

  /** Open the record at this path; a missing file is an empty record. @throws Error if the file is none */
  constructor(path: string) {
    this.#path = path;
    const kept = existsSync(path)
      ? (JSON.parse(readFileSync(path, 'utf8')) as { held: Held[]; tally: Tally })
      : { held: [], tally: newTally() };
    this.#held = kept.held;
    this.tally = newTally();
    addTally(this.tally, kept.tally);
  }

  /** Days that held. */
  get count(): number {
    return this.#held.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  }

  /** Days that held, by commit. */
  get byCommit(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { from, to, commit } of this.#held) counts.set(commit, (counts.get(commit) ?? 0) + to - from + 1);
    return counts;
  }

  has(seed: number): boolean {
    return this.#held.some(({ from, to }) => seed >= from && seed <= to);
  }

  /** Take days from `from` on, all but those that failed; their tally is of all of them. */
  add(from: number, count: number, commit: string, failed: ReadonlySet<number>, tally: Tally): void {
    for (let seed = from; seed < from + count; seed++) {
      if (failed.has(seed) || this.has(seed)) continue;
      const before = this.#held.find((held) => held.to === seed - 1 && held.commit === commit);
      if (before === undefined) this.#held.push({ from: seed, to: seed, commit });
      else before.to = seed;
    }
    this.#held.sort((a, b) => a.from - b.from);
    for (let i = this.#held.length - 1; i > 0; i--) {
      const [before, after] = [this.#held[i - 1]!, this.#held[i]!];
      if (before.to + 1 !== after.from || before.commit !== after.commit) continue;
      before.to = after.to;
      this.#held.splice(i, 1);
    }
    addTally(this.tally, tally);
    const text = JSON.stringify({ held: this.#held, tally: this.tally }, null, 2);
    writeFileSync(`${this.#path}.new`, `${text}\n`);
    renameSync(`${this.#path}.new`, this.#path);
  }
}
