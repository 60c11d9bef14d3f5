// `--watch`: a list again and again, on a terminal in the place of the one before. Leaves what the list shows to its command.

import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { CrossgateError } from '../../base/errors.ts';
import { formatIso } from '../../base/time.ts';
import { wholeNumber } from '../options/whole-number.ts';
import { endWithReader } from './exit.ts';

export interface WatchOptions {
  /** Seconds; true for the default. */
  readonly watch?: string | true;
  readonly json?: boolean;
}

const SECONDS_DEFAULT = 2;
const SECONDS_MAX = 3600;
const CLEAR = '\x1b[H\x1b[J';

export function withWatch(command: Command): Command {
  return command.option('--watch [seconds]', `show it again every ${SECONDS_DEFAULT} or so many seconds, until Ctrl-C`);
}

/** A command that prints what `look` finds: once, or with `--watch` until the operator ends it. */
export function shown<Options extends WatchOptions>(
  look: (options: Options) => Promise<string>,
): (options: Options) => Promise<void> {
  return async (options) => {
    if (options.watch === undefined) console.log(await look(options));
    else await watch(() => look(options), options);
  };
}

async function watch(look: () => Promise<string>, options: WatchOptions): Promise<void> {
  const seconds =
    options.watch === true ? SECONDS_DEFAULT : wholeNumber('--watch', options.watch ?? '', 1, SECONDS_MAX);
  endWithReader();
  process.once('SIGINT', () => process.exit(0));
  // The first look fails as a command does that only looks once.
  let text = await look();
  for (;;) {
    process.stdout.write(options.json ? `${onOneLine(text)}\n` : frameOf(text, seconds));
    await pause(1000 * seconds);
    text = await look().catch(inWords);
  }
}

/** A gateway that is restarted is there again soon. */
function inWords(error: unknown): string {
  if (error instanceof CrossgateError) return error.message;
  throw error;
}

/** For programs: a line for each look. An error is no JSON. */
function onOneLine(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return JSON.stringify({ error: text });
  }
}

/** As much as the terminal has room for; elsewhere everything, one look behind the other. */
function frameOf(text: string, seconds: number): string {
  const { stdout } = process;
  const title = `every ${seconds} s, ${formatIso(Date.now()).slice(11, 19)} UTC`;
  if (!stdout.isTTY) return `${title}\n${text}\n\n`;
  const lines = text.split('\n').map((line) => line.slice(0, stdout.columns || undefined));
  const room = Math.max(1, (stdout.rows || lines.length + 2) - 3);
  const left = lines.length - room;
  const shownLines = left > 0 ? [...lines.slice(0, room), `… ${left} more`] : lines;
  return `${CLEAR}${title}, Ctrl-C ends\n${shownLines.join('\n')}\n`;
}
