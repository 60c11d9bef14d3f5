// The reference of settings: gateway.yaml and session files, a page per group and a heading per key, from the schemas.

import { type SchemaNode, schemaNode, type ValueKind } from '../../../src/base/schema-node.ts';
import { ENVIRONMENT_VARIABLES } from '../../../src/ops/configuration/environment.ts';
import { QUICKFIX_NAMES } from '../../../src/ops/quickfix-cfg/keys.ts';
import { GatewayFileSchema } from '../../../src/ops/schema/gateway-schema.ts';
import { SessionFileSchema } from '../../../src/ops/schema/session-schema.ts';
import { page, plain, table } from './page.ts';

const KINDS: Readonly<Record<ValueKind, string>> = {
  secret: 'secret reference',
  decimal: 'decimal in quotes',
  quoted: 'text in quotes',
};

/** Most keys of a group that stays on the page of its file; a larger group has a page of its own. */
const KEYS_MAX = 3;

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
    case 'number':
      return `${node.type === 'integer' ? 'whole number' : 'number'}, ${node.minimum} … ${node.maximum}`;
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

/** A key with everything of it: `key` is its whole path, with `[]` behind a list of groups. */
interface Key {
  readonly key: string;
  readonly node: SchemaNode;
}

/** The keys of a schema and all below them, in order. */
export function keysOf(node: SchemaNode, prefix = ''): Key[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, property]) => {
    const list = property.items?.properties === undefined ? '' : '[]';
    const key = `${prefix}${name}${list}`;
    const below = property.properties === undefined ? (property.items ?? {}) : property;
    return [{ key, node: property }, ...keysOf(below, `${key}.`)];
  });
}

/** The names of a key in a QuickFIX settings file, as a line. */
function quickfixNames(key: string, names: ReadonlyMap<string, string> | null): string {
  const found = names?.get(key.replace(/\[\]$/, ''))?.split(', ') ?? [];
  return found.length === 0 ? '' : `QuickFIX: ${found.map((name) => `\`${name}\``).join(', ')}.`;
}

function entry({ key, node }: Key, names: ReadonlyMap<string, string> | null, level: string): string {
  const isGroup = node.properties !== undefined;
  const all = [
    ['Type', isGroup ? '' : typeOf(node)],
    ['Default', isGroup ? '' : defaultOf(node)],
    ['Required when', node.requiredWhen ?? ''],
  ] as const;
  const cells = all.filter(([, cell]) => cell !== '');
  const facts = table(
    cells.map(([title]) => title),
    cells.length === 0 ? [] : [cells.map(([, cell]) => cell)],
  );
  const quickfix = quickfixNames(key, names);
  return [`${level} \`${key}\``, plain(node.description ?? ''), facts, quickfix]
    .filter((part) => part !== '')
    .join('\n\n');
}

interface File {
  readonly name: string;
  /** Begin of the pages' names. */
  readonly folder: string;
  readonly title: string;
  readonly schema: SchemaNode;
  readonly names: ReadonlyMap<string, string> | null;
  readonly intro: string;
  readonly order: number;
}

const FILES: readonly File[] = [
  {
    name: '`gateway.yaml`',
    folder: 'gateway',
    title: 'gateway.yaml',
    schema: schemaNode(GatewayFileSchema),
    names: null,
    intro: 'Settings of the whole gateway. Each group of keys has a page.',
    order: 1,
  },
  {
    name: 'session files',
    folder: 'session',
    title: 'Session files',
    schema: schemaNode(SessionFileSchema),
    names: QUICKFIX_NAMES,
    intro:
      'Settings of one FIX session. `defaults.yaml` has the same keys for all sessions. The QuickFIX name of a key is the one that a QuickFIX settings file uses for it.',
    order: 2,
  },
];

function filePages(file: File): [path: string, text: string][] {
  const from = `src/ops/schema/${file.folder}-schema.ts`;
  const folder = `docs/reference/settings/${file.folder}`;
  const groups = Object.entries(file.schema.properties ?? {}).map(([name, node]) => {
    const list = node.items?.properties === undefined ? '' : '[]';
    const below = keysOf(node.properties === undefined ? (node.items ?? {}) : node, `${name}${list}.`);
    return { name, node, all: [{ key: `${name}${list}`, node }, ...below] };
  });
  const own = groups.filter(({ all }) => all.length > KEYS_MAX + 1);
  const rest = groups.filter(({ all }) => all.length <= KEYS_MAX + 1);
  const links = own.map(({ name, node }) => [`[\`${name}\`](${name}.md)`, plain(node.description ?? '')]);
  const index = page(
    { title: file.title, order: file.order, from },
    file.intro,
    links.length === 0 ? '' : `## Groups\n\n${table(['Group', 'For'], links)}`,
    '## Keys',
    ...rest.flatMap(({ all }) => all.map((key) => entry(key, file.names, '###'))),
  );
  const pages = own.map(({ name, node, all }, i): [string, string] => [
    `${folder}/${name}.md`,
    page(
      { title: name, order: i + 1, from },
      `Keys of \`${name}\` in ${file.name}. ${plain(node.description ?? '')}`,
      node.requiredWhen === undefined ? '' : `Required when ${node.requiredWhen}.`,
      quickfixNames(name, file.names),
      ...all.slice(1).map((key) => entry(key, file.names, '##')),
    ),
  ]);
  return [[`${folder}/index.md`, index], ...pages];
}

/** Pages of all settings, by path. */
export function settingsPages(): Map<string, string> {
  const variables = ENVIRONMENT_VARIABLES.map(({ name, key, meaning }) => [`\`${name}\``, `\`${key}\``, meaning]);
  const environment = page(
    { title: 'Environment variables', order: 3, from: 'src/ops/configuration/environment.ts' },
    'An environment variable overrides a key of `gateway.yaml`.',
    table(['Variable', 'Overrides', 'Meaning'], variables),
  );
  const index = page(
    { title: 'Settings', order: 1, from: 'src/ops/schema' },
    'Every key of every file, with type, default and meaning. `crossgate check` finds the faults of a configuration.',
    '- [gateway.yaml](gateway/index.md): the whole gateway\n- [Session files](session/index.md): one FIX session\n- [Environment variables](environment.md)',
  );
  return new Map([
    ['docs/reference/settings/index.md', index],
    ['docs/reference/settings/environment.md', environment],
    ...FILES.flatMap(filePages),
  ]);
}
