// Orders that ended, found by their keys for years: those since the last snapshot by where their records lie in the segments,
// older ones through index files, their records compressed (ended-file.ts). Only fingerprints are in memory, and only of those
// since the last snapshot.

import { assert } from '../../base/assert.ts';
import type { EndedOrders } from '../../gateway/mod.ts';
import { fingerprint } from '../fingerprint.ts';
import { decodeOrderKeys } from '../record-codec.ts';
import type { EndedPosition } from '../segments/frame-batch.ts';
import { FrameReader } from '../segments/frame-reader.ts';
import { readEnded } from './ended-file.ts';
import { PlaceTable } from './fingerprint-table.ts';
import type { Location } from './outbound-index.ts';
import { ENTRY_NUMBERS, SortedFile } from './sorted-file.ts';

/** An index file of keys, as a snapshot names it. */
export interface KeyFile {
  readonly name: string;
  readonly pages: number;
}

/** Where the records of ended orders lie in one segment, by their keys. */
interface SegmentPlaces {
  readonly segment: number;
  readonly places: PlaceTable;
}

/** Numbers of the files (ended-file.ts) that index files of keys lead to. */
export function endedFilesOf(directory: string, files: readonly KeyFile[]): Set<number> {
  const numbers = new Set<number>();
  for (const { name, pages } of files) {
    const file = SortedFile.open(directory, name, pages);
    const entries = file.entries({ firstPage: 0, pages });
    file.close();
    for (let k = 2; k < entries.length; k += ENTRY_NUMBERS) numbers.add(entries[k]!);
  }
  return numbers;
}

/** Records that are not in a segment yet, by their keys. */
class KeptOrders {
  #orders: Pick<EndedPosition, 'keys' | 'text'>[] = [];
  /** Places of these from 1 on. */
  readonly #places = new PlaceTable();

  get isEmpty(): boolean {
    return this.#orders.length === 0;
  }

  find(key: string, hi: number, lo: number): string | null {
    const place = this.#places.get(hi, lo);
    const order = place === null ? undefined : this.#orders[place[0] - 1];
    return order?.keys.includes(key) === true ? order.text : null;
  }

  add({ keys, text, prints }: Pick<EndedPosition, 'keys' | 'text' | 'prints'>): void {
    this.#orders.push({ keys, text });
    for (let k = 0; k < prints.length; k += 2) {
      this.#places.set(prints[k]!, prints[k + 1]!, this.#orders.length, 0);
    }
  }

  clear(): void {
    if (this.isEmpty) return;
    this.#orders = [];
    this.#places.clear();
  }
}

export class EndedOrderFiles implements EndedOrders {
  readonly #directory: string;
  #files: { readonly file: SortedFile; readonly pages: number }[] = [];
  /** Those since the last snapshot, the newest first. */
  #segments: SegmentPlaces[] = [];
  /** The one noted in last: orders of one segment follow each other. */
  #last: SegmentPlaces | null = null;
  /** Appended, but not handed over yet. */
  #waiting = new KeptOrders();
  /** On their way to a segment. */
  #leaving = new KeptOrders();

  constructor(directory: string) {
    this.#directory = directory;
  }

  find(key: string): string | null {
    const { hi, lo } = fingerprint(key);
    const kept = this.#waiting.find(key, hi, lo) ?? this.#leaving.find(key, hi, lo);
    if (kept !== null) return kept;
    for (const { segment, places } of this.#segments) {
      const place = places.get(hi, lo);
      if (place === null) continue;
      const text = this.#inSegment({ segment, group: place[0], record: place[1] }, key);
      if (text !== null) return text;
    }
    for (const { file, pages } of this.#files) {
      const found = file.find({ firstPage: 0, pages }, hi, lo);
      if (found !== null) return readEnded(this.#directory, found[2], found[3], found[4]);
    }
    return null;
  }

  /** A record was appended; it is kept here until it is in a segment. */
  appended(order: Pick<EndedPosition, 'keys' | 'text' | 'prints'>): void {
    this.#waiting.add(order);
  }

  /** Whatever was appended is on its way to a segment, and was noted there. */
  leave(): void {
    const { isEmpty } = this.#leaving;
    assert(isEmpty, 'the last transfer has arrived');
    [this.#waiting, this.#leaving] = [this.#leaving, this.#waiting];
  }

  /** Records that were in flight are now in its segment. */
  arrived(): void {
    this.#leaving.clear();
  }

  /** Whatever was appended since others left lies in a segment now, and was noted there. */
  written(): void {
    this.#waiting.clear();
  }

  /** A record lies there. @param prints fingerprints of its keys */
  note(prints: Uint32Array, segment: number, group: number, record: number): void {
    if (this.#last?.segment !== segment) this.#last = this.#placesOf(segment);
    const { places } = this.#last;
    for (let k = 0; k < prints.length; k += 2) places.set(prints[k]!, prints[k + 1]!, group, record);
  }

  /** Take over the index files of a snapshot, newest last, and forget what they hold. */
  adopt(files: readonly KeyFile[], through: number): void {
    const before = this.#files;
    this.#files = files
      .map(({ name, pages }) => ({ file: SortedFile.open(this.#directory, name, pages), pages }))
      .reverse();
    for (const { file } of before) file.close();
    this.#segments = this.#segments.filter(({ segment }) => segment > through);
    this.#last = null;
  }

  close(): void {
    for (const { file } of this.#files) file.close();
    this.#files = [];
  }

  #placesOf(segment: number): SegmentPlaces {
    const older = this.#segments.findIndex((known) => known.segment <= segment);
    const known = this.#segments[older];
    if (known?.segment === segment) return known;
    const places = { segment, places: new PlaceTable() };
    this.#segments.splice(older === -1 ? this.#segments.length : older, 0, places);
    return places;
  }

  #inSegment(location: Location, key: string): string | null {
    const frames = new FrameReader(this.#directory);
    try {
      const { reader } = frames.record(location);
      const { ended } = decodeOrderKeys(reader);
      return ended?.includes(key) === true ? reader.text(reader.u32()) : null;
    } finally {
      frames.close();
    }
  }
}
