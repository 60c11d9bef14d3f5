// JSON Schemas of the configuration files, for editors: they complete keys, show descriptions and mark faults. Made from the schemas
// that the gateway itself checks by.

import { ANNOTATIONS, type SchemaNode, schemaNode } from '../../base/schema-node.ts';
import { GatewayFileSchema } from '../schema/gateway-schema.ts';
import { NOT_IN_DEFAULTS, SessionFileSchema } from '../schema/session-schema.ts';
import { asWritten } from './schema-check.ts';

/** Files with a schema. */
export const PUBLISHED = ['gateway', 'session', 'defaults'] as const;

export type PublishedFile = (typeof PUBLISHED)[number];

const TITLES: Readonly<Record<PublishedFile, string>> = {
  gateway: 'gateway.yaml of Crossgate',
  session: 'A session file of Crossgate',
  defaults: 'defaults.yaml of Crossgate',
};
const OURS: ReadonlySet<string> = new Set(ANNOTATIONS);

/** The schema of a file (JSON Schema, draft 07), as text. */
export function publishedSchema(file: PublishedFile): string {
  const whole = asWritten(schemaNode(file === 'gateway' ? GatewayFileSchema : SessionFileSchema), false);
  const { properties = {} } = whole;
  const isPossible = (key: string): boolean => file !== 'defaults' || !NOT_IN_DEFAULTS.includes(key as never);
  const own = Object.fromEntries(Object.entries(properties).filter(([key]) => isPossible(key)));
  const { title: _, ...rest } = plain({ ...whole, properties: own }) as Record<string, unknown>;
  const head = { $schema: 'http://json-schema.org/draft-07/schema#', title: TITLES[file] };
  return `${JSON.stringify({ ...head, ...rest }, null, 1)}\n`;
}

/** Without our own keywords, which no editor knows. */
function plain(value: SchemaNode | unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const isSchema = 'type' in value || 'properties' in value || 'anyOf' in value || 'description' in value;
  const kept = Object.entries(value).filter(([key, one]) => !(isSchema && OURS.has(key) && typeof one !== 'object'));
  return Object.fromEntries(kept.map(([key, one]) => [key, plain(one)]));
}
