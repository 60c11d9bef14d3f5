// Reads the data dictionaries that the sessions need, overlays included: a start would end at one that is missing or broken.
// Leaves the folder itself to configuration.ts, and what is in them to the dictionary room.

import { CrossgateError } from '../base/errors.ts';
import { type EngineConfig, loadVersion, versionOf } from '../engine/mod.ts';
import type { ConfigProblem } from './config-problem.ts';

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
