// Reads the data dictionaries that the sessions need, overlays included: a start would end at one that is missing or
// broken, and a session could not work with one that lacks its messages. configuration.ts has the folder, the
// dictionary room the content of dictionaries.

import { basename, join, resolve } from 'node:path';
import type { Administration } from '../../administration/mod.ts';
import { CrossgateError } from '../../base/errors.ts';
import {
  DELIVERED_DICTIONARIES,
  DictionaryInvalid,
  dictionaryFiles,
  loadVersion,
  type VersionDictionaries,
  versionOf,
} from '../../engine/mod.ts';
import { DictionaryLacks, type EngineConfig, type EngineSessionConfig } from '../../runtime/mod.ts';
import type { ConfigProblem } from '../configuration/config-problem.ts';

export interface DictionaryFindings {
  /** The session cannot work, or a start would end. */
  readonly problems: readonly ConfigProblem[];
  /** A function is lost. */
  readonly warnings: readonly ConfigProblem[];
}

type ReadVersion = (version: string) => Promise<VersionDictionaries | null>;

const DOUBTFUL = 'correct it, if it is not meant';
const BY_OVERLAY = 'add it to the dictionary by an overlay (docs/connect/versions.md)';

/**
 * Faults of the sessions' dictionaries.
 * @param readVersion returns the dictionaries of a version: those in use, or else those in the files
 */
export async function checkDictionaries(
  { dictionariesDirectory: directory, sessions }: EngineConfig,
  readVersion: ReadVersion = (version) => loadVersion(directory, version),
): Promise<DictionaryFindings> {
  const inFolder = { file: directory, line: null, column: null, key: '', value: null };
  const broken = new Map<string, ConfigProblem>();
  const warnings: ConfigProblem[] = [];
  const doubts = new Set<string>();
  const lacks = new LackedBySessions(directory);
  const read = new Map<string, VersionDictionaries | null>();
  for (const one of sessions) {
    const version = versionOf(one.session);
    try {
      if (!read.has(version)) read.set(version, await readVersion(version));
    } catch (error) {
      if (!(error instanceof CrossgateError)) throw error;
      const remedy = `mend it (\`crossgate dictionary check\` reads one file); ${one.source} speaks ${version}`;
      for (const problem of error instanceof DictionaryInvalid ? error.problems : [error.message]) {
        if (!broken.has(problem)) broken.set(problem, { ...inFolder, problem, remedy });
      }
      read.set(version, null);
    }
    const names = read.get(version)?.names ?? [];
    for (const problem of names.flatMap((each) => each.warnings)) doubts.add(problem);
    if (!one.session.validateIncoming) continue;
    lacks.add(one, names);
    const alias = aliasWarning(one, version, names[0]);
    if (alias !== null) warnings.push(alias);
  }
  return {
    problems: [...broken.values(), ...lacks.findings(true)],
    warnings: [
      ...[...doubts].map((problem) => ({ ...inFolder, problem, remedy: DOUBTFUL })),
      ...warnings,
      ...lacks.findings(false),
    ],
  };
}

/** The same of dictionaries as they are in use; of a version that no session spoke yet, as its files are. */
export async function checkDictionariesInUse(
  config: EngineConfig | null,
  administration: Pick<Administration, 'dictionariesOf'>,
): Promise<DictionaryFindings> {
  if (config === null) return { problems: [], warnings: [] };
  const { dictionariesDirectory } = config;
  return checkDictionaries(
    config,
    async (version) => administration.dictionariesOf(version) ?? (await loadVersion(dictionariesDirectory, version)),
  );
}

/** True if a start needs the check: shipped files lack nothing. */
export function bringsDictionaries({ dictionariesDirectory: directory, sessions }: EngineConfig): boolean {
  if (sessions.some(({ gateway }) => gateway.gtxAliases.length > 0)) return true;
  if (resolve(directory) !== resolve(DELIVERED_DICTIONARIES)) return true;
  const versions = [...new Set(sessions.map(({ session }) => versionOf(session)))];
  return versions.some((version) => dictionaryFiles(directory, version).some((file) => file.endsWith('.overlay.xml')));
}

/** Gaps of dictionaries, one finding for all sessions with the same need. */
class LackedBySessions {
  private readonly lacks = new Map<
    string,
    {
      readonly file: string;
      readonly what: string;
      readonly why: string;
      isFatal: boolean;
      readonly names: Set<string>;
    }
  >();
  private readonly found = new DictionaryLacks();
  private readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  add(one: EngineSessionConfig, names: VersionDictionaries['names']): void {
    const name = basename(one.source).replace(/\.\w+$/, '');
    for (const { fileName, what, why, isFatal } of this.found.of(one, names)) {
      const file = join(this.directory, fileName);
      const key = JSON.stringify([file, what, why]);
      const lack = this.lacks.get(key) ?? { file, what, why, isFatal, names: new Set<string>() };
      lack.isFatal ||= isFatal;
      lack.names.add(name);
      this.lacks.set(key, lack);
    }
  }

  findings(isFatal: boolean): ConfigProblem[] {
    const chosen = [...this.lacks.values()].filter((lack) => lack.isFatal === isFatal);
    return chosen.map(({ file, what, why, names }) => {
      const [first, ...others] = names;
      const who = others.length === 0 ? `session ${first} needs` : `session ${first} and ${others.length} more need`;
      const problem = `${basename(file)}: ${what}, which ${who} because ${why}`;
      return { file, line: null, column: null, key: '', value: null, problem, remedy: BY_OVERLAY };
    });
  }
}

/** TimeInForce(59). */
const TIME_IN_FORCE = 59;

/** A session that takes a value for GTX which its dictionary does not have: an order with it is refused before that. */
function aliasWarning(
  { source, gateway: { gtxAliases } }: EngineSessionConfig,
  version: string,
  application: VersionDictionaries['names'][number] | undefined,
): ConfigProblem | null {
  if (application === undefined) return null;
  const values = gtxAliases.filter((value) => application.enumName(TIME_IN_FORCE, value) === null);
  if (values.length === 0) return null;
  const place = { file: source, line: null, column: null, key: 'gtxAliases', value: gtxAliases.join(', ') };
  const problem = `the dictionary of ${version} has no TimeInForce(59)=${values.join(', ')}: an order with it is refused by Reject(3)`;
  return { ...place, problem, remedy: `${BY_OVERLAY}, or take it out here` };
}
