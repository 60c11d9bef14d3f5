// Resets of the numbers and what they owe: one within the session, one that is due, one without an answer, and the
// reports of ended series that are to be sent again (rule S2). Only its own functions write it.

import { type MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { isResetAt, type SessionConfig } from '../config.ts';
import type { EndedSeries, NumbersChange, RecoveredSession, SessionNumbers } from '../port.ts';
import type { Reading } from '../recovery/resend-read.ts';
import { DueReset } from './owed-reset.ts';
import { type OwedSeries, type Repeat, recoveredSeries, unaskedRepeat } from './owed-series.ts';
import type { SessionReset } from './session-reset.ts';

/** Beyond these, reports follow what is owed as those of older orders do. */
const CL_ORD_IDS_MAX = 20_000;
const CL_ORD_ID_LENGTH_MAX = 64;

/** Connections in a row that ended amid unproven repetitions. Links break twice. */
const IN_VAIN_MAX = 2;

export class ResetState {
  /** A reset within the session that our side has begun (reset-in-session.ts). */
  running: SessionReset | null = null;
  readonly due: DueReset;
  /** An acceptor's numbers before a reset of its own that the counterparty has not shown to have made as well. */
  unanswered: SessionNumbers | null;
  repeat: Repeat | null;
  /** Ended series that are still to be repeated, in order; at most `ENDED_SERIES_MAX` and one. */
  readonly ended: OwedSeries[];
  /** Those that a start found and that are not repeated, by setting: with the next reset they owe nothing any more. */
  readonly unwanted: EndedSeries[];
  /** Orders with reports that wait for no owed ones. */
  readonly liveOrders = new LiveOrders();
  readonly repeatPatience = new RepeatPatience();
  /** In the order in which they were asked for. */
  readonly pendingNumbers: NumbersChange[] = [];

  constructor(config: SessionConfig, recovered: RecoveredSession | null, reading: Reading) {
    const isSettled = config.role === 'initiator' || isResetAt(config, 'disconnect');
    this.unanswered = isSettled ? null : (recovered?.before ?? null);
    this.due = new DueReset(recovered, config);
    const owes = recovered?.ended ?? [];
    // Without a request, the debt of an ended series never left.
    const isUnwanted = !config.repeatUnprovenReports && config.repeatsOnRequest === true;
    this.unwanted = isUnwanted ? [...owes] : [];
    const { ended, unasked } = recoveredSeries(isUnwanted ? [] : owes, config.repeatsOnRequest === true);
    this.ended = ended;
    this.repeat = unaskedRepeat(reading, unasked);
  }

  /** Our side begins a reset within the session. */
  begin(reset: SessionReset): void {
    this.running = reset;
  }

  /** It is confirmed, given up or overtaken. */
  over(): void {
    this.running = null;
  }

  /** The counterparty has not shown whether it made a reset of ours; null: it has, or there is none. */
  unansweredSince(before: SessionNumbers | null): void {
    this.unanswered = before;
  }

  /** A repetition begins, or (null) is over. @returns it */
  repeating<R extends Repeat | null>(repeat: R): R {
    this.repeat = repeat;
    return repeat;
  }

  /** The connection is gone; a reset under way stays owed. */
  forgetConnection(role: SessionConfig['role']): void {
    this.liveOrders.clear();
    this.repeatPatience.connectionEnded();
    const { running } = this;
    if (running?.isOwed && running.ended === null) this.due.owe(running);
    // An initiator asks again with its next Logon (logon.ts).
    if (running?.ended && !running.isTaken && role === 'acceptor') this.unanswered = running.ended;
    this.running = null;
  }
}

/**
 * Orders that the counterparty entered while reports of ended series are owed to it. Their reports need not wait (rule S14);
 * every other report follows the owed ones, so that none overtakes an earlier one of its order. They are known by
 * ClOrdID(11), for this connection only: a report that had to wait for the next one is among the owed.
 */
class LiveOrders {
  readonly #clOrdIDs = new Set<string>();

  /** A request is handed to the application. A repetition may have been sent long ago. */
  note(view: MessageView): void {
    const { msgType } = view;
    const isNew = msgType === MsgType.NewOrderSingle;
    if (!isNew && msgType !== MsgType.OrderCancelReplaceRequest && msgType !== MsgType.OrderCancelRequest) return;
    if (view.boolean(Tag.PossDupFlag) === true || view.boolean(Tag.PossResend) === true) return;
    const clOrdID = view.string(Tag.ClOrdID);
    if (clOrdID === null || clOrdID.length > CL_ORD_ID_LENGTH_MAX || this.#clOrdIDs.size >= CL_ORD_IDS_MAX) return;
    if (isNew || this.#clOrdIDs.has(view.string(Tag.OrigClOrdID) ?? '')) this.#clOrdIDs.add(clOrdID);
  }

  /** Whether a report is of such an order. */
  has(report: MessageDraft): boolean {
    return this.#clOrdIDs.size > 0 && this.#clOrdIDs.has(report.get(Tag.ClOrdID) ?? '');
  }

  clear(): void {
    this.#clOrdIDs.clear();
  }
}

/**
 * Whether a counterparty must show that it reads before reports are repeated to it. Each repetition is recorded under new
 * numbers. A counterparty that logs on with a reset and drops the connection, again and again, would multiply the journal;
 * one that reads answers a TestRequest(1) and gets its reports a moment later.
 */
class RepeatPatience {
  #inVain = 0;
  #hasRepeated = false;
  /** The repetition waits for the answer to a TestRequest. */
  isWaiting = false;

  /** Whether the next repetition needs an answer first. */
  get asksFirst(): boolean {
    return this.#inVain >= IN_VAIN_MAX;
  }

  /** A report was repeated on this connection. */
  repeated(): void {
    this.#hasRepeated = true;
  }

  /** The counterparty answered: it reads. */
  answered(): void {
    this.#inVain = 0;
    this.#hasRepeated = false;
  }

  connectionEnded(): void {
    if (this.#hasRepeated) this.#inVain++;
    this.#hasRepeated = false;
    this.isWaiting = false;
  }
}
