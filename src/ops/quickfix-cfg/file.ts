// A QuickFIX settings file of the configuration folder, read like the YAML files beside it: a fault becomes a problem,
// a setting without effect a warning. keys.ts has the meaning of settings.

import { type ConfigProblem, firstProblems } from '../configuration/config-problem.ts';
import { handwritten } from '../configuration/file-states.ts';
import { encodingProblem } from '../configuration/yaml-file.ts';
import { type CfgFile, type CfgSession, readQuickfixCfg } from './quickfix-cfg.ts';

const FILE_BYTES_MAX = 1_048_576;

export interface CfgSource {
  readonly sessions: readonly CfgSession[];
  readonly problems: readonly ConfigProblem[];
  /** Settings without effect: why not. */
  readonly notes: readonly ConfigProblem[];
}

/** Read a settings file. Never throws: faults are in `problems`. */
export function readCfgFile(path: string, file: string): CfgSource {
  const broken = (problem: string, remedy: string): CfgSource => {
    const problems = [{ file, line: null, column: null, key: '', value: null, problem, remedy }];
    return { sessions: [], problems, notes: [] };
  };
  let bytes: ReturnType<typeof handwritten>;
  try {
    bytes = handwritten(path, FILE_BYTES_MAX);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    return broken(`the file cannot be read (${code})`, 'make it readable for this user');
  }
  if (bytes === 'endless') return broken('this is no file but a pipe or a device', 'put a file into its place');
  if (bytes === 'too large') return broken('the file is larger than 1 MiB', 'is this a settings file?');
  const { sessions, problems } = readCfgBytes(bytes, file);
  const reported = sessions.flatMap(({ reports }) => reports);
  // A setting of [DEFAULT] may be one session's, though it is none of another's.
  const taken = new Set(reported.filter(({ kind }) => kind !== 'refused').map(({ line }) => line));
  const notes = new Map<number, ConfigProblem>();
  for (const { kind, line, key, value, text: problem, values, caution } of reported) {
    // It is reported once, not once per session; for a value that is set anyway the check reports the fault.
    if (kind !== 'refused' || values !== undefined || caution !== undefined || taken.has(line)) continue;
    notes.set(line, {
      file,
      line,
      column: 1,
      key,
      value,
      problem: `has no effect: ${problem}`,
      remedy: 'remove it',
    });
  }
  return { sessions, problems, notes: firstProblems([...notes.values()]) };
}

/** Read the content of a settings file; `file` is its name in messages. */
export function readCfgBytes(bytes: Buffer, file: string): CfgFile {
  const problem = encodingProblem(bytes, file);
  if (problem !== null) return { sessions: [], problems: [problem] };
  const read = readQuickfixCfg(bytes.toString('utf8'), file);
  return { ...read, problems: firstProblems(read.problems) };
}
