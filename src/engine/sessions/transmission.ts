// Output for a counterparty once recorded: the bytes of a message, or the end of the connection. The commit queue
// decides when; the wire has the socket.

import type { EpochMs } from '../../base/time.ts';
import type { Consequence } from './commit-queue.ts';
import type { LateMessages } from './late-messages.ts';
import type { SessionSlot, Wire } from './session-slot.ts';

/** The wire is taken now: bytes meant for one connection never reach the next one of the same session. */
export class Transmission implements Consequence {
  readonly evenIfUnrecorded = false;
  readonly slot: SessionSlot;
  private readonly wire: Wire;
  readonly raw: Uint8Array;
  private readonly at: EpochMs;
  private readonly late: LateMessages;

  constructor(slot: SessionSlot, wire: Wire, raw: Uint8Array, at: EpochMs, late: LateMessages) {
    this.slot = slot;
    this.wire = wire;
    this.raw = raw;
    this.at = at;
    this.late = late;
  }

  /** The connection that it is meant for is still the session's. */
  get isCurrent(): boolean {
    return this.slot.wire === this.wire;
  }

  run(): void {
    if (this.at < this.late.before) this.late.send(this.slot, this.wire, this.raw);
    else this.wire.send(this.raw);
  }

  flush(): void {
    this.wire.flush?.();
  }
}

/** The end of the connection. */
export function closing(wire: Wire): Consequence {
  return { evenIfUnrecorded: false, run: () => wire.close() };
}
