// Schedules the maintenance of a journal in PostgreSQL. Its writer records each deletion before it happens; a thread
// does the work (upkeep-worker.ts). A failure is retried with the next snapshot, and costs space.

import type { Worker } from 'node:worker_threads';
import type { StoreLog, UpkeepListener } from '../log.ts';
import { UpkeepTrouble } from '../snapshots/upkeep-trouble.ts';
import { endWorker, startWorker, workerFile } from '../worker-thread.ts';
import type { WriterOf } from './lease.ts';
import { DATABASE_REMEDY, reasonOf } from './pools.ts';

const WORKER = workerFile('postgres/upkeep-worker');

/** Start-up data of the thread. */
export interface UpkeepRequest {
  readonly url: string;
  readonly writer: WriterOf;
  /** For messages. */
  readonly where: string;
  /** How long rows are kept; null for ever. */
  readonly keptMs: number | null;
  readonly requestTimeoutMs: number;
}

/** `noted`: the keys of all runs are noted. `delete`: may these rows be deleted? The answer is true or false. */
export type UpkeepMessage =
  | { readonly kind: 'noted' | 'done' }
  | { readonly kind: 'note'; readonly text: string; readonly isWrong: boolean }
  | { readonly kind: 'delete'; readonly detail: string };

export interface UpkeepOptions {
  /** Record durably that rows are deleted. */
  readonly record: (detail: string) => Promise<void>;
  /** Drop the runs with noted keys. */
  readonly noted: () => Promise<void>;
  readonly log: StoreLog | undefined;
  readonly onUpkeep: UpkeepListener | undefined;
}

export class PostgresUpkeep {
  readonly #request: UpkeepRequest;
  readonly #options: UpkeepOptions;
  readonly #trouble: UpkeepTrouble;
  readonly #told = new Set<string>();
  #worker: Worker | null = null;
  #running: Promise<void> | null = null;
  #isDue = false;
  #closed = false;

  constructor(request: UpkeepRequest, options: UpkeepOptions) {
    this.#request = request;
    this.#options = options;
    this.#trouble = new UpkeepTrouble(options);
  }

  /** There may be something to do. */
  look(): void {
    this.#isDue = true;
    if (this.#closed || this.#running !== null) return;
    this.#running = this.#run()
      .then(() => this.#trouble.worked('upkeep'))
      .catch((error: unknown) => {
        if (this.#closed) return;
        const until =
          'rows are not sealed, and none is deleted after its years, until they can be: it is tried again behind the next snapshot';
        const text = `the journal ${this.#request.where} could not be looked after; ${until}. ${DATABASE_REMEDY}: ${reasonOf(error)}`;
        this.#trouble.failed('upkeep', text);
      })
      .finally(() => {
        this.#running = null;
        if (this.#isDue) this.look();
      });
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  /** Give up what is under way: nothing of it is in the database then, or all of a step. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#worker === null || (await endWorker(this.#worker))) await this.idle();
  }

  async #run(): Promise<void> {
    this.#isDue = false;
    const worker = startWorker(WORKER, this.#request);
    this.#worker = worker;
    await new Promise<void>((resolve, reject) => {
      worker.on('message', (message: UpkeepMessage) => {
        if (message.kind === 'done') resolve();
        else this.#take(message, worker).catch(reject);
      });
      worker.once('error', reject);
      worker.once('exit', (code) => reject(new Error(`its thread ended with code ${code}`)));
    });
  }

  async #take(message: UpkeepMessage, worker: Worker): Promise<void> {
    switch (message.kind) {
      case 'noted':
        await this.#options.noted();
        return;
      case 'note':
        this.#note(message);
        return;
      case 'delete':
        worker.postMessage(await this.#isRecorded(message.detail));
        return;
      case 'done':
        return;
    }
  }

  async #isRecorded(detail: string): Promise<boolean> {
    try {
      await this.#options.record(detail);
    } catch {
      // The recorder learns the database's state.
      return false;
    }
    this.#options.log?.('info', `${this.#request.where}: ${detail}: deleted`);
    return true;
  }

  /** Once: it is the same with the next snapshot. */
  #note({ text, isWrong }: UpkeepMessage & { readonly kind: 'note' }): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    if (isWrong) this.#trouble.failed(text, text);
    else this.#options.log?.('warn', text);
  }
}
