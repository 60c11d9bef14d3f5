// Converts a journal from blocks, as programs before version 5 of the schema wrote it, into tables. Each block becomes the commit of
// its number, so that an interrupted conversion goes on behind the last commit. The blocks stay.

import { hostname } from 'node:os';
import process from 'node:process';
import { CrossgateError } from '../../base/errors.ts';
import { Batch } from './batch.ts';
import { lastFrameOf, type OldBase, readBase, readBlock, readEnded } from './blocks.ts';
import { writeCommit } from './commit.ts';
import { foldLog } from './fold.ts';
import { type RowsPlace, verifyRows } from './inspection.ts';
import { commitHeld, Lease, type WriterOf } from './lease.ts';
import { NO_COMMIT } from './log-reader.ts';
import { BEGIN, endPools, openPools, type Pools, unreadable, withClient } from './pools.ts';
import { lastBlock, type Recovery, recover } from './recovery.ts';
import { migrate } from './schema.ts';

const LEASE_MS = 30_000;
/** No session waits for a conversion. */
const REQUEST_MS = 60_000;
/** Records that one statement brings into the tables that follow the log. */
const ENTRIES_PER_FOLD = 10_000;
const DAY_MS = 86_400_000;

const BASE_COMMIT = `insert into crossgate_commit
  (journal, commit, epoch, first_frame, frames, first_entry, entries, bytes, starts_part, hash, written_at, deleted_at)
  select $1, $2, 0, 1, $3, 1, 0, 0, false, $4, ended_at, deleted_at from crossgate_part where journal = $1 and block = $2`;
const OPEN_ORDERS = `insert into crossgate_order
  select $1, key, 0, 0, 'epoch', false, record from unnest($2::text[], $3::text[]) as o (key, record)`;
/** Of an order that the log still has, the log decides. */
const ENDED_ORDERS = `insert into crossgate_order
  select $1, 'ended ' || key, 0, 0, 'epoch', true, record from unnest($2::text[], $3::text[]) as o (key, record)
  on conflict (journal, key) do nothing`;
const ENDED_KEYS = `insert into crossgate_order_key
  select distinct on (id) $1, id, 'ended ' || key from unnest($2::text[], $3::text[]) as k (id, key)
  on conflict (journal, id) do update set key = excluded.key`;

/** A block that could not be read, with what is lost. */
export interface SkippedBlock {
  readonly block: number;
  readonly firstFrame: number;
  readonly lastFrame: number;
  readonly problem: string;
}

/** `skipped`: those that could not be read are left out and noted there; null: the first one ends it. */
interface Source {
  readonly pools: Pools;
  readonly journal: string;
  readonly skipped: SkippedBlock[] | null;
}

/** Result of a conversion. */
export interface Conversion {
  /** Blocks of the journal, and those of them that were converted now: fewer after one that was interrupted. */
  readonly blocks: number;
  readonly converted: number;
  readonly records: number;
  /** Blocks that could not be read, if the caller wants to go on without them: their records are lost. */
  readonly skipped: readonly SkippedBlock[];
  /** Whatever does not agree in the tables now, in words. */
  readonly problems: readonly string[];
}

/**
 * Convert a journal; its gateways must be stopped. Converts what is left if it was interrupted, and verifies the result.
 * @param onBlock how many blocks are done, of all
 * @param skipDamaged go on behind a block that cannot be read: its frames are there without records
 * @throws CrossgateError XG_JOURNAL_LOCKED, XG_JOURNAL_CORRUPT naming a row that cannot be read, XG_JOURNAL_UNREADABLE
 */
export async function convertBlocks(
  place: RowsPlace,
  onBlock: (done: number, blocks: number) => void = () => {},
  skipDamaged = false,
): Promise<Conversion> {
  const { url, journal } = place;
  const pools = await openPools(url, REQUEST_MS);
  try {
    await migrate(pools.writing);
    const blocks = await lastBlock(pools.reading, journal);
    if (blocks === 0) throw new CrossgateError('XG_USAGE', `the database holds no blocks of a journal ${journal}`);
    const skipped: SkippedBlock[] = [];
    const source = { pools, journal, skipped: skipDamaged ? skipped : null };
    const converted = await underLease(pools, journal, (writer) => convert(source, writer, blocks, onBlock));
    // How early old rows were deleted is no matter of the conversion, and an import that was under way is none either.
    const { records, problems } = await verifyRows(place, 0);
    const found = problems.filter(({ unfinished }) => unfinished !== true).map(({ problem }) => problem);
    return { blocks, converted, records, skipped, problems: found };
  } catch (error) {
    throw unreadable(`${journal} in PostgreSQL`, error);
  } finally {
    await endPools(pools);
  }
}

async function underLease(
  { leasing }: Pools,
  name: string,
  act: (writer: WriterOf) => Promise<number>,
): Promise<number> {
  const lease = await Lease.take({
    pool: leasing,
    name,
    holder: `${hostname()} process ${process.pid} (store convert)`,
    leaseMs: LEASE_MS,
    onHealth: () => {},
    // The next commit is refused.
    onLost: () => {},
    log: () => {},
  });
  try {
    return await act({ journal: name, epoch: lease.epoch, holder: lease.holder });
  } finally {
    await lease.release().catch(() => {});
  }
}

async function convert(
  source: Source,
  writer: WriterOf,
  blocks: number,
  onBlock: (done: number, blocks: number) => void,
): Promise<number> {
  const { pools, journal } = source;
  const base = await readBase(pools.reading, journal);
  let recovery = await recover(pools.reading, journal, journal);
  if (recovery.end.commit === 0 && base !== null) {
    await writeBase(pools, writer, base);
    recovery = await recover(pools.reading, journal, journal);
  }
  const { live } = recovery;
  let { end, folded } = recovery;
  if (base !== null && end.commit === base.block) {
    for (const [sessionId, state] of base.head.sessions) live.state.restoreSession(sessionId, state);
    for (const [credential, nonce] of base.head.nonces) live.state.nonces.set(credential, nonce);
    live.touchAll();
    await foldLog(pools, writer, { from: end, to: end, live: live.changed() });
  }
  const first = end.commit + 1;
  let partStarted: number | null = recovery.partStarted;
  for (let block = first; block <= blocks; block++) {
    const batch = await batchOf(source, block, { ...recovery, end });
    const at = batch.framesOf[0]?.at ?? 0;
    batch.startsPart = partStarted === null || Math.abs(at - partStarted) >= DAY_MS;
    if (batch.startsPart) partStarted = at;
    const { held, there } = await writeCommit(pools, writer, batch, REQUEST_MS);
    if (held === 0 || !there) throw new CrossgateError('XG_JOURNAL_LOCKED', `another node took the journal ${journal}`);
    end = batch.end;
    if (block === blocks || end.entry - folded.entry >= ENTRIES_PER_FOLD) {
      await foldLog(pools, writer, { from: folded, to: end, live: live.changed() });
      folded = end;
    }
    onBlock(block, blocks);
  }
  return blocks - first + 1;
}

async function batchOf({ pools, journal, skipped }: Source, block: number, { live, end }: Recovery): Promise<Batch> {
  const { commit, frame, entry, hash } = end;
  const start = { commit: commit + 1, firstFrame: frame + 1, firstEntry: entry + 1, previousHash: hash };
  const batch = new Batch(start);
  const read = await readBlock(pools.reading, journal, block);
  const found =
    typeof read === 'string' || read.firstFrame === frame + 1 ? read : `row ${block} does not follow row ${commit}`;
  if (typeof found !== 'string') {
    for (const { at, records } of found.frames) {
      batch.add(records, at);
      for (const record of records) live.apply(record, at, block);
    }
    return batch;
  }
  const last = skipped === null ? null : await lastFrameOf(pools.reading, journal, block);
  if (skipped === null || last === null || last <= frame) {
    const remedy = 'restore it from a backup of the database, and convert again; or convert with --skip-damaged';
    throw new CrossgateError('XG_JOURNAL_CORRUPT', `the journal ${journal} in PostgreSQL: ${found}; ${remedy}`);
  }
  skipped.push({ block, firstFrame: frame + 1, lastFrame: last, problem: found });
  const detail = `frames ${frame + 1} to ${last} are lost: ${found}`;
  // The other frames are there without a record.
  batch.add([{ kind: 'audit', who: 'store convert', action: 'skip damaged block', detail }], Date.now());
  while (batch.frames < last - frame) batch.add([], 0);
  return batch;
}

/** The rest of blocks that were deleted after their years: a commit without records, open orders, and orders that ended. */
async function writeBase(pools: Pools, writer: WriterOf, { block, lastFrame, orders }: OldBase): Promise<void> {
  const { journal } = writer;
  await withClient(pools.writing, true, async (client) => {
    await client.query(BEGIN);
    // Between two runs the old orders are read, however long that takes.
    await client.query('set local idle_in_transaction_session_timeout = 0');
    try {
      await client.query(BASE_COMMIT, [journal, block, lastFrame, NO_COMMIT.hash]);
      await client.query('insert into crossgate_folded (journal, commit) values ($1, $2)', [journal, block]);
      await client.query(OPEN_ORDERS, [journal, [...orders.keys()], [...orders.values()]]);
      for await (const run of readEnded(pools.reading, journal)) {
        const names = run.map(({ keys }) => keys[0] ?? '');
        await client.query(ENDED_ORDERS, [journal, names, run.map(({ record }) => record)]);
        const keys = run.flatMap((one) => one.keys.map((id) => [id, one.keys[0] ?? '']));
        await client.query(ENDED_KEYS, [journal, keys.map(([id]) => id), keys.map(([, key]) => key)]);
      }
    } catch (error) {
      await client.query('rollback').catch(() => {});
      throw error;
    }
    if (!(await commitHeld(client, writer))) {
      throw new CrossgateError('XG_JOURNAL_LOCKED', `another node took the journal ${journal}`);
    }
  });
}
