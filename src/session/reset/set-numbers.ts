// Numbers that an operator or the schedule sets, and a reset that a setting makes at the end of a connection: all while there is
// none. A reset within the session is in reset-in-session.ts.

import { isResetAt } from '../config.ts';
import { MSG_SEQ_NUM_MAX, type SessionCore } from '../core.ts';
import { beginLogout } from '../logon/logout.ts';
import type { NumbersChange } from '../port.ts';
import { resetBySetting, resetSeries, startRepeat } from './repeat-reports.ts';

/** Changes of numbers that may wait for the end of a connection, which is seconds away. */
const PENDING_NUMBERS_MAX = 16;

/**
 * A logged-on time has ended and so has its connection: begin again where the settings have it so. After a start the end of the one
 * before may still be to be followed up.
 */
export function resetAfterEnd(core: SessionCore): void {
  const before = core.numbers();
  // Of a series in which nothing was counted the counterparty has shown nothing either, unless it logged on behind a gap.
  const unanswered = before.nextTargetMsgSeqNum > 1 ? before : (core.reset.unanswered ?? before);
  if (core.connection.end !== null) resetBySetting(core, core.connection.end);
  // A side that resets at every end does so without notice. A Logout and its answer may not have been read.
  const isSettled = core.config.role === 'initiator' || isResetAt(core.config, 'disconnect');
  if (core.sequence.series !== before.series && !isSettled) core.reset.unansweredSince(unanswered);
  core.connection.endsAs(null);
}

/** Numbers change only while there is no connection: a live counterparty would lose its place. */
export function setNumbers(core: SessionCore, change: NumbersChange, text: string): void {
  if (core.state === 'disconnected') {
    applyNumbers(core, change);
    return;
  }
  if (core.reset.pendingNumbers.length >= PENDING_NUMBERS_MAX) {
    core.note('warn', 'numbers not set: too many changes wait for the end of the connection', { who: change.who });
    return;
  }
  core.reset.pendingNumbers.push(change);
  core.note('info', 'numbers will be set when the connection has ended', { who: change.who });
  beginLogout(core, text);
}

function applyNumbers(core: SessionCore, change: NumbersChange): void {
  // After a start the end of the connection before is still to be processed: numbers set now would be overwritten.
  if (change.reset) {
    core.connection.endsAs(null);
    core.reset.due.take();
  } else resetAfterEnd(core);
  core.reset.unansweredSince(null);
  if (change.reset) {
    resetSeries(core, change.who, change.why);
    // An initiator's Logon must be number 1 for its 141=Y: repeated messages follow it (logon.ts).
    if (core.config.role === 'acceptor') startRepeat(core);
    return;
  }
  const now = core.numbers();
  const nextSenderMsgSeqNum = change.nextSenderMsgSeqNum ?? now.nextSenderMsgSeqNum;
  const nextTargetMsgSeqNum = change.nextTargetMsgSeqNum ?? now.nextTargetMsgSeqNum;
  const valid = (n: number): boolean => Number.isSafeInteger(n) && n >= 1 && n <= MSG_SEQ_NUM_MAX;
  if (!valid(nextSenderMsgSeqNum) || !valid(nextTargetMsgSeqNum) || nextSenderMsgSeqNum < now.nextSenderMsgSeqNum) {
    // Our numbers never go back within a series: the journal holds one message for each.
    core.note('warn', 'numbers not set: out of range, or ours would fall within a series; reset instead', {
      who: change.who,
    });
    return;
  }
  core.setNumbers({ series: now.series, nextSenderMsgSeqNum, nextTargetMsgSeqNum }, change.who, change.why);
}

/** The connection has ended: numbers that waited for that are set now. */
export function applyPending(core: SessionCore): void {
  for (const change of core.reset.pendingNumbers.splice(0)) applyNumbers(core, change);
}
