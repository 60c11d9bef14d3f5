// Has the files of each day written when the day is over (rule J4), in UTC, and those of days that ended while the
// gateway was down. Another process writes them, `crossgate store daily`, so that reading a day's journal holds up no
// order. daily-files.ts has the content of the files.

import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { EpochMs } from '../../base/time.ts';
import { formatIso } from '../../base/time.ts';
import type { EngineLog } from '../../engine/mod.ts';
import { makeFolder } from '../../store/mod.ts';

const DAY_MS = 86_400_000;
/** After midnight, so that the last second is recorded. */
const AFTER_MIDNIGHT_MS = 5000;
/** Serves from the start on: interrupted counterparties reconnect and ask first for missed messages. */
const AFTER_START_MS = 60_000;
/** Days made up for after a pause; files of older ones are written by the command. */
const DAYS_MAX = 7;
const RETRY_MS = 600_000;
/** Below whatever trades. */
const NICENESS = 10;
const LAST_DAY = 'last-day';

export interface DailyScheduleOptions {
  /** Where the files go; made if it is not there. */
  readonly folder: string;
  readonly log: EngineLog;
  readonly now: () => EpochMs;
  /**
   * Write the files of a day, such as `2026-11-20`; places of the journal that could not be read, in words.
   * @param stopped says that they are not waited for any more
   * @throws Error if they could not be written
   */
  readonly write: (date: string, stopped: AbortSignal) => Promise<readonly string[]>;
  /** Call later; default the event loop. The returned function calls it off. */
  readonly later?: (ms: number, run: () => void) => () => void;
}

const dateOf = (at: EpochMs): string => formatIso(at).slice(0, 10);

function eventLoop(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
}

export class DailySchedule {
  readonly #options: DailyScheduleOptions;
  readonly #stop = new AbortController();
  #callOff: (() => void) | null = null;

  constructor(options: DailyScheduleOptions) {
    this.#options = options;
  }

  /** Begin, a while after the start of the gateway. */
  begin(): void {
    const { later = eventLoop } = this.#options;
    this.#callOff = later(AFTER_START_MS, () => void this.run());
  }

  /** Write the missing files, then each day when it is over. Resolves when the missing files are written, or failed. */
  async run(): Promise<void> {
    const { log, now, later = eventLoop } = this.#options;
    let wait: number;
    try {
      for (const date of this.#missing()) {
        if (this.#closed) return;
        // Not retried: lost data does not return by itself.
        for (const place of await this.#options.write(date, this.#stop.signal)) {
          log('error', `reports may be missing from the daily files of ${date}: ${place}`);
        }
        this.#note(date);
      }
      const at = now() - AFTER_MIDNIGHT_MS;
      wait = DAY_MS - (at % DAY_MS);
    } catch (error) {
      if (this.#closed) return;
      log('error', `the daily files could not be written, it is tried again: ${String(error)}`);
      wait = RETRY_MS;
    }
    if (!this.#closed) this.#callOff = later(wait, () => void this.run());
  }

  /** A file being written is abandoned: the next start makes it again. */
  close(): void {
    this.#stop.abort();
    this.#callOff?.();
  }

  get #closed(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Days that are over and not written yet, the oldest first. */
  #missing(): string[] {
    const { folder, now, log } = this.#options;
    makeFolder(folder);
    const over = now() - AFTER_MIDNIGHT_MS;
    const today = over - (over % DAY_MS);
    let last = '';
    try {
      last = readFileSync(join(folder, LAST_DAY), 'latin1').trim();
    } catch {
      // The first time: yesterday's are written.
      last = dateOf(today - 2 * DAY_MS);
    }
    if (last >= dateOf(today)) {
      log('warn', `the daily files of ${last} were written by a clock that was ahead: those since are written again`);
      // For days before the present one it is unknown whether they had ended either.
      last = dateOf(today - (last === dateOf(today) ? 1 : DAYS_MAX + 1) * DAY_MS);
      this.#note(last);
    }
    const days: string[] = [];
    for (let back = DAYS_MAX; back >= 1; back--) {
      const date = dateOf(today - back * DAY_MS);
      if (date > last) days.push(date);
    }
    return days;
  }

  /** Everything up to this day is written. */
  #note(date: string): void {
    writeFileSync(join(this.#options.folder, LAST_DAY), `${date}\n`, { mode: 0o600 });
  }
}

/** How the process is started; a test has it otherwise. */
interface OwnProcess {
  readonly variables?: NodeJS.ProcessEnv;
  readonly main?: string;
  readonly start?: typeof spawn;
}

/**
 * `crossgate store daily` as a process of its own, which would hold up the end of this one, and is ended when it is
 * `stopped`; places that it could not read. @param state as the command takes it: a state folder, or a place in
 * PostgreSQL @throws Error with its own text if it fails
 */
export async function writeInOwnProcess(
  state: string,
  date: string,
  folder: string,
  stopped: AbortSignal,
  { variables = {}, main = process.argv[1] ?? '', start = spawn }: OwnProcess = {},
): Promise<readonly string[]> {
  const args = [
    ...process.execArgv,
    main,
    'store',
    'daily',
    '--json',
    '--state',
    state,
    '--date',
    date,
    '--to',
    folder,
  ];
  const child = start(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: stopped,
    env: { ...process.env, ...variables },
  });
  let said = '';
  let report = '';
  const code = await new Promise<number | string>((resolve) => {
    // Before all else: without a free file descriptor it is read in the next turn, without streams, and no listener may
    // miss it.
    child.on('error', (error) => resolve(error.message));
    child.on('close', (exitCode, signal) => resolve(exitCode ?? signal ?? 'unknown'));
    const { stdout, stderr } = child as Partial<typeof child>;
    stdout?.setEncoding('utf8').on('data', (text: string) => {
      report += text;
    });
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-1000);
    });
    try {
      if (child.pid !== undefined) setPriority(child.pid, NICENESS);
    } catch {
      // It ended already, or this system knows no priorities.
    }
  });
  // A report says that the files are written, whatever is missing from them.
  if (report === '') throw new Error(`store daily ended with ${code}: ${said.trim()}`);
  return (JSON.parse(report) as { damage: string[] }).damage;
}
