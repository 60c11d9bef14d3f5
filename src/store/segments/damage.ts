// Decides which sessions a damaged place of a journal concerns: every session, until later records prove that none of
// its messages was there. Numbers prove it. If the next counted inbound and the next outbound message of a session
// carry the numbers from before the place, it neither sent nor received there.
//
// Two cases need more. A session that owed reports of an ended series may have had more recorded (rule S2); only the
// next of them proves that none is lost. A counterparty that had not confirmed our reset may have sent more in the
// earlier numbers; only the next of these proves that none is lost.
//
// Records of a start that found the damage prove nothing, because they continue from the readable part. An operator
// must accept the unproven rest. block-reader.ts finds damage; the engine restricts the session meanwhile.

import type { EndedSeries, SessionID, SessionNumbers } from '../../session/mod.ts';

/** A place where records that were durable cannot be read any more. */
export interface DamagedPlace {
  /** The file, or the row of the database. */
  readonly path: string;
  /** Of a journal in PostgreSQL: the number of that row; absent in a snapshot of an earlier program. */
  readonly row?: number;
  readonly offset: number;
  /** Bytes up to the next frame that is whole. */
  readonly bytes: number;
  /** Numbers of the first and last frame that are lost. */
  readonly firstFrame: number;
  readonly lastFrame: number;
  /** The first of files that are not there, up to this one. */
  readonly missingTo?: string;
  /** Its bytes are whole: a record in it is none that this version knows. */
  readonly isOfLaterVersion?: boolean;
}

/** The damage of a journal that goes on in spite of it. */
export interface JournalDamage {
  /** Oldest first, without places that an operator accepted for every session. */
  readonly places: readonly DamagedPlace[];
  /** How many bytes are lost, of accepted places too: no more than that of anything can have been recorded there. */
  readonly lostBytes: number;
  /**
   * The first place that may hold records of a session, or null if that is ruled out, or was accepted. A session that the
   * journal does not know at all may be in any place: its first records too may be lost.
   */
  concerning(sessionId: SessionID): DamagedPlace | null;
}

/** Fault of a place, in words, without its position. */
export function damageInWords(place: DamagedPlace): string {
  const { offset, bytes, firstFrame, lastFrame, missingTo, isOfLaterVersion } = place;
  const frames = firstFrame === lastFrame ? `frame ${firstFrame} is` : `frames ${firstFrame} to ${lastFrame} are`;
  if (isOfLaterVersion) {
    const what = `the frame at offset ${offset} is whole, and has a record that this version does not know`;
    return `${what}: ${frames} left out (${bytes} bytes) until the version that wrote it is started again`;
  }
  if (missingTo !== undefined) {
    return `the files from this one to ${missingTo} are neither in the journal nor in its archive, and no snapshot could be used: ${frames} lost`;
  }
  return `a frame is damaged at offset ${offset}: ${frames} lost (${bytes} bytes)`;
}

/** The same behind its path. */
export function placeInWords(place: DamagedPlace): string {
  return `${place.path}: ${damageInWords(place)}`;
}

/** The beginning of a sentence for a record that lost nothing at a place. */
export function remedyOfPlace({ row, isOfLaterVersion }: DamagedPlace): string {
  if (isOfLaterVersion) return 'start the version that wrote it';
  return row === undefined ? 'put the file back' : 'put the row back from a backup of the database';
}

type Proof = 'open' | 'untouched' | 'lost';

/** Numbers of a session before a place, and what later records said of them. */
interface Expectation {
  readonly numbers: SessionNumbers;
  /** The series that the counterparty still used, if it had not confirmed the reset before `numbers`. */
  readonly before?: SessionNumbers;
  sender: Proof;
  target: Proof;
  /** Debts of ended series; absent if there were none. */
  owed?: readonly EndedSeries[];
  /** Of the reports behind those that are owed. */
  waiting?: Proof;
}

/** State of a session before a place. */
interface KnownSession extends SessionNumbers {
  readonly ended: readonly EndedSeries[];
  readonly before?: SessionNumbers | null;
}

const FIRST: SessionNumbers = { series: 1, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 };

/** One place as a snapshot keeps it. */
interface KeptPlace {
  readonly place: DamagedPlace;
  readonly expectations: readonly (readonly [SessionID, Expectation])[];
  readonly accepted: readonly SessionID[];
  readonly acceptedForAll: boolean;
  /** A start has found it: nothing behind it proves anything any more. */
  readonly isFound?: boolean;
}

/** State in a snapshot, as JSON. */
export type KeptDamage = readonly KeptPlace[];

class WatchedPlace {
  readonly place: DamagedPlace;
  readonly #expectations: Map<SessionID, Expectation>;
  readonly #accepted: Set<SessionID>;
  acceptedForAll: boolean;
  isFound: boolean;

  constructor({ place, expectations, accepted, acceptedForAll, isFound = false }: KeptPlace) {
    this.place = place;
    this.isFound = isFound;
    this.acceptedForAll = acceptedForAll;
    this.#expectations = new Map(expectations.map(([id, expectation]) => [id, { ...expectation }]));
    this.#accepted = new Set(accepted);
  }

  kept(): KeptPlace {
    const { place, acceptedForAll, isFound } = this;
    return { place, expectations: [...this.#expectations], accepted: [...this.#accepted], acceptedForAll, isFound };
  }

  accept(sessionId: SessionID): void {
    this.#accepted.add(sessionId);
  }

  concerns(sessionId: SessionID): boolean {
    if (this.acceptedForAll || this.#accepted.has(sessionId)) return false;
    const expectation = this.#expectations.get(sessionId);
    if (expectation === undefined) return true;
    const { sender, target, waiting = 'untouched' } = expectation;
    return sender !== 'untouched' || target !== 'untouched' || waiting !== 'untouched';
  }

  outbound(sessionId: SessionID, series: number, msgSeqNum: number): void {
    if (this.isFound) return;
    const expected = this.#of(sessionId);
    waitsBehind(expected, series, msgSeqNum);
    if (expected.sender !== 'open') return;
    const { numbers } = expected;
    // A lower number is no news: it was sent before.
    if (series < numbers.series || (series === numbers.series && msgSeqNum < numbers.nextSenderMsgSeqNum)) return;
    const isNext = series === numbers.series && msgSeqNum === numbers.nextSenderMsgSeqNum;
    expected.sender = isNext ? 'untouched' : 'lost';
  }

  /** Reports of an ended series were sent again, up to this number of it. */
  repeated(sessionId: SessionID, series: number, msgSeqNum: number): void {
    if (this.isFound) return;
    const expected = this.#of(sessionId);
    const owed = expected.owed?.find((one) => one.series === series);
    // One that waited behind those that are known was there as well.
    if (owed !== undefined && expected.waiting === 'open' && msgSeqNum > owed.to) expected.waiting = 'lost';
  }

  inbound(sessionId: SessionID, series: number, msgSeqNum: number): void {
    if (this.isFound) return;
    const expected = this.#of(sessionId);
    if (expected.target !== 'open') return;
    const { before, numbers } = expected;
    const { series: counted, nextTargetMsgSeqNum } = before ?? numbers;
    const isNext = series === counted && msgSeqNum === nextTargetMsgSeqNum;
    expected.target = isNext ? 'untouched' : 'lost';
  }

  /** Numbers were changed from these: the record says what stood there before. */
  changed(sessionId: SessionID, from: SessionNumbers): void {
    if (this.isFound) return;
    const expected = this.#of(sessionId);
    const { before, numbers } = expected;
    const isSameSeries = from.series === numbers.series;
    if (expected.sender === 'open') {
      const isSame = isSameSeries && from.nextSenderMsgSeqNum === numbers.nextSenderMsgSeqNum;
      expected.sender = isSame ? 'untouched' : 'lost';
    }
    if (expected.target === 'open') {
      const isSame = isSameSeries && before === undefined && from.nextTargetMsgSeqNum === numbers.nextTargetMsgSeqNum;
      expected.target = isSame ? 'untouched' : 'lost';
    }
  }

  #of(sessionId: SessionID): Expectation {
    let expected = this.#expectations.get(sessionId);
    if (expected === undefined) {
      // Unknown before the place: its very first records have to follow.
      expected = { numbers: FIRST, sender: 'open', target: 'open' };
      this.#expectations.set(sessionId, expected);
    }
    return expected;
  }
}

/** A report of a series that owed some before a place: the next number says that none is lost in it. */
function waitsBehind(expected: Expectation, series: number, msgSeqNum: number): void {
  if (expected.waiting !== 'open') return;
  const owed = expected.owed?.find((one) => one.series === series);
  if (owed === undefined || msgSeqNum <= owed.to) return;
  expected.waiting = msgSeqNum === owed.to + 1 ? 'untouched' : 'lost';
}

/** Watches what is read behind damaged places. */
export class DamageWatch implements JournalDamage {
  readonly #places: WatchedPlace[];

  constructor(kept: KeptDamage = []) {
    this.#places = kept.map((place) => new WatchedPlace(place));
  }

  get places(): readonly DamagedPlace[] {
    return this.#places.filter(({ acceptedForAll }) => !acceptedForAll).map(({ place }) => place);
  }

  get lostBytes(): number {
    return this.#places.reduce((sum, { place }) => sum + place.bytes, 0);
  }

  concerning(sessionId: SessionID): DamagedPlace | null {
    return this.#places.find((watched) => watched.concerns(sessionId))?.place ?? null;
  }

  /** A place was found; `sessions` has the state of each before it. */
  found(place: DamagedPlace, sessions: Iterable<readonly [SessionID, KnownSession]>): void {
    const expectations = Array.from(sessions, ([sessionId, known]): [SessionID, Expectation] => {
      const { series, nextSenderMsgSeqNum, nextTargetMsgSeqNum, ended } = known;
      const numbers = { series, nextSenderMsgSeqNum, nextTargetMsgSeqNum };
      const owes = ended.length === 0 ? {} : { owed: [...ended], waiting: 'open' as const };
      // Where nothing was sent in the new numbers, what would be lost of them proves it.
      const before = known.before && nextSenderMsgSeqNum > 1 ? { before: known.before } : {};
      return [sessionId, { numbers, ...before, sender: 'open', target: 'open', ...owes }];
    });
    this.#places.push(new WatchedPlace({ place, expectations, accepted: [], acceptedForAll: false }));
  }

  outbound(sessionId: SessionID, series: number, msgSeqNum: number): void {
    for (const watched of this.#places) watched.outbound(sessionId, series, msgSeqNum);
  }

  inbound(sessionId: SessionID, series: number, msgSeqNum: number): void {
    for (const watched of this.#places) watched.inbound(sessionId, series, msgSeqNum);
  }

  repeated(sessionId: SessionID, series: number, msgSeqNum: number): void {
    for (const watched of this.#places) watched.repeated(sessionId, series, msgSeqNum);
  }

  /** A start has found all places so far. */
  noMoreProof(): void {
    for (const watched of this.#places) watched.isFound = true;
  }

  changed(sessionId: SessionID, from: SessionNumbers): void {
    for (const watched of this.#places) watched.changed(sessionId, from);
  }

  /** An operator takes a session as it is; null: all of them, those never heard of too. */
  accept(sessionId: SessionID | null): void {
    for (const watched of this.#places) {
      if (sessionId === null) watched.acceptedForAll = true;
      else watched.accept(sessionId);
    }
  }

  kept(): KeptDamage {
    return this.#places.map((watched) => watched.kept());
  }
}
