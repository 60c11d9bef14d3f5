// Checks values against a schema and turns every complaint into a problem in words, with its place and a remedy.
// cross-checks.ts has checks over several keys or files.

import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { didYouMean } from '../../base/did-you-mean.ts';
import { ANNOTATIONS, type SchemaNode, schemaNode } from '../../base/schema-node.ts';
import { GatewayFileSchema } from '../schema/gateway-schema.ts';
import { NOT_IN_DEFAULTS, SessionFileSchema } from '../schema/session-schema.ts';
import { type ConfigProblem, furtherProblems, keyPath, type Place, showValue, TOLD_MAX } from './config-problem.ts';
import type { Path } from './layers.ts';

/** Finds where a path stands. */
export type PlaceOf = (path: Path) => Place;

export interface SchemaChecks {
  /** The whole of gateway.yaml, defaults filled in. */
  gateway(values: unknown, placeOf: PlaceOf): ConfigProblem[];
  /** A session file or defaults.yaml as written: everything except keys that another layer may supply. */
  sessionFile(values: unknown, placeOf: PlaceOf): ConfigProblem[];
  /** The same of defaults.yaml, where no key is suggested that is not possible there. */
  defaultsFile(values: unknown, placeOf: PlaceOf): ConfigProblem[];
  /** Missing keys of a session after all layers are merged. */
  sessionMissing(values: unknown, placeOf: PlaceOf): ConfigProblem[];
}

/** The checks; compiled at the first call. */
export const schemaChecks = ((): (() => SchemaChecks) => {
  let compiled: SchemaChecks | null = null;
  return () => {
    compiled ??= compile();
    return compiled;
  };
})();

function compile(): SchemaChecks {
  // Every command that reads the configuration compiles these: that they are schemas is a test's matter, and optimized code
  // would cost more than the few values that it checks.
  const quickly = { meta: false, validateSchema: false, code: { optimize: false } } as const;
  const ajv = new Ajv({ allErrors: true, verbose: true, strict: true, ...quickly });
  ajv.addVocabulary([...ANNOTATIONS]);
  const gateway = ajv.compile(GatewayFileSchema);
  const session = schemaNode(SessionFileSchema);
  const written = ajv.compile(asWritten(session, false));
  return {
    gateway: (values, placeOf) => check(gateway, values, placeOf, { isFilled: true }),
    sessionFile: (values, placeOf) => check(written, values, placeOf),
    defaultsFile: (values, placeOf) => check(written, values, placeOf, { never: NOT_IN_DEFAULTS }),
    sessionMissing: (values, placeOf) => toldOf(missingIn(session, values, [], placeOf), (problem) => problem),
  };
}

/**
 * The schema of one file before layering: outside lists nothing is required, inside them only keys without a default.
 */
export function asWritten(schema: SchemaNode, inList: boolean): SchemaNode {
  const { properties, items, required, ...rest } = schema;
  const stillRequired = inList ? (required ?? []).filter((key) => properties?.[key]?.default === undefined) : [];
  return {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, node]) => [key, asWritten(node, inList)])),
    }),
    ...(items && { items: asWritten(items, true) }),
    ...(stillRequired.length > 0 && { required: stillRequired }),
  };
}

/** Missing required keys in existing groups, of layers that were checked one by one, like elements of lists. */
function missingIn(node: SchemaNode, values: unknown, path: Path, placeOf: PlaceOf): ConfigProblem[] {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return [];
  const present: Readonly<Record<string, unknown>> = { ...values };
  const absent = (node.required ?? []).filter((key) => present[key] === undefined);
  return [
    ...absent.map((key) => missing(node, key, path, placeOf)),
    ...Object.entries(node.properties ?? {}).flatMap(([key, inner]) =>
      missingIn(inner, present[key], [...path, key], placeOf),
    ),
  ];
}

interface Suggesting {
  /** Keys at the top that are not suggested. */
  readonly never?: readonly string[];
  /** Defaults are among the values: that a key is there says nothing. */
  readonly isFilled?: boolean;
}

function check(
  validate: ValidateFunction,
  values: unknown,
  placeOf: PlaceOf,
  suggesting: Suggesting = {},
): ConfigProblem[] {
  if (validate(values)) return [];
  const errors = validate.errors ?? [];
  // A value of the wrong type also fails its enum: one complaint is enough.
  const wrongType = new Set(errors.filter(({ keyword }) => keyword === 'type').map(({ instancePath }) => instancePath));
  const told = errors.filter(({ keyword, instancePath }) => keyword === 'type' || !wrongType.has(instancePath));
  return toldOf(told, (error) => toProblem(error, placeOf, suggesting));
}

function toldOf<T>(found: readonly T[], problemOf: (one: T) => ConfigProblem): ConfigProblem[] {
  const problems = found.slice(0, TOLD_MAX).map(problemOf);
  const more = found.length - problems.length;
  return more === 0 ? problems : [...problems, furtherProblems(problems[0]!.file, more)];
}

function pathOf(pointer: string): (string | number)[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

function toProblem(error: ErrorObject, placeOf: PlaceOf, { never = [], isFilled = false }: Suggesting): ConfigProblem {
  const { keyword, params, data } = error;
  const node = (error.parentSchema ?? {}) as SchemaNode;
  const path = pathOf(error.instancePath);
  if (keyword === 'additionalProperties') {
    const possible = Object.keys(node.properties ?? {}).filter((key) => path.length > 0 || !never.includes(key));
    const there = isFilled ? [] : Object.keys(data as object);
    return unknownKey(node, { possible, there }, [...path, params.additionalProperty], data, placeOf);
  }
  if (keyword === 'required') return missing(node, String(params.missingProperty), path, placeOf);
  return {
    ...placeOf(path),
    key: keyPath(path),
    value: showValue(keyPath(path), data, node.kind === 'secret'),
    ...wording(keyword, params, data, node, String(path.at(-1) ?? '')),
  };
}

function missing(node: SchemaNode, key: string, path: Path, placeOf: PlaceOf): ConfigProblem {
  const meaning = node.properties?.[key];
  return {
    ...placeOf(path),
    key: keyPath([...path, key]),
    value: null,
    problem: 'required, but missing',
    remedy: `add \`${key}:\`${meaning?.description === undefined ? '' : ` (${meaning.description})`}`,
  };
}

function unknownKey(
  node: SchemaNode,
  { possible: known, there }: { readonly possible: readonly string[]; readonly there: readonly string[] },
  path: Path,
  parent: unknown,
  placeOf: PlaceOf,
): ConfigProblem {
  const word = String(path.at(-1));
  const meant = didYouMean(word, known);
  const isThere = meant !== null && there.includes(meant);
  return {
    ...placeOf(path),
    key: keyPath(path),
    // A secret with a misspelt key is a secret.
    value: showValue(keyPath(path), (parent as Record<string, unknown>)[word], isSecret(node, meant)),
    problem: known.length === 0 ? 'this name is not possible here' : 'unknown key',
    remedy: isThere
      ? `\`${meant}\` stands beside it: remove one of the two`
      : meant !== null
        ? `did you mean \`${meant}\`?`
        : known.length === 0
          ? 'use printable characters without spaces'
          : `remove it; possible here: ${known.join(', ')}`,
  };
}

function isSecret(node: SchemaNode, key: string | null): boolean {
  return key !== null && node.properties?.[key]?.kind === 'secret';
}

type Wording = Pick<ConfigProblem, 'problem' | 'remedy'>;

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a group of keys',
};

/** The unit of a number, which the end of its key names. */
const UNITS: readonly (readonly [end: RegExp, unit: string])[] = [
  [/Ms(Max)?$/, ' ms'],
  [/Micros$/, ' µs'],
  [/[a-z]S$/, ' s'],
  [/Bytes(Max)?$/, ' bytes'],
  [/Days$/, ' days'],
  [/Years$/, ' years'],
  [/PerSecond(Max)?$/, ' per second'],
  [/PerMinute$/, ' per minute'],
  [/Per10Seconds$/, ' in 10 seconds'],
  [/^(testRequestAfter|lostAfter)$/, ' HeartBtInts'],
];

function unitOf(key: string): string {
  return UNITS.find(([end]) => end.test(key))?.[1] ?? '';
}

function wording(
  keyword: string,
  params: ErrorObject['params'],
  data: unknown,
  node: SchemaNode,
  key: string,
): Wording {
  const unit = unitOf(key);
  switch (keyword) {
    case 'type':
      return typeWording(data, node);
    case 'enum': {
      // Some are numbers.
      const values = (node.enum ?? []).map(String);
      const meant = typeof data === 'string' ? didYouMean(data, values) : null;
      // Digits that are a name stand in quotes.
      const shown = (value: string): string => (node.kind === 'quoted' ? `\`"${value}"\`` : `\`${value}\``);
      const remedy = meant === null ? `write ${values.map(shown).join(' or ')}` : `did you mean ${shown(meant)}?`;
      // The format's own hint is better than a similar word: FIX.5.0 is not FIX.4.2 misspelt.
      return { problem: node.refusal ?? `must be one of: ${values.join(', ')}`, remedy: node.form ?? remedy };
    }
    case 'pattern':
      return patternWording(node, data);
    case 'minimum':
    case 'maximum':
      return {
        problem: `must be at least ${node.minimum}${unit} and at most ${node.maximum}${unit}`,
        remedy: `${node.description ?? 'Choose a value in that range.'}`,
      };
    case 'minItems':
      return { problem: 'the list is empty', remedy: 'add an element' };
    case 'maxItems':
    case 'maxLength':
      return { problem: `too long: at most ${params.limit}`, remedy: 'shorten it' };
    case 'uniqueItems':
      return {
        problem: `the same value stands at positions ${params.j + 1} and ${params.i + 1}`,
        remedy: 'keep one of the two',
      };
    default:
      return { problem: `not accepted (${keyword})`, remedy: node.description ?? 'see docs/reference/settings' };
  }
}

function typeWording(data: unknown, node: SchemaNode): Wording {
  const wanted = TYPE_WORDS[node.type ?? ''] ?? `a ${node.type}`;
  if (data === null)
    return { problem: `nothing is written here; ${wanted} is needed`, remedy: 'give a value, or remove the key' };
  if (node.kind === 'secret') return patternWording(node, data);
  if (node.type === 'string' && typeof data === 'number') {
    const why = node.kind === 'decimal' ? 'so that it stays exact' : 'so that it stays as written';
    // The value is not repeated: YAML has already made 7 of 007, and 0.1 of a longer number.
    return { problem: 'a number without quotes', remedy: `write it in quotes, ${why}` };
  }
  return { problem: `must be ${wanted}`, remedy: node.description ?? `write ${wanted}` };
}

function patternWording(node: SchemaNode, data: unknown): Wording {
  switch (node.kind) {
    case 'secret':
      if (typeof data === 'string' && /^file:.*\p{Cc}/su.test(data)) {
        return { problem: 'the path has a control character in it', remedy: 'write `file:PATH` without it' };
      }
      return {
        problem: 'a secret must not stand in a configuration file',
        remedy: 'put it into a file or an environment variable and write `file:PATH` or `env:NAME`',
      };
    case 'decimal':
      return {
        problem: 'not a decimal number',
        remedy: 'write digits with at most one point, in quotes: "100" or "0.5"',
      };
    default:
      return {
        problem: 'has a form that is not accepted here',
        remedy: node.form ?? node.description ?? 'see docs/reference/settings',
      };
  }
}
