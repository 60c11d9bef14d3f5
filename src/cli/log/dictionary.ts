// `crossgate dictionary …`: checks data dictionaries, shows what a message may carry, and imports dictionaries of other
// forms. Reading them is the dictionary room's, other forms are the interop room's; this file reads files and prints.

import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { CrossgateError } from '../../base/errors.ts';
import {
  type Dictionary,
  DictionaryInvalid,
  isDataType,
  loadDictionary,
  type Member,
  type MessageDefinition,
  renderDictionary,
} from '../../dictionary/mod.ts';
import { repeated } from '../options/repeated.ts';
import { endWithReader } from '../output/exit.ts';
import { writeNewFiles } from '../output/new-files.ts';
import { type Column, formatTable } from '../output/table.ts';

interface CheckOptions {
  readonly overlay?: readonly string[];
  readonly json?: boolean;
}

interface ShowOptions extends CheckOptions {
  readonly dictionary?: readonly string[];
  readonly version: string;
}

interface ImportOptions {
  readonly completeWith?: readonly string[];
  readonly out: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

interface JoinOptions {
  readonly overlay?: readonly string[];
  readonly out: string;
  readonly force?: boolean;
}

const OURS = fileURLToPath(new URL('../../../dictionaries/', import.meta.url));
/** Our own dictionaries by version, the one that knows the message first. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  'FIX.4.2': ['FIX42.xml'],
  'FIX.4.4': ['FIX44.xml'],
  'FIX.5.0SP2': ['FIX50SP2.xml', 'FIXT11.xml'],
  'FIX.5.0SP1': ['FIX50SP1.xml', 'FIXT11.xml'],
  'FIX.5.0': ['FIX50.xml', 'FIXT11.xml'],
};

export function addDictionaryCommands(program: Command): void {
  const dictionary = program
    .command('dictionary')
    .description('check, show and import data dictionaries (QuickFIX XML)');
  dictionary
    .command('check')
    .description('read dictionaries and print their content, or their faults with file, line and column')
    .argument('<file...>')
    .option('--overlay <file>', 'a file of the same form that adds to each; may be repeated', repeated)
    .option('--json', 'as JSON')
    .action(check);
  dictionary
    .command('show')
    .description('print the content of a message: tags, types, values, groups indented; without a name, every message')
    .argument('[message]', 'MsgType(35) or name')
    .option('--version <version>', `of our own dictionaries: ${Object.keys(FILES).join(', ')}`, 'FIX.4.4')
    .option('--dictionary <file>', 'this file instead; may be repeated, the first that has the message wins', repeated)
    .option('--overlay <file>', 'a file of the same form that adds to each; may be repeated', repeated)
    .option('--json', 'as JSON')
    .action(show);
  dictionary
    .command('join')
    .description('write one QuickFIX XML file out of several: an application, its transport, overlays')
    .argument('<application>', 'for example FIX50SP2.xml')
    .argument('[transport]', 'for example FIXT11.xml')
    .option('--overlay <file>', 'a file of the same form that adds to the application; may be repeated', repeated)
    .requiredOption('--out <file>', 'what is written')
    .option('--force', 'replace a file that is there')
    .action(joinFiles);
  dictionary
    .command('import')
    .description('write QuickFIX XML out of a FIX Repository folder (Messages.xml, Fields.xml and so on), by jspurefix')
    .argument('<folder>', 'folder with the files of one version')
    .option(
      '--complete-with <place>',
      'repository folder or QuickFIX XML of another version, for fields that this one names and does not define; may be repeated',
      repeated,
    )
    .option('--out <folder>', 'where the dictionaries go', '.')
    .option('--force', 'replace files that are there')
    .option('--json', 'as JSON')
    .action(importFolder);
}

async function check(files: readonly string[], options: CheckOptions): Promise<void> {
  const overlays = await sourcesOf(options.overlay ?? []);
  const results: { file: string; problems: readonly string[]; dictionary: Dictionary | null }[] = [];
  for (const file of files) {
    const [source] = await sourcesOf([file]);
    try {
      results.push({ file, problems: [], dictionary: loadDictionary(source!.xmlText, source!.fileName, overlays) });
    } catch (error) {
      if (!(error instanceof DictionaryInvalid)) throw error;
      results.push({ file, problems: error.problems, dictionary: null });
    }
  }
  if (options.json) {
    const found = results.map(({ file, problems, dictionary }) => ({
      file,
      ok: problems.length === 0,
      problem: problems[0] ?? null,
      problems,
      ...(dictionary === null ? {} : summaryOf(dictionary)),
    }));
    console.log(JSON.stringify(found, null, 2));
  } else {
    for (const { file, problems, dictionary } of results) {
      if (dictionary === null) for (const problem of problems) console.error(problem);
      else console.log(`${file}: ${sentenceOf(dictionary)}`);
    }
  }
  if (results.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
}

function summaryOf(dictionary: Dictionary): {
  version: string;
  messages: number;
  fields: number;
  enumerations: number;
  unknownTypes: { tag: number; name: string; type: string }[];
  warnings: readonly string[];
} {
  const fields = [...dictionary.fields.values()];
  return {
    version: dictionary.version,
    messages: dictionary.messages.size,
    fields: fields.length,
    enumerations: fields.filter(({ values }) => values !== null).length,
    unknownTypes: fields.filter(({ type }) => !isDataType(type)).map(({ tag, name, type }) => ({ tag, name, type })),
    warnings: dictionary.warnings,
  };
}

function sentenceOf(dictionary: Dictionary): string {
  const { version, messages, fields, enumerations, warnings } = summaryOf(dictionary);
  const doubts = warnings.map((warning) => `\n  warning: ${warning}`);
  return `${version}, ${messages} messages, ${fields} fields, ${enumerations} of them enumerated${doubts.join('')}`;
}

async function show(name: string | undefined, options: ShowOptions): Promise<void> {
  endWithReader();
  const overlays = await sourcesOf(options.overlay ?? []);
  const sources = await sourcesOf(options.dictionary ?? ownFiles(options.version));
  const dictionaries = sources.map(({ xmlText, fileName }) => loadDictionary(xmlText, fileName, overlays));
  const messages = dictionaries.flatMap((each) => [...each.messages.values()]);
  if (name === undefined) {
    if (options.json) {
      const listed = messages.map(({ msgType, name, category }) => ({ msgType, name, category }));
      console.log(JSON.stringify(listed, null, 2));
    } else console.log(formatTable(MESSAGE_COLUMNS, messages));
    return;
  }
  const message = messages.find((each) => each.msgType === name || each.name === name);
  if (message === undefined)
    throw new CrossgateError('XG_NOT_FOUND', `there is no message ${name}${suggestion(name, messages)}`);
  if (options.json) {
    const { msgType, category } = message;
    const fields = message.members.map(memberJson);
    console.log(JSON.stringify({ msgType, name: message.name, category, fields }, null, 2));
  } else {
    console.log(`${message.name} (35=${message.msgType})\n`);
    console.log(formatTable(MEMBER_COLUMNS, rowsOf(message.members, 0)));
  }
}

function ownFiles(version: string): readonly string[] {
  const files = FILES[version];
  if (files !== undefined) return files.map((file) => join(OURS, file));
  throw new CrossgateError('XG_USAGE', `--version takes ${Object.keys(FILES).join(', ')}, not ${version}`);
}

function suggestion(name: string, messages: readonly MessageDefinition[]): string {
  const wanted = name.toLowerCase();
  const similar = messages.filter((each) => each.name.toLowerCase().includes(wanted)).map((each) => each.name);
  return similar.length === 0 ? '' : `; there is ${similar.slice(0, 5).join(', ')}`;
}

const MESSAGE_COLUMNS: readonly Column<MessageDefinition>[] = [
  { title: 'MSGTYPE', cell: ({ msgType }) => msgType },
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'CATEGORY', cell: ({ category }) => category },
  { title: 'FIELDS', cell: ({ members }) => String(members.length), right: true },
];

interface MemberRow {
  readonly member: Member;
  readonly depth: number;
}

/** Longer enumerations are cut: `--json` has them whole. */
const VALUES_SHOWN_MAX = 6;

const MEMBER_COLUMNS: readonly Column<MemberRow>[] = [
  { title: 'TAG', cell: ({ member }) => String(member.field.tag), right: true },
  { title: 'NAME', cell: ({ member, depth }) => `${'  '.repeat(depth)}${member.field.name}` },
  { title: 'REQUIRED', cell: ({ member }) => (member.required ? 'yes' : '') },
  { title: 'TYPE', cell: ({ member }) => (member.kind === 'group' ? 'group' : member.field.type) },
  { title: 'VALUES', cell: ({ member }) => valuesOf(member) },
];

function rowsOf(members: readonly Member[], depth: number): MemberRow[] {
  return members.flatMap((member) => [
    { member, depth },
    ...(member.kind === 'group' ? rowsOf(member.members, depth + 1) : []),
  ]);
}

function valuesOf({ field }: Member): string {
  if (field.values === null) return '';
  const values = [...field.values.keys()];
  const more = values.length - VALUES_SHOWN_MAX;
  return `${values.slice(0, VALUES_SHOWN_MAX).join(' ')}${more > 0 ? ` … (${values.length})` : ''}`;
}

function memberJson(member: Member): unknown {
  const { tag, name, type, values, open } = member.field;
  return {
    tag,
    name,
    type,
    required: member.required,
    ...(values === null ? {} : { values: Object.fromEntries(values), otherValues: open }),
    ...(member.kind === 'group' ? { group: member.members.map(memberJson) } : {}),
  };
}

async function importFolder(folder: string, options: ImportOptions): Promise<void> {
  // interop holds the optional dependency jspurefix: loaded only here.
  const { importRepository } = await import('../../interop/mod.ts');
  const imported = await importRepository(folder, options.completeWith);
  const pathOf = ({ fileName }: { readonly fileName: string }): string => join(options.out, fileName);
  await writeNewFiles(
    options.out,
    imported.map((one) => [pathOf(one), one.xmlText] as const),
    options.force ?? false,
  );
  const written = imported.map((one) => ({ file: pathOf(one), messages: one.messages, fields: one.fields }));
  if (options.json) console.log(JSON.stringify(written, null, 2));
  else for (const { file, messages, fields } of written) console.log(`${file}: ${messages} messages, ${fields} fields`);
}

async function joinFiles(application: string, transport: string | undefined, options: JoinOptions): Promise<void> {
  const overlays = await sourcesOf(options.overlay ?? []);
  const [own, carrier] = await sourcesOf(transport === undefined ? [application] : [application, transport]);
  const spoken = loadDictionary(own!.xmlText, own!.fileName, overlays);
  const carried = carrier === undefined ? null : loadDictionary(carrier.xmlText, carrier.fileName);
  if (carried !== null && !(carried.version === 'FIXT.1.1' && spoken.version.startsWith('FIX.5'))) {
    throw new CrossgateError(
      'XG_USAGE',
      `an application of FIX.5.0 and later is joined with its transport, FIXT.1.1; here ${own!.fileName} is of ${spoken.version} and ${carrier!.fileName} of ${carried.version}`,
    );
  }
  const joined = renderDictionary(spoken, carried);
  await write(options.out, joined, options.force ?? false);
  console.log(`${options.out}: ${sentenceOf(loadDictionary(joined, options.out))}`);
}

async function write(file: string, text: string, force: boolean): Promise<void> {
  try {
    await writeFile(file, text, { flag: force ? 'w' : 'wx' });
  } catch (cause) {
    const there = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    const why = there ? 'is there already: use --force, or another place with --out' : (cause as Error).message;
    throw new CrossgateError('XG_USAGE', `${file} ${why}`, { cause });
  }
}

async function sourcesOf(files: readonly string[]): Promise<{ xmlText: string; fileName: string }[]> {
  const sources: { xmlText: string; fileName: string }[] = [];
  for (const file of files) {
    try {
      sources.push({ xmlText: await readFile(file, 'utf8'), fileName: file.startsWith(OURS) ? basename(file) : file });
    } catch (cause) {
      throw new CrossgateError('XG_USAGE', `${file} could not be read: ${(cause as Error).message}`, { cause });
    }
  }
  return sources;
}
