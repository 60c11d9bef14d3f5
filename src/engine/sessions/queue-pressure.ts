// Measures how much waits for the disk, and reports once when it is too much and once when it has drained. Listeners
// act; commit-queue.ts has the queue.

import type { JournalRecord } from '../../store/mod.ts';

/** Bytes waiting for the disk count as full too. */
const PENDING_BYTES_MAX = 16_777_216;
/**
 * Waiting bytes above which not even unsolicited events of the exchange are taken in: a full queue makes more of them.
 */
const FLOOD_BYTES = 2 * PENDING_BYTES_MAX;

export interface QueuePressureOptions {
  /** Frames waiting for the disk before `full` is said and sockets are paused. */
  readonly pendingMax: number;
  /** Said when the queue has become full, and when it has drained. */
  readonly onPressure: (full: boolean) => void;
  /**
   * Reported when the queue is full and the disk takes nothing: connected counterparties get no answers any more (rule
   * J2).
   */
  readonly onStuck?: () => void;
  /** Said when far more waits than makes the queue full, and when it has drained: nothing must come that can be asked for later. */
  readonly onFlood?: (flooded: boolean) => void;
}

/** Approximate size of these records in the journal's memory until they are on disk. */
export function sizeOf(records: readonly JournalRecord[]): number {
  let bytes = 0;
  for (const record of records) {
    if ('raw' in record) bytes += record.raw.length;
    else if (record.kind === 'order') bytes += record.record.length;
    else if (record.kind === 'exchangeInput') bytes += record.json.length;
  }
  return bytes;
}

export class QueuePressure {
  readonly #options: QueuePressureOptions;
  #bytes = 0;
  #isFull = false;
  #isFlooded = false;

  constructor(options: QueuePressureOptions) {
    this.#options = options;
  }

  /** Waiting frames. */
  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  get isFlooded(): boolean {
    return this.#isFlooded;
  }

  /** A frame waits; `frames` do now. @param healthy whether the disk takes anything */
  grew(bytes: number, frames: number, healthy: boolean): void {
    this.#bytes += bytes;
    if (!this.#isFull && (frames >= this.#options.pendingMax || this.#bytes >= PENDING_BYTES_MAX)) {
      this.#isFull = true;
      this.#options.onPressure(true);
      if (!healthy) this.#options.onStuck?.();
    }
    if (!this.#isFlooded && this.#bytes >= FLOOD_BYTES) {
      this.#isFlooded = true;
      this.#options.onFlood?.(true);
    }
  }

  /** So many bytes wait no more. */
  shrank(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** Frames that left were released; `frames` still wait. */
  released(frames: number): void {
    if (!this.#isFull || frames >= this.#options.pendingMax / 2 || this.#bytes >= PENDING_BYTES_MAX / 2) return;
    this.#isFull = false;
    this.#options.onPressure(false);
    if (!this.#isFlooded) return;
    this.#isFlooded = false;
    this.#options.onFlood?.(false);
  }
}
