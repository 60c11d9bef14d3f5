// Dependable exit codes, and errors in words: 0 done, 1 the command found or met a problem, 2 wrong usage, 70 a bug of
// ours. Code 3 means that a replay could not connect or log on (replay.ts), or that no gateway could be asked for kill
// switches (kill-switch.ts). Output that could not be written is a problem too.

import { once } from 'node:events';
import { fstatSync, writeSync } from 'node:fs';
import process from 'node:process';
import { CommanderError } from 'commander';
import { CrossgateError } from '../../base/errors.ts';
import { withRemedy } from '../../base/process-limits.ts';
import { terminalLines } from '../../base/terminal-text.ts';
import type { EngineLog } from '../../engine/mod.ts';

const BUG = 70;
/** How long a process that has done everything has to end by itself. */
const LEAVE_MS = 2_000;
const STOP_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;
/** npm forwards signals that the terminal or service manager sent to both: this is no impatience. */
const SAME_SIGNAL_MS = 1_000;

/** Run a command to its end; an operational error is printed as its sentence and code, a bug with its stack. */
export async function runToExit(command: () => Promise<unknown>): Promise<void> {
  if (!process.stdout.listeners('error').includes(outputFailed)) {
    process.stdout.on('error', outputFailed);
    writeWhole();
    process.stderr.on('error', nobodyToTell);
  }
  try {
    await command();
  } catch (error) {
    process.exitCode = tellFailure(error);
  }
}

/** Print why a command failed; the exit code for it. */
export function tellFailure(error: unknown): number {
  // Commander has printed the fault, or the requested help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CrossgateError) {
    console.error(terminalLines(`crossgate: ${withRemedy(error.message, error.cause)} [${error.code}]`));
    return error.code === 'XG_USAGE' ? 2 : 1;
  }
  if (isRefusedBySystem(error)) {
    const told = withRemedy(error.message.replace(/^\w+: /, ''), error);
    console.error(terminalLines(`crossgate: ${told} [${error.code}]`));
    return 1;
  }
  console.error('crossgate: this is a bug in crossgate; please report it with the lines below');
  console.error(error);
  return BUG;
}

/** Whether the operating system said no, to a file that may not be written for example: that is no bug of ours. */
function isRefusedBySystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string';
}

/**
 * Let a file take all printed output, or report why not: after a partial write, as on a full disk or at a size limit,
 * Node.js drops the rest silently.
 */
function writeWhole(): void {
  const { stdout } = process;
  if (!isFile(stdout.fd)) return;
  stdout._write = (chunk: Buffer, _encoding, done): void => {
    let failure: Error | null = null;
    try {
      for (let rest = chunk; rest.length > 0; ) rest = rest.subarray(writeSync(stdout.fd, rest));
    } catch (error) {
      failure = error as Error;
    }
    done(failure);
  };
}

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    // It was closed before this process began.
    return false;
  }
}

/** Printed output was lost, on a full disk for example. A closed pipe (`| head`) is no failure. */
function outputFailed(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE' || process.exitCode === 1) return;
  console.error(`crossgate: the output cannot be written: ${withRemedy(error.message, error)}`);
  process.exitCode = 1;
}

/** Its error cannot be printed anywhere and ends nothing. A gateway's log is written another way. */
function nobodyToTell(): void {}

/** Print a line of many, and wait for a stalled reader, such as a pager: unread output would fill the memory. */
export async function printLine(text: string): Promise<void> {
  console.log(text);
  // Write errors are reported where they occur.
  if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain').catch(() => {});
}

/** For a command that only prints: it ends when its reader is gone. */
export function endWithReader(): void {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(0);
  });
}

/**
 * An uncaught error is a bug, after which memory cannot be trusted: the log reports it without secrets, and the process
 * ends as if killed. The next start recovers; `note` notes the present input for it and describes it.
 */
export function endOnBug(log: EngineLog, note: () => string | null): void {
  process.on('uncaughtException', (error) => {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log('error', 'a bug in crossgate ends this process as if it were killed: start it again, and report this line', {
      stack,
    });
    // Whatever comes of that, the process ends.
    try {
      const taking = note();
      if (taking !== null) log('error', `it was ${taking}; noted in interrupted.json of the state folder`);
    } finally {
      process.exit(BUG);
    }
  });
}

/** End at once, whatever a thread of this process waits for: `process.exit` waits for it too. */
export function endByForce(): void {
  process.kill(process.pid, 'SIGKILL');
}

/**
 * All work is done: end with the exit code, and soon. A thread waits for a silent name server, half a minute and longer
 * per name, and `process.exit` waits for the thread; replacing this program by another does not.
 */
export function leaveSoon(log: EngineLog): void {
  setTimeout(() => {
    const under = [...new Set(process.getActiveResourcesInfo())].join(', ');
    log('warn', `the process ends without waiting for running work, such as the look-up of a host name: ${under}`);
    const code = Number(process.exitCode ?? 0);
    process.emit('exit', code);
    process.execve?.(process.execPath, [process.execPath, '--eval', `process.exitCode = ${code}`], {});
    process.exit();
  }, LEAVE_MS).unref();
}

/** A closing terminal sends its hang-up more than once (the kernel, its shell): this is no impatience. */
function isHurried(signal: NodeJS.Signals, firstAt: number): boolean {
  return signal !== 'SIGHUP' && performance.now() - firstAt > SAME_SIGNAL_MS;
}

/**
 * Until `stopSignal` hears them SIGINT and SIGTERM end the process at once, also the first process of a container, which ends by
 * no signal that it does not listen for.
 */
export class EarlySignals {
  constructor() {
    this.#listen();
  }

  /** Others listen from now on. */
  over(): void {
    process.off('SIGINT', this.#onInterrupt);
    process.off('SIGTERM', this.#onTerminate);
  }

  /**
   * Wait for work that may never end, or must not be cut off: the first signal ends the wait, an order of the node does, or the end
   * of the work. A second signal a second or more later ends the process at once.
   * @param order resolves with the reason why this process has to stop
   * @returns what the work came to, or why it was stopped, in words
   */
  async told<T>(wait: (stopped: AbortSignal) => Promise<T>, order: Promise<string> | null = null): Promise<T | string> {
    const stop = new AbortController();
    let heard: string | null = null;
    let heardAt = Number.POSITIVE_INFINITY;
    const end = (why: string): void => {
      heard ??= why;
      stop.abort(why);
    };
    const onSignal = (signal: NodeJS.Signals): void => {
      if (isHurried(signal, heardAt)) process.exit(130);
      heardAt = Math.min(heardAt, performance.now());
      end(`${signal} received`);
    };
    void order?.then(end);
    for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
    this.over();
    try {
      const come = await wait(stop.signal);
      return heard ?? come;
    } finally {
      this.#listen();
      for (const signal of STOP_SIGNALS) process.off(signal, onSignal);
    }
  }

  #listen(): void {
    process.on('SIGINT', this.#onInterrupt);
    process.on('SIGTERM', this.#onTerminate);
  }

  readonly #onInterrupt = (): never => process.exit(130);
  readonly #onTerminate = (): never => process.exit(143);
}

/**
 * Ignores the signals that make other programs reopen their log. Node.js would open a debugger at the first, with
 * access to every key and no authentication, and end at the second. Returns a function that logs them from then on.
 */
export function passOverSignals(): (log: EngineLog) => void {
  let say: EngineLog = () => {};
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) {
    process.on(signal, () => say('warn', `${signal} received: it does nothing here`));
  }
  return (log) => {
    say = log;
  };
}

/** Resolves with the first SIGINT, SIGTERM or SIGHUP; a second one that comes a second or more later ends the process at once. */
export function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    let firstAt = Number.POSITIVE_INFINITY;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (isHurried(signal, firstAt)) process.exit(130);
      firstAt = Math.min(firstAt, performance.now());
      resolve(signal);
    };
    for (const name of STOP_SIGNALS) process.on(name, onSignal);
  });
}
