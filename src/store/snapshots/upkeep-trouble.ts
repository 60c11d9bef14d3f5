// Failures of work beside the traffic of a journal. Each is a log line, and the first also a notice to its owner, until
// the work has succeeded again. A failure costs time or space, never a record.

import type { StoreLog, UpkeepListener } from '../log.ts';

export class UpkeepTrouble {
  readonly #log: StoreLog | undefined;
  readonly #onUpkeep: UpkeepListener | undefined;
  readonly #failing = new Set<string>();

  constructor({
    log,
    onUpkeep,
  }: { readonly log: StoreLog | undefined; readonly onUpkeep: UpkeepListener | undefined }) {
    this.#log = log;
    this.#onUpkeep = onUpkeep;
  }

  failed(what: string, text: string): void {
    this.#log?.('warn', text);
    if (this.#failing.has(what)) return;
    this.#failing.add(what);
    this.#onUpkeep?.(text);
  }

  worked(what: string): void {
    this.#failing.delete(what);
  }
}
