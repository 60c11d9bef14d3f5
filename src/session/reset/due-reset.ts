// A reset that is to be made within the session (reset-in-session.ts) and cannot be begun yet, or was cut off: it is owed until
// numbers begin again, over starts too. What is owed, and by whose wish, is in owed-reset.ts.

import { type MessageView, Tag } from '../../wire/mod.ts';
import type { SessionCore } from '../core.ts';
import { resetSeries } from './repeat-reports.ts';

/** Owe a reset from now on. That is recorded, for what is recorded behind it would say that the reset was long made. */
export function oweReset(core: SessionCore, who: string, why: string): void {
  const { owed } = core.due;
  if (owed?.who === who && owed.why === why) return;
  core.due.owe({ who, why });
  core.note('info', 'numbers are to begin again: the counterparty is told when it is logged on', { who });
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
 * A Logon(A) while a reset is owed of which this side would have told within the session: a counterparty that has begun again by
 * itself has a lower number, or expects our first. To any other it is told once it is logged on.
 */
export function settleDue(core: SessionCore, view: MessageView): void {
  const { nextTargetMsgSeqNum } = core;
  const nextExpected = core.version.nextExpected ? view.int(Tag.NextExpectedMsgSeqNum) : null;
  if (!(view.int(Tag.MsgSeqNum)! < nextTargetMsgSeqNum || nextExpected === 1)) return;
  const owed = core.due.take();
  if (owed === null) return;
  resetSeries(core, owed.who, owed.why);
}

/** Whether a reset has to be told within the session: an acceptor's, of numbers that its counterparty may know. */
export function isToBeTold(core: SessionCore): boolean {
  const isBegun = core.nextSenderMsgSeqNum > 1 || core.nextTargetMsgSeqNum > 1 || core.unanswered !== null;
  return core.config.role === 'acceptor' && core.version.resetSeqNumFlag && isBegun;
}
