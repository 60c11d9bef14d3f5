// Positions of resendable outbound messages: in memory for the segments after the last snapshot, in index files for
// those before it. Series that can no longer be requested are left out (rule S2).

import type { SessionID } from '../../session/mod.ts';
import { ENTRY_NUMBERS, SortedFile } from './sorted-file.ts';

/** Messages per page, each with its group and record: 8 kB, so that a session with few messages costs little. */
const PAGE = 1024;

/** Where a record lies: its segment, its group of frames in that, and its kind byte behind the group's beginning. */
export interface Location {
  readonly segment: number;
  readonly group: number;
  readonly record: number;
}

/** The part of an index file that belongs to one session. */
export interface OutboundRun {
  readonly sessionId: SessionID;
  readonly firstSeries: number;
  readonly lastSeries: number;
  readonly firstPage: number;
  readonly pages: number;
}

/** An index file that a snapshot names. */
export interface OutboundFile {
  readonly name: string;
  readonly pages: number;
  readonly runs: readonly OutboundRun[];
}

type Pages = Map<number, Uint32Array>;

/** Pages of one segment by session, series and number. */
type SegmentPages = Map<SessionID, Map<number, Pages>>;

/** Messages of one segment, in memory. */
class SegmentMessages {
  readonly #sessions: SegmentPages = new Map();
  /** The page written last: messages of one session follow each other. */
  #lastId: SessionID | null = null;
  #lastSeries = 0;
  #lastNumber = 0;
  #lastPage: Uint32Array = new Uint32Array(0);

  set(sessionId: SessionID, series: number, msgSeqNum: number, group: number, record: number): void {
    const number = Math.floor(msgSeqNum / PAGE);
    if (sessionId !== this.#lastId || series !== this.#lastSeries || number !== this.#lastNumber) {
      this.#lastPage = this.#pageOf(sessionId, series, number);
      this.#lastId = sessionId;
      this.#lastSeries = series;
      this.#lastNumber = number;
    }
    const at = 2 * (msgSeqNum % PAGE);
    this.#lastPage[at] = group;
    this.#lastPage[at + 1] = record;
  }

  #pageOf(sessionId: SessionID, series: number, number: number): Uint32Array {
    let bySeries = this.#sessions.get(sessionId);
    if (bySeries === undefined) {
      bySeries = new Map();
      this.#sessions.set(sessionId, bySeries);
    }
    let pages = bySeries.get(series);
    if (pages === undefined) {
      pages = new Map();
      bySeries.set(series, pages);
    }
    let page = pages.get(number);
    if (page === undefined) {
      page = new Uint32Array(2 * PAGE);
      pages.set(number, page);
    }
    return page;
  }

  /** Pages of a series in ascending order. */
  pages(sessionId: SessionID, series: number): readonly (readonly [number, Uint32Array])[] {
    const pages = this.#sessions.get(sessionId)?.get(series);
    return pages === undefined ? [] : [...pages].sort(([a], [b]) => a - b);
  }

  sessions(): SegmentPages {
    return this.#sessions;
  }
}

export class OutboundIndex {
  readonly #directory: string;
  readonly #segments = new Map<number, SegmentMessages>();
  #files: readonly OutboundFile[] = [];
  #last: { readonly segment: number; readonly messages: SegmentMessages } | null = null;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Note where a message lies; a later location of the same number replaces the earlier. */
  set(sessionId: SessionID, series: number, msgSeqNum: number, segment: number, group: number, record: number): void {
    if (this.#last === null || this.#last.segment !== segment) {
      let messages = this.#segments.get(segment);
      if (messages === undefined) {
        messages = new SegmentMessages();
        this.#segments.set(segment, messages);
      }
      this.#last = { segment, messages };
    }
    this.#last.messages.set(sessionId, series, msgSeqNum, group, record);
  }

  /** Take over the files of a snapshot, and forget what they hold. */
  adopt(files: readonly OutboundFile[], through: number): void {
    this.#files = files;
    for (const segment of this.#segments.keys()) if (segment <= through) this.#segments.delete(segment);
    this.#last = null;
  }

  /**
   * Locations of the messages with from ≤ number ≤ to, ascending; numbers without one are left out.
   * @throws XG_JOURNAL_CORRUPT if an index file is damaged
   */
  range(sessionId: SessionID, series: number, from: number, to: number): { msgSeqNum: number; location: Location }[] {
    const found = new Map<number, Location>();
    for (const file of this.#files) {
      for (const run of file.runs) {
        if (run.sessionId !== sessionId || series < run.firstSeries || series > run.lastSeries) continue;
        const reader = SortedFile.open(this.#directory, file.name, file.pages);
        try {
          for (const [, msgSeqNum, segment, group, record] of reader.range(run, series, from, to)) {
            found.set(msgSeqNum, { segment, group, record });
          }
        } finally {
          reader.close();
        }
      }
    }
    for (const segment of [...this.#segments.keys()].sort((a, b) => a - b)) {
      for (const [number, page] of this.#segments.get(segment)!.pages(sessionId, series)) {
        const last = Math.min(to, number * PAGE + PAGE - 1);
        for (let msgSeqNum = Math.max(from, number * PAGE); msgSeqNum <= last; msgSeqNum++) {
          const at = 2 * (msgSeqNum % PAGE);
          if (page[at] !== 0) found.set(msgSeqNum, { segment, group: page[at]!, record: page[at + 1]! });
        }
      }
    }
    return [...found].sort(([a], [b]) => a - b).map(([msgSeqNum, location]) => ({ msgSeqNum, location }));
  }

  /** Everything in memory as entries of a sorted file, per session; series before `keepFrom(sessionId)` are left out. */
  entries(keepFrom: (sessionId: SessionID) => number): Map<SessionID, Uint32Array> {
    const runs = new Map<SessionID, PlacedPage[]>();
    for (const segment of [...this.#segments.keys()].sort((a, b) => a - b)) {
      for (const [sessionId, bySeries] of this.#segments.get(segment)!.sessions()) {
        for (const [series, pages] of bySeries) {
          if (series < keepFrom(sessionId)) continue;
          const run = runs.get(sessionId) ?? [];
          if (run.length === 0) runs.set(sessionId, run);
          for (const [number, page] of pages) run.push({ series, segment, number, page });
        }
      }
    }
    return new Map(Array.from(runs, ([sessionId, run]) => [sessionId, entriesOf(run)]));
  }
}

/** A page with what its entries have in common. */
interface PlacedPage {
  readonly series: number;
  readonly segment: number;
  readonly number: number;
  readonly page: Uint32Array;
}

/** Entries of a sorted file: counted first, since pages of quiet sessions are nearly empty and those of others full. */
function entriesOf(run: readonly PlacedPage[]): Uint32Array {
  let count = 0;
  for (const { page } of run) for (let k = 0; k < PAGE; k++) if (page[2 * k] !== 0) count++;
  const numbers = new Uint32Array(count * ENTRY_NUMBERS);
  let at = 0;
  for (const { series, segment, number, page } of run) {
    for (let k = 0; k < PAGE; k++) {
      if (page[2 * k] === 0) continue;
      numbers[at] = series;
      numbers[at + 1] = number * PAGE + k;
      numbers[at + 2] = segment;
      numbers[at + 3] = page[2 * k]!;
      numbers[at + 4] = page[2 * k + 1]!;
      at += ENTRY_NUMBERS;
    }
  }
  return numbers;
}
