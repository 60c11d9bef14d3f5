// Searches the history of a journal beside the traffic: in a thread, one search after the other. Between searches the thread makes
// the ids of finished segments (segment-ids.ts), so that later searches pass over them.

import type { Worker } from 'node:worker_threads';
import { CrossgateError } from '../../base/errors.ts';
import { endWorker, startWorker, workerFile } from '../worker-thread.ts';
import type { HistoryPage, HistoryQuery, SearchedJournal } from './history-query.ts';

export type HistoryWork = { readonly kind: 'search'; readonly query: HistoryQuery } | { readonly kind: 'prepare' };

export type HistoryAnswer =
  | { readonly kind: 'page'; readonly page: HistoryPage }
  | { readonly kind: 'prepared'; readonly left: number }
  | { readonly kind: 'failed'; readonly reason: string };

const WORKER = workerFile('history/history-worker');
/** Searches that wait; of more, the latest is refused. */
const WAITING_MAX = 16;
const IDLE_MS = 60_000;

interface Waiting {
  readonly work: HistoryWork;
  readonly resolve: (answer: HistoryAnswer) => void;
  readonly reject: (error: unknown) => void;
}

export class HistoryThread {
  readonly #journal: () => SearchedJournal;
  readonly #waiting: Waiting[] = [];
  #current: Waiting | null = null;
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | null = null;
  #isPreparing = false;
  #isClosed = false;

  /** @param journal read when the thread begins: the address of a database may change */
  constructor(journal: () => SearchedJournal) {
    this.#journal = journal;
  }

  /** One page. @throws CrossgateError XG_JOURNAL_UNREADABLE if it cannot be read, or too many searches wait */
  async search(query: HistoryQuery): Promise<HistoryPage> {
    if (this.#waiting.length >= WAITING_MAX) {
      throw new CrossgateError('XG_JOURNAL_UNREADABLE', `${WAITING_MAX} searches wait already: try again in a moment`);
    }
    const answer = await this.#ask({ kind: 'search', query });
    if (answer.kind !== 'page') throw new CrossgateError('XG_JOURNAL_UNREADABLE', reasonOf(answer));
    void this.prepare();
    return answer.page;
  }

  /** Make the missing ids, a segment at a time: a search does not wait for more than one. */
  async prepare(): Promise<void> {
    if (this.#isPreparing || this.#isClosed) return;
    this.#isPreparing = true;
    try {
      for (;;) {
        const answer = await this.#ask({ kind: 'prepare' });
        if (answer.kind !== 'prepared' || answer.left === 0 || this.#isClosed) return;
      }
    } catch {
      // The thread ended; the next search begins another one, and finds what is missing then.
    } finally {
      this.#isPreparing = false;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end();
  }

  async #end(): Promise<void> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    if (worker !== null) await endWorker(worker);
  }

  #ask(work: HistoryWork): Promise<HistoryAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(new CrossgateError('XG_JOURNAL_UNREADABLE', 'the gateway is stopping'));
        return;
      }
      this.#waiting.push({ work, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#current !== null) return;
    // A search goes before the making of ids.
    const at = this.#waiting.findIndex(({ work }) => work.kind === 'search');
    const [next] = this.#waiting.splice(Math.max(0, at), 1);
    if (this.#idle !== null) clearTimeout(this.#idle);
    if (next === undefined) {
      this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
      return;
    }
    this.#current = next;
    try {
      this.#begin().postMessage(next.work);
    } catch (error) {
      this.#settle((waiting) => waiting.reject(error));
    }
  }

  #begin(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = startWorker(WORKER, this.#journal());
    worker.unref();
    const lost = (why: string): void => {
      if (this.#worker === worker) this.#worker = null;
      const error = new CrossgateError('XG_JOURNAL_UNREADABLE', `the search ended: ${why}`);
      this.#settle((waiting) => waiting.reject(error));
    };
    worker.on('message', (answer: HistoryAnswer) => this.#settle((waiting) => waiting.resolve(answer)));
    worker.on('error', (error: unknown) => lost(String(error)));
    worker.on('exit', (code) => lost(`its thread ended with code ${code}`));
    this.#worker = worker;
    return worker;
  }

  #settle(how: (waiting: Waiting) => void): void {
    const current = this.#current;
    if (current === null) return;
    this.#current = null;
    how(current);
    this.#next();
  }
}

function reasonOf(answer: HistoryAnswer): string {
  return answer.kind === 'failed' ? answer.reason : 'the thread gave another answer';
}
