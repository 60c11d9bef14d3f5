// The version of the schema. Nodes are upgraded one after the other, so the first new node brings the database to its version while
// nodes of the version before write. A version that permits this only adds: tables with their indexes, and columns with defaults. It
// builds no index on a table that has rows, because that keeps writers away. tables.ts has the tables.

import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase, Pool } from 'pg';
import { CrossgateError } from '../../base/errors.ts';
import { CLUSTER_TABLES } from './cluster-tables.ts';
import { MESSAGE_IDS } from './message-ids.ts';
import { BEGIN, withClient } from './pools.ts';
import { FOLLOWING, TABLES } from './tables.ts';

/** Versions 1 to 4 had blocks of records (blocks.ts reads them). */
const FIRST_WITH_TABLES = 5;

export interface Version {
  /** The oldest version of a program that may use the database besides. */
  readonly oldestProgram: number;
  readonly statements: readonly string[];
}

/** From version 5 on. Statements that were released are never changed: a new version is added instead. */
export const VERSIONS: readonly Version[] = [
  { oldestProgram: FIRST_WITH_TABLES, statements: TABLES },
  { oldestProgram: FIRST_WITH_TABLES, statements: CLUSTER_TABLES },
  { oldestProgram: 7, statements: FOLLOWING },
  { oldestProgram: 7, statements: MESSAGE_IDS },
];
const newestOf = (versions: readonly Version[]): number => FIRST_WITH_TABLES + versions.length - 1;
export const SCHEMA_VERSION = newestOf(VERSIONS);

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
/**
 * A change of a table waits so long for the queries on it, and every commit waits behind it. Then it lets the commits through and tries
 * again: a report that reads a table for minutes must stop no node.
 */
const LOCK_MS = 250;
const TRY_AGAIN_MS = 250;
const TRIES = 40;
const LOCK_NOT_AVAILABLE = '55P03';
const LEASES = "select to_regclass('crossgate_lease') is not null as is_there";
const WRITERS = 'select name, holder from crossgate_lease where expires_at > clock_timestamp() order by name limit 1';

/**
 * Bring the database to the newest version.
 * @throws CrossgateError XG_CONFIG_INVALID if it is of a later program; XG_JOURNAL_LOCKED if this version would stop a node that writes
 */
export async function migrate(pool: Pool, versions = VERSIONS): Promise<void> {
  await withClient(pool, true, (client) => migrateOver(client, versions));
}

/** As `migrate`, over one connection. */
export async function migrateOver(client: ClientBase, versions = VERSIONS): Promise<void> {
  for (let left = TRIES; ; left--) {
    try {
      await client.query(BEGIN);
      await client.query(`set local lock_timeout = ${LOCK_MS}`);
      await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
      // Asked first: a role that may not create tables may go on with those that are there.
      const { rows } = await client.query<{ is_there: boolean }>(IS_THERE);
      if (rows[0]?.is_there !== true) await client.query(VERSION_TABLE);
      await bringUp(client, versions);
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      if ((error as { readonly code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
      if (left <= 1)
        throw new Error('a query keeps a table locked that the new schema changes: end it', { cause: error });
      await pause(TRY_AGAIN_MS);
    }
  }
}

/** @throws CrossgateError XG_CONFIG_INVALID for the version of a later program that this one may not share a database with */
export function mustBeKnown(version: number, oldestProgram: number | null, known = SCHEMA_VERSION): void {
  if (version <= known || (oldestProgram !== null && oldestProgram <= known)) return;
  throw new CrossgateError(
    'XG_CONFIG_INVALID',
    `the database has schema version ${version}, and this program knows ${known}: a later program changed it, and permits none before version ${oldestProgram ?? version}; upgrade this node`,
  );
}

async function bringUp(client: ClientBase, versions: readonly Version[]): Promise<void> {
  const { rows } = await client.query<{ version: number; oldest_program: number | null }>(VERSION);
  const [found] = rows;
  const version = found?.version ?? 0;
  mustBeKnown(version, found?.oldest_program ?? null, newestOf(versions));
  const missing = versions.slice(Math.max(0, version - FIRST_WITH_TABLES + 1));
  if (missing.length === 0) return;
  if (missing.some(({ oldestProgram }) => oldestProgram > version)) await mustBeUnwritten(client, version);
  if (version < FIRST_WITH_TABLES) {
    await client.query('alter table crossgate_schema add column if not exists oldest_program integer');
  }
  let next = newestOf(versions) - missing.length;
  for (const { oldestProgram, statements } of missing) {
    for (const statement of statements) await client.query(statement);
    await client.query(NOTE_VERSION, [++next, oldestProgram]);
  }
}

/** Programs of the present version may not go on with the next one. */
async function mustBeUnwritten(client: ClientBase, version: number): Promise<void> {
  if ((await client.query<{ is_there: boolean }>(LEASES)).rows[0]?.is_there !== true) return;
  const [writer] = (await client.query<{ name: string; holder: string }>(WRITERS)).rows;
  if (writer === undefined) return;
  throw new CrossgateError(
    'XG_JOURNAL_LOCKED',
    `the journal ${writer.name} is written by ${writer.holder}, which may know schema version ${version} only: stop the nodes of that version before this one starts`,
  );
}
