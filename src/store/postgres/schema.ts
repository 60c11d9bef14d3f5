// The version of the schema. A database may be used by every program from the `oldest_program` of its newest version on, so that
// nodes are upgraded one after the other: a version only adds tables, columns with defaults and indexes. tables.ts has the tables.

import type { ClientBase, Pool } from 'pg';
import { CrossgateError } from '../../base/errors.ts';
import { CLUSTER_TABLES } from './cluster-tables.ts';
import { BEGIN, withClient } from './pools.ts';
import { FOLLOWING, TABLES } from './tables.ts';

/** Versions 1 to 4 had blocks of records (blocks.ts reads them). */
const FIRST_WITH_TABLES = 5;

interface Version {
  /** The oldest version of a program that may use the database besides. */
  readonly oldestProgram: number;
  readonly statements: readonly string[];
}

/** From version 5 on. Statements that were released are never changed: a new version is added instead. */
const VERSIONS: readonly Version[] = [
  { oldestProgram: FIRST_WITH_TABLES, statements: TABLES },
  { oldestProgram: FIRST_WITH_TABLES, statements: CLUSTER_TABLES },
  { oldestProgram: 7, statements: FOLLOWING },
];
export const SCHEMA_VERSION = FIRST_WITH_TABLES + VERSIONS.length - 1;

const IS_THERE = "select to_regclass('crossgate_schema') is not null as is_there";
const VERSION_TABLE = `create table crossgate_schema (
  version integer primary key,
  applied_at timestamptz not null default clock_timestamp(),
  oldest_program integer
)`;
/** The version of the database; of one with blocks there is no oldest program. */
export const VERSION = `select version, (to_jsonb(s) ->> 'oldest_program')::integer as oldest_program from crossgate_schema s
  order by version desc limit 1`;
const NOTE_VERSION = 'insert into crossgate_schema (version, oldest_program) values ($1, $2)';
/** Advisory lock of migrations: the text "xgate" as a number. */
const MIGRATION_LOCK = 517_097_284_709;

/** Bring the database to the newest version. @throws CrossgateError XG_CONFIG_INVALID if it is of a later program */
export async function migrate(pool: Pool): Promise<void> {
  await withClient(pool, true, migrateOver);
}

/** As `migrate`, over one connection. */
export async function migrateOver(client: ClientBase): Promise<void> {
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
}

/** @throws CrossgateError XG_CONFIG_INVALID for the version of a later program that this one may not share a database with */
export function mustBeKnown(version: number, oldestProgram: number | null): void {
  if (version <= SCHEMA_VERSION || (oldestProgram !== null && oldestProgram <= SCHEMA_VERSION)) return;
  throw new CrossgateError(
    'XG_CONFIG_INVALID',
    `the database has schema version ${version}, this program knows ${SCHEMA_VERSION}: it was used by a later one`,
  );
}

async function bringUp(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ version: number; oldest_program: number | null }>(VERSION);
  const [found] = rows;
  const version = found?.version ?? 0;
  mustBeKnown(version, found?.oldest_program ?? null);
  if (version >= SCHEMA_VERSION) return;
  if (version < FIRST_WITH_TABLES) {
    await client.query('alter table crossgate_schema add column if not exists oldest_program integer');
  }
  for (const [k, { oldestProgram, statements }] of VERSIONS.entries()) {
    const next = FIRST_WITH_TABLES + k;
    if (next <= version) continue;
    for (const statement of statements) await client.query(statement);
    await client.query(NOTE_VERSION, [next, oldestProgram]);
  }
}
