// Has a snapshot of a journal in PostgreSQL made in a thread of its own, with a connection of its own. Leaves making it to
// snapshot.ts.

import { endWorker, startWorker, workerFile } from '../worker-thread.ts';
import type { PostgresSnapshotRequest, PostgresSnapshotResult } from './snapshot.ts';

const WORKER = workerFile('postgres/snapshot-worker');

/** A snapshot on its way. */
export interface PostgresSnapshot {
  readonly made: Promise<PostgresSnapshotResult>;
  /** Give it up: nothing of it is in the database then, or all. Whether its thread ended. */
  abandon(): Promise<boolean>;
}

/** Make the next snapshot of a journal in PostgreSQL beside the traffic. */
export function makePostgresSnapshot(request: PostgresSnapshotRequest): PostgresSnapshot {
  const worker = startWorker(WORKER, request);
  const made = new Promise<PostgresSnapshotResult>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`its thread ended with code ${code}`)));
  });
  return { made, abandon: () => endWorker(worker) };
}
