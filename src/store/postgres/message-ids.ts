// Ids of orders in the messages of a journal in PostgreSQL, for a search. crossgate_message_id has ClOrdID(11), OrderID(37),
// OrigClOrdID(41) and SecondaryOrderID(198) of each message; ClOrdID and OrderID of sent ExecutionReports are in crossgate_execution.
// It follows the log as the other tables do, and a program of a version before leaves it out: crossgate_folded has the commits that
// it covers, behind ids_after up to ids_through.

import type { Database } from './pools.ts';

/** Statements that make the table. Nothing reads a row without an index: one finds ids, the other deletes after years. */
export const MESSAGE_IDS: readonly string[] = [
  `create table crossgate_message_id (
    journal text not null,
    entry bigint not null,
    id text not null,
    primary key (journal, entry, id)
  )`,
  'create index crossgate_message_id_id on crossgate_message_id (journal, id)',
  'alter table crossgate_folded add column ids_after bigint, add column ids_through bigint',
];

/** So much of an ExecutionReport is looked at for its columns. */
export const REPORT_BYTES_MAX = 8_192;
/** An index has no room for more. The search compares the whole id with the message itself. */
const ID_CHARACTERS_MAX = 512;

/** As much of a text as an index takes. */
export const indexed = (text: string): string => `left(${text}, ${ID_CHARACTERS_MAX})`;

/** A sent ExecutionReport(8), as a condition on the columns of crossgate_message. */
export const IS_REPORT = "direction = 'out' and msg_type = '8' and series is not null";
const fieldOf = (tag: number): string => `strpos(fix, chr(1) || '${tag}=') > 0`;

/** The ids of the messages behind entry $2 up to $3 of journal $1. Few reports have ids that crossgate_execution lacks. */
const IDS = `select distinct entry, ${indexed('found[1]')} as id from (
    select entry, fix, is_report from (
      select entry, encode(raw, 'escape') as fix, ${IS_REPORT} and length(raw) <= ${REPORT_BYTES_MAX} as is_report
      from crossgate_message where journal = $1 and entry > $2 and entry <= $3 offset 0
    ) as message where not is_report or ${fieldOf(41)} or ${fieldOf(198)}
  ) as message, regexp_matches(fix,
    case when is_report then '\\x01(?:41|198)=([^\\x01]+)' else '\\x01(?:11|37|41|198)=([^\\x01]+)' end, 'g') as found`;
export const INSERT_IDS = `insert into crossgate_message_id select $1, entry, id from (${IDS}) as ids
  on conflict (journal, entry, id) do nothing`;
const endOf = (column: string): string => `coalesce((select first_entry + entries - 1 from crossgate_folded f
  join crossgate_commit c on c.journal = f.journal and c.commit = f.${column} where f.journal = $1), 0)`;
/** Of those that the table covers, the ones that it lacks. */
export const LOST_IDS = `select count(*)::int as rows, min(id) as example from (${IDS}) as ids
  where entry > ${endOf('ids_after')} and entry <= ${endOf('ids_through')} and not exists (
    select 1 from crossgate_message_id i where i.journal = $1 and i.entry = ids.entry and i.id = ids.id)`;

/** Commits with their ids in the table. */
export interface Coverage {
  readonly after: number;
  readonly through: number;
}

/** In a database of a program before there are no such columns. */
const COVERAGE = `select (to_jsonb(f) ->> 'ids_after')::float8 as after, (to_jsonb(f) ->> 'ids_through')::float8 as through
  from crossgate_folded f where journal = $1`;
/** SQLSTATE of a table that is not there. */
const UNDEFINED_TABLE = '42P01';

/** Null if the table covers nothing. */
export async function coverageOf(database: Database, journal: string): Promise<Coverage | null> {
  try {
    const { rows } = await database.query<{ [end in keyof Coverage]: number | null }>(COVERAGE, [journal]);
    const { after = null, through = null } = rows[0] ?? {};
    return after === null || through === null ? null : { after, through };
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === UNDEFINED_TABLE) return null;
    throw error;
  }
}
