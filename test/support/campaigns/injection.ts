// Makes system calls of a running process fail or kill it, by strace: for tests of a disk that fails.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type Requirement, tool } from '../requirement.ts';

const STRACE = 'strace';
const LINES_KEPT = 20;

/** Calls of a process that strace interferes with. */
export class Injection {
  /** How often it struck. */
  struck = 0;
  /** The last lines of strace. */
  readonly said: string[] = [];
  readonly #strace: ChildProcess;

  private constructor(strace: ChildProcess) {
    this.#strace = strace;
  }

  /** Begin: `call` as one or more names with commas, `what` as `error=EIO:when=3`. */
  static async begin(pid: number, call: string, what: string): Promise<Injection> {
    const strace = spawn(STRACE, ['-f', '-p', String(pid), '-e', `trace=${call}`, '-e', `inject=${call}:${what}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const injection = new Injection(strace);
    const lines = createInterface({ input: strace.stderr });
    await new Promise<void>((resolve) => {
      lines.on('line', (line) => {
        if (injection.said.push(line) > LINES_KEPT) injection.said.shift();
        if (/attached/.test(line)) resolve();
        if (/\(INJECTED\)/.test(line)) injection.struck++;
      });
      lines.on('close', resolve);
    });
    return injection;
  }

  /** Let go of the process. */
  async end(): Promise<void> {
    const ended = once(this.#strace, 'close');
    this.#strace.kill('SIGTERM');
    await ended;
  }

  /** It is gone with the process that it held. */
  drop(): void {
    this.#strace.kill('SIGKILL');
  }
}

/** Whether strace is here and may look into a process, which a container may forbid. */
export async function attachable(): Promise<Requirement> {
  return await tool(STRACE, ['-o', '/dev/null', 'true'], `${STRACE}, with the right to trace a process,`);
}

/** The same in one word. */
export async function canAttach(): Promise<boolean> {
  return (await attachable()).missing === null;
}
