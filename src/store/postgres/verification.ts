// Compares the other tables of a journal in PostgreSQL with its log: sessions, orders, keys of ended orders, executions, ids of
// messages. A difference would resume wrongly, skip a message of a resend, accept a ClOrdID twice, or leave a message out of a search.
// inspection.ts reads the log and proves its hashes.

import type { JournalState } from '../journal-state.ts';
import type { LiveState } from './live-state.ts';
import type { LogEnd } from './log-reader.ts';
import { coverageOf, LOST_IDS } from './message-ids.ts';
import type { Database } from './pools.ts';

/** Entries, or keys, that one query compares: it has a minute for its answer. */
const ENTRIES_PER_QUERY = 100_000;
const KEYS_PER_QUERY = 50_000;

const CHANGED_ORDERS = `select count(*)::int as rows, min(o.key) as example from crossgate_event e
  join crossgate_order o on o.journal = e.journal and o.key = e.subject and o.entry = e.entry
  where e.journal = $1 and e.entry > $2 and e.entry <= $3 and e.kind = 'order'
    and (e.detail <> o.record or (e.ended is not null) <> o.is_ended)`;
/** The row of an order has the entry of its last record. */
const LOST_ORDERS = `select count(*)::int as rows, min(e.subject) as example from crossgate_event e
  where e.journal = $1 and e.entry > $2 and e.entry <= $3 and e.kind = 'order' and not exists (
    select 1 from crossgate_order o join crossgate_event last on last.journal = o.journal and last.entry = o.entry
    where o.journal = e.journal and o.key = e.subject and o.entry >= e.entry and last.kind = 'order' and last.subject = o.key)`;
const LOST_KEYS = `select count(*)::int as rows, min(name) as example from crossgate_event e, jsonb_array_elements_text(e.ended) as name
  where e.journal = $1 and e.entry > $2 and e.entry <= $3 and e.ended is not null and not exists (
    select 1 from crossgate_order_key k where k.journal = e.journal and k.id = name)`;
const LOST_EXECUTIONS = `select count(*)::int as rows, min(m.session) as example from crossgate_message m
  where m.journal = $1 and m.entry > $2 and m.entry <= $3 and m.direction = 'out' and m.msg_type = '8' and m.series is not null
    and not exists (select 1 from crossgate_execution x where x.journal = m.journal and x.entry = m.entry)`;
const KEYS_OF_NONE = `select count(*) filter (where o.key is null)::int as rows, max(id) as last,
    min(id) filter (where o.key is null) as example
  from (select * from crossgate_order_key where journal = $1 and id > $2 order by id limit ${KEYS_PER_QUERY}) as k
  left join crossgate_order o on o.journal = k.journal and o.key = k.key`;

const COMPARISONS: readonly (readonly [text: string, problem: string])[] = [
  [CHANGED_ORDERS, 'rows of crossgate_order differ from the log'],
  [LOST_ORDERS, 'records of orders in the log have no row of crossgate_order'],
  [LOST_KEYS, 'keys of ended orders are missing in crossgate_order_key: their ClOrdIDs would be accepted again'],
  [LOST_EXECUTIONS, 'ExecutionReports have no row of crossgate_execution'],
];
const OF_IDS = [LOST_IDS, 'ids of messages are missing in crossgate_message_id: a search does not find those'] as const;
const NUMBERS = ['series', 'nextSenderMsgSeqNum', 'nextTargetMsgSeqNum', 'provenMsgSeqNum'] as const;

interface Found {
  readonly rows: number;
  readonly example: string | null;
}

/** A part of the log: entries behind one end, up to another. */
export interface Compared {
  readonly journal: string;
  readonly after: LogEnd;
  /** The last entry that the tables have. */
  readonly through: number;
  /** The sum of the log, and what a start reads. */
  readonly state: JournalState;
  readonly live: LiveState;
}

/** Disagreements, in words, within one snapshot of the database. */
export async function differences(
  database: Database,
  { journal, after, through, state, live }: Compared,
): Promise<string[]> {
  const problems: string[] = [];
  const note = (problem: string, count: number, example: string | null): void => {
    if (count > 0) problems.push(`${count} ${problem}, such as ${example}`);
  };
  // A program of a version before has no such table.
  const hasIds = (await coverageOf(database, journal)) !== null;
  for (const [text, problem] of hasIds ? [...COMPARISONS, OF_IDS] : COMPARISONS) {
    let count = 0;
    let example: string | null = null;
    for (let from = after.entry; from < through; from += ENTRIES_PER_QUERY) {
      const values = [journal, from, Math.min(through, from + ENTRIES_PER_QUERY)];
      const [row] = (await database.query<Found>(text, values)).rows;
      count += row!.rows;
      example ??= row!.example;
    }
    note(problem, count, example);
  }
  for (let last: string | null = ''; last !== null; ) {
    const [row]: (Found & { last: string | null })[] = (await database.query(KEYS_OF_NONE, [journal, last])).rows;
    note('rows of crossgate_order_key lead to no order', row!.rows, row!.example);
    last = row!.last;
  }
  for (const [sessionId, expected] of state.kept()) {
    const found = live.state.stateOf(sessionId);
    if (found === undefined) problems.push(`crossgate_session has no row of ${sessionId}`);
    else if (NUMBERS.some((name) => found[name] !== expected[name])) {
      problems.push(`the numbers of ${sessionId} in crossgate_session differ from the log`);
    }
  }
  return problems;
}
