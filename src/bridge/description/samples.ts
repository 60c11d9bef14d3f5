// The recorded schemas and examples of answers and frames (samples.json, made by `npm run docs:samples` from the contract
// suite), as components of a description.

import { readFileSync } from 'node:fs';

export type Json = Record<string, unknown>;

/** Of an answer or a frame: the name of its schema, the schema, an example. */
export interface Sample {
  readonly name: string;
  readonly schema: Json;
  readonly example: unknown;
}

let read: Readonly<Record<string, Sample>> | null = null;

/** By `GET /path/:id`, with the command behind it where a path takes several, and by `stream topic`. */
export function samples(): Readonly<Record<string, Sample>> {
  // Read by who asks for a description only.
  read ??= JSON.parse(readFileSync(new URL('./samples.json', import.meta.url), 'utf8')) as Record<string, Sample>;
  return read;
}

/** Named schemas of a document; one name may have several forms. */
export class SchemaComponents {
  readonly schemas: Record<string, Json> = {};
  private readonly texts = new Map<string, string>();

  /** A reference to the schema of a sample; a list refers to the schema of its entries. */
  refer({ name, schema }: Sample, variant: string): Json {
    const list = schema.type === 'array' ? (schema.items as Json) : null;
    const reference = this.named(name.replace(/\W+/g, ''), list ?? schema, variant);
    return list === null ? reference : { type: 'array', items: reference };
  }

  private named(name: string, schema: Json, variant: string): Json {
    const text = JSON.stringify(schema);
    const base = /^[A-Z]/.test(name) ? name : variant;
    const free = [base, `${base}Of${variant}`, `${base}${this.texts.size}`];
    const taken = free.find((one) => (this.texts.get(one) ?? text) === text)!;
    this.texts.set(taken, text);
    this.schemas[taken] = schema;
    return { $ref: `#/components/schemas/${taken}` };
  }
}
