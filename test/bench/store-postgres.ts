// Records per second committed by PostgreSQL, in batches of 1 and 100. The PostgreSQL store runs
// beside a plain table of messages, which proves no lease and keeps no state, in one transaction and statement. Same server, interleaved, medians.
// Needs a container engine, or the address of a server in CROSSGATE_BENCH_POSTGRES.

import process from 'node:process';
import { Client } from 'pg';
import { type JournalRecord, openPostgresJournal } from '../../src/store/mod.ts';
import { PostgresServer } from '../store/postgres-server.ts';
import { containerEngine } from '../support/requirement.ts';

const ROUNDS = 5;
const ROUND_MS = 700;
const SESSION = 'FIX.4.4:XGATE->OMS';
const INBOUND = Buffer.alloc(190, 'i');
const OUTBOUND = Buffer.alloc(250, 'o');

/** The records of one order, as the other benchmarks of the store have them. */
function recordsOf(n: number): JournalRecord[] {
  const both = { sessionId: SESSION, series: 1, msgSeqNum: n } as const;
  return [
    { kind: 'inbound', ...both, nextTargetMsgSeqNum: n + 1, msgType: 'D', raw: INBOUND },
    { kind: 'outbound', ...both, msgType: '8', resendable: true, raw: OUTBOUND },
  ];
}

interface Contestant {
  readonly name: string;
  batch(first: number, count: number): Promise<void>;
  close(): Promise<void>;
}

async function store(url: string): Promise<Contestant> {
  const journal = await openPostgresJournal({ url, journal: 'bench' });
  return {
    name: 'the store',
    batch: (first, count) => {
      for (let n = first; n < first + count; n++) journal.append(recordsOf(n), n);
      return journal.sync();
    },
    close: () => journal.close(),
  };
}

/** The least that a table of messages takes: one prepared statement for the whole batch. */
async function plainTable(url: string): Promise<Contestant> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`create table message (
    session text, series integer, direction char(1), msg_seq_num integer, next_number integer, msg_type text, raw bytea,
    primary key (session, series, direction, msg_seq_num))`);
  const text = `insert into message select $1, 1, d, n, n + 1, t, r
    from unnest($2::text[], $3::int[], $4::text[], $5::bytea[]) as m(d, n, t, r)`;
  return {
    name: 'a plain table',
    batch: async (first, count) => {
      const directions: string[] = [];
      const numbers: number[] = [];
      const types: string[] = [];
      const raws: Buffer[] = [];
      for (let n = first; n < first + count; n++) {
        directions.push('I', 'O');
        numbers.push(n, n);
        types.push('D', '8');
        raws.push(INBOUND, OUTBOUND);
      }
      await client.query({ name: 'messages', text, values: [SESSION, directions, numbers, types, raws] });
    },
    close: () => client.end(),
  };
}

async function measure(contestant: Contestant, next: { n: number }, batch: number): Promise<number> {
  const begun = performance.now();
  let records = 0;
  while (performance.now() - begun < ROUND_MS) {
    await contestant.batch(next.n, batch);
    next.n += batch;
    records += batch;
  }
  return (records / (performance.now() - begun)) * 1000;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

/** A server of our own, or the one named; or why there is none. */
export async function postgresServer(): Promise<{ url: string; stop(): Promise<void> } | { missing: string }> {
  const named = process.env.CROSSGATE_BENCH_POSTGRES;
  if (named !== undefined) return { url: named, stop: async () => {} };
  const { missing } = await containerEngine();
  if (missing !== null) return { missing };
  // Syncs are part of a commit.
  const server = await PostgresServer.start([]);
  return { url: server.past(await server.createDatabase()), stop: () => server.stop() };
}

/** Compare both on one server. Says so where there is none. */
export async function postgresOnDisk(): Promise<void> {
  const server = await postgresServer();
  if ('missing' in server) {
    console.log(`\nPostgreSQL: not measured: ${server.missing}`);
    return;
  }
  const { url } = server;
  const contestants = [await store(url), await plainTable(url)];
  const counters = contestants.map(() => ({ n: 1 }));
  console.log('\nPostgreSQL, records committed per second');
  for (const batch of [1, 100]) {
    const rates: number[][] = contestants.map(() => []);
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [i, contestant] of contestants.entries()) {
        const rate = await measure(contestant, counters[i]!, batch);
        // The first round warms up.
        if (round > 0) rates[i]!.push(rate);
      }
    }
    const [ours, plain] = rates.map(median);
    for (const [i, { name }] of contestants.entries()) {
      console.log(
        `  batches of ${`${batch}`.padStart(3)}  ${name.padEnd(20)} ${Math.round(median(rates[i]!)).toLocaleString('en')}`,
      );
    }
    console.log(
      `  batches of ${`${batch}`.padStart(3)}  the store is ${(ours! / plain!).toFixed(2)} times a plain table`,
    );
  }
  for (const contestant of contestants) await contestant.close();
  await server.stop();
}
