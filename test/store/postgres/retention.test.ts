// Rows of a journal in PostgreSQL after their years: the deleted ones, their replacement, and verify's distinction from
// foreign deletions.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
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
/** One row is written now, and each one before it so many days earlier. */
const DAYS_PER_ROW = 30;
const NOW_ROW = 9;
const atIntervals = (nowRow: number): string => `create function backdate() returns trigger language plpgsql as $$
  begin new.written_at := clock_timestamp() - (${nowRow} - new.block) * interval '${DAYS_PER_ROW} days'; return new; end $$`;
const BACKDATING =
  'create trigger backdating before insert on crossgate_block for each row execute function backdate()';

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
      snapshotBytes: 1,
      log,
      ...options,
    });
    opened.push(journal);
    return journal;
  }
  const idle = (journal: Journal): Promise<void> => (journal as PostgresJournal).snapshotsIdle();

  /** A row with a message in and out and an order that ended, sealed by itself. */
  async function row(journal: Journal, n: number, series: number): Promise<void> {
    const ended = { kind: 'order', key: `o-${n}`, record: `{"n":${n}}`, ended: [`c|${n}`, `x|${n}`] } as const;
    journal.append([inbound(n, SESSION, series), outbound(n, SESSION, series), ended], n);
    await journal.sync();
    await idle(journal);
  }

  /** Made once; the tests have copies. */
  let agedDatabase: string | null = null;

  async function aged(): Promise<void> {
    if (agedDatabase === null) {
      await age(NOW_ROW);
      agedDatabase = databaseOf(url);
    }
    url = server.past(await server.createDatabase(agedDatabase));
  }

  /** Rows 1 to 4 of an ended series; with row 5 the present one begins, and an order is open since row 1. */
  async function age(nowRow: number): Promise<void> {
    const journal = await open();
    await sql(atIntervals(nowRow));
    await sql(BACKDATING);
    journal.append([{ kind: 'order', key: 'open', record: '{"open":true}' }], 1);
    for (let n = 1; n <= 4; n++) await row(journal, n, 1);
    journal.append([{ kind: 'proven', sessionId: SESSION, series: 1, msgSeqNum: 4 }, reset(2)], 5);
    for (let n = 5; n <= 8; n++) await row(journal, n, 2);
    await journal.close();
  }
  const rows = async (): Promise<number[]> =>
    (await sql('select block::int from crossgate_block order by block')).map(({ block }) => block as number);
  const from = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, k) => first + k);
  const problems = async (days: number | null = null): Promise<string[]> =>
    (await verifyRows({ url, journal: 'main' }, days)).problems.map(({ problem }) => problem);
  async function entries(journal: Journal): Promise<JournalEntry[]> {
    const found: JournalEntry[] = [];
    for await (const entry of journal.entries()) found.push(entry);
    return found;
  }

  test('J4 J1 deletes expired rows on record, none of a present series; state stays known', async () => {
    await aged();
    expect(await problems()).toEqual([]);
    expect(await rows()).toEqual(from(1, 8));
    const alarmed: string[] = [];
    let journal = await open({ retentionDays: 120, onUpkeep: (text) => alarmed.push(text) });
    await idle(journal);
    expect(alarmed).toEqual([]);
    // Each deletion is on record, in a row of its own or with others.
    expect((await rows())[0]).toBe(5);
    const audits = (await entries(journal)).flatMap(({ record }) => (record.kind === 'audit' ? [record] : []));
    expect(audits.map(({ who, action }) => `${who}: ${action}`)).toEqual(
      from(1, 4).map(() => 'retention: delete rows'),
    );
    expect(audits[3]?.detail).toMatch(
      /^rows 4 to 4 of journal main, \d+ bytes, the last of \d{4}-\d\d-\d\dT[\d:.]+Z, SHA-256 [0-9a-f]{64}: 120 days are over$/,
    );
    expect(said.join('\n')).toMatch(/rows 5 to 5 are kept beyond their years: the numbers of .* that are in use/);
    const check = async (): Promise<void> => {
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
    };
    await journal.close();
    journal = await open({ retentionDays: 120 });
    await idle(journal);
    await check();
    expect(await problems(120)).toEqual([]);
    expect((await inspectRows({ url, journal: 'main' })).notes).toEqual([
      'rows up to 4 were deleted after their years',
    ]);
    await journal.close();

    // The replacement suffices for a start without a usable snapshot.
    await sql("update crossgate_snapshot set state = '\\x00' where not is_base");
    journal = await open();
    await idle(journal);
    await check();
    await journal.close();
    await sql('delete from crossgate_snapshot where not is_base');
    await sql('delete from crossgate_outbound');
    journal = await open();
    await idle(journal);
    await check();
    expect(await problems(120)).toEqual([]);
    await journal.close();
    await sql('delete from crossgate_ended where block = 2');
    expect((await problems(120)).join()).toMatch(/^crossgate_ended does not have 2 of the keys of orders that ended/);
    await sql("update crossgate_snapshot set state = '\\x00'");
    await expect(open()).rejects.toMatchObject({
      code: 'XG_JOURNAL_CORRUPT',
      message: expect.stringMatching(
        /rows up to 4 were deleted after their years, and no snapshot of them can be used/,
      ),
    });
  });

  test('J1 rows with reports that are not proven received stay, whatever their years', async () => {
    const journal = await open();
    await sql(atIntervals(NOW_ROW));
    await sql(BACKDATING);
    await row(journal, 1, 1);
    journal.append([reset(2), inbound(1, OTHER)], 2);
    for (let n = 2; n <= 4; n++) await row(journal, n, 2);
    await journal.close();
    const kept = await open({ retentionDays: 100 });
    await idle(kept);
    expect(await rows()).toEqual(from(1, 4));
    expect(await kept.loadOutbound(SESSION, 1, 1, 9)).toHaveLength(1);
    kept.append([{ kind: 'proven', sessionId: SESSION, series: 1, msgSeqNum: 1 }], 5);
    await kept.sync();
    await idle(kept);
    expect((await rows())[0]).toBe(2);
  });

  test('J4 a clock of the database that is years ahead deletes nothing years early', async () => {
    await age(NOW_ROW + 11);
    // Later records have the date of the present clock.
    await sql('drop trigger backdating on crossgate_block');
    const due = `select count(*)::int as due from crossgate_part where ended_at < clock_timestamp() - interval '160 days'`;
    expect(await sql(due)).toEqual([{ due: 8 }]);
    // The last row is a year old by its date, and 31 days of it count, and 30 for each row before it: 151 for row 4.
    const journal = await open({ retentionDays: 160 });
    await idle(journal);
    expect((await rows())[0]).toBe(4);
  });

  test('J4 a search by day skips rows sealed before it, and trusts no clock that was ahead', async () => {
    await aged();
    await sql("update crossgate_block set payload = 'no frames' where block = 1");
    const read = async (days: number): Promise<void> => {
      for await (const _ of readRowJournal({ url, journal: 'main' }, Date.now() - days * 86_400_000)) break;
    };
    await expect(read(100)).resolves.toBeUndefined();
    await expect(read(300)).rejects.toMatchObject({ code: 'XG_JOURNAL_CORRUPT' });
    await sql("update crossgate_part set ended_at = clock_timestamp() + interval '1 year' where block = 1");
    await expect(read(100)).rejects.toMatchObject({ code: 'XG_JOURNAL_CORRUPT' });
  });

  test('J4 verify separates deleted or changed rows from expired ones, and keeps the former', async () => {
    await aged();
    await sql(
      'update crossgate_block set payload = (select payload from crossgate_block where block = 4) where block = 3',
    );
    expect(await problems()).toContain('row 3 of crossgate_block is differ from their seal in crossgate_part');
    const alarmed: string[] = [];
    const onUpkeep = (text: string): unknown => alarmed.push(text);
    const journal = await open({ retentionDays: 120, onDamage: 'pass', onUpkeep });
    await idle(journal);
    expect((await rows())[0]).toBe(3);
    expect(alarmed).toEqual([expect.stringMatching(/rows 3 to 3 are kept .* differ from their seal; see `crossgate/)]);
    expect(said.join('\n')).toMatch(/rows 3 to 3 are kept beyond their years: they differ from their seal/);
    await journal.close();
    // As a thief of evidence would leave it.
    await sql('delete from crossgate_block where block <= 7');
    expect((await problems()).join('\n')).toMatch(/row 3 is missing/);
    await sql('update crossgate_part set deleted_at = clock_timestamp() where block <= 7');
    expect((await problems(120)).join('\n')).toMatch(
      /row 7 of crossgate_block is gone as if after its years, and nothing is deleted before it was there for 120 days/,
    );
    await sql("update crossgate_part set ended_at = ended_at - interval '9 years' where block = 7");
    expect((await problems(120)).join('\n')).toMatch(/the chain of crossgate_part is broken at its line 7/);
    await expect(open()).resolves.toBeDefined();
  });

  test('J2 records rows during slow deletions, and repairs after a kill within one', async () => {
    await aged();
    await sql(
      'create function slowly() returns trigger language plpgsql as $$ begin perform pg_sleep(1); return old; end $$',
    );
    await sql('create trigger slow before delete on crossgate_block for each row execute function slowly()');
    const journal = await open({ retentionDays: 120, snapshotBytes: 1_000_000 });
    await vi.waitFor(
      async () => expect(await sql('select 1 from crossgate_part where deleted_at is not null')).not.toEqual([]),
      { timeout: 20_000 },
    );
    journal.append([inbound(9, SESSION, 2)], 9);
    await journal.sync();
    expect((await rows())[0]).toBeLessThan(4);
    (journal as PostgresJournal).abandon();
    await sql('drop trigger slow on crossgate_block');
    await sql('update crossgate_lease set expires_at = clock_timestamp()');
    const next = await open({ retentionDays: 120 });
    await idle(next);
    expect((await rows())[0]).toBe(5);
    expect(await problems(120)).toEqual([]);
  });

  test('a reader from the beginning continues after rows deleted meanwhile', async () => {
    const journal = await open();
    const padding = { kind: 'order', key: 'o', record: 'x'.repeat(5_000_000) } as const;
    for (let n = 1; n <= 3; n++) {
      journal.append([padding], n);
      await journal.sync();
      await idle(journal);
    }
    const frames: number[] = [];
    // One row is all that an answer holds.
    for await (const { frame } of readRowJournal({ url, journal: 'main' })) {
      frames.push(frame);
      if (frame > 1) continue;
      await sql('update crossgate_part set deleted_at = clock_timestamp() where block <= 2');
      await sql('delete from crossgate_block where block <= 2');
    }
    expect(frames).toEqual([1, 3]);
  });

  test("J4 takes over an older program's database: ended orders leave memory, rows are sealed", async () => {
    await aged();
    await sql('drop table crossgate_ended_key, crossgate_part');
    await sql('drop index crossgate_ended_unnoted');
    await sql('alter table crossgate_ended drop column hashes');
    await sql('alter table crossgate_snapshot drop column is_base');
    await sql("insert into crossgate_ended (journal, block, records) values ('main', 0, '\\x00000000')");
    await sql('delete from crossgate_schema where version > 3');
    const journal = await open({ snapshotBytes: 1_000_000 });
    const known = (): void => {
      for (const n of [1, 4, 5, 8]) {
        expect(journal.endedOrders.find(`c|${n}`)).toBe(`{"n":${n}}`);
        expect(journal.endedOrders.find(`x|${n}`)).toBe(`{"n":${n}}`);
      }
      expect(journal.endedOrders.find('c|99')).toBeNull();
    };
    known();
    await idle(journal);
    known();
    expect(await sql('select count(*)::int as keys from crossgate_ended_key')).toEqual([{ keys: 16 }]);
    expect(await sql('select count(*)::int as runs from crossgate_ended where hashes is null')).toEqual([{ runs: 0 }]);
    expect(await sql('select block::int, first_block::int from crossgate_part')).toEqual([
      { block: 8, first_block: 1 },
    ]);
    expect(await problems()).toEqual([]);
    await sql('delete from crossgate_ended_key where block = 5');
    expect(await problems()).toEqual([
      expect.stringMatching(/crossgate_ended_key does not lead to 2 of the keys of orders that ended/),
    ]);
    await sql('delete from crossgate_ended where block = 6');
    expect((await problems()).join('\n')).toMatch(/crossgate_ended does not have 2 of the keys of orders that ended/);
    // One without its run is known to have been there.
    expect(() => journal.endedOrders.find('c|6')).toThrow(expect.objectContaining({ code: 'XG_JOURNAL_CORRUPT' }));
  });
});
