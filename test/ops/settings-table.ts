// Renders the tables of sessions/README.md from the schema, so that the test can hold one against the other.

import { ENVIRONMENT_VARIABLES } from '../../src/ops/environment.ts';
import { QUICKFIX_NAMES } from '../../src/ops/quickfix-cfg-keys.ts';
import type { SchemaNode, ValueKind } from '../../src/ops/schema-node.ts';

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

function rows(node: SchemaNode, prefix: string): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, property]) => {
    const key = `${prefix}${name}`;
    const isGroup = property.properties !== undefined;
    const list = property.items?.properties === undefined ? '' : '[]';
    const cells = [
      `\`${key}${list}\``,
      typeOf(property),
      isGroup ? '' : defaultOf(property),
      property.requiredWhen ?? '',
      property.description ?? '',
    ];
    const own = `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
      .replaceAll('|  |', '| |')
      .replaceAll('|  |', '| |');
    return [own, ...rows(isGroup ? property : (property.items ?? {}), `${key}${list}.`)];
  });
}

/** One table of every key of a schema. */
export function settingsTable(node: SchemaNode): string {
  return ['| Key | Type | Default | Required when | Meaning |', '|---|---|---|---|---|', ...rows(node, '')].join('\n');
}

/** The table of environment variables. */
export function variablesTable(): string {
  const lines = ENVIRONMENT_VARIABLES.map(({ name, key, meaning }) => `| \`${name}\` | \`${key}\` | ${meaning} |`);
  return ['| Variable | Overrides | Meaning |', '|---|---|---|', ...lines].join('\n');
}

/** The table of keys that a QuickFIX setting answers to. */
export function quickfixTable(): string {
  const lines = [...QUICKFIX_NAMES].map(([key, names]) => {
    const quoted = names.split(', ').map((name) => `\`${name}\``);
    return `| \`${key}\` | ${quoted.join(', ')} |`;
  });
  return ['| Key | QuickFIX name |', '|---|---|', ...lines].join('\n');
}
