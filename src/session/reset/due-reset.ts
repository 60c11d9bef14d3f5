// A reset within the session (reset-in-session.ts) that cannot begin yet or was cut off. It stays owed, over restarts,
// until the numbers restart. owed-reset.ts knows its kind and its requester.

import { type MessageView, Tag } from '../../wire/mod.ts';
import type { SessionCore } from '../core.ts';
import { resetSeries } from './repeat-reports.ts';

/**
 * Owe a reset from now on. It is recorded, because later records would otherwise mean that the reset was made long ago.
 */
export function oweReset(core: SessionCore, who: string, why: string): void {
  const { owed } = core.reset.due;
  if (owed?.who === who && owed.why === why) return;
  core.reset.due.owe({ who, why });
  core.note('info', 'numbers will restart: the counterparty learns of it when it is logged on', { who });
  const numbers = core.numbers();
  core.persist({
    kind: 'numbers',
    sessionId: core.config.sessionId,
    from: numbers,
    to: numbers,
    who,
    why,
  });
}

/**
 * A Logon(A) while a reset within the session is owed. A counterparty that has reset by itself has a lower number, or
 * expects our first. Any other learns of the reset once it is logged on.
 */
export function settleDue(core: SessionCore, view: MessageView): void {
  const { nextTargetMsgSeqNum } = core.sequence;
  const nextExpected = core.version.nextExpected ? view.int(Tag.NextExpectedMsgSeqNum) : null;
  if (!(view.int(Tag.MsgSeqNum)! < nextTargetMsgSeqNum || nextExpected === 1)) return;
  const owed = core.reset.due.take();
  if (owed === null) return;
  resetSeries(core, owed.who, owed.why);
}

/** True if a reset must be announced within the session: an acceptor's, for numbers that its counterparty may know. */
export function isToBeTold(core: SessionCore): boolean {
  const isBegun =
    core.sequence.nextSenderMsgSeqNum > 1 || core.sequence.nextTargetMsgSeqNum > 1 || core.reset.unanswered !== null;
  return core.config.role === 'acceptor' && core.version.resetSeqNumFlag && isBegun;
}
