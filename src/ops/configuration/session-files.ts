// The files of the configuration folder: which there are, and the sessions that they hold. Leaves what stands in a session to
// configuration.ts, and settings files of QuickFIX to quickfix-cfg.

import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Steps } from '../../engine/mod.ts';
import { readCfgFile } from '../quickfix-cfg/file.ts';
import type { CfgSession } from '../quickfix-cfg/quickfix-cfg.ts';
import type { ConfigProblem } from './config-problem.ts';
import { type FileMemory, readYamlFile } from './yaml-file.ts';

/** The delivered samples, as somebody in this folder names them. */
const SAMPLES = relative(process.cwd(), fileURLToPath(new URL('../../../sessions', import.meta.url)));

const SESSION_FILES_MAX = 1000;
export const GATEWAY_FILE = 'gateway.yaml';
export const DEFAULTS_FILE = 'defaults.yaml';

export interface SessionSource extends Pick<CfgSession, 'name' | 'file'> {
  /** Of a QuickFIX settings file. */
  readonly reports: CfgSession['reports'] | null;
}

export interface SessionFolder {
  readonly directory: string;
  /** Of the files to read. */
  readonly names: ReadonlySet<string>;
  readonly known: FileMemory | undefined;
}

/** Every session: one per YAML file, and one per [SESSION] of a QuickFIX settings file. */
export function* sessionFiles(
  { directory, names, known }: SessionFolder,
  shown: (name: string) => string,
  problems: ConfigProblem[],
  notes: ConfigProblem[],
): Steps<SessionSource[]> {
  const found = new Map<string, Omit<SessionSource, 'name'>>();
  for (const entry of names) {
    yield;
    if (entry === GATEWAY_FILE || entry === DEFAULTS_FILE) continue;
    if (entry.endsWith('.yaml')) {
      const file = readYamlFile(join(directory, entry), shown(entry), known);
      found.set(entry.replace(/\.yaml$/, ''), { file, reports: null });
      continue;
    }
    const cfg = readCfgFile(join(directory, entry), shown(entry));
    problems.push(...cfg.problems);
    notes.push(...cfg.notes);
    for (const { name, file, reports } of cfg.sessions) {
      const first = found.get(name);
      if (first === undefined) found.set(name, { file, reports });
      else {
        const problem = `a session called ${name} is in ${first.file.file} already`;
        problems.push({ ...file.place([]), key: '', value: null, problem, remedy: 'give it a SessionQualifier' });
      }
    }
  }
  return [...found].map(([name, source]) => ({ name, ...source }));
}

/** Names of the YAML and QuickFIX settings files in the folder, sorted. */
export function listFiles(
  directory: string,
  shown: (name: string) => string,
  problems: ConfigProblem[],
): ReadonlySet<string> {
  const complain = (file: string, problem: string, remedy: string): void => {
    problems.push({ file, line: null, column: null, key: '', value: null, problem, remedy });
  };
  let entries: string[];
  try {
    // A leading dot marks an editor's file: emacs keeps .#NAME.yaml while NAME.yaml is being changed.
    entries = readdirSync(directory)
      .filter((entry) => !entry.startsWith('.'))
      .sort();
  } catch {
    complain(
      shown(''),
      'the folder of the configuration cannot be read',
      `name another one with --sessions, or begin with a copy of the samples: cp -r ${SAMPLES} sessions`,
    );
    return new Set();
  }
  const files = new Set<string>();
  for (const entry of entries) {
    const [, ending = ''] = /\.(ya?ml|cfg)$/i.exec(entry) ?? [];
    if (ending === '') continue;
    if (ending !== 'yaml' && ending !== 'cfg') {
      const remedy = `rename it to ${/^y/i.test(ending) ? '.yaml' : '.cfg'}`;
      complain(shown(entry), `not read: the ending is .${ending}`, remedy);
      continue;
    }
    if (!/^[A-Za-z0-9_-]{1,64}\.(yaml|cfg)$/.test(entry)) {
      complain(shown(entry), 'not a possible session name', 'use letters, digits, `_` and `-`');
    } else files.add(entry);
  }
  const count = [...files].filter((file) => file !== GATEWAY_FILE && file !== DEFAULTS_FILE).length;
  if (count === 0) complain(shown(''), 'there is no session file', 'add one file NAME.yaml per FIX session');
  if (count > SESSION_FILES_MAX) {
    const remedy =
      'have many sessions in one file, a settings file NAME.cfg or a template session, or run a second gateway';
    complain(shown(''), `more than ${SESSION_FILES_MAX} session files`, remedy);
    return new Set([GATEWAY_FILE]);
  }
  return files;
}
