// `crossgate man`: prints the man page, from what commander knows of the commands and from their examples.

import type { Command } from 'commander';
import { VERSION } from '../options/version.ts';
import { type CommandEntry, flattened, type OptionEntry, tableOf } from './command-table.ts';
import { EXIT_CODES } from './exit-codes.ts';

export function addManCommand(program: Command): void {
  program
    .command('man')
    .description('print the man page')
    .action(() => console.log(manPage(tableOf(program))));
}

/** The man page in roff, as `man` and `groff -man` read it. */
export function manPage(program: CommandEntry): string {
  const commands = flattened(program).filter(({ words, children }) => words !== '' && children.length === 0);
  return [
    `.TH CROSSGATE 1 "" "crossgate ${VERSION}" "User Commands"`,
    '.SH NAME',
    `crossgate \\- ${escaped(program.description)}`,
    '.SH SYNOPSIS',
    '.B crossgate\n.I command\n[\\fIoptions\\fR]',
    '.SH DESCRIPTION',
    'The commands that ask a running gateway find it by its state folder. Each command has its own help: \\fBcrossgate \\fIcommand\\fB \\-\\-help\\fR.',
    '.SH COMMANDS',
    ...commands.flatMap(commandLines),
    '.SH EXIT STATUS',
    ...EXIT_CODES.flatMap(([code, meaning]) => ['.TP', `.B ${code}`, escaped(meaning.replaceAll('`', ''))]),
  ].join('\n');
}

/** No text may become a request of roff, or an escape. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('×', '\\(mu')
    .replace(/^([.'])/gm, '\\&$1');
}

function commandLines({ words, usage, description, options, examples }: CommandEntry): string[] {
  return [
    `.SS crossgate ${escaped(words)} ${escaped(usage)}`,
    escaped(`${description.charAt(0).toUpperCase()}${description.slice(1)}.`),
    ...options.flatMap(optionLines),
    ...examples.flatMap(({ words: typed, does }) => [
      '.PP',
      `To ${escaped(does)}:`,
      '.IP',
      `\\fBcrossgate ${escaped(typed)}\\fR`,
    ]),
  ];
}

function optionLines({ long, short, value, description, choices }: OptionEntry): string[] {
  const flags = `${short === null ? '' : `${short}, `}${long}`;
  const list = choices.length === 0 ? '' : ` (${choices.join(', ')})`;
  return ['.TP', `.B ${escaped(flags)} \\fI${escaped(value)}\\fR`, escaped(`${description}${list}`)];
}
