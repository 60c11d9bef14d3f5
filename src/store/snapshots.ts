// When a snapshot is due, and what its maker answers: beside the live journal, in a thread of its own, one at a time.
// Leaves the thread to snapshot-thread.ts and making it to snapshot-builder.ts. A snapshot that fails costs the next start
// time, never a record.

import type { StoreLog } from './log.ts';
import type { SnapshotMeta } from './snapshot-file.ts';
import { SnapshotThread } from './snapshot-thread.ts';

export interface SnapshotsOptions {
  readonly directory: string;
  /** Bytes of finished segments after which the next snapshot is due. */
  readonly everyBytes: number;
  readonly retentionDays: number | null;
  readonly now: () => number;
  readonly log: StoreLog | undefined;
  /** Take over a snapshot that is on disk. */
  readonly adopt: (meta: SnapshotMeta) => void;
}

export class Snapshots {
  readonly #options: SnapshotsOptions;
  readonly #thread = new SnapshotThread();
  #bytes: number;
  #running: Promise<void> | null = null;
  #closed = false;

  /** @param uncovered bytes of finished segments that no snapshot covers */
  constructor(options: SnapshotsOptions, uncovered: number) {
    this.#options = options;
    this.#bytes = uncovered;
    this.#look();
  }

  /** A segment was finished. */
  finished(bytes: number): void {
    this.#bytes += bytes;
    this.#look();
  }

  /** Let the one under way finish; none begins after that. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
    await this.#thread.close();
  }

  /** Resolves when none is under way. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  #look(): void {
    if (this.#closed || this.#running !== null || this.#bytes < this.#options.everyBytes) return;
    this.#bytes = 0;
    this.#running = this.#run().finally(() => {
      this.#running = null;
      this.#look();
    });
  }

  async #run(): Promise<void> {
    const { directory, retentionDays, now, log, adopt } = this.#options;
    try {
      const { meta, notes } = await this.#thread.make({ directory, retentionDays, now: now() });
      for (const note of notes) log?.('warn', note);
      if (meta !== null) adopt(meta);
    } catch (error) {
      log?.(
        'warn',
        `${directory}: no snapshot could be made; the next start reads more of the journal: ${String(error)}`,
      );
    }
  }
}
