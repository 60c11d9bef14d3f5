// Origins (origin.ts) of counterparties and callers that have proved themselves. When room is short, connections of these
// origins make way after those of strangers. The set is bounded; it forgets the oldest proof first.

import { AgedSet } from '../collections/aged-set.ts';

const REMEMBERED_MAX = 10_000;

export class KnownOrigins {
  readonly #origins = new AgedSet<string>();
  readonly #max: number;

  constructor(max = REMEMBERED_MAX) {
    this.#max = max;
  }

  has(origin: string): boolean {
    return this.#origins.has(origin);
  }

  /** Note a proof from this origin. @returns true if the origin is new */
  add(origin: string): boolean {
    const isNew = this.#origins.add(origin);
    if (this.#origins.size > this.#max) this.#origins.takeOldest();
    return isNew;
  }
}
