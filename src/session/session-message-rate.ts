// How many session messages a counterparty may send in a second (rule S7). They are never throttled, and one that sends them
// without end is logged out: each costs an answer and a place in the journal, which all sessions share.

import type { EpochMs } from '../base/time.ts';
import { type MessageView, MsgType, Tag } from '../wire/mod.ts';
import type { SessionCore } from './core.ts';

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

  /** Count one; how many it makes in this second. */
  count(now: EpochMs): number {
    // A clock that was put back begins another second.
    if (now - this.#since >= SECOND_MS || now < this.#since) {
      this.#since = now;
      this.#count = 0;
    }
    return ++this.#count;
  }
}

/** End the session if this is one session message too many; true if it was. */
export function endIfFlooded(core: SessionCore, view: MessageView): boolean {
  const { sessionMessagesMax = 0 } = core.config;
  if (sessionMessagesMax === 0 || !COUNTED.has(view.msgType)) return false;
  // Gap fills are as many as a recovery needs.
  const isAsked = core.gap.asked !== null || view.boolean(Tag.PossDupFlag) === true;
  if (view.msgType === MsgType.SequenceReset && isAsked) return false;
  if (core.sessionMessages.count(core.now) <= sessionMessagesMax) return false;
  core.logoutAndDisconnect(`more than ${sessionMessagesMax} session messages in a second`);
  return true;
}
