// Differences between two settings of a session, by the paths of their values, and the keys of its file that stand for these
// paths. The schemas of ops and engine explain the keys (docs/reference/settings).

import type { EngineSessionConfig } from '../runtime/mod.ts';

/** Parts of a path that the file spells in another way: one key may be several values here. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^session\.(schedule|messageRate)\b.*/, '$1'],
  [/^session\.sessionMessagesMax$/, 'messageRate'],
  [/^session\.logonsPerMinute$/, 'logon.perMinute'],
  [/^gateway\.marketData\b.*/, 'marketData'],
  [/^connect\.addresses\b.*/, 'connect.addresses'],
  [/^gateway\.dropCopy\.sessionIds\b.*/, 'dropCopy.sessions'],
  [/^gateway\.statusFromExchange$/, 'statusFrom'],
  [/^gateway\.(.*)\.tradingAccountId$/, '$1.tradingAccount'],
  [/^session\.sendsSessionStatus$/, 'dialect'],
  [/^session\.repeatsOnRequest$/, 'kind'],
  [/^session\.provesBeforeLogout$/, 'proveBeforeLogout'],
  [/^session\.resetsWithinSession$/, 'schedule.resetsWithinSession'],
  [/^session\.sends(Last|Next)/, 'send$1'],
  [/^access\.passwordOverlapMs$/, 'logon.newPasswordOverlapMs'],
  [/^access\.answersUnproved$/, 'logon.answerUnproved'],
  [/^(?:access\.|session\.(?=onRefusal$))/, 'logon.'],
  [/^template\.sessionsMax$/, 'templateSessionsMax'],
  [/^(?:session|gateway)\./, ''],
  // A secret is compared by its reference.
  [/\.reference$/, ''],
  [/\.(\d+)/g, '[$1]'],
];

/** Paths of the values that differ. Secrets are references here, and only their references are compared. */
export function changedKeys(before: EngineSessionConfig, after: EngineSessionConfig): string[] {
  const flatBefore = flatten(before, after);
  const flatAfter = flatten(after, before);
  const keys = new Set([...flatBefore.keys(), ...flatAfter.keys()]);
  const changed = [...keys].filter((key) => flatBefore.get(key) !== flatAfter.get(key));
  // A list that is empty on one side is reported without each entry of the other.
  return changed.filter((key) => !changed.some((list) => key.startsWith(`${list}.`)));
}

function isSame(before: unknown, after: unknown): boolean {
  if (typeof before === 'function') return typeof after === 'function';
  if (!isTree(before) || !isTree(after)) return before === after;
  const keys = Object.keys(before);
  return (
    keys.length === Object.keys(after).length && keys.every((key) => key in after && isSame(before[key], after[key]))
  );
}

const isTree = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Without the groups that are the same in the other: of a thousand sessions one has changed as a rule, and orders wait meanwhile. */
function flatten(config: EngineSessionConfig, other: EngineSessionConfig): Map<string, string> {
  const flat = new Map<string, string>();
  const walk = (path: string, value: unknown): void => {
    if (typeof value === 'function') return;
    if (typeof value !== 'object' || value === null) {
      flat.set(path, String(value));
      return;
    }
    const entries = Object.entries(value);
    if (entries.length === 0) flat.set(path, 'empty');
    for (const [key, item] of entries) walk(`${path}.${key}`, item);
  };
  for (const [key, group] of Object.entries(config)) {
    if (!isSame(group, other[key as keyof EngineSessionConfig])) walk(key, group);
  }
  return flat;
}

/** The keys of the file that stand for paths of values, each once. */
export function settingNames(paths: readonly string[]): string[] {
  return [...new Set(paths.map((path) => NAMES.reduce((name, [pattern, by]) => name.replace(pattern, by), path)))];
}
