// Obstacles of a command in turn, how long it waits for them, and its nonce when there are none (rules X3, C3, O4).
// command-lane.ts has turns and sending.

import type { EpochMs } from '../../base/time.ts';
import type { ExchangeCommand, NonceAllocator } from '../../exchange/mod.ts';
import type { ExchangeClock } from '../exchange-clock.ts';
import type { Signer } from '../login/credential.ts';
import type { ExchangeLogin } from '../login/login.ts';
import type { ResolvedOptions } from '../options.ts';
import type { RateBudget, RateCategory, RatePriority } from '../rates/rate-budget.ts';
import { CancelsOfMany, WITHOUT_WINDOW } from './command-order.ts';
import type { FairEntry, Obstacle } from './fair-queue.ts';

/** Signatures at a time that cancels alone may take (rule C3): a part of the places of a signer outside this process. */
const CANCELS_SHARE = 0.25;
/** Reason for a command's wait while the shares of the exchange's rate are spent. */
export const RATE_USED_UP = 'the rate limit of the exchange is used up';
/** How long the range last read is used though the clock has left it: the two clocks differ a little. */
const RANGE_TRUSTED_MS = 1_000;
/** Looked at again this soon when only time can help. */
const POLL_MS = 5;
/** The same for the rate: another client of this address may make room. */
const RATE_POLL_MS = 100;

export interface WaitingCommand extends FairEntry {
  readonly command: ExchangeCommand;
  readonly priority: RatePriority;
  readonly category: RateCategory;
  /** Our reference of the order concerned, for commands of one order to keep their order. */
  readonly reference: string | null;
  /** By the time that only grows. */
  readonly since: number;
  /** It does not wait for the rate. */
  readonly atOnce: boolean;
  /** It needs a nonce greater than this: it is a fence (rule U2). */
  readonly above: bigint | null;
}

export interface CommandObstaclesParts {
  readonly options: ResolvedOptions;
  readonly login: ExchangeLogin;
  readonly budget: RateBudget;
  readonly clock: ExchangeClock;
  readonly signer: Pick<Signer, 'placesMax'>;
  /** Reads the nonce range into the allocator; called when the clock has left the range. Must not reject. */
  readonly readRange: () => Promise<unknown>;
}

/** Only this command has to wait; those behind it may go past. */
const own = (ms: number, reason: string): Obstacle => ({ ms, reason, ownOrderOnly: true });
/** No command can go now. */
const everybodys = (ms: number, reason: string): Obstacle => ({ ms, reason, ownOrderOnly: false });

export class CommandObstacles {
  /** Those that wait for their turn or their answer. */
  readonly cancelsOfMany = new CancelsOfMany();
  readonly #parts: CommandObstaclesParts;
  readonly #nonces: NonceAllocator;
  readonly #onRangeRead: () => void;
  readonly #referencesInFlight = new Map<string, number>();
  /** Since when something other than the rate has been in everybody's way; null if nothing is. */
  #obstructedSince: number | null = null;
  /** When a cancel last fenced off unanswered commands. */
  #fencedAt = Number.NEGATIVE_INFINITY;
  #rangeBeingRead = false;
  #rangeReadAt = Number.NEGATIVE_INFINITY;
  /** Commands that a signer outside this process is signing. */
  #beingSigned = 0;
  /** The exchange refused a nonce: where its clock is ahead of ours, the next day has begun there. */
  #rangeIsDoubted = false;

  /** `onRangeRead`: commands that waited for the nonce range may be retried. */
  constructor(parts: CommandObstaclesParts, nonces: NonceAllocator, onRangeRead: () => void) {
    this.#parts = parts;
    this.#nonces = nonces;
    this.#onRangeRead = onRangeRead;
  }

  /** The obstacle of a command besides its nonce; null if none. */
  of(waiting: WaitingCommand): Obstacle | null {
    const { options, login, budget, clock } = this.#parts;
    const elapsed = options.elapsedMs();
    const before = this.#unansweredBefore(waiting, elapsed);
    if (before !== null) return before;
    if (this.cancelsOfMany.cover(waiting.command)) {
      return own(POLL_MS, 'a cancel of all orders of its account or market goes first');
    }
    if (login.current === null) return everybodys(POLL_MS * 10, 'the exchange login is not up');
    const wait = budget.waitMs(waiting.category, waiting.priority);
    if (wait > 0) return everybodys(Math.min(wait, RATE_POLL_MS), RATE_USED_UP);
    if (!this.#rangeIsKnown(options.now(), elapsed, waiting.priority)) {
      return everybodys(POLL_MS * 10, 'the nonce range of the day is being read');
    }
    if (waiting.priority === 'order' && elapsed >= waiting.since + options.timeouts.orderWaitMs) {
      // It is free to go but too late: its sender no longer expects it (rule O4). Commands that reduce risk still
      // leave.
      return own(POLL_MS, 'this process was held up');
    }
    if (this.#signerIsBusy(waiting)) return everybodys(POLL_MS * 10, 'the signer of the exchange key is busy');
    if (clock.isInDoubt()) return everybodys(POLL_MS, 'our clock was set, and is compared with that of the exchange');
    if (waiting.above !== null && this.#nonces.inFlight > 0 && !this.#isUrgent(waiting, elapsed)) {
      // A fence would push commands in flight out of the window: they may settle first, others pass.
      return own(POLL_MS, 'earlier commands are unanswered');
    }
    return null;
  }

  /**
   * Rule X3: an unanswered command of the same order delays no cancel for longer than `overtakeMs`, nor does one without a window
   * another: the exchange takes the later nonce alone.
   */
  #unansweredBefore({ reference, since, priority }: WaitingCommand, elapsed: number): Obstacle | null {
    if (reference === null || !this.#referencesInFlight.has(reference)) return null;
    const patience = since + this.#parts.options.timeouts.overtakeMs - elapsed;
    const isPatient = priority === 'cancel' || reference === WITHOUT_WINDOW;
    if (isPatient && patience <= 0) return null;
    const of = reference === WITHOUT_WINDOW ? 'its kind' : 'the same order';
    return own(isPatient ? patience : POLL_MS * 10, `an earlier command of ${of} has no answer yet`);
  }

  #isUrgent({ priority, since }: WaitingCommand, elapsed: number): boolean {
    return priority === 'cancel' && elapsed - since >= this.#parts.options.timeouts.overtakeMs;
  }

  /** The nonce of a command that leaves now, its ceiling noted for the next process; or the obstacle. */
  nonceOf(waiting: WaitingCommand): bigint | Obstacle {
    const { options } = this.#parts;
    const elapsed = options.elapsedMs();
    const now = options.now();
    const nonces = this.#nonces;
    let allocation = nonces.allocate(now, waiting.above, waiting.reference === WITHOUT_WINDOW);
    // Rule X3: one lost answer delays other commands for at most this time.
    while (allocation.kind === 'full' && nonces.leaveBehind(now - options.timeouts.overtakeMs)) {
      allocation = nonces.allocate(now, waiting.above, waiting.reference === WITHOUT_WINDOW);
    }
    // Rule X3: unanswered commands delay no cancel for longer than `overtakeMs`; they are fenced off by it at worst.
    // One fence makes room for a window of them; the thousands of a mass cancel would be fenced off by each other at once.
    const isFenceDue = elapsed - this.#fencedAt >= options.timeouts.overtakeMs;
    if (allocation.kind === 'full' && isFenceDue && this.#isUrgent(waiting, elapsed)) {
      allocation = nonces.allocate(now, nonces.last);
      this.#fencedAt = elapsed;
    }
    if (allocation.kind === 'full') return everybodys(POLL_MS, 'too many commands are unanswered');
    if (allocation.kind !== 'nonce') return everybodys(POLL_MS, 'the nonces of the day are used up');
    if (allocation.ceiling !== null) options.onNonceCeiling(allocation.ceiling.toString());
    return allocation.nonce;
  }

  /** A command was tried: note since when something is in everybody's way. */
  tried(obstacle: Obstacle | null): void {
    if (obstacle === null || obstacle.reason === RATE_USED_UP) this.#obstructedSince = null;
    else if (!obstacle.ownOrderOnly) this.#obstructedSince ??= this.#parts.options.elapsedMs();
  }

  /**
   * Deadline of a command's wait. Cancels wait for their turn in the rate without a deadline (rule C3): given up after
   * seconds, most of a large mass cancel would stay open. Obstacles to all commands, such as a login that is down, are
   * reported in time.
   */
  giveUpAt({ since, priority, atOnce }: WaitingCommand, { reason, ownOrderOnly }: Obstacle): number {
    const { cancelRateWaitMs, cancelWaitMs, orderWaitMs } = this.#parts.options.timeouts;
    if (priority !== 'cancel') return atOnce && reason === RATE_USED_UP ? since : since + orderWaitMs;
    if (ownOrderOnly || reason === RATE_USED_UP) return since + cancelRateWaitMs;
    return Math.max(since, this.#obstructedSince ?? since) + cancelWaitMs;
  }

  /**
   * Rule C3: commands wait for a signer outside this process in the order of their urgency, and before they have a nonce, which
   * they leave in the order of. Orders never take all places.
   */
  #signerIsBusy({ priority }: WaitingCommand): boolean {
    const { placesMax } = this.#parts.signer;
    if (placesMax === undefined) return false;
    const kept = priority === 'cancel' ? 0 : Math.ceil(placesMax * CANCELS_SHARE);
    return this.#beingSigned >= placesMax - kept;
  }

  /** A signer outside this process begins to sign a command. */
  signingBegins(): void {
    this.#beingSigned++;
  }

  signingEnded(): void {
    this.#beingSigned--;
  }

  /** A command leaves: commands that must not overtake it wait for its answer. */
  left({ reference }: WaitingCommand): void {
    if (reference !== null) this.#count(reference, 1);
  }

  /** Its answer came, or none will. */
  settled({ reference }: WaitingCommand): void {
    if (reference !== null) this.#count(reference, -1);
  }

  #count(reference: string, change: 1 | -1): void {
    const count = (this.#referencesInFlight.get(reference) ?? 0) + change;
    if (count === 0) this.#referencesInFlight.delete(reference);
    else this.#referencesInFlight.set(reference, count);
  }

  /** A nonce was refused that nothing had overtaken: it was the range of the day that it missed. */
  doubtRange(): void {
    this.#rangeIsDoubted = true;
  }

  /** At the day's change, commands wait for the new range; the exchange's answer is then valid for a second. */
  #rangeIsKnown(now: EpochMs, elapsed: number, priority: RatePriority): boolean {
    // During a doubtful read: cancels are repeated if their nonce is refused, other commands are not.
    const isDoubted = this.#rangeIsDoubted || (this.#rangeBeingRead && priority !== 'cancel');
    const isNeeded = isDoubted || this.#nonces.needsRange(now);
    if (!isNeeded || elapsed - this.#rangeReadAt < RANGE_TRUSTED_MS) return true;
    if (!this.#rangeBeingRead) {
      this.#rangeBeingRead = true;
      this.#rangeIsDoubted = false;
      void this.#parts.readRange().finally(() => {
        this.#rangeBeingRead = false;
        this.#rangeReadAt = this.#parts.options.elapsedMs();
        this.#onRangeRead();
      });
    }
    return false;
  }
}
