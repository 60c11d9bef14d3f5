// Limits a counterparty's application messages (rule S7): decides which message is taken now, which waits and how long,
// and when there were too many. The application answers a throttled message.

import { SlidingWindow } from '../../base/collections/sliding-window.ts';
import type { EpochMs } from '../../base/time.ts';
import { type MessageView, MsgType } from '../../wire/mod.ts';

/** Settings of an inbound rate. In any stretch of `perMs` at most `messagesMax` messages are taken. */
export interface MessageRateSettings {
  readonly messagesMax: number;
  readonly perMs: number;
  /** `refuse`: answer every message beyond the rate. `hold`: let it wait for its turn, at most `holdMsMax`. */
  readonly excess: 'refuse' | 'hold';
  readonly holdMsMax: number;
  /** Refusals within a minute that end the session; 0: none do. */
  readonly refusalsMax: number;
}

/** Decision for a message: `waitMs` until its turn (0: now), and whether its turn is reserved. */
export interface RateVerdict {
  readonly waitMs: number;
  readonly excess: 'refuse' | 'hold';
}

/** A message that asked for its turn at that time. */
export interface RatedMessage {
  readonly verdict: RateVerdict | null;
  readonly at: EpochMs;
}

const REFUSALS_WITHIN_MS = 60_000;

/** The limit is gone: messages that wait for their turn still go first. */
const NO_LIMIT: MessageRateSettings = {
  messagesMax: 1,
  perMs: 0,
  excess: 'hold',
  holdMsMax: Number.POSITIVE_INFINITY,
  refusalsMax: 0,
};

/** Never throttled: messages that reduce risk (rule C3), and answers, which must not be answered. */
const EXEMPT: ReadonlySet<string> = new Set([
  MsgType.OrderCancelRequest,
  MsgType.OrderMassCancelRequest,
  MsgType.BusinessMessageReject,
]);

/** Whether a message counts against the rate; session messages never come here. */
export function isRated(view: MessageView): boolean {
  return !EXEMPT.has(view.msgType);
}

/** Gives out turns, never more than the rate; those given to held messages lie in the future. */
export class MessageRate {
  readonly settings: MessageRateSettings;
  readonly #turns: SlidingWindow;
  /** The last turn of those handed over in the order of their numbers. */
  #handedOver: EpochMs = Number.NEGATIVE_INFINITY;
  /** OrderCancelRejects(9) that answer what was counted as refused already. */
  #rejectsDue = 0;
  #refusals = 0;
  #refusedSince: EpochMs = Number.NEGATIVE_INFINITY;

  constructor(settings: MessageRateSettings) {
    this.settings = settings;
    this.#turns = new SlidingWindow(settings.messagesMax, settings.perMs);
  }

  /** The rate from now on, null for no limit: turns that were given out before come first. */
  changedTo(settings: MessageRateSettings | null): MessageRate {
    const rate = new MessageRate(settings ?? NO_LIMIT);
    rate.#turns.continueFrom(this.#turns);
    rate.#handedOver = this.#handedOver;
    return rate;
  }

  /** Whether the counterparty was refused so often within a minute that the session is to end. */
  get isExceeded(): boolean {
    return this.settings.refusalsMax > 0 && this.#refusals >= this.settings.refusalsMax;
  }

  /**
   * Messages waiting for their turn went with their connection. Accepted and refused messages keep counting: a loop of
   * Logons gains nothing.
   */
  newConnection(now: EpochMs): void {
    this.#turns.notAfter(now);
    this.#handedOver = Number.NEGATIVE_INFINITY;
    this.#rejectsDue = 0;
  }

  /** Ask for the turn of one message; null if it is its turn. A message that is refused takes none. */
  take(now: EpochMs): RateVerdict | null {
    const { excess, holdMsMax } = this.settings;
    const waitMs = this.#turns.waitMs(now);
    const isHeld = excess === 'hold' && waitMs <= holdMsMax;
    if (waitMs > 0 && !isHeld) {
      this.#countRefusal(now);
      return { waitMs, excess: 'refuse' };
    }
    this.#turns.take(now + waitMs);
    return waitMs === 0 ? null : { waitMs, excess: 'hold' };
  }

  /**
   * The turn of a message with the next number. It may have asked for its turn when it arrived ahead of its number. No
   * turn precedes that of a lower number.
   */
  handOver({ verdict, at }: RatedMessage, now: EpochMs): RateVerdict | null {
    const turn = at + (verdict?.waitMs ?? 0);
    if (verdict?.excess === 'refuse') return { ...verdict, waitMs: Math.max(0, turn - now) };
    this.#handedOver = Math.max(this.#handedOver, turn);
    return this.#handedOver > now ? { waitMs: this.#handedOver - now, excess: 'hold' } : null;
  }

  /** A message that is rejected for a fault: it takes a turn that is free, and beyond the rate counts as refused. */
  takeRejected(now: EpochMs): void {
    if (this.#turns.waitMs(now) > 0) this.#countRefusal(now);
    else this.#turns.take(now);
  }

  /** A message that is refused will be answered by OrderCancelReject(9). */
  rejectFollows(): void {
    this.#rejectsDue++;
  }

  /** An OrderCancelReject(9) goes out: a cancel in vain counts as a message with a fault does, for it costs as much. */
  cancelRejected(now: EpochMs): void {
    if (this.#rejectsDue > 0) this.#rejectsDue--;
    else this.takeRejected(now);
  }

  #countRefusal(now: EpochMs): void {
    if (now - this.#refusedSince >= REFUSALS_WITHIN_MS) {
      this.#refusedSince = now;
      this.#refusals = 0;
    }
    this.#refusals++;
  }
}
