// A TCP connection between an OMS and the house: bytes arrive in order and late, or not at all. It is cut in the middle of
// a frame, falls silent, splits what was sent at once, and its two ends learn of its end at different times.

import type { Faults, Randomness } from './randomness.ts';
import type { Life, Scheduler } from './scheduler.ts';

/** One end as its owner sees it. */
export interface End {
  onBytes: (bytes: Buffer) => void;
  onClose: () => void;
}

interface Direction {
  lastArrival: number;
  readonly to: End;
  readonly life: Life;
}

const NOTHING: End = { onBytes: () => {}, onClose: () => {} };

export class Link {
  readonly oms: End = { ...NOTHING };
  readonly house: End = { ...NOTHING };
  /** Bytes still arrive. */
  #carries = true;
  #losesNext: 'toOms' | 'toHouse' | null = null;
  readonly #directions: Record<'toOms' | 'toHouse', Direction>;
  readonly #scheduler: Scheduler;
  readonly #random: Randomness;
  readonly #faults: Faults;

  constructor(scheduler: Scheduler, random: Randomness, faults: Faults) {
    this.#scheduler = scheduler;
    this.#random = random;
    this.#faults = faults;
    this.#directions = {
      toOms: { lastArrival: 0, to: this.oms, life: { alive: true } },
      toHouse: { lastArrival: 0, to: this.house, life: { alive: true } },
    };
  }

  /** The line breaks instead of carrying what is sent next on this way. */
  loseNext(way: 'toOms' | 'toHouse'): void {
    this.#losesNext = way;
  }

  send(way: 'toOms' | 'toHouse', bytes: Uint8Array): void {
    if (!this.#carries) return;
    if (way === this.#losesNext) {
      this.cut();
      return;
    }
    const copy = Buffer.from(bytes);
    if (this.#faults.strikes('linkSilent', 0.0015)) {
      this.#carries = false;
      return;
    }
    if (this.#faults.strikes('linkCut', 0.004)) {
      this.cut(way, copy);
      return;
    }
    if (copy.length > 1 && this.#faults.strikes('chunkSplit', 0.03)) {
      const at = this.#random.between(1, copy.length - 1);
      this.#deliver(way, copy.subarray(0, at));
      this.#deliver(way, copy.subarray(at));
    } else this.#deliver(way, copy);
  }

  /** One end closes: the other learns it behind what was sent before. */
  close(by: 'oms' | 'house'): void {
    const far = this.#directions[by === 'oms' ? 'toHouse' : 'toOms'];
    const near = this.#directions[by === 'oms' ? 'toOms' : 'toHouse'];
    near.life.alive = false;
    if (!far.life.alive) return;
    // A silent link goes unnoticed; each end gives up by itself.
    const delay = this.#carries ? 0 : this.#random.between(1_000, 8_000);
    this.#scheduler.at(Math.max(far.lastArrival, this.#scheduler.now + 1 + delay), () => this.#end(far), far.life);
  }

  /** The line breaks: what is under way is lost, but for a part of what was being sent. */
  cut(way: 'toOms' | 'toHouse' | null = null, bytes: Buffer | null = null): void {
    if (way !== null && bytes !== null && this.#random.chance(0.5)) {
      this.#faults.count('frameTorn');
      this.#deliver(way, bytes.subarray(0, this.#random.between(0, bytes.length - 1)));
    }
    this.#carries = false;
    for (const direction of Object.values(this.#directions)) {
      const at = Math.max(direction.lastArrival, this.#scheduler.now + this.#random.between(0, 1_500));
      this.#scheduler.at(at, () => this.#end(direction), direction.life);
    }
  }

  #deliver(way: 'toOms' | 'toHouse', bytes: Buffer): void {
    const direction = this.#directions[way];
    const arrival = Math.max(direction.lastArrival, this.#scheduler.now + this.#random.between(1, 5));
    direction.lastArrival = arrival;
    this.#scheduler.at(arrival, () => direction.to.onBytes(bytes), direction.life);
  }

  #end(direction: Direction): void {
    direction.life.alive = false;
    direction.to.onClose();
  }
}
