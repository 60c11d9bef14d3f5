// Every command of the command line, as main.ts puts them together.

import type { Command } from 'commander';
import { addCommands, newProgram } from '../../../src/cli/commands.ts';

/** The whole program, with all commands added. */
export async function commandLine(): Promise<Command> {
  const program = newProgram();
  await addCommands(program);
  return program;
}
