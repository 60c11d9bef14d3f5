// Who may log on: compares the Password(554) of a Logon with the session's secret and slows guessing down.
// Knows nothing of sequence numbers: it runs before any of them can change (rule S1).

import { createHash, timingSafeEqual } from 'node:crypto';
import type { EpochMs } from '../base/time.ts';
import type { Authentication } from '../session/mod.ts';
import { type MessageView, SessionStatus, Tag } from '../wire/mod.ts';
import type { EngineSessionConfig } from './config.ts';

const MINUTE_MS = 60_000;
/** Addresses remembered at once; the oldest is forgotten first. */
const ADDRESSES_MAX = 10_000;

/** Compares in constant time, whatever the lengths. */
function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** Check the credentials of a Logon against the session it names. The password's value reaches nobody else. */
export function authenticate(config: EngineSessionConfig, logon: MessageView): Authentication {
  // One sentence for every cause: a guesser learns nothing about which part was wrong.
  const refused: Authentication = {
    kind: 'refused',
    sessionStatus: SessionStatus.InvalidUsernameOrPassword,
    text: 'Invalid user or password: check Username(553) and Password(554)',
  };
  if (config.session.username !== null && logon.string(Tag.Username) !== config.session.username) return refused;
  if (config.password === null) return { kind: 'accepted' };
  const given = logon.string(Tag.Password);
  return given !== null && sameSecret(given, config.password.read()) ? { kind: 'accepted' } : refused;
}

/** Counts failed logons per address; an address with too many is refused for a minute without an answer. */
export class GuessingGuard {
  private readonly failures = new Map<string, { count: number; since: EpochMs }>();
  private readonly perMinute: number;

  constructor(perMinute: number) {
    this.perMinute = perMinute;
  }

  allows(address: string, now: EpochMs): boolean {
    const entry = this.failures.get(address);
    if (entry === undefined) return true;
    if (now - entry.since >= MINUTE_MS) {
      this.failures.delete(address);
      return true;
    }
    return entry.count < this.perMinute;
  }

  failed(address: string, now: EpochMs): void {
    const entry = this.failures.get(address);
    if (entry !== undefined && now - entry.since < MINUTE_MS) {
      entry.count++;
      // From the last failure on, so that a steady guesser stays out.
      if (entry.count >= this.perMinute) entry.since = now;
      return;
    }
    if (this.failures.size >= ADDRESSES_MAX) {
      const oldest = this.failures.keys().next().value;
      if (oldest !== undefined) this.failures.delete(oldest);
    }
    this.failures.set(address, { count: 1, since: now });
  }
}
