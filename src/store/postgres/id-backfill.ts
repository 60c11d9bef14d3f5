// Brings the ids of older messages into crossgate_message_id: those of a time before the table, and those that a program of a version
// before wrote. Beside the traffic, the latest commits first, piece by piece. A search reads what it has not come to from the log.

import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { commitHeld, type WriterOf } from './lease.ts';
import { coverageOf, INSERT_IDS } from './message-ids.ts';
import { BEGIN, type Pools, withClient } from './pools.ts';

const COMMITS_PER_PIECE = 500;
const ENTRIES_PER_PIECE = 5_000;
/** Between two pieces: the disk of the database is for orders first. */
const PAUSE_MS = 200;
const AGAIN_MS = 60_000;

/** The table covers what is folded from now on. A fold at the same time waits for this row, and goes on from it. */
const START = `update crossgate_folded set ids_after = commit, ids_through = commit
  where journal = $1 and ids_through is distinct from commit`;
const PIECE = `select min(commit) - 1 as after, min(first_entry) - 1 as first, max(first_entry + entries) - 1 as last from (
    select commit, first_entry, entries, sum(entries) over (order by commit desc) - entries as later from (
      select commit, first_entry, entries from crossgate_commit where journal = $1 and commit <= $2 and deleted_at is null
      order by commit desc limit ${COMMITS_PER_PIECE}
    ) as latest
  ) as counted where later < ${ENTRIES_PER_PIECE}`;
type Piece = Record<'after' | 'first' | 'last', string | null>;
/** How far it came is asked of the database each time: what a crash of that takes is noted again. */
const NOT_DURABLY = 'set local synchronous_commit = off';
const COVER = 'update crossgate_folded set ids_after = $3 where journal = $1 and ids_after = $2';

export interface IdBackfillOptions {
  readonly pools: Pools;
  readonly writer: WriterOf;
}

export class IdBackfill {
  readonly #options: IdBackfillOptions;
  #running: Promise<void> | null = null;
  #again: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: IdBackfillOptions) {
    this.#options = options;
  }

  /** There may be messages without ids. */
  look(): void {
    if (this.#closed || this.#running !== null) return;
    this.#running = this.#bringAll()
      .catch(() => {
        // Records, lease and tables report a database that is away.
        if (!this.#closed) this.#again = setTimeout(() => this.look(), AGAIN_MS).unref();
      })
      .finally(() => {
        this.#running = null;
      });
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** End it between two pieces. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#again !== null) clearTimeout(this.#again);
    await this.idle();
  }

  async #bringAll(): Promise<void> {
    const { reading } = this.#options.pools;
    for (let isFirst = true; !this.#closed; isFirst = false) {
      if (!isFirst) await pause(PAUSE_MS);
      // A resend may want the connection between two pieces.
      const isDone = await withClient(reading, true, (client) => this.#bringPiece(client, isFirst));
      if (isDone) return;
    }
  }

  /** True if there is none, or this node may write no more. */
  async #bringPiece(client: ClientBase, isFirst: boolean): Promise<boolean> {
    const { writer } = this.#options;
    const { journal } = writer;
    await client.query(`${BEGIN}; ${NOT_DURABLY}`);
    try {
      if (isFirst) await client.query(START, [journal]);
      const after = (await coverageOf(client, journal))?.after ?? 0;
      const [piece] = (await client.query<Piece>(PIECE, [journal, after])).rows;
      if (piece === undefined || piece.after === null) {
        await commitHeld(client, writer);
        return true;
      }
      await client.query(INSERT_IDS, [journal, piece.first, piece.last]);
      await client.query(COVER, [journal, after, piece.after]);
      return !(await commitHeld(client, writer));
    } catch (error) {
      await client.query('rollback').catch(() => {});
      throw error;
    }
  }
}
