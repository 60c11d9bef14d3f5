// Where each resendable outbound message lies: one location per MsgSeqNum of the present series and of those whose reports
// may still be owed (rule S2). Older series stay in the journal but are no longer indexed.

import { ENDED_SERIES_MAX, type SessionID } from '../session/mod.ts';

/** Numbers per page: 8 kB each, so that a session with few messages costs little. */
const PAGE = 1024;
/** Locations pack segment and offset into one double: exact for 2^21 segments of 4 GiB. */
const OFFSET_SPAN = 2 ** 32;

/** Segment number and byte offset of a record. */
export interface Location {
  readonly segment: number;
  readonly offset: number;
}

type Series = Map<number, Float64Array>;

export class OutboundIndex {
  readonly #sessions = new Map<SessionID, Map<number, Series>>();

  /** Note where a message lies; a later location of the same number replaces the earlier. */
  set(sessionId: SessionID, series: number, msgSeqNum: number, segment: number, offset: number): void {
    let bySeries = this.#sessions.get(sessionId);
    if (bySeries === undefined) {
      bySeries = new Map();
      this.#sessions.set(sessionId, bySeries);
    }
    let pages = bySeries.get(series);
    if (pages === undefined) {
      pages = new Map();
      bySeries.set(series, pages);
      for (const old of bySeries.keys()) if (old < series - ENDED_SERIES_MAX) bySeries.delete(old);
    }
    const number = Math.floor(msgSeqNum / PAGE);
    let page = pages.get(number);
    if (page === undefined) {
      page = new Float64Array(PAGE);
      pages.set(number, page);
    }
    page[msgSeqNum % PAGE] = segment * OFFSET_SPAN + offset;
  }

  /** Locations of the messages with from ≤ number ≤ to, ascending; numbers without one are left out. */
  range(sessionId: SessionID, series: number, from: number, to: number): { msgSeqNum: number; location: Location }[] {
    const found: { msgSeqNum: number; location: Location }[] = [];
    const pages = this.#sessions.get(sessionId)?.get(series);
    if (pages === undefined) return found;
    const numbers = [...pages.keys()].sort((a, b) => a - b);
    for (const number of numbers) {
      const page = pages.get(number)!;
      const first = Math.max(from, number * PAGE);
      const last = Math.min(to, number * PAGE + PAGE - 1);
      for (let msgSeqNum = first; msgSeqNum <= last; msgSeqNum++) {
        const packed = page[msgSeqNum % PAGE]!;
        if (packed === 0) continue;
        const segment = Math.floor(packed / OFFSET_SPAN);
        found.push({ msgSeqNum, location: { segment, offset: packed - segment * OFFSET_SPAN } });
      }
    }
    return found;
  }
}
