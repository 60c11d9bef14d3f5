// How many session messages a counterparty may send in a second (rule S7). They are never throttled, and one that sends them
// without end is logged out: each costs an answer and a place in the journal, which all sessions share.

import type { EpochMs } from '../base/time.ts';
import { type MessageView, MsgType, Tag } from '../wire/mod.ts';
import type { SessionCore } from './core.ts';
import { recordedBytes } from './recorded-bytes.ts';

const SECOND_MS = 1000;
const COUNTED: ReadonlySet<string> = new Set([
  MsgType.Heartbeat,
  MsgType.TestRequest,
  MsgType.ResendRequest,
  MsgType.SequenceReset,
]);

export class SessionMessageRate {
  #since: EpochMs = Number.NEGATIVE_INFINITY;
  #count = 0;
  #sentAgain = 0;

  /** Count one; how many it makes in this second. */
  count(now: EpochMs): number {
    // A clock that was put back begins another second.
    if (now - this.#since >= SECOND_MS || now < this.#since) {
      this.#since = now;
      this.#count = 0;
    }
    return ++this.#count;
  }

  /** Whether a number that was counted before comes for the first time since a resend began. */
  isNextAgain(msgSeqNum: number): boolean {
    const isNext = msgSeqNum > this.#sentAgain;
    this.#sentAgain = msgSeqNum;
    return isNext;
  }
}

/** Whether it is part of a resend: what we asked for, or of what was counted before each number once. */
function isOfResend(core: SessionCore, view: MessageView, msgSeqNum: number): boolean {
  const isFill = view.msgType === MsgType.SequenceReset;
  // In reset mode its number means nothing.
  if (isFill && view.boolean(Tag.GapFillFlag) !== true) return false;
  const isPossDup = view.boolean(Tag.PossDupFlag) === true;
  if (msgSeqNum < core.nextTargetMsgSeqNum) return isPossDup && core.sessionMessages.isNextAgain(msgSeqNum);
  const { asked } = core.gap;
  return asked !== null && msgSeqNum <= asked.endSeqNo && (isFill || isPossDup);
}

/** End the session if this is one session message too many; true if it was. */
export function endIfFlooded(core: SessionCore, view: MessageView, msgSeqNum: number): boolean {
  const { sessionMessagesMax = 0 } = core.config;
  if (sessionMessagesMax === 0 || !COUNTED.has(view.msgType)) return false;
  // They are as many as a recovery needs.
  if (isOfResend(core, view, msgSeqNum)) return false;
  if (core.sessionMessages.count(core.now) <= sessionMessagesMax) return false;
  core.logUnsequenced('in', recordedBytes(view), 'one session message too many');
  core.logoutAndDisconnect(`more than ${sessionMessagesMax} session messages in a second`);
  return true;
}
