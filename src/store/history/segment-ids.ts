// The ids in one finished segment, as a Bloom filter in a file beside the journal: a search by ClOrdID or OrderID passes over the
// segments that cannot have it, archived ones without unpacking them. Made from the segment when it is first needed, and made
// again if it is damaged or gone.
//
//   file = CRC of the rest 4 · version 4 · earliest and latest time, first frame, end of its frames, 8 each · filter

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { EpochMs } from '../../base/time.ts';
import { fingerprint } from '../fingerprint.ts';
import { addKey, mayHoldKey } from '../index/bloom-filter.ts';
import type { JournalRecord } from '../port.ts';

const VERSION = 1;
const HEAD_BYTES = 40;
const SOH = 0x01;
/** One new id in a thousand seems known: a segment that is read for nothing takes half a second. */
const BITS_PER_ID = 16;
const PROBES = 6;
/** ClOrdID, ExecID, OrderID, OrigClOrdID, SecondaryOrderID. */
const ID_TAGS: ReadonlySet<number> = new Set([11, 17, 37, 41, 198]);
const NEEDLES = [...ID_TAGS].map((tag) => Buffer.from(`\u0001${tag}=`, 'latin1'));
/** The names of an order in its record. */
const NAMES = /"(?:clOrdID|exchangeOrderId)":"([^"\\]*)"|"clOrdIDs":\[([^\]\\]*)\]/g;

/** Ids and times of one segment. */
export interface SegmentIds {
  readonly filter: Uint8Array;
  readonly earliest: EpochMs;
  readonly latest: EpochMs;
  readonly firstFrame: number;
  /** Offset behind its last valid frame, as the next segment says. */
  readonly end: number;
}

/** Whether values of this tag are in the filters. */
export function isIndexed(tag: number): boolean {
  return ID_TAGS.has(tag);
}

/** Whether a segment may have this id; false is certain. The filters hold ids in ASCII only. */
export function mayHaveId({ filter }: SegmentIds, id: string): boolean {
  if (!/^[\x20-\x7e]*$/.test(id)) return true;
  const { hi, lo } = fingerprint(id);
  return filter.length === 0 ? false : mayHoldKey(filter, lo, hi | 1, PROBES);
}

/** Collects the ids of a segment while it is read. */
export class IdCollector {
  readonly #seen = new Set<number>();
  readonly #prints: number[] = [];
  #earliest = Number.POSITIVE_INFINITY;
  #latest = Number.NEGATIVE_INFINITY;

  add(record: JournalRecord, at: EpochMs): void {
    this.#earliest = Math.min(this.#earliest, at);
    this.#latest = Math.max(this.#latest, at);
    if (record.kind === 'order') {
      for (const [, name, names] of record.record.matchAll(NAMES)) {
        if (name !== undefined) this.#note(name);
        else for (const each of names!.split(',')) this.#note(each.slice(1, -1));
      }
    } else if ('raw' in record) this.#fields(record.raw);
  }

  ids(firstFrame: number, end: number): SegmentIds {
    const prints = this.#prints;
    const filter = new Uint8Array(Math.ceil(((prints.length / 2) * BITS_PER_ID) / 8));
    for (let k = 0; k < prints.length; k += 2) addKey(filter, prints[k + 1]!, prints[k]! | 1, PROBES);
    return { filter, earliest: this.#earliest, latest: this.#latest, firstFrame, end };
  }

  #fields(raw: Uint8Array): void {
    const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
    for (const needle of NEEDLES) {
      for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + 1)) {
        const start = at + needle.length;
        const end = bytes.indexOf(SOH, start);
        this.#note(bytes.toString('latin1', start, end === -1 ? bytes.length : end));
      }
    }
  }

  #note(id: string): void {
    const { hi, lo, short } = fingerprint(id);
    if (this.#seen.has(short)) return;
    this.#seen.add(short);
    this.#prints.push(hi, lo);
  }
}

const fileName = (segment: number): string => `${segment.toString().padStart(8, '0')}.ids`;

/** The files of a journal's filters. A reader that may not write there keeps them for itself. */
export class SegmentIdFiles {
  readonly #folder: string;
  readonly #known = new Map<number, SegmentIds>();

  /** @param directory of the journal */
  constructor(directory: string) {
    this.#folder = join(directory, 'history');
  }

  /** Null if they were not made yet, or are damaged. */
  read(segment: number): SegmentIds | null {
    const known = this.#known.get(segment) ?? this.#load(segment);
    if (known !== null) this.#known.set(segment, known);
    return known;
  }

  write(segment: number, ids: SegmentIds): void {
    this.#known.set(segment, ids);
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32LE(VERSION, 4);
    head.writeDoubleLE(ids.earliest, 8);
    head.writeDoubleLE(ids.latest, 16);
    head.writeDoubleLE(ids.firstFrame, 24);
    head.writeDoubleLE(ids.end, 32);
    const bytes = Buffer.concat([head, ids.filter]);
    bytes.writeUInt32LE(crc32(bytes.subarray(4)), 0);
    const path = join(this.#folder, fileName(segment));
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(`${path}.new`, bytes, { mode: 0o600 });
      renameSync(`${path}.new`, path);
    } catch {
      // A full disk, or a folder of another user: the search works without the file.
      rmSync(`${path}.new`, { force: true });
    }
  }

  /** Forget segments that were deleted after their years. */
  keepOnly(segments: ReadonlySet<number>): void {
    for (const name of this.#names()) {
      const segment = Number(/^(\d{8})\.ids$/.exec(name)?.[1] ?? Number.NaN);
      if (Number.isNaN(segment) || segments.has(segment)) continue;
      this.#known.delete(segment);
      rmSync(join(this.#folder, name), { force: true });
    }
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder);
    } catch {
      return [];
    }
  }

  #load(segment: number): SegmentIds | null {
    let bytes: Buffer;
    try {
      bytes = readFileSync(join(this.#folder, fileName(segment)));
    } catch {
      return null;
    }
    if (bytes.length < HEAD_BYTES || crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0)) return null;
    if (bytes.readUInt32LE(4) !== VERSION) return null;
    const [earliest = 0, latest = 0, firstFrame = 0, end = 0] = [8, 16, 24, 32].map((at) => bytes.readDoubleLE(at));
    return { earliest, latest, firstFrame, end, filter: bytes.subarray(HEAD_BYTES) };
  }
}
