// Logout(5): our wish to end the session, and the answer to the counterparty's. Leaves Logouts that say what is wrong, and end the
// connection at once, to core.ts.
//
// None is said in the middle of a resend: it would stand where a message is missing, and most engines (QuickFIX C++, /n, Go) count
// every Logout as the message that they wait for, whatever its number. That message, a fill perhaps, they never ask for again.

import { type MessageView, Tag } from '../wire/mod.ts';
import { type SessionCore, SessionStatusCode } from './core.ts';
import type { OwedLogout } from './waiting-messages.ts';

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
    if (core.objections.loggingOut(text, msgSeqNum, core.now)) {
      core.tellLogonRefused(`the counterparty logged out as soon as it was logged on: ${text}`);
    }
    if (core.replay === null) {
      answer(core);
      return;
    }
    const since = core.owedLogout?.since ?? core.now;
    core.owedLogout = { answers: true, text: '', sessionStatus: SessionStatusCode.LogoutComplete, since };
  } else if (core.state === 'logoutSent') {
    core.disconnect('logout', text === '' ? 'Logout(5) answered' : `Logout(5) answered: ${text}`);
  }
}

function answer(core: SessionCore): void {
  core.sendLogout('', SessionStatusCode.LogoutComplete);
  // The side that began the Logout closes the connection; a time limit closes it here if it does not.
  core.enter('logoutReceived');
}

/** Our own wish to end the session: its Logout(5), or the end of a connection on which no Logon came or was answered. */
export function beginLogout(
  core: SessionCore,
  text: string,
  sessionStatus: string = SessionStatusCode.LogoutComplete,
): void {
  // Ours or theirs may be waiting: no order of before is taken meanwhile.
  if (core.loggedOnReported && core.state !== 'logoutSent') core.out.push({ kind: 'loggingOut', by: 'us' });
  if (core.state === 'loggedOn') {
    // What comes of it, an answer or none, is told when it is over.
    const behind = core.replay === null ? '' : ' when what is being sent again was sent';
    core.note('info', text === '' ? `logging out${behind}` : `logging out${behind}: ${text}`);
    if (core.replay === null) say(core, text, sessionStatus);
    else core.owedLogout ??= { answers: false, text, sessionStatus, since: core.now };
  } else if (core.state === 'awaitingLogon' || core.state === 'logonSent') {
    core.disconnect('disconnect', text === '' ? 'logged out before there was a Logon(A) of both sides' : text);
  }
}

function say(core: SessionCore, text: string, sessionStatus: string): void {
  core.sendLogout(text, sessionStatus);
  core.enter('logoutSent');
}

/** After each input: what came before the counterparty's may be there now, and what waited is said once the resend has ended. */
export function settleLogout(core: SessionCore, { answers, text, sessionStatus }: OwedLogout): void {
  if (core.state !== 'loggedOn') return;
  if (core.replay === null) {
    if (answers) answer(core);
    else say(core, text, sessionStatus);
  }
  if (answers && core.gap.asked === null) core.reportLogoutReceived();
}

/** The resend takes too long: the rest of it is asked for at the next Logon. */
export function giveUpLogout(core: SessionCore, { answers, text }: OwedLogout): void {
  const late = 'what was being sent again took longer than a Logout(5) may wait';
  if (answers) core.disconnect('logout', `Logout(5) received, and ${late}`);
  else core.disconnect('logout', text === '' ? late : `${text}; ${late}`);
}
