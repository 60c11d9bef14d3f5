// Orders that ended, found by their keys for years: those since the last snapshot by where their records lie in the segments,
// older ones through index files, their records compressed (ended-file.ts). Only fingerprints are in memory, and only of those
// since the last snapshot.

import type { EndedOrders } from '../gateway/mod.ts';
import { readEnded } from './ended-file.ts';
import { fingerprint } from './fingerprint.ts';
import { FrameReader } from './frame-reader.ts';
import type { Location } from './outbound-index.ts';
import { decodeOrderKeys } from './record-codec.ts';
import { SortedFile } from './sorted-file.ts';

/** An index file of keys, as a snapshot names it. */
export interface KeyFile {
  readonly name: string;
  readonly pages: number;
}

/** Where the records of one segment lie, by the short fingerprints of their keys; group and record as two numbers. */
type SegmentKeys = Map<number, readonly [group: number, record: number]>;

export class EndedOrderFiles implements EndedOrders {
  readonly #directory: string;
  #files: { readonly file: SortedFile; readonly pages: number }[] = [];
  readonly #segments = new Map<number, SegmentKeys>();
  /** Appended, but not in a segment yet. */
  readonly #unwritten = new Map<string, string>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  find(key: string): string | null {
    const unwritten = this.#unwritten.get(key);
    if (unwritten !== undefined) return unwritten;
    const { hi, lo, short } = fingerprint(key);
    for (const segment of [...this.#segments.keys()].sort((a, b) => b - a)) {
      const place = this.#segments.get(segment)!.get(short);
      if (place === undefined) continue;
      const text = this.#inSegment({ segment, group: place[0], record: place[1] }, key);
      if (text !== null) return text;
    }
    for (const { file, pages } of this.#files) {
      const found = file.find({ firstPage: 0, pages }, hi, lo);
      if (found !== null) return readEnded(this.#directory, found[2], found[3], found[4]);
    }
    return null;
  }

  /** A record was appended; it is kept here until `written` says where it lies. */
  appended(keys: readonly string[], text: string): void {
    for (const key of keys) this.#unwritten.set(key, text);
  }

  /** A record lies in a segment now. */
  written(keys: readonly string[], text: string, segment: number, group: number, record: number): void {
    this.note(keys, segment, group, record);
    // A later record of the same order may wait behind this one.
    for (const key of keys) if (this.#unwritten.get(key) === text) this.#unwritten.delete(key);
  }

  note(keys: readonly string[], segment: number, group: number, record: number): void {
    let bySegment = this.#segments.get(segment);
    if (bySegment === undefined) {
      bySegment = new Map();
      this.#segments.set(segment, bySegment);
    }
    const place = [group, record] as const;
    for (const key of keys) bySegment.set(fingerprint(key).short, place);
  }

  /** Take over the index files of a snapshot, newest last, and forget what they hold. */
  adopt(files: readonly KeyFile[], through: number): void {
    const before = this.#files;
    this.#files = files
      .map(({ name, pages }) => ({ file: SortedFile.open(this.#directory, name, pages), pages }))
      .reverse();
    for (const { file } of before) file.close();
    for (const segment of this.#segments.keys()) if (segment <= through) this.#segments.delete(segment);
  }

  close(): void {
    for (const { file } of this.#files) file.close();
    this.#files = [];
  }

  #inSegment(location: Location, key: string): string | null {
    const frames = new FrameReader(this.#directory, 8192);
    try {
      const { reader } = frames.record(location);
      const { ended } = decodeOrderKeys(reader);
      return ended?.includes(key) === true ? reader.text(reader.u32()) : null;
    } finally {
      frames.close();
    }
  }
}
