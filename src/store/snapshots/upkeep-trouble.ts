// What fails that is done beside the traffic of a journal: each time a line of the log, and the first time a word to its owner,
// until it has worked again. It costs time or room, never a record.

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
