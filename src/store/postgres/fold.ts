// Brings the tables that follow from the log up to date: orders, keys of those that ended, executions, sessions, nonces. A commit
// writes the log only; this runs behind it, beside the traffic, a few times a second, on a connection of its own. It takes many
// records of an order or a session as one. crossgate_folded says how far it came: a start reads the log behind that.

import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import type { Batch } from './batch.ts';
import { arrayOf, timestamp } from './commit.ts';
import { commitHeld, type WriterOf } from './lease.ts';
import type { LiveRows, LiveState } from './live-state.ts';
import type { LogEnd } from './log-reader.ts';
import { lostTables } from './lost-commits.ts';
import { INSERT_IDS, IS_REPORT, indexed, REPORT_BYTES_MAX } from './message-ids.ts';
import { BEGIN, type Pools, withClient } from './pools.ts';

/** Records that one statement takes. */
const ENTRIES_PER_STATEMENT = 10_000;
/** Tables follow the log after this time. */
const EVERY_MS = 250;
const AGAIN_MS = 1_000;
const REACH_ROUNDS = 50;

/** Column → tag of an ExecutionReport(8). */
const TEXTS = {
  exec_id: 17,
  order_id: 37,
  cl_ord_id: 11,
  exec_type: 150,
  ord_status: 39,
  account: 1,
  symbol: 55,
  side: 54,
};
const NUMBERS = { last_qty: 32, last_px: 31, leaves_qty: 151, cum_qty: 14, avg_px: 6 };
/** The first field of a tag counts; empty if there is none. */
const FIELDS = Object.entries({ ...TEXTS, ...NUMBERS }).map(
  ([column, tag]) => `split_part(split_part(fix, chr(1) || '${tag}=', 2), chr(1), 1) as ${column}`,
);
const VALUES = [
  ...Object.keys(TEXTS).map((column) => {
    const text = `nullif(${column}, '')`;
    // A counterparty may send an id of any length, and gets it back.
    return column.endsWith('_id') ? indexed(text) : text;
  }),
  // No number is trusted: the bytes are those that were sent.
  ...Object.keys(NUMBERS).map(
    (column) => `case when ${column} ~ '^-?\\d{1,40}(\\.\\d{1,40})?$' then ${column}::numeric end`,
  ),
];
const COLUMNS = [...Object.keys(TEXTS), ...Object.keys(NUMBERS)].join(', ');

const SESSION = {
  ...{ session: 'text', series: 'bigint', sender: 'bigint', target: 'bigint', proven: 'bigint' },
  ...{ logged_on: 'boolean', counted_at: 'float8', state: 'text' },
};
const NONCE = { credential: 'text', nonce: 'text' };
const FIRST_ARRAY = 7;
const arrays = (columns: object, first: number): string =>
  `unnest(${Object.values(columns).map((type, k) => `$${first + k}::${type}[]`)}) as rows (${Object.keys(columns)})`;

/**
 * $2 and $3: the records behind the first, up to the second. $4: whether all is folded then, up to commit $5, from behind $6. An
 * ExecutionReport is read as far as its columns may be; `offset 0` has each field computed once.
 */
const FOLD = `with folded as (
    insert into crossgate_folded select $1, $5::bigint, $6::bigint, $5 where $4::boolean
    on conflict (journal) do update set commit = excluded.commit, ids_through = excluded.commit,
      ids_after = case when crossgate_folded.ids_through = excluded.ids_after then crossgate_folded.ids_after else excluded.ids_after end
  ), ids as (
    ${INSERT_IDS}
  ), orders as (
    insert into crossgate_order select $1, subject, first, entry, at, ended is not null, detail from (
      select distinct on (subject) subject, min(entry) over (partition by subject) as first, entry, at, ended, detail
      from crossgate_event where journal = $1 and entry > $2 and entry <= $3 and kind = 'order' order by subject, entry desc
    ) as newest
    on conflict (journal, key) do update
    set entry = excluded.entry, at = excluded.at, is_ended = excluded.is_ended, record = excluded.record
    where crossgate_order.entry <= excluded.entry
  ), keys as (
    insert into crossgate_order_key
    select distinct on (id) $1, id, subject from crossgate_event, jsonb_array_elements_text(ended) as id
    where journal = $1 and entry > $2 and entry <= $3 and ended is not null order by id, entry desc
    on conflict (journal, id) do update set key = excluded.key
  ), execution as (
    insert into crossgate_execution (journal, entry, at, session, ${COLUMNS})
    select $1, entry, at, session, ${VALUES.join(', ')} from (
      select entry, at, session, ${FIELDS.join(', ')} from (
        select entry, at, session, chr(1) || encode(substring(raw from 1 for ${REPORT_BYTES_MAX}), 'escape') as fix
        from crossgate_message where journal = $1 and entry > $2 and entry <= $3 and ${IS_REPORT} offset 0
      ) as report offset 0
    ) as fields
    on conflict (journal, entry) do nothing
  ), session as (
    insert into crossgate_session
    select $1, session, $5, series, sender, target, proven, logged_on, ${timestamp('counted_at')}, state
    from ${arrays(SESSION, FIRST_ARRAY)}
    on conflict (journal, session) do update set commit = excluded.commit, series = excluded.series,
      next_sender_msg_seq_num = excluded.next_sender_msg_seq_num, next_target_msg_seq_num = excluded.next_target_msg_seq_num,
      proven_msg_seq_num = excluded.proven_msg_seq_num, is_logged_on = excluded.is_logged_on, counted_at = excluded.counted_at,
      state = excluded.state
  )
  insert into crossgate_nonce select $1, credential, nonce from ${arrays(NONCE, FIRST_ARRAY + Object.keys(SESSION).length)}
  on conflict (journal, credential) do update set nonce = excluded.nonce`;
/** This process goes on behind it: of tables that a crash of the database took, the next start would lack the orders. */
const BEGIN_DURABLY = `${BEGIN}; set local synchronous_commit = on`;
const HOW_FAR = 'select commit::float8 as commit from crossgate_folded where journal = $1';
const NOTHING: LiveRows = { session: [], nonce: [] };

/** Records behind one end of the log, up to another, with what sessions and nonces amount to there. */
export interface Folded {
  readonly from: LogEnd;
  readonly to: LogEnd;
  readonly live: LiveRows;
  /** How far this process has brought the tables before; absent: not yet. */
  readonly confirmed?: number | undefined;
}

/** Tables that were confirmed are gone, as at a standby that was behind. */
export class TablesLost extends Error {
  constructor(commit: number) {
    super(lostTables(commit));
  }
}

async function mustHave(client: ClientBase, journal: string, commit: number): Promise<void> {
  const { rows } = await client.query<{ commit: number }>(HOW_FAR, [journal]);
  if ((rows[0]?.commit ?? 0) < commit) throw new TablesLost(commit);
}

/** Bring the tables up to date; false if this node may not. @throws TablesLost, and the database's error */
export async function foldLog(
  { folding, isDirect }: Pools,
  writer: WriterOf,
  { from, to, live, confirmed }: Folded,
): Promise<boolean> {
  for (let entry = from.entry, isLast = false; !isLast; entry += ENTRIES_PER_STATEMENT) {
    isLast = entry + ENTRIES_PER_STATEMENT >= to.entry;
    const until = isLast ? to.entry : entry + ENTRIES_PER_STATEMENT;
    const { session, nonce } = isLast ? live : NOTHING;
    const values: unknown[] = [writer.journal, entry, until, isLast, to.commit, from.commit];
    for (const k of Object.keys(SESSION).keys()) values.push(arrayOf(session, k));
    for (const k of Object.keys(NONCE).keys()) values.push(arrayOf(nonce, k));
    const query = { ...(isDirect ? { name: 'crossgate-fold' } : {}), text: FOLD, values };
    const isHeld = await withClient(folding, true, async (client) => {
      await client.query(BEGIN_DURABLY);
      try {
        if (confirmed !== undefined) await mustHave(client, writer.journal, confirmed);
        await client.query(query);
        return await commitHeld(client, writer);
      } catch (error) {
        await client.query('rollback').catch(() => {});
        throw error;
      }
    });
    if (!isHeld) return false;
  }
  return true;
}

export interface FolderOptions {
  readonly live: LiveState;
  /** How far the tables are. */
  readonly from: LogEnd;
  /** How far the database has the log. */
  readonly confirmed: () => LogEnd;
  /** Batches that the database has not are in `live`. */
  readonly isAhead: () => boolean;
  /** False if this node may write no more. */
  readonly write: (folded: Folded) => Promise<boolean>;
  readonly onFolded: (commit: number) => void;
  /** Commits are written, and the tables do not follow; null: they do again. */
  readonly onTrouble: (reason: unknown) => void;
}

/** When the tables follow. Sessions and nonces are taken where they are those of the end of a commit. */
export class Folder {
  readonly #options: FolderOptions;
  #folded: LogEnd;
  /** The last commit that this process has folded itself. */
  #confirmed: number | undefined;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  /** The next batch that is sealed takes them along, or one on its way has. */
  #place: 'next batch' | 'batch' | null = null;
  #failure: unknown = null;
  #closed = false;

  constructor(options: FolderOptions) {
    this.#options = options;
    this.#folded = options.from;
  }

  /** Records that the tables lack. */
  get behind(): number {
    return this.#options.confirmed().entry - this.#folded.entry;
  }

  /** A batch gets no more frames. */
  seal(batch: Batch): void {
    if (this.#place !== 'next batch') return;
    this.#place = 'batch';
    batch.live = this.#options.live.changed();
  }

  /** The database has it. */
  confirmed(batch: Batch): void {
    if (this.#failure !== null) this.#options.onTrouble(this.#failure);
    if (batch.live !== null) this.#take(batch.end, batch.live);
    else if (this.#place === 'next batch' && !this.#options.isAhead()) this.#look();
    else this.#later(EVERY_MS);
  }

  #later(ms: number): void {
    if (this.#closed || this.#timer !== null || this.#running !== null || this.#place !== null) return;
    this.#timer = setTimeout(() => this.#look(), ms);
    this.#timer.unref();
  }

  #look(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const { isAhead, confirmed, live } = this.#options;
    if (isAhead()) this.#place = 'next batch';
    else this.#take(confirmed(), live.changed());
  }

  #take(to: LogEnd, rows: LiveRows): void {
    this.#place = null;
    const { live, write, onFolded, onTrouble } = this.#options;
    this.#running = write({ from: this.#folded, to, live: rows, confirmed: this.#confirmed })
      .then((isHeld) => {
        if (!isHeld) return;
        this.#folded = to;
        this.#confirmed = to.commit;
        if (this.#failure !== null) onTrouble(null);
        this.#failure = null;
        onFolded(to.commit);
      })
      .catch((error: unknown) => {
        this.#failure = error;
        live.touchAll();
      })
      .finally(() => {
        this.#running = null;
        if (this.behind > 0) this.#later(this.#failure === null ? EVERY_MS : AGAIN_MS);
      });
  }

  /** Resolves when the tables are as the log is; also when they cannot be, or when more is under way. */
  async idle(): Promise<void> {
    // The one under way may have begun before the last commit.
    for (let round = 0; round < 2; round++) {
      await this.#running;
      if (this.#running !== null) continue;
      if (this.behind === 0 || this.#options.isAhead() || this.#closed) return;
      this.#look();
    }
    await this.#running;
  }

  /** Resolves when the tables have that commit. @throws Error if they do not follow */
  async reach(commit: number): Promise<void> {
    for (let round = 0; round < REACH_ROUNDS && this.#folded.commit < commit; round++) {
      await this.idle();
      if (this.#folded.commit < commit) await pause(EVERY_MS);
    }
    if (this.#folded.commit < commit) throw new Error(`the tables do not follow the log to commit ${commit}`);
  }

  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
