// Messages of an order in a journal in PostgreSQL, found by its ids: the index, and the parts of the log that it does not cover.

import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { matchOf } from '../../../src/store/history/history-match.ts';
import { FIND_MESSAGES, valuesOf } from '../../../src/store/history/rows-by-id.ts';
import {
  type HistoryPlace,
  type HistoryQuery,
  type Journal,
  type JournalRecord,
  openPostgresJournal,
  readRowJournal,
  searchRows,
  verifyRows,
} from '../../../src/store/mod.ts';
import type { PostgresJournal } from '../../../src/store/postgres/journal.ts';
import { containerEngine, describeWith } from '../../support/requirement.ts';
import { databaseOf, PostgresServer } from '../postgres-server.ts';
import { OTHER, rawMessage, SESSION } from '../records.ts';

const ORDERS = 40;
const IDS = ['a-1', 'a-7', 'a-39', 'x-7', 'r-7', 'q-8', 'z\\ä', 'none'];

const message = (kind: 'inbound' | 'outbound', n: number, msgType: string, fields: string): JournalRecord => {
  const raw = rawMessage(`8=FIX.4.4|9=5|35=${msgType}|34=${n}|${fields}10=000|`);
  const both = { sessionId: SESSION, series: 1, msgSeqNum: n, msgType, raw } as const;
  return kind === 'inbound' ? { kind, ...both, nextTargetMsgSeqNum: n + 1 } : { kind, ...both, resendable: true };
};

/** An order that is replaced: its ids are in messages of every kind, and some of them are in no ExecutionReport. */
function recordsOf(n: number): JournalRecord[][] {
  return [
    [
      { kind: 'audit', who: 'ops', action: 'note', detail: `${n}` },
      message('inbound', 3 * n + 1, 'D', `11=a-${n}|`),
      { kind: 'order', key: `o-${n}`, record: `{"n":${n}}` },
    ],
    [message('outbound', 3 * n + 1, '8', `37=x-${n}|11=a-${n}|17=e-${n}|`)],
    [message('inbound', 3 * n + 2, 'G', `11=r-${n}|41=a-${n}|`)],
    [
      message('outbound', 3 * n + 2, '8', `37=x-${n}|11=r-${n}|17=f-${n}|41=a-${n}|`),
      message('inbound', 3 * n + 3, 'F', `11=q-${n}|37=x-${n}|41=a-${n % 8}|`),
      message('outbound', 3 * n + 3, '9', `37=x-${n}|11=q-${n}|41=a-${n % 8}|`),
    ],
    [
      {
        kind: 'unsequenced',
        sessionId: OTHER,
        direction: 'in',
        raw: rawMessage(`8=FIX.4.4|35=D|11=a-${n}|`),
        note: '',
      },
      {
        ...{ kind: 'unsequenced', sessionId: OTHER, direction: 'in', note: '' },
        raw: rawMessage(`8=FIX.4.4|35=D|11=${n % 8 === 0 ? 'z\\ä' : n}|`),
      },
    ],
  ];
}

describeWith(await containerEngine(), 'messages of an order in PostgreSQL', () => {
  let server: PostgresServer;
  let url: string;
  const opened: Journal[] = [];
  beforeAll(async () => {
    server = await PostgresServer.start();
  }, 120_000);
  afterAll(() => server?.stop());
  beforeEach(async () => {
    url = server.past(await server.createDatabase());
  });
  afterEach(async () => {
    for (const journal of opened.splice(0)) await journal.close().catch(() => {});
  });

  const sql = (text: string): Promise<Record<string, unknown>[]> => server.query(text, databaseOf(url));
  const place = (): { url: string; journal: string } => ({ url, journal: 'main' });
  async function open(): Promise<Journal> {
    const journal = await openPostgresJournal({ ...place(), leaseMs: 60_000 });
    opened.push(journal);
    return journal;
  }
  const idle = (journal: Journal): Promise<void> => (journal as PostgresJournal).upkeepIdle();

  async function write(orders: number): Promise<void> {
    const journal = await open();
    for (let n = 0; n < orders; n++) {
      for (const records of recordsOf(n)) journal.append(records, 1_000 + n);
      await journal.sync();
    }
    await idle(journal);
    await journal.close();
  }

  const queryOf = (more: Partial<HistoryQuery>): HistoryQuery => ({
    ...{ kind: 'message', sessionIds: null, from: 0, to: Number.MAX_SAFE_INTEGER, msgTypes: [], tags: [] },
    ...{ clOrdID: null, orderID: null, symbol: null, ordStatus: null, text: null, before: null, limit: 3, withinMs: 0 },
    ...more,
  });

  /** All pages of a search. */
  async function found(asked: Partial<HistoryQuery>): Promise<HistoryPlace[]> {
    const places: HistoryPlace[] = [];
    for (let before: HistoryPlace | null = null; ; ) {
      const page = await searchRows(place(), queryOf({ ...asked, before }), Date.now());
      places.push(...page.entries.map((entry) => entry.place));
      if (page.next === null) return places;
      before = page.next;
    }
  }

  /** The whole log, looked through. */
  async function expected(asked: Partial<HistoryQuery>): Promise<HistoryPlace[]> {
    const matches = matchOf(queryOf(asked));
    const places: HistoryPlace[] = [];
    let last = { frame: 0, record: 0 };
    for await (const { frame, at, record } of readRowJournal(place())) {
      last = { frame, record: frame === last.frame ? last.record + 1 : 0 };
      if (matches(record)) places.push({ ...last, at });
    }
    return places.reverse();
  }

  async function allAreFound(): Promise<void> {
    for (const id of IDS) {
      const asked = id.startsWith('x') ? { orderID: id } : { clOrdID: id };
      expect(await found(asked), id).toEqual(await expected(asked));
    }
    const asked = { tags: [{ tag: 41, value: 'a-7' }] };
    expect(await found(asked)).toEqual(await expected(asked));
    expect(await found({ clOrdID: 'a-7', msgTypes: ['F'] })).toHaveLength(ORDERS / 8);
  }

  test('every message with a ClOrdID or OrderID is found, whatever part of the log has its ids noted', async () => {
    await write(ORDERS);
    await allAreFound();
    const [before] = await sql('select count(*)::int as ids from crossgate_message_id');
    const entry = 'select first_entry + entries - 1 from crossgate_commit where commit';
    // A program of the version before wrote the last commits: it notes no ids.
    await sql(`delete from crossgate_message_id where entry > (${entry} = 30)`);
    await sql('update crossgate_folded set ids_through = 30');
    await allAreFound();
    // The table is younger than the first commits.
    await sql(`delete from crossgate_message_id where entry <= (${entry} = 20)`);
    await sql('update crossgate_folded set ids_after = 20');
    await allAreFound();
    // Nothing is noted.
    await sql('delete from crossgate_message_id; update crossgate_folded set ids_after = null, ids_through = null');
    await allAreFound();
    // The next start notes what is missing.
    const journal = await open();
    await idle(journal);
    expect(await sql('select count(*)::int as ids from crossgate_message_id')).toEqual([before]);
    expect(await sql('select ids_after::int, (ids_through = commit) as all from crossgate_folded')).toEqual([
      { ids_after: 0, all: true },
    ]);
    await allAreFound();
    await journal.close();
    const problems = async () => (await verifyRows(place())).problems.map(({ problem }) => problem);
    expect(await problems()).toEqual([]);
    await sql("delete from crossgate_message_id where id = 'q-8'");
    expect(await problems()).toEqual([expect.stringMatching(/^2 ids of messages are missing .*, such as q-8$/)]);
  }, 120_000);

  test('ids are noted again behind commits of a program of the version before', async () => {
    await write(2);
    const [{ commit } = { commit: 0 }] = await sql('select commit::int from crossgate_folded');
    await write(4);
    // Its statement, with the end of what the last lines wrote.
    await sql(`delete from crossgate_message_id where entry > (
      select first_entry + entries - 1 from crossgate_commit where commit = ${commit})`);
    await sql(`update crossgate_folded set ids_through = ${commit}`);
    await sql(`insert into crossgate_folded select 'main', (select max(commit) from crossgate_commit) where true
      on conflict (journal) do update set commit = excluded.commit`);
    const journal = await open();
    for (const records of recordsOf(9)) journal.append(records, 9_000);
    await journal.sync();
    await idle(journal);
    await idle(journal);
    expect(await sql('select ids_after::int, (ids_through = commit) as all from crossgate_folded')).toEqual([
      { ids_after: 0, all: true },
    ]);
    for (const id of ['a-1', 'a-3', 'q-9'])
      expect(await found({ clOrdID: id })).toEqual(await expected({ clOrdID: id }));
  }, 120_000);

  test('an index finds the messages of a ClOrdID, received ones too', async () => {
    await write(800);
    await sql('analyze');
    const client = new Client({ connectionString: url });
    await client.connect();
    const [{ last }] = (await client.query('select max(entry)::int as last from crossgate_message')).rows;
    const values = valuesOf({ journal: 'main', id: 'r-77', after: 0, through: last, deleted: 0 });
    const { rows } = await client.query(`explain (analyze, costs off, timing off) ${FIND_MESSAGES}`, values);
    await client.end();
    const plan = rows.map((row) => row['QUERY PLAN'] as string);
    expect(plan.filter((line) => line.includes('Seq Scan'))).toEqual([]);
    expect(plan.some((line) => line.includes('crossgate_message_id_id'))).toBe(true);
    // G, its ExecutionReport, and what stands before each in its frame.
    expect(plan[0]).toContain('rows=2 ');
    const removed = plan.filter((line) => line.includes('Rows Removed')).map((line) => Number(line.split(': ')[1]));
    expect(Math.max(0, ...removed)).toBeLessThan(10);
  }, 120_000);

  test('a ClOrdID of any length comes back in a report, and the tables follow it', async () => {
    const journal = await open();
    const long = randomBytes(6_000).toString('base64');
    journal.append([message('inbound', 1, 'D', `11=${long}|`), message('outbound', 1, '8', `11=${long}|`)], 1);
    await journal.sync();
    await idle(journal);
    expect(await sql('select commit::int from crossgate_folded')).toEqual([{ commit: 1 }]);
    expect(await found({ clOrdID: long })).toHaveLength(2);
    expect(await found({ clOrdID: `${long.slice(0, -1)}?` })).toEqual([]);
    await journal.close();
    expect((await verifyRows(place())).problems).toEqual([]);
  });
});
