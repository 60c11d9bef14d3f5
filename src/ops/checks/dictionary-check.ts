// Reads the data dictionaries that the sessions need, overlays included: a start would end at one that is missing or broken.
// Leaves the folder itself to configuration.ts, and what is in them to the dictionary room.

import { CrossgateError } from '../../base/errors.ts';
import { loadVersion, type VersionDictionaries, versionOf } from '../../engine/mod.ts';
import type { EngineConfig } from '../../runtime/mod.ts';
import type { ConfigProblem } from '../configuration/config-problem.ts';

/** What a start would end at: a problem for each version whose dictionary cannot be used. */
export async function checkDictionaries(config: EngineConfig): Promise<ConfigProblem[]> {
  const { dictionariesDirectory: directory, sessions } = config;
  const needed = new Map<string, string>();
  for (const { session, source } of sessions)
    if (!needed.has(versionOf(session))) needed.set(versionOf(session), source);
  const problems = new Map<string, ConfigProblem>();
  for (const [version, source] of needed) {
    try {
      await loadVersion(directory, version);
    } catch (error) {
      if (!(error instanceof CrossgateError)) throw error;
      const remedy = `mend it (\`crossgate dictionary check\` reads one file); ${source} speaks ${version}`;
      const place = { file: directory, line: null, column: null, key: '', value: null };
      if (!problems.has(error.message)) problems.set(error.message, { ...place, problem: error.message, remedy });
    }
  }
  return [...problems.values()];
}

/** TimeInForce(59). */
const TIME_IN_FORCE = 59;

/**
 * Sessions that take a value for GTX which their dictionary does not have: an order with it is refused before that.
 * @param read gives the dictionaries of a version: those in use, or else those in the files
 */
export async function dictionaryWarnings(
  { dictionariesDirectory, sessions }: EngineConfig,
  read: (version: string) => Promise<VersionDictionaries | null> = (version) =>
    loadVersion(dictionariesDirectory, version),
): Promise<ConfigProblem[]> {
  const warnings: ConfigProblem[] = [];
  const loaded = new Map<string, VersionDictionaries | null>();
  for (const { source, session, gateway } of sessions) {
    if (gateway.gtxAliases.length === 0 || !session.validateIncoming) continue;
    const version = versionOf(session);
    // One that cannot be read is a problem, and said as that.
    if (!loaded.has(version)) loaded.set(version, await read(version).catch(() => null));
    const application = loaded.get(version)?.names[0];
    if (application === undefined) continue;
    const values = gateway.gtxAliases.filter((value) => application.enumName(TIME_IN_FORCE, value) === null);
    if (values.length === 0) continue;
    const place = { file: source, line: null, column: null, key: 'gtxAliases', value: gateway.gtxAliases.join(', ') };
    const problem = `the dictionary of ${version} has no TimeInForce(59)=${values.join(', ')}: an order with it is refused by Reject(3)`;
    const remedy = 'add it to the dictionary by an overlay (dictionaries/README.md), or take it out here';
    warnings.push({ ...place, problem, remedy });
  }
  return warnings;
}
