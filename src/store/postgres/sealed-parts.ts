// Seals rows of a journal in PostgreSQL that a snapshot covers. Each part has a line with a hash of its rows and of the
// line before, so that any change shows (rule J4). The database hashes its own rows. A part that was deleted after its
// years leaves its line. The counterpart of archive.ts; retention.ts deletes.

import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';
import { FIRST_HASH, GAP_COUNTS_DAYS_MAX, KEPT_MS_MIN } from '../snapshots/archive.ts';
import type { Database } from './bytes.ts';
import { commitHeld, type WriterOf } from './lease.ts';
import { BEGIN } from './pools.ts';

/** A part has as many rows as make so much, or so many. */
const PART_BYTES = 268_435_456;
const PART_ROWS_MAX = 100_000;
const LINES_PER_READ = 1_000;
const DAY_MS = 86_400_000;

const LAST_LINE = 'select block, hash from crossgate_part where journal = $1 order by block desc limit 1';
const NEXT_END = `select max(block) as block from (
    select block, sum(length(payload)) over (order by block) - length(payload) as before from (
      select block, payload from crossgate_block where journal = $1 and block > $2 and block <= $3 order by block limit ${PART_ROWS_MAX}
    ) as chosen
  ) as counted where before < ${PART_BYTES}`;
/** Of all rows between two: what there is, and a hash of it. */
const DIGEST = `select count(*)::int as rows, coalesce(sum(length(payload)), 0)::text as bytes, max(first_frame + frames - 1) as last_frame,
    encode(sha256(string_agg(int8send(block) || int8send(first_frame) || int4send(frames) || sha256(payload), ''::bytea order by block)), 'hex')
      as sha256
  from crossgate_block where journal = $1 and block > $2 and block <= $3`;
const ISO = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;
const ENDED_AT = `select to_char(written_at at time zone 'UTC', ${ISO}) as at from crossgate_block
  where journal = $1 and block = $2`;
const WRITE_LINE = `insert into crossgate_part (journal, block, first_block, last_frame, bytes, ended_at, sha256, previous, hash)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;
const DELETED = `select block, last_frame from crossgate_part where journal = $1 and deleted_at is not null
  order by block desc limit 1`;
const COLUMNS = `block, first_block, last_frame, bytes, sha256, previous, hash,
  to_char(ended_at at time zone 'UTC', ${ISO}) as ended_at, deleted_at is not null as is_deleted`;
/**
 * Every line with its age: of the time between two of them so much counts at most, and one that ends later than the next was
 * written by a clock that was ahead.
 */
const AGES = `with lines as (
    select *, least(clock_timestamp(), min(ended_at) over (order by block desc)) as at from crossgate_part where journal = $1
  ), gaps as (
    select *, least(coalesce(lag(at) over (order by block desc), clock_timestamp()) - at, interval '${GAP_COUNTS_DAYS_MAX} days') as gap
    from lines
  )
  select ${COLUMNS}, extract(epoch from sum(gap) over (order by block desc))::float8 * 1000 as age from gaps`;
const OLDEST = `select ended_at < clock_timestamp() - $2 * interval '1 millisecond' as may_be_due from crossgate_part
  where journal = $1 and deleted_at is null order by block limit 1`;
const DUE = `select * from (${AGES}) as aged where not is_deleted order by block limit 1`;
/** The last of the lines before the first one with a row of that time or later: a clock may have been ahead for a while. */
const BEFORE = `select block, last_frame from (
    select block, last_frame, bool_and(ended_at < to_timestamp($2::float8 / 1000)) over (order by block) as is_before
    from crossgate_part where journal = $1
  ) as lines where is_before order by block desc limit 1`;
const LINES = `select * from (${AGES}) as aged where block > $2 order by block limit ${LINES_PER_READ}`;

interface PartRow {
  readonly block: string;
  readonly first_block: string;
  readonly last_frame: string;
  readonly bytes: string;
  readonly sha256: string;
  readonly previous: string;
  readonly hash: string;
  readonly ended_at: string;
  readonly is_deleted: boolean;
  readonly age: number;
}

/** A line of the chain. */
export interface Part {
  readonly firstBlock: number;
  /** The last of its rows, and its last frame. */
  readonly block: number;
  readonly lastFrame: number;
  readonly bytes: number;
  /** Of its rows. */
  readonly sha256: string;
  /** When its last row was written, in ISO 8601. */
  readonly endedAt: string;
  readonly isDeleted: boolean;
  readonly ageMs: number;
}

interface Digest {
  readonly rows: number;
  readonly bytes: string;
  readonly last_frame: string | null;
  readonly sha256: string | null;
}

function hashOf(row: Omit<PartRow, 'hash' | 'is_deleted' | 'age'>): string {
  const { previous, first_block, block, last_frame, bytes, sha256, ended_at } = row;
  const line = `${previous}\n${first_block}\n${block}\n${last_frame}\n${bytes}\n${sha256}\n${ended_at}`;
  return createHash('sha256').update(line).digest('hex');
}

function partOf(row: PartRow): Part {
  return {
    firstBlock: Number(row.first_block),
    block: Number(row.block),
    lastFrame: Number(row.last_frame),
    bytes: Number(row.bytes),
    sha256: row.sha256,
    endedAt: row.ended_at,
    isDeleted: row.is_deleted,
    ageMs: row.age,
  };
}

async function digestOf(database: Database, journal: string, after: number, through: number): Promise<Digest> {
  return (await database.query<Digest>(DIGEST, [journal, after, through])).rows[0]!;
}

/**
 * Seal the next rows up to the one that a snapshot covers. False if there are none, if some are missing, or if another node
 * writes the journal.
 */
export async function sealNext(client: ClientBase, writer: WriterOf, through: number): Promise<boolean> {
  const { journal } = writer;
  const [last] = (await client.query<{ block: string; hash: string }>(LAST_LINE, [journal])).rows;
  const after = Number(last?.block ?? 0);
  const { rows } = await client.query<{ block: string | null }>(NEXT_END, [journal, after, through]);
  const end = Number(rows[0]?.block ?? 0);
  if (end <= after) return false;
  const digest = await digestOf(client, journal, after, end);
  if (digest.rows !== end - after || digest.last_frame === null || digest.sha256 === null) return false;
  const [written] = (await client.query<{ at: string }>(ENDED_AT, [journal, end])).rows;
  const previous = last?.hash ?? FIRST_HASH;
  const ended_at = written!.at;
  const { bytes, last_frame, sha256 } = digest;
  const line = { block: `${end}`, first_block: `${after + 1}`, last_frame, bytes, sha256, previous, ended_at };
  const values = [journal, end, after + 1, last_frame, bytes, ended_at, sha256, previous, hashOf(line)];
  await client.query(BEGIN);
  await client.query(WRITE_LINE, values);
  return await commitHeld(client, writer);
}

/** The last row, and frame, that was deleted after its years; 0 if none was. */
export async function deletedUpTo(
  database: Database,
  journal: string,
): Promise<{ readonly block: number; readonly frame: number }> {
  const { rows } = await database.query<{ block: string; last_frame: string }>(DELETED, [journal]);
  return { block: Number(rows[0]?.block ?? 0), frame: Number(rows[0]?.last_frame ?? 0) };
}

/** Which rows, and frames, were sealed before that time; 0 for none. */
export async function sealedBefore(
  database: Database,
  journal: string,
  since: number,
): Promise<{ readonly block: number; readonly frame: number }> {
  const { rows } = await database.query<{ block: string; last_frame: string }>(BEFORE, [journal, since]);
  return { block: Number(rows[0]?.block ?? 0), frame: Number(rows[0]?.last_frame ?? 0) };
}

/** The oldest part, if it has been there for so long; null if it has not. */
export async function duePart(client: ClientBase, journal: string, keptMs: number): Promise<Part | null> {
  const { rows } = await client.query<{ may_be_due: boolean }>(OLDEST, [journal, keptMs]);
  if (rows[0]?.may_be_due !== true) return null;
  const [row] = (await client.query<PartRow>(DUE, [journal])).rows;
  return row !== undefined && row.age >= keptMs ? partOf(row) : null;
}

/** Whether the rows of a part are what was sealed. */
export async function isAsSealed(client: ClientBase, journal: string, part: Part): Promise<boolean> {
  const { rows, sha256 } = await digestOf(client, journal, part.firstBlock - 1, part.block);
  return rows === part.block - part.firstBlock + 1 && sha256 === part.sha256;
}

/** The rows of a part, with what is said of one or of several. */
const ofRows = ({ firstBlock, block }: Part, one: string, several: string): string =>
  firstBlock === block
    ? `row ${block} of crossgate_block ${one}`
    : `rows ${firstBlock} to ${block} of crossgate_block ${several}`;

/**
 * Faults of the chain and its rows, in words.
 * @param keptMs the shortest time that rows are kept
 */
export async function partProblems(
  client: ClientBase,
  journal: string,
  keptMs: number = KEPT_MS_MIN,
): Promise<{ readonly deleted: number; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  let deleted = 0;
  let previous = FIRST_HASH;
  let after = 0;
  for (;;) {
    const { rows } = await client.query<PartRow>(LINES, [journal, after]);
    for (const row of rows) {
      const part = partOf(row);
      if (row.previous !== previous || row.hash !== hashOf(row) || part.firstBlock !== after + 1) {
        const which = `the chain of crossgate_part is broken at its line ${part.block}`;
        problems.push(`${which}: this line or one before it was changed`);
      }
      previous = row.hash;
      after = part.block;
      if (part.isDeleted) {
        deleted++;
        if (part.ageMs < keptMs) problems.push(deletedEarly(part, keptMs));
      } else if (!(await isAsSealed(client, journal, part))) {
        const isGoneNow = (await deletedUpTo(client, journal)).block >= part.block;
        const what = 'differ from their seal in crossgate_part';
        if (!isGoneNow) problems.push(ofRows(part, `is ${what}`, `are ${what}`));
      }
    }
    if (rows.length < LINES_PER_READ) return { deleted, problems };
  }
}

function deletedEarly(part: Part, keptMs: number): string {
  const days = Math.floor(keptMs / DAY_MS);
  const gone = ofRows(part, 'is gone as if after its years', 'are gone as if after their years');
  return `${gone}, and nothing is deleted before it was there for ${days} days`;
}
