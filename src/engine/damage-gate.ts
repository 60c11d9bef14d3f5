// Keeps out the sessions whose records may be in a damaged place of the journal, until an operator lets them go on: never
// silently, and the others trade. Leaves to the store which sessions a place concerns, and to logon-gate.ts what is asked of
// the exchange first.

import type { SessionID } from '../session/mod.ts';
import { type DamagedPlace, type JournalDamage, type JournalRecord, placeInWords } from '../store/mod.ts';

export class DamageGate {
  private readonly damage: JournalDamage | null;
  /** Accepted since this process began. */
  private readonly accepted = new Set<SessionID>();
  private acceptedForAll = false;

  constructor(damage: JournalDamage | undefined) {
    this.damage = damage ?? null;
  }

  /** Whether anything is damaged that not every session was let go on after. */
  get isShut(): boolean {
    return this.places.length > 0;
  }

  /** Damaged places, the oldest first. */
  get places(): readonly DamagedPlace[] {
    return this.acceptedForAll ? [] : (this.damage?.places ?? []);
  }

  /** More than anything that can have been recorded in what is lost. */
  get lostBytes(): number {
    return this.damage?.lostBytes ?? 0;
  }

  /** The place that may hold records of a session; null if it may go on. */
  concerning(sessionId: SessionID): DamagedPlace | null {
    if (this.acceptedForAll || this.accepted.has(sessionId)) return null;
    return this.damage?.concerning(sessionId) ?? null;
  }

  /** Let a session, or with null all, go on; returns what must be recorded. */
  accept(sessionId: SessionID | null, who: string, why: string): JournalRecord {
    if (sessionId === null) this.acceptedForAll = true;
    else this.accepted.add(sessionId);
    return { kind: 'damageAccepted', sessionId, who, why };
  }

  /** Each place with the sessions that it keeps out, for operators. */
  inWords(sessions: Iterable<SessionID>): string[] {
    const known = [...sessions];
    return this.places.flatMap((place) => {
      const held = known.filter((sessionId) => this.concerning(sessionId) === place);
      if (held.length === 0) return [];
      return [
        `${placeInWords(place)}; no Logon is accepted of ${held.join(', ')}, whose records may be among them: ` +
          'run `crossgate store verify`, then put the file back, or `crossgate sessions open NAME`',
      ];
    });
  }
}
