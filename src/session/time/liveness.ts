// Time: heartbeats, TestRequests, the silence after which a counterparty counts as lost, and the limits of Logon,
// Logout and an unanswered gap. Computes one deadline and acts when it has come; a tick too early does nothing.

import type { EpochMs } from '../../base/time.ts';
import { MessageDraft, MsgType } from '../../wire/mod.ts';
import { type SessionCore, SessionStatusCode } from '../core.ts';
import type { LoadWaitsFor } from '../input.ts';
import { beginLogout, giveUpLogout } from '../logon/logout.ts';
import { sessionNews } from '../messages/news.ts';
import { askForGap } from '../recovery/resend-request.ts';
import { giveUpReset, resetDeadline } from '../reset/reset-in-session.ts';

/** An unanswered gap ends the session after this long without progress, or `lostAfter` heartbeats if that is longer. */
const GAP_PATIENCE_MIN_MS = 60_000;

/** A gap that 789 announced and that the counterparty does not begin to fill is asked for after this long. */
const ANNOUNCED_PATIENCE_MS = 10_000;

/**
 * A read for a resend or a repetition without an answer ends the connection, because live messages wait behind it.
 * Either the journal failed, or the counterparty reads none of the output that must be taken before more is read.
 */
const LOAD_PATIENCE_MS = 60_000;

/** Reports wait so long for a proof, where our own messages leave no quiet moment to ask for it. */
const PROOF_EVERY_MS = 60_000;

/** Why a session ends if the journal does not return the messages to be resent. */
export const RESEND_IMPOSSIBLE = 'messages cannot be sent again at present: log on again';

/** A timer this late means that the process stood still, or its clock was set forward. */
const STOOD_STILL_MS = 1_000;

function heartbeatMs(core: SessionCore): number {
  return core.connection.heartBtIntS * 1000;
}

function gapPatienceMs(core: SessionCore): number {
  if (core.recovery.gap.announced) return ANNOUNCED_PATIENCE_MS;
  return Math.max(GAP_PATIENCE_MIN_MS, core.config.lostAfter * heartbeatMs(core));
}

/**
 * True if a garbled message may have been the counterparty's ResendRequest(2), which it believes sent. While it waits
 * for the answer it answers our TestRequests and requests nothing more. After this time it gives up.
 */
export function mayMissResendRequest(core: SessionCore): boolean {
  return (
    core.now - core.connection.garbledAt < Math.max(GAP_PATIENCE_MIN_MS, core.config.lostAfter * heartbeatMs(core))
  );
}

/** The next time at which `tick` has something to do, or null. */
export function nextDeadline(core: SessionCore): EpochMs | null {
  switch (core.state) {
    case 'disconnected':
    case 'closing':
      return null;
    case 'awaitingLogon':
    case 'logonSent':
      return core.connection.isUnread ? null : core.connection.since + core.config.logonTimeoutMs;
    case 'logoutSent':
    case 'logoutReceived':
      return core.connection.since + core.config.logoutTimeoutMs;
    case 'loggedOn': {
      let deadline = (core.connection.isUnread ? null : resetDeadline(core)) ?? Number.POSITIVE_INFINITY;
      // Whether the counterparty lives shows in whether it answers our Logon.
      if (core.reset.running?.phase === 'logonSent') return core.connection.isUnread ? null : deadline;
      if (core.recovery.gap.asked !== null && !core.connection.isUnread)
        deadline = Math.min(deadline, core.recovery.gap.progressAt + gapPatienceMs(core));
      if (core.reset.repeat !== null) deadline = Math.min(deadline, core.reset.repeat.read.since + LOAD_PATIENCE_MS);
      if (core.connection.owedLogout !== null) {
        const { since, provingUntil } = core.connection.owedLogout;
        deadline = Math.min(deadline, since + core.config.logoutTimeoutMs, provingUntil ?? Number.POSITIVE_INFINITY);
      }
      // During a resend of ours the counterparty reads and may be silent: its silence counts from the end (replay.ts).
      if (core.recovery.replay !== null)
        deadline = Math.min(deadline, core.recovery.replay.read.since + LOAD_PATIENCE_MS);
      else if (core.connection.heartBtIntS > 0) {
        deadline = Math.min(deadline, core.connection.lastSentAt + heartbeatMs(core));
        if (!core.connection.isUnread) deadline = Math.min(deadline, silenceDeadline(core));
        if (wantsProof(core)) deadline = Math.min(deadline, core.sequence.unprovenSince + PROOF_EVERY_MS);
      }
      return deadline === Number.POSITIVE_INFINITY ? null : deadline;
    }
  }
}

function silenceDeadline(core: SessionCore): EpochMs {
  const { lastReceivedAt, testRequests } = core.connection;
  const testedMs = Math.ceil(core.config.testRequestAfter * heartbeatMs(core));
  if (!isTested(core)) return lastReceivedAt + testedMs;
  const lostMs = Math.ceil(core.config.lostAfter * heartbeatMs(core));
  // Asked late, because this process stood still or its clock was set forward, it has as much time to answer.
  return Math.max(lastReceivedAt + lostMs, (testRequests.sentAt ?? 0) + lostMs - testedMs);
}

/** Whether a TestRequest went out since the counterparty was last heard. */
function isTested(core: SessionCore): boolean {
  const { sentAt } = core.connection.testRequests;
  return sentAt !== null && sentAt > core.connection.lastReceivedAt;
}

/** Only a proof keeps a report from being repeated after a reset (rule S2). */
function wantsProof({
  connection: { testRequests },
  sequence: { lastReportMsgSeqNum, provenMsgSeqNum },
}: SessionCore): boolean {
  return lastReportMsgSeqNum > provenMsgSeqNum && testRequests.sentAt === null;
}

/** Do all due work. */
export function tick(core: SessionCore): void {
  const deadline = nextDeadline(core);
  if (deadline === null || core.now < deadline) return;
  if (tellStandstill(core)) waitAnew(core);
  switch (core.state) {
    case 'awaitingLogon':
      core.disconnect('disconnect', 'no Logon(A) within the time limit');
      return;
    case 'logonSent':
      core.disconnect('disconnect', 'no answer to our Logon(A) within the time limit');
      return;
    case 'logoutSent':
      core.disconnect('logout', 'no answer to our Logout(5) within the time limit');
      return;
    case 'logoutReceived':
      core.disconnect('logout', 'the counterparty did not close after Logout(5)');
      return;
    case 'loggedOn':
      tickLoggedOn(core);
      return;
    default:
  }
}

/** Report that a logged-on session was not served in time, before the schedule ends it or its waits restart. */
export function tellStandstill(core: SessionCore): boolean {
  const deadline = nextDeadline(core);
  if (core.state !== 'loggedOn' || deadline === null || core.now - deadline < STOOD_STILL_MS) return false;
  const seconds = Math.round((core.now - deadline) / 1000);
  core.note('warn', `this process stood still, or its clock was set forward: at least ${seconds} s`);
  return true;
}

/**
 * Restart every wait: an answer may have arrived unread, and the peer may have stood still too, as in a suspended
 * machine. Our own due messages are late and follow at once.
 */
function waitAnew(core: SessionCore): void {
  const { now } = core;
  const { gap } = core.recovery;
  gap.waitAnew(now);
  core.recovery.replay?.read.waitAnew(now);
  core.reset.repeat?.read.waitAnew(now);
  core.reset.running?.waitAnew(now);
  // Its answer to the one before is as good.
  if (core.connection.heartBtIntS > 0 && isTested(core)) core.connection.testRequests.send(core);
}

/** Input `reading`: messages of a counterparty that was not read are on their way, and awaited anew. */
export function noteReading(core: SessionCore, isRead: boolean): void {
  if (core.state === 'disconnected' || core.state === 'closing') return;
  const isAgain = isRead && core.connection.isUnread;
  core.connection.reading(isRead);
  if (!isAgain) return;
  core.connection.received(core.now);
  core.recovery.gap.waitAnew(core.now);
  core.reset.running?.waitAnew(core.now);
  if (core.state === 'logonSent') core.connection.entered(core.now);
}

function tickLoggedOn(core: SessionCore): void {
  const { now } = core;
  const { gap } = core.recovery;
  const resetAt = core.connection.isUnread ? null : resetDeadline(core);
  if (resetAt !== null && now >= resetAt) {
    giveUpReset(core);
    return;
  }
  // Until it answers our Logon it hears nothing else of us: there is nothing that it could be asked.
  if (core.reset.running?.phase === 'logonSent') return;
  if (gap.asked !== null && !core.connection.isUnread && now >= gap.progressAt + gapPatienceMs(core)) {
    if (gap.announced) {
      core.note('warn', 'NextExpectedMsgSeqNum(789) was not answered with the missing messages');
      askForGap(core, true);
      return;
    }
    const { beginSeqNo, endSeqNo } = gap.asked;
    core.logoutAndDisconnect(`ResendRequest for ${beginSeqNo}-${endSeqNo} was not answered`);
    return;
  }
  const { owedLogout } = core.connection;
  if (owedLogout !== null && now >= owedLogout.since + core.config.logoutTimeoutMs) {
    giveUpLogout(core, owedLogout);
    return;
  }
  const late = [core.recovery.replay, core.reset.repeat].find(
    (load) => load && now >= load.read.since + LOAD_PATIENCE_MS,
  );
  if (late) {
    giveUpLoad(core, late.read.waitsFor);
    return;
  }
  if (core.recovery.replay !== null) return;
  if (core.connection.heartBtIntS === 0) return;
  if (!core.connection.isUnread && now >= silenceDeadline(core)) {
    if (isTested(core)) {
      const seconds = Math.round((now - core.connection.lastReceivedAt) / 1000);
      core.disconnect('disconnect', `nothing received for ${seconds} s, TestRequest(1) unanswered`);
      return;
    }
    core.connection.testRequests.send(core);
  }
  const isQuiet = now >= core.connection.lastSentAt + heartbeatMs(core);
  if (isQuiet) core.send(new MessageDraft(MsgType.Heartbeat));
  if (wantsProof(core) && (isQuiet || now >= core.sequence.unprovenSince + PROOF_EVERY_MS))
    core.connection.testRequests.send(core);
}

function giveUpLoad(core: SessionCore, waitsFor: LoadWaitsFor): void {
  const seconds = LOAD_PATIENCE_MS / 1000;
  if (waitsFor === 'counterparty') {
    const text = `slow consumer: for ${seconds} s the counterparty did not read the resend`;
    core.alarm('slow-consumer', text, {});
    core.logoutAndDisconnect(text);
    return;
  }
  const text = `the journal did not answer a read for a resend within ${seconds} s`;
  core.alarm('resend-impossible', text, {});
  core.logoutAndDisconnect(RESEND_IMPOSSIBLE);
}

/** After each input: announce the sequence threshold 1,000 numbers ahead, and end the session at it (`seqNumMax`). */
export function watchThreshold(core: SessionCore): void {
  if (core.state !== 'loggedOn') return;
  const { seqNumMax } = core.config;
  const highest = Math.max(core.sequence.nextSenderMsgSeqNum, core.sequence.nextTargetMsgSeqNum);
  if (highest >= seqNumMax) {
    const text = `MsgSeqNum(34) has reached the limit ${seqNumMax}`;
    if (core.connection.owedLogout === null) beginLogout(core, text, SessionStatusCode.SequenceThreshold);
    return;
  }
  if (highest < seqNumMax - 1000 || core.sequence.thresholdAnnounced) return;
  core.sequence.announced(true);
  const fate = 'at it the session is logged out and takes no Logon until both sides begin again at 1';
  core.alarm('sequence-threshold', `MsgSeqNum(34)=${highest} is near the limit ${seqNumMax}: ${fate}`, {});
  const remedy = core.version.resetSeqNumFlag
    ? 'log on again with ResetSeqNumFlag(141)=Y'
    : 'both sides have to begin again at 1';
  const text = `MsgSeqNum(34) is near the limit ${seqNumMax}: ${remedy}`;
  core.send(sessionNews(core, 'Sequence number threshold', text));
}
