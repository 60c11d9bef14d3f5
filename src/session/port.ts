// The session's port to a journal, as records and reads, implemented by the store room (rule J1), and its port to a
// validator.

import type { EpochMs } from '../base/time.ts';
import type { Validator } from '../dictionary/mod.ts';
import type { SessionID } from './config.ts';

/** Sequence numbers of one session, durable. A reset begins a new series; numbers never go back within one. */
export interface SessionNumbers {
  /** 1 for the first series ever, one more after each reset. */
  readonly series: number;
  readonly nextSenderMsgSeqNum: number;
  readonly nextTargetMsgSeqNum: number;
}

/** How a logged-on time ended: by Logout(5), or without. */
export type LoggedOffBy = 'logout' | 'disconnect';

/** Records that a session appends. All records of one input become durable together or not at all. */
export type SessionRecord =
  /**
   * An inbound message that was counted, with the expected number after it (rule J1). Secrets already masked. Behind a reset of
   * ours that is not answered yet it may be of the series before.
   */
  | {
      readonly kind: 'inbound';
      readonly sessionId: SessionID;
      readonly series: number;
      readonly msgSeqNum: number;
      readonly nextTargetMsgSeqNum: number;
      readonly msgType: string;
      readonly raw: Uint8Array;
    }
  /**
   * An outbound message, before its bytes leave. `resendable`: an application message that a resend repeats. `raw` is empty
   * where only the number is kept (input `send`, `perishable`).
   */
  | {
      readonly kind: 'outbound';
      readonly sessionId: SessionID;
      readonly series: number;
      readonly msgSeqNum: number;
      readonly msgType: string;
      readonly resendable: boolean;
      readonly raw: Uint8Array;
      /** `stored` of the message that this one repeats, for the journal to refer to (rule S2); absent: record it whole. */
      readonly repeats?: object;
    }
  /**
   * A change of numbers that no message of its own made: reset, gap fill received, operator. Also the audit record. One of the
   * `schedule` within a series changes none: it says that a reset is owed from then on.
   */
  | {
      readonly kind: 'numbers';
      readonly sessionId: SessionID;
      readonly from: SessionNumbers;
      readonly to: SessionNumbers;
      readonly who: string;
      readonly why: string;
    }
  /**
   * The session was logged on or off, so that a restart knows which sessions it interrupted (rule C1). `end`: how it
   * was logged off, if a reset follows by setting after its connection has ended; absent in older records.
   * `importBegun`: neither; messages follow that are complete only once the numbers are set.
   */
  | {
      readonly kind: 'state';
      readonly sessionId: SessionID;
      readonly loggedOn: boolean;
      readonly end?: LoggedOffBy;
      readonly importBegun?: true;
    }
  /** Up to this number of this series our messages are proven received or, of an ended series, sent again (rule S2). */
  | { readonly kind: 'proven'; readonly sessionId: SessionID; readonly series: number; readonly msgSeqNum: number }
  /** Bytes on the wire that no sequence number counts (failed logon, garbled): for the message log only. */
  | {
      readonly kind: 'unsequenced';
      readonly sessionId: SessionID | null;
      readonly direction: 'in' | 'out';
      readonly raw: Uint8Array;
      readonly note: string;
    };

/** A message read back for a resend. */
export interface OutboundMessage {
  readonly series: number;
  readonly msgSeqNum: number;
  readonly msgType: string;
  readonly resendable: boolean;
  readonly raw: Uint8Array;
  readonly at: EpochMs;
  /** The journal's own note of where it lies; absent where nothing may refer to it. */
  readonly stored?: object;
}

/** Numbers of an ended series with reports that are neither proven received nor sent again yet (rule S2). */
export interface EndedSeries {
  readonly series: number;
  readonly from: number;
  readonly to: number;
  /**
   * The counterparty continued its numbers, or older ones, and knows of no reset: send again without a request (rule
   * S9).
   */
  readonly isUnasked?: true;
}

/** Ended series that are remembered for that; each needs a reset before the reports of the one before went out. */
export const ENDED_SERIES_MAX = 16;

/** State of a session as recovered from a journal. */
export interface RecoveredSession {
  readonly sessionId: SessionID;
  readonly numbers: SessionNumbers;
  readonly loggedOn: boolean;
  /** Highest outbound number of the present series that is proven received; 0 if none. */
  readonly provenMsgSeqNum: number;
  /** Messages made since the last logoff: they never left, or may not have. Absent if unknown. */
  readonly unsent?: { readonly from: number; readonly isSure: boolean };
  /** When a message but Logout(5) was last counted, in either direction, or numbers were set; null if that is not known. */
  readonly countedAt: EpochMs | null;
  /** Oldest first, at most `ENDED_SERIES_MAX`; none if absent. */
  readonly ended?: readonly EndedSeries[];
  /** The numbers before, if a reset within the session or at its end began the present series and nothing was counted in it since. */
  readonly before?: SessionNumbers;
  /** How the last logged-on time ended, if a reset was to follow and no numbers were set since. */
  readonly end?: LoggedOffBy;
  /** The process ended with the session logged on, behind a Logout(5) of ours: whether that was read is not known. */
  readonly saidLogout?: boolean;
  /** That the counterparty's next number is 1 was set within the series, by an operator, and begins none. */
  readonly firstByHand?: boolean;
  /** Why a reset is owed that is to be made within the session, if numbers did not begin again since. */
  readonly due?: string;
  /** The requester; absent: the schedule. */
  readonly dueBy?: string;
  /** An operator's request during a connection that ended with the process: still to be done. */
  readonly asked?: readonly NumbersAsked[];
  /** An import of it was begun and did not come to its end: numbers and messages are those of a part. */
  readonly importBegun?: true;
}

/**
 * An operator sets numbers or resets, as an input of the session; null keeps a number. A session with a connection is logged
 * out for it, unless it is to `reset` `within` the session by Logon(A) with ResetSeqNumFlag(141)=Y. An acceptor that is not logged
 * on may owe that to its next Logon (`isOwed`): it has no other way to tell its counterparty.
 */
export interface NumbersAsked {
  readonly kind: 'setNumbers';
  readonly nextSenderMsgSeqNum: number | null;
  readonly nextTargetMsgSeqNum: number | null;
  readonly reset: boolean;
  readonly within?: boolean;
  readonly isOwed?: boolean;
  readonly who: string;
  readonly why: string;
}

/** A change of numbers that an operator or the schedule asked for and that waits for the end of the connection. */
export type NumbersChange = Omit<NumbersAsked, 'kind' | 'within' | 'isOwed'>;

/** The session's view of the dictionary's Validator. */
export type MessageValidator = Pick<Validator, 'validate'> &
  Partial<Pick<Validator, 'dataFields' | 'lists' | 'missingIn'>>;
