// Decides when a snapshot of a journal in PostgreSQL is due, and handles its result. snapshot-thread.ts has the thread,
// snapshot.ts makes it. A failure costs the next start time, never a record.

import type { StoreLog, UpkeepListener } from '../log.ts';
import type { OutboundRows } from '../snapshots/state-bytes.ts';
import { UpkeepTrouble } from '../snapshots/upkeep-trouble.ts';
import { DATABASE_REMEDY, reasonOf } from './pools.ts';
import type { PostgresSnapshotRequest } from './snapshot.ts';
import { makePostgresSnapshot, type PostgresSnapshot } from './snapshot-thread.ts';

export interface PostgresSnapshotsOptions {
  /** Bytes of rows after which one is made. */
  readonly everyBytes: number;
  /** Take over one that covers the rows up to this one. */
  readonly adopt: (block: number, outboundRows: OutboundRows) => void;
  readonly log: StoreLog | undefined;
  readonly onUpkeep: UpkeepListener | undefined;
}

export class PostgresSnapshots {
  readonly #request: Omit<PostgresSnapshotRequest, 'through'>;
  readonly #options: PostgresSnapshotsOptions;
  readonly #trouble: UpkeepTrouble;
  /** Bytes in the database that none covers. */
  #uncovered = 0;
  #running: Promise<void> | null = null;
  #making: PostgresSnapshot | null = null;
  #closed = false;

  constructor(request: Omit<PostgresSnapshotRequest, 'through'>, options: PostgresSnapshotsOptions) {
    this.#request = request;
    this.#options = options;
    this.#trouble = new UpkeepTrouble(options);
  }

  /** So many more bytes are in the database, the last of them in this row. */
  written(bytes: number, block: number): void {
    this.#uncovered += bytes;
    if (this.#closed || this.#running !== null || this.#uncovered < this.#options.everyBytes) return;
    const before = this.#uncovered;
    this.#running = this.#make(block)
      // The next start reads more rows. It is tried again when as much more was written.
      .catch((error: unknown) => {
        if (this.#closed) return;
        const { where } = this.#request;
        const until = 'the next start reads more rows until one is: it is tried again after as much traffic';
        const text = `the journal ${where}: no snapshot could be made; ${until}. ${DATABASE_REMEDY}: ${reasonOf(error)}`;
        this.#trouble.failed('snapshot', text);
      })
      .finally(() => {
        this.#uncovered -= before;
        this.#running = null;
      });
  }

  get isBusy(): boolean {
    return this.#running !== null;
  }

  /** Resolves when none is being made. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  /** Give up the one that is being made: the next start makes it, and a database that does not answer would be waited for. */
  async close(): Promise<void> {
    this.#closed = true;
    if ((await this.#making?.abandon()) !== false) await this.idle();
  }

  async #make(through: number): Promise<void> {
    const snapshot = makePostgresSnapshot({ ...this.#request, through });
    this.#making = snapshot;
    const { block, outboundRows, notes } = await snapshot.made;
    this.#trouble.worked('snapshot');
    for (const note of notes) this.#options.log?.('warn', note);
    if (block === null || this.#closed) return;
    this.#options.adopt(block, outboundRows);
  }
}
