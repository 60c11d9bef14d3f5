// Memory of the venue over restarts: a snapshot of everything, and a log of the commands since. The venue is deterministic, so
// that the snapshot and the same commands at the same times are the same books, with the same ids.
//
// A command is written before it is executed: what a client was told survives the death of the process (not that of the
// machine: nothing is synced). Logins, nonces, limits and armed faults are not remembered. On a full disk the venue goes on, and
// is remembered again from the next snapshot that succeeds; the log says both.

import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Decimal } from '../base/decimal.ts';
import { CrossgateError } from '../base/errors.ts';
import type { EpochMs } from '../base/time.ts';
import { Auction } from './auction-phase.ts';
import { CandleSeries } from './candles.ts';
import { CustodyBook } from './custody-book.ts';
import { Floor } from './floor.ts';
import { type Class, decodeGraph, encodeGraph } from './graph-encoding.ts';
import { BoundedList, Histories } from './histories.ts';
import { IdentifierSequence } from './identifier.ts';
import { Ledger } from './ledger.ts';
import { BookSide, OrderBook } from './order-book.ts';
import { OtcBook } from './otc-book.ts';
import type { SimulatorLog } from './settings.ts';
import { Venue } from './venue.ts';
import type { VenueCommand } from './venue-event.ts';

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
/** Length of the log at which it becomes a snapshot. */
const LOG_BYTES_MAX = 8_388_608;
/** Pause before the next snapshot is tried on a disk that took nothing: each writes everything. */
const RETRY_MS = 1000;

interface Record {
  readonly at: EpochMs;
  /** The last id given out before the command: faces take ids of the same sequence. */
  readonly last: string;
  /** Null: nothing but time passed, and something was due. */
  readonly command: VenueCommand | null;
}

export class VenueMemory {
  private readonly directory: string;
  private readonly tell: SimulatorLog;
  /** Whether people were told that nothing is remembered. */
  private isTold = false;
  private log: number | null = null;
  private logBytes = 0;
  private generation = 0;
  private silentUntil: EpochMs = 0;

  constructor(directory: string, tell: SimulatorLog = () => {}) {
    this.directory = directory;
    this.tell = tell;
  }

  /** Remember what was loaded, as it is now. */
  begin(venue: Venue, at: EpochMs): void {
    try {
      this.snapshot(venue);
    } catch (cause) {
      this.forget(cause, at);
    }
  }

  /** What was remembered, or null. @throws CrossgateError if it cannot be read */
  load(): Venue | null {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    const path = this.snapshotPath();
    if (!existsSync(path)) return null;
    try {
      const text = readFileSync(path, 'utf8');
      const end = text.indexOf('\n');
      const [form, generation] = text.slice(0, end).split(' ').map(Number);
      if (form !== FORM || generation === undefined) throw new Error('the books are of another form');
      this.generation = generation;
      const venue = decodeGraph(text.slice(end + 1), CLASSES);
      if (!(venue instanceof Venue)) throw new Error('the snapshot holds no venue');
      for (const record of this.records()) {
        venue.floor.identifiers.resume(BigInt(record.last));
        if (record.command === null) venue.advance(record.at);
        else venue.handle(record.command, record.at);
      }
      return venue;
    } catch (cause) {
      const text = `the books in ${this.directory} cannot be read; move the folder away to begin anew`;
      throw new CrossgateError('XG_SIMULATOR_INVALID', text, { cause });
    }
  }

  /** Remember a command that is about to be executed, or (null) that time did: ids and times of a cross depend on when. */
  record(venue: Venue, command: VenueCommand | null, at: EpochMs): void {
    if (this.log === null && at < this.silentUntil) return;
    const line = `${JSON.stringify({ at, last: venue.floor.identifiers.latest, command }, decimalReplacer)}\n`;
    try {
      if (this.log === null || this.logBytes > LOG_BYTES_MAX) this.snapshot(venue);
      if (writeSync(this.log!, line) < Buffer.byteLength(line)) throw new Error('only a part was written');
    } catch (cause) {
      this.forget(cause, at);
      return;
    }
    this.logBytes += line.length;
    if (!this.isTold) return;
    this.isTold = false;
    this.tell('info', 'the simulated exchange remembers its books again', { directory: this.directory });
  }

  /** What the log lacks now it must not go on without: a line that was cut is the last one. */
  private forget(cause: unknown, at: EpochMs): void {
    this.closeLog();
    rmSync(`${this.snapshotPath()}.new`, { force: true });
    this.silentUntil = at + RETRY_MS;
    if (this.isTold) return;
    this.isTold = true;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const text =
      'the simulated exchange goes on without remembering: a restart now brings back its books of before this';
    this.tell('warn', text, { directory: this.directory, reason });
  }

  /** Write everything and begin a new log. The old pair stays until the new one is whole. */
  snapshot(venue: Venue): void {
    const next = this.generation + 1;
    const path = this.snapshotPath();
    writeFileSync(`${path}.new`, `${FORM} ${next}\n${encodeGraph(venue, CLASSES)}`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
    this.closeLog();
    rmSync(this.logPath(this.generation), { force: true });
    this.generation = next;
    this.log = openSync(this.logPath(next), 'w', 0o600);
    this.logBytes = 0;
  }

  close(venue: Venue): void {
    try {
      this.snapshot(venue);
    } catch {
      // The log has what this snapshot would have had, as far as there was room.
    }
    this.closeLog();
  }

  private closeLog(): void {
    if (this.log !== null) closeSync(this.log);
    this.log = null;
  }

  /** Records of the log; a last line that was cut by the end of the process was never executed. */
  private *records(): Generator<Record> {
    const path = this.logPath(this.generation);
    if (!existsSync(path)) return;
    const lines = readFileSync(path, 'utf8').split('\n');
    lines.pop();
    for (const line of lines) yield JSON.parse(line, decimalReviver) as Record;
  }

  private snapshotPath(): string {
    return join(this.directory, 'books.json');
  }

  private logPath(generation: number): string {
    return join(this.directory, `commands-${generation}.log`);
  }
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
