// Which processor a process of a benchmark runs on, where that can be chosen: Linux with `taskset` and at least two of them.

import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';

/** Keep all threads of a process, and what it starts from now on, on one processor; false where that cannot be. */
export function pin(pid: number, processor: number): boolean {
  return cpus().length > 1 && choose(pid, String(processor));
}

/** Let it run on any processor again. */
export function unpin(pid: number): void {
  choose(pid, `0-${cpus().length - 1}`);
}

function choose(pid: number, processors: string): boolean {
  try {
    execFileSync('taskset', ['-a', '-p', '-c', processors, String(pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
