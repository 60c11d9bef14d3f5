// Partitions that send to the exchange from one network address have an equal part of its rate each: the message that says so, and
// when it is sent.

import type { RunningPartition } from '../workers/partition-host.ts';
import type { RegisterRows } from './register.ts';

export interface AddressShare {
  readonly kind: 'addressShare';
  readonly parts: number;
}

/** The longest window of the exchange's rates of an address. */
const GROWS_AFTER_MS = 60_000;

/** The parts that a message to a partition names: at least 1. */
export function addressPartsIn(message: unknown): number {
  const { kind, parts } = message as Partial<AddressShare>;
  return kind === 'addressShare' && Number.isInteger(parts) ? Math.max(1, parts!) : 1;
}

/** How many partitions send to the exchange from the address of that group. */
export function sharersIn(
  { placements }: Pick<RegisterRows, 'placements'>,
  live: RegisterRows['nodes'],
  addressGroup: string,
): number {
  const group = new Set(live.filter((node) => node.addressGroup === addressGroup).map(({ name }) => name));
  return placements.filter(({ node, owner }) => group.has(node) || group.has(owner ?? '')).length;
}

export class AddressShares {
  readonly #partitions: () => Iterable<RunningPartition>;
  #parts = 0;
  #due = 0;
  #timer: NodeJS.Timeout | null = null;

  /** @param partitions those that run here */
  constructor(partitions: () => Iterable<RunningPartition>) {
    this.#partitions = partitions;
  }

  /** Divide the rate by so many. Smaller parts count at once; larger ones when requests of a partition that has gone count no more. */
  divide(parts: number): void {
    if (parts === this.#due) return;
    this.#due = parts;
    this.close();
    this.#timer = setTimeout(() => this.#share(parts), parts < this.#parts ? GROWS_AFTER_MS : 0);
  }

  /** Give one its part. */
  tell(partition: RunningPartition): void {
    partition.tell({ kind: 'addressShare', parts: Math.max(1, this.#parts) } satisfies AddressShare);
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #share(parts: number): void {
    this.#parts = parts;
    for (const partition of this.#partitions()) this.tell(partition);
  }
}
