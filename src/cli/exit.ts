// Exit codes that scripts can trust, and errors in words: 0 done, 1 the command found or met a problem, 2 wrong usage.

import process from 'node:process';
import { CommanderError } from 'commander';
import { CrossgateError } from '../base/errors.ts';

/** Run a command to its end; an operational error is printed as its sentence and code, a bug with its stack. */
export async function runToExit(command: () => Promise<unknown>): Promise<void> {
  try {
    await command();
  } catch (error) {
    // Commander has said what is wrong, or shown the help that was asked for.
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    if (error instanceof CrossgateError) {
      console.error(`crossgate: ${error.message} [${error.code}]`);
      process.exitCode = error.code === 'XG_USAGE' ? 2 : 1;
      return;
    }
    console.error('crossgate: this is a bug in crossgate; please report it with the lines below');
    console.error(error);
    process.exitCode = 70;
  }
}

/** Resolves with the first SIGINT or SIGTERM; a second one ends the process at once. */
export function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    let first = true;
    const onSignal = (signal: string): void => {
      if (!first) process.exit(130);
      first = false;
      resolve(signal);
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
}
