// Logout(5): our wish to end the session, and the answer to the counterparty's. Before either, a TestRequest(1) proves
// that reports arrived (rule S2). core.ts sends Logouts that state a fault and end the connection at once.
//
// No Logout interrupts a resend. It would take the place of a missing message: most engines (QuickFIX C++, /n, Go)
// count every Logout as the message that they wait for, whatever its number. They never request that message, perhaps a
// fill, again.

import { type MessageView, Tag } from '../../wire/mod.ts';
import { type SessionCore, SessionStatusCode } from '../core.ts';
import type { OwedLogout } from '../recovery/waiting-messages.ts';

/** The counterparty logs out, or answers our Logout(5). */
export function handleLogout(core: SessionCore, view: MessageView, msgSeqNum: number): void {
  const text = view.string(Tag.Text) ?? '';
  // Engines exist that send session messages again as well, not only those of the application.
  if (view.boolean(Tag.PossDupFlag) === true && core.objections.isBeforeLogon(msgSeqNum)) {
    core.note('info', 'Logout(5) of an earlier connection, sent again: it ends nothing', { msgSeqNum: `${msgSeqNum}` });
    return;
  }
  if (core.state === 'loggedOn') {
    core.out.push({ kind: 'loggingOut', by: 'counterparty' });
    const isRefusal = core.objections.loggingOut(text, msgSeqNum, core.now);
    if (isRefusal) {
      core.tellLogonRefused(`the counterparty logged out as soon as it was logged on: ${text}`);
    }
    if (core.recovery.replay === null && (isRefusal || !isProofWanted(core))) {
      answer(core);
      return;
    }
    const { since = core.now, provingUntil = null, proofsAsked = 0 } = core.connection.owedLogout ?? {};
    const sessionStatus = SessionStatusCode.LogoutComplete;
    core.connection.owe({ answers: true, text: '', sessionStatus, since, provingUntil, proofsAsked });
  } else if (core.state === 'logoutSent') {
    core.disconnect('logout', text === '' ? 'Logout(5) answered' : `Logout(5) answered: ${text}`);
  }
}

function answer(core: SessionCore): void {
  core.sendLogout('', SessionStatusCode.LogoutComplete);
  // The side that began the Logout closes the connection; a time limit closes it here if it does not.
  core.enter('logoutReceived');
}

/** Longest wait of a Logout(5) for the proof of earlier reports. */
const PROOF_MS = 1_000;
/** And for so many answers: one behind a garbled message proves nothing. */
const PROOFS_MAX = 20;

/** An orderly end is the moment to prove earlier reports, so that a reset repeats nothing (rule S2). */
function isProofWanted({
  config,
  sequence: { lastReportMsgSeqNum, provenMsgSeqNum },
  recovery: { gap },
  reset: { running: reset },
}: SessionCore): boolean {
  if (config.provesBeforeLogout === false) return false;
  // Behind a gap its answer proves nothing, and behind a reset of ours it would wait.
  return lastReportMsgSeqNum > provenMsgSeqNum && gap.asked === null && reset === null;
}

/** Whether the Logout waits for the proof; reports that come about meanwhile are proven too, within the same time. */
function isProving(core: SessionCore, owed: OwedLogout): boolean {
  if (!isProofWanted(core) || owed.sessionStatus === SessionStatusCode.SequenceThreshold) return false;
  owed.provingUntil ??= core.now + PROOF_MS;
  if (core.now >= owed.provingUntil) return false;
  if (core.connection.testRequests.proves >= core.sequence.lastReportMsgSeqNum) return true;
  if (owed.proofsAsked >= PROOFS_MAX) return false;
  owed.proofsAsked++;
  core.connection.testRequests.send(core);
  return true;
}

/** Our own wish to end the session: its Logout(5), or the end of a connection on which no Logon came or was answered. */
export function beginLogout(
  core: SessionCore,
  text: string,
  sessionStatus: string = SessionStatusCode.LogoutComplete,
): void {
  // Ours or theirs may be waiting: no order of before is taken meanwhile.
  if (core.connection.loggedOnReported && core.state !== 'logoutSent') core.out.push({ kind: 'loggingOut', by: 'us' });
  if (core.state === 'loggedOn') {
    // The outcome, an answer or none, is reported at the end.
    const behind = core.recovery.replay === null ? '' : ' when the resend has ended';
    core.note('info', text === '' ? `logging out${behind}` : `logging out${behind}: ${text}`);
    // At the limit of numbers none is left for it.
    const isLimit = sessionStatus === SessionStatusCode.SequenceThreshold;
    if (core.recovery.replay === null && (isLimit || !isProofWanted(core))) say(core, text, sessionStatus);
    else if (core.connection.owedLogout === null)
      core.connection.owe({ answers: false, text, sessionStatus, since: core.now, provingUntil: null, proofsAsked: 0 });
  } else if (core.state === 'awaitingLogon' || core.state === 'logonSent') {
    core.disconnect('disconnect', text === '' ? 'logged out before there was a Logon(A) of both sides' : text);
  }
}

function say(core: SessionCore, text: string, sessionStatus: string): void {
  core.sendLogout(text, sessionStatus);
  core.enter('logoutSent');
}

/**
 * After each input: messages before the counterparty's Logout may be there now, and a waiting one is said once the
 * resend has ended.
 */
export function settleLogout(core: SessionCore, owed: OwedLogout): void {
  const { answers, text, sessionStatus } = owed;
  if (core.state !== 'loggedOn') return;
  if (core.recovery.replay === null && !isProving(core, owed)) {
    if (answers) answer(core);
    else say(core, text, sessionStatus);
  }
  if (answers && core.recovery.gap.asked === null) core.reportLogoutReceived();
}

/** The resend takes too long: the rest of it is asked for at the next Logon. */
export function giveUpLogout(core: SessionCore, { answers, text }: OwedLogout): void {
  const late = 'the resend took longer than a Logout(5) may wait';
  if (answers) core.disconnect('logout', `Logout(5) received, and ${late}`);
  else core.disconnect('logout', text === '' ? late : `${text}; ${late}`);
}
