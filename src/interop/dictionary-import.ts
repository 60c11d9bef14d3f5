// Data dictionaries out of a FIX Repository, the form in which FIX Protocol Ltd. published the versions: jspurefix reads its
// files, repository-xml.ts writes QuickFIX XML. Leaves writing files and the command line to the cli room.

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CrossgateError } from '../base/errors.ts';
import { loadDictionary } from '../dictionary/mod.ts';
import { requireJspurefix } from './jspurefix.ts';
import { Part, type RepositoryRows, renderRepository } from './repository-xml.ts';

/** A dictionary made by an import: name of the file as dictionaries/ has it, and its text, which our reader takes. */
export interface ImportedDictionary {
  readonly fileName: string;
  readonly xmlText: string;
  readonly messages: number;
  readonly fields: number;
}

const FILES = ['Fields.xml', 'Enums.xml', 'Datatypes.xml', 'Components.xml', 'Messages.xml', 'MsgContents.xml'];
const VERSIONS = /^FIX\.(4\.[0-4]|5\.0(SP[12])?)$/;
/** Where the version stands in a repository file, after its licence. */
const HEAD_CHARACTERS = 20_000;
const NAMES_SHOWN_MAX = 8;

interface RepositoryReader {
  readonly repository: RepositoryRows;
  parse(): Promise<unknown>;
}

interface ReaderModule {
  readonly RepositoryXmlParser: new (folder: string, getLogger: () => unknown) => RepositoryReader;
}

/**
 * Read the FIX Repository in a folder (Fields.xml, Enums.xml, Datatypes.xml, Components.xml, Messages.xml, MsgContents.xml of
 * one version) as dictionaries: one for FIX.4.0 to FIX.4.4; for FIX.5.0 and later the application's and the transport's.
 *
 * @param completions folders with repositories of other versions, or QuickFIX XML files: out of the first that has it comes a
 *   field that the messages name and Fields.xml does not define. The FIX.4.3 that is handed round has the Fields.xml of FIX.4.2
 * @throws CrossgateError XG_USAGE if the folder holds no repository or jspurefix is not installed, XG_DICTIONARY_INVALID if
 *   what it holds makes no dictionary
 */
export async function importRepository(
  folder: string,
  completions: readonly string[] = [],
): Promise<readonly ImportedDictionary[]> {
  await checkFolder(folder);
  const version = await versionOf(folder);
  let repository = (await read(folder)).repository;
  for (const place of completions) repository = completed(repository, await fieldsOf(place));
  const name = `${version.replaceAll('.', '')}.xml`;
  const dictionary = async (fileName: string, part: Part): Promise<ImportedDictionary> => {
    const { xmlText, undefinedNames } = renderRepository(repository, version, part);
    // Leaving them out would make a dictionary that refuses messages of the version.
    if (undefinedNames.length > 0) {
      const foreign = await foreignFiles(folder, version);
      const [some, more] = [undefinedNames.slice(0, NAMES_SHOWN_MAX), undefinedNames.length - NAMES_SHOWN_MAX];
      throw new CrossgateError(
        'XG_DICTIONARY_INVALID',
        `${join(folder, 'MsgContents.xml')} names what Fields.xml and Components.xml do not define: ${some.join(', ')}${more > 0 ? ` and ${more} more` : ''}${foreign === '' ? '' : `; ${foreign}`}; fields that are missing can come out of another version's repository or dictionary (--complete-with)`,
      );
    }
    // Our own reader checks the result.
    const { messages, fields } = loadDictionary(xmlText, fileName);
    return { fileName, xmlText, messages: messages.size, fields: fields.size };
  };
  if (!version.startsWith('FIX.5')) return [await dictionary(name, Part.Whole)];
  return [await dictionary(name, Part.Application), await dictionary('FIXT11.xml', Part.Transport)];
}

type FieldRows = Pick<RepositoryRows, 'Fields' | 'Enums'>;

/** The fields of a repository in a folder, or of a dictionary in a file. @throws CrossgateError XG_USAGE, XG_DICTIONARY_INVALID */
async function fieldsOf(place: string): Promise<FieldRows> {
  const found = await stat(place).catch(() => null);
  if (found === null || found.isDirectory()) {
    await checkFolder(place);
    return (await read(place)).repository;
  }
  const fields = [...loadDictionary(await readFile(place, 'utf8'), place).fields.values()];
  return {
    Fields: fields.map(({ tag, name, type }) => ({ Tag: String(tag), Name: name, Type: type })),
    Enums: fields.flatMap(({ tag, values }) =>
      [...(values ?? [])].map(([value, name]) => ({ Tag: String(tag), Value: value, SymbolicName: name })),
    ),
  };
}

/** The rows of a repository, and of another the fields, with their values, that it does not define. */
function completed(own: RepositoryRows, other: FieldRows): RepositoryRows {
  const known = new Set(own.Fields.map(({ Tag }) => Tag));
  const enumerated = new Map<string | undefined, string[]>();
  for (const { Tag, Value = '' } of own.Enums) enumerated.set(Tag, [...(enumerated.get(Tag) ?? []), Value]);
  const missing = other.Fields.filter(({ Tag }) => !known.has(Tag));
  return {
    Fields: [...own.Fields, ...missing.map((field) => fitting(field, enumerated.get(field.Tag) ?? []))],
    Enums: [...own.Enums, ...other.Enums.filter(({ Tag }) => !known.has(Tag) && !enumerated.has(Tag))],
    Components: own.Components,
    Messages: own.Messages,
    MsgContents: own.MsgContents,
  };
}

/**
 * A field of another version with the type that its values in this one have: TradeReportTransType(487) was a character with
 * the values N, C and R in FIX.4.3 and is a number in FIX.4.4.
 */
function fitting(field: FieldRows['Fields'][number], values: readonly string[]): FieldRows['Fields'][number] {
  const isNumber = field.Type?.toLowerCase() === 'int' || field.Type?.toLowerCase() === 'numingroup';
  if (!isNumber || values.every((value) => /^-?\d+$/.test(value))) return field;
  return { ...field, Type: values.every(({ length }) => length === 1) ? 'char' : 'String' };
}

/** Which files of a folder say that they are of another version than its messages; empty if none does. */
async function foreignFiles(folder: string, version: string): Promise<string> {
  const said: string[] = [];
  for (const name of FILES) {
    const head = (await readFile(join(folder, name), 'utf8')).slice(0, HEAD_CHARACTERS);
    const found = /<\w+\s[^>]*\bversion="([^"]+)"/.exec(head)?.[1];
    if (found !== undefined && found !== version) said.push(`${name} is of ${found}`);
  }
  return said.join(', ');
}

async function checkFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (found === null) throw new CrossgateError('XG_USAGE', `there is no ${folder}`);
  if (!found.isDirectory()) {
    const text = await readFile(folder, 'latin1');
    throw new CrossgateError('XG_USAGE', `${folder} ${whatItIs(text.slice(0, HEAD_CHARACTERS))}`);
  }
  if ((await stat(join(folder, 'fixml-main-5-0-SP2.xsd')).catch(() => null)) !== null) {
    throw new CrossgateError(
      'XG_USAGE',
      `${folder} holds the schema of FIXML: it describes XML, whose repeating groups have no NumInGroup field, so no dictionary for tag=value messages can be made of it; take the FIX Repository of the version`,
    );
  }
  const missing: string[] = [];
  for (const name of FILES) if ((await stat(join(folder, name)).catch(() => null)) === null) missing.push(name);
  if (missing.length === 0) return;
  throw new CrossgateError('XG_USAGE', `${folder} is no FIX Repository: it lacks ${missing.join(', ')}`);
}

function whatItIs(text: string): string {
  if (/<fix[\s>]/.test(text))
    return 'is a QuickFIX XML dictionary already: use it as it is (`crossgate dictionary check`)';
  if (/<(\w+:)?repository[\s>]/.test(text)) {
    return 'is a FIX Orchestra file, which jspurefix does not read; take the FIX Repository folder of the version, or the QuickFIX XML that the Orchestra tools write';
  }
  return 'is no folder with a FIX Repository (Fields.xml, Enums.xml, Messages.xml and so on)';
}

async function versionOf(folder: string): Promise<string> {
  const head = (await readFile(join(folder, 'Messages.xml'), 'utf8')).slice(0, HEAD_CHARACTERS);
  const version = /<Messages\s[^>]*\bversion="([^"]+)"/.exec(head)?.[1];
  if (version !== undefined && VERSIONS.test(version)) return version;
  throw new CrossgateError(
    'XG_DICTIONARY_INVALID',
    `${join(folder, 'Messages.xml')}: the root <Messages> must name a version from FIX.4.0 to FIX.5.0SP2${version === undefined ? '' : `, not ${version}`}`,
  );
}

async function read(folder: string): Promise<RepositoryReader> {
  const module = 'jspurefix/dist/dictionary/parser/fix-repository/repository-xml-parser.js';
  const { RepositoryXmlParser } = requireJspurefix('reads FIX Repository files', module) as ReaderModule;
  const quiet = { info: () => {}, debug: () => {}, warning: () => {}, error: () => {}, isEnabled: () => false };
  const reader = new RepositoryXmlParser(folder, () => quiet);
  try {
    await reader.parse();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    throw new CrossgateError('XG_DICTIONARY_INVALID', `${folder}: jspurefix could not read it: ${why}`, { cause });
  }
  return reader;
}
