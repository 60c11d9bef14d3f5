// A reset that a session owes its counterparty: whose wish it was, and whether the settings still have it so. Leaves making it to
// due-reset.ts and reset-in-session.ts.

import type { SessionConfig } from './config.ts';
import type { RecoveredSession } from './port.ts';

export interface OwedReset {
  readonly who: string;
  readonly why: string;
}

/** What is owed under these settings: the schedule's only where they have it made within the session. */
export function owedUnder(owed: OwedReset | null, { resetsWithinSession }: SessionConfig): OwedReset | null {
  return owed?.who === 'schedule' && resetsWithinSession !== true ? null : owed;
}

/** What a session owes as the journal has it. */
export function recoveredReset(recovered: RecoveredSession | null, config: SessionConfig): OwedReset | null {
  if (recovered?.due === undefined) return null;
  return owedUnder({ who: recovered.dueBy ?? 'schedule', why: recovered.due }, config);
}
