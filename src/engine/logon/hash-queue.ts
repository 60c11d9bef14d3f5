// The queue of passwords to hash. libuv's pool computes one expensive and one cheap hash at a time: a thousand Logons
// at once leave processor time and memory to logged-on sessions. A dear hash takes 128 MiB and half a second; few may
// wait, and the origin (origin.ts) with most of them loses its oldest first. passwords.ts decides what is hashed.

import { KnownOrigins } from '../../base/places/known-origins.ts';
import { Strangers } from '../../base/places/strangers.ts';
import { deriveHere, type HashJob } from './hash-job.ts';

/** Above this memory a hash is dear: that of a chosen password. */
const DEAR_BYTES = 16_777_216;
/** Cheap hashes take some 3 ms each. */
const CHEAP_WAITING_MAX = 10_000;
/** The last of these waits for about as long as a client does for the answer to its Logon. */
const DEAR_WAITING_MAX = 20;

/** The queue is full: the Logon has to come again. */
export class HashQueueFull extends Error {}

interface Waiting {
  readonly job: HashJob;
  readonly resolve: (key: Buffer) => void;
  readonly reject: (error: Error) => void;
}

/** One hash at a time. */
class Lane {
  readonly #max: number;
  readonly #known: KnownOrigins;
  readonly #hash: (job: HashJob) => Promise<Buffer>;
  /** First come, first served. */
  readonly #waiting = new Set<Waiting>();
  readonly #byOrigin: Strangers<Waiting>;
  #isBusy = false;

  constructor(max: number, known: KnownOrigins, hash: (job: HashJob) => Promise<Buffer>) {
    this.#max = max;
    this.#known = known;
    this.#hash = hash;
    this.#byOrigin = new Strangers(this.#known);
  }

  push(waiting: Waiting, origin: string): void {
    this.#waiting.add(waiting);
    this.#byOrigin.add(waiting, origin);
    if (this.#waiting.size > this.#max) {
      const first = this.#byOrigin.firstUnknown() ?? this.#byOrigin.firstKnown()!;
      this.#take(first);
      first.reject(new HashQueueFull('too many passwords wait for their check'));
    }
    this.#next();
  }

  #next(): void {
    const [next] = this.#waiting;
    if (this.#isBusy || next === undefined) return;
    this.#take(next);
    this.#isBusy = true;
    void this.#hash(next.job)
      .then(next.resolve, next.reject)
      .finally(() => {
        this.#isBusy = false;
        this.#next();
      });
  }

  #take(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    this.#byOrigin.delete(waiting);
  }
}

export class HashQueue {
  readonly #known = new KnownOrigins();
  readonly #cheap: Lane;
  readonly #dear: Lane;
  /** Hashes asked for; a test compares the work of two Logons by it. */
  asked = 0;

  /** A test brings its own hash. */
  constructor(hash: (job: HashJob) => Promise<Buffer> = deriveHere) {
    this.#cheap = new Lane(CHEAP_WAITING_MAX, this.#known, hash);
    this.#dear = new Lane(DEAR_WAITING_MAX, this.#known, hash);
  }

  /**
   * Hash one for a Logon of that origin.
   * @throws HashQueueFull; CrossgateError XG_SECRET_MISSING if the system does not give the memory for it
   */
  derive(job: HashJob, origin: string): Promise<Buffer> {
    this.asked++;
    const { N, r } = job.cost;
    const lane = 128 * N * r > DEAR_BYTES ? this.#dear : this.#cheap;
    return new Promise((resolve, reject) => lane.push({ job, resolve, reject }, origin));
  }

  /** A Logon of that origin has proved itself: its hashes are the last to be dropped. */
  proved(origin: string): void {
    this.#known.add(origin);
  }
}
