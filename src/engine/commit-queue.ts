// Group commit: journal frames are appended as inputs are handled, made durable once per turn of the event loop, and only
// then are their consequences released: bytes to sockets, commands to the exchange (persist before transmit). Frames that need
// no disk are written as soon as what was read is handled: nobody gains by waiting for the end of the turn.
// What a consequence does is its owner's business; what a record looks like is the store's.

import { channel } from 'node:diagnostics_channel';
import type { EpochMs } from '../base/time.ts';
import type { Durability, Journal, JournalRecord } from '../store/mod.ts';

/** Something that may happen only once the records before it are durable. */
export interface Consequence {
  /** A cancel may go out even while the journal cannot record (rule J2). */
  readonly evenIfUnrecorded: boolean;
  run(): void;
  /** Said instead of `run` once its record could not be written: an order must not leave late, behind its own cancel. */
  abandon?(): void;
}

interface PendingFrame {
  readonly durability: Durability;
  readonly bytes: number;
  consequences: Consequence[];
}

/** When things happen. The real one is the event loop; a simulation brings a virtual one. */
export interface CommitClock {
  /** Run at the end of this turn. */
  soon(run: () => void): void;
  /** Run after a time; returns how to call it off. */
  later(ms: number, run: () => void): () => void;
  /** A time in milliseconds that only grows. */
  elapsedMs(): number;
}

const eventLoop: CommitClock = {
  soon: (run) => void setImmediate(run),
  later: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  elapsedMs: () => performance.now(),
};

const RETRY_MS = 250;
/** Where an order is on its way, for whoever measures; costs nothing while nobody listens. */
const stages = channel('crossgate:stage');
/** Bytes waiting for the disk count as full too: well below what the journal keeps at most. */
const PENDING_BYTES_MAX = 16_777_216;

export interface CommitQueueOptions {
  readonly journal: Journal;
  /** Frames waiting for the disk before `full` is said and sockets are paused. */
  readonly pendingMax: number;
  readonly onHealth: (healthy: boolean, reason: string) => void;
  /** Said after every batch: its frames, how long it took, and whether it survives power loss. */
  readonly onCommitted?: (frames: number, ms: number, synced: boolean) => void;
  /** Said when the queue has become full, and when it has drained. */
  readonly onPressure: (full: boolean) => void;
  /** Said when the queue is full and the disk takes nothing: whoever is connected gets no answer any more (rule J2). */
  readonly onStuck?: () => void;
  /** Default: the event loop. */
  readonly clock?: CommitClock;
}

/** About what the journal keeps of these records until they are on disk. */
function sizeOf(records: readonly JournalRecord[]): number {
  let bytes = 0;
  for (const record of records) {
    if ('raw' in record) bytes += record.raw.length;
    else if (record.kind === 'order') bytes += record.record.length;
    else if (record.kind === 'exchangeInput') bytes += record.json.length;
  }
  return bytes;
}

/** Frames in order, each released when it and all before it are durable. */
export class CommitQueue {
  private readonly options: CommitQueueOptions;
  private readonly clock: CommitClock;
  private pending: PendingFrame[] = [];
  private scheduled = false;
  private held = false;
  /** What was read in this turn of the event loop, counted; whether in the last it was one only. */
  private chunks = 0;
  private alone = false;
  private syncing = false;
  /** Consequences are being run: one of them may be the reason for more. */
  private releasing = false;
  private healthy = true;
  private full = false;
  private bytes = 0;
  /** Calls off the retry that is due, if one is. */
  private retry: (() => void) | null = null;
  private idleWaiters: (() => void)[] = [];

  constructor(options: CommitQueueOptions) {
    this.options = options;
    this.clock = options.clock ?? eventLoop;
  }

  /** Append one frame and queue what follows from it. */
  commit(records: readonly JournalRecord[], consequences: Consequence[], durability: Durability, at: EpochMs): void {
    if (records.length > 0) this.options.journal.append(records, at);
    else if (consequences.length === 0) return;
    const bytes = sizeOf(records);
    const frame: PendingFrame = { durability: records.length > 0 ? durability : 'process', bytes, consequences };
    this.pending.push(frame);
    this.bytes += bytes;
    // Those before it were looked at when the write failed, or when they came.
    if (!this.healthy) this.releaseUnrecorded([frame]);
    if (!this.full && (this.pending.length >= this.options.pendingMax || this.bytes >= PENDING_BYTES_MAX)) {
      this.full = true;
      this.options.onPressure(true);
      if (!this.healthy) this.options.onStuck?.();
    }
    this.schedule();
  }

  /** More will be committed at once: wait for `hurry`. */
  hold(): void {
    this.held = true;
  }

  /**
   * What was read is handled: write and release what needs no disk, now. The rest goes at the end of the turn, with what others
   * were read meanwhile; now too, if in the last turn nobody else was.
   */
  hurry(): void {
    this.held = false;
    if (this.pending.length === 0) return;
    this.chunks++;
    const needsDisk = this.needsDisk();
    const mayGo = !this.syncing && !this.releasing && this.retry === null;
    if (mayGo && (!needsDisk || (this.alone && this.chunks === 1))) this.flush();
    if (needsDisk || this.pending.length > 0) this.schedule();
  }

  private needsDisk(): boolean {
    for (const frame of this.pending) if (frame.durability === 'disk') return true;
    return false;
  }

  /** Resolves when everything committed so far was released. */
  idle(): Promise<void> {
    if (this.pending.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.idleWaiters.push(resolve));
  }

  /** Stop retrying; what is pending stays unreleased. */
  close(): void {
    this.retry?.();
    this.retry = null;
  }

  private schedule(): void {
    if (this.held || this.scheduled || this.retry !== null) return;
    this.scheduled = true;
    this.clock.soon(() => {
      this.scheduled = false;
      this.alone = this.chunks === 1;
      this.chunks = 0;
      this.flush();
    });
  }

  private flush(): void {
    const count = this.pending.length;
    if (count === 0 || this.syncing) return;
    const begun = this.clock.elapsedMs();
    if (stages.hasSubscribers) stages.publish('journal begins');
    if (!this.needsDisk()) {
      try {
        this.options.journal.write();
      } catch (error) {
        this.failed(error);
        return;
      }
      this.recovered();
      this.options.onCommitted?.(count, this.clock.elapsedMs() - begun, false);
      this.release(count);
      return;
    }
    this.syncing = true;
    this.options.journal.sync().then(
      () => {
        this.syncing = false;
        this.recovered();
        this.options.onCommitted?.(count, this.clock.elapsedMs() - begun, true);
        this.release(count);
        if (this.pending.length > 0) this.flush();
      },
      (error: unknown) => {
        this.syncing = false;
        this.failed(error);
      },
    );
  }

  private release(count: number): void {
    if (stages.hasSubscribers) stages.publish('journal ends');
    const frames = this.pending.splice(0, count);
    this.releasing = true;
    for (const { bytes, consequences } of frames) {
      this.bytes -= bytes;
      for (const consequence of consequences) consequence.run();
    }
    this.releasing = false;
    if (this.full && this.pending.length < this.options.pendingMax / 2 && this.bytes < PENDING_BYTES_MAX / 2) {
      this.full = false;
      this.options.onPressure(false);
    }
    if (this.pending.length === 0) {
      const waiters = this.idleWaiters;
      this.idleWaiters = [];
      for (const resolve of waiters) resolve();
    }
  }

  /** Rule J2: while nothing can be recorded, cancels still reach the exchange and orders are given up; the rest waits. */
  private releaseUnrecorded(frames: readonly PendingFrame[]): void {
    for (const frame of frames) {
      const { consequences } = frame;
      frame.consequences = consequences.filter((one) => !one.evenIfUnrecorded && one.abandon === undefined);
      for (const consequence of consequences) {
        if (consequence.evenIfUnrecorded) consequence.run();
        else consequence.abandon?.();
      }
    }
  }

  private failed(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.retry = this.clock.later(RETRY_MS, () => {
      this.retry = null;
      this.flush();
    });
    if (this.healthy) {
      this.healthy = false;
      this.options.onHealth(false, reason);
      if (this.full) this.options.onStuck?.();
    }
    this.releaseUnrecorded([...this.pending]);
  }

  private recovered(): void {
    if (this.healthy) return;
    this.healthy = true;
    this.options.onHealth(true, 'records reach the disk again');
  }
}
