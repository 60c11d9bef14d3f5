// Keeps out sessions with records that may be in a damaged place of the journal, cannot be read, or are part of an
// import, until an operator admits them: never silently, and the others trade. The store knows the affected sessions,
// the gateway a record's owner; logon-gate.ts asks the exchange first.

import type { UnreadableRecord } from '../../gateway/mod.ts';
import type { RecoveredSession, SessionID } from '../../session/mod.ts';
import {
  type DamagedPlace,
  importInWords,
  type JournalDamage,
  type JournalRecord,
  placeInWords,
  remedyOfPlace,
  sessionsInWords,
} from '../../store/mod.ts';

/** A record that is whole and makes no sense. */
interface Unreadable extends UnreadableRecord {
  /** File and offset, or row. */
  readonly where: string;
}

export class DamageGate {
  private readonly damage: JournalDamage | null;
  /** Accepted since this process began. */
  private readonly accepted = new Set<SessionID>();
  private acceptedForAll = false;
  private unreadable: readonly Unreadable[] = [];
  private unreadableBytes = 0;
  /** Sessions with a part of an import. */
  private readonly imports: Set<SessionID>;

  constructor(damage: JournalDamage | undefined, sessions: Iterable<RecoveredSession> = []) {
    this.damage = damage ?? null;
    const begun = Array.from(sessions).filter(({ importBegun }) => importBegun);
    this.imports = new Set(begun.map(({ sessionId }) => sessionId));
  }

  /** Keep out the sessions of these records too; records of unknown owners keep out all. */
  addUnreadable(records: readonly UnreadableRecord[], where: string): void {
    this.unreadable = records.map((record) => ({ ...record, where }));
    this.unreadableBytes = records.reduce((sum, { text }) => sum + text.length, 0);
  }

  /** Say where these records lie, by their keys. */
  found(places: ReadonlyMap<string, string>): void {
    this.unreadable = this.unreadable.map((one) => ({ ...one, where: places.get(one.key) ?? one.where }));
  }

  /** Keys of the records that cannot be read. */
  get unreadableKeys(): readonly string[] {
    return this.unreadable.map(({ key }) => key);
  }

  /** Whether anything is damaged, or cannot be read, that not every session was let go on after. */
  get isShut(): boolean {
    return this.hasPlaces || this.unreadable.length > 0 || this.imports.size > 0;
  }

  /** Whether places of the journal are damaged that not every session was let go on after. */
  get hasPlaces(): boolean {
    return this.places.length > 0;
  }

  private get places(): readonly DamagedPlace[] {
    return this.acceptedForAll ? [] : (this.damage?.places ?? []);
  }

  /** More than anything that can have been recorded in what is lost. */
  get lostBytes(): number {
    return (this.damage?.lostBytes ?? 0) + this.unreadableBytes;
  }

  /** Possible losses of a session, with their place, in words; null if it may continue. */
  concerning(sessionId: SessionID): string | null {
    if (this.isPartOfImport(sessionId)) return importInWords(sessionId);
    const place = this.placeOf(sessionId);
    if (place !== null) return placeInWords(place);
    const record = this.recordOf(sessionId);
    return record === null ? null : inWords(record);
  }

  /** The beginning of a sentence for parts without loss of a session that is kept out. */
  remedyOf(sessionId: SessionID): string {
    const place = this.placeOf(sessionId);
    return place === null ? 'start the version that wrote it' : remedyOfPlace(place);
  }

  /** Whether numbers and messages of a session are those of a part of an import. */
  isPartOfImport(sessionId: SessionID): boolean {
    return this.imports.has(sessionId);
  }

  /** True if setting the session's numbers ends its exclusion. */
  endsWithNumbers(sessionId: SessionID): boolean {
    return this.placeOf(sessionId) !== null || this.isPartOfImport(sessionId);
  }

  /** The damaged place that may hold records of a session; null if none does, or it was accepted. */
  placeOf(sessionId: SessionID): DamagedPlace | null {
    if (this.acceptedForAll || this.accepted.has(sessionId)) return null;
    return this.damage?.concerning(sessionId) ?? null;
  }

  /** True if a record of unknown owner keeps sessions out: only admitting all of them ends that. */
  get isOfAll(): boolean {
    return this.unreadable.some((one) => one.sessionId === null);
  }

  private recordOf(sessionId: SessionID): Unreadable | null {
    return this.unreadable.find((one) => isOf(one, sessionId)) ?? null;
  }

  /**
   * Admit a session, or with null all; returns the records to write. Records of unknown owners keep a session out until
   * all are admitted.
   */
  accept(sessionId: SessionID | null, who: string, why: string): JournalRecord {
    this.unreadable = this.unreadable.filter((one) => sessionId !== null && one.sessionId !== sessionId);
    return this.acceptPlaces(sessionId, who, why);
  }

  /** The same in spite of all but records that cannot be read: numbers that were agreed on say nothing of an order. */
  acceptPlaces(sessionId: SessionID | null, who: string, why: string): JournalRecord {
    if (sessionId === null) {
      this.acceptedForAll = true;
      this.imports.clear();
    } else {
      this.accepted.add(sessionId);
      this.imports.delete(sessionId);
    }
    return { kind: 'damageAccepted', sessionId, who, why };
  }

  /** Each place, and each record, with the sessions that it keeps out, for operators. */
  inWords(sessions: Iterable<SessionID>): string[] {
    const known = [...sessions];
    return [...this.placesInWords(known), ...this.recordsInWords(known), ...this.importsInWords()];
  }

  /** Each import that did not come to its end, for operators. */
  importsInWords(): string[] {
    return Array.from(this.imports, (sessionId) => `no Logon of ${sessionId} is accepted: ${importInWords(sessionId)}`);
  }

  /** Each damaged place with the sessions that it keeps out, for operators. */
  placesInWords(known: readonly SessionID[]): string[] {
    return this.places.flatMap((place) => {
      const held = known.filter((sessionId) => this.placeOf(sessionId) === place);
      if (held.length === 0) return [];
      return [
        `${placeInWords(place)}; no Logon is accepted of ${sessionsInWords(held)}, whose records may be among them: ` +
          `run \`crossgate store verify\`, then ${remedyOfPlace(place)}, or \`crossgate sessions open NAME\``,
      ];
    });
  }

  /** Each record that cannot be read, with the sessions that it keeps out, for operators. */
  recordsInWords(known: readonly SessionID[]): string[] {
    return this.unreadable.map((record) => {
      const held = known.filter((sessionId) => isOf(record, sessionId));
      const whose = record.sessionId === null ? 'and its owner is unknown' : 'whose it is';
      const opens = record.sessionId === null ? 'crossgate sessions open' : 'crossgate sessions open NAME';
      return (
        `${inWords(record)}; no Logon is accepted of ${sessionsInWords(held) || record.sessionId}, ${whose}: ` +
        `start the version that wrote it, or compare the account with the exchange and run \`${opens}\``
      );
    });
  }
}

function isOf(record: Unreadable, sessionId: SessionID): boolean {
  return record.sessionId === null || record.sessionId === sessionId;
}

function inWords({ where, key, reason }: Unreadable): string {
  return `${where}: the record ${key} cannot be understood (${reason})`;
}
