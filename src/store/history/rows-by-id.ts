// Finds messages of a journal in PostgreSQL by an id of an order that they have, the latest first. The tables that follow the log have
// the ids (postgres/message-ids.ts); the log itself is read behind them, and what is older than their first commit is left to the caller.

import type { Client } from 'pg';
import { connected, type RowsPlace, SNAPSHOT } from '../postgres/inspection.ts';
import { deletedUpTo, type LogEnd, type LogRow, logEnd, MESSAGE_COLUMNS, messageOf } from '../postgres/log-reader.ts';
import { coverageOf, indexed } from '../postgres/message-ids.ts';
import { bytesOf, matchOf } from './history-match.ts';
import { type HistoryEntry, type HistoryPlace, type HistoryQuery, isBefore } from './history-query.ts';

const MESSAGES_PER_READ = 500;
const ID = indexed("encode($2::bytea, 'escape')");
const frameBefore = (table: string): string =>
  `(select entry from ${table} where journal = $1 and entry < m.entry and frame < m.frame order by entry desc limit 1)`;

/**
 * Messages with the id $2 behind entry $3 and before $4, in a frame up to $8. Behind $5 the log itself is asked, for the bytes $6. A
 * message has its place in its frame: records have consecutive entries, and those up to $7 were deleted.
 */
export const FIND_MESSAGES = `with named as materialized (
    select m.* from (
      select entry from crossgate_message_id where journal = $1 and id = ${ID}
      union select entry from crossgate_execution where journal = $1 and cl_ord_id = ${ID}
      union select entry from crossgate_execution where journal = $1 and order_id = ${ID}
      union select entry from crossgate_message where journal = $1 and entry > $5 and position($6::bytea in raw) > 0
    ) as ids cross join lateral (
      select ${MESSAGE_COLUMNS} from crossgate_message where journal = $1 and crossgate_message.entry = ids.entry offset 0
    ) as m where m.entry > $3 and m.entry < $4 and m.frame <= $8 order by m.entry desc limit ${MESSAGES_PER_READ}
  )
  select m.*, m.entry - 1 - greatest($7::bigint, ${frameBefore('crossgate_message')}, ${frameBefore('crossgate_event')},
    ${frameBefore('crossgate_audit')}) as record
  from named as m order by m.entry desc`;
const END = `select commit, first_frame + frames - 1 as frame, first_entry + entries - 1 as entry, hash,
    (extract(epoch from written_at) * 1000)::float8 as at from crossgate_commit where journal = $1 and commit = $2`;
type EndRow = Record<keyof LogEnd, string> & { readonly at: number };
/** A bigint that no entry reaches. */
const LAST = Number.MAX_SAFE_INTEGER;

interface FoundById {
  /** At most one more than a page has. */
  readonly found: readonly HistoryEntry[];
  /** Older messages lie before it; null if there are none. */
  readonly rest: HistoryPlace | null;
}

/** The question to FIND_MESSAGES. */
export interface IdSearch {
  readonly journal: string;
  readonly id: string;
  /** Entries: those up to `after` are left out, and those behind `through` have no ids in the tables. */
  readonly after: number;
  readonly through: number;
  readonly deleted: number;
}

/** Values of FIND_MESSAGES. */
export function valuesOf(
  { journal, id, after, through, deleted }: IdSearch,
  lastFrame = LAST,
  nextEntry = LAST,
): unknown[] {
  const value = bytesOf(`=${id}\u0001`);
  return [journal, bytesOf(id), after, nextEntry, through, value, deleted, lastFrame];
}

/** Null if the tables have no ids. @throws CrossgateError XG_JOURNAL_UNREADABLE */
export function searchById(place: RowsPlace, query: HistoryQuery, id: string): Promise<FoundById | null> {
  return connected(place, async (client) => {
    await client.query(SNAPSHOT);
    const { journal } = place;
    const deleted = await deletedUpTo(client, journal);
    const coverage = await coverageOf(client, journal);
    if (coverage === null) return null;
    const begin = await endOf(client, journal, coverage.after, deleted);
    const through = await endOf(client, journal, coverage.through, deleted);
    // Only of a damaged journal a commit is missing.
    if (begin === null || through === null) return null;
    const search = { journal, id, after: begin.entry, through: through.entry, deleted: deleted.entry };
    const found = await findMessages(client, query, search);
    if (begin.commit <= deleted.commit) return { found, rest: null };
    const rest = { frame: begin.frame + 1, record: 0, at: begin.at };
    const { before } = query;
    return { found, rest: before !== null && isBefore(before.frame, before.record, rest) ? before : rest };
  });
}

/** The end of a commit, or of those that were deleted. */
async function endOf(
  client: Client,
  journal: string,
  commit: number,
  deleted: LogEnd,
): Promise<(LogEnd & { readonly at: number }) | null> {
  if (commit <= deleted.commit) return { ...deleted, at: 0 };
  const [row] = (await client.query<EndRow>(END, [journal, commit])).rows;
  return row === undefined ? null : { ...logEnd(row), at: row.at };
}

async function findMessages(client: Client, query: HistoryQuery, search: IdSearch): Promise<HistoryEntry[]> {
  const matches = matchOf(query);
  const found: HistoryEntry[] = [];
  for (let next: number | undefined; ; ) {
    const values = valuesOf(search, query.before?.frame, next);
    const { rows } = await client.query<LogRow & { readonly record: string }>(FIND_MESSAGES, values);
    for (const row of rows) {
      const place = { frame: Number(row.frame), record: Number(row.record), at: row.at };
      const { from, to, before, limit } = query;
      if (place.at < from || place.at > to || !isBefore(place.frame, place.record, before)) continue;
      const record = messageOf(row);
      if (matches(record) && found.push({ place, record }) > limit) return found;
    }
    if (rows.length < MESSAGES_PER_READ) return found;
    next = Number(rows.at(-1)!.entry);
  }
}
