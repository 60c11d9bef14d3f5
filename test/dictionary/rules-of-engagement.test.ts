// The pages for OMS teams: their examples are valid, and they say what an OMS must not miss.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { Validator } from '../../src/dictionary/mod.ts';
import { fromPrintable, toPrintable, viewOf } from '../../src/wire/mod.ts';
import { exchangeFix, plain, STOCK } from '../gateway/message-faults.ts';
import { dictionary } from '../support/generated.ts';

const pageOf = (name: string): string =>
  readFileSync(new URL(`../../docs/connect/${name}.md`, import.meta.url), 'utf8');
const [first, conversations] = [pageOf('read-first'), pageOf('answers/conversations')];
const PAGES = fileURLToPath(new URL('../../docs/reference/messages', import.meta.url));
const messages = globSync('**/*.md', { cwd: PAGES })
  .map((path) => readFileSync(`${PAGES}/${path}`, 'utf8'))
  .join('\n');
const bold = [...first.matchAll(/\*\*([^*]+)\*\*/g)].map((match) => match[1]!).join('\n');

describe('the example messages', () => {
  const validators: Readonly<Record<string, Validator>> = {
    'FIX.4.2': new Validator(dictionary('FIX42.xml')),
    'FIX.4.4': new Validator(dictionary('FIX44.xml')),
    'FIXT.1.1': new Validator({ transport: dictionary('FIXT11.xml'), applications: [dictionary('FIX50SP2.xml')] }),
  };
  const examples = [...(messages + conversations).matchAll(/^(?:[<>] )?(8=FIX[^`\n]+)/gm)].map((match) => match[1]!);

  const ofVenue = [
    ...(messages + conversations).matchAll(/<!--conversation [^>]* venue-->[\s\S]*?<!--\/conversation-->/g),
  ].join('\n');

  test('there is one for every message of every version', () => {
    const shown = new Set(examples.map((example) => viewOf(fromPrintable(example))?.msgType));
    const defined = ['FIX44.xml', 'FIX42.xml', 'FIXT11.xml', 'FIX50SP2.xml'].flatMap((name) => [
      ...dictionary(name).messages.keys(),
    ]);
    expect(defined.filter((msgType) => !shown.has(msgType))).toEqual([]);
  });

  for (const example of examples) {
    test(`${example.slice(14, 60)}… frames and is valid`, () => {
      const view = viewOf(fromPrintable(example));
      expect(view).not.toBeNull();
      const isVenue = ofVenue.includes(`< ${example}`);
      expect((isVenue ? exchangeFix() : validators[view!.beginString]!).validate(view!)).toBeNull();
    });
  }
});

describe('the whole conversations', () => {
  const stock = { 'FIX.4.2': plain(`${STOCK}/FIX42.xml`), 'FIX.4.4': plain(`${STOCK}/FIX44.xml`) };
  const places = [
    ...(messages + conversations).matchAll(/<!--conversation ([^>]+)-->([\s\S]*?)<!--\/conversation-->/g),
  ];
  const talks = places.map(([, name, text]) => ({
    name: name!,
    lines: [...text!.matchAll(/^([<>]) (8=.+)$/gm)].map(([, from, line]) => ({ from, line: line! })),
  }));

  test.each(talks)('$name: BodyLength and CheckSum are right', ({ lines }) => {
    expect(lines.length).toBeGreaterThan(3);
    for (const { line } of lines) {
      const bare = line.replace(/\|9=\d+\|/, '|9=…|').replace(/\|10=\d{3}\|$/, '|');
      expect(toPrintable(fromPrintable(bare))).toBe(line);
    }
  });

  test.each(talks.filter(({ name }) => !name.endsWith('venue')))(
    'D1 $name: all that we say stands in the stock dictionary',
    ({ lines }) => {
      for (const { from, line } of lines) {
        const view = viewOf(fromPrintable(line))!;
        if (from === '<') expect(stock[view.beginString as keyof typeof stock].validate(view), line).toBeNull();
      }
    },
  );
});

test('every message of the table of versions leads to its page', () => {
  const index = readFileSync(`${PAGES}/index.md`, 'utf8');
  const rows = [...index.matchAll(/^\| (\w+) \| (?:\[\w+\]\(([^)]*)\))?/gm)].slice(1);
  expect(rows.length).toBeGreaterThan(30);
  for (const [row, msgType, link] of rows) {
    expect(existsSync(`${PAGES}/${link}`), row).toBe(true);
    expect(readFileSync(`${PAGES}/${link}`, 'utf8')).toMatch(new RegExp(`^# \\w+ \\(${msgType}\\)$`, 'm'));
  }
});

test('T1 prints in bold that an absent TimeInForce means Good Till Cancel', () => {
  expect(bold).toContain('An order without TimeInForce(59) is Good Till Cancel');
});

test('T2 prints in bold that 59=5 takes part in the auction, unlike the standard', () => {
  expect(bold).toContain('59=5 is GTX: the order takes part in the auction of the symbol.');
  expect(first).toContain('means the opposite');
});

test('D1 every message of every version has its table', () => {
  for (const name of ['FIX44.xml', 'FIX42.xml', 'FIXT11.xml', 'FIX50SP2.xml']) {
    for (const msgType of dictionary(name).messages.keys()) {
      expect(messages, msgType).toContain(`<!-- message ${msgType} -->`);
    }
  }
});
