// The schema of the PostgreSQL store: every version as the statements that lead to it from the one before, applied once, in
// order, under a lock. Statements that were released are never changed: a new version is added instead.

import type { ClientBase, Pool } from 'pg';
import { CrossgateError } from '../../base/errors.ts';
import { BEGIN, withClient } from './pools.ts';

/** One entry per version, the first one version 1. */
export const MIGRATIONS: readonly (readonly string[])[] = [
  [
    // The right to write: the epoch rises with every change of holder, and every write checks it.
    `create table crossgate_lease (
      name text primary key,
      epoch bigint not null,
      holder text not null,
      expires_at timestamptz not null
    )`,
    // The records: a batch of journal frames each, in the encoding of the embedded journal.
    `create table crossgate_block (
      journal text not null,
      block bigint not null,
      epoch bigint not null,
      first_frame bigint not null,
      frames integer not null,
      written_at timestamptz not null default clock_timestamp(),
      payload bytea not null,
      primary key (journal, block)
    )`,
    // The payload is encoded bytes of messages: compressing it again costs more than it saves.
    'alter table crossgate_block alter column payload set storage external',
  ],
  [
    // The sum of the rows up to one, so that a start need not read them again.
    `create table crossgate_snapshot (
      journal text not null,
      block bigint not null,
      frame bigint not null,
      epoch bigint not null,
      written_at timestamptz not null default clock_timestamp(),
      state bytea not null,
      primary key (journal, block)
    )`,
    // In which of those rows the messages of a series are that may be asked for again.
    `create table crossgate_outbound (
      journal text not null,
      session text not null,
      series bigint not null,
      block bigint not null,
      first_number bigint not null,
      last_number bigint not null,
      primary key (journal, session, series, block)
    )`,
    // Orders that ended between two snapshots.
    `create table crossgate_ended (
      journal text not null,
      block bigint not null,
      records bytea not null,
      primary key (journal, block)
    )`,
    'alter table crossgate_snapshot alter column state set storage external',
    'alter table crossgate_ended alter column records set storage external',
  ],
  [
    // Unrecorded texts for the next writer: hashes of changed passwords.
    `create table crossgate_kept (
      journal text not null,
      name text not null,
      value text not null,
      written_at timestamptz not null default clock_timestamp(),
      primary key (journal, name)
    )`,
  ],
  [
    // Null until the keys of the run are in crossgate_ended_key: until then its node holds the run in memory.
    'alter table crossgate_ended add column hashes bytea',
    'alter table crossgate_ended alter column hashes set storage external',
    'create index crossgate_ended_unnoted on crossgate_ended (journal, block) where hashes is null',
    // Where in which run the record of an ended order is, by a fingerprint of each of its keys.
    `create table crossgate_ended_key (
      journal text not null,
      print bigint not null,
      block bigint not null,
      nth smallint not null,
      at integer not null,
      bytes integer not null,
      primary key (journal, print, block, nth)
    )`,
    // Hashes of rows when they were sealed, as a chain, and the time when expired rows were deleted.
    `create table crossgate_part (
      journal text not null,
      block bigint not null,
      first_block bigint not null,
      last_frame bigint not null,
      bytes bigint not null,
      ended_at timestamptz not null,
      sha256 text not null,
      previous text not null,
      hash text not null,
      deleted_at timestamptz,
      primary key (journal, block)
    )`,
    'create index crossgate_part_deleted on crossgate_part (journal, block) where deleted_at is not null',
    // The sum of the deleted rows: a start may have to begin there.
    'alter table crossgate_snapshot add column is_base boolean not null default false',
  ],
];

const IS_THERE = "select to_regclass('crossgate_schema') is not null as is_there";
const VERSION_TABLE = `create table crossgate_schema (
  version integer primary key,
  applied_at timestamptz not null default clock_timestamp()
)`;
/** Advisory lock of migrations: the text "xgate" as a number. */
const MIGRATION_LOCK = 517_097_284_709;

/** Bring the database to the newest version. @throws CrossgateError XG_CONFIG_INVALID if it is of a later program */
export async function migrate(pool: Pool): Promise<void> {
  await withClient(pool, true, async (client) => {
    try {
      await client.query(BEGIN);
      await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
      // Asked first: a role that may not create tables may go on with those that are there.
      const { rows } = await client.query<{ is_there: boolean }>(IS_THERE);
      if (rows[0]?.is_there !== true) await client.query(VERSION_TABLE);
      await bringUp(client);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => {});
      throw error;
    }
  });
}

/** @throws CrossgateError XG_CONFIG_INVALID for the version of a later program */
export function mustBeKnown(version: number): void {
  if (version <= MIGRATIONS.length) return;
  throw new CrossgateError(
    'XG_CONFIG_INVALID',
    `the database has schema version ${version}, this program knows ${MIGRATIONS.length}: it was used by a later one`,
  );
}

async function bringUp(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ version: number }>(
    'select coalesce(max(version), 0) as version from crossgate_schema',
  );
  const version = rows[0]!.version;
  mustBeKnown(version);
  for (let next = version; next < MIGRATIONS.length; next++) {
    for (const statement of MIGRATIONS[next]!) await client.query(statement);
    await client.query('insert into crossgate_schema (version) values ($1)', [next + 1]);
  }
}
