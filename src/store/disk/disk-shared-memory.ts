// The memory that a journal shares with the thread that writes and syncs for it (disk-thread.ts, disk-worker.ts): one request
// at a time, its bytes, and what came of it. Leaves when either side looks to them.

import { diskCode, diskReason } from '../../base/disk-full.ts';

/** Numbers in the room, for Atomics. */
export const Slot = {
  /** Number of the last request. */
  asked: 0,
  /** Number of the last request that has ended. */
  done: 1,
  /** Number of the request with an end that is also reported by message. */
  tell: 2,
  /** Not 0: the thread is to end, and the next number asks for nothing else. */
  stop: 3,
  fd: 4,
  /** Bytes to write before the sync. */
  length: 5,
  /** Bytes of the error text; 0 if it went well. */
  failure: 6,
  /** Number of the last request with all bytes written. */
  written: 7,
} as const;

const POSITION_AT = 32;
const FAILURE_AT = 64;
const FAILURE_BYTES = 1984;
const BYTES_AT = 4096;
/** Largest request: what comes in one turn of a busy event loop, several times. */
const BYTES_MAX = 1_048_576;

export class DiskRoom {
  readonly memory: SharedArrayBuffer;
  readonly slots: Int32Array<SharedArrayBuffer>;
  /** Bytes to write. */
  readonly bytes: Buffer;
  readonly #position: Float64Array;
  readonly #failure: Buffer;

  constructor(memory = new SharedArrayBuffer(BYTES_AT + BYTES_MAX)) {
    this.memory = memory;
    this.slots = new Int32Array(memory, 0, POSITION_AT / Int32Array.BYTES_PER_ELEMENT);
    this.bytes = Buffer.from(memory, BYTES_AT, BYTES_MAX);
    this.#position = new Float64Array(memory, POSITION_AT, 1);
    this.#failure = Buffer.from(memory, FAILURE_AT, FAILURE_BYTES);
  }

  /** Where in the file the bytes belong. */
  get position(): number {
    return this.#position[0]!;
  }

  set position(position: number) {
    this.#position[0] = position;
  }

  /** How the last request that has ended failed, as Node says it; null if it did not. */
  get failure(): NodeJS.ErrnoException | null {
    const length = this.slots[Slot.failure]!;
    if (length === 0) return null;
    const [code, ...words] = this.#failure.toString('utf8', 0, length).split(' ');
    return Object.assign(new Error(words.join(' ')), { code });
  }

  set failure(error: NodeJS.ErrnoException | null) {
    if (error === null) {
      this.slots[Slot.failure] = 0;
      return;
    }
    this.slots[Slot.failure] = this.#failure.write(`${diskCode(error) ?? 'EIO'} ${diskReason(error)}`);
  }
}
