// Searches a journal in PostgreSQL. Messages that name an order are found by its id (rows-by-id.ts), as far back as the index of ids goes.
// Other rows are read forward, so the latest hour is tried first, then longer times, until a page is full.

import { CrossgateError } from '../../base/errors.ts';
import { type RowsPlace, readRowJournal } from '../postgres/inspection.ts';
import { damageInWords } from '../segments/damage.ts';
import { idOf, matchOf } from './history-match.ts';
import { type HistoryEntry, type HistoryPage, type HistoryQuery, isBefore } from './history-query.ts';
import { searchById } from './rows-by-id.ts';

const HOUR_MS = 3_600_000;
/** How far back, one after the other; the last one is everything. */
const WINDOWS_MS = [HOUR_MS, 24 * HOUR_MS, 30 * 24 * HOUR_MS, Number.POSITIVE_INFINITY] as const;
/** Rows are read over a network: longer than a search of segments. */
const WITHIN_MS = 15_000;

/** One page. @throws CrossgateError XG_JOURNAL_UNREADABLE, also if it takes too long */
export async function searchRows(place: RowsPlace, query: HistoryQuery, now: number): Promise<HistoryPage> {
  const id = query.kind === 'message' ? idOf(query) : null;
  const byId = id === null ? null : await searchById(place, query, id);
  if (byId === null) return await searchBack(place, query, now);
  const { found, rest } = byId;
  const missing = query.limit + 1 - found.length;
  if (missing <= 0 || rest === null) return pageOf(found, query, []);
  const older = await searchBack(place, { ...query, before: rest, limit: missing }, now);
  return pageOf([...found, ...older.entries], query, older.unread);
}

/** The latest first. */
function pageOf(found: readonly HistoryEntry[], { limit }: HistoryQuery, unread: readonly string[]): HistoryPage {
  const entries = found.slice(0, limit);
  return { entries, next: found.length > limit ? entries.at(-1)!.place : null, unread };
}

async function searchBack(place: RowsPlace, query: HistoryQuery, now: number): Promise<HistoryPage> {
  const until = performance.now() + WITHIN_MS;
  const latest = Math.min(query.to, query.before?.at ?? now);
  let page: HistoryPage = { entries: [], next: null, unread: [] };
  for (const windowMs of WINDOWS_MS) {
    const from = Math.max(query.from, latest - windowMs, 0);
    page = await searchFrom(place, { ...query, from }, until);
    if (page.next !== null || from === query.from || from === 0) break;
  }
  return page;
}

async function searchFrom(place: RowsPlace, query: HistoryQuery, until: number): Promise<HistoryPage> {
  const matches = matchOf(query);
  const unread: string[] = [];
  let found: HistoryEntry[] = [];
  let lastFrame = 0;
  let record = 0;
  for await (const entry of readRowJournal(place, query.from, (damaged) => unread.push(damageInWords(damaged)))) {
    record = entry.frame === lastFrame ? record + 1 : 0;
    lastFrame = entry.frame;
    if (query.before !== null && entry.frame > query.before.frame) break;
    if (performance.now() > until) {
      const what = 'the search takes too long: name a shorter time';
      throw new CrossgateError('XG_JOURNAL_UNREADABLE', `${place.journal} in PostgreSQL: ${what}`);
    }
    if (entry.at > query.to || !isBefore(entry.frame, record, query.before) || !matches(entry.record)) continue;
    found.push({ place: { frame: entry.frame, record, at: entry.at }, record: entry.record });
    if (found.length > 2 * (query.limit + 1)) found = found.slice(-(query.limit + 1));
  }
  return pageOf(found.reverse(), query, unread);
}
