// A file of sorted entries in pages with a CRC each, written once and then only read: positions of outbound messages
// and of ended orders. Its user interprets the entries.
//
//   entry = five unsigned 32-bit numbers, sorted by the first two · page = CRC 4 · count 4 · 204 entries · padding
//   file  = pages · first two numbers of each page · CRC of those · where keys are looked up one by one: filter · its CRC

import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { CrossgateError } from '../../base/errors.ts';
import { giveToOwnerOfFolder } from '../folder.ts';
import { keyFilter, mayHold } from './bloom-filter.ts';

export const ENTRY_NUMBERS = 5;
const ENTRY_BYTES = 20;
const PAGE_BYTES = 4096;
const PAGE_HEADER_BYTES = 8;
/** Pages read at a time by a check of the whole file. */
const CHECK_PAGES = 256;
/** Entries from which sorting by digits is faster than by comparing. */
const BY_DIGITS_FROM = 4096;
/** Values of the digit by which entries are sorted. */
const DIGITS = 65_536;
const PAGE_ENTRIES = Math.floor((PAGE_BYTES - PAGE_HEADER_BYTES) / ENTRY_BYTES);

export type Entry = readonly [hi: number, lo: number, a: number, b: number, c: number];

/** Consecutive pages that are sorted among themselves. */
export interface Run {
  readonly firstPage: number;
  readonly pages: number;
}

function damaged(path: string, offset: number): CrossgateError {
  return new CrossgateError(
    'XG_JOURNAL_CORRUPT',
    `${path}: this index file is damaged at offset ${offset}. It is made from the segments: stop the gateway, run ` +
      '`crossgate store verify --rebuild`, and start again.',
  );
}

/** Sort entries by their first two numbers; of equal ones the last given stays. */
export function sortEntries(unsorted: ArrayLike<number>): Uint32Array {
  const entries = new Uint32Array(unsorted);
  const count = entries.length / ENTRY_NUMBERS;
  const order = new Uint32Array(count);
  let sorted = true;
  for (let k = 0; k < count; k++) {
    order[k] = k;
    if (k > 0 && compareAt(entries, k - 1, k) >= 0) sorted = false;
  }
  if (sorted) return entries;
  if (count < BY_DIGITS_FROM) order.sort((a, b) => compareAt(entries, a, b) || a - b);
  else sortByDigits(entries, order);
  const out = new Uint32Array(count * ENTRY_NUMBERS);
  let length = 0;
  for (let k = 0; k < count; k++) {
    if (k + 1 < count && compareAt(entries, order[k]!, order[k + 1]!) === 0) continue;
    for (let n = 0; n < ENTRY_NUMBERS; n++) out[length++] = entries[order[k]! * ENTRY_NUMBERS + n]!;
  }
  return out.subarray(0, length);
}

/** Put sorted entries together; of equal ones those of `newer` stay. */
export function mergeEntries(older: Uint32Array, newer: Uint32Array): Uint32Array {
  const out = new Uint32Array(older.length + newer.length);
  let length = 0;
  let a = 0;
  for (let b = 0; a < older.length || b < newer.length; ) {
    const order =
      a === older.length ? 1 : b === newer.length ? -1 : older[a]! - newer[b]! || older[a + 1]! - newer[b + 1]!;
    if (order === 0) a += ENTRY_NUMBERS;
    const from = order < 0 ? older : newer;
    let at = order < 0 ? a : b;
    for (let n = 0; n < ENTRY_NUMBERS; n++) out[length++] = from[at++]!;
    if (order < 0) a = at;
    else b = at;
  }
  return out.subarray(0, length);
}

/**
 * Sort indices of entries by their first two numbers, equal ones staying in order: by 16 bits after the other, the lowest
 * first. Hundreds of thousands are sorted for a snapshot, and a comparison of two costs a call.
 */
function sortByDigits(entries: Uint32Array, order: Uint32Array): void {
  const starts = new Uint32Array(DIGITS + 1);
  const sorted = new Uint32Array(order.length);
  for (let digit = 0; digit < 4; digit++) {
    const number = digit < 2 ? 1 : 0;
    const shift = (digit & 1) * 16;
    const digitOf = (entry: number): number => (entries[entry * ENTRY_NUMBERS + number]! >>> shift) & (DIGITS - 1);
    starts.fill(0);
    for (let k = 0; k < order.length; k++) starts[digitOf(k) + 1]!++;
    for (let d = 0; d < DIGITS; d++) starts[d + 1]! += starts[d]!;
    for (const entry of order) sorted[starts[digitOf(entry)]!++] = entry;
    order.set(sorted);
  }
}

function compareAt(entries: Uint32Array, a: number, b: number): number {
  const x = a * ENTRY_NUMBERS;
  const y = b * ENTRY_NUMBERS;
  return entries[x]! - entries[y]! || entries[x + 1]! - entries[y + 1]!;
}

/**
 * Write runs of sorted entries to a new file, durably; `filtered`: with a filter for what is looked up in the first. Returns
 * where each lies, in the order given, and the pages of all.
 */
export function writeSortedFile(
  path: string,
  runs: readonly Uint32Array[],
  filtered = false,
): { runs: Run[]; pages: number } {
  const places: Run[] = [];
  const fences: number[] = [];
  const fd = openSync(path, 'w', 0o600);
  try {
    giveToOwnerOfFolder(path);
    for (const entries of runs) {
      const firstPage = fences.length / 2;
      const count = entries.length / ENTRY_NUMBERS;
      const bytes = Buffer.alloc(Math.ceil(count / PAGE_ENTRIES) * PAGE_BYTES);
      for (let page = 0; page * PAGE_ENTRIES < count; page++) {
        const start = page * PAGE_ENTRIES * ENTRY_NUMBERS;
        fences.push(entries[start]!, entries[start + 1]!);
        encodePage(bytes.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES), entries, start);
      }
      writeAll(fd, bytes);
      places.push({ firstPage, pages: bytes.length / PAGE_BYTES });
    }
    const tail = Buffer.alloc(fences.length * 4);
    for (const [k, number] of fences.entries()) tail.writeUInt32LE(number, k * 4);
    writeChecked(fd, tail);
    if (filtered) writeChecked(fd, keyFilter(runs[0]!, ENTRY_NUMBERS));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  return { runs: places, pages: fences.length / 2 };
}

function writeChecked(fd: number, bytes: Uint8Array): void {
  const crc = Buffer.alloc(4);
  crc.writeUInt32LE(crc32(bytes));
  writeAll(fd, bytes);
  writeAll(fd, crc);
}

function encodePage(page: Buffer, entries: Uint32Array, start: number): void {
  const end = Math.min(entries.length, start + PAGE_ENTRIES * ENTRY_NUMBERS);
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  view.setUint32(4, (end - start) / ENTRY_NUMBERS, true);
  for (let k = start; k < end; k++) view.setUint32(PAGE_HEADER_BYTES + (k - start) * 4, entries[k]!, true);
  page.writeUInt32LE(crc32(page.subarray(4)), 0);
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}

/** Reads entries of such a file, one page at a time. */
export class SortedFile {
  readonly #path: string;
  readonly #fd: number;
  readonly #pages: number;
  #fences: Uint32Array | null = null;
  #filter: Uint8Array | null = null;

  private constructor(path: string, fd: number, pages: number) {
    this.#path = path;
    this.#fd = fd;
    this.#pages = pages;
  }

  /** @throws XG_JOURNAL_CORRUPT if there is no such file */
  static open(directory: string, name: string, pages: number): SortedFile {
    const path = join(directory, name);
    try {
      return new SortedFile(path, openSync(path, 'r'), pages);
    } catch (cause) {
      const error = damaged(path, 0);
      error.cause = cause;
      throw error;
    }
  }

  /** The entry with these first two numbers, or null. */
  find(run: Run, hi: number, lo: number): Entry | null {
    if (!mayHold(this.#readFilter(), hi, lo)) return null;
    for (const entry of this.range(run, hi, lo, lo)) return entry;
    return null;
  }

  /** Entries with `hi` as first number and a second number between `from` and `to`, ascending. */
  *range(run: Run, hi: number, from: number, to: number): Generator<Entry> {
    const end = run.firstPage + run.pages;
    for (let page = this.#pageOf(run, hi, from); page < end; page++) {
      const bytes = this.#page(page);
      const count = bytes.readUInt32LE(4);
      for (let k = 0; k < count; k++) {
        const at = PAGE_HEADER_BYTES + k * ENTRY_BYTES;
        const first = bytes.readUInt32LE(at);
        if (first < hi) continue;
        const second = bytes.readUInt32LE(at + 4);
        if (first > hi || second > to) return;
        if (second < from) continue;
        yield [hi, second, bytes.readUInt32LE(at + 8), bytes.readUInt32LE(at + 12), bytes.readUInt32LE(at + 16)];
      }
    }
  }

  /** Read everything once. @throws XG_JOURNAL_CORRUPT */
  check(): void {
    this.#readFences();
    this.#readFilter();
    const block = Buffer.allocUnsafe(CHECK_PAGES * PAGE_BYTES);
    for (let page = 0; page < this.#pages; page += CHECK_PAGES) {
      const bytes = block.subarray(0, Math.min(CHECK_PAGES, this.#pages - page) * PAGE_BYTES);
      if (readSync(this.#fd, bytes, 0, bytes.length, page * PAGE_BYTES) !== bytes.length) {
        throw damaged(this.#path, page * PAGE_BYTES);
      }
      for (let at = 0; at < bytes.length; at += PAGE_BYTES) {
        if (crc32(bytes.subarray(at + 4, at + PAGE_BYTES)) !== bytes.readUInt32LE(at)) {
          throw damaged(this.#path, page * PAGE_BYTES + at);
        }
      }
    }
  }

  /** All entries of a run. */
  entries(run: Run): Uint32Array {
    const out: Uint32Array[] = [];
    let length = 0;
    for (let page = run.firstPage; page < run.firstPage + run.pages; page++) {
      const bytes = this.#page(page);
      const numbers = new Uint32Array(bytes.readUInt32LE(4) * ENTRY_NUMBERS);
      for (let k = 0; k < numbers.length; k++) numbers[k] = bytes.readUInt32LE(PAGE_HEADER_BYTES + k * 4);
      out.push(numbers);
      length += numbers.length;
    }
    const all = new Uint32Array(length);
    let at = 0;
    for (const numbers of out) {
      all.set(numbers, at);
      at += numbers.length;
    }
    return all;
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** The last page of a run that begins at or before an entry: the first that can hold it. */
  #pageOf(run: Run, hi: number, lo: number): number {
    const fences = this.#readFences();
    let low = run.firstPage;
    let high = run.firstPage + run.pages - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const first = fences[2 * middle]!;
      if (first < hi || (first === hi && fences[2 * middle + 1]! <= lo)) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #readFences(): Uint32Array {
    if (this.#fences !== null) return this.#fences;
    const bytes = this.#readChecked(this.#pages * PAGE_BYTES, this.#pages * 8);
    const fences = new Uint32Array(this.#pages * 2);
    for (let k = 0; k < fences.length; k++) fences[k] = bytes.readUInt32LE(k * 4);
    this.#fences = fences;
    return fences;
  }

  /** Empty where there is none: of outbound messages, of very many keys, and in files from before there were filters. */
  #readFilter(): Uint8Array {
    if (this.#filter !== null) return this.#filter;
    const at = this.#pages * (PAGE_BYTES + 8) + 4;
    const length = fstatSync(this.#fd).size - at - 4;
    this.#filter = length > 0 ? this.#readChecked(at, length) : new Uint8Array(0);
    return this.#filter;
  }

  #readChecked(position: number, length: number): Buffer {
    const bytes = this.#read(position, length + 4);
    if (crc32(bytes.subarray(0, length)) !== bytes.readUInt32LE(length)) throw damaged(this.#path, position);
    return bytes.subarray(0, length);
  }

  #page(page: number): Buffer {
    const bytes = this.#read(page * PAGE_BYTES, PAGE_BYTES);
    const isWhole = crc32(bytes.subarray(4)) === bytes.readUInt32LE(0) && bytes.readUInt32LE(4) <= PAGE_ENTRIES;
    if (!isWhole) throw damaged(this.#path, page * PAGE_BYTES);
    return bytes;
  }

  #read(position: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    if (readSync(this.#fd, bytes, 0, length, position) !== length) throw damaged(this.#path, position);
    return bytes;
  }
}
