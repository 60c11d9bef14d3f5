// When a snapshot is due, and what its maker answers: beside the live journal, in a thread of its own, one at a time.
// Leaves the thread to snapshot-thread.ts and making it to snapshot-builder.ts. A snapshot that fails costs the next start
// time, never a record.

import type { HandedSegment } from './digest-fold.ts';
import type { StoreLog } from './log.ts';
import type { SnapshotMeta } from './snapshot-file.ts';
import { SnapshotThread } from './snapshot-thread.ts';

/** Bytes of segments kept in short while no snapshot is made of them; an older one is read instead, which takes longer. */
const HANDED_BYTES_MAX = 67_108_864;

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
  /** The last segment that was finished. */
  #through: number;
  #handed: HandedSegment[] = [];
  #running: Promise<void> | null = null;
  #closed = false;

  /**
   * @param through the last segment that is finished; 0 if none is
   * @param uncovered bytes of finished segments that no snapshot covers
   */
  constructor(options: SnapshotsOptions, through: number, uncovered: number) {
    this.#options = options;
    this.#through = through;
    this.#bytes = uncovered;
    this.#look();
  }

  /** A segment was finished; `inShort` so that it need not be read. */
  finished(segment: number, bytes: number, inShort: HandedSegment | null): void {
    this.#through = segment;
    this.#bytes += bytes;
    if (inShort !== null) this.#hand(inShort);
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

  #hand(inShort: HandedSegment): void {
    this.#handed.push(inShort);
    let bytes = this.#handed.reduce((sum, { digest }) => sum + digest.bytes.byteLength, 0);
    while (bytes > HANDED_BYTES_MAX) bytes -= this.#handed.shift()!.digest.bytes.byteLength;
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
      const request = { directory, retentionDays, now: now(), through: this.#through, handed: this.#handed };
      this.#handed = [];
      const { meta, notes } = await this.#thread.make(request);
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
