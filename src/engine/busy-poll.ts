// Looks for the next message for a while after each one instead of letting the process sleep: what wakes a processor takes
// longer than an order does. Off unless configured, since it takes a processor while there is traffic.

/** Microseconds in a millisecond. */
const MICROS = 1000;

export class BusyPoll {
  private readonly forMs: number;
  private until = 0;
  private polling = false;
  private readonly poll = (): void => {
    if (performance.now() < this.until) setImmediate(this.poll);
    else this.polling = false;
  };

  /** @param forMicros how long after the last input; at least 1 */
  constructor(forMicros: number) {
    this.forMs = forMicros / MICROS;
  }

  /** Something came in: more may. */
  stayAwake(): void {
    this.until = performance.now() + this.forMs;
    if (this.polling) return;
    this.polling = true;
    // The event loop does not sleep while an immediate waits.
    setImmediate(this.poll);
  }
}
