// Builds the schemas of configuration, REST and OpenAPI: JSON Schema as plain objects, under typebox's names and with its
// types, so that a schema is the type too. What typebox itself brings along, 370 files at every start and every command, is
// for reckoning with types while a program runs, which nobody here does. Leaves checking values to ajv.

import type { Static, TSchema, Type as TypeBox } from 'typebox';

export type { Static, TSchema };

/** What typebox's types promise of the builders below. */
type Builders = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unsafe'
>;

type Json = Readonly<Record<string, unknown>>;

/** Says of a schema that the object which has it may lack it; no keyword, so not enumerable. */
const OPTIONAL = '~optional';
/** A name of any kind, where a record does not say which. */
const ANY_NAME = '^.*$';

const ofType =
  (type: string) =>
  (options: Json = {}): Json => ({ type, ...options });

function object(properties: Readonly<Record<string, Json>>, options: Json = {}): Json {
  const required = Object.keys(properties).filter((name) => !Object.hasOwn(properties[name]!, OPTIONAL));
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

function optional(schema: Json): Json {
  return Object.defineProperty({ ...schema }, OPTIONAL, { value: true });
}

function record(key: Json, value: Json, options: Json = {}): Json {
  return { type: 'object', patternProperties: { [String(key.pattern ?? ANY_NAME)]: value }, ...options };
}

/** Builders of schemas; each takes further keywords last. */
export const Type = {
  Array: (items: Json, options: Json = {}) => ({ type: 'array', items, ...options }),
  Boolean: ofType('boolean'),
  Enum: (values: readonly unknown[], options: Json = {}) => ({ enum: [...values], ...options }),
  Integer: ofType('integer'),
  Literal: (value: unknown, options: Json = {}) => ({ type: typeof value, const: value, ...options }),
  Null: ofType('null'),
  Number: ofType('number'),
  Object: object,
  Optional: optional,
  Record: record,
  String: ofType('string'),
  Union: (anyOf: readonly Json[], options: Json = {}) => ({ anyOf: [...anyOf], ...options }),
  Unsafe: (schema: Json) => schema,
} as unknown as Builders;
