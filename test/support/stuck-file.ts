// A test that spins without a turn of the event loop hears no time limit of its own, and its run would never end: this reporter
// names the file, and ends the run.

import { spawnSync } from 'node:child_process';
import { relative } from 'node:path';
import process from 'node:process';
import type { Reporter, TestModule } from 'vitest/node';

/** Four times what the longest file takes on a slow machine; twice as long where others keep it busy. */
const FILE_MS_MAX = 12 * 60_000;

export default class StuckFile implements Reporter {
  readonly #timers = new Map<string, NodeJS.Timeout>();

  onTestModuleStart({ moduleId }: TestModule): void {
    const timer = setTimeout(() => end(moduleId), FILE_MS_MAX);
    this.#timers.set(moduleId, timer.unref());
  }

  onTestModuleEnd({ moduleId }: TestModule): void {
    clearTimeout(this.#timers.get(moduleId));
    this.#timers.delete(moduleId);
  }
}

function end(moduleId: string): never {
  const minutes = FILE_MS_MAX / 60_000;
  console.error(`${relative(process.cwd(), moduleId)} has not ended for ${minutes} minutes: the run is given up`);
  // Workers that spin hear no signal that can be handled.
  spawnSync('pkill', ['-KILL', '-P', String(process.pid)]);
  process.exit(1);
}
