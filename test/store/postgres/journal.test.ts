// The journal in PostgreSQL: its tables, who may write it, and what happens while the database is away.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { inspectRows, type Journal, readRowJournal, verifyRows } from '../../../src/store/mod.ts';
import {
  openPostgresJournal,
  type PostgresJournal,
  type PostgresJournalOptions,
} from '../../../src/store/postgres/journal.ts';
import { Lease } from '../../../src/store/postgres/lease.ts';
import { BEGIN, withClient } from '../../../src/store/postgres/pools.ts';
import { SCHEMA_VERSION } from '../../../src/store/postgres/schema.ts';
import { containerEngine, describeWith } from '../../support/requirement.ts';
import { temporaryDirectory } from '../journal-place.ts';
import { databaseOf, PostgresServer } from '../postgres-server.ts';
import { inbound, OTHER, outbound, SESSION } from '../records.ts';

const requirement = await containerEngine();

describeWith(requirement, 'a journal in PostgreSQL', () => {
  let server: PostgresServer;
  let url: string;
  const opened: Journal[] = [];

  /** With the tables: each test has a copy. */
  let template: string;

  beforeAll(async () => {
    server = await PostgresServer.start();
    const made = await server.createDatabase();
    await (await openPostgresJournal({ url: made, journal: 'first' })).close();
    template = databaseOf(made);
    await server.query('delete from crossgate_lease', template);
  }, 120_000);
  afterAll(() => server?.stop());
  beforeEach(async () => {
    url = await server.createDatabase(template);
  });
  afterEach(async () => {
    server.proxy.faults.blackhole = false;
    for (const journal of opened.splice(0)) await journal.close().catch(() => {});
  });

  async function open(options: Partial<PostgresJournalOptions> = {}): Promise<Journal> {
    const journal = await openPostgresJournal({
      url,
      journal: 'main',
      leaseMs: 60_000,
      requestTimeoutMs: 2_000,
      ...options,
    });
    opened.push(journal);
    return journal;
  }
  /** Dead at once; the time until its lease ends is not waited for. */
  const kill = async (journal: Journal, place = url): Promise<void> => {
    (journal as PostgresJournal).abandon();
    await server.query('update crossgate_lease set expires_at = clock_timestamp()', databaseOf(place));
  };
  /** Has ended orders found in the database, for which this process stands still: not through a proxy in it. */
  const pastProxy = (): void => {
    url = server.past(url);
  };
  const sql = (text: string): Promise<Record<string, unknown>[]> => server.query(text, databaseOf(url));

  test('one effect list is one commit, and so is a batch', async () => {
    const journal = await open();
    const audit = { kind: 'audit', who: 'operator', action: 'set numbers', detail: '' } as const;
    journal.append([inbound(1), { kind: 'order', key: 'o', record: '{}' }, outbound(1), audit], 1);
    for (let n = 2; n <= 100; n++) journal.append([inbound(n), outbound(n)], n);
    await journal.sync();
    expect(await sql('select commit::int, frames, first_frame::int from crossgate_commit')).toEqual([
      { commit: 1, frames: 100, first_frame: 1 },
    ]);
  });

  /** Frames of a message in and out each, and an order that ends now and then; a row for each frame. */
  async function fill(journal: Journal, from: number, to: number): Promise<void> {
    for (let n = from; n <= to; n++) {
      const ended = { kind: 'order', key: `o-${n}`, record: `{"n":${n}}`, ended: [`c|${n}`, `x|${n}`] } as const;
      const open = { kind: 'order', key: 'open', record: `{"at":${n}}` } as const;
      journal.append([inbound(n), outbound(n), n % 3 === 0 ? ended : open], n);
      await journal.sync();
    }
  }
  /** As a database does that is restored to that commit. */
  async function restoreTo(commit: number): Promise<void> {
    await Promise.all(opened.map(upkeepIdle));
    const entry = `(select first_entry + entries - 1 from crossgate_commit where commit = ${commit})`;
    for (const table of ['message', 'event', 'execution']) {
      await sql(`delete from crossgate_${table} where entry > ${entry}`);
    }
    await sql(`delete from crossgate_commit where commit > ${commit}`);
    await sql(`update crossgate_folded set commit = ${commit}`);
    const number = commit + 1;
    await sql(`update crossgate_session set commit = ${commit}, next_sender_msg_seq_num = ${number},
      next_target_msg_seq_num = ${number}`);
  }
  const upkeepIdle = (journal: Journal): Promise<void> => (journal as PostgresJournal).upkeepIdle();
  const problems = async (): Promise<string[]> =>
    (await verifyRows({ url, journal: 'main' })).problems.map(({ problem }) => problem);

  test('a start reads sessions and open orders only; resends and ended orders are found anywhere', async () => {
    pastProxy();
    let journal = await open();
    const check = async (last: number): Promise<void> => {
      const messages = await journal.loadOutbound(SESSION, 1, 1, 1_000);
      expect(messages.map(({ msgSeqNum }) => msgSeqNum)).toEqual(Array.from({ length: last }, (_, k) => k + 1));
      for (const n of [3, 33, last - (last % 3)]) {
        expect(journal.endedOrders.find(`c|${n}`)).toBe(`{"n":${n}}`);
        expect(journal.endedOrders.find(`x|${n}`)).toBe(`{"n":${n}}`);
      }
      expect(journal.endedOrders.find('c|4')).toBeNull();
    };
    await fill(journal, 1, 40);
    await check(40);
    await kill(journal);
    journal = await open();
    expect(journal.recovered.sessions.get(SESSION)?.numbers).toMatchObject({ nextSenderMsgSeqNum: 41 });
    expect([...journal.recovered.orders]).toEqual([['open', '{"at":40}']]);
    await check(40);
    await upkeepIdle(journal);
    await fill(journal, 41, 45);
    await check(45);
    expect(await problems()).toEqual([]);
  });

  test('S11 refuses a resend of messages that are gone; Heartbeats are no gap', async () => {
    const journal = await open();
    for (const n of [1, 3, 5, 7]) {
      journal.append([inbound(n), outbound(n), { ...outbound(n + 1), resendable: false }, outbound(n, OTHER)], n);
      await journal.sync();
    }
    const numbers = async (from: number, to: number): Promise<number[]> =>
      (await journal.loadOutbound(SESSION, 1, from, to)).map(({ msgSeqNum }) => msgSeqNum);
    expect(await numbers(1, 99)).toEqual([1, 3, 5, 7]);
    await upkeepIdle(journal);
    await sql(`delete from crossgate_message where direction = 'out' and msg_seq_num = 3 and session = '${SESSION}'`);
    expect(await numbers(5, 7)).toEqual([5, 7]);
    const refused = {
      code: 'XG_JOURNAL_CORRUPT',
      message: expect.stringContaining(
        `3 of 4 messages of ${SESSION}, series 1, are there that may be asked for again`,
      ),
    };
    await expect(numbers(1, 99)).rejects.toMatchObject(refused);
    await kill(journal);
    const again = await open();
    await expect(again.loadOutbound(SESSION, 1, 2, 4)).rejects.toMatchObject(refused);
    expect(await again.loadOutbound(OTHER, 1, 1, 99)).toHaveLength(4);
    expect(await problems()).toEqual(['commit 2: 3 of its 4 records are there']);
  });

  test.each([
    ["update crossgate_message set raw = raw || 'x' where entry = 4", /^commit 2: its rows differ from its hash/],
    ["update crossgate_event set detail = '{}' where entry = 3", /^commit 1: its rows differ from its hash/],
    ['delete from crossgate_commit where commit = 2', /^commit 2 is missing$/],
    ["update crossgate_commit set hash = 'a' where commit = 3", /^commit 3: its rows differ from its hash/],
    [
      'update crossgate_session set next_sender_msg_seq_num = 9',
      /^the numbers of .*OMS in crossgate_session differ from the log/,
    ],
    [
      "update crossgate_order set record = '{}' where key = 'open'",
      /^1 rows of crossgate_order differ from the log, such as open/,
    ],
    ["delete from crossgate_order where key = 'o-3'", /^1 records of orders in the log have no row of crossgate_order/],
    [
      "delete from crossgate_order_key where id = 'x|3'",
      /^1 keys of ended orders are missing .*accepted again, such as x\|3/,
    ],
    ['delete from crossgate_execution where entry = 2', /^1 ExecutionReports have no row of crossgate_execution/],
  ])('J4 verify reports %s', async (change, problem) => {
    const journal = await open();
    await fill(journal, 1, 5);
    expect(await problems()).toEqual([]);
    await upkeepIdle(journal);
    expect(await problems()).toEqual([]);
    await sql(change);
    expect((await problems())[0]).toMatch(problem);
  });

  test('J1 refuses a start with commits missing that the numbers of a session rest on', async () => {
    const journal = await open();
    await fill(journal, 1, 3);
    await upkeepIdle(journal);
    await kill(journal);
    await sql('delete from crossgate_commit where commit = 3');
    await expect(open()).rejects.toMatchObject({
      code: 'XG_JOURNAL_CORRUPT',
      message: expect.stringContaining('commit 3 is missing, which crossgate_folded names'),
    });
  });

  test('texts with characters that PostgreSQL has no place for are recorded with others for them', async () => {
    const journal = await open();
    journal.append([{ kind: 'audit', who: 'a\0b', action: 'c', detail: '"\\,{}' }, outbound(1)], 1);
    await journal.sync();
    expect(await sql('select who, detail from crossgate_audit')).toEqual([{ who: 'a\uFFFDb', detail: '"\\,{}' }]);
    expect(await problems()).toEqual([]);
  });

  test('refuses a second node while the first renews its lease, and names the holder', async () => {
    await open({ leaseMs: 900 });
    await expect(open()).rejects.toMatchObject({
      code: 'XG_JOURNAL_LOCKED',
      message: expect.stringMatching(/main is written by .* process \d+/),
    });
  });

  test('journals of different names in one database have one writer each', async () => {
    const first = await open();
    const second = await open({ journal: 'other' });
    first.append([inbound(1)], 1);
    second.append([inbound(1), outbound(1)], 1);
    await Promise.all([first.sync(), second.sync()]);
    await first.close();
    expect((await open()).recovered.sessions.get(SESSION)?.numbers.nextSenderMsgSeqNum).toBe(1);
  });

  test('a killed node is taken over when its lease has ended, and its late write is refused (fencing)', async () => {
    const lost: string[] = [];
    const first = await open({ leaseMs: 30_000, onLost: (reason) => lost.push(reason) });
    first.append([inbound(1), outbound(1)], 1);
    await first.sync();
    await sql("update crossgate_lease set expires_at = clock_timestamp() - interval '1 second'");
    const second = await open();
    expect(second.recovered.sessions.get(SESSION)?.numbers).toEqual({
      series: 1,
      nextSenderMsgSeqNum: 2,
      nextTargetMsgSeqNum: 2,
    });
    first.append([outbound(2)], 2);
    await expect(first.sync()).rejects.toMatchObject({ code: 'XG_JOURNAL_LOCKED' });
    expect(lost).toHaveLength(1);
    second.append([outbound(2)], 3);
    await second.sync();
    expect(await sql('select epoch::int, commit::int from crossgate_commit order by commit')).toEqual([
      { epoch: 1, commit: 1 },
      { epoch: 2, commit: 2 },
    ]);
  });

  test('a node stopped while its transaction has the lease locked is taken over', async () => {
    await kill(await open());
    const stopped = new Client({ connectionString: url });
    const broken = new Promise<Error>((resolve) => stopped.on('error', resolve));
    await stopped.connect();
    await stopped.query(BEGIN);
    await stopped.query('select 1 from crossgate_lease for share');
    const next = await open({ requestTimeoutMs: 10_000 });
    next.append([inbound(1)], 1);
    await next.sync();
    expect((await broken).message).toMatch(/idle-in-transaction timeout/);
  });

  test('keeps small texts for the next opener; a fenced-off node writes none', async () => {
    const first = await open({ leaseMs: 30_000 });
    expect(first.kept?.read('a')).toBeNull();
    await first.kept?.write('a', 'one');
    await first.kept?.write('a', 'two');
    await first.kept?.write('b', 'three');
    const other = await open({ journal: 'other' });
    expect(other.kept?.read('a')).toBeNull();
    await sql("update crossgate_lease set expires_at = clock_timestamp() - interval '1 second' where name = 'main'");
    const second = await open();
    expect([second.kept?.read('a'), second.kept?.read('b')]).toEqual(['two', 'three']);
    await expect(first.kept?.write('a', 'late')).rejects.toMatchObject({ code: 'XG_JOURNAL_LOCKED' });
    expect(first.kept?.read('a')).toBe('two');
    await second.kept?.write('a', 'four');
    expect(await sql('select journal, name, value from crossgate_kept order by name')).toEqual([
      { journal: 'main', name: 'a', value: 'four' },
      { journal: 'main', name: 'b', value: 'three' },
    ]);
  });

  test('a text that the database does not take is not believed to be kept', async () => {
    const journal = await open({ requestTimeoutMs: 1_500 });
    await journal.kept?.write('a', 'one');
    server.proxy.faults.blackhole = true;
    await expect(journal.kept?.write('a', 'two')).rejects.toMatchObject({ code: 'XG_JOURNAL_WRITE_FAILED' });
    expect(journal.kept?.read('a')).toBe('one');
  });

  test('J3 stops writing to a database that lost confirmed rows, as a lagging standby', async () => {
    const lost: string[] = [];
    const witness = join(temporaryDirectory(), 'journal.witness');
    const journal = await open({ onLost: (reason) => lost.push(reason), witness });
    await fill(journal, 1, 4);
    await restoreTo(2);
    journal.append([inbound(5), outbound(5)], 5);
    await expect(journal.sync()).rejects.toMatchObject({ code: 'XG_JOURNAL_LOCKED' });
    expect(lost).toEqual([expect.stringMatching(/the database has lost commit 4, which it had confirmed/)]);
    // The rest is a journal that a start can read, not one with a hole.
    await expect(journal.close()).rejects.toThrow('2 records are not known to be recorded');
    await kill(journal);
    // Another node takes over, that has no note of its own.
    const next = await open({ witness: join(temporaryDirectory(), 'journal.witness') });
    expect(next.recovered.objection).toMatch(/ends with frame 2, but frame 4 was confirmed to the node that wrote it/);
    await kill(next);
    const { recovered } = await open({ witness });
    expect(recovered.sessions.get(SESSION)?.numbers.nextSenderMsgSeqNum).toBe(3);
    expect(recovered.objection).toMatch(/ends with frame 2, but frame 4 was on disk already/);
    // Reported once, it is over with the next record.
    const last = opened.at(-1)!;
    await fill(last, 3, 3);
    await expect.poll(() => sql('select value from crossgate_kept')).toEqual([{ value: '0' }]);
    await kill(last);
    expect((await open()).recovered.objection).toBeUndefined();
  });

  test('J3 a failed-over database with the same epoch for another node takes nothing of the first', async () => {
    const lost: string[] = [];
    const journal = await open({ onLost: (reason) => lost.push(reason) });
    await fill(journal, 1, 2);
    // The remains of a failover that loses the last transactions, and a node that starts then.
    await sql("update crossgate_lease set holder = 'another', epoch = epoch");
    await sql(`insert into crossgate_commit
      select journal, 3, epoch, 3, 1, first_entry + 3, 3, bytes, written_at, false, 'another' from crossgate_commit where commit = 2`);
    journal.append([inbound(3), outbound(3)], 3);
    await expect(journal.sync()).rejects.toMatchObject({ code: 'XG_JOURNAL_LOCKED' });
    expect(lost).toEqual([expect.stringMatching(/another node writes this journal/)]);
    await expect(journal.close()).rejects.toThrow('2 records are not known to be recorded');
    expect(await sql('select holder, expires_at > clock_timestamp() as held from crossgate_lease')).toEqual([
      { holder: 'another', held: true },
    ]);
  });

  test('J2 many resends from a slow database delay neither records nor the lease', async () => {
    const lost: string[] = [];
    const journal = await open({ leaseMs: 3_000, onLost: (reason) => lost.push(reason) });
    await fill(journal, 1, 3);
    // A reader of messages takes a second for each.
    await sql('alter table crossgate_message rename to message');
    await sql('create view crossgate_message as select * from message where pg_sleep(1)::text is not null');
    const reads = Array.from({ length: 40 }, () => journal.loadOutbound(SESSION, 1, 1, 99).catch(() => null));
    const begun = performance.now();
    for (let n = 4; performance.now() - begun < 4_000; n++) {
      journal.append([inbound(n), outbound(n)], n);
      const from = performance.now();
      await journal.sync();
      expect(performance.now() - from).toBeLessThan(1_000);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(lost).toEqual([]);
    const closing = performance.now();
    await journal.close();
    expect(performance.now() - closing).toBeLessThan(6_000);
    await Promise.all(reads);
  }, 60_000);

  test('a killed node is taken over although the clock of the database went back; one that renews is not', async () => {
    await (await open()).close();
    // The letters that India's time is written with are Israel's where they are read.
    const pool = new Pool({ connectionString: url, options: '-c DateStyle=German -c TimeZone=Asia/Kolkata' });
    const told = { onHealth: () => {}, onLost: () => {}, log: () => {} };
    const take = (holder: string, leaseMs: number): Promise<Lease> =>
      Lease.take({ pool, name: 'main', holder, leaseMs, silenceMs: 500, ...told });
    const first = await take('first', 60_000);
    const renewed = expect(take('second', 2_000)).rejects.toMatchObject({ code: 'XG_JOURNAL_LOCKED' });
    await pool.query('select pg_sleep(0.1)');
    first.look();
    await renewed;
    first.stop();
    await sql("update crossgate_lease set expires_at = clock_timestamp() + interval '1 year'");
    const second = await take('second', 2_000);
    expect(Number(second.epoch)).toBe(Number(first.epoch) + 1);
    expect(
      await sql("select expires_at < clock_timestamp() + interval '1 minute' as soon from crossgate_lease"),
    ).toEqual([{ soon: true }]);
    await second.release();
    await pool.end();
  });

  test('J3 the first node neither renews nor releases a lease of another under its epoch', async () => {
    await (await open()).close();
    const pool = new Pool({ connectionString: url });
    const lost: string[] = [];
    const told = { onHealth: () => {}, onLost: (reason: string) => lost.push(reason), log: () => {} };
    const take = (holder: string): Promise<Lease> =>
      Lease.take({ pool, name: 'main', holder, leaseMs: 60_000, ...told });
    const ends = () => sql('select holder, expires_at::text from crossgate_lease');
    const [first, other] = [await take('first'), "update crossgate_lease set holder = 'other'"];
    await sql(other);
    const held = await ends();
    first.look();
    await expect.poll(() => lost).toEqual(['another node has taken the lease']);
    expect(await ends()).toEqual(held);
    await sql("update crossgate_lease set expires_at = 'epoch'");
    const second = await take('second');
    await sql(other);
    const again = await ends();
    await second.release();
    expect(await ends()).toEqual(again);
    await pool.end();
  });

  test('a holder that renews its lease just before it would be taken over for its silence keeps it', async () => {
    await (await open()).close();
    const pool = new Pool({ connectionString: url });
    const renewing = {
      query: async (text: string, values: unknown[]) => {
        if (values.length === 5) await sql("update crossgate_lease set expires_at = expires_at + interval '1 minute'");
        return await pool.query(text, values);
      },
    } as unknown as Pool;
    const told = { onHealth: () => {}, onLost: () => {}, log: () => {} };
    const first = await Lease.take({ pool, name: 'main', holder: 'first', leaseMs: 60_000, ...told });
    const second = Lease.take({
      pool: renewing,
      name: 'main',
      holder: 'second',
      leaseMs: 300,
      silenceMs: 300,
      ...told,
    });
    await expect(second).rejects.toMatchObject({ code: 'XG_JOURNAL_LOCKED' });
    expect(await sql('select holder from crossgate_lease')).toEqual([{ holder: 'first' }]);
    await first.release();
    await pool.end();
  });

  test('a role that may not make tables goes on with those that are there', async () => {
    await (await open()).close();
    await sql("create role clerk login password 'clerk'");
    await sql('grant select, insert, update, delete on all tables in schema public to clerk');
    const clerk = new URL(url);
    clerk.username = 'clerk';
    clerk.password = 'clerk';
    const journal = await open({ url: clerk.href });
    journal.append([inbound(1)], 1);
    await journal.sync();
  });

  test('J2 a serializable database takes records during lease renewals', async () => {
    await server.query(`alter database ${databaseOf(url)} set default_transaction_isolation = serializable`);
    const told: string[] = [];
    const onHealth = (_healthy: boolean, reason: string) => told.push(reason);
    const journal = await open({ onHealth });
    const renewing = new Client({ connectionString: url });
    await renewing.connect();
    await renewing.query('begin');
    await renewing.query('update crossgate_lease set expires_at = expires_at');
    journal.append([inbound(1), outbound(1)], 1);
    const recorded = journal.sync();
    const waiting = "select 1 from pg_stat_activity where application_name = 'crossgate' and wait_event_type = 'Lock'";
    await expect.poll(() => sql(waiting)).toHaveLength(1);
    await renewing.query('commit');
    await recorded;
    await renewing.end();
    expect(told).toEqual([]);
  });

  test.each(['', '?options=-c+search_path%3Dpublic'])(
    'J4 overrides short default statement and lock timeouts for long work, at …/base%s',
    async (options) => {
      const database = databaseOf(url);
      await server.query(`alter database ${database} set statement_timeout = '1ms'`);
      await server.query(`alter database ${database} set lock_timeout = '1ms'`);
      const told: string[] = [];
      const onUpkeep = (reason: string) => void told.push(reason);
      const journal = await open({
        url: `${url}${options}`,
        onUpkeep,
        requestTimeoutMs: 20_000,
      });
      for (let n = 1; n <= 4; n++) journal.append([{ ...outbound(n), raw: Buffer.alloc(500_000, 'x') }], n);
      await journal.sync();
      await upkeepIdle(journal);
      expect(told).toEqual([]);
      const place = { url: `${url}${options}`, journal: 'main' };
      expect((await verifyRows(place)).problems).toEqual([]);
      expect((await inspectRows(place)).bytes).toBeGreaterThan(2_000_000);
      const read: number[] = [];
      for await (const { frame } of readRowJournal(place)) read.push(frame);
      expect(read).toEqual([1, 2, 3, 4]);
    },
  );

  test('J2 a database with an idle timeout ends no connection of a journal', async () => {
    pastProxy();
    const database = databaseOf(url);
    for (const name of ['idle_session_timeout', 'idle_in_transaction_session_timeout'])
      await server.query(`alter database ${database} set ${name} = '1ms'`);
    const health: string[] = [];
    const journal = await open({ onHealth: (_, reason) => health.push(reason) });
    const connections = `select pid from pg_stat_activity where datname = '${database}' order by pid`;
    await fill(journal, 1, 3);
    const before = await server.query(connections);
    await fill(journal, 4, 6);
    expect(await server.query(connections)).toEqual(expect.arrayContaining(before));
    expect(health).toEqual([]);
    // A reader may wait for its own consumer.
    const frames: number[] = [];
    for await (const { frame } of readRowJournal({ url, journal: 'main' })) {
      await server.query(connections);
      frames.push(frame);
    }
    expect(new Set(frames)).toEqual(new Set([1, 2, 3, 4, 5, 6]));
  });

  test("O5 knows ended orders' ClOrdIDs under short default timeouts", async () => {
    pastProxy();
    const journal = await open();
    await fill(journal, 1, 9);
    await journal.close();
    const other = new Client({ connectionString: url });
    await other.connect();
    const database = databaseOf(url);
    for (const name of ['statement_timeout', 'lock_timeout'])
      await server.query(`alter database ${database} set ${name} = '1ms'`);
    const health: string[] = [];
    const again = await open({ onHealth: (_, reason) => health.push(reason) });
    expect(again.endedOrders.find('c|3')).toBe('{"n":3}');
    await other.query('begin');
    await other.query('lock table crossgate_order_key in access exclusive mode');
    // In one piece: nothing is heard of the first while the order is looked for.
    const unlocked = other.query('select pg_sleep(0.1); commit');
    expect(again.endedOrders.find('c|6')).toBe('{"n":6}');
    expect(health).toEqual([]);
    await unlocked;
    await other.end();
  });

  test.each(['PGOPTIONS', '?options='])(
    'settings of %s for connections hold for writers too, except those that orders depend on',
    async (place) => {
      await sql('create schema of_this_house');
      await sql(`alter database ${databaseOf(url)} set lock_timeout = 1`);
      const asked = '-c search_path=of_this_house -c synchronous_commit=off';
      if (place === 'PGOPTIONS') vi.stubEnv(place, asked);
      else url = `${url}${place}${encodeURIComponent(asked)}&application_name=crossgate`;
      onTestFinished(() => void vi.unstubAllEnvs());
      const health: boolean[] = [];
      const journal = await open({ onHealth: (healthy) => health.push(healthy) });
      const tables = await sql(
        "select 1 from pg_tables where schemaname = 'of_this_house' and tablename = 'crossgate_commit'",
      );
      expect(tables).toHaveLength(1);
      // As a renewal does, for longer.
      const other = new Client({ connectionString: url });
      await other.connect();
      await other.query('begin');
      await other.query('select 1 from of_this_house.crossgate_lease for update');
      journal.append([inbound(1)], 1);
      const synced = journal.sync();
      const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock'";
      await expect.poll(() => sql(waiting)).toHaveLength(1);
      await other.query('rollback');
      await other.end();
      await synced;
      expect(health).toEqual([]);
    },
  );

  test('keeps each idle connection alive against devices that drop silent ones', async () => {
    let journal = await open();
    await fill(journal, 1, 3);
    await journal.close();
    journal = await open();
    await fill(journal, 4, 4);
    await upkeepIdle(journal);
    const toDatabase = `:${server.proxy.port.toString(16).toUpperCase().padStart(4, '0')}`;
    // Linux's view of its sockets: number, ours, theirs, state (01: connected), queues, timer (02: that keeps it
    // alive).
    const timers = (): (string | undefined)[] =>
      readFileSync('/proc/net/tcp', 'latin1')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter(([, , theirs, state]) => theirs?.endsWith(toDatabase) === true && state === '01')
        .map(([, , , , , timer]) => timer?.slice(0, 2));
    // Those that renew, write, read, and look for ended orders.
    await expect.poll(() => timers().length).toBeGreaterThanOrEqual(4);
    await expect.poll(() => new Set(timers())).toEqual(new Set(['02']));
  });

  test('an address with a statement_timeout of its own is not taken for that of a pooler', async () => {
    const texts: string[] = [];
    const log = (_level: string, text: string) => texts.push(text);
    await open({ url: `${url}?statement_timeout=7000`, log });
    expect(texts).toEqual([]);
  });

  test("a renewal arriving after the lease's release bars no node", async () => {
    await (await open()).close();
    const pool = new Pool({ connectionString: url });
    const held: (() => void)[] = [];
    const late = {
      query: async (text: string, values: unknown[]) => {
        if (values.length === 4) await new Promise<void>((resolve) => held.push(resolve));
        return await pool.query(text, values);
      },
    } as unknown as Pool;
    const logged: string[] = [];
    const take = (holder: string): Promise<Lease> => {
      const told = { onHealth: () => {}, onLost: () => {}, log: (_: string, text: string) => logged.push(text) };
      return Lease.take({ pool: late, name: 'main', holder, leaseMs: 60_000, ...told });
    };
    const first = await take('first');
    first.look();
    await first.release();
    held.shift()!();
    await pool.query('select pg_sleep(0.2)');
    const second = await take('second');
    expect([Number(second.epoch) - Number(first.epoch), logged]).toEqual([1, []]);
    await second.release();
    await pool.end();
  });

  test('a busy node renews its lease without a further connection', async () => {
    await sql("create role desk login password 'desk'");
    await sql('grant all on schema public to desk');
    await sql('grant all on all tables in schema public to desk');
    const desk = new URL(url);
    desk.username = 'desk';
    desk.password = 'desk';
    const told: string[] = [];
    const onHealth = (_healthy: boolean, reason: string) => told.push(reason);
    const journal = await open({ url: desk.href, leaseMs: 3_000, onHealth });
    await sql('alter role desk connection limit 1');
    const ends = (): Promise<Record<string, unknown>[]> => sql('select expires_at::text from crossgate_lease');
    const before = await ends();
    for (let n = 1, end = performance.now() + 1_500; performance.now() < end; n++) {
      journal.append([outbound(n)], n);
      await journal.sync();
    }
    expect(told).toEqual([]);
    expect(await ends()).not.toEqual(before);
  });

  test('a node that cannot renew its lease stops itself before another one may take it', async () => {
    const { promise: stopped, resolve } = Promise.withResolvers<number>();
    await open({ leaseMs: 2_000, onLost: () => resolve(performance.now()) });
    const [row] = await sql(
      'select extract(epoch from expires_at - clock_timestamp())::float8 * 1000 as left from crossgate_lease',
    );
    const endsBy = performance.now() + Number(row!.left) + 2_000 / 3;
    server.proxy.faults.blackhole = true;
    expect(await stopped).toBeLessThan(endsBy);
    expect(await sql('select 1 from crossgate_lease where expires_at > clock_timestamp()')).toHaveLength(1);
  });

  test('J2 names a silent database once per sentence, for records and lease', async () => {
    const texts: string[] = [];
    const options = { requestTimeoutMs: 1_500, log: (_level: string, text: string) => void texts.push(text) };
    const silence = 'the database gave no answer in time \\(Query read timeout\\)';
    const where = 'the journal main in postgresql://127\\.0\\.0\\.1:\\d+/\\w+';
    const journal = await open({ ...options, onHealth: (_, reason) => texts.push(reason) });
    server.proxy.faults.blackhole = true;
    journal.append([inbound(1)], 1);
    const refused = expect.stringMatching(`^${where} cannot be written: ${silence}$`);
    await expect(journal.sync()).rejects.toMatchObject({ message: refused });
    expect(texts).toEqual([refused, refused]);
    expect(() => journal.write()).toThrow(expect.objectContaining({ message: refused }));
    server.proxy.faults.blackhole = false;
    server.proxy.reset();
    await journal.close();
    texts.length = 0;
    const resting = await open({ ...options, leaseMs: 9_000, onHealth: (_, reason) => texts.push(reason) });
    server.proxy.faults.blackhole = true;
    const unrenewed = expect.stringMatching(`^${where}: the lease cannot be renewed: ${silence}$`);
    await expect.poll(() => texts).toEqual([unrenewed, unrenewed]);
    server.proxy.faults.blackhole = false;
    server.proxy.reset();
    await resting.close();
  });

  test('J2 a database that stops while nothing is written is found out at once, not with the next renewal', async () => {
    const health: boolean[] = [];
    const journal = await open({ leaseMs: 60_000, onHealth: (healthy) => health.push(healthy) });
    journal.append([inbound(1), outbound(1)], 1);
    await journal.sync();
    server.proxy.faults.blackhole = true;
    const stoppedAt = performance.now();
    server.proxy.reset();
    await expect.poll(() => health, { timeout: 8_000 }).toEqual([false]);
    expect(performance.now() - stoppedAt).toBeLessThan(7_000);
    server.proxy.faults.blackhole = false;
    server.proxy.reset();
    await expect.poll(() => health, { timeout: 8_000 }).toEqual([false, true]);
  });

  test('U5 a node with a silent database closes soon and names the uncertain sessions', async () => {
    const journal = await open({ requestTimeoutMs: 500 });
    server.proxy.faults.blackhole = true;
    journal.append([inbound(1), outbound(1)], 1);
    await expect(journal.sync()).rejects.toMatchObject({ code: 'XG_JOURNAL_WRITE_FAILED' });
    await expect(journal.close()).rejects.toMatchObject({
      code: 'XG_JOURNAL_WRITE_FAILED',
      message: expect.stringMatching(
        /; 2 records are not known to be recorded, of FIX.4.4:XGATE->OMS: counterparties are asked to resend/,
      ),
    });
  });

  test('U5 reports a database found silent during a stop as such', async () => {
    const recordsIt = (): void => journal.append([inbound(2)], 2);
    const journal = await open({ requestTimeoutMs: 500, onHealth: recordsIt });
    server.proxy.faults.blackhole = true;
    journal.append([inbound(1)], 1);
    await expect(journal.close()).rejects.toMatchObject({
      message: expect.stringContaining('timeout); 1 record is not known to be recorded'),
    });
  });

  test('U5 a node that loses its lease while it stops says that records are not known to be there', async () => {
    const { promise: lost, resolve } = Promise.withResolvers<string>();
    const journal = await open({ leaseMs: 1_000, onLost: resolve });
    server.proxy.faults.blackhole = true;
    journal.append([inbound(1)], 1);
    await lost;
    await expect(journal.close()).rejects.toMatchObject({
      code: 'XG_JOURNAL_LOCKED',
      message: expect.stringContaining('could not be renewed for 750 ms; 1 record is not known to be recorded'),
    });
  });

  test('a node stopping while its database restarts records waiting frames', async () => {
    const journal = await open();
    server.proxy.faults.blackhole = true;
    server.proxy.reset();
    journal.append([inbound(1), outbound(1)], 1);
    const closed = journal.close();
    server.proxy.faults.blackhole = false;
    server.proxy.reset();
    await closed;
    expect((await open()).recovered.sessions.get(SESSION)?.numbers.nextSenderMsgSeqNum).toBe(2);
  });

  test('J1 a stopping node records its whole backlog on a slow returning database', async () => {
    const journal = await open({ requestTimeoutMs: 2_000 });
    server.proxy.faults.blackhole = true;
    const rows = 12;
    for (let n = 1; n <= rows; n++) journal.append([{ ...outbound(n), raw: Buffer.alloc(1_100_000) }], n);
    await expect(journal.sync()).rejects.toMatchObject({ code: 'XG_JOURNAL_WRITE_FAILED' });
    server.proxy.faults.blackhole = false;
    server.proxy.reset();
    // More than one answer may take of all rows together, less of each.
    server.proxy.faults.latencyMs = 100;
    await journal.close().finally(() => {
      server.proxy.faults.latencyMs = 0;
    });
    expect((await open()).recovered.sessions.get(SESSION)?.numbers.nextSenderMsgSeqNum).toBe(rows + 1);
  }, 60_000);

  test('J1 a node that stops after its database was away gives a large row the time that it takes', async () => {
    const journal = await open({ requestTimeoutMs: 500 });
    await sql(
      `create function wait() returns trigger language plpgsql as $$ begin perform pg_sleep(0.6); return new; end $$`,
    );
    await sql('create trigger waiting before insert on crossgate_commit for each row execute function wait()');
    server.proxy.faults.blackhole = true;
    journal.append([{ ...outbound(1), raw: Buffer.alloc(8_000_000) }], 1);
    const failed = expect(journal.sync()).rejects.toMatchObject({ code: 'XG_JOURNAL_WRITE_FAILED' });
    server.proxy.reset();
    await failed;
    server.proxy.faults.blackhole = false;
    server.proxy.reset();
    await journal.close();
    expect((await open()).recovered.sessions.get(SESSION)?.numbers.nextSenderMsgSeqNum).toBe(2);
  });

  test('while the database is away nothing is lost: writes fail, health says so, and work resumes by itself', async () => {
    const health: boolean[] = [];
    const journal = await open({ leaseMs: 30_000, onHealth: (healthy) => health.push(healthy) });
    journal.append([inbound(1), outbound(1)], 1);
    await journal.sync();
    server.proxy.faults.blackhole = true;
    server.proxy.reset();
    journal.append([inbound(2), outbound(2)], 2);
    await expect(journal.sync()).rejects.toMatchObject({ code: 'XG_JOURNAL_WRITE_FAILED' });
    expect(health).toEqual([false]);
    expect(() => journal.write()).toThrow(expect.objectContaining({ code: 'XG_JOURNAL_WRITE_FAILED' }));
    expect((await journal.loadOutbound(SESSION, 1, 2, 2)).map(({ msgSeqNum }) => msgSeqNum)).toEqual([2]);
    server.proxy.faults.blackhole = false;
    server.proxy.reset();
    await expect
      .poll(
        () =>
          journal.sync().then(
            () => true,
            () => false,
          ),
        { timeout: 10_000 },
      )
      .toBe(true);
    expect(health).toEqual([false, true]);
    await journal.close();
    expect((await open()).recovered.sessions.get(SESSION)?.numbers.nextSenderMsgSeqNum).toBe(3);
  });

  test('J2 a database that renews the lease and refuses records stays unhealthy until it takes them', async () => {
    const healths: string[] = [];
    const onHealth = (healthy: boolean, reason: string) => healths.push(`${healthy}: ${reason}`);
    const journal = await open({ leaseMs: 6_000, onHealth });
    await sql('alter table crossgate_commit add constraint full_disk check (commit <> 1) not valid');
    journal.append([inbound(1)], 1);
    await expect(journal.sync()).rejects.toMatchObject({ code: 'XG_JOURNAL_WRITE_FAILED' });
    // It learns of the first renewal before the second one begins.
    for (let renewals = 0; renewals < 2; renewals++) {
      const before = await sql('select expires_at from crossgate_lease');
      const renewed = async () => expect(await sql('select expires_at from crossgate_lease')).not.toEqual(before);
      await vi.waitFor(renewed, { timeout: 30_000 });
    }
    expect(healths).toEqual([expect.stringMatching(/^false: .*full_disk/)]);
    await sql('alter table crossgate_commit drop constraint full_disk');
    await journal.sync();
    expect(healths.slice(1)).toEqual(['true: the database takes records again']);
  }, 60_000);

  test('writes a row with a lost answer once', async () => {
    const journal = await open({ leaseMs: 30_000, requestTimeoutMs: 500 });
    // The row is written in full, and its answer comes after the writer gave up.
    await sql(
      `create function wait() returns trigger language plpgsql as $$ begin perform pg_sleep(0.3); return new; end $$`,
    );
    await sql('create trigger waiting before insert on crossgate_commit for each row execute function wait()');
    server.proxy.faults.latencyMs = 150;
    journal.append([inbound(1), outbound(1)], 1);
    const first = journal.sync().then(
      () => 'written',
      () => 'failed',
    );
    journal.append([inbound(2), outbound(2)], 2);
    await first;
    server.proxy.faults.latencyMs = 0;
    await sql('drop trigger waiting on crossgate_commit');
    await expect
      .poll(
        () =>
          journal.sync().then(
            () => true,
            () => false,
          ),
        { timeout: 10_000 },
      )
      .toBe(true);
    await journal.close();
    const again = await open();
    const seen: number[] = [];
    for await (const { frame } of again.entries()) seen.push(frame);
    expect(seen).toEqual([1, 1, 2, 2]);
  });

  test('a node that slept past its lease releases none of its earlier records', async () => {
    const lost: string[] = [];
    const journal = await open({ leaseMs: 30_000, onLost: (reason) => lost.push(reason) });
    await sql(
      `create function wait() returns trigger language plpgsql as $$ begin perform pg_sleep(0.3); return new; end $$`,
    );
    await sql('create trigger waiting before insert on crossgate_commit for each row execute function wait()');
    journal.append([inbound(1), outbound(1)], 1);
    const recorded = journal.sync();
    // Stopped here, it finds the answer of the database when it goes on, before any timer.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 25_000);
    await expect(recorded).rejects.toMatchObject({ code: 'XG_JOURNAL_LOCKED' });
    clock.mockRestore();
    expect(lost).toEqual([expect.stringMatching(/could not be renewed/)]);
    expect(() => journal.write()).toThrow(expect.objectContaining({ code: 'XG_JOURNAL_LOCKED' }));
    expect(await sql('select commit::int from crossgate_commit')).toEqual([{ commit: 1 }]);
  });

  test('over a restart of the server the journal goes on', async () => {
    const journal = await open({ leaseMs: 120_000 });
    journal.append([inbound(1)], 1);
    await journal.sync();
    await server.restart();
    journal.append([inbound(2)], 2);
    await expect
      .poll(
        () =>
          journal.sync().then(
            () => true,
            () => false,
          ),
        { timeout: 60_000 },
      )
      .toBe(true);
    await journal.close();
    expect((await open()).recovered.sessions.get(SESSION)?.numbers.nextTargetMsgSeqNum).toBe(3);
  }, 120_000);

  test('reads commits, orders and ended orders of megabytes', async () => {
    pastProxy();
    const padding = 'x'.repeat(3_000_000);
    const orders = [1, 2, 3].map(
      (n) => ({ kind: 'order', key: `o-${n}`, record: `{"n":${n},"padding":"${padding}"}` }) as const,
    );
    const random = randomBytes(3_000_000).toString('base64');
    const ended = { kind: 'order', key: 'gone', record: random, ended: ['c|gone'] } as const;
    let journal = await open();
    for (let n = 1; n <= 3; n++) {
      journal.append([outbound(n), orders[n - 1]!], n);
      journal.append([outbound(n + 10)], n);
      await journal.sync();
    }
    journal.append([orders[0]!, orders[1]!, orders[2]!, ended, outbound(20)], 9);
    await journal.sync();
    await kill(journal);
    journal = await open();
    const messages = await journal.loadOutbound(SESSION, 1, 1, 99);
    expect(messages.map(({ msgSeqNum }) => msgSeqNum)).toEqual([1, 2, 3, 11, 12, 13, 20]);
    expect(journal.recovered.orders.get('o-2')).toHaveLength(orders[1]!.record.length);
    expect(journal.endedOrders.find('c|gone')).toBe(random);
    let records = 0;
    for await (const _entry of journal.entries()) records++;
    expect(records).toBe(14);
    expect(await verifyRows({ url, journal: 'main' })).toMatchObject({ records: 14, segments: 7, problems: [] });
  }, 120_000);

  test('reports why the database ended a connection between two statements', async () => {
    const ending = async (client: Pick<Client, 'query' | 'once'>): Promise<void> => {
      await client.query('begin');
      const told = new Promise((resolve) => client.once('error', resolve));
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      await sql(`select pg_terminate_backend(${rows[0]!.pid})`);
      await told;
      await client.query('commit');
    };
    const pool = new Pool({ connectionString: url });
    onTestFinished(() => pool.end());
    await expect(withClient(pool, false, ending)).rejects.toThrow(/terminating connection due to administrator/);
  });

  test('reports to a reader that the database did not return the data, in words and with a code', async () => {
    const journal = await open();
    journal.append([inbound(1), outbound(1)], 1);
    await journal.sync();
    url = `${url}?statement_timeout=300`;
    const other = new Client({ connectionString: url });
    await other.connect();
    await other.query('begin');
    await other.query('lock table crossgate_message in access exclusive mode');
    const place = { url, journal: 'main' };
    const looks = [
      () => verifyRows(place),
      () => readRowJournal(place).next(),
      () => journal.loadOutbound(SESSION, 1, 1, 9),
    ];
    for (const look of looks) {
      await expect(look()).rejects.toMatchObject({
        code: 'XG_JOURNAL_UNREADABLE',
        message: expect.stringMatching(/the journal main in .* cannot be read: .*timeout/),
      });
    }
    await other.end();
  });

  test('two nodes that start at once on an empty database make its schema once', async () => {
    url = await server.createDatabase();
    await Promise.all([open(), open({ journal: 'other' })]);
    expect(await sql('select max(version) as version from crossgate_schema')).toEqual([{ version: SCHEMA_VERSION }]);
  });

  test('names a read-only server, as a standby, to a writer', async () => {
    const url = await server.createDatabase();
    await server.query(`alter database ${databaseOf(url)} set default_transaction_read_only = on`);
    await expect(openPostgresJournal({ url, journal: 'desk' })).rejects.toMatchObject({
      code: 'XG_JOURNAL_WRITE_FAILED',
      message: expect.stringMatching(/read-only transaction: this server is a standby, or was made read-only$/),
    });
  });

  test('a database of a later program is used where that permits it, and refused otherwise', async () => {
    await (await open()).close();
    const next = SCHEMA_VERSION + 1;
    await sql(`insert into crossgate_schema (version, oldest_program) values (${next}, ${SCHEMA_VERSION})`);
    // A later version may add tables, and columns with defaults.
    await sql("alter table crossgate_message add column region text not null default 'EU'");
    const journal = await open();
    await fill(journal, 1, 3);
    expect(await problems()).toEqual([]);
    await journal.close();
    await sql(`update crossgate_schema set oldest_program = ${next} where version = ${next}`);
    await expect(open()).rejects.toMatchObject({ code: 'XG_CONFIG_INVALID' });
  });

  describe('says nothing of its password', () => {
    test('in its location, and in the error of a database that is not there', async () => {
      const journal = await open();
      expect(journal.location).toMatch(/^main in postgresql:\/\/127\.0\.0\.1:\d+\/crossgate_\d+$/);
      const nowhere = openPostgresJournal({ url: 'postgresql://me:hush@127.0.0.1:1/none', journal: 'main' });
      const error = await nowhere.catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'XG_JOURNAL_WRITE_FAILED' });
      expect(String(error)).not.toContain('hush');
    });
  });
});
