// What a journal means: folds records, in order, into sessions, orders and nonces. Every store recovers through it.

import type { EpochMs } from '../base/time.ts';
import {
  ENDED_SERIES_MAX,
  type EndedSeries,
  type RecoveredSession,
  type SessionID,
  type SessionNumbers,
} from '../session/mod.ts';
import type { JournalRecord, RecoveredJournal } from './port.ts';

/** A Logout does not count: one at a reset time precedes the reset, which a crash between the two must not lose. */
const LOGOUT = '5';

interface SessionState {
  series: number;
  nextSenderMsgSeqNum: number;
  nextTargetMsgSeqNum: number;
  loggedOn: boolean;
  provenMsgSeqNum: number;
  countedAt: EpochMs | null;
  ended: EndedSeries[];
}

/** The state that a sequence of records amounts to. */
export class JournalState {
  readonly #sessions = new Map<SessionID, SessionState>();
  readonly orders = new Map<string, string>();
  readonly nonces = new Map<string, string>();

  /** @param at when its frame was written */
  apply(record: JournalRecord, at: EpochMs): void {
    switch (record.kind) {
      case 'inbound': {
        const session = this.#session(record.sessionId, record.series);
        if (record.msgType !== LOGOUT) session.countedAt = at;
        if (session.series === record.series) session.nextTargetMsgSeqNum = record.nextTargetMsgSeqNum;
        return;
      }
      case 'outbound': {
        const session = this.#session(record.sessionId, record.series);
        if (record.msgType !== LOGOUT) session.countedAt = at;
        if (session.series === record.series && record.msgSeqNum >= session.nextSenderMsgSeqNum) {
          session.nextSenderMsgSeqNum = record.msgSeqNum + 1;
        }
        return;
      }
      case 'numbers': {
        const session = this.#session(record.sessionId, record.to.series);
        session.countedAt = at;
        setNumbers(session, record.to);
        return;
      }
      case 'proven': {
        const session = this.#session(record.sessionId, record.series);
        if (session.series === record.series && record.msgSeqNum > session.provenMsgSeqNum) {
          session.provenMsgSeqNum = record.msgSeqNum;
        } else if (record.series < session.series) {
          const from = record.msgSeqNum + 1;
          session.ended = session.ended.map((one) => (one.series === record.series ? { ...one, from } : one));
          session.ended = session.ended.filter((one) => one.from <= one.to);
        }
        return;
      }
      case 'state':
        this.#session(record.sessionId, 1).loggedOn = record.loggedOn;
        return;
      case 'order':
        this.orders.set(record.key, record.record);
        return;
      case 'nonce': {
        const known = this.nonces.get(record.credential);
        if (known === undefined || isHigher(record.nonce, known)) this.nonces.set(record.credential, record.nonce);
        return;
      }
      case 'unsequenced':
      case 'exchangeInput':
      case 'audit':
        return;
    }
  }

  /** State of a session; one of a series not seen yet begins that series at 1. */
  #session(sessionId: SessionID, series: number): SessionState {
    let session = this.#sessions.get(sessionId);
    if (session === undefined) {
      session = {
        series,
        nextSenderMsgSeqNum: 1,
        nextTargetMsgSeqNum: 1,
        loggedOn: false,
        provenMsgSeqNum: 0,
        countedAt: null,
        ended: [],
      };
      this.#sessions.set(sessionId, session);
    } else if (series > session.series) {
      setNumbers(session, { series, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 });
    }
    return session;
  }

  sessions(): Map<SessionID, RecoveredSession> {
    const sessions = new Map<SessionID, RecoveredSession>();
    for (const [sessionId, s] of this.#sessions) {
      const numbers: SessionNumbers = {
        series: s.series,
        nextSenderMsgSeqNum: s.nextSenderMsgSeqNum,
        nextTargetMsgSeqNum: s.nextTargetMsgSeqNum,
      };
      const { loggedOn, provenMsgSeqNum, countedAt, ended } = s;
      const owes = ended.length === 0 ? {} : { ended };
      sessions.set(sessionId, { sessionId, numbers, loggedOn, provenMsgSeqNum, countedAt, ...owes });
    }
    return sessions;
  }

  recovered(fresh: boolean, notes: readonly string[]): RecoveredJournal {
    return { sessions: this.sessions(), orders: this.orders, nonces: this.nonces, fresh, notes };
  }
}

function setNumbers(session: SessionState, to: SessionNumbers): void {
  if (to.series !== session.series) {
    const { series, provenMsgSeqNum, nextSenderMsgSeqNum } = session;
    const ended = { series, from: provenMsgSeqNum + 1, to: nextSenderMsgSeqNum - 1 };
    if (ended.from <= ended.to) session.ended = [...session.ended, ended].slice(-ENDED_SERIES_MAX);
    session.provenMsgSeqNum = 0;
  }
  session.series = to.series;
  session.nextSenderMsgSeqNum = to.nextSenderMsgSeqNum;
  session.nextTargetMsgSeqNum = to.nextTargetMsgSeqNum;
}

/** Compare two non-negative integers written in decimal without sign or leading zeros. */
function isHigher(a: string, b: string): boolean {
  return a.length === b.length ? a > b : a.length > b.length;
}
