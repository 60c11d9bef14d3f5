// Ended orders of a journal in PostgreSQL, asked for one by one: the gateway's machine is answered at once, so the event loop
// waits while a thread asks the database, for a bounded time. A database that gives no answer is not waited for again until it
// does: what is asked for meanwhile cannot be known, and is refused as used (rule O5).

import { once } from 'node:events';
import { MessageChannel, type MessagePort, receiveMessageOnPort, type Worker } from 'node:worker_threads';
import { CrossgateError } from '../../base/errors.ts';
import { endWorker, startWorker, workerFile } from '../worker-thread.ts';
import { EndedFilter } from './ended-filter.ts';

const WORKER = workerFile('postgres/ended-worker');
/** Longest wait for one order, with the whole gateway: nothing is read or sent meanwhile. */
const WAIT_MS_MAX = 500;
/** The first question waits for the thread too. */
const FIRST_WAIT_MS_MAX = 3_000;

/** Start-up data of the thread. */
export interface EndedThreadData {
  readonly url: string;
  readonly journal: string;
  readonly requestTimeoutMs: number;
  /** Not through a pooler. */
  readonly isDirect: boolean;
  readonly answers: MessagePort;
  /** Rises with each answer. */
  readonly answered: SharedArrayBuffer;
  /** Of the filter. */
  readonly memory: SharedArrayBuffer;
}

/** `wait`: until the database answers again. */
export type EndedQuestion =
  | { readonly kind: 'find'; readonly id: number; readonly key: string }
  | { readonly kind: 'wait' };

/** `isLost`: the key was used by an order that is not there any more. */
export type EndedAnswer = { readonly id: number } & (
  | { readonly text: string | null }
  | { readonly isLost: true }
  | { readonly error: string }
);

/** Unrequested messages of the thread: the database answers again; the filter has the keys of all. */
export interface EndedNews {
  readonly kind: 'there' | 'loaded';
}

export interface EndedLookupOptions {
  readonly url: string;
  readonly journal: string;
  /** For messages. */
  readonly where: string;
  readonly requestTimeoutMs: number;
  readonly isDirect: boolean;
  /** Some ended: the filter has to have their keys. Else no thread is begun before it is asked for one. */
  readonly hasKeys: boolean;
  /** How long a node may stand still without losing its lease. */
  readonly standstillMs: number;
  /** Said when the database gives no answer, and when it does again. */
  readonly onHealth: (healthy: boolean, reason: string) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly answers: MessagePort;
  readonly counter: Int32Array;
  hasAnswered: boolean;
}

export class EndedLookup {
  readonly #options: EndedLookupOptions;
  #thread: Thread | null = null;
  #lastId = 0;
  /** Why the database was not heard; null while it is. */
  #silence: string | null = null;
  readonly #filter = new EndedFilter();
  /** The filter has all keys; until then the database is asked for each. */
  #isLoaded = false;
  #closed = false;

  constructor(options: EndedLookupOptions) {
    this.#options = options;
    this.#isLoaded = !options.hasKeys;
    if (this.#isLoaded) return;
    try {
      this.#begun();
    } catch {
      // The next question begins it again, and its caller hears why not.
    }
  }

  /** A key of an order that ends: known from now on. */
  add(key: string): void {
    this.#filter.add(key);
  }

  /** Resolves when the filter has the keys of all. */
  async idle(): Promise<void> {
    while (this.#thread !== null && !this.#isLoaded) await once(this.#thread.worker, 'message');
  }

  /** @throws CrossgateError XG_JOURNAL_UNREADABLE if the process may have no further thread */
  #begun(): Thread {
    try {
      this.#thread ??= this.#start();
      return this.#thread;
    } catch (error) {
      throw this.#unknown(String(error));
    }
  }

  /** The record of an ended order under a key, or null. @throws CrossgateError XG_JOURNAL_UNREADABLE, XG_JOURNAL_CORRUPT */
  find(key: string): string | null {
    if (this.#isLoaded && !this.#filter.mayHold(key)) return null;
    if (this.#silence !== null || this.#closed) throw this.#unknown(this.#silence ?? 'it is closed');
    const thread = this.#begun();
    const { standstillMs } = this.#options;
    const waitMs = Math.min(thread.hasAnswered ? WAIT_MS_MAX : FIRST_WAIT_MS_MAX, standstillMs);
    const answer = this.#ask(thread, key, waitMs);
    if (answer !== null && !('error' in answer)) {
      thread.hasAnswered = true;
      if ('text' in answer) return answer.text;
      throw this.#lost(key);
    }
    const silence = answer === null ? `no answer within ${waitMs} ms` : answer.error;
    this.#silence = silence;
    this.#post(thread, { kind: 'wait' });
    this.#options.onHealth(false, `an order that ended could not be looked for: ${silence}`);
    throw this.#unknown(silence);
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#thread !== null) await endWorker(this.#thread.worker);
  }

  /** Null if no answer came in time. The next question ignores a late answer. */
  #ask(thread: Thread, key: string, waitMs: number): EndedAnswer | null {
    const id = ++this.#lastId;
    const end = performance.now() + waitMs;
    let seen = Atomics.load(thread.counter, 0);
    this.#post(thread, { kind: 'find', id, key });
    for (;;) {
      for (let got = receiveMessageOnPort(thread.answers); got; got = receiveMessageOnPort(thread.answers)) {
        const answer = got.message as EndedAnswer;
        if (answer.id === id) return answer;
      }
      const left = end - performance.now();
      if (left <= 0) return null;
      Atomics.wait(thread.counter, 0, seen, left);
      seen = Atomics.load(thread.counter, 0);
    }
  }

  #post(thread: Thread, question: EndedQuestion): void {
    thread.worker.postMessage(question);
  }

  #start(): Thread {
    const { url, journal, requestTimeoutMs, isDirect } = this.#options;
    const { port1, port2 } = new MessageChannel();
    const answered = new SharedArrayBuffer(4);
    const { memory } = this.#filter;
    const data: EndedThreadData = { url, journal, requestTimeoutMs, isDirect, answers: port2, answered, memory };
    const worker = startWorker(WORKER, data, [port2]);
    const thread = { worker, answers: port1, counter: new Int32Array(answered), hasAnswered: false };
    worker.on('message', (news: EndedNews) => {
      if (news.kind === 'loaded') {
        this.#isLoaded = true;
        return;
      }
      this.#silence = null;
      this.#options.onHealth(true, 'orders that ended are found again');
    });
    // One that ends is begun anew by the next question.
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (this.#thread === thread) this.#thread = null;
      if (this.#closed || this.#silence === null) return;
      // No caller waits for the database any more; the next question does.
      this.#silence = null;
    });
    // Neither keeps a process alive.
    worker.unref();
    port1.unref();
    return thread;
  }

  #unknown(why: string): CrossgateError {
    const { where } = this.#options;
    return new CrossgateError(
      'XG_JOURNAL_UNREADABLE',
      `the journal ${where}: whether an order ended is not known: ${why}`,
    );
  }

  #lost(key: string): CrossgateError {
    const what = `crossgate_order does not have the order of ${key}, which ended; restore the database from a backup`;
    return new CrossgateError('XG_JOURNAL_CORRUPT', `${this.#options.where}: ${what}`);
  }
}
