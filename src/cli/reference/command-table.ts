// The commands as a table, from what commander knows of them: completion scripts and the man page are written from it.

import type { Argument, Command, Option } from 'commander';
import { type Example, examplesOf, wordsOf } from './examples.ts';

/** Names that only a gateway knows: `crossgate completion sessions` prints them. */
export type LiveNames = 'sessions' | 'accounts';

export interface OptionEntry {
  /** `--state`. */
  readonly long: string;
  /** `-f`, or null. */
  readonly short: string | null;
  /** Name of its value in brackets, `<directory>`; empty for a flag. */
  readonly value: string;
  readonly description: string;
  readonly choices: readonly string[];
  /** Whether its value is a file or folder. */
  readonly isFile: boolean;
  /** The names of a gateway that its value is one of; null: of none. */
  readonly live: LiveNames | null;
}

export interface CommandEntry {
  /** `orders find`; empty for the program. */
  readonly words: string;
  /** `[options] <id>`. */
  readonly usage: string;
  readonly description: string;
  readonly options: readonly OptionEntry[];
  /** Words that it takes as arguments. */
  readonly argumentChoices: readonly string[];
  /** Whether it takes files as arguments. */
  readonly takesFiles: boolean;
  /** Whether it takes sessions as arguments. */
  readonly takesSessions: boolean;
  readonly examples: readonly Example[];
  /** Of a group: the commands in it. */
  readonly children: readonly CommandEntry[];
}

/** Names of values and arguments that are files or folders. */
const FILE = /^[<[](?:file|path|folder|directory|files|other|place|application|transport|prefix)\b/;

/** Commands with the name of a session as argument. */
const OF_SESSIONS = /^(?:sessions (?!new|import)|schedule$|certification (?!verify|rules))/;
/** Options with a name that a gateway knows; that of a journal's session is its id. */
const LIVE: Readonly<Record<string, LiveNames>> = {
  '--session <name>': 'sessions',
  '--session <name...>': 'sessions',
  '--account <id>': 'accounts',
  '--account <account>': 'accounts',
};

export function tableOf(command: Command): CommandEntry {
  return {
    words: wordsOf(command),
    usage: command.usage(),
    description: command.description(),
    options: command.options.filter(({ hidden }) => !hidden).map(optionEntry),
    argumentChoices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    takesFiles: command.registeredArguments.some(isFileArgument),
    takesSessions: OF_SESSIONS.test(wordsOf(command)) && command.registeredArguments.length > 0,
    examples: examplesOf(command),
    children: [...command.commands].sort((a, b) => (a.name() < b.name() ? -1 : 1)).map(tableOf),
  };
}

/** The command and all below it. */
export function flattened(entry: CommandEntry): CommandEntry[] {
  return [entry, ...entry.children.flatMap(flattened)];
}

const isFileArgument = (argument: Argument): boolean => FILE.test(`<${argument.name()}>`);

function optionEntry(option: Option): OptionEntry {
  const value = /[<[].*$/.exec(option.flags)?.[0] ?? '';
  return {
    long: option.long ?? option.flags,
    short: option.short ?? null,
    value,
    description: option.description,
    choices: option.argChoices ?? [],
    isFile: FILE.test(value),
    live: LIVE[option.flags] ?? null,
  };
}
