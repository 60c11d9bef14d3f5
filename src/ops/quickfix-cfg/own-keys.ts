// Our own settings in a QuickFIX settings file, `Crossgate.KEY=value`: other engines ignore them. The schema explains
// the keys; keys.ts those of QuickFIX.

import { type SchemaNode, schemaNode } from '../../base/schema-node.ts';
import type { ConfigProblem } from '../configuration/config-problem.ts';
import { parseYaml } from '../configuration/yaml-file.ts';
import { SessionFileSchema } from '../schema/session-schema.ts';
import { isSecretKey } from '../secrets/redaction.ts';
import { invalid, type SettingVerdict } from './verdict.ts';

const PREFIX = 'Crossgate.';

/** Whether a setting is one of ours; case counts. */
export function isOwnSetting(key: string): boolean {
  return key.startsWith(PREFIX);
}

/** How a key of ours is written there that stands without the prefix, or in another case; null if it is none. */
export function withPrefix(key: string): string | null {
  const steps = key.replace(/^crossgate\./i, '').split('.');
  const names: string[] = [];
  let node: SchemaNode = schemaNode(SessionFileSchema);
  for (const step of steps) {
    const known = Object.keys(node.properties ?? {});
    const name = known.find((one) => one.toLowerCase() === step.toLowerCase());
    // Names of the user's own, such as symbols, are as they are.
    const isFree = node.patternProperties !== undefined;
    if (name === undefined && !isFree) return null;
    names.push(name ?? step);
    node = name === undefined ? {} : node.properties![name]!;
  }
  return PREFIX + names.join('.');
}

/** Whether a value says where a secret lies, and is none itself. */
export function isSecretReference(value: string): boolean {
  return /^(env:[A-Za-z_]\w*|file:[\w./{} -]+)$/.test(value);
}

/** The setting's effect: its value is written as YAML on one line. */
export function ownSetting(key: string, value: string): SettingVerdict {
  const path = key.slice(PREFIX.length).split('.');
  if (path.some((step) => !/^[A-Za-z]\w*$/.test(step)) || path.includes('__proto__')) {
    return invalid('write Crossgate.KEY=value, with a key of docs/reference/settings/session');
  }
  // As in the YAML files beside it: no tags, no aliases, nothing but plain values.
  const { values, problems } = parseYaml(`value:\n  ${value}`, '');
  const last = path.at(-1) ?? '';
  if ((isSecretKey(last) || last === 'key') && typeof values.value === 'string' && !isSecretReference(values.value)) {
    return invalid('a secret must not stand in this file: write env:NAME or file:PATH');
  }
  const [first] = problems;
  if (first !== undefined) return invalid(`the value is not readable as YAML on one line: ${first.problem}`);
  return { kind: 'taken', text: path.join('.'), values: [[path, values.value]] };
}

/** A problem of a key of ours that such a file lacks says how it is written there; others are returned as they are. */
export function asOwnSetting(problem: ConfigProblem): ConfigProblem {
  // A whole group would take the place of what other lines set in it.
  const [, key] = /^([a-z]\w*(?:\.[A-Za-z]\w*)*)/.exec(problem.key) ?? [];
  if (key === undefined || problem.value !== null || !problem.file.endsWith('.cfg')) return problem;
  const remedy = `${problem.remedy}; in this file as \`Crossgate.${key}=…\`, the value as YAML on one line`;
  return { ...problem, remedy };
}
