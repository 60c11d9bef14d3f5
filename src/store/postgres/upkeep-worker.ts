// The thread that maintains a journal in PostgreSQL beside the traffic, with its own connection. It notes the keys of
// an earlier program's runs, seals rows that a snapshot covers, and deletes expired rows. Messages say how much is
// permitted; it ends when there is no more work.

import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import type { Client } from 'pg';
import { standBack } from '../thread-priority.ts';
import { noteRun, unnotedRuns } from './ended-run.ts';
import { commitHeld } from './lease.ts';
import { BEGIN } from './pools.ts';
import { newestSnapshot } from './reader.ts';
import { deleteOldRows } from './retention.ts';
import { sealNext } from './sealed-parts.ts';
import { withThreadClient } from './thread-client.ts';
import type { UpkeepMessage, UpkeepRequest } from './upkeep.ts';

const request = workerData as UpkeepRequest;
const tell = (message: UpkeepMessage): void => parentPort?.postMessage(message);

async function permit(detail: string): Promise<boolean> {
  if (parentPort === null) return false;
  const answer = once(parentPort, 'message');
  tell({ kind: 'delete', detail });
  return (await answer)[0] === true;
}

async function noteRuns(client: Client): Promise<void> {
  const { writer } = request;
  const runs = await unnotedRuns(client, writer.journal);
  for (const run of runs) {
    await client.query(BEGIN);
    await noteRun(client, writer.journal, run);
    if (!(await commitHeld(client, writer))) return;
  }
  if (runs.length > 0) tell({ kind: 'noted' });
}

const note = (text: string, isWrong: boolean): void => tell({ kind: 'note', text, isWrong });

async function lookAfter(client: Client): Promise<void> {
  const { writer, where, keptMs } = request;
  await noteRuns(client);
  const newest = await newestSnapshot(client, writer.journal, where, []);
  while (newest !== null && (await sealNext(client, writer, newest.block))) {}
  if (keptMs === null) return;
  await deleteOldRows(client, { writer, where, keptMs, permit, note });
}

if (parentPort !== null) {
  standBack();
  await withThreadClient(request, 'crossgate upkeep', lookAfter);
  tell({ kind: 'done' });
  parentPort.close();
}
