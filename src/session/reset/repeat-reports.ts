// Repeats the reports that a reset would lose (rule S2). Reports of the ended series that are not proven received go
// out in the new series as new messages with PossResend(97)=Y and their old ExecID(17) (rule S3). The repetition
// continues across connections. A drop copy session receives them only on request, from the requested point on (rule
// S9).
//
// Some sessions do not repeat unproven reports; this is the default of the `venue` dialect, with OMSs that reset at
// every logon. They still receive messages that never left, as first messages without 97 (unsent.ts).
//
// Answers to status requests are not repeated: they are no events, and the OMS can ask again.
//
// New reports follow the repeated ones: an OMS that takes reports as they arrive must not see New after the fill. Such
// a report is recorded at once, as the next of the ended series. It waits in the journal, not in memory, survives
// connection and process, and keeps its order. Reports of orders entered since then go out at once (reset-state.ts).

import { assert } from '../../base/assert.ts';
import { ExecTransType, ExecType, MessageDraft, type MessageView, Tag, viewOf } from '../../wire/mod.ts';
import { isResetAt } from '../config.ts';
import type { SessionCore } from '../core.ts';
import { sessionNews } from '../messages/news.ts';
import { ENDED_SERIES_MAX, type OutboundMessage, type SessionNumbers } from '../port.ts';
import { isReport } from '../versions.ts';
import {
  type OwedSeries,
  owedSeries,
  type Repeat,
  type RepeatRequest,
  repeatOf,
  unaskedRepeat,
} from './owed-series.ts';

/** Header fields that the application set and that a repetition keeps. */
const KEPT_HEADER: ReadonlySet<number> = new Set([
  Tag.ApplVerID,
  Tag.SenderSubID,
  Tag.SenderLocationID,
  Tag.TargetSubID,
  Tag.TargetLocationID,
  Tag.OnBehalfOfCompID,
  Tag.OnBehalfOfSubID,
  Tag.DeliverToCompID,
  Tag.DeliverToSubID,
]);

/** Fields that the session, the writer or the resend makes; a repetition gets its own. */
const MADE_ANEW: ReadonlySet<number> = new Set([
  Tag.BeginString,
  Tag.BodyLength,
  Tag.MsgType,
  Tag.SenderCompID,
  Tag.TargetCompID,
  Tag.MsgSeqNum,
  Tag.SendingTime,
  Tag.PossDupFlag,
  Tag.PossResend,
  Tag.OrigSendingTime,
  Tag.LastMsgSeqNumProcessed,
  Tag.CheckSum,
]);

/** Begin a new series at 1/1, or with the numbers given, and arrange for the unproven reports of the ended one. */
export function resetSeries(
  core: SessionCore,
  who: string,
  why: string,
  { nextSenderMsgSeqNum, nextTargetMsgSeqNum } = { nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 },
): void {
  const { repeatUnprovenReports, repeatsOnRequest } = core.config;
  // A series without a report that may be missing owes nothing: there is only so much room.
  const owesReports = core.sequence.lastReportMsgSeqNum > core.sequence.provenMsgSeqNum;
  const isRoom =
    repeatsOnRequest === true || core.reset.ended.length + (core.reset.repeat === null ? 0 : 1) < ENDED_SERIES_MAX;
  if (owesReports && !isRoom) {
    const text =
      'repeated reports of this series are not repeated again: too many resets before they were proven received';
    core.note('warn', text, { series: `${core.sequence.series}` });
  }
  const only = repeatUnprovenReports || repeatsOnRequest === true ? null : core.sequence.unsent.take();
  // Unproven reports are then not repeated; messages that never left are sent.
  const first = repeatUnprovenReports ? undefined : only?.[0];
  if (!owesReports || !isRoom || (!repeatUnprovenReports && first === undefined))
    core.prove(core.sequence.nextSenderMsgSeqNum - 1);
  else if (first !== undefined) core.prove(first.from - 1);
  if (!repeatUnprovenReports) for (const { series, to } of core.reset.unwanted.splice(0)) settle(core, series, to);
  const ended = owedSeries(
    {
      series: core.sequence.series,
      from: core.sequence.provenMsgSeqNum + 1,
      to: core.sequence.nextSenderMsgSeqNum - 1,
    },
    only,
  );
  core.setNumbers({ series: core.sequence.series + 1, nextSenderMsgSeqNum, nextTargetMsgSeqNum }, who, why);
  core.note('info', `sequence reset: ${why}`, { who });
  const owes = ended.from <= ended.to;
  if (repeatsOnRequest === true) {
    if (owes) keepUntilAsked(core, ended);
    return;
  }
  if (core.reset.repeat !== null) {
    const { owed, read } = core.reset.repeat;
    owed.from = read.next;
    core.reset.ended.unshift(owed);
    core.reset.repeating(null);
  }
  if (owes) core.reset.ended.unshift(ended);
}

/**
 * The counterparty never accepted our reset and continues the numbers before it. It does not know the series between,
 * and receives gap fills for missing messages of the old numbers. Where reports are repeated on request it would
 * request neither, so both are sent now.
 */
export function takeBackReset(core: SessionCore, before: SessionNumbers): void {
  resetSeries(core, 'session', 'the counterparty goes on in the numbers before our unanswered reset', before);
  if (core.config.repeatsOnRequest !== true || core.reset.repeat !== null) return;
  const first = core.reset.ended.findIndex(({ series }) => series >= before.series);
  if (first >= 0) core.reset.repeating(unaskedRepeat(core, core.reset.ended.splice(first)));
}

function keepUntilAsked(core: SessionCore, ended: OwedSeries): void {
  core.reset.ended.push(ended);
  if (core.reset.ended.length <= ENDED_SERIES_MAX) return;
  const { series, to } = core.reset.ended.shift()!;
  core.note('warn', 'reports of an old series are not repeated: too many resets before they were asked for', {
    series: `${series}`,
    to: `${to}`,
  });
  settle(core, series, to);
}

/** Begin a new series because the settings say so at this moment (`resetOn`), unless nothing was counted in this one. */
export function resetBySetting(core: SessionCore, at: 'logon' | 'logout' | 'disconnect'): void {
  if (!isResetAt(core.config, at)) return;
  if (core.sequence.nextSenderMsgSeqNum === 1 && core.sequence.nextTargetMsgSeqNum === 1) return;
  core.reset.unansweredSince(null);
  resetSeries(core, 'settings', `numbers begin again at each ${at}`);
}

/** Record that up to this number an ended series owes nothing any more: a restart asks the journal. */
function settle(core: SessionCore, series: number, msgSeqNum: number): void {
  core.persist({ kind: 'proven', sessionId: core.config.sessionId, series, msgSeqNum });
}

/** Whether a message has to follow reports of ended series that are still owed, and will be sent again unasked or are asked for. */
export function followsRepetition(core: SessionCore, draft: MessageDraft): boolean {
  const { config } = core;
  const { repeat, ended } = core.reset;
  if (repeat === null && (ended.length === 0 || config.repeatsOnRequest === true)) return false;
  return isReport(draft.msgType) && !(core.state === 'loggedOn' && core.reset.liveOrders.has(draft));
}

/** The counterparty answered a TestRequest: it reads, and gets the reports that waited for that. */
export function repeatBehindAnswer(core: SessionCore): void {
  const { repeatPatience } = core.reset;
  const { isWaiting } = repeatPatience;
  repeatPatience.answered();
  if (!isWaiting) return;
  repeatPatience.isWaiting = false;
  startRepeat(core);
}

/** A request of the counterparty is handed over while reports may be owed. */
export function noteLive(core: SessionCore, view: MessageView): void {
  if (core.reset.repeat !== null || core.reset.ended.length > 0) core.reset.liveOrders.note(view);
}

/** Record a report as the next of the debt. */
export function sendBehindRepetition(core: SessionCore, draft: MessageDraft): void {
  const { config } = core;
  const { repeat, ended } = core.reset;
  const isAlone = config.repeatsOnRequest === true && repeat?.request === null;
  const owed = isAlone ? (repeat.unasked.at(-1) ?? repeat.owed) : (ended.at(-1) ?? repeat?.owed);
  assert(owed !== undefined, 'there is something to follow');
  owed.to++;
  owed.unsentFrom ??= owed.to;
  core.persist({
    kind: 'outbound',
    sessionId: core.config.sessionId,
    series: owed.series,
    msgSeqNum: owed.to,
    msgType: draft.msgType,
    resendable: true,
    raw: core.encode(draft, owed.to),
  });
}

/**
 * Start reading the arranged repetitions, or request the present read again: a failed read is never answered. Called
 * after the Logon answer, so that the Logon is number 1.
 */
export function startRepeat(core: SessionCore): void {
  const { repeatPatience } = core.reset;
  const owes = core.reset.repeat !== null || (core.reset.ended.length > 0 && core.config.repeatsOnRequest !== true);
  if (owes && repeatPatience.asksFirst) {
    repeatPatience.isWaiting = true;
    core.note('warn', 'connections end again and again before repeated reports are proven received: asking first');
    core.connection.testRequests.send(core);
    return;
  }
  if (core.reset.repeat !== null) loadNext(core, core.reset.repeat);
  else nextSeries(core, null);
}

/**
 * The counterparty requests the unproven reports of resets (rule S9): first their beginning is found, then they are
 * sent.
 */
export function requestRepeat(core: SessionCore, afterExecID: string | null): void {
  if (core.reset.repeat !== null) {
    core.note('info', 'reports are being repeated already', {});
    return;
  }
  const series = [...core.reset.ended];
  const first = series[0];
  if (afterExecID === null || first === undefined) {
    nextSeries(core, { afterExecID, seek: null, count: 0 });
    return;
  }
  repeatSeries(core, first, { afterExecID, seek: { series, index: 0, found: null }, count: 0 });
}

/** Go on with the oldest series that is left; say that it is over if somebody asked. */
function nextSeries(core: SessionCore, request: RepeatRequest | null): void {
  const [following, ...unasked] = core.reset.repeat?.unasked ?? [];
  core.reset.repeating(null);
  if (following !== undefined) {
    repeatSeries(core, following, request, unasked);
    return;
  }
  // Without a request: other debts are sent when requested.
  if (request === null && core.config.repeatsOnRequest === true) return;
  const owed = core.reset.ended.shift();
  if (owed !== undefined) repeatSeries(core, owed, request);
  else if (request !== null) core.send(repeated(core, request));
}

function repeatSeries(
  core: SessionCore,
  owed: OwedSeries,
  request: RepeatRequest | null,
  unasked: readonly OwedSeries[] = [],
): void {
  loadNext(core, core.reset.repeating(repeatOf(core, owed, request, unasked)));
}

function loadNext(core: SessionCore, { read, owed }: Repeat): void {
  read.load(core, owed.series, owed.to);
}

/** Number and send one chunk of repeated reports, if it answers the read of this repetition. */
export function continueRepeat(core: SessionCore, requestId: number, messages: readonly OutboundMessage[]): void {
  const repeat = core.reset.repeat;
  if (!repeat?.read.isAnsweredBy(requestId)) return;
  const { request, owed, read } = repeat;
  const seek = request?.seek ?? null;
  read.beginPart(core);
  for (const message of messages) {
    if (!read.includes(message) || !isReport(message.msgType)) continue;
    const view = viewOf(message.raw, core.dataFields);
    assert(view !== null, 'a message of our journal frames');
    if (seek === null) {
      const { msgSeqNum } = message;
      const wasRecordedHere = owed.unsentFrom !== null && msgSeqNum >= owed.unsentFrom;
      const range = owed.only?.find(({ from, to }) => msgSeqNum >= from && msgSeqNum <= to);
      // It left, and unproven messages are not repeated.
      if (owed.only !== null && range === undefined && !wasRecordedHere) continue;
      const wasSent = !wasRecordedHere && range?.isSure !== true;
      if (wasSent && isStatus(view)) continue;
      if (!read.takes(message)) break;
      core.send(repetition(view, wasSent), false, message.stored);
      core.reset.repeatPatience.repeated();
      if (request !== null && wasSent) request.count++;
    } else if (seek.found === null && isOriginal(view) && view.string(Tag.ExecID) === request!.afterExecID) {
      seek.found = { owed, from: message.msgSeqNum + 1 };
    }
  }
  if (seek === null) settle(core, owed.series, read.to);
  read.endPart();
  if (read.next <= owed.to) loadNext(core, repeat);
  else if (seek === null) nextSeries(core, request);
  else seekOn(core, request!, seek);
}

/**
 * The answer to an earlier query. A status reports a past state without an ExecID(17): it would pass for the present one. Trades
 * can be asked for again.
 */
function isStatus(view: MessageView): boolean {
  if (view.has(Tag.TradeRequestID)) return true;
  return view.equals(Tag.ExecType, ExecType.OrderStatus) || view.equals(Tag.ExecTransType, ExecTransType.Status);
}

/**
 * A repetition may have been received at its first sending: it proves nothing about earlier messages of this series.
 */
function isOriginal(view: MessageView): boolean {
  return view.boolean(Tag.PossResend) !== true;
}

/**
 * The next series to search until the report is found. A report settles its own series up to itself and no other. A
 * counterparty that was cut off while older series were sent may name a newer report, and would otherwise never receive
 * the rest.
 */
function seekOn(core: SessionCore, request: RepeatRequest, seek: NonNullable<RepeatRequest['seek']>): void {
  const { found } = seek;
  seek.index++;
  const next = seek.series[seek.index];
  if (found === null && next !== undefined) {
    repeatSeries(core, next, request);
    return;
  }
  request.seek = null;
  const at = found === null ? -1 : core.reset.ended.indexOf(found.owed);
  if (found !== null && at >= 0) {
    settle(core, found.owed.series, found.from - 1);
    found.owed.from = found.from;
    if (found.from > found.owed.to) core.reset.ended.splice(at, 1);
  }
  nextSeries(core, request);
}

/** Reports the end of the repetition to its requester. */
function repeated(core: SessionCore, { afterExecID, count }: RepeatRequest): MessageDraft {
  const after = afterExecID === null ? '' : ` after ExecID(17)=${afterExecID}`;
  const text = `${count} reports${after} were sent again with PossResend(97)=Y; later ones are new`;
  return sessionNews(core, 'Reports repeated', text);
}

/** @param wasSent the counterparty may have it under another number */
function repetition(view: MessageView, wasSent: boolean): MessageDraft {
  const draft = new MessageDraft(view.msgType);
  if (wasSent) draft.header(Tag.PossResend, 'Y');
  for (let i = 0; i < view.fieldCount; i++) {
    const tag = view.tagAt(i);
    if (MADE_ANEW.has(tag)) continue;
    if (KEPT_HEADER.has(tag)) draft.header(tag, view.stringAt(i));
    else draft.add(tag, view.stringAt(i));
  }
  return draft;
}
