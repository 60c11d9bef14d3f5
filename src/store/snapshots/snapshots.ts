// Decides when a snapshot is due, and handles its maker's answers: beside the live journal, in a thread, one at a time.
// While none is due, segments get their ids for searches, and those that no start needs go to the archive, one by one. snapshot-thread.ts has the thread,
// snapshot-builder.ts makes a snapshot, archive.ts has the archive. A failure costs the next start time, or space,
// never a record.

import type { StoreLog, UpkeepListener } from '../log.ts';
import { archiveDirectory } from './archive-files.ts';
import type { Archivable } from './snapshot-builder.ts';
import type { SnapshotMeta } from './snapshot-file.ts';
import { SnapshotThread } from './snapshot-thread.ts';
import { UpkeepTrouble } from './upkeep-trouble.ts';

/** Segments waiting for the archive from which one of them goes before a snapshot that is due: 2 GiB of the usual size. */
const ARCHIVABLE_MAX = 32;
/** Finished segments found at a start from which it is worth looking whether some of them wait for the archive. */
const FOUND_SEGMENTS_MIN = 8;

/** Advice for either failure. */
const REMEDY =
  'Make room, or give the rights that are missing; of anything else `crossgate store verify` may tell more';

/** Finished segments that a start finds. */
export interface FoundSegments {
  readonly count: number;
  /** Bytes of those that no snapshot covers. */
  readonly uncoveredBytes: number;
}

export interface SnapshotsOptions {
  readonly directory: string;
  /** Bytes of finished segments after which the next snapshot is due. */
  readonly everyBytes: number;
  readonly retentionDays: number | null;
  readonly now: () => number;
  readonly log: StoreLog | undefined;
  readonly onUpkeep: UpkeepListener | undefined;
  /** Take over a snapshot that is on disk. */
  readonly adopt: (meta: SnapshotMeta) => void;
}

export class Snapshots {
  readonly #options: SnapshotsOptions;
  readonly #thread: Pick<SnapshotThread, 'make' | 'archive' | 'ids' | 'close'>;
  readonly #trouble: UpkeepTrouble;
  #bytes: number;
  /** The last segment that was finished. */
  #through: number;
  /** Segments that wait for the archive; with none left to move, expired ones may still be deleted. */
  #archivable: Archivable | null = null;
  #archivedLast = false;
  /** A finished segment may have no ids. */
  #lacksIds: boolean;
  #running: Promise<void> | null = null;
  #closed = false;

  /**
   * @param through the last segment that is finished; 0 if none is
   * @param found segments that were finished before
   */
  constructor(
    options: SnapshotsOptions,
    through: number,
    found: FoundSegments,
    thread: Pick<SnapshotThread, 'make' | 'archive' | 'ids' | 'close'> = new SnapshotThread(),
  ) {
    this.#options = options;
    this.#thread = thread;
    this.#trouble = new UpkeepTrouble(options);
    this.#through = through;
    this.#bytes = found.uncoveredBytes;
    this.#lacksIds = found.count > 0;
    // A process that ended in a burst had better things to do.
    if (found.count >= FOUND_SEGMENTS_MIN) this.#archivable = { before: null, left: 0 };
    this.#look();
  }

  /** A segment was finished. */
  finished(segment: number, bytes: number): void {
    this.#through = segment;
    this.#bytes += bytes;
    this.#lacksIds = true;
    this.#look();
  }

  /** Let what is under way finish; nothing begins after that. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
    await this.#thread.close();
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  #look(): void {
    if (this.#closed || this.#running !== null) return;
    const next = this.#next();
    if (next === null) return;
    this.#running = next.finally(() => {
      this.#running = null;
      this.#look();
    });
  }

  /** Begin what is to be done now: the snapshot, if one is due, unless too much waits for the archive. */
  #next(): Promise<void> | null {
    const archivable = this.#archivable;
    const isDue = this.#bytes >= this.#options.everyBytes;
    const isFull = archivable !== null && archivable.left > ARCHIVABLE_MAX && !this.#archivedLast;
    // Before they are packed, they are read at a third of the cost.
    if (this.#lacksIds && !isDue && !isFull) return this.#makeIds();
    if (archivable !== null && (!isDue || isFull)) {
      this.#archivedLast = true;
      return this.#archive(archivable.before);
    }
    if (!isDue) return null;
    this.#archivedLast = false;
    this.#bytes = 0;
    return this.#run();
  }

  async #archive(from: Archivable['before']): Promise<void> {
    const { directory, retentionDays, now, log } = this.#options;
    this.#archivable = null;
    try {
      const request = { directory, retentionDays, now: now(), before: from };
      const { before, left, notes } = await this.#thread.archive(request);
      this.#trouble.worked('archive');
      for (const note of notes) log?.('warn', note);
      if (left > 0) this.#archivable = { before, left };
    } catch (error) {
      // A folder that may be on a disk of its own.
      const folder = archiveDirectory(directory);
      const text = `${folder}: no segment could be archived; the next snapshot tries again. ${REMEDY}: ${reasonOf(error)}`;
      this.#trouble.failed('archive', text);
    }
  }

  /** Of one segment. Without them a search reads it: no operator need know of a failure. */
  async #makeIds(): Promise<void> {
    const { directory, log } = this.#options;
    this.#lacksIds = false;
    try {
      const { left } = await this.#thread.ids(directory);
      this.#lacksIds ||= left > 0;
    } catch (error) {
      log?.(
        'warn',
        `${directory}: the ids of a segment could not be made, and searches take longer: ${reasonOf(error)}`,
      );
    }
  }

  async #run(): Promise<void> {
    const { directory, log, adopt } = this.#options;
    try {
      const request = { directory, through: this.#through };
      const { meta, archivable, notes } = await this.#thread.make(request);
      this.#trouble.worked('snapshot');
      for (const note of notes) log?.('warn', note);
      if (meta === null) return;
      adopt(meta);
      this.#archivable = archivable;
    } catch (error) {
      const until = 'and no file of it goes to the archive, until one is: it is tried again after as much traffic';
      const text = `${directory}: no snapshot could be made; the next start reads more of the journal, ${until}. ${REMEDY}: ${reasonOf(error)}`;
      this.#trouble.failed('snapshot', text);
    }
  }
}

/** The reason that the thread gave, or the fate of the thread. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
