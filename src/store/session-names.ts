// Session ids of one segment and the 16-bit numbers that its records have in their place. Leaves to record-codec.ts how a name
// is written.

import { assert } from '../base/assert.ts';
import type { SessionID } from '../session/mod.ts';

/** The number that stands for no session. */
export const NO_SESSION = 0xffff;

/** Stands for a session with its name in a damaged frame: unknown until the next segment names it again. */
const UNNAMED = '\u0000unnamed ';

/** Whether a session id is none: its name was in a damaged frame. */
export function isUnnamed(sessionId: SessionID): boolean {
  return sessionId.startsWith(UNNAMED);
}

/** Session ids of one segment, in order of first use. */
export class SessionNames {
  readonly #numbers = new Map<SessionID, number>();
  readonly #names: (SessionID | undefined)[] = [];
  #isDamaged = false;
  #counts = false;
  /** The one asked for last: messages of one session follow each other. */
  #lastId: SessionID | null = null;
  #lastNumber = 0;

  /** All names, by number. */
  all(): readonly SessionID[] {
    return Array.from(this.#names, (name, number) => name ?? `${UNNAMED}${number}`);
  }

  /** A frame of this segment is lost, and names with it: a number without a name is no error any more. */
  damaged(): void {
    this.#isDamaged = true;
  }

  /** Names without numbers were read: after a damaged frame their owners are unknown. */
  get counts(): boolean {
    return this.#counts;
  }

  numberOf(sessionId: SessionID): number | undefined {
    if (sessionId === this.#lastId) return this.#lastNumber;
    const number = this.#numbers.get(sessionId);
    if (number !== undefined) {
      this.#lastId = sessionId;
      this.#lastNumber = number;
    }
    return number;
  }

  nameOf(number: number): SessionID {
    const name = this.#names[number];
    if (name !== undefined) return name;
    if (this.#isDamaged) return `${UNNAMED}${number}`;
    throw new RangeError(`session number ${number} was never named in this segment`);
  }

  /** Number of a session, given at its first use. Naming it again, as when frames are read twice, changes nothing. */
  add(sessionId: SessionID): number {
    const known = this.#numbers.get(sessionId);
    if (known !== undefined) return known;
    const number = this.#names.length;
    this.set(number, sessionId);
    return number;
  }

  /** Read a name without a number: the next one. */
  count(sessionId: SessionID): void {
    this.#counts = true;
    this.add(sessionId);
  }

  /** Read a name with its number. */
  set(number: number, sessionId: SessionID): void {
    assert(number < NO_SESSION, 'a segment names fewer than 65,535 sessions');
    this.#names[number] = sessionId;
    this.#numbers.set(sessionId, number);
    this.#lastId = null;
  }
}
