// A reset that a session owes its counterparty: its requester, and whether the settings still ask for it. due-reset.ts
// and reset-in-session.ts perform it.

import type { SessionConfig } from '../config.ts';
import type { RecoveredSession } from '../port.ts';

export interface OwedReset {
  readonly who: string;
  readonly why: string;
}

/** The reset owed under these settings. The schedule's counts only if it is made within the session. */
function owedUnder(owed: OwedReset | null, { resetsWithinSession }: SessionConfig): OwedReset | null {
  return owed?.who === 'schedule' && resetsWithinSession !== true ? null : owed;
}

/**
 * A reset that is owed and to be made within the session (due-reset.ts): an acceptor's next Logon shows whether the counterparty
 * has begun again by itself.
 */
export class DueReset {
  #owed: OwedReset | null;

  /** The owed reset as the journal keeps it. */
  constructor(recovered: RecoveredSession | null, config: SessionConfig) {
    const due = recovered?.due;
    this.#owed = due === undefined ? null : owedUnder({ who: recovered?.dueBy ?? 'schedule', why: due }, config);
  }

  /** Null: none is owed. */
  get owed(): OwedReset | null {
    return this.#owed;
  }

  /** From now on this one is owed. */
  owe(reset: OwedReset | null): void {
    this.#owed = reset;
  }

  /** Numbers begin again, or it is on its way: it is owed no more. @returns the debt */
  take(): OwedReset | null {
    const owed = this.#owed;
    this.#owed = null;
    return owed;
  }

  /** The settings of the session have changed. */
  under(config: SessionConfig): void {
    this.#owed = owedUnder(this.#owed, config);
  }
}
