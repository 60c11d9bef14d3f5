// Has a snapshot of a journal in PostgreSQL made in a thread of its own, with a connection of its own. Leaves making it to
// postgres-snapshot.ts.

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PostgresSnapshotRequest, PostgresSnapshotResult } from './postgres-snapshot.ts';

// The same extension as this file: the package may be compiled.
const SNAPSHOT_WORKER = new URL(`./postgres-snapshot-worker${extname(import.meta.filename)}`, import.meta.url);

/** A snapshot on its way. */
export interface PostgresSnapshot {
  readonly made: Promise<PostgresSnapshotResult>;
  /** Give it up: nothing of it is in the database then, or all. */
  abandon(): Promise<unknown>;
}

/** Make the next snapshot of a journal in PostgreSQL beside the traffic. */
export function makePostgresSnapshot(request: PostgresSnapshotRequest): PostgresSnapshot {
  const worker = new Worker(SNAPSHOT_WORKER, { workerData: request, execArgv: [] });
  const made = new Promise<PostgresSnapshotResult>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`its thread ended with code ${code}`)));
  });
  return { made, abandon: () => worker.terminate() };
}
