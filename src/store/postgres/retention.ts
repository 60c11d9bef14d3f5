// Deletes rows of a journal in PostgreSQL after their years (rule J4), the oldest part first. A snapshot takes their
// place, and all later rows build on it. It deletes no row of a present series, no report that is not proven received
// (rule J1), and no row that differs from its seal. Runs in the thread of upkeep-worker.ts.

import type { ClientBase } from 'pg';
import { JournalState } from '../journal-state.ts';
import { isUnnamed } from '../session-names.ts';
import { encodeState, headOf } from '../snapshots/state-bytes.ts';
import { commitHeld, type WriterOf } from './lease.ts';
import { BEGIN } from './pools.ts';
import { baseSnapshot, newestSnapshot, readRows } from './reader.ts';
import { deletedUpTo, duePart, isAsSealed, type Part } from './sealed-parts.ts';

/** Rows deleted by one transaction: it takes milliseconds in which the lease is not renewed. */
const PIECE_BYTES = 8_388_608;
const PIECE_ROWS_MAX = 1_000;
/** Between two of them: the disk of the database is for orders first. */
const PAUSE_MS = 50;
const DAY_MS = 86_400_000;

/** A snapshot that is there already is the same one. */
const WRITE_BASE = `insert into crossgate_snapshot (journal, block, frame, epoch, state, is_base) values ($1, $2, $3, $4, $5, true)
  on conflict (journal, block) do update set is_base = true`;
const FORGET_BASES = 'delete from crossgate_snapshot where journal = $1 and block < $2 and is_base';
const MARK = 'update crossgate_part set deleted_at = clock_timestamp() where journal = $1 and block = $2';
const DELETE_SOME = `delete from crossgate_block where journal = $1 and block in (
    select block from (
      select block, sum(length(payload)) over (order by block) - length(payload) as before from (
        select block, payload from crossgate_block where journal = $1 and block <= $2 order by block limit ${PIECE_ROWS_MAX}
      ) as oldest
    ) as counted where before < ${PIECE_BYTES}
  )`;

export interface Retention {
  readonly writer: WriterOf;
  readonly where: string;
  readonly keptMs: number;
  /** Have it recorded that these rows are deleted. False if that was not done: nothing is. */
  readonly permit: (detail: string) => Promise<boolean>;
  /** Why rows are kept beyond their years; `isWrong`: it should not be so. */
  readonly note: (text: string, isWrong: boolean) => void;
}

/** Why a part may not go. */
interface Kept {
  readonly keptFor: string;
  readonly isWrong: boolean;
}

/** Delete every part with its years over that may go. */
export async function deleteOldRows(client: ClientBase, retention: Retention): Promise<void> {
  const { writer, keptMs } = retention;
  await finish(client, writer, (await deletedUpTo(client, writer.journal)).block);
  for (;;) {
    const part = await duePart(client, writer.journal, keptMs);
    if (part === null || !(await deletePart(client, retention, part))) return;
    await finish(client, writer, part.block);
  }
}

async function deletePart(client: ClientBase, retention: Retention, part: Part): Promise<boolean> {
  const { writer, where, keptMs, permit, note } = retention;
  const { journal, epoch } = writer;
  const { firstBlock, block, lastFrame, bytes, sha256, endedAt } = part;
  const kept = `${where}: rows ${firstBlock} to ${block} are kept beyond their years`;
  if (!(await isAsSealed(client, journal, part))) {
    note(`${kept}: they differ from their seal; see \`crossgate store verify\``, true);
    return false;
  }
  const base = await folded(client, retention, part);
  if (!(base instanceof JournalState)) {
    note(`${kept}: ${base.keptFor}`, base.isWrong);
    return false;
  }
  const days = Math.round(keptMs / DAY_MS);
  const what = `rows ${firstBlock} to ${block} of journal ${journal}, ${bytes} bytes, the last of ${endedAt}, SHA-256 ${sha256}`;
  if (!(await permit(`${what}: ${days} days are over`))) return false;
  const state = Buffer.concat(encodeState({ ...headOf(base), outboundRows: [] }, base.orders));
  await client.query(BEGIN);
  await client.query(WRITE_BASE, [journal, block, lastFrame, epoch, state]);
  await client.query(FORGET_BASES, [journal, block]);
  await client.query(MARK, [journal, block]);
  return await commitHeld(client, writer);
}

/** The sum of the rows up to the end of a part, or why they may not go. */
async function folded(client: ClientBase, { writer, where }: Retention, part: Part): Promise<JournalState | Kept> {
  const { journal } = writer;
  const newest = await newestSnapshot(client, journal, where, []);
  if (newest === null || newest.block < part.block)
    return { keptFor: 'no snapshot covers them that can be used', isWrong: true };
  const base = await baseSnapshot(client, journal);
  if (typeof base === 'string') return { keptFor: `the rows before them cannot be read: ${base}`, isWrong: true };
  const state = base?.state ?? new JournalState();
  const { block: after, frame: lastFrame } = base ?? { block: 0, frame: 0 };
  const range = { journal, where, after, through: part.block, lastFrame, onDamage: 'pass' } as const;
  for await (const { at, records, damage } of readRows(client, range)) {
    if (damage !== null) state.damaged(damage);
    for (const record of records) state.apply(record, at);
  }
  for (const [sessionId, { series }] of state.kept()) {
    if (isUnnamed(sessionId) || series < newest.state.oldestSeries(sessionId)) continue;
    const keptFor = `the numbers of ${sessionId} that are in use, or have reports not proven received, began in them or before (J1)`;
    return { keptFor, isWrong: false };
  }
  return state;
}

/** Delete the rest of rows that a snapshot has replaced, piece by piece. */
async function finish(client: ClientBase, writer: WriterOf, through: number): Promise<void> {
  for (let isHeld = through > 0; isHeld; ) {
    await client.query(BEGIN);
    const { rowCount } = await client.query(DELETE_SOME, [writer.journal, through]);
    isHeld = await commitHeld(client, writer);
    if (rowCount === 0) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
