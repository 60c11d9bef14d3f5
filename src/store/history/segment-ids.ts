// The ids in one finished segment, as a Bloom filter in a file beside the journal: a search by ClOrdID or OrderID passes over the
// segments that cannot have it, archived ones without unpacking them. Made when the segment is finished, of older ones beside the
// traffic, and made again if it is damaged or gone. Only a hint: what it leads to is read and compared.
//
//   file = CRC of the rest 4 · version 4 · earliest and latest time, first frame, end of its frames, 8 each · filter

import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { crc32 } from 'node:zlib';
import type { EpochMs } from '../../base/time.ts';
import { fingerprint } from '../fingerprint.ts';
import { giveToOwnerOfFolder, makeFolder } from '../folder.ts';
import { addKey, mayHoldKey } from '../index/bloom-filter.ts';

const VERSION = 1;
const HEAD_BYTES = 40;
/** One new id in a thousand seems known: a segment that is read for nothing takes a tenth of a second. */
const BITS_PER_ID = 16;
const PROBES = 6;
/** ClOrdID, ExecID, OrderID, OrigClOrdID, SecondaryOrderID. */
const ID_TAGS: ReadonlySet<number> = new Set([11, 17, 37, 41, 198]);
/** Filters in memory, of all segments: beyond that they are read again when they are asked for. */
const KEPT_BYTES_MAX = 67_108_864;

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

/** Whether a segment may have this id; false is certain. The filters hold ids in ASCII that JSON writes as they are. */
export function mayHaveId({ filter }: SegmentIds, id: string): boolean {
  if (!/^[\x20-\x7e]*$/.test(id) || /["\\]/.test(id)) return true;
  const { hi, lo } = fingerprint(id);
  return filter.length === 0 ? false : mayHoldKey(filter, lo, hi | 1, PROBES);
}

/** A filter of ids. @param prints both halves of the fingerprint of each, one behind the other */
export function filterOf(prints: readonly number[]): Uint8Array {
  const filter = new Uint8Array(Math.ceil(((prints.length / 2) * BITS_PER_ID) / 8));
  for (let k = 0; k < prints.length; k += 2) addKey(filter, prints[k + 1]!, prints[k]! | 1, PROBES);
  return filter;
}

const DRAFT = '.new';
const fileName = (segment: number): string => `${segment.toString().padStart(8, '0')}.ids`;

/** The files of a journal's filters. A reader that may not write there keeps them for itself. */
export class SegmentIdFiles {
  readonly #folder: string;
  readonly #known = new Map<number, SegmentIds>();
  #keptBytes = 0;
  readonly #proved = new Set<number>();

  /** @param directory of the journal */
  constructor(directory: string) {
    this.#folder = join(directory, 'history');
  }

  /** Null if they were not made yet, or are damaged. */
  read(segment: number): SegmentIds | null {
    const known = this.#known.get(segment);
    if (known !== undefined) return known;
    const loaded = this.#load(segment);
    if (loaded !== null) this.#keep(segment, loaded);
    return loaded;
  }

  /** Whether a segment has a file, sound or not. */
  has(segment: number): boolean {
    return existsSync(join(this.#folder, fileName(segment)));
  }

  /** Whether a segment has ids that can be used. A file is proved once, and then only looked for. */
  isSound(segment: number): boolean {
    if (this.#known.has(segment)) return true;
    if (this.#proved.has(segment) && this.has(segment)) return true;
    return this.read(segment) !== null;
  }

  #keep(segment: number, ids: SegmentIds): void {
    if (this.#keptBytes + ids.filter.length > KEPT_BYTES_MAX) {
      this.#known.clear();
      this.#keptBytes = 0;
    }
    this.#known.set(segment, ids);
    this.#proved.add(segment);
    this.#keptBytes += ids.filter.length;
  }

  write(segment: number, ids: SegmentIds): void {
    this.#proved.add(segment);
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32LE(VERSION, 4);
    head.writeDoubleLE(ids.earliest, 8);
    head.writeDoubleLE(ids.latest, 16);
    head.writeDoubleLE(ids.firstFrame, 24);
    head.writeDoubleLE(ids.end, 32);
    const bytes = Buffer.concat([head, ids.filter]);
    bytes.writeUInt32LE(crc32(bytes.subarray(4)), 0);
    const path = join(this.#folder, fileName(segment));
    // A command and the gateway may make the same file at once.
    const draft = `${path}.${process.pid}${DRAFT}`;
    try {
      makeFolder(this.#folder);
      writeFileSync(draft, bytes, { mode: 0o600 });
      giveToOwnerOfFolder(draft);
      renameSync(draft, path);
    } catch {
      // A full disk, or a folder of another user: the search works without the file.
      rmSync(draft, { force: true });
    }
  }

  /** Remove files of segments that were deleted after their years, and what a killed process left. */
  keepOnly(segments: ReadonlySet<number>): void {
    for (const name of this.#names()) {
      if (name.endsWith(DRAFT)) rmSync(join(this.#folder, name), { force: true });
      const segment = Number(/^(\d{8})\.ids$/.exec(name)?.[1] ?? Number.NaN);
      if (Number.isNaN(segment) || segments.has(segment)) continue;
      this.#known.delete(segment);
      this.#proved.delete(segment);
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
