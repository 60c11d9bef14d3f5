// Limits the recording of bytes that belong to no session: strangers could fill the disk with them, for years. The rest
// is only in the log. connection.ts records them.

import type { EpochMs } from '../../base/time.ts';

const MINUTE_MS = 60_000;
/** Bytes of strangers in a minute: a thousand refused Logons of ordinary length, again and again. */
const BYTES_PER_MINUTE = 262_144;

export class StrangerRecords {
  private since: EpochMs = Number.NEGATIVE_INFINITY;
  private left = 0;
  private isTold = false;
  private readonly onFull: () => void;

  /** @param onFull said once in each minute in which something is left out */
  constructor(onFull: () => void) {
    this.onFull = onFull;
  }

  /** Whether so many bytes are kept. */
  take(bytes: number, now: EpochMs): boolean {
    if (now - this.since >= MINUTE_MS || now < this.since) {
      this.since = now;
      this.left = BYTES_PER_MINUTE;
      this.isTold = false;
    }
    this.left -= bytes;
    if (this.left >= 0) return true;
    if (!this.isTold) this.onFull();
    this.isTold = true;
    return false;
  }
}
