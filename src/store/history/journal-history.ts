// Searches an embedded journal from its newest segment back, the archive included: the gateway that writes it may run. Takes no
// lock and changes no segment. Runs in a thread of its own (history-thread.ts), or in a command.

import { join } from 'node:path';
import type { JournalRecord } from '../port.ts';
import { RecordReader } from '../record-bytes.ts';
import { decodeRecord, RecordKind } from '../record-codec.ts';
import { passRecord } from '../record-walk.ts';
import { RepeatedBytes } from '../repeated-message.ts';
import { EarlierMessages } from '../segments/earlier-messages.ts';
import { type Frame, segmentFileName } from '../segments/segment.ts';
import { SegmentReader } from '../segments/segment-reader.ts';
import { SessionNames } from '../session-names.ts';
import { archivedPath, listSegments } from '../snapshots/archive-files.ts';
import { matchOf, needlesOf } from './history-match.ts';
import { type HistoryEntry, type HistoryPage, type HistoryQuery, isBefore } from './history-query.ts';
import { IdCollector } from './id-collector.ts';
import { isIndexed, mayHaveId, SegmentIdFiles, type SegmentIds } from './segment-ids.ts';

/** Which records are decoded. */
interface Wanted {
  readonly kinds: ReadonlySet<number>;
  /** One of each must stand in a frame; a repeated message has its bytes elsewhere, and is decoded always. */
  readonly needles: readonly (readonly Buffer[])[];
}

const MESSAGES: readonly number[] = [
  RecordKind.inbound,
  RecordKind.outbound,
  RecordKind.repeated,
  RecordKind.unsequenced,
];
const KINDS = {
  message: new Set<number>(MESSAGES),
  order: new Set<number>([RecordKind.endedOrder]),
  audit: new Set<number>([RecordKind.audit, RecordKind.numbers]),
} as const;
const NOTHING: Wanted = { kinds: new Set(), needles: [] };

type Visit = (record: JournalRecord, frame: Frame, index: number) => void;

interface Found {
  readonly page: HistoryEntry[];
  readonly unread: string[];
}

export class JournalHistory {
  readonly #directory: string;
  readonly #ids: SegmentIdFiles;
  /** Finished segments without an end, or with damage: they are read at every search. */
  readonly #unreadable = new Set<number>();

  constructor(directory: string) {
    this.#directory = directory;
    this.#ids = new SegmentIdFiles(directory);
  }

  /** One page. A damaged segment is read as far as it goes, and named. */
  async search(query: HistoryQuery): Promise<HistoryPage> {
    const until = performance.now() + query.withinMs;
    const segments = (await listSegments(this.#directory)).reverse();
    const found: Found = { page: [], unread: [] };
    for (const [nth, segment] of segments.entries()) {
      const known = nth === 0 ? null : this.#ids.read(segment);
      if (known !== null && !isWanted(known, query)) continue;
      const end = known?.end ?? (nth === 0 ? null : await this.#endOf(segment));
      const reader = await this.#open(segment, found.unread);
      if (reader === null) continue;
      const { firstFrame, createdAt } = reader.header;
      const isRead = isBefore(firstFrame, 0, query.before);
      try {
        if (isRead) await this.#collect(reader, end, query, found);
      } finally {
        await reader.close();
      }
      if (found.page.length > query.limit || (createdAt < query.from && query.from > 0)) break;
      if (isRead && performance.now() > until && nth < segments.length - 1)
        return { ...pageOf(found, query), next: { frame: firstFrame, record: 0, at: createdAt } };
    }
    return pageOf(found, query);
  }

  /**
   * Make the ids of one finished segment without them, the newest first; how many are left.
   * @param proves files that are there are read and proved first; else a damaged one stays until a search finds it
   */
  async prepareNext(proves = true): Promise<number> {
    const [, ...finished] = (await listSegments(this.#directory)).reverse();
    this.#ids.keepOnly(new Set(finished));
    const isThere = (segment: number): boolean => (proves ? this.#ids.isSound(segment) : this.#ids.has(segment));
    const missing = finished.filter((segment) => !this.#unreadable.has(segment) && !isThere(segment));
    const [segment] = missing;
    if (segment === undefined) return 0;
    const reader = await this.#open(segment, []);
    const end = reader === null ? null : await this.#endOf(segment);
    const collector = new IdCollector();
    try {
      const damage = reader === null ? '' : await this.#read(reader, end, NOTHING, () => {}, collector);
      if (reader === null || damage !== null || end === null) this.#unreadable.add(segment);
      else this.#ids.write(segment, collector.ids(reader.header.firstFrame, end));
    } finally {
      await reader?.close();
    }
    return missing.length - 1;
  }

  async #collect(
    reader: SegmentReader,
    end: number | null,
    query: HistoryQuery,
    { page, unread }: Found,
  ): Promise<void> {
    const matches = matchOf(query);
    let here: HistoryEntry[] = [];
    const wanted = { kinds: KINDS[query.kind], needles: needlesOf(query) };
    const visit: Visit = (record, { number, at }, index) => {
      if (at < query.from || at > query.to || !isBefore(number, index, query.before) || !matches(record)) return;
      here.push({ place: { frame: number, record: index, at }, record: withOwnBytes(record) });
      // The latest of a segment are wanted: the earlier ones come with the next page.
      if (here.length > 2 * (query.limit + 1)) here = here.slice(-(query.limit + 1));
    };
    // No ids are made here: that takes three times as long as the search, and an operator waits.
    const damage = await this.#read(reader, end, wanted, visit, null);
    if (damage !== null) unread.push(damage);
    page.push(...here.reverse());
  }

  /** Visit the wanted records of a segment, and collect its ids; the reason if it cannot be read to its end. */
  async #read(
    reader: SegmentReader,
    end: number | null,
    wanted: Wanted,
    visit: Visit,
    collector: IdCollector | null,
  ): Promise<string | null> {
    const names = new SessionNames();
    const earlier = new EarlierMessages(this.#directory);
    if (end !== null && end > 0) reader.limitTo(end);
    try {
      for (let frames = await reader.nextFrames(); frames !== null; frames = await reader.nextFrames()) {
        for (const frame of frames) readFrame(frame, { names, earlier, wanted, visit, collector });
      }
      return end === null || reader.position >= end ? null : `${reader.path} is damaged at offset ${reader.position}`;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return `${reader.path}: ${error.message}`;
    } finally {
      earlier.close();
    }
  }

  async #open(segment: number, unread: string[]): Promise<SegmentReader | null> {
    const path = join(this.#directory, segmentFileName(segment));
    try {
      const reader = await SegmentReader.open(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        return SegmentReader.openArchived(archivedPath(this.#directory, segment));
      });
      return reader === 'empty' ? null : reader;
    } catch (error) {
      unread.push(`${path}: ${(error as Error).message}`);
      return null;
    }
  }

  /** Where the valid frames of a finished segment end, as the next one says; null if that says nothing. */
  async #endOf(segment: number): Promise<number | null> {
    const next = await this.#open(segment + 1, []);
    await next?.close();
    return next?.header.previousEnd ?? null;
  }
}

interface Reading {
  readonly names: SessionNames;
  readonly earlier: EarlierMessages;
  readonly wanted: Wanted;
  readonly visit: Visit;
  readonly collector: IdCollector | null;
}

/** Decodes a record only if it may be asked for, or if its bytes lie elsewhere. */
function readFrame(frame: Frame, { names, earlier, wanted, visit, collector }: Reading): void {
  const { payload } = frame;
  const records = new RecordReader(payload);
  const mayMatch = wanted.needles.every((any) => any.some((needle) => payload.includes(needle)));
  collector?.at(frame.at);
  for (let index = 0; index < frame.recordCount; index++) {
    const kind = passRecord(records, names);
    const { recordStart, position } = records;
    const isRepeated = kind === RecordKind.repeated;
    const isVisited = wanted.kinds.has(kind) && (mayMatch || isRepeated);
    if (isVisited || (isRepeated && collector !== null)) {
      records.position = recordStart;
      const record = whole(decodeRecord(records, names), earlier);
      if (isRepeated && 'raw' in record) collector?.message(record.raw, 0, record.raw.length);
      if (isVisited) visit(record, frame, index);
    }
    if (collector === null || isRepeated) continue;
    if (kind === RecordKind.order || kind === RecordKind.endedOrder) collector.order(payload, recordStart, position);
    else if (MESSAGES.includes(kind)) collector.message(payload, recordStart, position);
  }
}

/** False if a segment has certainly nothing that is asked for. */
function isWanted(ids: SegmentIds, { from, to, before, clOrdID, orderID, tags }: HistoryQuery): boolean {
  if (ids.latest < from || ids.earliest > to || !isBefore(ids.firstFrame, 0, before)) return false;
  const wanted = tags.flatMap(({ tag, value }) => (isIndexed(tag) && value !== null ? [value] : []));
  for (const id of [clOrdID, orderID, ...wanted]) if (id !== null && !mayHaveId(ids, id)) return false;
  return true;
}

function pageOf({ page, unread }: Found, { limit }: HistoryQuery): HistoryPage {
  const entries = page.slice(0, limit);
  return { entries, next: page.length > limit ? entries.at(-1)!.place : null, unread };
}

/** A repeated message with its bytes, if the earlier one is still there. */
function whole(record: JournalRecord, earlier: EarlierMessages): JournalRecord {
  if (record.kind !== 'outbound' || !(record.repeats instanceof RepeatedBytes)) return record;
  const { repeats, ...message } = record;
  return { ...message, raw: earlier.madeAgain(repeats)?.raw ?? message.raw };
}

/** Keeping a record must not keep the block that it was read with. */
function withOwnBytes(record: JournalRecord): JournalRecord {
  return 'raw' in record ? { ...record, raw: Buffer.from(record.raw) } : record;
}
