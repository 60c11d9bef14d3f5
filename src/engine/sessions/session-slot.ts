// A session machine with the engine's state of it, its inputs, and its requests. dispatcher.ts handles its effects.

import type { Session, SessionEffect, SessionID, SessionInput } from '../../session/mod.ts';
import type { Durability, JournalRecord } from '../../store/mod.ts';

/** The way out to one counterparty, while it is connected. */
export interface Wire {
  send(bytes: Uint8Array): void;
  /** No more is sent for now: earlier output may leave; absent if it leaves anyway. */
  flush?(): void;
  close(): void;
  /** Sent bytes that the peer has not taken yet; absent if unknown. */
  readonly bufferedBytes?: number;
}

/** A session machine with the engine's state of it. */
export interface SessionSlot {
  readonly sessionId: SessionID;
  readonly machine: Session;
  durability: Durability;
  /** The connection it is bound to, or null. */
  wire: Wire | null;
  enabled: boolean;
  /** An operator disabled it and has not enabled it since. */
  disabledByHand?: boolean;
  /**
   * Its settings were removed: it stays for reports of its orders, and its Logons go to the session that takes them
   * now.
   */
  retired: boolean;
  /** The application has as much of this counterparty's under way as it is to have: nothing more is read. Absent: it has not. */
  isBehind?: boolean;
  /** Has the connection that it is bound to look at that, if there is one. */
  onBehind?: (() => void) | null;
  /** The dispatcher's own: its last turn that touched this session. */
  touchedIn?: number;
}

/** Requests of sessions to the world; every answer returns through `sessionInput`. */
export interface SessionOutside {
  loadOutbound(slot: SessionSlot, effect: Extract<SessionEffect, { kind: 'loadOutbound' }>): void;
  sessionChanged(slot: SessionSlot, state: 'loggedOn' | 'loggedOff', reason: string): void;
  alarm(alarm: string, text: string, fields: Readonly<Record<string, string>>): void;
}

/** The part of a dispatcher that connections feed. */
export interface SessionInputs {
  readonly slots: ReadonlyMap<SessionID, SessionSlot>;
  sessionInput(slot: SessionSlot, input: SessionInput): void;
  record(record: JournalRecord): void;
  /**
   * Take the following inputs, up to `endChunk`, as of one moment; inputs without frames of their own become one, which
   * is written and answered at once. `readAt`: `performance.now()` when their bytes were read.
   */
  beginChunk(readAt: number): void;
  endChunk(): void;
}
