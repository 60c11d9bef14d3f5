// Looks at a journal in PostgreSQL for people: its message log, what it holds, whether all of it is whole. Reads only,
// takes no lease: a gateway may write it meanwhile. The counterpart of segments/inspection.ts.

import type { Client } from 'pg';
import { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import { JournalState } from '../journal-state.ts';
import type { JournalEntry } from '../port.ts';
import type { DamagedPlace } from '../segments/damage.ts';
import { importProblems, type JournalInspection, type JournalVerification } from '../segments/inspection.ts';
import { type ArchiveProblem, KEPT_MS_MIN } from '../snapshots/archive.ts';
import { RENEW_AFTER_MS_MAX } from './lease.ts';
import { deletedUpTo, type LogEnd, logEnd, NO_COMMIT, type ReadCommit, readCommits } from './log-reader.ts';
import { connectPatiently, endClient, mustBeAddress, reasonOf, unreadable } from './pools.ts';
import { mustBeConverted, recover } from './recovery.ts';
import { differences } from './verification.ts';

export interface RowsPlace {
  /** `postgresql://user:password@host:port/database`: a secret, never shown. */
  readonly url: string;
  readonly journal: string;
}

const SIZE = `select count(*)::int as commits, coalesce(sum(bytes), 0)::float8 as bytes from crossgate_commit
  where journal = $1 and deleted_at is null`;
/** The last commit before the first part that began then or later: a clock may have been ahead for a while. */
const BEFORE = `select commit, first_frame + frames - 1 as frame, first_entry + entries - 1 as entry, hash from crossgate_commit
  where journal = $1 and commit = (
    select max(commit) - 1 from (
      select commit, bool_and(written_at < to_timestamp($2::float8 / 1000)) over (order by commit) as is_before
      from crossgate_commit where journal = $1 and starts_part
    ) as parts where is_before)`;

/** It ends with the connection. */
export const SNAPSHOT = 'begin isolation level repeatable read read only';
const DAY_MS = 86_400_000;
const CONNECT_MS = 10_000;
/** Longest wait for one answer, so that a caller learns of a network that drops all packets. */
const ANSWER_MS = 60_000;

/** One connection for one look. @throws CrossgateError XG_USAGE if there is no such journal, XG_JOURNAL_UNREADABLE */
export async function connected<T>({ url, journal }: RowsPlace, look: (client: Client) => Promise<T>): Promise<T> {
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
  { url, journal }: RowsPlace,
  since: EpochMs = 0,
  onDamage?: (place: DamagedPlace) => void,
): AsyncGenerator<JournalEntry> {
  const client = await connect(url, journal);
  try {
    const after = await beginningOf(client, journal, since);
    for await (const read of readCommits(client, { journal, after })) {
      if (read.problem !== null) passOver(journal, read, onDamage);
      else
        for (const { number, at, records } of read.frames) {
          if (at < since) continue;
          for (const record of records) yield { at, frame: number, record };
        }
    }
  } catch (error) {
    throw unreadable(inWords(journal), error);
  } finally {
    await endClient(client);
  }
}

/** Where a reader of what came since then begins: behind what was deleted, or at the part of that day. */
async function beginningOf(client: Client, journal: string, since: EpochMs): Promise<LogEnd> {
  const deleted = await deletedUpTo(client, journal);
  const { rows } = await client.query<Record<'commit' | 'frame' | 'entry' | 'hash', string>>(BEFORE, [journal, since]);
  const [row] = rows;
  if (row === undefined || Number(row.commit) <= deleted.commit) return deleted;
  return logEnd(row);
}

function passOver(journal: string, read: ReadCommit, onDamage?: (place: DamagedPlace) => void): void {
  const path = `${journal}, ${read.problem}`;
  if (onDamage === undefined) {
    throw new CrossgateError('XG_JOURNAL_CORRUPT', `${path}; restore the database from a backup made before that`);
  }
  const { firstFrame, end, commit: row, bytes } = read;
  onDamage({ path, row, offset: 0, bytes, firstFrame, lastFrame: end.frame });
}

/** Its content. Commits are counted as segments. */
export function inspectRows(place: RowsPlace): Promise<JournalInspection> {
  return connected(place, async (client) => {
    const { journal } = place;
    // Tables and log as they are at one moment.
    await client.query(SNAPSHOT);
    const { live, orders, end } = await recover(client, journal, journal);
    await mustBeConverted(client, journal, end);
    const { rows } = await client.query<{ commits: number; bytes: number }>(SIZE, [journal]);
    const { commit: deleted } = await deletedUpTo(client, journal);
    return {
      segments: rows[0]?.commits ?? 0,
      bytes: rows[0]?.bytes ?? 0,
      archived: 0,
      snapshotSegment: 0,
      orders: orders.size,
      sessions: [...live.state.sessions().values()],
      damage: [],
      notes: deleted === 0 ? [] : [`commits up to ${deleted} were deleted after their years`],
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
 * Read every record, prove every commit by its hash, and compare the log with what it amounts to.
 * @param retentionDays the owner's retention of the log; null for a gateway's: a year at least
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
    const found = (problem: string): void => void problems.push({ path: journal, problem });
    const after = await deletedUpTo(client, journal, keptMs);
    if (after.isEarly) {
      found(
        `commits up to ${after.commit} are gone as if after their years, and nothing is deleted before ${Math.floor(keptMs / DAY_MS)} days`,
      );
    }
    const state = new JournalState();
    let end: LogEnd = NO_COMMIT;
    let frames = 0;
    let records = 0;
    let segments = 0;
    for await (const read of readCommits(client, { journal, after })) {
      segments++;
      if (read.problem !== null) found(read.problem);
      state.segment = read.commit;
      for (const frame of read.frames) {
        frames++;
        records += frame.records.length;
        for (const record of frame.records) {
          if (record.kind !== 'order') state.apply(record, frame.at);
          onRecord();
        }
      }
      end = read.end;
    }
    await client.query(SNAPSHOT);
    const counted = { frames, records, segments, archived: 0, snapshots: 0, problems };
    const recovery = await recover(client, journal, journal).catch((error: unknown) => {
      if (!(error instanceof CrossgateError) || problems.length === 0) throw error;
      return null;
    });
    // A start is refused for what was found already.
    if (recovery === null) return counted;
    const { live, end: last, folded } = recovery;
    await mustBeConverted(client, journal, last);
    // Later commits count for the sessions only.
    for await (const read of readCommits(client, { journal, after: end })) {
      state.segment = read.commit;
      for (const { at, records } of read.frames) {
        for (const record of records) if (record.kind !== 'order') state.apply(record, at);
      }
    }
    const through = Math.min(end.entry, folded.entry);
    for (const problem of await differences(client, { journal, after, through, state, live })) found(problem);
    if (problems.length === 0) problems.push(...importProblems(journal, live.state));
    return counted;
  });
}
