// A node that stands by: looks at the lease of a journal in PostgreSQL until the journal may be had. It looks when the lease ends,
// every second, and as soon as the database notifies it that the writer released the lease (not behind a pooler). It takes nothing and locks no row, so that the node that writes does not feel it. Leaves taking the lease to lease.ts, where
// another node may still be the first.

import type { Client } from 'pg';
import { LEASE_CHANNEL, RENEW_AFTER_MS_MAX } from './lease.ts';
import { endClient, mustBeAddress, reasonOf, unreadable } from './pools.ts';
import { mustBeKnown, VERSION } from './schema.ts';

export interface StandbyPlace {
  /** The database was seen before: that it cannot be looked at now is no reason to end. */
  readonly isKnown: boolean;
  /**
   * `postgresql://user:password@host:port/database`: a secret, never shown. Asked for with each connection: a node may stand by
   * for longer than a password lasts. @throws CrossgateError XG_SECRET_MISSING
   */
  readonly url: () => string;
  readonly journal: string;
  readonly requestTimeoutMs: number;
}

/** Observations of the journal meanwhile. */
export interface StandbyListener {
  /** Its writer; reported again when it changes. */
  readonly onWriter: (writer: string) => void;
  /** Why nothing can be seen of it; null when it can be again. */
  readonly onTrouble: (reason: string | null) => void;
}

/** Result of a look; null if a journal of that name was never written. */
export interface LeaseSeen {
  readonly holder: string;
  /** When the lease ends, as the database writes it: another one after each renewal. */
  readonly ends: string;
  /** Milliseconds until then, by the database's clock. */
  readonly left: number;
}

interface Seen {
  readonly is_replica: boolean;
  readonly version: number;
  readonly oldest_program: number | null;
  readonly holder: string | null;
  readonly ends: string;
  readonly left: number;
}

const LOOK = `select pg_is_in_recovery() as is_replica, version, oldest_program, holder, expires_at::text as ends, extract(epoch from expires_at - clock_timestamp())::float8 * 1000 as left
  from (${VERSION}) as newest left join crossgate_lease on name = $1`;
/** SQLSTATE of a table that is not there. */
const UNDEFINED_TABLE = '42P01';
const LOOK_MS = 1_000;
/** A holder that lives renews in this time, with what a slow database takes for it. */
const RENEWAL_MS = RENEW_AFTER_MS_MAX + 5_000;

/**
 * Wait until the journal may be had: its lease has ended, or was not renewed in time. Resolves as well when `stopped`.
 * @throws CrossgateError XG_JOURNAL_UNREADABLE if the very first look fails; XG_CONFIG_INVALID if a later program has used the database
 */
export async function standBy(place: StandbyPlace, listener: StandbyListener, stopped: AbortSignal): Promise<void> {
  const watch = new LeaseWatch(place);
  try {
    const onRelease = (look: () => void): void => watch.onRelease(look);
    await untilItMayBeHad(() => watch.look(), listener, stopped, { isKnown: place.isKnown, onRelease });
  } catch (error) {
    throw unreadable(`${place.journal} in PostgreSQL`, error);
  } finally {
    await watch.close();
  }
}

/** `onRelease`: call what it is given when the writer released the lease, which is looked at then. */
interface StandbyTimes {
  readonly isKnown?: boolean;
  readonly lookMs?: number;
  readonly renewalMs?: number;
  readonly onRelease?: (look: () => void) => void;
}

/** As `standBy`, over whatever looks. @throws what the first look throws, and whatever is final (`isFinal`) */
export async function untilItMayBeHad(
  look: () => Promise<LeaseSeen | null>,
  { onWriter, onTrouble }: StandbyListener,
  stopped: AbortSignal,
  { isKnown = false, lookMs = LOOK_MS, renewalMs = RENEWAL_MS, onRelease }: StandbyTimes = {},
): Promise<void> {
  let writer: string | null = null;
  let ends = '';
  let renewedAt = 0;
  let isBlind = false;
  let left = lookMs;
  let wake = new AbortController();
  onRelease?.(() => wake.abort());
  // A look that is not answered is not waited for.
  const over = new Promise<null>((resolve) => stopped.addEventListener('abort', () => resolve(null), { once: true }));
  for (let isFirst = true; !stopped.aborted; isFirst = false) {
    try {
      const seen = await Promise.race([look(), over]);
      if (stopped.aborted) return;
      if (isBlind) onTrouble(null);
      // For a time without observation, the holder may have renewed unseen.
      if (isBlind || seen?.ends !== ends) renewedAt = performance.now();
      isBlind = false;
      if (seen === null || seen.left <= 0 || performance.now() - renewedAt > renewalMs) return;
      ends = seen.ends;
      left = seen.left;
      if (seen.holder !== writer) onWriter(seen.holder);
      writer = seen.holder;
    } catch (error) {
      if ((isFirst && !isKnown) || isFinal(error)) throw error;
      if (!isBlind) onTrouble(reasonOf(error));
      isBlind = true;
    }
    await pause(Math.min(lookMs, Math.max(1, left)), AbortSignal.any([stopped, wake.signal]));
    if (wake.signal.aborted) wake = new AbortController();
    left = lookMs;
  }
}

/** Whether waiting changes nothing: another program has to be started. */
function isFinal(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'XG_CONFIG_INVALID';
}

function pause(ms: number, stopped: AbortSignal): Promise<void> {
  if (stopped.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      stopped.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    stopped.addEventListener('abort', end);
  });
}

/** One connection, made anew when it broke. */
class LeaseWatch {
  readonly #place: StandbyPlace;
  #client: Client | null = null;
  #released: () => void = () => {};

  constructor(place: StandbyPlace) {
    this.#place = place;
  }

  onRelease(look: () => void): void {
    this.#released = look;
  }

  async look(): Promise<LeaseSeen | null> {
    this.#client ??= await this.#connect();
    const client = this.#client;
    let seen: Seen;
    try {
      const [row] = (await client.query<Seen>(LOOK, [this.#place.journal])).rows;
      // The schema is being made.
      if (row === undefined) return null;
      seen = row;
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === UNDEFINED_TABLE) return null;
      this.#client = null;
      await endClient(client);
      throw error;
    }
    if (seen.is_replica) {
      // Asked by another connection the next time: the address may lead elsewhere then.
      await this.close();
      throw new Error('this server is a standby, which takes no writes');
    }
    mustBeKnown(seen.version, seen.oldest_program);
    const { holder, ends, left } = seen;
    return holder === null ? null : { holder, ends, left };
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    if (client !== null) await endClient(client);
  }

  async #connect(): Promise<Client> {
    const { requestTimeoutMs } = this.#place;
    const url = this.#place.url();
    // Read where there is such a journal only: every command comes through this room's door.
    const pg = await import('pg');
    mustBeAddress(url);
    const client = new pg.Client({
      connectionString: url,
      application_name: 'crossgate standby',
      connectionTimeoutMillis: requestTimeoutMs,
      query_timeout: requestTimeoutMs,
    });
    // A broken connection fails its query, which is reported.
    client.on('error', () => {});
    client.on('notification', ({ payload }) => {
      if (payload === this.#place.journal) this.#released();
    });
    try {
      await client.connect();
      await client.query(`listen ${LEASE_CHANNEL}`);
    } catch (error) {
      await endClient(client);
      throw error;
    }
    return client;
  }
}
