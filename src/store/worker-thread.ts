// Begins the threads of the store. Leaves what runs in them to the files that are named here, and their lives to whoever begins
// them.

import { extname } from 'node:path';
import { type Transferable, Worker } from 'node:worker_threads';

/** The file of a thread in this folder. It has the extension of this one: the package may be compiled. */
export function workerFile(name: string): URL {
  return new URL(`./${name}${extname(import.meta.filename)}`, import.meta.url);
}

/** @throws if the process may have no further thread */
export function startWorker(file: URL, workerData: unknown = null, transferList: Transferable[] = []): Worker {
  // What the process was started with may not be for a thread: `--input-type` of a program given by `--eval`.
  return new Worker(file, { workerData, transferList, execArgv: [] });
}
