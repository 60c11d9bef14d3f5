// The messages of a journal that name an order, found as the console finds them: by the ids of its segments, not by reading all of it.

import type { EpochMs } from '../../base/time.ts';
import {
  type HistoryEntry,
  type HistoryQuery,
  type JournalEntry,
  JournalHistory,
  searchRows,
} from '../../store/mod.ts';
import type { JournalPlace } from '../options/journal-place.ts';

/** Entries of one page, and all that are shown. */
const PAGE = 1_000;
const SHOWN_MAX = 100_000;

export interface OrderNames {
  /** In ClOrdID(11) or OrigClOrdID(41); null for any. */
  readonly clOrdID: string | null;
  /** In OrderID(37) or SecondaryOrderID(198); null for any. */
  readonly orderID: string | null;
  readonly from: EpochMs | null;
  readonly to: EpochMs | null;
}

/** Entries of messages that name the order, the oldest first; `unread` takes damaged places in words. */
export async function* entriesOfOrder(
  place: JournalPlace,
  { clOrdID, orderID, from, to }: OrderNames,
  unread: (text: string) => void,
): AsyncGenerator<JournalEntry> {
  const query: HistoryQuery = {
    kind: 'message',
    sessionIds: null,
    from: from ?? 0,
    to: to ?? Number.MAX_SAFE_INTEGER,
    msgTypes: [],
    tags: [],
    clOrdID,
    orderID,
    symbol: null,
    ordStatus: null,
    text: null,
    before: null,
    limit: PAGE,
    withinMs: Number.POSITIVE_INFINITY,
  };
  const segments = place.kind === 'embedded' ? new JournalHistory(place.directory) : null;
  const found: HistoryEntry[] = [];
  for (let { before } = query; ; ) {
    const asked = { ...query, before };
    const page =
      place.kind === 'postgres' ? await searchRows(place.rows, asked, Date.now()) : await segments!.search(asked);
    found.push(...page.entries);
    for (const text of page.unread) unread(text);
    if (page.next === null || found.length >= SHOWN_MAX) break;
    before = page.next;
  }
  for (const { place: at, record } of found.reverse()) yield { at: at.at, frame: at.frame, record };
}
