// The thread in which snapshots of a journal in PostgreSQL are made: one request as its data, one message as the answer.

import { parentPort, workerData } from 'node:worker_threads';
import { standBack } from '../thread-priority.ts';
import { buildPostgresSnapshot, type PostgresSnapshotRequest } from './snapshot.ts';

if (parentPort !== null) standBack();
parentPort?.postMessage(await buildPostgresSnapshot(workerData as PostgresSnapshotRequest));
