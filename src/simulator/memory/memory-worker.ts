// The thread that makes the next snapshot of the books: it executes the logs since the last one, beside the venue.

import { parentPort, workerData } from 'node:worker_threads';
import { type SnapshotJob, writeNextSnapshot } from './memory-files.ts';

parentPort?.postMessage(writeNextSnapshot(workerData as SnapshotJob));
