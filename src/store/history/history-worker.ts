// Program of the thread that searches the history of a journal: one message for every request, in order.

import { parentPort, workerData } from 'node:worker_threads';
import { standBack } from '../thread-priority.ts';
import type { SearchedJournal } from './history-query.ts';
import type { HistoryAnswer, HistoryWork } from './history-thread.ts';
import { JournalHistory } from './journal-history.ts';
import { searchRows } from './rows-history.ts';

const port = parentPort;
const journal = workerData as SearchedJournal;
const segments = journal.kind === 'embedded' ? new JournalHistory(journal.directory) : null;

async function answer(work: HistoryWork): Promise<HistoryAnswer> {
  try {
    if (work.kind === 'prepare') return { kind: 'prepared', left: (await segments?.prepareNext()) ?? 0 };
    if (journal.kind === 'postgres') return { kind: 'page', page: await searchRows(journal, work.query, Date.now()) };
    return { kind: 'page', page: await segments!.search(work.query) };
  } catch (error) {
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

if (port !== null) standBack();
let last = Promise.resolve();
port?.on('message', (work: HistoryWork) => {
  last = last.then(async () => port.postMessage(await answer(work)));
});
