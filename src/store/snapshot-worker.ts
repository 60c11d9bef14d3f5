// What runs in the thread in which snapshots are made: one message for every request, in order.

import { parentPort } from 'node:worker_threads';
import { buildSnapshot, type SnapshotRequest } from './snapshot-builder.ts';
import type { SnapshotAnswer } from './snapshot-thread.ts';

const port = parentPort;
/** The thread serves one journal. */
const checked = new Set<string>();
port?.on('message', (request: SnapshotRequest) => {
  buildSnapshot(request, checked).then(
    (result) => port.postMessage({ kind: 'made', result } satisfies SnapshotAnswer),
    (error: unknown) => port.postMessage({ kind: 'failed', reason: String(error) } satisfies SnapshotAnswer),
  );
});
