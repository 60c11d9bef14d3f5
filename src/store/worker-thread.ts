// Begins the threads of the store. The named files are their programs; callers end them.

import { extname } from 'node:path';
import { type Transferable, Worker } from 'node:worker_threads';

/** The file of a thread, by its path in this room. It has the extension of this one: the package may be compiled. */
export function workerFile(name: string): URL {
  return new URL(`./${name}${extname(import.meta.filename)}`, import.meta.url);
}

/** How long a thread has to end. One that looks the name of a host up ends with that, however long a name server says nothing. */
const END_MS = 1_000;

/** @throws if the process may have no further thread */
export function startWorker(file: URL, workerData: unknown = null, transferList: Transferable[] = []): Worker {
  // Options of the process may not suit a thread: `--input-type` of a program given by `--eval`.
  return new Worker(file, { workerData, transferList, execArgv: [] });
}

/** End a thread; whether it ended. One that did not in a second is not waited for, and keeps the process until it does. */
export async function endWorker(worker: Worker): Promise<boolean> {
  // Else the process would wait for it where nothing is heard or said any more.
  worker.ref();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), END_MS);
  });
  const ended = worker.terminate().then(() => true);
  return await Promise.race([ended, late]).finally(() => clearTimeout(timer));
}
