// Every command of the command line, as main.ts puts them together.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';

const CLI = join(import.meta.dirname, '../../../src/cli');

/** The whole program, with all commands added. */
export async function commandLine(): Promise<Command> {
  const program = new Command('crossgate').option('-V, --version');
  // Some commands below others are added by functions of their own, which main.ts does not name.
  const named = new Set(readFileSync(join(CLI, 'main.ts'), 'utf8').match(/\badd\w+Commands?\b/g));
  for (const name of readdirSync(CLI, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!name.endsWith('.ts') || name === 'main.ts') continue;
    const exported: Record<string, unknown> = await import(/* @vite-ignore */ join(CLI, name));
    for (const [key, add] of Object.entries(exported)) if (named.has(key)) (add as (to: Command) => void)(program);
  }
  return program;
}
