// The dictionaries of a kit: the very ones that the gateway checks this session by, house overlays written into them.

import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { applicationVersion, type Dictionary, loadDictionary, renderDictionary } from '../../dictionary/mod.ts';
import { dictionaryFiles, versionOf } from '../../engine/mod.ts';
import type { KitSession } from './kit-session.ts';

const FOLDER = 'dictionary';

export interface KitDictionaries {
  /** Path in the kit → XML. */
  readonly files: readonly (readonly [path: string, xml: string])[];
  /** For names and meanings: the application first. */
  readonly known: readonly Dictionary[];
  /** Of FIX.4.x the one file; of FIXT.1.1 the application's files by version, the default first. */
  readonly applications: readonly { readonly version: string; readonly path: string }[];
  /** Of FIXT.1.1. */
  readonly transport: string | null;
  /** One file with everything, for engines that take one per session. */
  readonly whole: string;
}

/** @throws DictionaryInvalid naming file and line */
export function kitDictionaries({ config, session }: KitSession): KitDictionaries {
  const directory = config.dictionariesDirectory;
  const names = dictionaryFiles(directory, versionOf(session.session)).filter((name) => !isOverlay(name));
  const read = names.map((name) => readOne(directory, name));
  const transport = read.find(({ dictionary }) => dictionary.version.startsWith('FIXT')) ?? null;
  const others = read.filter((one) => one !== transport);
  // A session of several versions has that of its answers first.
  const { beginString, defaultApplVerID } = session.session;
  const own = applicationVersion(beginString, defaultApplVerID);
  const applications = others.sort(
    (a, b) => Number(b.dictionary.version === own) - Number(a.dictionary.version === own),
  );
  const [first] = applications;
  const files = read.map(({ path, xml }): [string, string] => [path, xml]);
  const joined = `${FOLDER}/${own.replaceAll('.', '')}-whole.xml`;
  if (transport !== null && first !== undefined)
    files.push([joined, renderDictionary(first.dictionary, transport.dictionary)]);
  return {
    files,
    known: [...applications, ...(transport === null ? [] : [transport])].map(({ dictionary }) => dictionary),
    applications: applications.map(({ path, dictionary }) => ({ version: dictionary.version, path })),
    transport: transport?.path ?? null,
    whole: transport === null ? (first?.path ?? '') : joined,
  };
}

const isOverlay = (name: string): boolean => name.endsWith('.overlay.xml');

function readOne(directory: string, name: string): { path: string; xml: string; dictionary: Dictionary } {
  const xmlText = readFileSync(join(directory, name), 'utf8');
  const fileName = basename(name);
  const overlay = name.replace(/\.xml$/, '.overlay.xml');
  const hasOverlay = existsSync(join(directory, overlay));
  const overlays = hasOverlay ? [{ xmlText: readFileSync(join(directory, overlay), 'utf8'), fileName: overlay }] : [];
  const dictionary = loadDictionary(xmlText, fileName, overlays);
  return { path: `${FOLDER}/${fileName}`, xml: hasOverlay ? renderDictionary(dictionary) : xmlText, dictionary };
}
