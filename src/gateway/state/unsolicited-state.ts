// What `venue` sessions were told of halts that they never asked for. Leaves telling them to unsolicited-status.ts.

import type { EpochMs } from '../../base/time.ts';
import type { StatusRecord } from '../book/record-kinds.ts';

/** What a session was told: kept while it is away, and over a restart, since nothing else says what it missed. */
export interface Told {
  isUp: boolean;
  isOpen: boolean;
  /** It came back within a halt that it was told of: that is told anew if it lasts, its end in any case. */
  again: boolean;
  closedSince: EpochMs | null;
  /** Markets that do not trade, by the exchange's names of them; null until they are read, of a session that was never here. */
  halted: Set<string> | null;
  /** What its record says; empty if it has none. */
  saved: string;
}

/** What the sessions were told that are told unasked. */
export class UnaskedStatus {
  readonly bySession = new Map<string, Told>();
  /** Whether a market trades, by the exchange's name of it, as last read. */
  readonly markets = new Map<string, boolean>();
  /** When a halt of the platform is told, if it lasts until then. */
  dueAt: EpochMs | null = null;

  /** What a process before this one told a session. */
  recover({ sessionId, isOpen, halted }: StatusRecord): void {
    const told = { isUp: false, isOpen, again: false, closedSince: null, halted: new Set(halted), saved: '' };
    this.bySession.set(sessionId, told);
  }

  /** The clock was set back: a halt lasts as long as before. */
  setBack(byMs: number): void {
    if (this.dueAt !== null) this.dueAt -= byMs;
    for (const told of this.bySession.values()) if (told.closedSince !== null) told.closedSince -= byMs;
  }
}
