// Keeps the venue over restarts: a snapshot of everything, and logs of later commands. The venue is deterministic, so
// the snapshot and the same commands at the same times give the same books with the same ids.
//
// A command is written before it is executed: an acknowledged command survives the death of the process (not that of
// the machine: nothing is synced). Logins, nonces, limits and armed faults are not kept. On a full disk the venue
// continues; commands that find no room wait in memory, and are written once there is some. Only where too many wait, or
// nothing was ever written, a snapshot takes their place: it stops every order meanwhile. The log says both.
//
// A full log gives way to the next one, and a thread executes it beside the venue to make the next snapshot. Writing a
// snapshot here would stop every order meanwhile.

import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import type { SimulatorLog } from '../settings.ts';
import type { Venue } from '../venue/venue.ts';
import type { VenueCommand } from '../venue/venue-event.ts';
import {
  encodeLogRecord,
  logPath,
  preparedPath,
  readBooks,
  removeOtherLogs,
  type SnapshotJob,
  snapshotPath,
  writeBooks,
} from './memory-files.ts';

/** Length of a log at which the next one begins. */
const LOG_BYTES_MAX = 8_388_608;
/** Pause before a disk that took nothing is tried again. */
const RETRY_MS = 1000;
/** Length of commands that wait for room on the disk; beyond it they are dropped, and a snapshot takes their place. */
const MISSED_LENGTH_MAX = 16_777_216;
/** Logs that wait for a thread that is slower than the venue. */
const LOGS_MAX = 16;
const WORKER = new URL(`./memory-worker${extname(import.meta.filename)}`, import.meta.url);

export class VenueMemory {
  private readonly directory: string;
  private readonly tell: SimulatorLog;
  private readonly logBytesMax: number;
  /** Whether the log of the simulator says that nothing is remembered. */
  private isTold = false;
  private log: number | null = null;
  private logBytes = 0;
  private generation = 0;
  private silentUntil: EpochMs = 0;
  /** Commands since the disk took nothing any more; null if some are lost, and only a snapshot has them. */
  private missed: string[] | null = null;
  private missedLength = 0;
  /** The log from which the last snapshot goes on. */
  private firstLog = 0;
  /** The thread that makes a snapshot, if one does. */
  private worker: Worker | null = null;

  constructor(directory: string, tell: SimulatorLog = () => {}, logBytesMax = LOG_BYTES_MAX) {
    this.directory = directory;
    this.tell = tell;
    this.logBytesMax = logBytesMax;
  }

  /** Keep the loaded state as it is now. */
  begin(venue: Venue, at: EpochMs): void {
    try {
      this.snapshot(venue);
    } catch (cause) {
      this.forget(cause, at);
    }
  }

  /** The kept venue, or null. @throws CrossgateError if it cannot be read */
  load(): Venue | null {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    try {
      const books = readBooks(this.directory);
      this.generation = books?.generation ?? 0;
      this.firstLog = this.generation;
      return books?.venue ?? null;
    } catch (cause) {
      const text = `the books in ${this.directory} cannot be read; move the folder away to begin anew`;
      throw new CrossgateError('XG_SIMULATOR_INVALID', text, { cause });
    }
  }

  /** Remember a command that is about to be executed, or (null) that time did: ids and times of a cross depend on when. */
  record(venue: Venue, command: VenueCommand | null, at: EpochMs): void {
    const line = encodeLogRecord({ at, last: venue.floor.identifiers.latest, command });
    if (this.log === null && at < this.silentUntil) {
      this.miss(line);
      return;
    }
    try {
      if (this.log === null) this.catchUp(venue);
      else if (this.logBytes > this.logBytesMax) this.nextLog(venue);
      this.write(line);
    } catch (cause) {
      this.forget(cause, at);
      this.miss(line);
      return;
    }
    if (!this.isTold) return;
    this.isTold = false;
    this.tell('info', 'the simulated exchange remembers its books again', { directory: this.directory });
  }

  private write(line: string): void {
    if (writeSync(this.log!, line) < Buffer.byteLength(line)) throw new Error('only a part was written');
    this.logBytes += line.length;
  }

  /** A command found no room: it waits. */
  private miss(line: string): void {
    if (this.missed === null) return;
    this.missed.push(line);
    this.missedLength += line.length;
    if (this.missedLength > MISSED_LENGTH_MAX) this.missed = null;
  }

  /** Write the commands that found no room to a log of their own: a line that was cut ends the one before. */
  private catchUp(venue: Venue): void {
    const { missed, generation } = this;
    if (missed === null) {
      this.snapshot(venue);
      return;
    }
    try {
      this.openLog(generation + 1);
      if (missed.length > 0) this.write(missed.join(''));
    } catch (cause) {
      this.closeLog();
      rmSync(logPath(this.directory, generation + 1), { force: true });
      this.generation = generation;
      throw cause;
    }
    this.missed = null;
  }

  /** Stop writing: a log must have every command, and a line that was cut is its last one. */
  private forget(cause: unknown, at: EpochMs): void {
    this.stopWorker();
    // Without a log the commands before this one wait already, or only a snapshot has them.
    if (this.log !== null) {
      this.missed = [];
      this.missedLength = 0;
    }
    this.closeLog();
    rmSync(`${snapshotPath(this.directory)}.new`, { force: true });
    this.silentUntil = at + RETRY_MS;
    if (this.isTold) return;
    this.isTold = true;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const text =
      'the simulated exchange goes on without remembering: a restart now brings back its books of before this';
    this.tell('warn', text, { directory: this.directory, reason });
  }

  /** Write everything and begin a new log. The files before stay until the new ones are whole. */
  snapshot(venue: Venue): void {
    this.stopWorker();
    const next = this.generation + 1;
    writeBooks(venue, this.directory, next);
    this.closeLog();
    removeOtherLogs(this.directory, next, next);
    this.firstLog = next;
    this.openLog(next);
  }

  close(venue: Venue): void {
    this.missed = null;
    try {
      this.snapshot(venue);
    } catch {
      // The log has the content of this snapshot, as far as there was room.
    }
    this.closeLog();
  }

  /** Go on in the next log, and let the thread make the snapshot before it. */
  private nextLog(venue: Venue): void {
    const next = this.generation + 1;
    if (next - this.firstLog >= LOGS_MAX) {
      const text =
        'the thread that shortens the log of the books is slower than the venue: a snapshot here stops it once';
      this.tell('warn', text, { directory: this.directory, logs: String(next - this.firstLog) });
      this.snapshot(venue);
      return;
    }
    this.closeLog();
    this.openLog(next);
    // One that is not done by now is slower than the venue: the next one takes both logs.
    if (this.worker !== null) return;
    const workerData: SnapshotJob = { directory: this.directory, next };
    let worker: Worker;
    try {
      worker = new Worker(WORKER, { workerData, execArgv: [] });
    } catch (cause) {
      this.tellLate(String(cause));
      return;
    }
    this.worker = worker;
    worker.unref();
    worker.once('message', (reason: string | null) => {
      if (this.worker === worker) this.take(next, reason);
    });
    worker.once('error', (error) => {
      if (this.worker === worker) this.take(next, String(error));
    });
  }

  /** The thread is done: its snapshot takes the place of the last one and of the logs between. */
  private take(next: number, reason: string | null): void {
    this.worker = null;
    if (reason !== null) {
      this.tellLate(reason);
      return;
    }
    try {
      renameSync(preparedPath(this.directory), snapshotPath(this.directory));
      this.firstLog = next;
      removeOtherLogs(this.directory, next, this.generation);
    } catch (cause) {
      this.tellLate(String(cause));
    }
  }

  /** Nothing is lost: the logs stay, and the next full one is another try. */
  private tellLate(reason: string): void {
    const text = 'the simulated exchange could not shorten the log of its books; it tries again';
    this.tell('warn', text, { directory: this.directory, reason });
  }

  private stopWorker(): void {
    void this.worker?.terminate();
    this.worker = null;
  }

  private openLog(generation: number): void {
    this.generation = generation;
    this.log = openSync(logPath(this.directory, generation), 'w', 0o600);
    this.logBytes = 0;
  }

  private closeLog(): void {
    if (this.log !== null) closeSync(this.log);
    this.log = null;
  }
}
