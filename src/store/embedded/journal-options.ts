// Options of the embedded journal, sizes derived from them, and the words for a failing disk.

import { diskReason } from '../../base/disk-full.ts';
import { CrossgateError } from '../../base/errors.ts';
import { withRemedy } from '../../base/process-limits.ts';
import type { EpochMs } from '../../base/time.ts';
import type { Disk } from '../disk/disk.ts';
import type { HealthListener, StoreLog, UpkeepListener } from '../log.ts';
import type { Durability } from '../port.ts';
import type { OnDamage } from '../segments/block-reader.ts';
import type { Size } from './live-segment.ts';

export interface EmbeddedJournalOptions {
  /** Created if it is not there. One process at a time. */
  readonly directory: string;
  /** Size at which the next segment begins. Default 64 MiB, at least 64 kB. */
  readonly segmentBytes?: number;
  readonly now: () => EpochMs;
  /** `process`: `sync` only writes. Default `disk`. */
  readonly durability?: Durability;
  readonly log?: StoreLog;
  readonly onHealth?: HealthListener;
  readonly onUpkeep?: UpkeepListener;
  /** Bytes of finished segments after which a snapshot is made. Default 128 MiB. */
  readonly snapshotBytes?: number;
  /** Days after which an archived segment is deleted; null, the default, keeps all. */
  readonly retentionDays?: number | null;
  /** File outside the directory that notes how far the journal was on disk (durability-witness.ts). Default none. */
  readonly witness?: string;
  /** Largest batch with a sync waited for on the spot (sync-mode.ts); 0 for none. */
  readonly onTheSpotBytesMax?: number;
  /**
   * Effect of damage to durable records: `stop`, the default, opens nothing; `pass` opens the journal, and its owner
   * keeps the affected sessions out (`recovered.damage`).
   */
  readonly onDamage?: OnDamage;
  /** Another disk, for tests of failures. */
  readonly disk?: Disk;
}

const SEGMENT_BYTES_DEFAULT = 67_108_864;
const SEGMENT_BYTES_MIN = 65_536;
/** The largest that a gateway can be given. */
export const SEGMENT_BYTES_MAX = 1_073_741_824;
/** Room kept ahead for what must still be recorded when the disk is full: rejects, cancels, Logouts (rule J2). */
const RESERVE_BYTES = 1_048_576;
/** About 600,000 records: a second of a start, at most. */
export const SNAPSHOT_BYTES_DEFAULT = 134_217_728;

/** Segment size and reserve that the options amount to. */
export function sizeOf(options: EmbeddedJournalOptions): Size {
  const segmentBytes = Math.max(SEGMENT_BYTES_MIN, options.segmentBytes ?? SEGMENT_BYTES_DEFAULT);
  return { segmentBytes, reserveBytes: Math.min(RESERVE_BYTES, segmentBytes >>> 3) };
}

/** Tell a failure of the disk as the journal's. */
export function writeFailed(location: string, cause: unknown): CrossgateError {
  if (cause instanceof CrossgateError) return cause;
  const told = withRemedy(`the journal ${location} cannot be written: ${diskReason(cause)}`, cause);
  return new CrossgateError('XG_JOURNAL_WRITE_FAILED', told, { cause });
}
