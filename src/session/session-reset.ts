// A reset within the session on its way. Leaves its course to reset-in-session.ts.

import type { EpochMs } from '../base/time.ts';
import type { SessionNumbers } from './port.ts';

/** A reset within the session that our side began. */
export interface SessionReset {
  readonly who: string;
  readonly why: string;
  /** It is tried again until it is made, on later connections too. */
  readonly isOwed: boolean;
  phase: 'waiting' | 'proving' | 'proven' | 'logonSent';
  /** When it was asked for; from `logonSent` on, when our Logon went out. */
  since: EpochMs;
  /** The TestRequest(1) that must be answered, while `proving`. */
  testReqID: string | null;
  /** From `logonSent` on: our numbers before, and the number of the counterparty's next message of its old series. */
  ended: SessionNumbers | null;
  /** Messages of the new series that wait for the answer; null once they may leave. */
  held: Uint8Array[] | null;
  heldBytes: number;
  /** It was said that the proof is missing. */
  isLate: boolean;
  /** First number of those that were let go because too many waited, or null: a resend follows the answer. */
  letGoFrom: number | null;
}
