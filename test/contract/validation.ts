// Compares JSON with a schema and says in a line per place where it deviates.

import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';

/** Where a value is not what the schema says: `/0/price must be string`; empty if it fits. */
export function deviations(schema: TSchema, value: unknown): string[] {
  if (Value.Check(schema, value)) return [];
  const found = [...Value.Errors(schema, value)].map(({ instancePath, message, params }) => {
    const names = 'additionalProperties' in params ? ` (${String(params.additionalProperties)})` : '';
    return `${instancePath} ${message}${names}`;
  });
  return found.length > 0 ? found.slice(0, 20) : ['does not fit'];
}
