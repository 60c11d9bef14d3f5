// Engines that are not ours read our dictionaries and our bytes: QuickFIX C++, jspurefix, tshark.

import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadDictionary, renderDictionary } from '../../src/dictionary/mod.ts';
import { importRepository } from '../../src/interop/mod.ts';
import { FrameWriter, fromPrintable, viewOf } from '../../src/wire/mod.ts';
import { dictionary } from '../support/generated.ts';
import { quickfix } from '../support/oms/quickfix.ts';
import { randomDraft, randomNumbers } from '../support/random/random-message.ts';
import { describeWith, tool } from '../support/requirement.ts';

const run = promisify(execFile);
const DICTIONARIES: Readonly<Record<string, readonly string[]>> = {
  'FIX.4.2': ['FIX42.xml'],
  'FIX.4.4': ['FIX44.xml'],
  'FIXT.1.1': ['FIXT11.xml', 'FIX50SP2.xml'],
};
const BEGIN_STRINGS = Object.keys(DICTIONARIES);
const FILES = Object.values(DICTIONARIES).flat();
/** Earlier application versions over FIXT.1.1. */
const EARLIER = ['FIX50.xml', 'FIX50SP1.xml'];
const pathOf = (name: string): string => fileURLToPath(new URL(`../../dictionaries/${name}`, import.meta.url));

const messages = globSync('docs/reference/messages/**/*.md')
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');
const examples = [...messages.matchAll(/^(8=FIX[^`\n]+)/gm)].map((match) => fromPrintable(match[1]!));
const examplesOf = (beginString: string): Buffer[] =>
  examples.filter((example) => viewOf(example)!.beginString === beginString);

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crossgate-dictionary-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Reads dictionaries and messages. `d PATH` loads, `t PATH` loads the transport's and separates FIXT.1.1 from then on,
 * `m MESSAGE` validates with the last one loaded; prints ok or the reason.
 */
const QUICKFIX_PROGRAM = `
#include <quickfix/DataDictionary.h>
#include <quickfix/Message.h>
#include <iostream>
#include <memory>
int main() {
  std::unique_ptr<FIX::DataDictionary> dictionary, transport;
  std::string line;
  while (std::getline(std::cin, line)) {
    try {
      std::string rest = line.substr(2);
      if (line[0] == 'd') { dictionary.reset(new FIX::DataDictionary(rest)); std::cout << "ok " << dictionary->getVersion(); }
      else if (line[0] == 't') { transport.reset(new FIX::DataDictionary(rest)); std::cout << "ok " << transport->getVersion(); }
      else if (transport) {
        for (auto& c : rest) if (c == '|') c = '\\x01';
        FIX::Message message(rest, *transport, *dictionary, true);
        if (message.isAdmin()) transport->validate(message);
        else FIX::DataDictionary::validate(message, transport.get(), dictionary.get());
        std::cout << "ok " << message.getHeader().getField(35);
      } else {
        for (auto& c : rest) if (c == '|') c = '\\x01';
        FIX::Message message(rest, *dictionary, true);
        dictionary->validate(message);
        std::cout << "ok " << message.getHeader().getField(35);
      }
    } catch (std::exception& e) { std::cout << "error " << e.what(); }
    std::cout << std::endl;
  }
}`;

describeWith(await quickfix(), 'QuickFIX C++', () => {
  test('loads every dictionary and finds every example and messages of every type of it valid', async () => {
    const program = join(folder, 'check');
    writeFileSync(`${program}.cpp`, QUICKFIX_PROGRAM);
    await run('g++', ['-std=c++14', '-O0', '-w', `${program}.cpp`, '-o', program, '-lquickfix', '-lpthread']);
    const said = (frames: readonly Buffer[]): string[] =>
      frames.map((frame) => `m ${frame.toString('latin1').replaceAll('\x01', '|')}`);
    const lines = [
      // Results of `dictionary import` are read too.
      ...(await madeDictionaries()).map((path) => `d ${path}`),
      ...FILES.map((name) => `d ${pathOf(name)}`),
      ...EARLIER.map((name) => `d ${pathOf(name)}`),
      `d ${pathOf('FIX42.xml')}`,
      ...said(randomMessages('FIX.4.2')),
      `d ${pathOf('FIX44.xml')}`,
      ...said([...examplesOf('FIX.4.4'), ...randomMessages('FIX.4.4')]),
      `d ${pathOf('FIX50SP2.xml')}`,
      `t ${pathOf('FIXT11.xml')}`,
      ...said([...examplesOf('FIXT.1.1'), ...randomMessages('FIXT.1.1')]),
    ];
    writeFileSync(join(folder, 'lines'), `${lines.join('\n')}\n`, 'latin1');
    const { stdout } = await run('sh', ['-c', `${program} < ${join(folder, 'lines')}`]);
    const answers = stdout.trimEnd().split('\n');
    const refused = answers.flatMap((answer, at) => (answer.startsWith('ok') ? [] : [`${answer}: ${lines[at]}`]));
    expect(refused.slice(0, 5)).toEqual([]);
    expect(answers.slice(0, 4)).toEqual(['ok FIX.4.0', 'ok FIX.4.4', 'ok FIX.5.0', 'ok FIXT.1.1']);
    expect(answers.slice(4, 8)).toEqual(['ok FIX.4.2', 'ok FIX.4.4', 'ok FIXT.1.1', 'ok FIX.5.0']);
    expect(answers.slice(8, 10)).toEqual(['ok FIX.5.0', 'ok FIX.5.0']);
    expect(answers).toHaveLength(lines.length);
  });
});

/** Paths of dictionaries imported from the FIX Repository that jspurefix ships. */
async function madeDictionaries(): Promise<string[]> {
  const repository = join(dirname(createRequire(import.meta.url).resolve('jspurefix/package.json')), 'data/fix_repo');
  const paths: string[] = [];
  for (const version of ['FIX.4.0', 'FIX.4.4', 'FIX.5.0SP2']) {
    for (const { fileName, xmlText } of await importRepository(join(repository, version, 'Base'))) {
      const path = join(folder, `imported-${fileName}`);
      writeFileSync(path, xmlText);
      paths.push(path);
    }
  }
  return paths;
}

describe('jspurefix', () => {
  test.each(['FIX42.xml', 'FIX44.xml', 'FIX50.xml', 'FIX50SP1.xml', 'FIX50SP2.xml'])(
    'loads %s, of FIX.5.0 and later joined with its transport, with every field, group and message',
    async (name) => {
      const { FileDuplex, QuickFixXmlFileParser } = jspurefix();
      const isJoined = name.startsWith('FIX50');
      const path = isJoined ? join(folder, name) : pathOf(name);
      if (isJoined) writeFileSync(path, renderDictionary(dictionary(name), dictionary('FIXT11.xml')));
      const quiet: unknown = {
        info: () => {},
        debug: () => {},
        warning: () => {},
        error: () => {},
        isEnabled: () => false,
      };
      const definitions = await new QuickFixXmlFileParser(
        () => new FileDuplex(path),
        () => quiet,
      ).parse();
      const ours = loadDictionary(readFileSync(path, 'utf8'), name);
      for (const field of ours.fields.values())
        expect(definitions.tagToSimple[field.tag]?.name, field.name).toBe(field.name);
      for (const message of ours.messages.values()) {
        const theirs = definitions.message.get(message.msgType);
        expect(theirs?.name, message.name).toBe(message.name);
        for (const { field } of message.members) expect(theirs?.containedTag[field.tag], field.name).toBeTruthy();
      }
    },
  );

  test('its own dictionaries load here, FIX.5.0SP2 with all extensions in little time', () => {
    const data = join(dirname(createRequire(import.meta.url).resolve('jspurefix/package.json')), 'data');
    for (const name of ['FIX42.xml', 'FIX43.xml', 'FIX44.xml', 'FIX50SP2.xml']) {
      const loaded = loadDictionary(readFileSync(join(data, name), 'utf8'), name);
      expect(loaded.messages.get('D')?.members.length, name).toBeGreaterThan(20);
    }
  });

  test('names and numbers of our fields are those of its dictionaries', () => {
    const data = join(dirname(createRequire(import.meta.url).resolve('jspurefix/package.json')), 'data');
    for (const name of ['FIX42.xml', 'FIX44.xml', 'FIX50SP2.xml']) {
      const theirs = loadDictionary(readFileSync(join(data, name), 'utf8'), name);
      // 327 was renamed by an extension pack after FIX.5.0SP2.
      const differing = [...dictionary(name).fields.values()].filter(
        (field) => field.tag !== 327 && (theirs.fieldName(field.tag) ?? field.name) !== field.name,
      );
      expect(differing.map((field) => field.name)).toEqual([]);
    }
  });
});

interface Jspurefix {
  readonly FileDuplex: new (path: string) => unknown;
  readonly QuickFixXmlFileParser: new (
    make: () => unknown,
    logger: () => unknown,
  ) => { parse(): Promise<JspurefixDefinitions> };
}

function jspurefix(): Jspurefix {
  const here = createRequire(import.meta.url);
  // The reflection polyfill that it demands is only in its own dependency tree.
  createRequire(here.resolve('jspurefix'))('reflect-metadata');
  // Its parser is not among what its door exports.
  const parser = here('jspurefix/dist/dictionary/parser/quickfix/quick-fix-xml-file-parser.js') as object;
  return { ...(here('jspurefix') as object), ...parser } as Jspurefix;
}

interface JspurefixDefinitions {
  readonly tagToSimple: Record<number, { name: string } | undefined>;
  readonly message: Map<string, { name: string; containedTag: Record<number, unknown> }>;
}

const tshark = await tool('sh', ['-c', 'tshark -v && text2pcap -v'], 'tshark with text2pcap');
describeWith(tshark, 'tshark', () => {
  test('reads the examples and messages of every type without a malformed or checksum mark', async () => {
    const hex = join(folder, 'messages.hex');
    const pcap = join(folder, 'messages.pcap');
    const messages = [...examples, ...BEGIN_STRINGS.flatMap((beginString) => randomMessages(beginString))];
    const lines = messages.flatMap((message) => {
      const bytes = [...message].map((c) => c.toString(16).padStart(2, '0'));
      const rows: string[] = [];
      for (let at = 0; at < bytes.length; at += 16) {
        rows.push(`${at.toString(16).padStart(6, '0')} ${bytes.slice(at, at + 16).join(' ')}`);
      }
      return rows;
    });
    writeFileSync(hex, `${lines.join('\n')}\n`);
    await run('text2pcap', ['-q', '-T', '1000,9876', hex, pcap]);
    const { stdout } = await run('tshark', ['-r', pcap, '-d', 'tcp.port==9876,fix', '-V'], { maxBuffer: 64 << 20 });
    // tshark takes SecurityStatusReqID(324) for an enumeration; the standard has it as text.
    const marks = stdout
      .split('\n')
      .filter(
        (line) => /Malformed Packet|Bad Checksum: True|Expert Info \(Error/.test(line) && !/field 324/.test(line),
      );
    expect(marks).toEqual([]);
    expect(stdout.match(/CheckSum \(10\): \d{3} \[correct\]/g)).toHaveLength(messages.length);
    expect(stdout).toContain('ClOrdID (11): A-1001');
    expect(stdout).toContain('OrdType (40): 2 (LIMIT)');
  });
});

/** One message of every type of a version, as the writer writes it; others do not know data fields with SOH inside. */
function randomMessages(beginString: string): Buffer[] {
  const writer = new FrameWriter();
  const random = randomNumbers(4711);
  const header = { beginString, senderCompID: 'A', targetCompID: 'B', sendingTime: '20261121-10:00:00.000' };
  const definitions = DICTIONARIES[beginString]!.flatMap((name) => [...dictionary(name).messages.values()]);
  return definitions.flatMap((definition, at) => {
    for (;;) {
      const draft = randomDraft(definition, random);
      if (draft.values.some((value) => value.includes('\x01'))) continue;
      return writer.encode({ ...header, msgSeqNum: at + 1 }, draft);
    }
  });
}
