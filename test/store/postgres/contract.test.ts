// The contract of every journal, in PostgreSQL: one database for all tests, with a journal for each.

import { afterAll, beforeAll } from 'vitest';
import { openPostgresJournal, type PostgresJournal } from '../../../src/store/postgres/journal.ts';
import { containerEngine, describeWith } from '../../support/requirement.ts';
import { journalContract } from '../journal-contract.ts';
import { databaseOf, PostgresServer } from '../postgres-server.ts';

const requirement = await containerEngine();

describeWith(requirement, 'a journal in PostgreSQL', () => {
  let server: PostgresServer;
  let url: string;
  let journals = 0;

  beforeAll(async () => {
    server = await PostgresServer.start();
    url = await server.createDatabase();
  }, 120_000);
  afterAll(() => server?.stop());

  journalContract('PostgreSQL', async () => {
    const journal = `journal-${++journals}`;
    return {
      // Its subject is independent of a busy machine's time.
      open: () => openPostgresJournal({ url, journal, leaseMs: 60_000, requestTimeoutMs: 30_000 }),
      /** Dead at once; the time until its lease ends is not waited for. */
      crash: async (opened) => {
        (opened as PostgresJournal).abandon();
        await server.query('update crossgate_lease set expires_at = clock_timestamp()', databaseOf(url));
      },
      written: (opened) => opened.sync(),
      remove: async () => {},
    };
  });
});
