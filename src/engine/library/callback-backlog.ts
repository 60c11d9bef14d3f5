// How many async callbacks each session of the library has under way. TCP keeps a counterparty from sending more than is read;
// a callback that goes on behind an `await` does not keep anybody from reading more. Leaves callbacks to fix-application.ts and
// reading to connection.ts.

import type { SessionSlot } from '../sessions/session-slot.ts';

/** Time without reading a counterparty before operators are alerted. */
const TOLD_AFTER_MS = 10_000;

export class CallbackBacklog {
  readonly #max: number;
  readonly #tell: (slot: SessionSlot) => void;
  readonly #counts = new Map<SessionSlot, number>();
  readonly #timers = new Map<SessionSlot, NodeJS.Timeout>();

  /** @param max callbacks of one session above which its counterparty is not read, until half of them have ended */
  constructor(max: number, tell: (slot: SessionSlot) => void) {
    this.#max = max;
    this.#tell = tell;
  }

  began(slot: SessionSlot): void {
    const count = (this.#counts.get(slot) ?? 0) + 1;
    this.#counts.set(slot, count);
    if (count < this.#max || slot.isBehind === true) return;
    slot.isBehind = true;
    slot.onBehind?.();
    this.#timers.set(slot, setTimeout(() => this.#tell(slot), TOLD_AFTER_MS).unref());
  }

  ended(slot: SessionSlot): void {
    const count = (this.#counts.get(slot) ?? 1) - 1;
    // Sessions of templates come and go.
    if (count === 0) this.#counts.delete(slot);
    else this.#counts.set(slot, count);
    if (slot.isBehind !== true || count > this.#max / 2) return;
    slot.isBehind = false;
    clearTimeout(this.#timers.get(slot));
    this.#timers.delete(slot);
    slot.onBehind?.();
  }
}
