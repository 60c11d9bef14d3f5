// Final records of a stopping node over PostgreSQL: how long writing is retried. journal.ts writes;
// postgres-unrecorded.ts reports the loss.

import { setTimeout as pause } from 'node:timers/promises';
import { CrossgateError } from '../../base/errors.ts';
import type { Batch } from './batch.ts';
import { commitMsMax } from './commit.ts';

/** Time between two tries. */
const TRY_AGAIN_MS = 100;

export interface LastRecords {
  /** Batches not known to be in the database, oldest first. */
  readonly batches: readonly Batch[];
  readonly requestTimeoutMs: number;
  /** @throws CrossgateError if this node may not write any more */
  readonly mustBeHeld: () => void;
  /** Write them, or wait for the write that is under way. @throws CrossgateError */
  readonly write: () => Promise<void>;
  /** Why they do not reach the database; null while they do. */
  readonly failedFor: () => string | null;
}

/** Each batch is tried for as long as its answer may take; longer while nothing fails, or no more. @throws CrossgateError */
export async function recordLast(last: LastRecords): Promise<void> {
  const { batches, requestTimeoutMs, mustBeHeld, write, failedFor } = last;
  let tried: Batch | undefined;
  let end = 0;
  for (let batch = batches[0]; batch !== undefined; batch = batches[0]) {
    mustBeHeld();
    if (batch !== tried) end = performance.now() + commitMsMax(batch.size, requestTimeoutMs);
    tried = batch;
    const reason = failedFor();
    const written = write().catch((error: unknown) => error);
    const left = Math.max(0, end - performance.now());
    const late = (told: string) => pause(left, new CrossgateError('XG_JOURNAL_WRITE_FAILED', told), { ref: false });
    const error = await (reason === null ? written : Promise.race([written, late(reason)]));
    if (error !== undefined && batches[0] === batch && performance.now() >= end && failedFor() !== null) throw error;
    if (error !== undefined) await pause(TRY_AGAIN_MS);
  }
}
