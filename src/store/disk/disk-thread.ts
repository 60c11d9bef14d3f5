// A thread that writes and syncs for a journal, so that a disk without an answer never stops the event loop. The caller
// waits on the spot for a fast disk, as long as it likes, and learns of a slow one later. This costs two thread
// switches more than the system call: 30 µs, and 100 if both processors are busy. embedded-journal.ts decides the
// effect of an error.

import type { Worker } from 'node:worker_threads';
import { assert } from '../../base/assert.ts';
import type { StoreLog } from '../log.ts';
import { startWorker, workerFile } from '../worker-thread.ts';
import type { Disk, DurableJob, DurableThread } from './disk.ts';
import { DiskRoom, Slot } from './disk-shared-memory.ts';

const WORKER = workerFile('disk/disk-worker');

export class DiskThread implements DurableThread {
  readonly #room = new DiskRoom();
  #worker: Worker | null;
  /** Number of the last request. */
  #asked = 0;
  /** Callback that waits for the end of the present request. */
  #waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void } | null = null;
  /** The thread ended by itself: its owner has to do without. */
  #isBroken = false;
  readonly #onEnded: (reason: string) => void;

  /**
   * @param onEnded called when the thread has ended by itself
   * @param worker the thread's program; another one in tests
   * @throws if the process may have no further thread
   */
  constructor(onEnded: (reason: string) => void, worker = WORKER) {
    this.#onEnded = onEnded;
    this.#worker = this.#start(worker);
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  get bytes(): Buffer {
    return this.#room.bytes;
  }

  /** One job at a time. */
  begin(fd: number, length: number, position: number): DurableJob {
    const { slots } = this.#room;
    assert(this.#isIdle, 'the thread of a disk does one thing at a time');
    slots[Slot.fd] = fd;
    slots[Slot.length] = length;
    this.#room.position = position;
    this.#asked = (this.#asked + 1) | 0;
    Atomics.store(slots, Slot.asked, this.#asked);
    Atomics.notify(slots, Slot.asked);
    const asked = this.#asked;
    const before = Atomics.load(slots, Slot.written);
    return {
      waitWritten(ms) {
        const isWritten = (): boolean => length === 0 || Atomics.load(slots, Slot.written) === asked;
        if (isWritten()) return true;
        Atomics.wait(slots, Slot.written, before, ms);
        return isWritten();
      },
      wait: (ms) => this.#wait(ms),
      ended: () => this.#ended(),
    };
  }

  /** End the thread after its present write and sync. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    this.#worker = null;
    const exited = new Promise((resolve) => worker.once('exit', resolve));
    const { slots } = this.#room;
    Atomics.store(slots, Slot.stop, 1);
    Atomics.store(slots, Slot.asked, (this.#asked + 1) | 0);
    Atomics.notify(slots, Slot.asked);
    worker.ref();
    await exited;
  }

  get #isIdle(): boolean {
    return Atomics.load(this.#room.slots, Slot.done) === this.#asked;
  }

  #wait(ms: number): boolean {
    const { slots } = this.#room;
    const before = (this.#asked - 1) | 0;
    // Woken without a reason it would look again; it is not, and one wait too short costs nothing but a message.
    if (!this.#isIdle) Atomics.wait(slots, Slot.done, before, ms);
    if (!this.#isIdle) return false;
    const { failure } = this.#room;
    if (failure !== null) throw failure;
    return true;
  }

  #ended(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isBroken) return reject(new Error('the thread that writes the journal has ended'));
      this.#waiting = { resolve, reject };
      this.#worker?.ref();
      Atomics.store(this.#room.slots, Slot.tell, this.#asked);
      if (this.#isIdle) this.#conclude();
    });
  }

  /** The present request has ended, by message or by observation. */
  #conclude(): void {
    const waiting = this.#waiting;
    if (waiting === null || !this.#isIdle) return;
    this.#waiting = null;
    this.#worker?.unref();
    const { failure } = this.#room;
    if (failure === null) waiting.resolve();
    else waiting.reject(failure);
  }

  #start(file: URL): Worker {
    const worker = startWorker(file, this.#room.memory);
    worker.unref();
    worker.on('message', () => this.#conclude());
    const gone = (reason: unknown): void => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.#isBroken = true;
      const waiting = this.#waiting;
      this.#waiting = null;
      waiting?.reject(new Error(`the thread that writes the journal has ended: ${String(reason)}`));
      this.#onEnded(String(reason));
    };
    worker.on('error', gone).on('exit', (code) => gone(`code ${code}`));
    return worker;
  }
}

/** Null where there is none. A process that may have no further thread works without. */
function threadOf(disk: Disk, without: (reason: string) => void): DurableThread | null {
  try {
    return disk.thread?.(without) ?? null;
  } catch (error) {
    without(String(error));
    return null;
  }
}

/** Syncs, and the writes before them, in a thread; or without one, the disk being asked where it is waited for. */
export class DurableJobs {
  readonly #disk: Disk;
  readonly #thread: DurableThread | null;

  constructor(disk: Disk, inThread: boolean, log: StoreLog | undefined) {
    this.#disk = disk;
    const without = (reason: string): void =>
      log?.('warn', `no thread writes the journal: a disk that stands still stops this process too (${reason})`);
    this.#thread = inThread ? threadOf(disk, without) : null;
  }

  /** Where the bytes of the next job are laid; null if none can be taken. */
  get bytes(): Buffer | null {
    return this.#working?.bytes ?? null;
  }

  /** Write the first `length` of `bytes` at `position`, and sync the file. */
  begin(fd: number, length: number, position: number): DurableJob {
    const thread = this.#working;
    if (thread !== null) return thread.begin(fd, length, position);
    const disk = this.#disk;
    return {
      waitWritten: () => true,
      wait: () => {
        disk.syncBlocking(fd);
        return true;
      },
      ended: () => disk.sync(fd),
    };
  }

  async close(): Promise<void> {
    await this.#thread?.close();
  }

  get #working(): DurableThread | null {
    return this.#thread?.isBroken === false ? this.#thread : null;
  }
}
