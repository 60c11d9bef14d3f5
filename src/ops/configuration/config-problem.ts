// A problem of the configuration for people: the place, the key, the value, the fault, the remedy. Leaves finding
// problems to schema-check.ts, gateway-checks.ts and cross-checks.ts.

import { REDACTED } from '../../base/redacted-text.ts';
import { terminalText } from '../../base/terminal-text.ts';
import { isSecretKey, redactText } from '../secrets/redaction.ts';

export interface ConfigProblem {
  /** File as the operator knows it, or `environment` or `command line`. */
  readonly file: string;
  /** 1-based; null where there is no place in a file. */
  readonly line: number | null;
  readonly column: number | null;
  /** Path of the key, for example `limits.notionalMax` or `fix.listen[0].port`; empty for the whole file. */
  readonly key: string;
  /** The written value, redacted; null if none. */
  readonly value: string | null;
  readonly problem: string;
  readonly remedy: string;
}

/** Where a key stands: its problems point there. */
export interface Place {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
}

const SHOWN_MAX = 80;
/** Keys that are called as secrets are, and hold none. */
const NO_SECRET =
  /(^|\.)(rateLimitToken|secretTags(\[\d+\])?|logon\.newPasswordOverlapMs|logon\.signature\.(algorithm|windowMs))$/;

/** Write a configured value for people: short, and blacked out where its key or shape says that it is secret. */
export function showValue(key: string, value: unknown, secret = false): string | null {
  if (value === undefined) return null;
  // Whether something is on is no secret, whatever it is called.
  if (typeof value === 'boolean') return String(value);
  const isCalledSecret = /(^|\.)(key|certificate)$/.test(key) || key.split(/[.[\]]/).some(isSecretKey);
  if (secret || (isCalledSecret && !NO_SECRET.test(key))) {
    const reference = typeof value === 'string' && /^(env:[A-Za-z_]\w*|file:[\w./ -]+)$/.test(value);
    return reference ? value : REDACTED;
  }
  const shown = redactText(typeof value === 'string' ? value : JSON.stringify(value));
  return shown.length > SHOWN_MAX ? `${shown.slice(0, SHOWN_MAX)}…` : shown;
}

/** Write a path of keys as people do: `fix.listen[0].port`. */
export function keyPath(path: readonly (string | number)[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

/** Takes a problem of the value under a path of keys. */
export type Report = (path: readonly (string | number)[], value: unknown, problem: string, remedy: string) => void;

/** Collects problems, each with the place of its key; `asWritten` says the path in the file where it is another. */
export function reporter(
  problems: ConfigProblem[],
  placeOf: (path: readonly (string | number)[]) => Place,
  asWritten: (path: readonly (string | number)[]) => readonly (string | number)[] = (path) => path,
): Report {
  return (path, value, problem, remedy) => {
    const key = keyPath(asWritten(path));
    problems.push({ ...placeOf(path), key, value: showValue(key, value), problem, remedy });
  };
}

/** Reported problems per file: a file that is no configuration has thousands. */
export const TOLD_MAX = 50;

/** The first of the problems of one file, each once, and how many more there are. */
export function firstProblems(problems: readonly ConfigProblem[], most = TOLD_MAX): ConfigProblem[] {
  const told = new Map<string, ConfigProblem>();
  for (const one of problems) {
    const { line, column, key, problem } = one;
    const name = JSON.stringify([line, column, key, problem]);
    if (!told.has(name)) told.set(name, one);
  }
  const first = [...told.values()].slice(0, most);
  const more = told.size - first.length;
  return more === 0 ? first : [...first, furtherProblems(first[0]!.file, more)];
}

/** The same over all files: each file's own checks have let the first of each kind through. */
export function firstOfEach(problems: readonly ConfigProblem[]): ConfigProblem[] {
  const files = Map.groupBy(problems, ({ file }) => file);
  return [...files.values()].flatMap((ofFile) => firstProblems(ofFile, 2 * TOLD_MAX));
}

/** Notes that a file has more problems than reported. */
export function furtherProblems(file: string, more: number): ConfigProblem {
  const problem = `${more} more ${more === 1 ? 'problem' : 'problems'} in this file`;
  const remedy = 'mend the others first; is this a configuration file?';
  return { file, line: null, column: null, key: '', value: null, problem, remedy };
}

/** Order problems as they stand in the files. */
export function sortProblems(problems: readonly ConfigProblem[]): ConfigProblem[] {
  return [...problems].sort(
    (a, b) =>
      a.file.localeCompare(b.file) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0) ||
      a.key.localeCompare(b.key),
  );
}

/** Problems or warnings as text for a terminal, three lines each. */
export function formatFindings(findings: readonly ConfigProblem[]): string {
  const blocks = findings.map(({ file, line, column, key, value, problem, remedy }) => {
    const place = line === null ? file : `${file}:${line}:${column ?? 1}`;
    const what = key === '' ? '' : `  ${key}${value === null ? '' : ` = ${value}`}`;
    return [`${place}${what}`, `    ${problem}`, `    → ${remedy}`].map(terminalText).join('\n');
  });
  return blocks.join('\n');
}

/** All problems as text for a terminal, with a count at the end. */
export function formatProblems(problems: readonly ConfigProblem[]): string {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  return [formatFindings(problems), `${count} in the configuration.`].join('\n');
}
