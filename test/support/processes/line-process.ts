// A child process that speaks lines: keeps what it said, lets a test wait for a line, and is certainly gone afterwards.

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { PATIENCE_MS } from '../patience.ts';
import { COMPILE_CACHE } from './compile-cache.ts';

const LINES_MAX = 200_000;

export interface LineProcessOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export class LineProcess {
  /** Lines of stdout and stderr, in the order they came. */
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  readonly #waiters = new Set<() => void>();
  readonly #ended: Promise<number | string>;
  #end: number | string | null = null;

  constructor(command: string, args: readonly string[], options: LineProcessOptions = {}) {
    this.#child = spawn(command, [...args], {
      cwd: options.cwd,
      env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => this.#hear(line));
    }
    this.#child.stdin?.on('error', () => {});
    this.#ended = new Promise((resolve) => {
      this.#child.on('error', (error) => resolve(error.message));
      this.#child.on('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
    });
    void this.#ended.then((end) => {
      this.#end = end;
      this.#wake();
    });
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  say(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** The first line from number `from` on that matches. @throws Error with the last lines if it does not come in time */
  async line(what: RegExp | ((line: string) => boolean), timeoutMs = PATIENCE_MS, from = 0): Promise<string> {
    const matches = what instanceof RegExp ? (line: string) => what.test(line) : what;
    const until = Date.now() + timeoutMs;
    let next = from;
    for (;;) {
      for (; next < this.lines.length; next++) if (matches(this.lines[next]!)) return this.lines[next]!;
      const left = until - Date.now();
      if (left <= 0 || this.#end !== null) throw new Error(this.#complaint(String(what)));
      await this.#change(left);
    }
  }

  /** Exit code, or the signal's name. */
  async ended(): Promise<number | string> {
    return await this.#ended;
  }

  /** Send a signal that does not end it, or not at once. */
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void {
    this.#child.kill(signal);
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | string> {
    this.#child.kill(signal);
    return await this.#ended;
  }

  async #change(timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, timeoutMs);
      const waiters = this.#waiters;
      function done(): void {
        clearTimeout(timer);
        waiters.delete(done);
        resolve();
      }
      waiters.add(done);
    });
  }

  #hear(line: string): void {
    if (this.lines.length < LINES_MAX) this.lines.push(line);
    this.#wake();
  }

  #wake(): void {
    for (const waiter of [...this.#waiters]) waiter();
  }

  #complaint(what: string): string {
    const state = this.#end === null ? 'still runs' : `ended with ${this.#end}`;
    return `${what}: no such line; the process ${state}; its last lines:\n${this.lines.slice(-30).join('\n')}`;
  }
}
