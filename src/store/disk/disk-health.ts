// Tracks the trouble of a journal's disk from the first error until every failed operation has succeeded again. It
// reports once, and has the disk retried meanwhile, because no caller may write to an unhealthy journal.
// embedded-journal.ts decides the effect of an error on the live segment (rule J2).

import { diskReason } from '../../base/disk-full.ts';
import { withRemedy } from '../../base/process-limits.ts';
import type { HealthListener, StoreLog } from '../log.ts';

const RETRY_MS = 1000;

export interface DiskTroubleOptions {
  /** The journal's folder, for people. */
  readonly location: string;
  readonly log: StoreLog | undefined;
  readonly onHealth: HealthListener | undefined;
  /** Try the disk again. */
  readonly retry: () => void;
}

export class DiskTrouble {
  /** Why the live segment may not be written any more, or null (rule J2). */
  abandonedFor: unknown = null;
  /** The last sync failed: only one that succeeds ends the trouble. */
  syncFailed = false;
  /** No room could be had ahead: what is written goes into the reserve. */
  roomFailed = false;
  /** There was no room for records themselves: only some that are written end the trouble. */
  writeFailed = false;
  readonly #options: DiskTroubleOptions;
  #reason: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(options: DiskTroubleOptions) {
    this.#options = options;
  }

  /** The first error since the disk last worked; null while it works. */
  get reason(): string | null {
    return this.#reason;
  }

  /** The disk failed. */
  began(error: unknown): void {
    if (this.#reason !== null) return;
    const { location, log, retry } = this.#options;
    this.#reason = withRemedy(diskReason(error), error);
    log?.('warn', `the journal ${location} is in trouble: ${this.#reason}`);
    this.#say(false, this.#reason);
    if (!this.#stopped) this.#timer ??= setInterval(retry, RETRY_MS).unref();
  }

  /** Records were written for which there had been no room. */
  written(): void {
    this.writeFailed = false;
    this.endIfOver();
  }

  /** Something succeeded: the trouble is over if that was the last thing that had failed. */
  endIfOver(): void {
    if (this.#reason === null || this.abandonedFor !== null) return;
    if (this.syncFailed || this.roomFailed || this.writeFailed) return;
    const { location, log } = this.#options;
    this.#reason = null;
    this.#clear();
    log?.('info', `the journal ${location} works again`);
    this.#say(true, 'the disk works again');
  }

  /**
   * Reported after the journal's present work: a listener may append, and an append in the middle of a write would pass
   * for written.
   */
  #say(healthy: boolean, reason: string): void {
    const { onHealth } = this.#options;
    if (onHealth === undefined) return;
    queueMicrotask(() => {
      if (!this.#stopped) onHealth(healthy, reason);
    });
  }

  /** No more tries, and no more news: its journal is being closed. */
  stop(): void {
    this.#stopped = true;
    this.#clear();
  }

  #clear(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}
