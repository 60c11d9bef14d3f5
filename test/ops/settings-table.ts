// Renders the tables of sessions/README.md from the schema, so that the test can hold one against the other.

import type { SchemaNode, ValueKind } from '../../src/base/schema-node.ts';
import { ENVIRONMENT_VARIABLES } from '../../src/ops/configuration/environment.ts';

const KINDS: Readonly<Record<ValueKind, string>> = {
  secret: 'secret reference',
  decimal: 'decimal in quotes',
  quoted: 'text in quotes',
};

function typeOf(node: SchemaNode): string {
  if (node.enum !== undefined) {
    const quote = node.kind === 'quoted' ? '"' : '';
    return node.enum.map((value) => `\`${quote}${value}${quote}\``).join(', ');
  }
  if (node.kind !== undefined) return KINDS[node.kind];
  switch (node.type) {
    case 'string':
      return 'text';
    case 'boolean':
      return '`true`, `false`';
    case 'integer':
    case 'number': {
      const kind = node.type === 'integer' ? 'whole number' : 'number';
      return `${kind}, ${node.minimum} … ${node.maximum}`;
    }
    case 'array':
      return `list of ${node.items?.properties === undefined ? typeOf(node.items!) : 'groups'}`;
    default:
      return node.patternProperties === undefined ? 'group' : 'names → text';
  }
}

function defaultOf(node: SchemaNode): string {
  if (node.default === undefined) return '';
  if (Array.isArray(node.default) && node.default.length > 0) return node.default.map((one) => `\`${one}\``).join(', ');
  if (typeof node.default === 'object') return Object.keys(node.default!).length === 0 ? 'empty' : '';
  return `\`${node.default}\``;
}

/** Names of the settings of other engines that a key answers to, by the key. */
type OtherNames = ReadonlyMap<string, string>;

function otherNamesOf(key: string, names: OtherNames): string {
  const found = names.get(key)?.split(', ') ?? [];
  return found.map((name) => `\`${name}\``).join(', ');
}

function rows(node: SchemaNode, prefix: string, names: OtherNames | null): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, property]) => {
    const key = `${prefix}${name}`;
    const isGroup = property.properties !== undefined;
    const list = property.items?.properties === undefined ? '' : '[]';
    const cells = [
      `\`${key}${list}\``,
      typeOf(property),
      isGroup ? '' : defaultOf(property),
      property.requiredWhen ?? '',
      ...(names === null ? [] : [otherNamesOf(key, names)]),
      property.description ?? '',
    ];
    const own = `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
      .replaceAll('|  |', '| |')
      .replaceAll('|  |', '| |');
    return [own, ...rows(isGroup ? property : (property.items ?? {}), `${key}${list}.`, names)];
  });
}

/** One table of every key of a schema; of session files with the name that each answers to in a QuickFIX settings file. */
export function settingsTable(node: SchemaNode, names: OtherNames | null = null): string {
  const titles = ['Key', 'Type', 'Default', 'Required when', ...(names === null ? [] : ['QuickFIX name']), 'Meaning'];
  return [`| ${titles.join(' | ')} |`, `|${'---|'.repeat(titles.length)}`, ...rows(node, '', names)].join('\n');
}

/** The table of environment variables. */
export function variablesTable(): string {
  const lines = ENVIRONMENT_VARIABLES.map(({ name, key, meaning }) => `| \`${name}\` | \`${key}\` | ${meaning} |`);
  return ['| Variable | Overrides | Meaning |', '|---|---|---|', ...lines].join('\n');
}
