// The log of a journal in PostgreSQL after its years: what is deleted, what stays known, and verify's distinction from foreign
// deletions.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { inspectRows, type Journal, type JournalEntry, readRowJournal, verifyRows } from '../../../src/store/mod.ts';
import {
  openPostgresJournal,
  type PostgresJournal,
  type PostgresJournalOptions,
} from '../../../src/store/postgres/journal.ts';
import { containerEngine, describeWith } from '../../support/requirement.ts';
import { databaseOf, PostgresServer } from '../postgres-server.ts';
import { inbound, OTHER, outbound, reset, SESSION } from '../records.ts';

const requirement = await containerEngine();
/** One commit is written now, and each one before it so many days earlier. */
const DAYS_PER_COMMIT = 30;
const NOW = 9;
const atIntervals = (now: number): string => `create function backdate() returns trigger language plpgsql as $$
  begin new.written_at := clock_timestamp() - (${now} - new.commit) * interval '${DAYS_PER_COMMIT} days';
    new.starts_part := true; return new; end $$`;
const BACKDATING =
  'create trigger backdating before insert on crossgate_commit for each row execute function backdate()';

describeWith(requirement, 'a journal in PostgreSQL', () => {
  let server: PostgresServer;
  let url: string;
  const opened: Journal[] = [];
  const said: string[] = [];

  beforeAll(async () => {
    server = await PostgresServer.start();
  }, 120_000);
  afterAll(() => server?.stop());
  beforeEach(async () => {
    // Past the proxy in this process, which stands still while an ended order is looked for.
    url = server.past(await server.createDatabase());
    said.length = 0;
  });
  afterEach(async () => {
    for (const journal of opened.splice(0)) await journal.close().catch(() => {});
  });

  const sql = (text: string): Promise<Record<string, unknown>[]> => server.query(text, databaseOf(url));
  async function open(options: Partial<PostgresJournalOptions> = {}): Promise<Journal> {
    const log = (_level: string, text: string): unknown => said.push(text);
    const journal = await openPostgresJournal({
      url,
      journal: 'main',
      leaseMs: 60_000,
      log,
      ...options,
    });
    opened.push(journal);
    return journal;
  }
  const idle = (journal: Journal): Promise<void> => (journal as PostgresJournal).upkeepIdle();

  /** A commit with a message in and out and an order that ended. */
  async function commit(journal: Journal, n: number, series: number): Promise<void> {
    const ended = { kind: 'order', key: `o-${n}`, record: `{"n":${n}}`, ended: [`c|${n}`, `x|${n}`] } as const;
    journal.append([inbound(n, SESSION, series), outbound(n, SESSION, series), ended], n);
    await journal.sync();
  }

  /** Made once; the tests have copies. */
  let agedDatabase: string | null = null;

  async function aged(): Promise<void> {
    if (agedDatabase === null) {
      await age(NOW);
      agedDatabase = databaseOf(url);
    }
    url = server.past(await server.createDatabase(agedDatabase));
  }

  /** Commits 1 to 4 of an ended series; with commit 5 the present one begins, and an order is open since row 1. */
  async function age(now: number): Promise<void> {
    const journal = await open();
    await sql(atIntervals(now));
    await sql(BACKDATING);
    journal.append([{ kind: 'order', key: 'open', record: '{"open":true}' }], 1);
    for (let n = 1; n <= 4; n++) await commit(journal, n, 1);
    journal.append([{ kind: 'proven', sessionId: SESSION, series: 1, msgSeqNum: 4 }, reset(2)], 5);
    for (let n = 5; n <= 8; n++) await commit(journal, n, 2);
    await journal.close();
  }
  /** The first commit that is left of the log. */
  const firstLeft = async (): Promise<unknown> =>
    (await sql('select min(commit)::int as first from crossgate_commit where deleted_at is null'))[0]!.first;
  const from = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, k) => first + k);
  const problems = async (days: number | null = null): Promise<string[]> =>
    (await verifyRows({ url, journal: 'main' }, days)).problems.map(({ problem }) => problem);
  async function entries(journal: Journal): Promise<JournalEntry[]> {
    const found: JournalEntry[] = [];
    for await (const entry of journal.entries()) found.push(entry);
    return found;
  }

  test('J4 J1 deletes expired commits on record, none of a present series; state stays known', async () => {
    await aged();
    expect(await problems()).toEqual([]);
    const alarmed: string[] = [];
    let journal = await open({ retentionDays: 90, onUpkeep: (text) => alarmed.push(text) });
    await idle(journal);
    expect(alarmed).toEqual([]);
    expect(await firstLeft()).toBe(5);
    const left =
      'select min(frame)::int as frame from crossgate_message union all select min(frame)::int from crossgate_event';
    expect(await sql(left)).toEqual([{ frame: 7 }, { frame: 6 }]);
    const ids = `select 1 from crossgate_message_id where entry < (select min(entry) from crossgate_message)`;
    expect(await sql(ids)).toEqual([]);
    // Each deletion is on record before it.
    const audits = (await entries(journal)).flatMap(({ record }) => (record.kind === 'audit' ? [record] : []));
    expect(audits.map(({ who, action }) => `${who}: ${action}`)).toEqual(
      from(1, 4).map(() => 'retention: delete rows'),
    );
    expect(audits[3]?.detail).toMatch(
      /^commits 4 to 4 of journal main, frames up to 5, \d+ bytes, the last before \d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z, hash [0-9a-f]{64}: 90 days are over$/,
    );
    expect(said.join('\n')).toMatch(/commits 5 to 5 are kept beyond their years: the numbers of .* that are in use/);
    await journal.close();
    journal = await open({ retentionDays: 90 });
    await idle(journal);
    expect(journal.recovered.sessions.get(SESSION)?.numbers).toEqual({
      series: 2,
      nextSenderMsgSeqNum: 9,
      nextTargetMsgSeqNum: 9,
    });
    expect(journal.recovered.orders.get('open')).toBe('{"open":true}');
    for (const n of [1, 4, 5, 8]) expect(journal.endedOrders.find(`c|${n}`)).toBe(`{"n":${n}}`);
    const sent = await journal.loadOutbound(SESSION, 2, 1, 99);
    expect(sent.map(({ msgSeqNum }) => msgSeqNum)).toEqual(from(5, 8));
    expect((await entries(journal))[0]).toMatchObject({ frame: 6 });
    expect(await problems(90)).toEqual([]);
    expect((await inspectRows({ url, journal: 'main' })).notes).toEqual([
      'commits up to 4 were deleted after their years',
    ]);
  });

  test('J1 commits with reports that are not proven received stay, whatever their years', async () => {
    const journal = await open();
    await sql(atIntervals(NOW));
    await sql(BACKDATING);
    await commit(journal, 1, 1);
    journal.append([reset(2), inbound(1, OTHER)], 2);
    for (let n = 2; n <= 4; n++) await commit(journal, n, 2);
    await journal.close();
    const kept = await open({ retentionDays: 100 });
    await idle(kept);
    expect(await firstLeft()).toBe(1);
    expect(await kept.loadOutbound(SESSION, 1, 1, 9)).toHaveLength(1);
    kept.append([{ kind: 'proven', sessionId: SESSION, series: 1, msgSeqNum: 1 }], 5);
    await kept.close();
    const next = await open({ retentionDays: 100 });
    await idle(next);
    expect(await firstLeft()).toBe(2);
  });

  test('J4 a clock of the database that is years ahead deletes nothing years early', async () => {
    await age(NOW + 11);
    // Later commits have the date of the present clock.
    await sql('drop trigger backdating on crossgate_commit');
    const due = `select count(*)::int as due from crossgate_commit where written_at < clock_timestamp() - interval '160 days'`;
    expect(await sql(due)).toEqual([{ due: 8 }]);
    // The last commit is a year old by its date, and 31 days of it count, and 30 for each before it: 151 for commit 4.
    const journal = await open({ retentionDays: 160 });
    await idle(journal);
    expect(await firstLeft()).toBe(3);
  });

  test('J4 a search by day skips what was written before it, and trusts no clock that was ahead', async () => {
    await aged();
    await sql("update crossgate_message set raw = '' where frame <= 2");
    const read = async (days: number): Promise<void> => {
      for await (const _ of readRowJournal({ url, journal: 'main' }, Date.now() - days * 86_400_000)) break;
    };
    await expect(read(100)).resolves.toBeUndefined();
    await expect(read(300)).rejects.toMatchObject({ code: 'XG_JOURNAL_CORRUPT' });
    await sql("update crossgate_commit set written_at = clock_timestamp() + interval '1 year' where commit = 1");
    await expect(read(100)).rejects.toMatchObject({ code: 'XG_JOURNAL_CORRUPT' });
  });

  test('J4 retention keeps changed rows; verify reports them, and what was deleted early', async () => {
    await aged();
    await sql("update crossgate_message set raw = 'another' where frame = 4 and direction = 'out'");
    expect(await problems()).toEqual([expect.stringMatching(/^commit 3: its rows differ from its hash/)]);
    const alarmed: string[] = [];
    const journal = await open({ retentionDays: 120, onUpkeep: (text: string): unknown => alarmed.push(text) });
    await idle(journal);
    expect(await firstLeft()).toBe(3);
    expect(alarmed).toEqual([
      expect.stringMatching(/commits 3 to 3 are kept .*differ from its hash.*; see `crossgate/),
    ]);
    await journal.close();
    // As a thief of evidence would leave it.
    await sql('delete from crossgate_commit where commit between 3 and 6');
    expect((await problems()).join('\n')).toMatch(/commit 3 is missing/);
    await sql('update crossgate_commit set deleted_at = clock_timestamp() where commit = 7');
    expect((await problems(120)).join('\n')).toMatch(
      /commits up to 7 are gone as if after their years, and nothing is deleted before 120 days/,
    );
  });

  test('J2 records orders during slow deletions, and goes on with them after a kill', async () => {
    await aged();
    await sql(
      'create function slowly() returns trigger language plpgsql as $$ begin perform pg_sleep(0.5); return old; end $$',
    );
    await sql('create trigger slow before delete on crossgate_message for each row execute function slowly()');
    const journal = await open({ retentionDays: 120, requestTimeoutMs: 20_000 });
    await expect.poll(() => sql('select 1 from crossgate_commit where deleted_at is not null')).not.toEqual([]);
    journal.append([inbound(9, SESSION, 2)], 9);
    await journal.sync();
    expect(await firstLeft()).toBeLessThan(5);
    (journal as PostgresJournal).abandon();
    await sql('drop trigger slow on crossgate_message');
    await sql('update crossgate_lease set expires_at = clock_timestamp()');
    const next = await open({ retentionDays: 120 });
    await idle(next);
    expect(await firstLeft()).toBe(5);
    expect(await problems(120)).toEqual([]);
  });

  test('a reader from the beginning continues after what was deleted meanwhile', async () => {
    const journal = await open();
    const padding = { kind: 'order', key: 'o', record: 'x'.repeat(5_000_000) } as const;
    for (let n = 1; n <= 3; n++) {
      journal.append([padding], n);
      await journal.sync();
    }
    const frames: number[] = [];
    // One commit is all that an answer holds.
    for await (const { frame } of readRowJournal({ url, journal: 'main' })) {
      frames.push(frame);
      if (frame > 1) continue;
      await sql('update crossgate_commit set deleted_at = clock_timestamp() where commit = 2');
      await sql('delete from crossgate_event where frame <= 2');
    }
    expect(frames).toEqual([1, 3]);
  });
});
