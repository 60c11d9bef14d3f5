// Small texts beside the rows of a journal in PostgreSQL that hold for its next writer without being records. One
// statement writes each and checks the lease's epoch. They are read once, at the start: no other process writes them.

import type { Pool } from 'pg';
import { CrossgateError } from '../../base/errors.ts';
import type { KeptTexts } from '../port.ts';
import { DURABLY } from './pools.ts';

/** Zero rows of `lease`: fenced off. */
const WRITE = `with lease as (
    select ${DURABLY} from crossgate_lease where name = $1 and epoch = $2 and holder = $3 for share
  ), written as (
    insert into crossgate_kept (journal, name, value) select $1, $4, $5 from lease
    on conflict (journal, name) do update set value = excluded.value, written_at = clock_timestamp()
  )
  select count(*)::int as held from lease`;
const READ = 'select name, value from crossgate_kept where journal = $1';
const READ_ONE = 'select value from crossgate_kept where journal = $1 and name = $2';

interface Row {
  readonly name: string;
  readonly value: string;
}

export class PostgresKept implements KeptTexts {
  readonly #pool: Pool;
  readonly #journal: string;
  readonly #lease: { readonly epoch: string; readonly holder: string };
  readonly #texts: Map<string, string>;

  private constructor(pool: Pool, journal: string, lease: { epoch: string; holder: string }, rows: readonly Row[]) {
    this.#pool = pool;
    this.#journal = journal;
    this.#lease = lease;
    this.#texts = new Map(rows.map(({ name, value }) => [name, value]));
  }

  static async open(pool: Pool, journal: string, lease: { epoch: string; holder: string }): Promise<PostgresKept> {
    const { rows } = await pool.query<Row>(READ, [journal]);
    return new PostgresKept(pool, journal, lease, rows);
  }

  read(name: string): string | null {
    return this.#texts.get(name) ?? null;
  }

  async write(name: string, text: string): Promise<void> {
    const { epoch, holder } = this.#lease;
    let held: number;
    try {
      const { rows } = await this.#pool.query<{ held: number }>(WRITE, [this.#journal, epoch, holder, name, text]);
      held = rows[0]!.held;
    } catch (cause) {
      // An answer may be lost behind a text that was written.
      if (!(await this.#isWritten(name, text))) {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new CrossgateError('XG_JOURNAL_WRITE_FAILED', `the database does not take it: ${why}`, { cause });
      }
      held = 1;
    }
    if (held === 0) throw new CrossgateError('XG_JOURNAL_LOCKED', 'another node writes this journal');
    this.#texts.set(name, text);
  }

  async #isWritten(name: string, text: string): Promise<boolean> {
    try {
      const { rows } = await this.#pool.query<Pick<Row, 'value'>>(READ_ONE, [this.#journal, name]);
      return rows[0]?.value === text;
    } catch {
      return false;
    }
  }
}
