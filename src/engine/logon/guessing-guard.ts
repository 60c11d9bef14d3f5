// Blocks password guessing: counts failed logons per address, and refuses an address with too many for a minute. One
// address may stand for a whole firm, and one misconfigured engine must not lock out its neighbours. So a session that
// has logged on from there is counted alone. A session without failures there within the minute has one try, also after
// a start, unless unknown session names were tried from there: those search for existing sessions. No session can be
// guessed more often than if all were counted together.

import { RecentMap } from '../../base/collections/recent-map.ts';
import { originOf } from '../../base/places/origin.ts';
import type { EpochMs } from '../../base/time.ts';
import type { SessionID } from '../../session/mod.ts';

const MINUTE_MS = 60_000;
/** Addresses, and sessions that logged on from one, remembered at once; the oldest is forgotten first. */
const REMEMBERED_MAX = 10_000;

interface Failures {
  count: number;
  since: EpochMs;
  /** Sessions that the Logons named. */
  readonly of: Set<string>;
  /** Number of them without a known session. */
  strangers: number;
}

export class GuessingGuard {
  readonly #failures = new Map<string, Failures>();
  /** Sessions that proved themselves, with the address from which they did. */
  readonly #proved = new RecentMap<string, true>(REMEMBERED_MAX);
  readonly #perMinute: number;

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** @param sessionId the session of the Logon; null: unknown */
  allows(address: string, now: EpochMs, sessionId: SessionID | null = null, name = sessionId ?? ''): boolean {
    const guesser = this.#guesser(address, sessionId);
    const entry = this.#failures.get(guesser);
    if (entry === undefined) return true;
    if (isOver(entry.since, now)) {
      this.#failures.delete(guesser);
      return true;
    }
    if (entry.count < this.#perMinute) return true;
    // A name without a session has a try as one with a session: else the answer would tell them apart.
    return name !== '' && !entry.of.has(name) && entry.strangers < this.#perMinute;
  }

  failed(address: string, now: EpochMs, sessionId: SessionID | null = null, name = sessionId ?? ''): void {
    const guesser = this.#guesser(address, sessionId);
    let entry = this.#failures.get(guesser);
    if (entry === undefined || isOver(entry.since, now)) {
      if (this.#failures.size >= REMEMBERED_MAX) {
        const oldest = this.#failures.keys().next().value;
        if (oldest !== undefined) this.#failures.delete(oldest);
      }
      entry = { count: 0, since: now, of: new Set(), strangers: 0 };
      this.#failures.set(guesser, entry);
    }
    entry.count++;
    if (sessionId === null) entry.strangers++;
    if (name !== '') entry.of.add(name);
    // From the last failure on, so that a steady guesser stays out.
    if (entry.count >= this.#perMinute) entry.since = now;
  }

  /** A session has proved itself from that address. */
  proved(address: string, sessionId: SessionID): void {
    this.#proved.set(pair(address, sessionId), true);
  }

  /** The party that a Logon counts for. */
  #guesser(address: string, sessionId: SessionID | null): string {
    const own = sessionId === null ? null : pair(address, sessionId);
    return own !== null && this.#proved.has(own) ? own : originOf(address);
  }
}

const pair = (address: string, sessionId: SessionID): string => `${originOf(address)} ${sessionId}`;

/** Whether a minute is over; a clock that was set back makes none longer. */
function isOver(since: EpochMs, now: EpochMs): boolean {
  return now - since >= MINUTE_MS || now < since;
}
