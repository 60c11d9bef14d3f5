// Differences between the configuration that runs and the files: which value of which session, and from when on it counts. Changes
// nothing.

import { atNextLogon, type SessionView } from '../../../administration/mod.ts';
import { sessionName } from '../../../runtime/mod.ts';
import type { ConfigProblem } from '../config-problem.ts';
import type { LoadedConfiguration } from '../configuration.ts';
import { describeScope } from '../describe.ts';

export type Counts = 'now' | 'next Logon' | 'next start';

export interface SettingChange {
  /** `gateway`, or the name of a session. */
  readonly of: string;
  /** Key in the file; empty for a whole session. */
  readonly key: string;
  /** Redacted; null: it is not there. */
  readonly before: string | null;
  readonly after: string | null;
  readonly counts: Counts;
}

export interface ConfigurationPreview {
  /** Faults of the files: with one of them nothing would change. */
  readonly problems: readonly ConfigProblem[];
  readonly changes: readonly SettingChange[];
}

const SESSIONS = 'sessions.';

/** Values of a file of the configuration, redacted, by key. */
function valuesOf(loaded: LoadedConfiguration, scope: string): Map<string, string> {
  return new Map(describeScope(loaded, scope).map(({ key, value }) => [key.slice(scope.length + 1), value]));
}

/** The difference between the sessions in effect and those of the files. */
export function sessionChanges(
  present: LoadedConfiguration,
  files: LoadedConfiguration,
  views: readonly SessionView[],
): SettingChange[] {
  const scopes = [...new Set([...present.effective.keys(), ...files.effective.keys()])];
  return scopes
    .filter((scope) => scope.startsWith(SESSIONS))
    .flatMap((scope) => ofSession(scope, present, files, views));
}

function ofSession(
  scope: string,
  present: LoadedConfiguration,
  files: LoadedConfiguration,
  views: readonly SessionView[],
): SettingChange[] {
  const name = scope.slice(SESSIONS.length);
  const whole = { of: name, key: '', counts: 'now' } as const;
  if (!present.effective.has(scope)) return [{ ...whole, before: null, after: 'a new session' }];
  if (!files.effective.has(scope)) return [{ ...whole, before: 'a session', after: null }];
  const [before, after] = [valuesOf(present, scope), valuesOf(files, scope)];
  const keys = [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));
  if (keys.length === 0) return [];
  const waiting = keysThatWait(name, present, files, views);
  return keys.map((key) => ({
    of: name,
    key,
    before: before.get(key) ?? null,
    after: after.get(key) ?? null,
    counts: waiting.some((one) => isWithin(key, one) || isWithin(one, key)) ? 'next Logon' : 'now',
  }));
}

/** Keys that a session which is logged on takes over at its next Logon. */
function keysThatWait(
  name: string,
  present: LoadedConfiguration,
  files: LoadedConfiguration,
  views: readonly SessionView[],
): readonly string[] {
  const isLoggedOn = views.some((view) => view.name === name && view.status.state === 'loggedOn');
  const of = ({ config }: LoadedConfiguration) => config?.sessions.find((session) => sessionName(session) === name);
  const [before, after] = [of(present), of(files)];
  return isLoggedOn && before !== undefined && after !== undefined ? atNextLogon(before, after) : [];
}

const isWithin = (key: string, group: string): boolean =>
  key === group || key.startsWith(`${group}.`) || key.startsWith(`${group}[`);
