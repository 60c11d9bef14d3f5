// The thread in which passwords are hashed. It stands back: a thousand Logons at once, as after a power cut at a house,
// must not take the processors from the sessions that are logged on. Handed to the threads that Node has for it, each
// hash would take the processor of the event loop that hands it over. passwords.ts decides the hashed text and its
// purpose.

import { extname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { standBack, startWorker } from '../../store/mod.ts';
import { cannotBeHashed, type Derive, deriveHere, type HashJob } from './hash-job.ts';

/** Messages of the thread: its system id, once, or the result of a job. */
export type HashAnswer =
  | { readonly kind: 'thread'; readonly number: number | null }
  | { readonly kind: 'done'; readonly id: number; readonly key: Uint8Array }
  | { readonly kind: 'failed'; readonly id: number; readonly reason: string };

interface Waiting {
  readonly job: HashJob;
  readonly since: number;
  readonly resolve: (key: Buffer) => void;
  readonly reject: (error: Error) => void;
  /** The thread was given it and said nothing: it is hashed elsewhere as well. */
  isElsewhere: boolean;
}

const WORKER = new URL(`./hash-worker${extname(import.meta.filename)}`, import.meta.url);
/** Passwords waiting to be hashed; further ones are refused. */
const WAITING_MAX = 10_000;
/** So many are given to the thread ahead, which then need not be woken for each. */
const GIVEN_MAX = 8;
/** About a thirtieth is left to it where others want the processors. */
const STEPS_BACK = 15;
/**
 * Jobs that waited this long, or were given to a thread silent this long, run at the priority of the process, one at a
 * time.
 */
const PATIENCE_MS = 1_000;
const LOOK_MS = 100;
const IDLE_MS = 20_000;

export class HashThread {
  readonly #elapsedMs: () => number;
  readonly #start: () => Worker;
  readonly #waiting: Waiting[] = [];
  readonly #given = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #jobs = 0;
  /** When the thread said something last. */
  #heardAt = Number.NEGATIVE_INFINITY;
  #isHurrying = false;
  #look: NodeJS.Timeout | null = null;
  #idle: NodeJS.Timeout | null = null;

  /** A test brings its own thread, and time. */
  constructor(start = () => startWorker(WORKER), elapsedMs = () => performance.now()) {
    this.#start = start;
    this.#elapsedMs = elapsedMs;
  }

  /** Hash one, first come, first served. */
  readonly derive: Derive = (job) => {
    if (this.#waiting.length >= WAITING_MAX) return Promise.reject(cannotBeHashed('too many wait for it'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, since: this.#elapsedMs(), resolve, reject, isElsewhere: false });
      this.#serve();
    });
  };

  #serve(): void {
    const worker = this.#waiting.length > 0 && this.#given.size < GIVEN_MAX ? this.#begin() : null;
    while (worker !== null && this.#given.size < GIVEN_MAX) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      const id = this.#jobs++;
      this.#given.set(id, next);
      worker.postMessage({ id, ...next.job });
    }
    this.#hurry();
    if (this.#waiting.length > 0 || this.#firstGiven() !== undefined)
      this.#look ??= setTimeout(() => this.#lookAgain(), LOOK_MS).unref();
    if (this.#given.size === 0 && this.#worker !== null) this.#rest();
  }

  #lookAgain(): void {
    this.#look = null;
    this.#serve();
  }

  /** Where there is no thread, or none of the processors has time for it, somebody else does its work. */
  #hurry(): void {
    const late = this.#isHurrying ? undefined : this.#takeLate();
    if (late === undefined) return;
    this.#isHurrying = true;
    void deriveHere(late.job)
      .then(late.resolve, late.reject)
      .finally(() => {
        this.#isHurrying = false;
        this.#serve();
      });
  }

  /** The first who has waited for too long. */
  #takeLate(): Waiting | undefined {
    const now = this.#elapsedMs();
    const given = this.#firstGiven();
    if (given !== undefined && now - Math.max(given.since, this.#heardAt) >= PATIENCE_MS) {
      given.isElsewhere = true;
      return given;
    }
    const [first] = this.#waiting;
    const isLate = first !== undefined && (this.#worker === null || now - first.since >= PATIENCE_MS);
    return isLate ? this.#waiting.shift() : undefined;
  }

  /** Jobs in the thread that no other code serves. */
  #firstGiven(): Waiting | undefined {
    for (const given of this.#given.values()) if (!given.isElsewhere) return given;
    return undefined;
  }

  /** The thread; null if the process may have no further one. */
  #begin(): Worker | null {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    if (this.#worker !== null) {
      // The process stays for running work, not for a waiting thread.
      this.#worker.ref();
      return this.#worker;
    }
    try {
      const worker = this.#start();
      worker.on('message', (answer: HashAnswer) => this.#answered(answer));
      let reason = 'its thread ended';
      worker.on('error', (error) => {
        reason = (error as Error).message;
      });
      worker.on('exit', () => this.#ended(worker, reason));
      this.#worker = worker;
    } catch {
      return null;
    }
    return this.#worker;
  }

  #answered(answer: HashAnswer): void {
    this.#heardAt = this.#elapsedMs();
    if (answer.kind === 'thread') {
      if (answer.number !== null) standBack(answer.number, STEPS_BACK);
      return;
    }
    const done = this.#given.get(answer.id);
    this.#given.delete(answer.id);
    if (answer.kind === 'done') done?.resolve(Buffer.from(answer.key));
    else if (done?.isElsewhere === false) done.reject(cannotBeHashed(answer.reason));
    this.#serve();
  }

  #ended(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    const lost = [...this.#given.values()];
    this.#given.clear();
    for (const { reject, isElsewhere } of lost) if (!isElsewhere) reject(cannotBeHashed(reason));
    this.#serve();
  }

  #rest(): void {
    this.#worker?.unref();
    this.#idle ??= setTimeout(() => {
      const worker = this.#worker;
      this.#worker = null;
      this.#idle = null;
      void worker?.terminate();
    }, IDLE_MS).unref();
  }
}
