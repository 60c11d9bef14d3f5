// Search conditions for the history of a journal, and the answer: messages, ended orders, or actions, the latest first, in pages.

import type { EpochMs } from '../../base/time.ts';
import type { JournalRecord } from '../port.ts';

/** `message`: what came and left; `order`: the last state of orders that ended; `audit`: actions, and alarms. */
export type HistoryKind = 'message' | 'order' | 'audit';

/** A place in a journal: the record of a frame, and the time of that frame. */
export interface HistoryPlace {
  readonly frame: number;
  readonly record: number;
  readonly at: EpochMs;
}

/** All that is given must match. */
export interface HistoryQuery {
  readonly kind: HistoryKind;
  /** SessionIDs; null for every session. */
  readonly sessionIds: readonly string[] | null;
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** MsgTypes(35), any of them; empty for every type. */
  readonly msgTypes: readonly string[];
  /** Fields that a message has, with a value or with any (null). */
  readonly tags: readonly { readonly tag: number; readonly value: string | null }[];
  /** In ClOrdID(11) or OrigClOrdID(41); any of an order's chain. */
  readonly clOrdID: string | null;
  /** In OrderID(37) or SecondaryOrderID(198). */
  readonly orderID: string | null;
  /** Symbol(55) of an order. */
  readonly symbol: string | null;
  /** OrdStatus(39) of an order, as it ended. */
  readonly ordStatus: string | null;
  /** Words of an action, in any case. */
  readonly text: string | null;
  /** Only what was recorded before this place; null from the newest record on. */
  readonly before: HistoryPlace | null;
  readonly limit: number;
  /** No further segment is begun after so long: the page says how far it came. */
  readonly withinMs: number;
}

export interface HistoryEntry {
  readonly place: HistoryPlace;
  readonly record: JournalRecord;
}

export interface HistoryPage {
  /** The latest first. */
  readonly entries: readonly HistoryEntry[];
  /** Where the next page begins; null when the journal was read as far back as it goes, or as was asked for. */
  readonly next: HistoryPlace | null;
  /** Places that could not be read, in words: something may be missing. */
  readonly unread: readonly string[];
}

/** The journal that is searched. The address of a database is a secret. */
export type SearchedJournal =
  | { readonly kind: 'embedded'; readonly directory: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly journal: string };

/** Whether `place` lies before the place that a page begins at. */
export function isBefore(frame: number, record: number, before: HistoryPlace | null): boolean {
  if (before === null) return true;
  return frame < before.frame || (frame === before.frame && record < before.record);
}
