// How much a counterparty may send in a second of what the rate of application messages (message-rate.ts) does not see (rule S7):
// session messages, and messages that came before or belong nowhere. None is throttled, and who sends them without end is logged
// out: each costs an answer or a place in the journal, which all sessions share.

import type { EpochMs } from '../base/time.ts';
import { type MessageView, MsgType, Tag } from '../wire/mod.ts';
import type { SessionCore } from './core.ts';
import { recordedBytes } from './recorded-bytes.ts';
import { isAdmin } from './versions.ts';

const SECOND_MS = 1000;
/** All that was counted may come again so often without being asked for. */
const AGAIN_MS = 60_000;
/** Most messages of ours that a counterparty may refuse at once, for as long as each costs what it refuses. */
const REFUSABLE_MAX = 100_000;

export class SessionMessageRate {
  #since: EpochMs = Number.NEGATIVE_INFINITY;
  #count = 0;
  #sentAgain = 0;
  #againSince: EpochMs = Number.NEGATIVE_INFINITY;
  #refusable = 0;

  /** Begin again, for a new connection. */
  clear(): void {
    this.#since = Number.NEGATIVE_INFINITY;
    this.#sentAgain = 0;
    this.#againSince = Number.NEGATIVE_INFINITY;
    this.#refusable = 0;
  }

  /** Count one; how many it makes in this second. */
  count(now: EpochMs): number {
    // A clock that was put back begins another second.
    if (now - this.#since >= SECOND_MS || now < this.#since) {
      this.#since = now;
      this.#count = 0;
    }
    return ++this.#count;
  }

  /** Numbers from this one on were asked for: they may come again. */
  asked(beginSeqNo: number): void {
    this.#sentAgain = Math.min(this.#sentAgain, beginSeqNo - 1);
  }

  /** Whether a number that was counted before comes for the first time since it was asked for, or within a minute. */
  isNextAgain(msgSeqNum: number, now: EpochMs): boolean {
    const isNext = msgSeqNum > this.#sentAgain;
    const isAnew = now - this.#againSince >= AGAIN_MS || now < this.#againSince;
    if (!isNext && !isAnew) return false;
    if (!isNext || this.#sentAgain === 0) this.#againSince = now;
    this.#sentAgain = msgSeqNum;
    return true;
  }

  /** An application message of ours goes out: the counterparty may refuse it. */
  sent(): void {
    if (this.#refusable < REFUSABLE_MAX) this.#refusable++;
  }

  /** Whether a refusal is of a message of ours that was not refused yet. */
  isOfOurs(): boolean {
    if (this.#refusable === 0) return false;
    this.#refusable--;
    return true;
  }
}

/** Whether it is part of a resend: what we asked for, or of what was counted before each number once. */
function isOfResend(core: SessionCore, view: MessageView, msgSeqNum: number, expected: number): boolean {
  const isFill = view.msgType === MsgType.SequenceReset;
  // In reset mode its number means nothing.
  if (isFill && view.boolean(Tag.GapFillFlag) !== true) return false;
  const isPossDup = view.boolean(Tag.PossDupFlag) === true;
  if (msgSeqNum < expected) return isPossDup && core.sessionMessages.isNextAgain(msgSeqNum, core.now);
  const { asked } = core.gap;
  return asked !== null && msgSeqNum <= asked.endSeqNo && (isFill || isPossDup);
}

/** Whether a message counts here: application messages whose turn it is, or which wait for it, count in the other rate. */
function isCounted(core: SessionCore, view: MessageView, msgSeqNum: number, expected: number): boolean {
  const { msgType } = view;
  if (msgType === MsgType.Reject || msgType === MsgType.BusinessMessageReject) {
    return core.gap.has(msgSeqNum) || !core.sessionMessages.isOfOurs();
  }
  if (isAdmin(msgType)) return true;
  return msgSeqNum < expected || core.gap.has(msgSeqNum) || !core.loggedOnReported;
}

/**
 * End the session if this is one message too many of those that only this rate sees; true if it was.
 * @param expected the number that it should have
 */
export function endIfFlooded(core: SessionCore, view: MessageView, msgSeqNum: number, expected: number): boolean {
  if (!core.config.sessionMessagesMax || !isCounted(core, view, msgSeqNum, expected)) return false;
  // They are as many as a recovery needs.
  if (isOfResend(core, view, msgSeqNum, expected)) return false;
  return endIfTooMany(core, () => recordedBytes(view));
}

/** Count one, and end the session if there were too many. `bytes` records it then. */
export function endIfTooMany(core: SessionCore, bytes: (() => Uint8Array) | null): boolean {
  const { sessionMessagesMax = 0 } = core.config;
  if (sessionMessagesMax === 0 || core.sessionMessages.count(core.now) <= sessionMessagesMax) return false;
  if (bytes !== null) core.logUnsequenced('in', bytes(), 'one message too many');
  core.logoutAndDisconnect(`more than ${sessionMessagesMax} session messages and messages sent again in a second`);
  return true;
}
