// A clock for tests that live through hours: timers of ten minutes and more wait for it, shorter ones for real time.

/** Timers from here on are the clock's. */
const LONG_MS = 600_000;

interface LongTimer {
  readonly at: number;
  readonly run: () => void;
  ref(): LongTimer;
  unref(): LongTimer;
}

export class VirtualDay {
  now: number;
  private readonly timers = new Set<LongTimer>();
  private readonly real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };

  constructor(start: number) {
    this.now = start;
  }

  /** Take over the process's long timers until `release`. */
  takeTimers(): void {
    const start = (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]): unknown => {
      if (ms < LONG_MS) return this.real.setTimeout(run, ms, ...given);
      const timer: LongTimer = { at: this.now + ms, run: () => run(...given), ref: () => timer, unref: () => timer };
      this.timers.add(timer);
      return timer;
    };
    globalThis.setTimeout = start as typeof setTimeout;
    globalThis.clearTimeout = ((timer: unknown) => {
      if (!this.timers.delete(timer as LongTimer)) this.real.clearTimeout(timer as NodeJS.Timeout);
    }) as typeof clearTimeout;
  }

  release(): void {
    globalThis.setTimeout = this.real.setTimeout;
    globalThis.clearTimeout = this.real.clearTimeout;
  }

  /** Move on and run what is due. */
  advance(ms: number): void {
    this.now += ms;
    for (const timer of [...this.timers].sort((a, b) => a.at - b.at)) {
      if (timer.at > this.now || !this.timers.delete(timer)) continue;
      timer.run();
    }
  }
}
