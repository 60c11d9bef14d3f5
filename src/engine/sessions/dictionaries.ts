// The dictionaries of each BeginString that a session may speak: read once, shared by all sessions of that version, for
// validation and for display. The dictionary room has their content.

import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CrossgateError } from '../../base/errors.ts';
import {
  type Dictionary,
  type DictionarySource,
  dataFieldsOf,
  loadDictionary,
  Validator,
  type ValidatorSwitches,
} from '../../dictionary/mod.ts';
import type { SessionConfig } from '../../session/mod.ts';
import { type DataFields, Tag } from '../../wire/mod.ts';

/** Where the dictionaries are that come with the program. */
export const DELIVERED_DICTIONARIES = fileURLToPath(new URL('../../../dictionaries', import.meta.url));

/** Files by version; for FIXT.1.1 the application's, which names are looked up in first, then the transport's. */
const DICTIONARY_FILES: Readonly<
  Record<string, readonly [string] | readonly [application: string, transport: string]>
> = {
  'FIX.4.2': ['FIX42.xml'],
  'FIX.4.4': ['FIX44.xml'],
  'FIXT.1.1': ['FIX50SP2.xml', 'FIXT11.xml'],
  'FIXT.1.1/8': ['FIX50SP1.xml', 'FIXT11.xml'],
  'FIXT.1.1/7': ['FIX50.xml', 'FIXT11.xml'],
};

/** Versions that the session speaks without a delivered dictionary: the library's user supplies the file. */
const BROUGHT_FILES: Readonly<Record<string, readonly [string]>> = {
  'FIX.4.0': ['FIX40.xml'],
  'FIX.4.1': ['FIX41.xml'],
  'FIX.4.3': ['FIX43.xml'],
};

/**
 * The exchange's own FIX has OnBehalfOfCompID(115) in the body of its document and in the header of its dictionary (exchange
 * reference §7.2): an OMS certified there may send it in either.
 */
const OF_VENUE: Partial<ValidatorSwitches> = { headerFieldsInBody: [Tag.OnBehalfOfCompID] };

/** How the messages of a session are checked. */
export function validatorSwitches(session: CheckedAs): Partial<ValidatorSwitches> {
  const { validateFieldsHaveValues = true, validateUnorderedGroupFields = true, unknownTagReason = '3' } = session;
  // Only the `venue` dialect sends SessionStatus(1409).
  const own = { validateFieldsHaveValues, validateUnorderedGroupFields, unknownTagReason };
  return { ...(session.sendsSessionStatus ? OF_VENUE : {}), ...own };
}

type CheckedAs = Pick<
  SessionConfig,
  'sendsSessionStatus' | 'validateFieldsHaveValues' | 'validateUnorderedGroupFields' | 'unknownTagReason'
>;

/** The versions that orders are carried in. */
export const ORDER_VERSIONS: readonly string[] = Object.keys(DICTIONARY_FILES);

/** The versions that orders are carried in, and those that a folder brings a dictionary for. */
export function versionsIn(directory: string): string[] {
  const brought = Object.entries(BROUGHT_FILES).filter(([, [name]]) => existsSync(join(directory, name)));
  return [...ORDER_VERSIONS, ...brought.map(([version]) => version)];
}

/**
 * The version that a session speaks: its BeginString(8), with DefaultApplVerID(1137) unless that is FIX.5.0SP2, and
 * further values of ApplVerID(1128) after a `+` each: `FIXT.1.1/8+7`.
 */
export function versionOf({ beginString, defaultApplVerID = '9', applVerIDs = [] }: SpokenVersion): string {
  if (beginString !== 'FIXT.1.1') return beginString;
  const further = applVerIDs.filter((one) => one !== defaultApplVerID).sort();
  return [defaultApplVerID === '9' ? beginString : `${beginString}/${defaultApplVerID}`, ...further].join('+');
}

interface SpokenVersion {
  readonly beginString: string;
  readonly defaultApplVerID?: ApplVerID;
  readonly applVerIDs?: readonly ApplVerID[];
}

type ApplVerID = '7' | '8' | '9';

/** A version with further ones beside it, taken apart: versions that have dictionaries of their own. */
function partsOf(version: string): string[] {
  const [own = '', ...further] = version.split('+');
  const alone = (defaultApplVerID: string): SpokenVersion => ({
    beginString: 'FIXT.1.1',
    defaultApplVerID: defaultApplVerID as ApplVerID,
  });
  return [own, ...further.map((applVerID) => versionOf(alone(applVerID)))];
}

export interface VersionDictionaries {
  /** To look names and meanings up in, the first that knows wins. */
  readonly names: readonly Dictionary[];
  /** Fields that may hold SOH, for readers of stored messages of the version. */
  readonly dataFields: DataFields;
  newValidator(switches?: Partial<ValidatorSwitches>): Validator;
}

/** Read the dictionaries of a version; null if orders are not carried in it. @throws CrossgateError XG_DICTIONARY_INVALID */
export async function loadVersion(directory: string, version: string): Promise<VersionDictionaries | null> {
  const loaded = new Map<string, VersionDictionaries>();
  for (const part of partsOf(version)) {
    const one = await loadAlone(directory, part);
    if (one !== null) loaded.set(part, one);
  }
  return joinVersions(version, loaded);
}

/**
 * Read the dictionaries of several versions, brought ones too. @throws CrossgateError XG_DICTIONARY_INVALID;
 * XG_CONFIG_INVALID if there is none, with the remedy
 */
export async function loadVersions(
  directory: string,
  versions: readonly string[],
): Promise<Map<string, VersionDictionaries>> {
  const dictionaries = new Map<string, VersionDictionaries>();
  for (const version of new Set(versions)) {
    const loaded = (await loadVersion(directory, version)) ?? (await loadBrought(directory, version));
    dictionaries.set(version, loaded);
  }
  return dictionaries;
}

async function loadBrought(directory: string, version: string): Promise<VersionDictionaries> {
  const files = BROUGHT_FILES[version];
  if (files === undefined) {
    const versions = [...ORDER_VERSIONS.filter((one) => !one.includes('/')), ...Object.keys(BROUGHT_FILES)].sort();
    const fiveIs = version.startsWith('FIX.5') ? '; FIX.5.0 and later are FIXT.1.1 with defaultApplVerID' : '';
    const text = `beginString must be one of ${versions.join(', ')}, and is ${version}${fiveIs}`;
    throw new CrossgateError('XG_CONFIG_INVALID', text);
  }
  if (!existsSync(join(directory, files[0]))) {
    const text = `no dictionary is delivered for ${version}: put ${files[0]}, in QuickFIX's format, into a folder and name it by the option dictionaries`;
    throw new CrossgateError('XG_CONFIG_INVALID', `${text} (${directory} has none)`);
  }
  return loadFiles(directory, files);
}

/**
 * The dictionaries of a version out of those of its parts. A message is validated by that of its ApplVerID(1128), without one
 * by the default's, which comes first for names too. Null if a part is missing.
 */
export function joinVersions(
  version: string,
  loaded: ReadonlyMap<string, VersionDictionaries>,
): VersionDictionaries | null {
  const [own, ...further] = partsOf(version).map((part) => loaded.get(part));
  if (own === undefined) return null;
  if (further.length === 0) return own;
  const [application, transport] = own.names;
  const others = further.flatMap((one) => one?.names[0] ?? []);
  if (application === undefined || transport === undefined || others.length < further.length) return null;
  const names = [application, ...others, transport];
  return {
    names,
    dataFields: dataFieldsOf(names),
    newValidator: (switches) => new Validator({ transport, applications: [application, ...others] }, switches),
  };
}

/** The files that a version is read from, its overlays that are there included, in the order in which they are read. */
export function dictionaryFiles(directory: string, version: string): string[] {
  const files = partsOf(version).flatMap((part) => DICTIONARY_FILES[part] ?? []);
  return [...new Set(files)].flatMap((name) =>
    [name, overlayOf(name)].filter((file) => file === name || existsSync(join(directory, file))),
  );
}

/** Files of the folder that look like overlays and belong to no dictionary: a misspelt one would change nothing. */
export function strayOverlays(directory: string): string[] {
  const overlays = new Set(Object.values(DICTIONARY_FILES).flat().map(overlayOf));
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return names.filter((name) => /overlay/i.test(name) && /\.xml$/i.test(name) && !overlays.has(name)).sort();
}

const overlayOf = (name: string): string => name.replace(/\.xml$/, '.overlay.xml');

async function loadAlone(directory: string, version: string): Promise<VersionDictionaries | null> {
  const files = DICTIONARY_FILES[version];
  return files === undefined ? null : loadFiles(directory, files);
}

async function loadFiles(
  directory: string,
  files: readonly [string] | readonly [application: string, transport: string],
): Promise<VersionDictionaries> {
  const load = async (name: string): Promise<Dictionary> => {
    const xmlText = await readDictionary(directory, name);
    return loadDictionary(xmlText, join(directory, name), await overlaysOf(directory, name));
  };
  const application = await load(files[0]);
  if (files[1] === undefined) {
    const names = [application];
    return {
      names,
      dataFields: dataFieldsOf(names),
      newValidator: (switches) => new Validator(application, switches),
    };
  }
  const transport = await load(files[1]);
  const names = [application, transport];
  return {
    names,
    dataFields: dataFieldsOf(names),
    newValidator: (switches) => new Validator({ transport, applications: [application] }, switches),
  };
}

async function readDictionary(directory: string, name: string): Promise<string> {
  try {
    return await readFile(join(directory, name), 'utf8');
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    const why = isMissing ? missing(directory, name) : (cause as Error).message;
    throw new CrossgateError('XG_DICTIONARY_INVALID', `${join(directory, name)}: ${why}`, { cause });
  }
}

/** An overlay adds to a dictionary, and is none itself. */
function missing(directory: string, name: string): string {
  const isOverlaid = existsSync(join(directory, overlayOf(name)));
  const beside = isOverlaid ? `, which ${overlayOf(name)} beside it adds to` : '';
  const delivered = join(DELIVERED_DICTIONARIES, name);
  return `there is no such file${beside}${existsSync(delivered) ? `: copy ${delivered} there` : ''}`;
}

/** `FIX44.overlay.xml` beside `FIX44.xml` adds fields, values and messages to it: those of one house, for example. */
async function overlaysOf(directory: string, name: string): Promise<DictionarySource[]> {
  const fileName = overlayOf(name);
  if (!existsSync(join(directory, fileName))) return [];
  return [{ xmlText: await readDictionary(directory, fileName), fileName }];
}
