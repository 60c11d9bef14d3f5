// Polls for the next message for a while instead of letting the process sleep: waking a processor takes longer than an
// order. It does so while it pays: messages follow each other within that time, and no other process needs the
// processor.

import { availableParallelism } from 'node:os';
// The global one is looked up by a getter each time.
import { performance } from 'node:perf_hooks';

/** How long is polled unless configured otherwise: longer than an exchange nearby takes to answer. */
export const BUSY_POLL_MICROS_DEFAULT = 500;
/** Microseconds in a millisecond. */
const MICROS = 1000;
/** A message sooner than this was read with the one before: it proves nothing about their intervals. */
const TOGETHER_MS = 0.02;
/** Weight of the latest message in the share of those that came in time. */
const WEIGHT = 1 / 16;
/** So many of the messages must come in time. */
const SHARE = 0.5;
/** A look for messages takes microseconds: if the next one comes so late, somebody else had the processor. */
const TAKEN_AWAY_MS = 0.5;
/** Limit of the polling time overall, and its long-run share; garbage collection counts too. */
const TAKEN_MS_MAX = 20;
const TAKEN_SHARE_MAX = 1 / 8;
/** How long the processor is then left to others; twice as long each time that it happens again at once. */
const REST_MS = 100;
const REST_MS_MAX = 6_400;

/** The event loop; a test brings its own. */
export interface PollLoop {
  /** Milliseconds that only grow. */
  now(): number;
  /** Run in the next turn, which the event loop begins without sleeping. */
  next(run: () => void): void;
}

const eventLoop: PollLoop = { now: () => performance.now(), next: (run) => void setImmediate(run) };

export class BusyPoll {
  private readonly loop: PollLoop;
  private readonly forMs: number;
  private until = 0;
  private polling = false;
  /** When something came in last, and when was looked for it last. */
  private cameAt = Number.NEGATIVE_INFINITY;
  private lookedAt = 0;
  /** Share of the latest messages that came within the time after the one before. */
  private inTime = 0;
  /** Time taken, less the allowed part. */
  private takenMs = 0;
  private restUntil = Number.NEGATIVE_INFINITY;
  private restMs = REST_MS;
  private readonly look = (): void => {
    const at = this.loop.now();
    const looking = at - Math.max(this.lookedAt, this.cameAt);
    if (looking > TAKEN_AWAY_MS) this.takenAway(at, looking);
    else this.takenMs = Math.max(0, this.takenMs - looking * TAKEN_SHARE_MAX);
    this.lookedAt = at;
    if (at >= this.until) {
      this.polling = false;
      return;
    }
    this.loop.next(this.look);
  };

  /** @param forMicros how long after the last input; at least 1 */
  constructor(forMicros: number, loop = eventLoop) {
    this.loop = loop;
    this.forMs = forMicros / MICROS;
  }

  /** Something came in: more may. */
  stayAwake(): void {
    const at = this.loop.now();
    const since = at - this.cameAt;
    this.cameAt = at;
    if (since > TOGETHER_MS) this.inTime += ((since <= this.forMs ? 1 : 0) - this.inTime) * WEIGHT;
    if (this.inTime < SHARE || at < this.restUntil) return;
    this.until = at + this.forMs;
    if (this.polling) return;
    this.polling = true;
    this.lookedAt = at;
    this.loop.next(this.look);
  }

  /** Polling while others need the processor makes both late. */
  private takenAway(at: number, ms: number): void {
    this.takenMs += ms;
    if (this.takenMs < TAKEN_MS_MAX) return;
    this.takenMs = 0;
    this.until = 0;
    this.restMs = at - this.restUntil < this.restMs ? Math.min(this.restMs * 2, REST_MS_MAX) : REST_MS;
    this.restUntil = at + this.restMs;
  }
}

/** Null if it is switched off. With one processor, the sender of the next message would wait for the poll. */
export function busyPollOf(forMicros: number): BusyPoll | null {
  return forMicros > 0 && availableParallelism() > 1 ? new BusyPoll(forMicros) : null;
}
