// A run of ended orders as a database keeps it: its bytes (ended-blob.ts), hashes of its keys for a filter, and a row for each key
// that leads to the record. Runs of an earlier program have neither hashes nor such rows, until they are noted here. Leaves finding
// an order to ended-lookup.ts.

import type { ClientBase } from 'pg';
import { type EndedPlace, hashesOf, placesIn } from '../index/ended-blob.ts';
import { type Database, readBytes } from './bytes.ts';

/** Keys of one statement. */
const KEYS_PER_WRITE = 20_000;
const WRITE_RUN = `insert into crossgate_ended (journal, block, records, hashes) values ($1, $2, $3, $4)
  on conflict (journal, block) do update set records = excluded.records, hashes = excluded.hashes`;
/** A run that is made anew has at least the keys that it had: every row of it leads to where its record is now. */
const WRITE_KEYS = `insert into crossgate_ended_key (journal, print, block, nth, at, bytes)
  select $1, print, $2, nth, at, bytes from unnest($3::bigint[], $4::smallint[], $5::integer[], $6::integer[]) as keys (print, nth, at, bytes)
  on conflict (journal, print, block, nth) do update set at = excluded.at, bytes = excluded.bytes`;
const UNNOTED = `select block, length(records) as bytes from crossgate_ended
  where journal = $1 and hashes is null order by block`;
const FORGET_RUN = 'delete from crossgate_ended where journal = $1 and block = $2';
const COUNT = 'select coalesce(sum(length(hashes)), 0) / 4 as keys from crossgate_ended where journal = $1';
/** The first run, and as many after it as one quick answer can hold. */
const HASHES = `select block, hashes from crossgate_ended where journal = $1 and block in (
    select block from (
      select block, sum(length(hashes)) over (order by block) - length(hashes) as before from (
        select block, hashes from crossgate_ended where journal = $1 and block > $2 and hashes is not null order by block limit 1000
      ) as next
    ) as counted where before < 1048576
  ) order by block`;

/** A run in a database. */
export interface StoredRun {
  readonly block: number;
  readonly bytes: number;
}

/** Write a run, the hashes of its keys and what leads to them, within a transaction. Nothing is written of one without orders. */
export async function writeRun(client: ClientBase, journal: string, block: number, run: Buffer): Promise<void> {
  let keys: EndedPlace[] = [];
  const flush = async (): Promise<void> => {
    const columns = [
      keys.map(({ print }) => print),
      keys.map(({ nth }) => nth),
      keys.map(({ at }) => at),
      keys.map(({ bytes }) => bytes),
    ];
    if (keys.length > 0) await client.query(WRITE_KEYS, [journal, block, ...columns]);
    keys = [];
  };
  if (run.readUInt32LE(0) === 0) return;
  await client.query(WRITE_RUN, [journal, block, run, hashesOf(run)]);
  for (const place of placesIn(run)) {
    keys.push(place);
    if (keys.length >= KEYS_PER_WRITE) await flush();
  }
  await flush();
}

/** Runs without noted keys, oldest first. */
export async function unnotedRuns(database: Database, journal: string): Promise<StoredRun[]> {
  const { rows } = await database.query<{ block: string; bytes: number }>(UNNOTED, [journal]);
  return rows.map(({ block, bytes }) => ({ block: Number(block), bytes }));
}

/** The bytes of a run; null if it is not as it was any more. */
export function readRun(database: Database, journal: string, { block, bytes }: StoredRun): Promise<Buffer | null> {
  return readBytes(database, { table: 'crossgate_ended', column: 'records', journal, block, bytes });
}

/** Note the keys of a run, within a transaction. */
export async function noteRun(client: ClientBase, journal: string, stored: StoredRun): Promise<void> {
  const run = await readRun(client, journal, stored);
  if (run === null) return;
  if (run.readUInt32LE(0) === 0) await client.query(FORGET_RUN, [journal, stored.block]);
  else await writeRun(client, journal, stored.block, run);
}

/** Keys that are noted, of all runs. */
export async function countNoted(database: Database, journal: string): Promise<number> {
  const { rows } = await database.query<{ keys: string }>(COUNT, [journal]);
  return Number(rows[0]?.keys ?? 0);
}

/** Hashes of the keys of the runs behind a block that are noted, with the block of each, in order. */
export async function* notedHashes(
  database: Database,
  journal: string,
  after: number,
): AsyncGenerator<{ readonly block: number; readonly hashes: Buffer }> {
  for (let last = after; ; ) {
    const { rows } = await database.query<{ block: string; hashes: Buffer }>(HASHES, [journal, last]);
    if (rows.length === 0) return;
    for (const { block, hashes } of rows) yield { block: Number(block), hashes };
    last = Number(rows.at(-1)!.block);
  }
}
