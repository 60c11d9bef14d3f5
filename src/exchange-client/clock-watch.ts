// Compares our clock with the exchange's now and then: nonces and timestamps come from it, and a login payload is valid for
// five minutes only. Setting clocks is the operator's business.

import type { ResolvedOptions } from './options.ts';
import type { Reads } from './reads.ts';

export class ClockWatch {
  readonly #options: ResolvedOptions;
  readonly #reads: Reads;
  #timer: NodeJS.Timeout | null = null;
  #isOff = false;
  #isClosed = false;

  constructor(options: ResolvedOptions, reads: Reads) {
    this.#options = options;
    this.#reads = reads;
  }

  start(): void {
    const { clockCheckMs } = this.#options.timeouts;
    void this.#compare();
    this.#timer = setInterval(() => void this.#compare(), clockCheckMs);
    this.#timer.unref();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  async #compare(): Promise<void> {
    const { now, settings, onAlarm, log } = this.#options;
    const answer = await this.#reads.time();
    if (answer === null || this.#isClosed) return;
    const { time, sentAt, receivedAt } = answer;
    // Between leaving and arriving the exchange's clock was read: only what lies outside is an offset for certain.
    const offsetMs = time < sentAt ? time - sentAt : Math.max(0, time - receivedAt);
    const isOff = Math.abs(offsetMs) > settings.clockOffsetMaxMs;
    if (isOff && !this.#isOff) {
      const text = `our clock is ${Math.abs(offsetMs)} ms ${offsetMs < 0 ? 'ahead of' : 'behind'} the exchange's`;
      onAlarm('clockOffset', text, { offsetMs, at: now() });
    }
    if (!isOff && this.#isOff) log('info', 'our clock agrees with the exchange again', { offsetMs });
    this.#isOff = isOff;
  }
}
