// The embedded journal: append-only segments in one directory, one write per turn, one sync for all waiting callers.
// Records that wait for a sync are written by the thread that syncs, which may hang with its disk; records that wait
// for a write only are written here. open-journal.ts opens it, segment.ts has the layout, live-segment.ts the live
// file, segment-room.ts its free space. journal-reader.ts reads, disk-health.ts tracks a failing disk, disk-thread.ts
// is the thread.
//
// Frames are kept (unsynced-frames.ts) until a sync succeeds. After a failed sync, everything since the last good one
// is in doubt (rule J2): the segment is abandoned there, and the same frames go, under the same numbers, to the next.

import { assert } from '../../base/assert.ts';
import { isDiskFull } from '../../base/disk-full.ts';
import type { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import type { OutboundMessage, SessionID } from '../../session/mod.ts';
import type { Disk } from '../disk/disk.ts';
import { DiskTrouble } from '../disk/disk-health.ts';
import { DurableJobs } from '../disk/disk-thread.ts';
import type { EndedOrderFiles } from '../index/ended-orders.ts';
import type { OutboundIndex } from '../index/outbound-index.ts';
import { loadMessages } from '../index/outbound-loader.ts';
import type { Journal, JournalEntry, JournalRecord, RecoveredJournal } from '../port.ts';
import { readJournal } from '../segments/journal-reader.ts';
import { SEGMENT_HEADER_BYTES } from '../segments/segment.ts';
import { orderPlaces, type Recovery } from '../snapshots/recovery.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import { withUnrecorded } from '../unrecorded.ts';
import type { Witness } from './durability-witness.ts';
import { type EmbeddedJournalOptions, sizeOf, writeFailed } from './journal-options.ts';
import type { LiveSegment } from './live-segment.ts';
import type { JournalLock } from './lock.ts';
import { SpareSegment } from './next-segment.ts';
import { SegmentRoom } from './segment-room.ts';
import { SegmentSuccession } from './segment-succession.ts';
import { ON_THE_SPOT_WAIT_MS, SyncMode } from './sync-mode.ts';
import { type LeavingFrames, UnsyncedFrames } from './unsynced-frames.ts';

/** Written but unsynced bytes at which the journal syncs by itself: bounds what is kept here at durability `process`. */
const UNSYNCED_BYTES_SOFT = 4_194_304;
const SYNC_ATTEMPTS = 2;
/**
 * A disk that takes longer for one sync is in trouble. It keeps the data it was given; there is no way to take that
 * back.
 */
const SYNC_MS_MAX = 5_000;
/** A write beside a sync that takes so long might not return. */
const SLOW_MS = 100;
/** The thread comes to its bytes within microseconds, if at all. */
const WRITTEN_WAIT_MS = 1;

/** Options of an opened directory, and the lock that holds it. */
interface JournalParts extends Pick<Recovery, 'index' | 'ended'> {
  readonly options: EmbeddedJournalOptions;
  readonly disk: Disk;
  readonly recovered: RecoveredJournal;
  readonly live: LiveSegment;
  readonly nextFrame: number;
  readonly snapshots: Snapshots;
  readonly lock: JournalLock;
  readonly witness: Witness;
}

/** The journal of one directory, live. `openJournal` makes it. */
export class EmbeddedJournal implements Journal {
  readonly recovered: RecoveredJournal;
  readonly location: string;
  readonly syncMsMax = SYNC_MS_MAX;
  readonly #options: EmbeddedJournalOptions;
  readonly #disk: Disk;
  readonly #index: OutboundIndex;
  readonly endedOrders: EndedOrderFiles;
  readonly #snapshots: Snapshots;
  readonly #spare: SpareSegment;
  readonly #succession: SegmentSuccession;
  readonly #syncMode: SyncMode;
  readonly #trouble: DiskTrouble;
  readonly #room: SegmentRoom;
  readonly #witness: Witness;
  readonly #lock: JournalLock;
  readonly #jobs: DurableJobs;
  #live: LiveSegment;
  #nextFrame: number;
  readonly #frames = new UnsyncedFrames();
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  /** Bytes being written and synced: their segment may not be closed now. */
  #leaving: LeavingFrames | null = null;
  #framesSinceSeal = 0;
  #closed = false;

  constructor({ options, disk, recovered, index, ended, live, nextFrame, snapshots, lock, witness }: JournalParts) {
    this.#options = options;
    const size = sizeOf(options);
    this.#disk = disk;
    this.recovered = recovered;
    this.location = options.directory;
    this.#index = index;
    this.endedOrders = ended;
    this.#live = live;
    this.#nextFrame = nextFrame;
    this.#lock = lock;
    this.#spare = new SpareSegment(disk, options.directory, size.segmentBytes);
    this.#syncMode = new SyncMode(options.onTheSpotBytesMax);
    const { directory, now, log, onHealth } = options;
    this.#trouble = new DiskTrouble({ location: this.location, log, onHealth, retry: () => this.#retry() });
    this.#room = new SegmentRoom(size, this.#spare, this.#trouble);
    this.#witness = witness;
    this.#snapshots = snapshots;
    const following = { directory, disk, size, spare: this.#spare, snapshots, index, now, log };
    this.#succession = new SegmentSuccession(following);
    this.#jobs = new DurableJobs(disk, options.durability !== 'process', log);
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

  canWrite(): boolean {
    if (this.#leaving === null) return true;
    return performance.now() - this.#leaving.begun < SLOW_MS && this.#hasNoGap();
  }

  /** Behind a gap a record could not be read back, and the zeros behind what the thread writes would cover it. */
  #hasNoGap(): boolean {
    return this.#leaving === null || this.#leaving.job.waitWritten(WRITTEN_WAIT_MS);
  }

  write(): void {
    this.#hand();
    // `onHealth` reports its failure, and so does the next call.
    if (this.#frames.handedBytes > UNSYNCED_BYTES_SOFT && this.#running === null) this.#begin().catch(() => {});
  }

  /** Write what is not written yet, here. @throws XG_JOURNAL_WRITE_FAILED */
  #hand(): void {
    this.#mustBeOurs();
    if (this.#trouble.abandonedFor !== null) this.#moveOn();
    const { open, unwrittenBytes } = this.#frames;
    if (unwrittenBytes === 0) return;
    if (!this.#hasNoGap()) throw writeFailed(this.location, new Error('the disk does not take earlier records'));
    this.#room.reserve(this.#live, unwrittenBytes);
    const start = this.#live.position;
    try {
      this.#live.writeBatch(open);
    } catch (error) {
      // A full disk may have room again at the same place; any other error makes the place suspect.
      const isFull = isDiskFull(error);
      if (isFull && !this.#spare.isReady) this.#trouble.writeFailed = true;
      else this.#trouble.abandonedFor = error;
      if (!isFull || !this.#spare.isReady || this.#leaving !== null) throw this.#failed(error);
      // The next segment has its room already.
      this.#moveOn();
      return;
    }
    this.#frames.handed(this.#live, start, this.#index, this.endedOrders);
    this.endedOrders.written();
    if (this.#trouble.writeFailed) this.#trouble.written();
    this.#rollIfUsedUp();
  }

  syncNow(): boolean {
    if (this.#running !== null) return false;
    if (this.#options.durability === 'process') {
      this.write();
      return true;
    }
    const { position, syncedUpTo } = this.#live;
    if (!this.#syncMode.isOnTheSpot(position + this.#frames.unwrittenBytes - syncedUpTo)) return false;
    const leaving = this.#leave();
    if (leaving === null) return true;
    try {
      if (!leaving.job.wait(ON_THE_SPOT_WAIT_MS)) {
        // Waiting callers ask for a sync next.
        this.#begin(leaving).catch(() => {});
        return false;
      }
    } catch (error) {
      this.#syncFailed(error);
      return false;
    }
    this.#arrived(leaving);
    return true;
  }

  sync(): Promise<void> {
    if (this.#running === null) {
      if (this.#options.durability !== 'process') return this.#begin();
      try {
        this.write();
        return Promise.resolve();
      } catch (error) {
        return Promise.reject(error);
      }
    }
    // Nothing came since it began.
    if (this.#frames.batches === (this.#leaving?.count ?? 0)) return this.#running;
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
    const files = { directory: this.location, journalId: this.#live.journalId };
    return loadMessages(files, this.#index, kept, { sessionId, series, from, to });
  }

  async *entries(): AsyncIterable<JournalEntry> {
    // The thread's bytes are not in the file yet, and more may follow them.
    while (!this.#hasNoGap()) await this.#running?.catch(() => {});
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
      this.#succession.finish(this.#live);
      await this.#succession.finished();
    } finally {
      await this.#jobs.close();
      this.#witness.close();
      this.endedOrders.close();
      this.#lock.release();
    }
  }

  async #seal(): Promise<void> {
    try {
      while (this.#running !== null) await this.#running.catch(() => {});
      await this.#begin();
      if (this.#framesSinceSeal === 0) return;
      // An empty frame with a synced-up-to that covers everything: from now on damage never counts as a torn tail.
      this.#frames.open.add([], this.#options.now(), this.#nextFrame++, this.#live);
      await this.#begin();
    } catch (error) {
      const { seed, names } = this.#live;
      const frames = this.#frames.all().flatMap((batch) => [...batch.decode(seed, names)]);
      this.#live.abandon();
      throw withUnrecorded(writeFailed(this.location, error), frames);
    }
  }

  /** Resolves when no snapshot is being made. */
  snapshotsIdle(): Promise<void> {
    return this.#snapshots.idle();
  }

  #begin(leaving: LeavingFrames | null = null): Promise<void> {
    const running = this.#syncToDisk(leaving).finally(() => {
      this.#running = null;
    });
    this.#running = running;
    return running;
  }

  async #syncToDisk(begun: LeavingFrames | null = null): Promise<void> {
    let failure: unknown;
    for (let attempt = 0; attempt < SYNC_ATTEMPTS; attempt++) {
      const leaving = (attempt === 0 ? begun : null) ?? this.#leave();
      if (leaving === null) return;
      try {
        await leaving.job.ended();
        this.#arrived(leaving);
        return;
      } catch (error) {
        failure = error;
        this.#syncFailed(error);
      }
    }
    throw this.#failed(failure);
  }

  /** Have everything that is not on disk written and synced. Null if there is nothing. @throws XG_JOURNAL_WRITE_FAILED */
  #leave(): LeavingFrames | null {
    const start = this.#live.position;
    const length = this.#stage();
    if (length === 0) this.#hand();
    // A segment that was full was synced there, in vain.
    if (this.#trouble.abandonedFor !== null) this.#moveOn();
    const live = this.#live;
    const count = this.#frames.close();
    if (count === 0) return null;
    const job = this.#jobs.begin(live.fd, length, start);
    this.#leaving = { live, upTo: live.position, count, begun: performance.now(), job };
    return this.#leaving;
  }

  /** Lay what is not written yet where the thread takes it; the bytes of it, 0 if it is to be written here. */
  #stage(): number {
    const { bytes } = this.#jobs;
    const { open, unwrittenBytes } = this.#frames;
    if (unwrittenBytes === 0 || bytes === null || this.#trouble.reason !== null) return 0;
    this.#mustBeOurs();
    const live = this.#live;
    const start = live.position;
    this.#room.reserve(live, unwrittenBytes);
    // One that is used up is left where all of it is written.
    if (!live.hasRoomFor(open, bytes.length) || this.#room.isUsedUp(live)) return 0;
    const length = live.stageBatch(open, bytes);
    this.#frames.handed(live, start, this.#index, this.endedOrders);
    this.endedOrders.leave();
    return length;
  }

  #arrived({ live, upTo, count, begun }: LeavingFrames): void {
    this.#leaving = null;
    this.endedOrders.arrived();
    this.#syncMode.took(performance.now() - begun);
    this.#mustBeOurs();
    this.#synced(live, upTo, count);
    this.#rollIfUsedUp();
  }

  /** Unwritten frames are encoded for the present segment, which is kept until they are written. */
  #rollIfUsedUp(): void {
    if (this.#leaving !== null || this.#frames.unwrittenBytes > 0) return;
    if (this.#room.isUsedUp(this.#live)) this.#roll();
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
    this.#leaving = null;
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
      this.#live = this.#succession.next(old, this.#nextFrame);
    } catch (error) {
      this.#trouble.roomFailed = true;
      this.#trouble.began(error);
      return;
    }
    this.#trouble.roomFailed = false;
    this.#trouble.endIfOver();
  }

  /** Leave a segment that failed (rule J2). @throws XG_JOURNAL_WRITE_FAILED */
  #moveOn(): void {
    if (this.#leaving !== null) throw this.#failed(this.#trouble.abandonedFor);
    try {
      const { next, moved } = this.#succession.afterFailure(this.#live, this.#frames.all(), this.#nextFrame);
      this.#live = next;
      this.#frames.replace(moved);
      if (moved.frames > 0) this.#frames.handed(next, SEGMENT_HEADER_BYTES, this.#index, this.endedOrders);
    } catch (error) {
      throw this.#failed(error);
    }
    this.endedOrders.arrived();
    this.endedOrders.written();
    this.#trouble.abandonedFor = null;
    this.#trouble.roomFailed = false;
    this.#trouble.writeFailed = false;
  }

  /** Asked before a write, and before anything follows from one: this process may have stood still meanwhile. */
  #mustBeOurs(): void {
    const { loss } = this.#lock;
    if (loss !== null) throw this.#failed(new Error(loss));
  }

  #failed(error: unknown): CrossgateError {
    this.#trouble.began(error);
    return writeFailed(this.location, error);
  }

  #retry(): void {
    if (this.#running !== null) return;
    if (this.#frames.unwrittenBytes === 0 && this.#trouble.abandonedFor === null) {
      if (this.#room.isUsedUp(this.#live)) this.#roll();
      else this.#room.reserve(this.#live, 0);
    }
    this.#begin().catch(() => {});
  }
}
