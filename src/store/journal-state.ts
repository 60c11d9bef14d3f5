// Meaning of a journal: folds records, in order, into sessions, orders and nonces. Every store recovers through it.

import type { EpochMs } from '../base/time.ts';
import {
  ENDED_SERIES_MAX,
  type EndedSeries,
  type LoggedOffBy,
  type NumbersAsked,
  type RecoveredSession,
  type SessionID,
  type SessionNumbers,
} from '../session/mod.ts';
import { askedToo, leftToDo, numbersAsked, setsNumbers } from './asked-numbers.ts';
import type { JournalRecord, RecoveredJournal } from './port.ts';
import { type DamagedPlace, DamageWatch, type JournalDamage, type KeptDamage } from './segments/damage.ts';
import { isUnnamed } from './session-names.ts';

/** A Logout does not count: one at a reset time precedes the reset, which a crash between the two must not lose. */
const LOGOUT = '5';
/** As many as a session keeps. */
const ASKED_MAX = 16;

/** State of a session as a snapshot holds it, in JSON. */
export interface SessionState {
  series: number;
  nextSenderMsgSeqNum: number;
  nextTargetMsgSeqNum: number;
  loggedOn: boolean;
  provenMsgSeqNum: number;
  countedAt: EpochMs | null;
  ended: EndedSeries[];
  /** Numbers before a reset within a logged-on session, or at its end by setting, until a message is counted in the new series. */
  before?: SessionNumbers | null;
  /** How the last logged-on time ended if a reset was to follow, until numbers are set. */
  end?: LoggedOffBy | null;
  /** A Logout(5) of ours was recorded in the logged-on time that has not ended. */
  saidLogout?: boolean;
  /** That 1 is expected next was set within the series. */
  firstByHand?: boolean;
  /** Why a reset is owed, until numbers begin again; and who asked for it if not the schedule. */
  due?: string | null;
  dueBy?: string;
  /** Numbers that an operator set while there was a connection, until that has ended. */
  asked?: NumbersAsked[];
  /**
   * Messages made since the last logoff; uncertain for a session that was logged on since. Null while there are none.
   */
  unsent?: { from: number; isSure: boolean } | null;
  /** An import began, and its numbers are not set yet. */
  importBegun?: boolean;
  /** Segments in which the present series and those of `ended` began: the older ones may be archived (rule J1). */
  began: [series: number, segment: number][];
}

/**
 * Messages that may not have left, at a logon or logoff. Messages made while logged off have not left, and are
 * requested on the next connection or never. The Logon that begins it stands before this record.
 */
function unsentBehind(session: SessionState, loggedOn: boolean): { from: number; isSure: boolean } | null {
  const { unsent = null, nextSenderMsgSeqNum: next, provenMsgSeqNum } = session;
  const isProven = unsent !== null && unsent.from <= provenMsgSeqNum;
  if (loggedOn) return unsent === null || isProven || unsent.from >= next - 1 ? null : { ...unsent, isSure: false };
  return unsent === null || isProven ? { from: next, isSure: true } : unsent;
}

/** The state that a sequence of records amounts to. */
export class JournalState {
  readonly #sessions = new Map<SessionID, SessionState>();
  /** The one applied to last: messages of one session follow each other. */
  #lastId: SessionID | null = null;
  #last: SessionState | null = null;
  readonly orders = new Map<string, string>();
  readonly nonces = new Map<string, string>();
  /** The segment that is being read; 0 where there are none. */
  segment = 0;
  /** Null while everything could be read. */
  #damage: DamageWatch | null = null;

  /** @param at when its frame was written */
  apply(record: JournalRecord, at: EpochMs): void {
    switch (record.kind) {
      case 'inbound':
        this.inbound(
          record.sessionId,
          record.series,
          record.msgSeqNum,
          record.nextTargetMsgSeqNum,
          record.msgType === LOGOUT,
          at,
        );
        return;
      case 'outbound':
        this.outbound(record.sessionId, record.series, record.msgSeqNum, record.msgType === LOGOUT, at);
        return;
      case 'numbers':
        this.#changed(record, at);
        return;
      case 'proven':
        this.#damage?.repeated(record.sessionId, record.series, record.msgSeqNum);
        this.#proven(record.sessionId, record.series, record.msgSeqNum);
        return;
      case 'state':
        this.#loggedOnOrOff(record);
        return;
      case 'order':
        if (record.ended === undefined) this.orders.set(record.key, record.record);
        else this.orders.delete(record.key);
        return;
      case 'nonce': {
        const known = this.nonces.get(record.credential);
        if (known === undefined || isHigher(record.nonce, known)) this.nonces.set(record.credential, record.nonce);
        return;
      }
      case 'damageFound':
        this.#damage?.noMoreProof();
        return;
      case 'damageAccepted':
        this.#damage?.accept(record.sessionId);
        this.#acceptImports(record.sessionId);
        return;
      case 'exchangeInput':
        if (setsNumbers(record.json)) this.#asked(record.json);
        return;
      case 'unsequenced':
      case 'audit':
        return;
    }
  }

  #acceptImports(accepted: SessionID | null): void {
    for (const [sessionId, session] of this.#sessions) {
      if (session.importBegun && (accepted ?? sessionId) === sessionId) session.importBegun = false;
    }
  }

  #asked(json: string): void {
    const found = numbersAsked(json);
    const session = found === null ? undefined : this.#sessions.get(found.sessionId);
    if (found === null || session === undefined) return;
    const { asked } = found;
    session.asked = askedToo(session.asked ?? [], asked).slice(-ASKED_MAX);
  }

  /** Records are lost here: what follows is not the next of what came before. */
  damaged(place: DamagedPlace): void {
    this.#damage ??= new DamageWatch();
    this.#damage.found(place, this.#sessions);
  }

  /** The damage found; null if everything was readable. */
  get damage(): JournalDamage | null {
    return this.#damage;
  }

  /** Damage as a snapshot keeps it. */
  keptDamage(): KeptDamage {
    return this.#damage?.kept() ?? [];
  }

  restoreDamage(kept: KeptDamage): void {
    this.#damage = new DamageWatch(kept);
  }

  /** An inbound message was counted. Apart from `apply` so that a scan needs no record object. */
  inbound(
    sessionId: SessionID,
    series: number,
    msgSeqNum: number,
    nextTargetMsgSeqNum: number,
    isLogout: boolean,
    at: EpochMs,
  ): void {
    this.#damage?.inbound(sessionId, series, msgSeqNum);
    const session = this.#session(sessionId, series);
    if (!isLogout) session.countedAt = at;
    if (session.series !== series) {
      // The counterparty has not read yet that this series ended, and may never.
      if (session.before?.series === series) session.before = { ...session.before, nextTargetMsgSeqNum };
      return;
    }
    session.nextTargetMsgSeqNum = nextTargetMsgSeqNum;
    if (session.before) session.before = null;
  }

  outbound(sessionId: SessionID, series: number, msgSeqNum: number, isLogout: boolean, at: EpochMs): void {
    this.#damage?.outbound(sessionId, series, msgSeqNum);
    const session = this.#session(sessionId, series);
    if (!isLogout) session.countedAt = at;
    if (session.series !== series) followOwed(session, series, msgSeqNum);
    else if (msgSeqNum >= session.nextSenderMsgSeqNum) session.nextSenderMsgSeqNum = msgSeqNum + 1;
    if (isLogout) this.saidLogout(sessionId, series);
  }

  /** Among the outbound messages of the series was a Logout(5). */
  saidLogout(sessionId: SessionID, series: number): void {
    const session = this.#session(sessionId, series);
    if (session.loggedOn && session.series === series) session.saidLogout = true;
  }

  /** Numbers were set: by an operator, an import, or a reset. */
  #changed(record: JournalRecord & { kind: 'numbers' }, at: EpochMs): void {
    this.#damage?.changed(record.sessionId, record.from);
    const session = this.#session(record.sessionId, record.to.series);
    if (isOwedReset(record)) {
      session.due = record.why;
      session.dueBy = record.who;
      return;
    }
    if (isReset(record)) session.due = null;
    if (session.importBegun && !isByItself(record)) session.importBegun = false;
    session.countedAt = at;
    if (isTakenBack(record)) oweUnasked(session, session.before?.series ?? record.from.series);
    session.before = before(session, record);
    session.end = null;
    // After a reset, an earlier request may no longer be intended.
    if (session.asked !== undefined) {
      session.asked = record.to.series === record.from.series ? leftToDo(session.asked, record) : [];
    }
    session.firstByHand = record.to.series === record.from.series && record.to.nextTargetMsgSeqNum === 1;
    this.#setNumbers(session, record.to);
  }

  #loggedOnOrOff(record: JournalRecord & { kind: 'state' }): void {
    const session = this.#session(record.sessionId, 1);
    if (record.importBegun) {
      session.importBegun = true;
      return;
    }
    session.unsent = unsentBehind(session, record.loggedOn);
    session.loggedOn = record.loggedOn;
    session.end = record.end ?? null;
    if (session.saidLogout) session.saidLogout = false;
    // Records that waited for the end of the connection stand in the same frame; after a Logon they would set
    // numbers back.
    session.asked = [];
  }

  #proven(sessionId: SessionID, series: number, msgSeqNum: number): void {
    const session = this.#session(sessionId, series);
    if (session.series === series && msgSeqNum > session.provenMsgSeqNum) {
      session.provenMsgSeqNum = msgSeqNum;
    } else if (series < session.series) {
      const from = msgSeqNum + 1;
      session.ended = session.ended.map((one) => (one.series === series ? { ...one, from } : one));
      session.ended = session.ended.filter((one) => one.from <= one.to);
      forgetBeginnings(session);
    }
  }

  /** State of a session; one of a series not seen yet begins that series at 1. */
  #session(sessionId: SessionID, series: number): SessionState {
    if (sessionId === this.#lastId && this.#last?.series === series) return this.#last;
    const session = this.#found(sessionId, series);
    this.#lastId = sessionId;
    this.#last = session;
    return session;
  }

  #found(sessionId: SessionID, series: number): SessionState {
    let session = this.#sessions.get(sessionId);
    if (session === undefined) {
      session = {
        series,
        nextSenderMsgSeqNum: 1,
        nextTargetMsgSeqNum: 1,
        loggedOn: false,
        provenMsgSeqNum: 0,
        countedAt: null,
        unsent: { from: 1, isSure: true },
        ended: [],
        began: [[series, this.segment]],
      };
      this.#sessions.set(sessionId, session);
    } else if (series > session.series) {
      this.#setNumbers(session, { series, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 });
    }
    return session;
  }

  #setNumbers(session: SessionState, to: SessionNumbers): void {
    if (to.series !== session.series) {
      const { series, provenMsgSeqNum, nextSenderMsgSeqNum } = session;
      const ended = { series, from: provenMsgSeqNum + 1, to: nextSenderMsgSeqNum - 1 };
      if (ended.from <= ended.to) session.ended = [...session.ended, ended].slice(-ENDED_SERIES_MAX);
      session.provenMsgSeqNum = 0;
      session.unsent = session.loggedOn ? null : { from: to.nextSenderMsgSeqNum, isSure: true };
      session.firstByHand = false;
      session.began.push([to.series, this.segment]);
    }
    session.series = to.series;
    session.nextSenderMsgSeqNum = to.nextSenderMsgSeqNum;
    session.nextTargetMsgSeqNum = to.nextTargetMsgSeqNum;
    forgetBeginnings(session);
  }

  /** Enter a session as a snapshot had it. */
  restoreSession(sessionId: SessionID, session: SessionState): void {
    this.#sessions.set(sessionId, session);
    this.#lastId = null;
  }

  /** A session as it is now: changed by the next record of it. */
  stateOf(sessionId: SessionID): Readonly<SessionState> | undefined {
    return this.#sessions.get(sessionId);
  }

  /** The sessions as a snapshot keeps them. */
  kept(): [SessionID, SessionState][] {
    return [...this.#sessions];
  }

  /** The oldest series of a session with messages that may still be requested. */
  oldestSeries(sessionId: SessionID): number {
    const session = this.#sessions.get(sessionId);
    return session?.ended[0]?.series ?? session?.series ?? 0;
  }

  /** The first segment that holds something of a present series, or of reports not proven received (rule J1). */
  firstNeededSegment(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const session of this.#sessions.values()) first = Math.min(first, firstSegment(session));
    return first;
  }

  /** Sessions that need something of a segment before this one, who needs the oldest first. */
  needing(before: number): SessionID[] {
    const needs = Array.from(this.#sessions, ([sessionId, session]) => [firstSegment(session), sessionId] as const);
    const found = needs.filter(([segment]) => segment < before);
    return found.sort(([a], [b]) => a - b).map(([, sessionId]) => sessionId);
  }

  sessions(): Map<SessionID, RecoveredSession> {
    const sessions = new Map<SessionID, RecoveredSession>();
    for (const [sessionId, s] of this.#sessions) {
      if (isUnnamed(sessionId)) continue;
      const numbers: SessionNumbers = {
        series: s.series,
        nextSenderMsgSeqNum: s.nextSenderMsgSeqNum,
        nextTargetMsgSeqNum: s.nextTargetMsgSeqNum,
      };
      const { loggedOn, provenMsgSeqNum, countedAt, ended } = s;
      const owes = { ...(ended.length === 0 ? {} : { ended }), ...(s.before ? { before: s.before } : {}) };
      const asked = s.asked === undefined || s.asked.length === 0 ? {} : { asked: s.asked };
      const more = {
        ...asked,
        ...(s.firstByHand ? { firstByHand: true } : {}),
        ...(s.end ? { end: s.end } : {}),
        ...(s.saidLogout ? { saidLogout: true } : {}),
        ...(s.due ? { due: s.due, ...(s.dueBy ? { dueBy: s.dueBy } : {}) } : {}),
        ...(s.importBegun ? { importBegun: true as const } : {}),
        ...(s.unsent ? { unsent: s.unsent } : {}),
      };
      sessions.set(sessionId, { sessionId, numbers, loggedOn, provenMsgSeqNum, countedAt, ...owes, ...more });
    }
    return sessions;
  }

  recovered(fresh: boolean, notes: readonly string[]): RecoveredJournal {
    const { damage } = this;
    const found = damage === null ? {} : { damage };
    return { sessions: this.sessions(), orders: this.orders, nonces: this.nonces, fresh, notes, ...found };
  }
}

function firstSegment({ began }: SessionState): number {
  return Math.min(...began.map(([, segment]) => segment));
}

/** Both numbers begin again at 1; others of a new series take an unanswered reset back. */
function isReset({ from, to }: JournalRecord & { kind: 'numbers' }): boolean {
  return to.series > from.series && to.nextSenderMsgSeqNum === 1 && to.nextTargetMsgSeqNum === 1;
}

/** The counterparty never took a reset, and goes on in the numbers before it; other numbers of a new series an import brings. */
function isTakenBack({ from, to, who }: JournalRecord & { kind: 'numbers' }): boolean {
  return who === 'session' && to.series > from.series && to.nextSenderMsgSeqNum > 1;
}

/**
 * From this series on, debts of ended series are sent without a request: the counterparty knows of no reset (rule S9).
 */
function oweUnasked(session: SessionState, first: number): void {
  session.ended = session.ended.map((one) => (one.series < first ? one : { ...one, isUnasked: true }));
}

/**
 * A record without effect on numbers means that a reset is owed from then on, and waits for the session
 * (session/due-reset.ts).
 */
export function isOwedReset({ from, to, who }: JournalRecord & { kind: 'numbers' }): boolean {
  return (who === 'schedule' || who === 'application') && to.series === from.series;
}

/** Without a request, no missing message of an import was noticed. */
function isByItself({ who }: JournalRecord & { kind: 'numbers' }): boolean {
  return who === 'schedule' || who === 'settings';
}

/** The numbers before a reset that the counterparty has to confirm. Those that somebody sets by hand are meant to hold. */
function before(session: SessionState, { from, to, who }: JournalRecord & { kind: 'numbers' }): SessionNumbers | null {
  if (to.series === from.series) return null;
  if (session.loggedOn) return from;
  if (!session.end || who !== 'settings') return null;
  return from.nextTargetMsgSeqNum > 1 ? from : (session.before ?? from);
}

/** A report that waits behind those that an ended series owes is recorded as the next of that series (rule S2). */
function followOwed(session: SessionState, series: number, msgSeqNum: number): void {
  const at = session.ended.findIndex((one) => one.series === series);
  const owed = session.ended[at];
  if (owed !== undefined && msgSeqNum > owed.to) session.ended[at] = { ...owed, to: msgSeqNum };
}

function forgetBeginnings(session: SessionState): void {
  const isNeeded = (series: number): boolean =>
    series === session.series || session.ended.some((one) => one.series === series);
  session.began = session.began.filter(([series]) => isNeeded(series));
}

/** Compare two non-negative integers written in decimal without sign or leading zeros. */
function isHigher(a: string, b: string): boolean {
  return a.length === b.length ? a > b : a.length > b.length;
}
