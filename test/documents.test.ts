// The documents: what they link to is there, and the commands that they tell people to give exist, with these options.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { anchorOf } from '../docs/.vitepress/anchor.ts';
import { commandLine } from './support/documents/command-line.ts';
import { START_FLAGS } from './support/processes/start-flags.ts';

const root = join(import.meta.dirname, '..');
const DOCUMENTS = [
  'README.md',
  'dictionaries/README.md',
  'dictionaries/RULES.md',
  'sessions/README.md',
  'src/simulator/README.md',
  '.github/SECURITY.md',
  'test/session/cases/README.md',
];

/** The pages of the site. */
const PAGES = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md') && !name.startsWith('library/api/'))
  .map((name) => `docs/${name}`)
  .sort();

const BLOCK = /^ *```[^\n]*\n([\s\S]*?)^ *```/gm;

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

function anchorsOf(path: string): string[] {
  const text = textOf(path).replace(BLOCK, '');
  const named = [...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id]) => id!);
  return [...[...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, title]) => anchorOf(title!)), ...named];
}

describe.each([...DOCUMENTS, ...PAGES])('%s', (path) => {
  const links = [...textOf(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);

  test('links to nothing that is not there', () => {
    const dead = links.filter((link) => {
      if (/^https?:/.test(link)) return false;
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : normalize(join(dirname(path), file));
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
    expect(dead).toEqual([]);
  });
});

/** The commands that a document shows: in a line of a block, or in a span of its own. */
function shownCommands(markdown: string): string[] {
  const lines = [...markdown.matchAll(BLOCK)].flatMap(([, block]) => block!.split('\n'));
  const spans = [...markdown.replace(BLOCK, '').matchAll(/`([^`]+)`/g)].map(([, span]) => span!.replaceAll('\n', ' '));
  return [...lines, ...spans].flatMap((text) => {
    const command = /(?:^|\| |&& |; )(?:npm run (?:--silent )?)?crossgate (?:-- )?([a-z].*)$/.exec(text)?.[1];
    return command === undefined ? [] : [command.replace(/\s+#.*$/, '')];
  });
}

/** Commands that a source file suggests. A backtick with values behind it and no backslash before begins a string. */
function advisedCommands(source: string): string[] {
  const spans = source.matchAll(/(\\?)`(?:npm run crossgate -- |crossgate )([a-z][^`\\]*)\\?`/g);
  return [...spans].flatMap(([, escaped, command]) => (escaped === '' && command!.includes('${') ? [] : [command!]));
}

/** The fault of a command in a document; null if none. `a|b` stands for either. */
function faultOf(shown: string, program: Command): string | null {
  const words = shown.replace(/"[^"]*"|'[^']*'/g, 'TEXT').split(/\s+/);
  const named = (command: Command, word: string): Command | undefined =>
    command.commands.find((each) => each.name() === word);
  let commands = [program];
  while (commands[0]!.commands.length > 0 && /^[a-z]/.test(words[0] ?? '')) {
    const alternatives = words.shift()!.split('|');
    const found = alternatives.map((word) => named(commands[0]!, word));
    const missing = found.indexOf(undefined);
    if (missing >= 0) return `no command ${alternatives[missing]}`;
    commands = found as Command[];
  }
  for (const word of words) {
    const option = /^\[?(--[a-z-]+)/.exec(word)?.[1];
    if (option === undefined || option === '--help') continue;
    for (const command of commands)
      if (!command.options.some((each) => each.long === option)) return `${command.name()} has no ${option}`;
  }
  return null;
}

describe('the commands that are shown exist, and have these options', async () => {
  const program = await commandLine();
  const wrong = (shown: readonly string[]): string[] =>
    shown.flatMap((command) => {
      const fault = faultOf(command, program);
      return fault === null ? [] : [`${command}: ${fault}`];
    });

  test.each(['README.md', 'dictionaries/README.md'])('in %s', (path) => {
    const shown = shownCommands(textOf(path));
    expect(wrong(shown)).toEqual([]);
  });

  test('in the pages of the site', () => {
    expect(wrong(PAGES.flatMap((path) => shownCommands(textOf(path))))).toEqual([]);
  });

  test("in the program's texts", () => {
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const advised = sources.flatMap((name) => advisedCommands(textOf(join('src', name))));
    expect(advised.length).toBeGreaterThan(20);
    expect(wrong(advised)).toEqual([]);
  });

  test('and finds missing ones', () => {
    expect(wrong(shownCommands('`crossgate sessions lift NAME` and `crossgate store show --jsn`'))).toEqual([
      'sessions lift NAME: no command lift',
      'store show --jsn: show has no --jsn',
    ]);
  });
});

test('the image gives the gateway to Node as npm start does, and the performance notes say with which flags', () => {
  const [, command] = /^CMD (\[.*\])$/m.exec(textOf('Dockerfile'))!;
  expect(START_FLAGS.length).toBeGreaterThan(3);
  const words = JSON.parse(command!) as string[];
  expect(words.slice(1, words.indexOf('src/cli/crossgate.js'))).toEqual(START_FLAGS);
  for (const flag of START_FLAGS) expect(textOf('docs/contribute/performance.md')).toContain(`\`${flag}\``);
});
