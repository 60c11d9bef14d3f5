// The files of the venue's memory: a snapshot, and the logs of commands since. Leaves when they are written to memory.ts.

import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import { Auction } from '../auctions/auction-phase.ts';
import { CustodyBook } from '../products/custody-book.ts';
import { OtcBook } from '../products/otc-book.ts';
import { CandleSeries } from '../venue/candles.ts';
import { Floor } from '../venue/floor.ts';
import { BoundedList, Histories } from '../venue/histories.ts';
import { IdentifierSequence } from '../venue/identifier.ts';
import { Ledger } from '../venue/ledger.ts';
import { BookSide, OrderBook } from '../venue/order-book.ts';
import { Venue } from '../venue/venue.ts';
import type { VenueCommand } from '../venue/venue-event.ts';
import { type Class, decodeGraph, encodeGraph } from './graph-encoding.ts';

const CLASSES: readonly Class[] = [
  Venue,
  Floor,
  Ledger,
  OrderBook,
  BookSide,
  Auction,
  CandleSeries,
  IdentifierSequence,
  Histories,
  BoundedList,
  OtcBook,
  CustodyBook,
];

/** Form of the files; another one is not read. */
const FORM = 1;

export interface LogRecord {
  readonly at: EpochMs;
  /** The last id given out before the command: faces take ids of the same sequence. */
  readonly last: string;
  /** Null: nothing but time passed, and something was due. */
  readonly command: VenueCommand | null;
}

/** Work of the thread: bring the snapshot up to the beginning of log `next`. */
export interface SnapshotJob {
  readonly directory: string;
  readonly next: number;
}

/** The books as remembered, with the number of the last log that they include; null if there are none. */
export interface Remembered {
  readonly venue: Venue;
  readonly generation: number;
}

export const logPath = (directory: string, generation: number): string => join(directory, `commands-${generation}.log`);

export const snapshotPath = (directory: string): string => join(directory, 'books.json');

/** Where the thread writes: the venue may write a snapshot of its own meanwhile. */
export const preparedPath = (directory: string): string => `${snapshotPath(directory)}.prepared`;

/** Read the snapshot and execute every log before `end`. @throws if a file cannot be read */
export function readBooks(directory: string, end = Number.POSITIVE_INFINITY): Remembered | null {
  const path = snapshotPath(directory);
  if (!existsSync(path)) return null;
  const text = readFileSync(path, 'utf8');
  const lineEnd = text.indexOf('\n');
  const [form, first] = text.slice(0, lineEnd).split(' ').map(Number);
  if (form !== FORM || first === undefined) throw new Error('the books are of another form');
  const venue = decodeGraph(text.slice(lineEnd + 1), CLASSES);
  if (!(venue instanceof Venue)) throw new Error('the snapshot holds no venue');
  let generation = first;
  for (; generation < end && existsSync(logPath(directory, generation)); generation++) {
    for (const record of recordsOf(logPath(directory, generation))) {
      venue.floor.identifiers.resume(BigInt(record.last));
      if (record.command === null) venue.advance(record.at);
      else venue.handle(record.command, record.at);
    }
  }
  return { venue, generation: Math.max(first, generation - 1) };
}

/** Write the snapshot before log `generation`, whole or not at all. */
export function writeBooks(venue: Venue, directory: string, generation: number, path = snapshotPath(directory)): void {
  writeFileSync(`${path}.new`, `${FORM} ${generation}\n${encodeGraph(venue, CLASSES)}`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Write the thread's file; the reason if it fails, else null. */
export function writeNextSnapshot({ directory, next }: SnapshotJob): string | null {
  try {
    const books = readBooks(directory, next);
    if (books === null) return 'the last snapshot is missing';
    writeBooks(books.venue, directory, next, preparedPath(directory));
    return null;
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

/** Remove the logs that the snapshot before log `first` includes, and those of a lost history. */
export function removeOtherLogs(directory: string, first: number, last: number): void {
  for (const name of readdirSync(directory)) {
    const generation = Number(/^commands-(\d+)\.log$/.exec(name)?.[1] ?? Number.NaN);
    if (generation < first || generation > last) rmSync(join(directory, name), { force: true });
  }
}

export function encodeLogRecord(record: LogRecord): string {
  return `${JSON.stringify(record, decimalReplacer)}\n`;
}

/** Records of a log; a last line that was cut by the end of the process was never executed. */
function* recordsOf(path: string): Generator<LogRecord> {
  const lines = readFileSync(path, 'utf8').split('\n');
  lines.pop();
  for (const line of lines) yield JSON.parse(line, decimalReviver) as LogRecord;
}

/** Decimals as `{"$d":"1.50"}`: a Decimal's own JSON would be a mere text. */
function decimalReplacer(this: unknown, key: string, value: unknown): unknown {
  const original = (this as { readonly [key: string]: unknown })[key];
  return original instanceof Decimal ? { $d: original.toString() } : value;
}

function decimalReviver(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { $d } = value as { readonly $d?: unknown };
  return typeof $d === 'string' ? Decimal.of($d) : value;
}
