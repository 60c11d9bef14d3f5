// A crash or a fail-over of the database takes rows of the tables that follow the log. The next start knows every order all the same.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openPostgresJournal, type PostgresJournalOptions } from '../../../src/store/postgres/journal.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { databaseOf, PostgresServer } from '../postgres-server.ts';

const POLL = { timeout: PATIENCE_MS, interval: 20 };
/** A server that is killed loses each transaction that did not wait for its log: nothing else writes that out. */
const LOSES_EARLY = ['fsync=off', 'wal_writer_delay=10s', 'bgwriter_lru_maxpages=0', 'autovacuum=off'];

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start(LOSES_EARLY.flatMap((setting) => ['-c', setting]));
}, 180_000);
afterAll(async () => await server.stop());

async function house() {
  const url = await server.createDatabase();
  const ask = (sql: string) => server.query(sql, databaseOf(url));
  const open = async (more: Partial<PostgresJournalOptions> = {}) => {
    const journal = await openPostgresJournal({ url, journal: 'desk', leaseMs: 120_000, ...more });
    onTestFinished(() => journal.close().catch(() => {}));
    return journal;
  };
  const folded = async (): Promise<number> => {
    const [row] = await ask(
      "select coalesce(max(commit), 0)::int as commit from crossgate_folded where journal = 'desk'",
    );
    return row!.commit as number;
  };
  return { ask, open, folded };
}

const order = (key: string) => ({ kind: 'order', key, record: `{"order":"${key}"}` }) as const;

test(
  'an order that the tables had before a crash of the database is there at the next start',
  async () => {
    const { open, folded } = await house();
    const journal = await open();
    journal.append([order('o-1')], 1);
    await journal.sync();
    await expect.poll(folded, POLL).toBe(1);
    await server.restart();
    journal.append([order('o-2')], 2);
    const isRecorded = () =>
      journal.sync().then(
        () => true,
        () => false,
      );
    await expect.poll(isRecorded, POLL).toBe(true);
    await expect.poll(folded, POLL).toBe(2);
    await journal.close();
    expect([...(await open()).recovered.orders.keys()]).toEqual(['o-1', 'o-2']);
  },
  3 * PATIENCE_MS,
);

test('a node stops when the database has lost tables that it had confirmed', async () => {
  const { ask, open, folded } = await house();
  const lost: string[] = [];
  const journal = await open({ onLost: (reason) => lost.push(reason) });
  journal.append([order('o-1')], 1);
  await journal.sync();
  await expect.poll(folded, POLL).toBe(1);
  // As a standby that was behind has them.
  await ask('delete from crossgate_order; delete from crossgate_folded');
  journal.append([order('o-2')], 2);
  await journal.sync();
  await expect.poll(() => lost, POLL).toEqual([expect.stringMatching(/^the database has lost tables up to commit 1/)]);
  await journal.close().catch(() => {});
  await ask('delete from crossgate_lease');
  expect([...(await open()).recovered.orders.keys()]).toEqual(['o-1', 'o-2']);
});
