// The embedded journal: append-only segments in one directory, one write per turn, one sync for everyone who waits.
// Leaves opening to open-journal.ts, the layout to segment.ts, the live file to live-segment.ts, room in it to segment-room.ts,
// reading to journal-reader.ts, what is wrong with a failing disk to disk-trouble.ts.
//
// Frames are kept (unsynced-frames.ts) until a sync succeeded, because after a failed one nothing written since the last good
// one can be trusted (rule J2): the segment is abandoned there, and the same frames go, under the same numbers, to the next.

import { assert } from '../base/assert.ts';
import type { CrossgateError } from '../base/errors.ts';
import type { EpochMs } from '../base/time.ts';
import type { OutboundMessage, SessionID } from '../session/mod.ts';
import type { HandedSegment } from './digest-fold.ts';
import type { Disk } from './disk.ts';
import { DiskTrouble } from './disk-trouble.ts';
import type { EndedOrderFiles } from './ended-orders.ts';
import { FrameBatch } from './frame-batch.ts';
import {
  type EmbeddedJournalOptions,
  isDiskFull,
  SNAPSHOT_BYTES_DEFAULT,
  sizeOf,
  writeFailed,
} from './journal-options.ts';
import { readJournal } from './journal-reader.ts';
import { LiveSegment, type Size } from './live-segment.ts';
import type { JournalLock } from './lock.ts';
import type { OutboundIndex } from './outbound-index.ts';
import { loadMessages } from './outbound-loader.ts';
import type { Journal, JournalEntry, JournalRecord, RecoveredJournal } from './port.ts';
import { orderPlaces, type Recovery } from './recovery.ts';
import { SEGMENT_HEADER_BYTES } from './segment.ts';
import { SegmentRoom } from './segment-room.ts';
import { type FoundSegments, Snapshots } from './snapshots.ts';
import { SpareSegment } from './spare-segment.ts';
import { SyncMode } from './sync-mode.ts';
import { UnsyncedFrames } from './unsynced-frames.ts';
import type { Witness } from './witness.ts';

/** Written but unsynced bytes at which the journal syncs by itself: bounds what is kept here at durability `process`. */
const UNSYNCED_BYTES_SOFT = 4_194_304;
const SYNC_ATTEMPTS = 2;
/** A disk that takes longer for one sync is in trouble. What it was given it still has: nobody can take that back. */
const SYNC_MS_MAX = 5_000;

/** The journal of one directory, live. `openJournal` makes it. */
export class EmbeddedJournal implements Journal {
  readonly recovered: RecoveredJournal;
  readonly location: string;
  readonly syncMsMax = SYNC_MS_MAX;
  readonly #options: EmbeddedJournalOptions;
  readonly #size: Size;
  readonly #disk: Disk;
  readonly #index: OutboundIndex;
  readonly endedOrders: EndedOrderFiles;
  readonly #snapshots: Snapshots;
  readonly #spare: SpareSegment;
  readonly #syncMode: SyncMode;
  readonly #trouble: DiskTrouble;
  readonly #room: SegmentRoom;
  readonly #witness: Witness;
  readonly #lock: JournalLock;
  #live: LiveSegment;
  #nextFrame: number;
  readonly #frames = new UnsyncedFrames();
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  /** A sync of the live segment is under way in the operating system: it may not be left now. */
  #syncing = false;
  /** Segments that are left are cut to their size until then. */
  #finishing: Promise<unknown> = Promise.resolve();
  #framesSinceSeal = 0;
  #closed = false;

  constructor(
    options: EmbeddedJournalOptions,
    disk: Disk,
    recovered: RecoveredJournal,
    { index, ended }: Pick<Recovery, 'index' | 'ended'>,
    live: LiveSegment,
    nextFrame: number,
    found: FoundSegments,
    lock: JournalLock,
    witness: Witness,
  ) {
    this.#options = options;
    this.#size = sizeOf(options);
    this.#disk = disk;
    this.recovered = recovered;
    this.location = options.directory;
    this.#index = index;
    this.endedOrders = ended;
    this.#live = live;
    this.#nextFrame = nextFrame;
    this.#lock = lock;
    this.#spare = new SpareSegment(disk, options.directory, this.#size.segmentBytes);
    this.#syncMode = new SyncMode(options.onTheSpotBytesMax);
    const { log, onHealth } = options;
    this.#trouble = new DiskTrouble({ location: this.location, log, onHealth, retry: () => this.#retry() });
    this.#room = new SegmentRoom(this.#size, this.#spare, this.#trouble);
    this.#witness = witness;
    this.#snapshots = new Snapshots(
      {
        directory: options.directory,
        everyBytes: options.snapshotBytes ?? SNAPSHOT_BYTES_DEFAULT,
        retentionDays: options.retentionDays ?? null,
        now: options.now,
        log: options.log,
        adopt: ({ start, outbound, keys }) => {
          index.adopt(outbound, start.segment);
          ended.adopt(keys, start.segment);
        },
      },
      live.segment - 1,
      found,
    );
  }

  append(records: readonly JournalRecord[], at: EpochMs): void {
    assert(!this.#closed, 'nothing is appended to a closed journal');
    const { open } = this.#frames;
    const ended = open.ended.length;
    open.add(records, at, this.#nextFrame, this.#live);
    for (let k = ended; k < open.ended.length; k++) {
      this.endedOrders.appended(open.ended[k]!);
    }
    this.#nextFrame++;
    this.#framesSinceSeal++;
  }

  write(): void {
    this.#mustBeOurs();
    if (this.#trouble.abandonedFor !== null) this.#moveOn();
    const { open, unwrittenBytes } = this.#frames;
    if (unwrittenBytes === 0) return;
    this.#room.reserve(this.#live, unwrittenBytes);
    const start = this.#live.position;
    try {
      this.#live.writeBatch(open);
    } catch (error) {
      // A full disk may have room again at the same place; any other error makes the place suspect.
      if (isDiskFull(error)) this.#trouble.writeFailed = true;
      else this.#trouble.abandonedFor = error;
      throw this.#failed(error);
    }
    this.#frames.handed(this.#live, start, this.#index, this.endedOrders);
    if (this.#trouble.writeFailed) this.#trouble.written();
    if (this.#room.isUsedUp(this.#live) && !this.#syncing) this.#roll();
    // Its failure is told by `onHealth`, and by the next call.
    if (this.#frames.handedBytes > UNSYNCED_BYTES_SOFT && this.#running === null) this.#begin().catch(() => {});
  }

  syncNow(): boolean {
    if (this.#running !== null) return false;
    this.write();
    if (this.#options.durability === 'process') return true;
    const live = this.#live;
    const upTo = live.position;
    // A write that makes much to be synced begins a sync by itself.
    if (this.#running !== null || !this.#syncMode.isOnTheSpot(upTo - live.syncedUpTo)) return false;
    const count = this.#frames.close();
    if (count === 0) return true;
    const begun = performance.now();
    try {
      this.#disk.syncBlocking(live.fd);
    } catch (error) {
      this.#syncFailed(error);
      return false;
    }
    this.#syncMode.took(performance.now() - begun);
    this.#mustBeOurs();
    this.#synced(live, upTo, count);
    return true;
  }

  sync(): Promise<void> {
    if (this.#running === null) {
      try {
        this.write();
        if (this.#options.durability === 'process') return Promise.resolve();
        // A write that makes much to be synced has begun by itself.
        return this.#running ?? this.#begin();
      } catch (error) {
        return Promise.reject(error);
      }
    }
    const join = (): Promise<void> => {
      this.#next = null;
      return this.sync();
    };
    this.#next ??= this.#running.then(join, join);
    return this.#next;
  }

  placesOf(keys: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
    return orderPlaces(this.location, keys);
  }

  async loadOutbound(sessionId: SessionID, series: number, from: number, to: number): Promise<OutboundMessage[]> {
    const kept = { batches: this.#frames.all(), session: this.#live.names.numberOf(sessionId) };
    return loadMessages(this.location, this.#index, kept, sessionId, series, from, to);
  }

  async *entries(): AsyncIterable<JournalEntry> {
    this.write();
    yield* readJournal(this.location);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#trouble.stop();
    await this.#snapshots.close();
    await this.#spare.close();
    try {
      await this.#seal();
      await Promise.all([this.#finishing, this.#finish(this.#live)]);
    } finally {
      this.#witness.close();
      this.endedOrders.close();
      this.#lock.release();
    }
  }

  async #seal(): Promise<void> {
    try {
      while (this.#running !== null) await this.#running.catch(() => {});
      await this.#syncToDisk();
      if (this.#framesSinceSeal === 0) return;
      // An empty frame whose synced-up-to covers everything: from now on damage is never taken for a torn tail.
      this.#frames.open.add([], this.#options.now(), this.#nextFrame++, this.#live);
      await this.#syncToDisk();
    } catch (error) {
      this.#live.abandon();
      throw writeFailed(this.location, error);
    }
  }

  /** Resolves when no snapshot is being made. */
  snapshotsIdle(): Promise<void> {
    return this.#snapshots.idle();
  }

  #begin(): Promise<void> {
    const running = this.#syncToDisk().finally(() => {
      this.#running = null;
    });
    this.#running = running;
    return running;
  }

  async #syncToDisk(): Promise<void> {
    let failure: unknown;
    for (let attempt = 0; attempt < SYNC_ATTEMPTS; attempt++) {
      this.write();
      const live = this.#live;
      const upTo = live.position;
      const count = this.#frames.close();
      if (count === 0) return;
      this.#syncing = true;
      const begun = performance.now();
      try {
        await this.#disk.sync(live.fd);
        this.#syncMode.took(performance.now() - begun);
        this.#mustBeOurs();
        this.#synced(live, upTo, count);
        return;
      } catch (error) {
        failure = error;
        this.#syncFailed(error);
      } finally {
        this.#syncing = false;
      }
    }
    throw this.#failed(failure);
  }

  #synced(live: LiveSegment, upTo: number, count: number): void {
    live.syncedUpTo = upTo;
    this.#trouble.syncFailed = false;
    const lastFrame = this.#frames.synced(count);
    if (lastFrame !== null) this.#witness.durable(lastFrame, performance.now());
    this.#trouble.endIfOver();
  }

  /** Nothing that was written to the live segment since the last sync can be trusted (rule J2). */
  #syncFailed(error: unknown): void {
    this.#trouble.syncFailed = true;
    this.#trouble.abandonedFor = error;
    this.#trouble.began(error);
  }

  /** Begin the next segment. If that fails the present one grows on, and the next write tries again. */
  #roll(): void {
    const old = this.#live;
    try {
      const count = this.#frames.close();
      if (old.syncedUpTo < old.position) {
        try {
          this.#disk.syncBlocking(old.fd);
        } catch (error) {
          this.#syncFailed(error);
          throw error;
        }
        this.#synced(old, old.position, count);
      }
      const next = this.#createNext(old, this.#nextFrame, old.position);
      next.publish(null);
      this.#live = next;
      this.#snapshots.finished(old.segment, old.position, this.#handOver(old));
    } catch (error) {
      this.#trouble.roomFailed = true;
      this.#trouble.began(error);
      return;
    }
    this.#trouble.roomFailed = false;
    this.#finishing = Promise.all([this.#finishing, this.#finish(old)]);
    this.#trouble.endIfOver();
  }

  /** All of it is on disk already: what cannot be given back is only space. */
  #finish(old: LiveSegment): Promise<void> {
    const { log } = this.#options;
    return old.finish().catch((error) => log?.('warn', `${old.path}: not cut to its size: ${String(error)}`));
  }

  /** A finished segment in short, so that no snapshot has to read it. */
  #handOver({ segment, position, names, digest }: LiveSegment): HandedSegment | null {
    const sealed = digest?.seal(position, this.#nextFrame, names.all()) ?? null;
    return sealed === null ? null : { digest: sealed, outbound: this.#index.pages(segment) };
  }

  #createNext(old: LiveSegment, firstFrame: number, previousEnd: number): LiveSegment {
    const createdAt = this.#options.now();
    const origin = { segment: old.segment + 1, journalId: old.journalId, firstFrame, createdAt, previousEnd };
    return LiveSegment.create(this.#disk, this.location, origin, this.#size, this.#spare.take());
  }

  /** Leave a segment that failed, at the end of what is surely on disk, and encode the rest for the next one (rule J2). */
  #moveOn(): void {
    const old = this.#live;
    if (this.#syncing) throw this.#failed(this.#trouble.abandonedFor);
    const batches = this.#frames.all();
    const firstFrame = batches[0]?.firstFrame ?? this.#nextFrame;
    const moved = new FrameBatch();
    let next: LiveSegment;
    try {
      next = this.#createNext(old, firstFrame, old.syncedUpTo);
      for (const batch of batches) {
        for (const { number, at, records } of batch.decode(old.seed, old.names)) {
          moved.add(records, at, number, next);
        }
      }
      next.publish(moved);
    } catch (error) {
      throw this.#failed(error);
    }
    this.#live = next;
    this.#frames.replace(moved);
    if (moved.frames > 0) this.#frames.handed(next, SEGMENT_HEADER_BYTES, this.#index, this.endedOrders);
    this.#trouble.abandonedFor = null;
    this.#trouble.roomFailed = false;
    this.#trouble.writeFailed = false;
    old.abandon();
    this.#snapshots.finished(old.segment, old.syncedUpTo, null);
    this.#options.log?.(
      'warn',
      `${old.path}: abandoned at offset ${old.syncedUpTo} after an error of the disk; ${moved.frames} frame(s) go to ${next.path}`,
    );
  }

  /** Asked before a write, and before anything follows from one: this process may have stood still meanwhile. */
  #mustBeOurs(): void {
    if (this.#lock.isLost) throw this.#failed(new Error('another process took it over while this one stood still'));
  }

  #failed(error: unknown): CrossgateError {
    this.#trouble.began(error);
    return writeFailed(this.location, error);
  }

  #retry(): void {
    if (this.#running !== null) return;
    if (this.#frames.unwrittenBytes === 0 && this.#trouble.abandonedFor === null) {
      if (this.#room.isAtEnd(this.#live)) this.#roll();
      else this.#room.reserve(this.#live, 0);
    }
    this.#begin().catch(() => {});
  }
}
