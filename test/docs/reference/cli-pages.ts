// The reference of the command line: a page per command, from what commander knows of it.

import type { Argument, Command, Option } from 'commander';
import { type Example, examplesOf } from '../../../src/cli/reference/examples.ts';
import { EXIT_CODES } from '../../../src/cli/reference/exit-codes.ts';
import { page, plain, table } from './page.ts';

const sentence = (text: string): string => (text === '' || /[.!?:]$/.test(text) ? text : `${text}.`);
const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

function defaultOf({
  defaultValue,
  defaultValueDescription,
  negate,
}: Option | (Argument & { negate?: boolean })): string {
  if (defaultValueDescription !== undefined) return `; ${defaultValueDescription} by default`;
  if (defaultValue === undefined || negate === true || typeof defaultValue === 'boolean') return '';
  if (Array.isArray(defaultValue) && defaultValue.length === 0) return '';
  return `; \`${String(defaultValue)}\` by default`;
}

const choicesOf = ({ argChoices }: Option | Argument): string =>
  argChoices === undefined ? '' : ` (${argChoices.map((each) => `\`${each}\``).join(', ')})`;

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** Examples as a block of shell lines, each below a comment that says what it does. */
function samples(examples: readonly Example[]): string {
  const lines = examples.map(({ words, does }) => `# to ${does}\ncrossgate ${words}`);
  return lines.length === 0 ? '' : `\`\`\`sh\n${lines.join('\n\n')}\n\`\`\``;
}

/** @throws Error for a command without an example, which `npm run check` reports */
function entry(command: Command, level: string): string[] {
  const isGroup = command.commands.length > 0;
  const path = pathOf(command);
  if (examplesOf(command).length === 0) throw new Error(`${path}: add an example to src/cli/reference/examples.ts`);
  const options = command.options.filter(({ hidden }) => !hidden);
  const argumentRows = command.registeredArguments
    .filter(({ description }) => description !== '')
    .map((argument) => [
      `\`${argument.name()}\``,
      `${plain(argument.description)}${choicesOf(argument)}${defaultOf(argument)}`,
    ]);
  const optionRows = options.map((option) => [
    `\`${option.flags}\``,
    `${plain(option.description)}${choicesOf(option)}${defaultOf(option)}${option.mandatory ? '; required' : ''}`,
  ]);
  const usage = `\`\`\`text\n${path} ${command.usage()}\n\`\`\``;
  return [
    level === '' ? '' : `${level} \`${path}\``,
    plain(sentence(capital(command.description()))),
    isGroup ? '' : usage,
    isGroup ? '' : samples(examplesOf(command)),
    table(['Argument', 'Meaning'], argumentRows),
    table(['Option', 'Meaning'], optionRows),
    ...command.commands.flatMap((each) => entry(each, '##')),
  ];
}

/** Pages of all commands, by path. */
export function cliPages(program: Command): Map<string, string> {
  const commands = [...program.commands].sort((a, b) => a.name().localeCompare(b.name(), 'en'));
  const from = 'src/cli';
  const pages = commands.map((command): [string, string] => [
    `docs/reference/cli/${command.name()}.md`,
    page({ title: `crossgate ${command.name()}`, order: 100, from }, ...entry(command, '')),
  ]);
  const rows = commands.flatMap((command) => [
    [`[\`${command.name()}\`](${command.name()}.md)`, plain(command.description())],
  ]);
  const index = page(
    { title: 'Command line', order: 2, from },
    'In a clone of the repository, write `npm run crossgate -- COMMAND`; for scripts `npm run --silent crossgate -- COMMAND`. With the package installed, write `npx crossgate COMMAND`.',
    table(['Command', 'For'], rows),
    [
      '## Exit codes',
      table(
        ['Code', 'Meaning'],
        EXIT_CODES.map(([code, meaning]) => [code, meaning]),
      ),
    ].join('\n\n'),
  );
  return new Map([['docs/reference/cli/index.md', index], ...pages]);
}
