// Resets of the numbers and what they owe: one within the session, one that is due, one without an answer, and the
// reports of ended series that are to be sent again (rule S2). Only its own functions write it.

import { isResetAt, type SessionConfig } from '../config.ts';
import type { EndedSeries, NumbersChange, RecoveredSession, SessionNumbers } from '../port.ts';
import type { Reading } from '../recovery/resend-read.ts';
import { LiveOrders } from './live-orders.ts';
import { DueReset } from './owed-reset.ts';
import { type OwedSeries, type Repeat, recoveredSeries, unaskedRepeat } from './owed-series.ts';
import { RepeatPatience } from './repeat-patience.ts';
import type { SessionReset } from './session-reset.ts';

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
