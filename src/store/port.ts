// The journal port that every store implements: append frames, make them durable, read back.

import type { EpochMs } from '../base/time.ts';
import type { EndedOrders } from '../gateway/mod.ts';
import type { OutboundMessage, RecoveredSession, SessionID, SessionRecord } from '../session/mod.ts';
import type { JournalDamage } from './segments/damage.ts';

/** `disk`: survives power loss (fdatasync). `process`: survives kill -9 of this process. */
export type Durability = 'disk' | 'process';

/** The last state of an order chain, as the gateway wrote it. */
export interface OrderRecord {
  readonly kind: 'order';
  readonly key: string;
  readonly record: string;
  /** The order ended: it is not recovered any more but found, for years, by these keys (at most 255). */
  readonly ended?: readonly string[];
}

/** Events from the exchange as JSON: with inbound messages, enough to replay a day. */
export interface ExchangeInputRecord {
  readonly kind: 'exchangeInput';
  readonly json: string;
}

/** An action of an operator or of the process itself, for the audit trail. */
export interface AuditRecord {
  readonly kind: 'audit';
  readonly who: string;
  readonly action: string;
  readonly detail: string;
}

/** Highest command nonce handed out so far for a credential, so that a restart never goes back. */
export interface NonceRecord {
  readonly kind: 'nonce';
  readonly credential: string;
  readonly nonce: string;
}

/**
 * A start found damage before this record. Later statements about a session rest on the readable part and prove nothing
 * about the loss.
 */
export interface DamageFoundRecord {
  readonly kind: 'damageFound';
}

/** An operator lets a session go on although records of it may be damaged before this one; null: every session. */
export interface DamageAcceptedRecord {
  readonly kind: 'damageAccepted';
  readonly sessionId: SessionID | null;
  readonly who: string;
  readonly why: string;
}

export type JournalRecord =
  | SessionRecord
  | OrderRecord
  | ExchangeInputRecord
  | AuditRecord
  | NonceRecord
  | DamageFoundRecord
  | DamageAcceptedRecord;

/** A record with where and when it was written, for reading a journal as a message log. */
export interface JournalEntry {
  readonly at: EpochMs;
  readonly frame: number;
  readonly record: JournalRecord;
}

export interface RecoveredJournal {
  readonly sessions: ReadonlyMap<SessionID, RecoveredSession>;
  /**
   * Key → last record text, of every key with an order that has not ended. The caller that takes them over may clear
   * it.
   */
  readonly orders: Map<string, string>;
  /** Credential → highest nonce. */
  readonly nonces: ReadonlyMap<string, string>;
  /** True if this journal was just created. */
  readonly fresh: boolean;
  /** Why this journal is not the one that was written here last, in words: it was replaced, or by an older copy (rule J3). */
  readonly objection?: string;
  /** Records that were durable are lost in the middle; the sessions concerned must not go on by themselves. */
  readonly damage?: JournalDamage;
  /** Work of the recovery, in words (for example a torn tail that was cut), for the log. */
  readonly notes: readonly string[];
}

/** Small texts by name that hold beside the records, for the next process that opens the journal. */
export interface KeptTexts {
  /** The last text written; null if there was none. */
  read(name: string): string | null;
  /** Resolves once it is durable. @throws CrossgateError XG_JOURNAL_WRITE_FAILED, XG_JOURNAL_LOCKED */
  write(name: string, text: string): Promise<void>;
}

/**
 * Keeps what must outlive a connection or the process: messages with their numbers, in frames that are whole or not there. A user
 * of the library gets one from `fileStore()` or `memoryStore()`, and writes none: what is asked of it changes without notice.
 */
export interface Journal {
  readonly recovered: RecoveredJournal;
  /** Where it lies, for people. */
  readonly location: string;
  /** Absent where the journal lies in the state folder: other files of that are there whenever it is. */
  readonly kept?: KeptTexts;
  /** Orders that ended, also those appended just now. */
  readonly endedOrders: EndedOrders;
  /**
   * Append one frame: its records are recovered together or not at all. In memory until `write` or `sync`. Bytes are
   * copied. However much waits for a disk that fails, it is taken: the caller has done what it records already, and sees to
   * it that no more comes.
   */
  append(records: readonly JournalRecord[], at: EpochMs): void;
  /** Hand everything appended so far to the operating system, at once. @throws CrossgateError XG_JOURNAL_WRITE_FAILED */
  write(): void;
  /** Longest time that a sync should take; absent where a sync that takes too long fails by itself. */
  readonly syncMsMax?: number;
  /** Whether `write` is answered at once. Where not, as beside a sync that takes long, what is appended waits for `sync`. */
  canWrite?(): boolean;
  /** `write`, then make it survive power loss. One sync runs at a time; calls during it share the next one. */
  sync(): Promise<void>;
  /**
   * Do what `sync` does before returning, where the disk is quick enough for that, as a journal on its own disk may be. False
   * if it was not done: `sync` then does it. @throws CrossgateError XG_JOURNAL_WRITE_FAILED
   */
  syncNow?(): boolean;
  /** File and offset, or row, of the last records under these keys that are not of ended orders, in words. */
  placesOf?(keys: ReadonlySet<string>): Promise<ReadonlyMap<string, string>>;
  /** Resendable outbound messages of a series with from ≤ number ≤ to, ascending; also those not yet synced. */
  loadOutbound(sessionId: SessionID, series: number, from: number, to: number): Promise<OutboundMessage[]>;
  /** Read the whole journal in order (the message log). */
  entries(): AsyncIterable<JournalEntry>;
  close(): Promise<void>;
}
