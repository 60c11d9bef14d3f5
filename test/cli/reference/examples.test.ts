// Every command has an example in its help text, and commander takes each of them.

import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { EXAMPLES, wordsOf } from '../../../src/cli/reference/examples.ts';
import { commandLine } from '../../support/documents/command-line.ts';

const program = await commandLine();
const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
const commands = all(program).filter((command) => command !== program);
const leaves = commands.filter((command) => command.commands.length === 0);

/** The words as a shell splits them. */
const split = (line: string): string[] =>
  [...line.replace(/ > .*$/, '').matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);

/** The command that commander would run, with its arguments and options. */
function parsed(line: string): { words: string; args: readonly string[]; options: Record<string, unknown> } {
  const run: Command[] = [];
  for (const leaf of leaves)
    leaf
      .action(() => void run.push(leaf))
      .exitOverride()
      .configureOutput({ writeErr: () => {} });
  program.exitOverride().parse(split(line), { from: 'user' });
  const [command] = run;
  return { words: wordsOf(command!), args: command!.args, options: command!.opts() };
}

test('each command has one, and no other words do', () => {
  expect(Object.keys(EXAMPLES).toSorted()).toEqual(leaves.map(wordsOf).toSorted());
});

test.each(Object.entries(EXAMPLES).flatMap(([words, list]) => list.map((each) => [each.words, words] as const)))(
  'crossgate %s is understood',
  (line, words) => {
    expect(parsed(line).words).toBe(words);
  },
);

test('an option that does not exist is found', () => {
  expect(() => parsed('status --wach')).toThrow(/unknown option/);
});

test('help texts show them, those of a group the first of each command', () => {
  const helpOf = (words: string): string => {
    let text = '';
    const command = commands.find((each) => wordsOf(each) === words)!;
    command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
    return text;
  };
  expect(helpOf('orders find')).toContain(
    'Examples:\n  crossgate orders find --open --watch\n      to follow the open orders\n',
  );
  expect(helpOf('alarms')).toContain('crossgate alarms acknowledge 7 --why "disk ordered"');
});
