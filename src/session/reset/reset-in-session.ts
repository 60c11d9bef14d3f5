// Logon(A) with ResetSeqNumFlag(141)=Y within an open session, requested by either side (FIX session layer, "Using
// ResetSeqNumFlag(141) for 24-hour connectivity"): both begin again at 1 and the connection stays.
//
//   our wish:  waiting ──► proving ──────► proven ──► logonSent ──► over: the counterparty's Logon(A) 141=Y, 34=1
//              │ no gap,   │ Heartbeat                │ Logon 141=Y is number 1 of a new series
//              │ no resend │ answers our TestRequest  │ what we send now waits for the answer
//
// Until our Logon nothing has changed, and a request without result is dropped. After it each direction ends its series for
// itself: messages that the counterparty sent before it read our Logon still count in its old numbers (inbound.ts).

import type { EpochMs } from '../../base/time.ts';
import { type MessageDraft, type MessageView, Tag } from '../../wire/mod.ts';
import type { SessionCore } from '../core.ts';
import type { Authentication } from '../input.ts';
import { acceptorLogon, initiatorLogon, takeHeartBtInt } from '../logon/logon.ts';
import { refusal, refusalOf, termsRefusal } from '../logon/logon-refusal.ts';
import { recordedBytes } from '../messages/recorded-bytes.ts';
import type { AheadMessage } from '../recovery/gap.ts';
import { startReplay } from '../recovery/replay.ts';
import { releaseHeld } from '../recovery/waiting-messages.ts';
import type { OwedReset } from './owed-reset.ts';
import { resetSeries, startRepeat } from './repeat-reports.ts';
import { SessionReset } from './session-reset.ts';

/**
 * An operator's request is dropped if it has led to no Logon for this long: gaps and resends end in that time, or the
 * connection does. An owed reset, such as the schedule's, is tried again.
 */
const PROOF_PATIENCE_MS = 60_000;

/** Only a later message would have revealed the loss, and there was none. */
const GARBLED_AHEAD =
  'a garbled message came between our Logon(A) with ResetSeqNumFlag(141)=Y and its answer: if it had a number of the series that ended, it is lost and will not be requested; ask the counterparty for its last message before its Logon';

const GAP_DROPPED =
  'the counterparty began again (141=Y) while messages of its old numbers were missing: these, and those that waited behind them, are lost and will not be requested; ask the counterparty for them';

/** Begin one, of a session that is logged on. @returns why it cannot be, in words, or null */
export function beginReset(core: SessionCore, wish: OwedReset, isOwed: boolean): string | null {
  if (!core.version.resetSeqNumFlag) return 'this version has no ResetSeqNumFlag(141)';
  if (core.reset.running !== null) return 'it is on its way already';
  core.reset.begin(new SessionReset(wish, isOwed, core.now));
  return null;
}

/** After each input: go on as soon as neither side misses anything. */
export function advanceReset(core: SessionCore): void {
  const {
    reset: { running: reset },
    recovery: { gap },
  } = core;
  if (reset === null || core.state !== 'loggedOn') return;
  if (reset.phase === 'proving' || reset.phase === 'logonSent') return;
  if (gap.asked !== null || gap.queued > 0 || core.recovery.replay !== null) {
    reset.proveAnew();
    return;
  }
  if (reset.phase === 'proven') {
    announce(core, reset);
    return;
  }
  reset.proveBy(core.connection.testRequests.send(core));
}

function announce(core: SessionCore, reset: SessionReset): void {
  reset.announce(core.numbers(), core.now);
  resetSeries(core, reset.who, reset.why);
  core.connection.testRequests.forget();
  core.connection.asksReset(true);
  const isInitiator = core.config.role === 'initiator';
  core.send(isInitiator ? initiatorLogon(core, true) : acceptorLogon(core, { reset: true }));
}

/** When the reset under way wants a `tick`, or null. */
export function resetDeadline({ config, reset: { running: reset } }: SessionCore): EpochMs | null {
  if (reset === null) return null;
  return reset.since + (reset.phase === 'logonSent' ? config.logonTimeoutMs : PROOF_PATIENCE_MS);
}

/** The time of `resetDeadline` has come. */
export function giveUpReset(core: SessionCore): void {
  if (core.reset.running?.phase === 'logonSent') {
    // Its acceptance is unknown: FIX requires the connection to be shut down.
    core.logoutAndDisconnect('Logon(A) with ResetSeqNumFlag(141)=Y was not answered in time');
    return;
  }
  const { running: reset } = core.reset;
  if (reset?.isOwed) {
    tryAgain(core, reset);
    return;
  }
  core.note('warn', 'the reset was given up, numbers go on: the counterparty did not prove that it misses nothing', {
    who: reset?.who ?? '',
  });
  core.reset.over();
}

function tryAgain(core: SessionCore, reset: SessionReset): void {
  if (reset.tellsLate()) {
    const text =
      'the reset waits, numbers go on: the counterparty did not prove that it misses nothing; it is asked each minute';
    core.note('warn', text, { who: reset.who });
  }
  reset.waitAnew(core.now);
  // One that says nothing at all is not asked again: it is about to be taken for lost (liveness.ts).
  const { sentAt } = core.connection.testRequests;
  if (sentAt === null || core.connection.lastReceivedAt > sentAt) reset.proveAnew();
}

/** A Logon(A) with ResetSeqNumFlag(141)=Y within the session: a wish, or the answer to ours. Authenticated (rule S1). */
export function receiveReset(
  core: SessionCore,
  view: MessageView,
  msgSeqNum: number,
  authentication: Authentication,
): void {
  const { running: reset } = core.reset;
  const answered = reset?.phase === 'logonSent' ? reset : null;
  const isNew = answered !== null && isOfNew(answered, msgSeqNum);
  // An acceptor's Logon carries no credentials: an initiator trusts the connection that it made.
  const trusted =
    authentication.kind === 'accepted' || (core.config.role === 'initiator' && authentication.kind === 'notLogon');
  const terms = (): { readonly text: string } | null => {
    if (answered === null) return termsRefusal(core, view);
    return isNew ? null : refusal('ResetSeqNumFlag(141)=Y needs MsgSeqNum(34)=1');
  };
  const refused = trusted ? (refusalOf(core, view) ?? terms()) : refusal('Logon was not authenticated');
  if (refused !== null || (core.state !== 'loggedOn' && answered === null)) {
    if (trusted && isNew) noteTaken(core, answered);
    core.logUnsequenced('in', recordedBytes(view), 'reset within the session refused');
    core.logoutAndDisconnect(refused?.text ?? 'ResetSeqNumFlag(141)=Y after Logout(5)');
    return;
  }
  if (answered !== null) {
    confirm(core, view, msgSeqNum, answered);
    return;
  }
  if (core.connection.resetSent && core.sequence.nextTargetMsgSeqNum === 2) {
    // Our own reset, confirmed once more: to answer it would begin a loop of Logons.
    core.logUnsequenced('in', recordedBytes(view), 'the answer to our reset, repeated');
    core.note('warn', 'Logon(A) repeats the answer to our reset: ignored');
    return;
  }
  core.connection.asksReset(false);
  const { asked, queued } = core.recovery.gap;
  if (asked !== null) {
    core.note('warn', GAP_DROPPED, { missingFrom: `${core.sequence.nextTargetMsgSeqNum}`, waiting: `${queued}` });
  }
  if (reset !== null) core.note('info', 'the counterparty resets by itself: our wish is fulfilled', { who: reset.who });
  core.reset.over();
  resetSeries(core, 'counterparty', 'ResetSeqNumFlag(141)=Y in Logon(A) within the session');
  core.connection.testRequests.forget();
  takeHeartBtInt(core, view);
  core.count(view, msgSeqNum);
  core.send(answerOf(core, view, authentication));
  startRepeat(core);
}

/** An acceptor may check each Logon for its initiator's proof. */
function answerOf(core: SessionCore, view: MessageView, authentication: Authentication): MessageDraft {
  if (core.config.role === 'initiator') return initiatorLogon(core, true, false, core.connection.heartBtIntS);
  const isTest = core.version.testMessageIndicator && view.boolean(Tag.TestMessageIndicator) === true;
  const sessionStatus = authentication.kind === 'accepted' ? authentication.sessionStatus : undefined;
  return acceptorLogon(core, { reset: true, isTest, sessionStatus });
}

/**
 * True if a message after our Logon with ResetSeqNumFlag(141)=Y has a number of the counterparty's new series: one
 * below the last old one, and each that follows it. Some engines, QuickFIX C++ for one, reset without holding their
 * applications back: messages of that moment precede the answering Logon, or use up its number.
 */
export function isOfNew({ isTaken, ended }: SessionReset, msgSeqNum: number): boolean {
  return isTaken || (ended !== null && msgSeqNum < ended.nextTargetMsgSeqNum);
}

/** Keep a message in new numbers that is not the first: it has its turn behind the answer. */
export function keepOfNew(
  core: SessionCore,
  view: MessageView,
  msgSeqNum: number,
  reset: SessionReset,
  how: Omit<AheadMessage, 'raw'>,
): void {
  core.recovery.gap.keep(msgSeqNum, { ...how, raw: view.copyBytes() });
  noteTaken(core, reset);
}

/** Should the connection end now, the next one goes on in the new numbers. */
function noteTaken(core: SessionCore, reset: SessionReset): void {
  if (reset.isTaken) return;
  reset.take();
  // Nothing is counted yet that would say so after a restart.
  core.setNumbers(core.numbers(), 'session', 'our reset was taken: a message in new numbers came');
}

/**
 * Simultaneous resets cannot be distinguished and need no distinction: each side takes the other's Logon as its answer.
 */
function confirm(core: SessionCore, view: MessageView, msgSeqNum: number, reset: SessionReset): void {
  const { letGoFrom } = reset;
  if (msgSeqNum === 1 && !core.recovery.gap.has(1)) core.count(view, 1);
  else keepOfNew(core, view, msgSeqNum, reset, { processed: true });
  if (core.config.role === 'initiator') takeHeartBtInt(core, view);
  if (core.connection.garbledAt >= reset.since) core.note('warn', GARBLED_AHEAD);
  core.note('info', 'the counterparty has confirmed the reset: both sides go on in new numbers');
  releaseHeld(core);
  core.reset.over();
  if (core.state !== 'loggedOn') return;
  if (letGoFrom !== null) startReplay(core, letGoFrom, core.sequence.nextSenderMsgSeqNum - 1);
  startRepeat(core);
}
