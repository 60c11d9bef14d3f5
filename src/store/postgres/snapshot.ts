// Makes the next snapshot of a journal in PostgreSQL from the one before and the rows written since: in one transaction that
// checks the lease's epoch, like every write. Runs in a worker thread with a connection of its own
// (snapshot-worker.ts). Rows of the journal itself stay for their years (retention.ts).

import type { Client } from 'pg';
import { type EndedOrder, encodeEndedOrders } from '../index/ended-blob.ts';
import { JournalState } from '../journal-state.ts';
import type { JournalRecord } from '../port.ts';
import { encodeState, headOf, type OutboundRows } from '../snapshots/state-bytes.ts';
import { writeRun } from './ended-run.ts';
import { commitHeld } from './lease.ts';
import { BEGIN } from './pools.ts';
import { newestSnapshot, readRows } from './reader.ts';
import { withThreadClient } from './thread-client.ts';

/** Snapshots kept: the newest, and one to fall back to. */
const SNAPSHOTS_KEPT = 2;

const WRITE_STATE = 'insert into crossgate_snapshot (journal, block, frame, epoch, state) values ($1, $2, $3, $4, $5)';
const WRITE_OUTBOUND = `insert into crossgate_outbound (journal, session, series, block, first_number, last_number)
  select $1, * from unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
  on conflict (journal, session, series, block) do update set first_number = excluded.first_number, last_number = excluded.last_number`;
/** Of rows that a program noted which did not count them. */
const COUNT_OUTBOUND = `select session, series, count(*) as rows from crossgate_outbound where journal = $1 and block <= $2
  group by session, series`;
const FORGET_STATES = `delete from crossgate_snapshot where journal = $1 and not is_base and block < (
  select min(block) from (select block from crossgate_snapshot where journal = $1 order by block desc limit ${SNAPSHOTS_KEPT}) kept)`;
const FORGET_OUTBOUND = `delete from crossgate_outbound o using unnest($2::text[], $3::bigint[]) as oldest (session, series)
  where o.journal = $1 and o.session = oldest.session and o.series < oldest.series`;

export interface PostgresSnapshotRequest {
  readonly url: string;
  readonly journal: string;
  readonly where: string;
  readonly epoch: string;
  readonly holder: string;
  /** The last row to cover. */
  readonly through: number;
  /** Longest wait for a connection, and for the answer to a request. */
  readonly requestTimeoutMs: number;
}

export interface PostgresSnapshotResult {
  /** The row up to which it covers now; null if nothing was written. */
  readonly block: number | null;
  /** How many rows of crossgate_outbound there are of each series, up to that row. */
  readonly outboundRows: OutboundRows;
  readonly notes: readonly string[];
}

/** Rows of a series' messages, as they are found again. */
class MessageRanges {
  readonly #ranges = new Map<string, { session: string; series: number; block: number; from: number; to: number }>();

  add(record: JournalRecord, block: number): void {
    if (record.kind !== 'outbound' || !record.resendable) return;
    const { sessionId: session, series, msgSeqNum } = record;
    const key = `${block} ${series} ${session}`;
    const range = this.#ranges.get(key);
    if (range === undefined) this.#ranges.set(key, { session, series, block, from: msgSeqNum, to: msgSeqNum });
    else range.to = Math.max(range.to, msgSeqNum);
  }

  /** How many there are of each series, with those that were there before; series before `keepFrom(session)` are left out. */
  counted(before: OutboundRows, keepFrom: (session: string) => number): OutboundRows {
    const counts = new Map<string, [string, number, number]>();
    const count = (session: string, series: number, rows: number): void => {
      if (series < keepFrom(session)) return;
      const key = `${series} ${session}`;
      counts.set(key, [session, series, rows + (counts.get(key)?.[2] ?? 0)]);
    };
    for (const [session, series, rows] of before) count(session, series, rows);
    for (const { session, series } of this.#ranges.values()) count(session, series, 1);
    return [...counts.values()];
  }

  /** As columns. */
  columns(): [string[], number[], number[], number[], number[]] {
    const all = [...this.#ranges.values()];
    return [
      all.map(({ session }) => session),
      all.map(({ series }) => series),
      all.map(({ block }) => block),
      all.map(({ from }) => from),
      all.map(({ to }) => to),
    ];
  }
}

export function buildPostgresSnapshot(request: PostgresSnapshotRequest): Promise<PostgresSnapshotResult> {
  return withThreadClient(request, 'crossgate snapshot', (client) => buildOver(client, request));
}

async function buildOver(
  client: Client,
  { journal, where, epoch, holder, through }: PostgresSnapshotRequest,
): Promise<PostgresSnapshotResult> {
  const notes: string[] = [];
  const base = await newestSnapshot(client, journal, where, notes);
  const after = base?.block ?? 0;
  if (after >= through) return { block: null, outboundRows: [], notes };
  const state = base?.state ?? new JournalState();
  const ranges = new MessageRanges();
  const ended: EndedOrder[] = [];
  let frame = base?.frame ?? 0;
  const range = { journal, where, after, through, lastFrame: frame, onDamage: 'pass' } as const;
  for await (const { block, number, at, records, damage } of readRows(client, range)) {
    if (damage !== null) state.damaged(damage);
    for (const record of records) {
      state.apply(record, at);
      ranges.add(record, block);
      if (record.kind === 'order' && record.ended !== undefined) {
        ended.push({ keys: record.ended, text: record.record });
      }
    }
    frame = number;
  }
  await client.query(BEGIN);
  const before = base === null ? [] : (base.outboundRows ?? (await countedOutbound(client, journal, after)));
  const outboundRows = ranges.counted(before, (id) => state.oldestSeries(id));
  const bytes = Buffer.concat(encodeState({ ...headOf(state), outboundRows }, state.orders));
  await client.query(WRITE_STATE, [journal, through, frame, epoch, bytes]);
  await client.query(WRITE_OUTBOUND, [journal, ...ranges.columns()]);
  await writeRun(client, journal, through, encodeEndedOrders(ended));
  await client.query(FORGET_STATES, [journal]);
  const sessions = state.kept().map(([sessionId]) => sessionId);
  await client.query(FORGET_OUTBOUND, [journal, sessions, sessions.map((id) => state.oldestSeries(id))]);
  if (!(await commitHeld(client, { journal, epoch, holder }))) return { block: null, outboundRows: [], notes };
  return { block: through, outboundRows, notes };
}

async function countedOutbound(client: Client, journal: string, through: number): Promise<OutboundRows> {
  const { rows } = await client.query<Record<'session' | 'series' | 'rows', string>>(COUNT_OUTBOUND, [
    journal,
    through,
  ]);
  return rows.map(({ session, series, rows: count }) => [session, Number(series), Number(count)] as const);
}
