// Unsolicited halts that were reported to `venue` sessions by messages. unsolicited-status.ts sends them.

import type { EpochMs } from '../../base/time.ts';
import type { StatusRecord } from '../book/record-kinds.ts';

/** Reports to a session: kept while it is away, and over a restart, because nothing else shows which ones it missed. */
export interface Told {
  isUp: boolean;
  isOpen: boolean;
  /** It returned within a halt that was reported to it: the halt is reported again if it lasts, its end in any case. */
  again: boolean;
  closedSince: EpochMs | null;
  /** Markets that do not trade, by the exchange's names of them; null until they are read, of a session that was never here. */
  halted: Set<string> | null;
  /** Content of its record; empty if it has none. */
  saved: string;
}

/** Reports to the sessions that receive them unsolicited. */
export class UnaskedStatus {
  readonly bySession = new Map<string, Told>();
  /** Whether a market trades, by the exchange's name of it, as last read. */
  readonly markets = new Map<string, boolean>();
  /** Time to report a halt of the platform, if it lasts until then. */
  dueAt: EpochMs | null = null;

  /** Reports of an earlier process to a session. */
  recover({ sessionId, isOpen, halted }: StatusRecord): void {
    const told = { isUp: false, isOpen, again: false, closedSince: null, halted: new Set(halted), saved: '' };
    this.bySession.set(sessionId, told);
  }
}
