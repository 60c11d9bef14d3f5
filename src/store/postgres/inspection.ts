// Looks at a journal in PostgreSQL for people: its message log, what it holds, whether every row of it is whole. Reads only,
// takes no lease: a gateway may write it meanwhile. The counterpart of inspection.ts.

import type { Client } from 'pg';
import { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import type { JournalEntry } from '../port.ts';
import { type DamagedPlace, damageInWords } from '../segments/damage.ts';
import { damageOf, importProblems, type JournalInspection, type JournalVerification } from '../segments/inspection.ts';
import { type ArchiveProblem, KEPT_MS_MIN } from '../snapshots/archive.ts';
import { RENEW_AFTER_MS_MAX } from './lease.ts';
import { endClient, mustBeAddress, reasonOf, unreadable } from './pools.ts';
import { checkSnapshots, readRows, recoverRows } from './reader.ts';
import { deletedUpTo, partProblems, sealedBefore } from './sealed-parts.ts';
import { connectPatiently } from './thread-client.ts';
import { BesideRows } from './verification.ts';

export interface RowsPlace {
  /** `postgresql://user:password@host:port/database`: a secret, never shown. */
  readonly url: string;
  readonly journal: string;
}

const SIZE = `select count(*)::int as rows, coalesce(sum(length(payload)), 0)::float8 as bytes from crossgate_block
  where journal = $1`;

const DAY_MS = 86_400_000;
const CONNECT_MS = 10_000;
/** Longest wait for one answer, so that a caller learns of a network that drops all packets. */
const ANSWER_MS = 60_000;

/** One connection for one look. @throws CrossgateError XG_USAGE if there is no such journal, XG_JOURNAL_UNREADABLE */
async function connected<T>({ url, journal }: RowsPlace, look: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(url, journal);
  try {
    return await look(client);
  } catch (error) {
    throw unreadable(inWords(journal), error);
  } finally {
    await endClient(client);
  }
}

const inWords = (journal: string): string => `${journal} in PostgreSQL`;

/** SQLSTATE of a table that is not there. */
const UNDEFINED_TABLE = '42P01';

async function connect(url: string, journal: string): Promise<Client> {
  await mustBeUsable(url, journal);
  let client: Client;
  try {
    client = await connectPatiently(url, 'crossgate reader', { connectMs: CONNECT_MS, answerMs: ANSWER_MS });
  } catch (error) {
    throw unreadable(inWords(journal), error);
  }
  try {
    const { rowCount } = await client.query('select 1 from crossgate_lease where name = $1', [journal]);
    if (rowCount !== 0) return client;
  } catch (error) {
    await endClient(client);
    if ((error as { readonly code?: unknown }).code !== UNDEFINED_TABLE) throw unreadable(inWords(journal), error);
    throw new CrossgateError('XG_USAGE', `the database holds no journal ${journal}`, { cause: error });
  }
  await endClient(client);
  throw new CrossgateError('XG_USAGE', `the database holds no journal ${journal}`);
}

async function mustBeUsable(url: string, journal: string): Promise<void> {
  const pg = await import('pg');
  try {
    mustBeAddress(url);
    // The driver's reading of it and of the files that it names; no connection is made yet.
    new pg.Client({ connectionString: url });
  } catch (cause) {
    const what = `the journal ${journal} cannot be read from PostgreSQL: ${reasonOf(cause)}`;
    throw new CrossgateError('XG_USAGE', what, { cause });
  }
}

/** Read it as a message log, as `readJournal` does the embedded one. @throws CrossgateError XG_JOURNAL_CORRUPT, XG_JOURNAL_UNREADABLE */
export async function* readRowJournal(
  place: RowsPlace,
  since: EpochMs = 0,
  onDamage?: (place: DamagedPlace) => void,
): AsyncGenerator<JournalEntry> {
  const client = await connect(place.url, place.journal);
  try {
    const { block: after, frame: lastFrame } = await sealedBefore(client, place.journal, since);
    const range = { journal: place.journal, where: place.journal, after, lastFrame };
    for await (const { number, at, records, damage } of readRows(client, {
      ...range,
      onDamage: onDamage === undefined ? 'stop' : 'pass',
    })) {
      if (damage !== null) onDamage?.(damage);
      if (at < since) continue;
      for (const record of records) yield { at, frame: number, record };
    }
  } catch (error) {
    throw unreadable(inWords(place.journal), error);
  } finally {
    await endClient(client);
  }
}

/** Its content. Rows are counted as segments, and the row that a snapshot covers as its segment. */
export function inspectRows(place: RowsPlace): Promise<JournalInspection> {
  return connected(place, async (client) => {
    const { journal } = place;
    const { state, snapshotBlock, notes } = await recoverRows(client, journal, journal, 'pass', () => {});
    const { rows } = await client.query<{ rows: number; bytes: number }>(SIZE, [journal]);
    const { block: deleted } = await deletedUpTo(client, journal);
    const gone = deleted === 0 ? [] : [`rows up to ${deleted} were deleted after their years`];
    return {
      segments: rows[0]?.rows ?? 0,
      bytes: rows[0]?.bytes ?? 0,
      archived: 0,
      snapshotSegment: snapshotBlock,
      orders: state.orders.size,
      sessions: [...state.sessions().values()],
      damage: damageOf(state),
      notes: [...notes, ...gone],
    };
  });
}

/** Longest wait for a holder to renew its lease, with what a slow database takes for it. */
const RENEWAL_MS = RENEW_AFTER_MS_MAX + 2_000;
const LOOK_AGAIN_MS = 250;
const LEASE = `select holder, expires_at::text as ends, expires_at > clock_timestamp() as held from crossgate_lease
  where name = $1`;

/**
 * The process that writes it, by its lease, in words; null if none. A killed one is watched until it would have renewed
 * the lease.
 * @param onWatched called once if the holder may have been killed, with its name and the longest time of the watch
 * @throws CrossgateError XG_USAGE if there is no such journal, XG_JOURNAL_UNREADABLE
 */
export function writerOfRows(
  place: RowsPlace,
  onWatched: (holder: string, ms: number) => void,
): Promise<string | null> {
  return connected(place, async (client) => {
    let seen: string | null = null;
    for (const end = performance.now() + RENEWAL_MS; performance.now() < end; ) {
      const { rows } = await client.query<{ holder: string; ends: string; held: boolean }>(LEASE, [place.journal]);
      const lease = rows[0];
      if (lease === undefined || !lease.held) return null;
      if (seen === null) onWatched(lease.holder, RENEWAL_MS);
      else if (lease.ends !== seen) return lease.holder;
      seen = lease.ends;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
    return null;
  });
}

/**
 * Read every record of every row, and the snapshots with their side tables; compare the rows with their seals.
 * @param retentionDays the owner's retention of rows; null for a gateway's: a year at least
 */
export function verifyRows(
  place: RowsPlace,
  retentionDays: number | null = null,
  onRecord: () => void = () => {},
): Promise<JournalVerification> {
  return connected(place, async (client) => {
    const { journal } = place;
    const keptMs = retentionDays === null ? KEPT_MS_MIN : retentionDays * DAY_MS;
    const problems: ArchiveProblem[] = [];
    let frames = 0;
    let records = 0;
    let segments = 0;
    let last = 0;
    try {
      const range = { journal, where: journal, after: 0, lastFrame: 0, onDamage: 'pass' } as const;
      const beside = await BesideRows.begin(client, journal);
      for await (const frame of readRows(client, range)) {
        const { block, damage, records: found } = frame;
        await beside?.see(frame);
        if (block !== last) segments++;
        last = block;
        if (damage !== null) problems.push({ path: damage.path, problem: damageInWords(damage) });
        else frames++;
        records += found.length;
        found.forEach(onRecord);
      }
      for (const problem of (await beside?.problems()) ?? []) problems.push({ path: journal, problem });
    } catch (error) {
      if (!(error instanceof CrossgateError)) throw error;
      problems.push({ path: journal, problem: error.message });
    }
    const parts = await partProblems(client, journal, keptMs);
    for (const problem of parts.problems) problems.push({ path: journal, problem });
    const { snapshots, problems: unusable } = await checkSnapshots(client, journal);
    for (const problem of unusable) problems.push({ path: journal, problem });
    if (problems.length === 0) {
      const { state } = await recoverRows(client, journal, journal, 'pass', () => {});
      problems.push(...importProblems(journal, state));
    }
    return { frames, records, segments, archived: 0, snapshots, problems };
  });
}
