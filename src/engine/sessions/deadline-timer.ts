// The one timer of an engine: gives every machine its tick when its deadline has come, or when the clock was set back. Leaves
// the deadlines themselves to deadlines.ts.

import { CLOCK_SET_BACK_MS } from '../../base/steady-time.ts';
import type { EpochMs } from '../../base/time.ts';
import type { Deadlines } from './deadlines.ts';

/**
 * Longest wait in one piece; a timer that fires early is set again. Timers stop while a machine is suspended, and
 * ignore changes of the clock: due work is found this soon.
 */
const TIMER_MS_MAX = 60_000;

export class DeadlineTimer {
  private readonly deadlines: Deadlines;
  private readonly now: () => EpochMs;
  private readonly tick: (name: string) => void;
  private timer: NodeJS.Timeout | null = null;
  private timerAt = Number.POSITIVE_INFINITY;
  /** A later event, such as the end of a connection, sets no timer: that would keep the process alive. */
  private stopped = false;
  /** The clock when the timer was last set or fired. */
  private lookedAt: EpochMs = 0;

  /** @param tick called for each name that is due */
  constructor(deadlines: Deadlines, now: () => EpochMs, tick: (name: string) => void) {
    this.deadlines = deadlines;
    this.now = now;
    this.tick = tick;
  }

  /** Look again, after every turn that may have moved a deadline. */
  arm(): void {
    if (this.stopped) return;
    // Deadlines move with every message: the timer is only ever brought forward, and one that fires early is set again.
    if (this.timer !== null && this.timerAt <= this.deadlines.notBefore) return;
    const at = this.deadlines.next() ?? Number.POSITIVE_INFINITY;
    if (this.timer !== null && this.timerAt <= at) return;
    this.clear();
    if (at === Number.POSITIVE_INFINITY) return;
    this.timerAt = at;
    const now = this.now();
    this.lookedAt = Math.max(this.lookedAt, now);
    const waitMs = this.isSetBack(now) ? 0 : Math.min(TIMER_MS_MAX, Math.max(0, at - now));
    this.timer = setTimeout(() => this.fired(), waitMs);
  }

  /** No machine gets a tick any more. */
  stop(): void {
    this.stopped = true;
    this.clear();
  }

  private clear(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private isSetBack(now: EpochMs): boolean {
    return this.lookedAt - now >= CLOCK_SET_BACK_MS;
  }

  private fired(): void {
    this.timer = null;
    this.timerAt = Number.POSITIVE_INFINITY;
    const now = this.now();
    // A clock that was set back: who hears of nothing else has to learn it, deadlines of the old one are far away.
    const all = this.isSetBack(now) ? this.deadlines.names() : [];
    this.lookedAt = now;
    for (const name of all) this.tick(name);
    for (let name = this.deadlines.due(now); name !== null; name = this.deadlines.due(now)) this.tick(name);
    this.arm();
  }
}
