// Final records of a stopping node over PostgreSQL: how long writing is retried. journal.ts writes;
// postgres-unrecorded.ts reports the loss.

import { setTimeout as pause } from 'node:timers/promises';
import { CrossgateError } from '../../base/errors.ts';
import type { Block } from './block.ts';
import { rowMsMax } from './row.ts';

/** Time between two tries. */
const TRY_AGAIN_MS = 100;

export interface LastRecords {
  /** Rows not known to be in the database, oldest first. */
  readonly rows: readonly Block[];
  readonly requestTimeoutMs: number;
  /** @throws CrossgateError if this node may not write any more */
  readonly mustBeHeld: () => void;
  /** Write them, or wait for the write that is under way. @throws CrossgateError */
  readonly write: () => Promise<void>;
  /** Why they do not reach the database; null while they do. */
  readonly failedFor: () => string | null;
}

/** Each row is tried for as long as its answer may take; longer while nothing fails, or no more. @throws CrossgateError */
export async function recordLast(last: LastRecords): Promise<void> {
  const { rows, requestTimeoutMs, mustBeHeld, write, failedFor } = last;
  let tried: Block | undefined;
  let end = 0;
  for (let row = rows[0]; row !== undefined; row = rows[0]) {
    mustBeHeld();
    if (row !== tried) end = performance.now() + rowMsMax(row.length, requestTimeoutMs);
    tried = row;
    const reason = failedFor();
    const written = write().catch((error: unknown) => error);
    const left = Math.max(0, end - performance.now());
    const late = (told: string) => pause(left, new CrossgateError('XG_JOURNAL_WRITE_FAILED', told), { ref: false });
    const error = await (reason === null ? written : Promise.race([written, late(reason)]));
    if (error !== undefined && rows[0] === row && performance.now() >= end && failedFor() !== null) throw error;
    if (error !== undefined) await pause(TRY_AGAIN_MS);
  }
}
