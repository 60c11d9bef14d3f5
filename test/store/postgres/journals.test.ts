// Copies of a journal in PostgreSQL under the names of partitions.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyRows, inspectRows, journalsIn, openPostgresJournal, verifyRows } from '../../../src/store/mod.ts';
import { containerEngine, describeWith } from '../../support/requirement.ts';
import { PostgresServer } from '../postgres-server.ts';
import { inbound, outbound, SESSION } from '../records.ts';

describeWith(await containerEngine(), 'a journal in PostgreSQL under other names', () => {
  let server: PostgresServer;
  let url: string;
  beforeAll(async () => {
    server = await PostgresServer.start();
    url = server.past(await server.createDatabase());
  }, 240_000);
  afterAll(() => server?.stop());

  const open = (journal: string) => openPostgresJournal({ url, journal, leaseMs: 60_000 });

  test('a copy has the numbers and the whole log, can be written, and is made once', async () => {
    expect(await journalsIn(url)).toEqual([]);
    const journal = await open('main');
    await expect(copyRows({ url, journal: 'main' }, ['main-a'])).rejects.toMatchObject({ code: 'XG_JOURNAL_LOCKED' });
    journal.append([inbound(1), outbound(1), outbound(2)], 1_000);
    await journal.close();
    await copyRows({ url, journal: 'main' }, ['main-a', 'main-b']);
    const sessions = [SESSION];
    expect(await journalsIn(url)).toEqual(['main', 'main-a', 'main-b'].map((name) => ({ name, sessions })));
    const numbers = async (name: string) => (await inspectRows({ url, journal: name })).sessions;
    expect(await numbers('main-b')).toEqual(await numbers('main'));
    const copy = await open('main-a');
    expect(copy.recovered.sessions.get(SESSION)?.numbers.nextSenderMsgSeqNum).toBe(3);
    copy.append([outbound(3)], 2_000);
    await copy.close();
    for (const name of ['main', 'main-a', 'main-b']) {
      expect((await verifyRows({ url, journal: name }, null)).problems).toEqual([]);
    }
    expect((await numbers('main'))[0]!.numbers.nextSenderMsgSeqNum).toBe(3);
    const again = copyRows({ url, journal: 'main' }, ['main-a', 'main-c']);
    await expect(again).rejects.toThrow('the database holds main-a already: nothing was copied');
    expect((await journalsIn(url)).map(({ name }) => name)).toEqual(['main', 'main-a', 'main-b']);
  }, 120_000);
});
