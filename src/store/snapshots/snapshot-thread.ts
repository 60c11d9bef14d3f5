// The thread in which snapshots are made, segments archived between them, and ids of segments made for searches: begun with the first, kept for the next ones,
// ended when none came for a while. Under load a snapshot is due every second, and a new thread would load and compile its code every time, which takes longer
// than the snapshot. Leaves when one is due to snapshots.ts, and making it to snapshot-builder.ts.

import type { Worker } from 'node:worker_threads';
import { diskReason } from '../../base/disk-full.ts';
import { withRemedy } from '../../base/process-limits.ts';
import { startWorker, workerFile } from '../worker-thread.ts';
import type { ArchiveRequest, ArchiveResult } from './archive.ts';
import type { Archivable, SnapshotRequest, SnapshotResult } from './snapshot-builder.ts';

/** Which segment is to be archived; it may have to be found out. */
type NextToArchive = Omit<ArchiveRequest, 'before'> & Pick<Archivable, 'before'>;

/** Requests to the thread. */
export type SnapshotWork =
  | { readonly kind: 'snapshot'; readonly request: SnapshotRequest }
  | { readonly kind: 'archive'; readonly request: NextToArchive }
  | { readonly kind: 'ids'; readonly directory: string };

/** How many finished segments have no ids yet. */
export interface IdsResult {
  readonly left: number;
}

type Result = SnapshotResult | ArchiveResult | IdsResult;

/** Its answer: the result, or the reason for none. */
export type SnapshotAnswer =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly reason: string };

/** Why nothing came of it, in words; a mistake of ours goes by its name. */
export function failed(error: unknown): SnapshotAnswer {
  const reason = error instanceof Error && 'code' in error ? withRemedy(diskReason(error), error) : String(error);
  return { kind: 'failed', reason };
}

const WORKER = workerFile('snapshots/snapshot-worker');
const IDLE_MS = 20_000;

export class SnapshotThread {
  readonly #idleMs: number;
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | null = null;

  constructor(idleMs = IDLE_MS) {
    this.#idleMs = idleMs;
  }

  /** Whether there is a thread at this moment. */
  get isRunning(): boolean {
    return this.#worker !== null;
  }

  /** Make one snapshot; one thing at a time. Rejects if it failed, or the thread did. */
  make(request: SnapshotRequest): Promise<SnapshotResult> {
    return this.#do({ kind: 'snapshot', request }) as Promise<SnapshotResult>;
  }

  /** Move one segment into the archive; one thing at a time. Rejects if it failed, or the thread did. */
  archive(request: NextToArchive): Promise<ArchiveResult> {
    return this.#do({ kind: 'archive', request }) as Promise<ArchiveResult>;
  }

  /** Make the ids of one segment (history/segment-ids.ts); one thing at a time. Rejects if the thread failed. */
  ids(directory: string): Promise<IdsResult> {
    return this.#do({ kind: 'ids', directory }) as Promise<IdsResult>;
  }

  #do(work: SnapshotWork): Promise<Result> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    const worker = this.#begin();
    // The process stays for what is being done, not for a thread that waits.
    worker.ref();
    return new Promise<Result>((resolve, reject) => {
      const onMessage = (answer: SnapshotAnswer): void => {
        stopListening();
        if (answer.kind === 'done') resolve(answer.result);
        else reject(new Error(answer.reason));
      };
      const onError = (error: unknown): void => {
        stopListening();
        reject(error);
      };
      const onExit = (code: number): void => {
        stopListening();
        reject(new Error(`its thread ended with code ${code}`));
      };
      const stopListening = (): void => {
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      };
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
      worker.postMessage(work);
    }).finally(() => {
      worker.unref();
      this.#idle = setTimeout(() => void this.close(), this.#idleMs).unref();
    });
  }

  /** End the thread; the next snapshot begins another. */
  async close(): Promise<void> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    const worker = this.#worker;
    // A request during its end would end with it.
    this.#worker = null;
    await worker?.terminate();
  }

  #begin(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = startWorker(WORKER);
    const forget = (): void => {
      if (this.#worker === worker) this.#worker = null;
    };
    // Waiting callers hear it too.
    worker.on('error', forget).on('exit', forget);
    this.#worker = worker;
    return worker;
  }
}
