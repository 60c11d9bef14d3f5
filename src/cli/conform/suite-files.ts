// The suites of `crossgate conform`: those that come with the product, scenario files, and QuickFIX's scripts. Reads them with
// the names of every version.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, normalize, relative, resolve } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { CrossgateError } from '../../base/errors.ts';
import { terminalLines } from '../../base/terminal-text.ts';
import { type Dictionary, loadDictionary } from '../../dictionary/mod.ts';
import { loadVersions, ORDER_VERSIONS } from '../../engine/mod.ts';
import {
  FieldNames,
  type LinkedCase,
  linkCase,
  parseQuickfixDef,
  parseScenario,
  problemLine,
  type Role,
  type Scenario,
  type ScenarioProblem,
} from '../../scenario/mod.ts';
import { DICTIONARIES } from '../log/message-log.ts';

/** A case with the suite that it belongs to. */
export interface SuiteCase {
  readonly suite: string;
  readonly linked: LinkedCase;
  /** BeginString(8) of a QuickFIX script; null for a scenario, which takes the run's. */
  readonly beginString: string | null;
}

export interface Suites {
  readonly cases: readonly SuiteCase[];
  readonly names: FieldNames;
  readonly notes: readonly string[];
}

const SCENARIOS = resolve(DICTIONARIES, 'scenarios');
/** The suites that come with the product. */
export const BUILT_IN = ['session', 'orders', 'auctions'] as const;
const STANDARD_FILES = ['FIX42.xml', 'FIX43.xml', 'FIX44.xml', 'FIX50SP2.xml'];
/** Largest scenario file. */
const FILE_BYTES_MAX = 4_194_304;

/** Read suites and link every case for a role. @throws CrossgateError XG_USAGE with every fault of the files */
export async function loadSuites(
  suites: readonly string[],
  options: { readonly role: Role; readonly hostVariables: readonly string[] },
): Promise<Suites> {
  const files = suites.flatMap(filesOf);
  const ours = await loadVersions(DICTIONARIES, ORDER_VERSIONS);
  const delivered = [...ours.values()].flatMap(({ names }) => [...names].reverse());
  const first = read(files, new FieldNames(delivered), options);
  if (first.problems.length === 0) return first;
  // Names of messages that the gateway does not speak: reading them takes a second.
  const every = read(files, new FieldNames([...(await standardDictionaries()), ...delivered]), options);
  if (every.problems.length === 0) return every;
  const lines = every.problems.map(problemLine);
  throw new CrossgateError('XG_USAGE', `the scenario has faults, and no case was run:\n${lines.join('\n')}`);
}

async function standardDictionaries(): Promise<Dictionary[]> {
  return await Promise.all(
    STANDARD_FILES.map(async (file) => {
      const packed = await readFile(join(DICTIONARIES, 'standard', `${file}.br`));
      return loadDictionary(brotliDecompressSync(packed).toString(), file);
    }),
  );
}

function read(
  files: readonly string[],
  names: FieldNames,
  { role, hostVariables }: { readonly role: Role; readonly hostVariables: readonly string[] },
): Suites & { readonly problems: readonly ScenarioProblem[] } {
  const cases: SuiteCase[] = [];
  const notes: string[] = [];
  const problems: ScenarioProblem[] = [];
  for (const file of files) {
    const parsed = file.endsWith('.def') ? readDef(file, notes) : readScenario(file, names, problems);
    for (const one of parsed.scenario.cases) {
      if ((one.role ?? role) !== role) continue;
      const result = linkCase(parsed.scenario, one, { role, hostVariables });
      problems.push(...result.problems);
      cases.push({ suite: parsed.scenario.name, linked: result.linked, beginString: parsed.beginString });
    }
  }
  return { cases, names, notes, problems };
}

interface ReadFile {
  readonly scenario: Scenario;
  readonly beginString: string | null;
}

function readScenario(file: string, names: FieldNames, problems: ScenarioProblem[]): ReadFile {
  const include = (name: string, from: string) => {
    const path = [join(dirname(from), name), join(SCENARIOS, name)].find((one) => existsSync(one));
    return path === undefined ? null : { file: shownName(path), text: textOf(path) };
  };
  const parsed = parseScenario(textOf(file), shownName(normalize(file)), { names, include });
  problems.push(...parsed.problems);
  return { scenario: parsed.scenario, beginString: null };
}

/** Files of ours by their names alone: they lie where the product is installed. */
function shownName(path: string): string {
  return dirname(path) === SCENARIOS ? basename(path) : path;
}

function readDef(file: string, notes: string[]): ReadFile {
  const { scenario, beginString, notes: own } = parseQuickfixDef(readFileSync(file, 'latin1'), file);
  notes.push(...own.map((note) => terminalLines(note)));
  return { scenario: { ...scenario, name: basename(dirname(resolve(file))) }, beginString };
}

function textOf(file: string): string {
  if (statSync(file).size > FILE_BYTES_MAX) throw usage(`${file} is larger than ${FILE_BYTES_MAX} bytes: split it`);
  return readFileSync(file, 'utf8');
}

/** The files of a suite: a name of ours, a file, or a folder with all that it holds. */
function filesOf(suite: string): string[] {
  if ((BUILT_IN as readonly string[]).includes(suite)) return [join(SCENARIOS, `${suite}.scenario`)];
  if (!existsSync(suite))
    throw usage(`--suite ${suite}: there is no such file; the suites of ours are ${BUILT_IN.join(', ')}`);
  if (!statSync(suite).isDirectory()) return [suite];
  const found = readdirSync(suite, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:scenario|def)$/.test(name) && !/(?:^|[/\\])(?:future|broken)[/\\]/.test(name))
    .sort();
  if (found.length === 0) throw usage(`--suite ${suite}: the folder has no file *.scenario or *.def`);
  return found.map((name) => join(suite, relative('.', name)));
}

function usage(text: string): CrossgateError {
  return new CrossgateError('XG_USAGE', text);
}
