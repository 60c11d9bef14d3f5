// Runs commands of the command line in this process, and keeps their output and exit code.

import process from 'node:process';
import { Command } from 'commander';
import { vi } from 'vitest';
import { runToExit } from '../../../src/cli/output/exit.ts';

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Run a command to its end. @param add adds the commands that there are */
export async function runCommand(add: (program: Command) => void, args: readonly string[]): Promise<Ended> {
  const said = { out: '', err: '' };
  const log = vi.spyOn(console, 'log').mockImplementation((text: string) => {
    said.out += `${text}\n`;
  });
  const error = vi.spyOn(console, 'error').mockImplementation((text: string) => {
    said.err += `${text}\n`;
  });
  const before = process.exitCode;
  try {
    process.exitCode = 0;
    const program = new Command('crossgate').exitOverride();
    add(program);
    await runToExit(() => program.parseAsync(args, { from: 'user' }));
    return { code: Number(process.exitCode), ...said };
  } finally {
    process.exitCode = before;
    log.mockRestore();
    error.mockRestore();
  }
}
