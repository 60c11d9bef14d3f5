// Reads the log of a journal in PostgreSQL back from its tables, commit by commit: for the message log, for `store verify` and before
// rows are deleted. Never changes a row, and reads beside a gateway that writes.

import { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import type { JournalRecord } from '../port.ts';
import { type CommitStart, HashedFrames } from './batch.ts';
import type { Database } from './pools.ts';

/** One query reads the records of so many commits, or of so many bytes. A larger commit is read alone. */
const COMMITS_PER_READ = 500;
const BYTES_PER_READ = 4_194_304;

const COMMITS = `select * from (
    select commit, first_frame, frames, first_entry, entries, bytes, hash, sum(bytes) over (order by commit) - bytes as before
    from (select * from crossgate_commit where journal = $1 and commit > $2 and commit <= $3 and deleted_at is null
      order by commit limit ${COMMITS_PER_READ}) as next
  ) as counted where before <= $4 order by commit`;
const MS = '(extract(epoch from at) * 1000)::float8 as at';
/** Columns of a message, as `messageOf` reads them. */
export const MESSAGE_COLUMNS = `entry, frame, ${MS}, direction as kind, session as subject, note as detail, null as ended, series,
    msg_seq_num, next_target_msg_seq_num, msg_type, is_resendable, raw`;
const RECORDS = `select ${MESSAGE_COLUMNS}
  from crossgate_message where journal = $1 and entry between $2 and $3
  union all select entry, frame, ${MS}, kind, subject, detail, ended::text, null, null, null, null, null, null
  from crossgate_event where journal = $1 and entry between $2 and $3
  union all select entry, frame, ${MS}, 'audit', who, detail, null, null, null, null, action, null, null
  from crossgate_audit where journal = $1 and entry between $2 and $3
  order by entry`;
const DELETED = `select commit, first_frame + frames - 1 as frame, first_entry + entries - 1 as entry, hash,
    deleted_at - written_at < $2 * interval '1 millisecond' as is_early
  from crossgate_commit where journal = $1 and deleted_at is not null order by commit desc limit 1`;
/** A bigint that no commit reaches. */
const LAST_COMMIT = Number.MAX_SAFE_INTEGER;

type Counted = Record<'commit' | 'first_frame' | 'first_entry' | 'bytes', string> & {
  readonly frames: number;
  readonly entries: number;
  readonly hash: string;
};

export interface LogRow {
  readonly entry: string;
  readonly frame: string;
  readonly at: number;
  readonly kind: string;
  readonly subject: string | null;
  readonly detail: string | null;
  readonly ended: string | null;
  readonly series: string | null;
  readonly msg_seq_num: string | null;
  readonly next_target_msg_seq_num: string | null;
  readonly msg_type: string | null;
  readonly is_resendable: boolean | null;
  readonly raw: Buffer | null;
}

export interface LogFrame {
  readonly number: number;
  readonly at: EpochMs;
  readonly records: JournalRecord[];
}

/** A commit as it is in the tables. */
export interface ReadCommit {
  readonly commit: number;
  readonly firstFrame: number;
  readonly end: LogEnd;
  readonly frames: readonly LogFrame[];
  readonly bytes: number;
  /** Why it is not what was written, in words; null if it is. */
  readonly problem: string | null;
}

/** The end of a part of the log: its commit, frame, entry and hash. */
export interface LogEnd {
  readonly commit: number;
  readonly frame: number;
  readonly entry: number;
  readonly hash: string;
}

type EndRow = { readonly [name in Exclude<keyof LogEnd, 'hash'>]: string | null } & { readonly hash: string };

export function logEnd({ commit, frame, entry, hash }: EndRow): LogEnd {
  return { commit: Number(commit), frame: Number(frame), entry: Number(entry), hash };
}

/** Beginning of the chain of hashes. */
export const NO_COMMIT: LogEnd = { commit: 0, frame: 0, entry: 0, hash: '0'.repeat(64) };

/** Where the log begins now: behind what was deleted after its years. `isEarly`: sooner than so long after it was written. */
export async function deletedUpTo(
  database: Database,
  journal: string,
  keptMs = 0,
): Promise<LogEnd & { readonly isEarly: boolean }> {
  const { rows } = await database.query<Record<'commit' | 'frame' | 'entry' | 'hash', string> & { is_early: boolean }>(
    DELETED,
    [journal, keptMs],
  );
  const [row] = rows;
  if (row === undefined) return { ...NO_COMMIT, isEarly: false };
  return { ...logEnd(row), isEarly: row.is_early };
}

export interface LogRange {
  readonly journal: string;
  readonly after: LogEnd;
  /** Default: to the end. */
  readonly through?: number;
  /** Bytes read at once: of a process with other work, so much keeps it from that. */
  readonly bytesPerRead?: number;
}

/** The commits behind a place, in order, each proven by its hash; a missing one is a problem of the next. */
export async function* readCommits(database: Database, range: LogRange): AsyncGenerator<ReadCommit> {
  const { journal, through = LAST_COMMIT, bytesPerRead = BYTES_PER_READ } = range;
  let end = range.after;
  reading: for (;;) {
    const values = [journal, end.commit, through, bytesPerRead];
    const { rows: commits } = await database.query<Counted>(COMMITS, values);
    const [first] = commits;
    const last = commits.at(-1);
    if (first === undefined || last === undefined) return;
    const to = Number(last.first_entry) + last.entries - 1;
    const { rows } = await database.query<LogRow>(RECORDS, [journal, first.first_entry, to]);
    let next = 0;
    for (const commit of commits) {
      const stop = Number(commit.first_entry) + commit.entries;
      const from = next;
      while (next < rows.length && Number(rows[next]!.entry) < stop) next++;
      const read = proven(commit, rows.slice(from, next), end);
      if (read.problem !== null) {
        // It may have been deleted while those before it were read.
        const deleted = await deletedUpTo(database, journal);
        if (deleted.commit > end.commit) {
          end = deleted;
          continue reading;
        }
      }
      yield read;
      end = endOf(commit);
    }
  }
}

function endOf(row: Counted): LogEnd {
  const frame = Number(row.first_frame) + row.frames - 1;
  return { commit: Number(row.commit), frame, entry: Number(row.first_entry) + row.entries - 1, hash: row.hash };
}

function proven(row: Counted, rows: readonly LogRow[], before: LogEnd): ReadCommit {
  const commit = Number(row.commit);
  const read = { commit, firstFrame: Number(row.first_frame), end: endOf(row), bytes: Number(row.bytes) };
  if (commit !== before.commit + 1) {
    const missing = `commit ${before.commit + 1} is missing`;
    return { ...read, frames: framesOf(rows), problem: missing };
  }
  const start: CommitStart = {
    commit,
    firstFrame: read.firstFrame,
    firstEntry: Number(row.first_entry),
    previousHash: before.hash,
  };
  try {
    const frames = framesOf(rows);
    const isWhole = start.firstFrame === before.frame + 1 && start.firstEntry === before.entry + 1;
    const hash = isWhole && rows.length === row.entries ? hashOf(start, frames) : null;
    if (hash === row.hash) return { ...read, frames, problem: null };
    const what =
      rows.length === row.entries
        ? 'its rows differ from its hash: they, or a commit before, were changed'
        : `${rows.length} of its ${row.entries} records are there`;
    return { ...read, frames, problem: `commit ${commit}: ${what}` };
  } catch {
    return { ...read, frames: [], problem: `commit ${commit}: a record of it makes no sense` };
  }
}

function hashOf(start: CommitStart, frames: readonly LogFrame[]): string {
  const hashed = new HashedFrames(start);
  let entries = 0;
  for (const { number, at, records } of frames) {
    hashed.frame(number, at, records.length);
    for (const record of records) hashed.record(record, at);
    entries += records.length;
  }
  return hashed.end(entries);
}

function framesOf(rows: readonly LogRow[]): LogFrame[] {
  const frames: LogFrame[] = [];
  for (const row of rows) {
    const number = Number(row.frame);
    if (frames.at(-1)?.number !== number) frames.push({ number, at: row.at, records: [] });
    frames.at(-1)!.records.push(recordOf(row));
  }
  return frames;
}

/** @throws if it makes no sense */
function recordOf(row: LogRow): JournalRecord {
  const { kind, subject, detail } = row;
  switch (kind) {
    case 'in':
    case 'out':
      return messageOf(row);
    case 'audit':
      return { kind, who: subject!, action: row.msg_type!, detail: detail! };
    case 'order': {
      const ended = row.ended === null ? {} : { ended: JSON.parse(row.ended) as string[] };
      return { kind, key: subject!, record: detail!, ...ended };
    }
    case 'exchangeInput':
      return { kind, json: detail! };
    case 'nonce':
      return { kind, credential: subject!, nonce: detail! };
    case 'damageFound':
      return { kind };
    case 'numbers':
    case 'state':
    case 'proven':
    case 'damageAccepted':
      return { kind, sessionId: subject, ...JSON.parse(detail!) } as JournalRecord;
    default:
      throw new CrossgateError('XG_JOURNAL_CORRUPT', `a record of kind ${kind} is not known to this version`);
  }
}

export function messageOf(row: LogRow): JournalRecord {
  const raw = row.raw!;
  if (row.series === null) {
    const direction = row.kind === 'in' ? 'in' : 'out';
    return { kind: 'unsequenced', sessionId: row.subject, direction, raw, note: row.detail! };
  }
  const message = {
    sessionId: row.subject!,
    series: Number(row.series),
    msgSeqNum: Number(row.msg_seq_num),
    msgType: row.msg_type!,
    raw,
  };
  return row.kind === 'in'
    ? { kind: 'inbound', ...message, nextTargetMsgSeqNum: Number(row.next_target_msg_seq_num) }
    : { kind: 'outbound', ...message, resendable: row.is_resendable! };
}
