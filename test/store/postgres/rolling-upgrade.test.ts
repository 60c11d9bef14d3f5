// Nodes of two versions over one database: a program that knows the present schema, and one with a version more, which is added here.

import { Client, Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type Journal, verifyRows } from '../../../src/store/mod.ts';
import { openPostgresJournal, type PostgresJournal } from '../../../src/store/postgres/journal.ts';
import { migrate, mustBeKnown, SCHEMA_VERSION, VERSIONS, type Version } from '../../../src/store/postgres/schema.ts';
import { containerEngine, describeWith } from '../../support/requirement.ts';
import { databaseOf, PostgresServer } from '../postgres-server.ts';
import { inbound, outbound, SESSION } from '../records.ts';

const requirement = await containerEngine();
const NEXT_VERSION = SCHEMA_VERSION + 1;
const ADDITIONS = [
  "alter table crossgate_message add column region text not null default 'EU'",
  'alter table crossgate_order add column desk text',
  'create table crossgate_desk (journal text not null, desk text not null, primary key (journal, desk))',
];
/** The versions that the next program knows. */
const nextOf = (oldestProgram: number): readonly Version[] => [...VERSIONS, { oldestProgram, statements: ADDITIONS }];

describeWith(requirement, 'a rolling upgrade over PostgreSQL', () => {
  let server: PostgresServer;
  let url: string;
  beforeAll(async () => {
    server = await PostgresServer.start();
  }, 120_000);
  afterAll(() => server?.stop());
  beforeEach(async () => {
    url = server.past(await server.createDatabase());
  });

  const sql = (text: string): Promise<Record<string, unknown>[]> => server.query(text, databaseOf(url));
  const open = (): Promise<Journal> =>
    openPostgresJournal({ url, journal: 'main', leaseMs: 60_000, requestTimeoutMs: 10_000 });
  /** As the first node of the next program does at its start. */
  async function migrateTo(versions: readonly Version[]): Promise<void> {
    const pool = new Pool({ connectionString: url, max: 1 });
    onTestFinished(() => pool.end());
    await migrate(pool, versions);
  }
  async function write(journal: Journal, n: number): Promise<void> {
    const order = { kind: 'order', key: `o-${n}`, record: `{"n":${n}}` } as const;
    journal.append([inbound(n), outbound(n), n % 2 === 0 ? order : { ...order, ended: [`c|${n}`] }], n);
    await journal.sync();
  }

  test('a node writes on while a new node migrates, and either version takes over from the other', async () => {
    let journal = await open();
    let n = 0;
    let isMigrated = false;
    const migrated = migrateTo(nextOf(SCHEMA_VERSION)).finally(() => {
      isMigrated = true;
    });
    while (!isMigrated || n < 20) await write(journal, ++n);
    await migrated;
    for (const until = n + 10; n < until; ) await write(journal, ++n);
    await (journal as PostgresJournal).upkeepIdle();
    await journal.close();
    expect(await sql('select max(version) as version from crossgate_schema')).toEqual([{ version: NEXT_VERSION }]);
    // The program before can be started again: its own migration has nothing to do.
    journal = await open();
    expect(journal.recovered.sessions.get(SESSION)?.numbers.nextSenderMsgSeqNum).toBe(n + 1);
    expect(journal.recovered.orders.size).toBe(Math.floor(n / 2));
    await write(journal, ++n);
    await journal.close();
    // And the next program finds what that wrote.
    await migrateTo(nextOf(SCHEMA_VERSION));
    expect(await sql("select count(*)::int as rows from crossgate_message where region = 'EU'")).toEqual([
      { rows: 2 * n },
    ]);
    expect((await verifyRows({ url, journal: 'main' })).problems).toEqual([]);
  });

  test('a migration that waits for a report lets commits through', async () => {
    const journal = await open();
    onTestFinished(() => journal.close());
    await write(journal, 1);
    const report = new Client({ connectionString: url });
    await report.connect();
    onTestFinished(() => report.end().catch(() => {}));
    await report.query('begin');
    await report.query('select count(*) from crossgate_message');
    let tried = 0;
    let isMigrated = false;
    const migrated = migrateTo(nextOf(SCHEMA_VERSION)).finally(() => {
      isMigrated = true;
    });
    const waits = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'alter table%'";
    let wasWaiting = false;
    for (let n = 2; tried < 2; n++) {
      await write(journal, n);
      const isWaiting = (await sql(waits)).length > 0;
      if (wasWaiting && !isWaiting) tried++;
      wasWaiting = isWaiting;
      expect(isMigrated).toBe(false);
    }
    await report.query('commit');
    await migrated;
    expect(await sql('select max(version) as version from crossgate_schema')).toEqual([{ version: NEXT_VERSION }]);
  });

  test('a version that ends the one before waits until its nodes have stopped, and refuses them then', async () => {
    const journal = await open();
    await write(journal, 1);
    await expect(migrateTo(nextOf(NEXT_VERSION))).rejects.toMatchObject({
      code: 'XG_JOURNAL_LOCKED',
      message: expect.stringMatching(
        `^the journal main is written by .* process .*, which may know schema version ${SCHEMA_VERSION} only: stop the nodes`,
      ),
    });
    await write(journal, 2);
    await journal.close();
    await migrateTo(nextOf(NEXT_VERSION));
    await expect(open()).rejects.toMatchObject({
      code: 'XG_CONFIG_INVALID',
      message: expect.stringMatching(
        `schema version ${NEXT_VERSION}, and this program knows ${SCHEMA_VERSION}: .* none before version ${NEXT_VERSION}; upgrade this node$`,
      ),
    });
  });
});

test('the schema permits every program from the oldest one on that its newest version names', () => {
  expect(() => mustBeKnown(NEXT_VERSION, SCHEMA_VERSION)).not.toThrow();
  expect(() => mustBeKnown(SCHEMA_VERSION, SCHEMA_VERSION, NEXT_VERSION)).not.toThrow();
  expect(() => mustBeKnown(NEXT_VERSION, NEXT_VERSION)).toThrow(/upgrade this node/);
  expect(() => mustBeKnown(NEXT_VERSION, null)).toThrow(/upgrade this node/);
});
