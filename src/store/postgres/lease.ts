// The right to write a journal in PostgreSQL: a row with a holder, an end and an epoch. A new holder raises the epoch,
// so that the database refuses a write of the previous holder, however late. A holder that cannot renew gives up by its
// own clock before another may take over.

import type { ClientBase, Pool } from 'pg';
import { CrossgateError } from '../../base/errors.ts';
import { reasonOf } from './pools.ts';

export interface LeaseOptions {
  readonly pool: Pool;
  readonly name: string;
  /** For people, and to know one's own row: host, process, and something random. */
  readonly holder: string;
  readonly leaseMs: number;
  /** Other than in tests, `SILENCE_MS`. */
  readonly silenceMs?: number;
  /** Aborted: the end of another one's lease is waited for no more. */
  readonly stopped?: AbortSignal;
  /** Said when renewing fails, and when it works again. */
  readonly onHealth: (healthy: boolean, reason: string) => void;
  /** Said once: the right to write is gone, or will be before it can be renewed. */
  readonly onLost: (reason: string) => void;
  readonly log: (level: 'info' | 'warn', text: string) => void;
}

/** Another node has the journal, and nothing was changed. */
export class JournalHeld extends CrossgateError {
  constructor(name: string, holder: string) {
    const remedy = 'stop it first, or give this one another journal name';
    super('XG_JOURNAL_LOCKED', `the journal ${name} is written by ${holder}, which renews its lease; ${remedy}`);
  }
}

/** The database did not give it: it is away, takes no writes, or waits for a standby of its own. */
export class JournalNotGiven extends CrossgateError {
  constructor({ code, message, cause }: CrossgateError) {
    super(code, message, { cause });
  }
}

interface LeaseRow {
  readonly epoch: string;
  readonly holder: string;
  /** When it ends, as the database writes it: in seconds, which no DateStyle makes ambiguous. */
  readonly ends: string;
  /** Milliseconds until then; negative if it has. By the database's clock. */
  readonly left: number;
}

const LOOK = `select epoch, holder, extract(epoch from expires_at)::text as ends,
  extract(epoch from expires_at - clock_timestamp())::float8 * 1000 as left from crossgate_lease where name = $1`;
const TAKE = `insert into crossgate_lease (name, epoch, holder, expires_at)
  values ($1, 1, $2, clock_timestamp() + $3 * interval '1 millisecond')
  on conflict (name) do update set epoch = crossgate_lease.epoch + 1, holder = excluded.holder, expires_at = excluded.expires_at
  where crossgate_lease.expires_at <= clock_timestamp()
  returning epoch`;
/** Of a holder that has not renewed what was seen of it. */
const TAKE_SILENT = `update crossgate_lease
  set epoch = epoch + 1, holder = $2, expires_at = clock_timestamp() + $3 * interval '1 millisecond'
  where name = $1 and epoch = $4 and extract(epoch from expires_at)::text = $5 returning epoch`;
/**
 * The holder too: a database that failed over without its last transactions gives the same epoch to another node. One that was
 * released stays so: a renewal that was under way meanwhile, on another connection, may come after that.
 */
const RENEW = `update crossgate_lease set expires_at = clock_timestamp() + $4 * interval '1 millisecond'
  where name = $1 and epoch = $2 and holder = $3 and expires_at > 'epoch' returning epoch`;
/** The channel on which a node says that it released a lease: standby nodes listen (standby.ts). */
export const LEASE_CHANNEL = 'crossgate_lease';
const RELEASE = `with released as (
    update crossgate_lease set expires_at = 'epoch' where name = $1 and epoch = $2 and holder = $3 returning name
  ) select pg_notify('${LEASE_CHANNEL}', name) from released`;

/** A node that has the right to write a journal, as it is asked for within a transaction. */
export interface WriterOf {
  readonly journal: string;
  readonly epoch: string;
  readonly holder: string;
}

/** Whether a node has that right still. Asked last: while the row is locked, the lease cannot be renewed. */
const HOLD = 'select 1 from crossgate_lease where name = $1 and epoch = $2 and holder = $3 for share';

/** Commit, if the journal is still this node's to write. */
export async function commitHeld(client: ClientBase, { journal, epoch, holder }: WriterOf): Promise<boolean> {
  const isHeld = (await client.query(HOLD, [journal, epoch, holder])).rowCount === 1;
  await client.query(isHeld ? 'commit' : 'rollback');
  return isHeld;
}

/** Parts of the lease after which it is renewed, and after which a holder that could not gives up. */
const RENEW_AFTER = 1 / 3;
/** Longest time between two renewals: they also tell whether the database is there while nothing is written. */
export const RENEW_AFTER_MS_MAX = 10_000;
const GIVE_UP_AFTER = 3 / 4;
/**
 * A lease without renewal for this long, or for a whole lease if that is longer, has no holder, whatever its end. The
 * database's clock went back, as after a fail-over to a slower clock.
 */
const SILENCE_MS = 3 * RENEW_AFTER_MS_MAX;
const LOOK_AGAIN_MS = 250;

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export class Lease {
  readonly epoch: string;
  readonly holder: string;
  readonly #options: LeaseOptions;
  #timer: NodeJS.Timeout | null = null;
  #giveUpTimer: NodeJS.Timeout | null = null;
  #ended = false;
  #renewing = false;
  #renewedAt = 0;

  private constructor(options: LeaseOptions, epoch: string, askedAt: number) {
    this.#options = options;
    this.epoch = epoch;
    this.holder = options.holder;
    this.#renewed(askedAt);
  }

  /**
   * Take the lease. A held lease is awaited until it ends: a killed holder does not renew it.
   * @throws JournalHeld as soon as its holder renews it; CrossgateError if stopped meanwhile
   */
  static async take(options: LeaseOptions): Promise<Lease> {
    const { pool, name, holder, leaseMs, silenceMs = SILENCE_MS, stopped, log } = options;
    let seen: LeaseRow | null = null;
    const begun = performance.now();
    for (;;) {
      const askedAt = performance.now();
      const taken = await pool.query<{ epoch: string }>(TAKE, [name, holder, leaseMs]);
      if (taken.rows[0] !== undefined) return new Lease(options, taken.rows[0].epoch, askedAt);
      const { rows } = await pool.query<LeaseRow>(LOOK, [name]);
      const held = rows[0];
      if (held === undefined) continue;
      if (seen === null) {
        log(
          'warn',
          `the lease of ${name} is held by ${held.holder} for ${Math.ceil(held.left / 1000)} s; waiting for its end`,
        );
      } else if (held.epoch !== seen.epoch || held.ends !== seen.ends) {
        throw new JournalHeld(name, held.holder);
      }
      seen = held;
      if (stopped?.aborted === true)
        throw new CrossgateError('XG_JOURNAL_LOCKED', `the journal ${name} was not waited for any more`);
      if (performance.now() - begun > Math.max(silenceMs, leaseMs)) {
        const values = [name, holder, leaseMs, held.epoch, held.ends];
        const inherited = await pool.query<{ epoch: string }>(TAKE_SILENT, values);
        if (inherited.rows[0] === undefined) continue;
        log('warn', `the lease of ${name} was not renewed by ${held.holder} for a whole lease: it is taken over`);
        return new Lease(options, inherited.rows[0].epoch, askedAt);
      }
      await wait(Math.max(1, Math.min(LOOK_AGAIN_MS, held.left)));
    }
  }

  /** Renewed by a request that was sent then: the time until its answer came does not count for us. */
  #renewed(askedAt: number): void {
    if (this.#ended) return;
    const { leaseMs } = this.#options;
    const passed = performance.now() - askedAt;
    this.#renewedAt = askedAt;
    if (this.#giveUpTimer !== null) clearTimeout(this.#giveUpTimer);
    this.#giveUpTimer = setTimeout(() => this.#giveUp(), Math.max(0, leaseMs * GIVE_UP_AFTER - passed));
    this.#again(Math.min(leaseMs * RENEW_AFTER, RENEW_AFTER_MS_MAX) - passed);
  }

  /** Renew now: something speaks for it that the database has gone. */
  look(): void {
    if (this.#ended || this.#renewing) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    void this.#renew();
  }

  #again(ms: number): void {
    this.#timer = setTimeout(() => void this.#renew(), Math.max(0, ms));
  }

  async #renew(): Promise<void> {
    const { pool, name, holder, leaseMs, onHealth } = this.#options;
    const askedAt = performance.now();
    this.#renewing = true;
    try {
      const { rows } = await pool.query(RENEW, [name, this.epoch, holder, leaseMs]);
      if (this.#ended) return;
      if (rows.length === 0) {
        this.lose('another node has taken the lease');
        return;
      }
      onHealth(true, 'the lease is renewed again');
      this.#renewed(askedAt);
    } catch (error) {
      if (this.#ended) return;
      onHealth(false, `the lease cannot be renewed: ${reasonOf(error)}`);
      this.#again(LOOK_AGAIN_MS);
    } finally {
      this.#renewing = false;
    }
  }

  #giveUp(): void {
    this.lose(`the lease could not be renewed for ${Math.round(this.#options.leaseMs * GIVE_UP_AFTER)} ms`);
  }

  /**
   * Whether it is over. Looks at the time: in a process that stood still what it was waiting for comes before the timer that
   * ends the lease, and must find it ended.
   */
  get isOver(): boolean {
    const { leaseMs } = this.#options;
    if (!this.#ended && performance.now() - this.#renewedAt > leaseMs * GIVE_UP_AFTER) this.#giveUp();
    return this.#ended;
  }

  /** Release it; reported once by the first that notices. */
  lose(reason: string): void {
    if (this.#ended) return;
    this.stop();
    this.#options.onLost(reason);
  }

  /** Renew no more; the row stays until its end. */
  stop(): void {
    this.#ended = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#giveUpTimer !== null) clearTimeout(this.#giveUpTimer);
  }

  /** Let the next node in at once. */
  async release(): Promise<void> {
    if (this.#ended) return;
    this.stop();
    const { pool, name, holder } = this.#options;
    await pool.query(RELEASE, [name, this.epoch, holder]);
  }
}
