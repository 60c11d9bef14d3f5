// Group commit: journal frames are appended as inputs are handled, and their consequences (bytes to sockets, commands
// to the exchange) are released only once they are durable: persist before transmit. Frames that must survive power
// loss share one sync per turn of the event loop. The others are written and leave as soon as their input is handled,
// and wait for no other session's sync. If much is read in every turn, they leave at its end with one write, which
// costs each of them less. Owners define consequences; the store defines records.

import { channel } from 'node:diagnostics_channel';
import type { EpochMs } from '../../base/time.ts';
import type { SessionID } from '../../session/mod.ts';
import type { Durability, Journal, JournalRecord } from '../../store/mod.ts';
import { type CommitClock, eventLoop, whenOverdue } from './event-loop-clock.ts';
import { QueuePressure, type QueuePressureOptions, sizeOf } from './queue-pressure.ts';
import { TurnTraffic } from './turn-traffic.ts';

/** Something that may happen only once the records before it are durable. */
export interface Consequence {
  /** A cancel may go out even while the journal cannot record (rule J2). */
  readonly evenIfUnrecorded: boolean;
  run(): void;
  /** Said once all that leave with it have run. */
  flush?(): void;
  /** Said instead of `run` once its record could not be written: an order must not leave late, behind its own cancel. */
  abandon?(): void;
}

/** A frame on its way to the journal. */
export interface CommittedFrame {
  readonly records: readonly JournalRecord[];
  readonly consequences: Consequence[];
  readonly durability: Durability;
  /** Time of the input. */
  readonly at: EpochMs;
  /**
   * The owner: frames of one session never overtake each other. Null: it overtakes no frame, and no frame overtakes it.
   */
  readonly sessions: readonly SessionID[] | null;
}

interface PendingFrame {
  readonly durability: Durability;
  readonly bytes: number;
  readonly sessions: readonly SessionID[] | null;
  consequences: Consequence[];
}

const RETRY_MS = 250;
/** Every write fails for so long: answers that wait will not come (rule J2). */
const MUTE_MS = 3_000;
/** A session that waits for no disk was active recently: no other sync holds the event loop up. */
const PROMPT_MS = 100;
/** Marks the stages of an order for measurements. Free of cost without a listener. */
const stages = channel('crossgate:stage');

export interface CommitQueueOptions extends QueuePressureOptions {
  readonly journal: Journal;
  readonly onHealth: (healthy: boolean, reason: string) => void;
  /** Said each time that every write has failed for some seconds, with what waits. */
  readonly onMute?: (waiting: readonly Consequence[]) => void;
  /** Said after every batch: its frames, how long it took, and whether it survives power loss. */
  readonly onCommitted?: (frames: number, ms: number, synced: boolean) => void;
  /** Default: the event loop. */
  readonly clock?: CommitClock;
}

/** Frames in order, each released when it, and all before it of the same sessions, are durable. */
export class CommitQueue {
  private readonly options: CommitQueueOptions;
  private readonly clock: CommitClock;
  private pending: PendingFrame[] = [];
  /** So many of `pending`, the first ones, wait for a sync: theirs, or that of a frame before them. */
  private waiting = 0;
  /** The sessions of those that wait. */
  private readonly held = new Set<SessionID>();
  /** One of those that wait is overtaken by nothing. */
  private allHeld = false;
  private scheduled = false;
  private scheduledAtOnce = false;
  /** No output of the present immediate release has left yet. */
  private isFirst = false;
  private syncing = false;
  private readonly traffic = new TurnTraffic();
  /** When something of a session that waits for no disk left last. */
  private promptAt = Number.NEGATIVE_INFINITY;
  /** More is on its way at once. */
  private awaitsMore = false;
  /** Consequences are being run: one of them may be the reason for more. */
  private releasing = false;
  private healthy = true;
  /** The sync under way takes too long. */
  private late = false;
  /** Since when nothing that was tried has worked; null while something does. */
  private failingSince: number | null = null;
  private readonly pressure: QueuePressure;
  private closed = false;
  /** Calls off the retry that is due, if one is. */
  private retry: (() => void) | null = null;
  private idleWaiters: (() => void)[] = [];

  constructor(options: CommitQueueOptions) {
    this.options = options;
    this.clock = options.clock ?? eventLoop;
    this.pressure = new QueuePressure(options);
  }

  /**
   * Append one frame and queue its consequences. `isLast`: false if another one of the same input follows at once. Behind the
   * close a frame is given up: its journal may be closed too.
   */
  commit({ records, consequences, durability, at, sessions }: CommittedFrame, isLast = true): void {
    if (this.closed) return;
    if (records.length > 0) this.options.journal.append(records, at);
    // A frame of other consequences of the same records: it says that they have to reach the disk, if nothing else.
    else if (consequences.length === 0 && durability === 'process') return;
    const bytes = sizeOf(records);
    const frame: PendingFrame = { durability, bytes, sessions, consequences };
    this.pending.push(frame);
    // Those before it were looked at when the write failed, or when they came.
    if (!this.healthy) this.releaseUnrecorded([frame]);
    this.pressure.grew(bytes, this.pending.length, this.healthy);
    this.schedule(durability);
    if (isLast) this.letFirstGo();
  }

  /** More will be committed at once: wait for `hurry`. */
  hold(): void {
    this.awaitsMore = true;
  }

  /**
   * The read is handled: write and release everything that needs no disk. The rest goes at the end of the turn with
   * other reads, or now if no other session was read in the last turn.
   */
  hurry(): void {
    this.awaitsMore = false;
    if (this.pending.length === 0 || this.rests) return;
    this.traffic.handled();
    this.look();
    if (this.traffic.isCrowd) this.schedule('disk');
    else if (this.releasing) this.schedule('process');
    else if (this.traffic.isAlone) {
      // Whether anybody else is read in this turn is seen at its end only: the next one is not alone because this one was.
      if (this.flush()) this.schedule('disk');
    } else this.letGo();
    if (this.pending.length > 0) this.schedule('disk');
  }

  /** Whether far more waits for the disk than makes it full. */
  get isFlooded(): boolean {
    return this.pressure.isFlooded;
  }

  /** Bytes that wait for the disk; none once nothing is written any more. */
  get pendingBytes(): number {
    return this.closed ? 0 : this.pressure.bytes;
  }

  /** Everything committed so far was released. */
  get isIdle(): boolean {
    return this.pending.length === 0 && !this.releasing;
  }

  /** Resolves when everything committed so far was released. */
  idle(): Promise<void> {
    if (this.pending.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.idleWaiters.push(resolve));
  }

  /** Stop retrying; pending frames stay unreleased, even if a running sync succeeds, and nothing more is reported. */
  close(): void {
    this.closed = true;
    this.retry?.();
    this.retry = null;
  }

  /** Nothing is committed any more. */
  get isClosed(): boolean {
    return this.closed;
  }

  /** Nothing is written now: it failed and is tried again later, or the queue is closed. */
  private get rests(): boolean {
    return this.closed || this.retry !== null;
  }

  private schedule(durability: Durability): void {
    if (this.rests || this.awaitsMore) return;
    if (durability === 'process' && !this.scheduledAtOnce) this.look();
    if (durability === 'process' && !this.traffic.isCrowd) {
      if (this.scheduledAtOnce) return;
      this.scheduledAtOnce = true;
      this.isFirst = true;
      this.clock.atOnce(() => {
        this.scheduledAtOnce = false;
        this.isFirst = false;
        if (!this.rests && this.letGo() && this.pending.length > 0) this.schedule('disk');
      });
      return;
    }
    if (this.scheduled) return;
    this.scheduled = true;
    this.traffic.lookAt();
    this.clock.soon(() => {
      this.scheduled = false;
      this.traffic.turnEnded();
      this.flush();
    });
  }

  /**
   * The first consequence leaves before the rest of the read is examined: a report does not wait for later parts of its
   * order. Further ones leave together.
   */
  private letFirstGo(): void {
    if (!this.isFirst || this.releasing || this.rests) return;
    this.isFirst = false;
    this.letGo();
  }

  /** Something was read: now and then the turn of it is looked at. */
  private look(): void {
    if (!this.releasing && this.traffic.read(this.scheduled)) this.schedule('disk');
  }

  /**
   * Write, and release frames that need not survive power loss and overtake none of their own sessions. False if that
   * failed.
   */
  private letGo(): boolean {
    const fresh = this.takeFresh();
    const free: PendingFrame[] = [];
    const waits = this.syncing && this.options.journal.canWrite?.() === false;
    let prompt = false;
    for (const frame of fresh) {
      if (frame.durability === 'process' && !waits && !this.isHeld(frame)) {
        free.push(frame);
        prompt ||= frame.sessions !== null && frame.sessions.length > 0;
      } else this.keepBack(frame);
    }
    if (free.length === 0) return true;
    const begun = this.clock.elapsedMs();
    if (prompt) this.promptAt = begun;
    if (stages.hasSubscribers) stages.publish('journal begins');
    try {
      this.options.journal.write();
    } catch (error) {
      // As arguments of a call, so many as come in an hour without a disk would end the process.
      this.pending = this.pending.slice(0, this.waiting - (fresh.length - free.length)).concat(fresh);
      this.lookAgain();
      this.failed(error);
      return false;
    }
    if (stages.hasSubscribers) stages.publish('journal ends');
    const tookMs = this.clock.elapsedMs() - begun;
    this.recovered();
    if (this.waiting === 0) this.failingSince = null;
    this.release(free);
    this.options.onCommitted?.(free.length, tookMs, false);
    return true;
  }

  /** Take the unexamined frames; mostly that is all. */
  private takeFresh(): PendingFrame[] {
    if (this.waiting > 0) return this.pending.splice(this.waiting);
    const { pending } = this;
    this.pending = [];
    return pending;
  }

  private isHeld({ sessions }: PendingFrame): boolean {
    if (this.waiting === 0) return false;
    return this.allHeld || sessions === null || sessions.some((sessionId) => this.held.has(sessionId));
  }

  private keepBack(frame: PendingFrame): void {
    this.pending.push(frame);
    this.waiting++;
    if (frame.sessions === null) this.allHeld = true;
    else for (const sessionId of frame.sessions) this.held.add(sessionId);
  }

  /** The dependencies are computed anew. */
  private lookAgain(): void {
    this.waiting = 0;
    this.held.clear();
    this.allHeld = false;
  }

  /** Write, and sync waiting frames; true if that was done on the spot. */
  private flush(): boolean {
    if (this.pending.length === 0 || this.rests || !this.letGo() || this.syncing) return false;
    // Commits made during the release have not been examined yet.
    const count = this.waiting;
    if (count === 0) return false;
    const begun = this.clock.elapsedMs();
    if (stages.hasSubscribers) stages.publish('sync begins');
    if (begun - this.promptAt >= PROMPT_MS && this.isSyncedNow()) {
      this.synced(count, begun);
      if (this.pending.length > 0) this.schedule('disk');
      return true;
    }
    if (this.rests) return false;
    this.syncing = true;
    const answered = this.watch();
    this.options.journal.sync().then(
      () => {
        answered();
        // It has no more consequences: its journal may be closed, and its waiter is gone.
        if (this.closed) return;
        this.synced(count, begun);
        this.flush();
      },
      (error: unknown) => {
        answered();
        if (!this.closed) this.failed(error);
      },
    );
    return false;
  }

  /** A silent disk counts as a failing one until it answers; returns the function to call then. */
  private watch(): () => void {
    const { syncMsMax } = this.options.journal;
    const callOff =
      syncMsMax === undefined
        ? null
        : whenOverdue(this.clock, syncMsMax, () => {
            if (this.closed) return;
            this.late = true;
            this.unhealthy(`the disk has not answered for ${syncMsMax} ms`);
          });
    return () => {
      callOff?.();
      this.syncing = false;
      this.late = false;
    };
  }

  /** True if the disk was quick enough for a wait on the spot, which saves a promise after every sync. */
  private isSyncedNow(): boolean {
    try {
      return this.options.journal.syncNow?.() ?? false;
    } catch (error) {
      this.failed(error);
      return false;
    }
  }

  /** The first `count` of those that wait are on disk. */
  private synced(count: number, begun: number): void {
    if (stages.hasSubscribers) stages.publish('sync ends');
    const tookMs = this.clock.elapsedMs() - begun;
    this.recovered();
    this.failingSince = null;
    const frames = this.pending.splice(0, count);
    this.lookAgain();
    this.release(frames);
    this.options.onCommitted?.(count, tookMs, true);
  }

  private release(frames: readonly PendingFrame[]): void {
    for (const { bytes } of frames) this.pressure.shrank(bytes);
    this.releasing = true;
    for (const frame of frames) for (const consequence of frame.consequences) consequence.run();
    for (const frame of frames) for (const consequence of frame.consequences) consequence.flush?.();
    this.releasing = false;
    this.pressure.released(this.pending.length);
    if (this.pending.length === 0 && this.idleWaiters.length > 0) {
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
    this.retry ??= this.clock.later(RETRY_MS, () => {
      this.retry = null;
      this.flush();
    });
    this.unhealthy(reason);
    const now = this.clock.elapsedMs();
    this.failingSince ??= now;
    if (now - this.failingSince < MUTE_MS) return;
    this.failingSince = now;
    this.options.onMute?.(this.pending.flatMap(({ consequences }) => consequences));
  }

  private unhealthy(reason: string): void {
    if (this.healthy) {
      this.healthy = false;
      this.options.onHealth(false, reason);
      if (this.pressure.isFull) this.options.onStuck?.();
    }
    this.releaseUnrecorded([...this.pending]);
  }

  private recovered(): void {
    if (this.healthy || this.late) return;
    this.healthy = true;
    this.options.onHealth(true, 'records reach the disk again');
  }
}
