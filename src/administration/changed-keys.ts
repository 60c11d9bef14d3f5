// Differences between two settings of a session, by the paths of their values.

import type { EngineSessionConfig } from '../runtime/mod.ts';

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
