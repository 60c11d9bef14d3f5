// Program of the thread that makes snapshots, archives segments and makes their ids: one message for every request, in order.

import { parentPort } from 'node:worker_threads';
import { JournalHistory } from '../history/journal-history.ts';
import { standBack } from '../thread-priority.ts';
import { archiveNext } from './archive.ts';
import { archivableBefore, buildSnapshot } from './snapshot-builder.ts';
import { failed, type SnapshotAnswer, type SnapshotWork } from './snapshot-thread.ts';

const port = parentPort;
/** The thread serves one journal. */
const checked = new Set<string>();
let history: JournalHistory | null = null;

async function answer(work: SnapshotWork): Promise<SnapshotAnswer> {
  try {
    if (work.kind === 'ids') {
      history ??= new JournalHistory(work.directory);
      return { kind: 'done', result: { left: await history.prepareNext(false) } };
    }
    if (work.kind === 'archive') {
      const before = work.request.before ?? archivableBefore(work.request.directory);
      return { kind: 'done', result: archiveNext({ ...work.request, before }) };
    }
    return { kind: 'done', result: await buildSnapshot(work.request, checked) };
  } catch (error) {
    return failed(error);
  }
}

if (port !== null) standBack();
port?.on('message', async (work: SnapshotWork) => port.postMessage(await answer(work)));
