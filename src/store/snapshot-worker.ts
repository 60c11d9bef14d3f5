// The thread in which snapshots are made: takes one request as its data, answers with one message, and ends.

import { parentPort, workerData } from 'node:worker_threads';
import { buildSnapshot, type SnapshotRequest } from './snapshot-builder.ts';

parentPort?.postMessage(await buildSnapshot(workerData as SnapshotRequest));
