// Builders of JSON Schemas with typebox's types. They produce the same schemas without typebox's seven hundred files,
// which would slow every start. ajv validates.

import type {
  TArray,
  TArrayOptions,
  TBoolean,
  TEnum,
  TEnumValue,
  TInteger,
  TLiteral,
  TLiteralValue,
  TNull,
  TNumber,
  TNumberOptions,
  TObject,
  TObjectOptions,
  TOptional,
  TProperties,
  TRecord,
  TSchema,
  TSchemaOptions,
  TString,
  TStringOptions,
  TUnion,
  TUnsafe,
} from 'typebox';

export type { Static, TSchema } from 'typebox';

/** Marks a property that may be absent; no part of the schema that is written out. */
const OPTIONAL = Symbol('optional');
const ANY_TEXT = '^.*$';

/** The types carry marks that exist for the compiler only. */
const as = <T extends TSchema>(schema: object): T => schema as T;
const isOptional = (schema: TSchema): boolean => OPTIONAL in schema;

/** As typebox's builders of these names. */
export const Type = {
  Array: <T extends TSchema>(items: T, options?: TArrayOptions) => as<TArray<T>>({ type: 'array', items, ...options }),
  Boolean: (options?: TSchemaOptions) => as<TBoolean>({ type: 'boolean', ...options }),
  Enum: <const V extends TEnumValue[]>(values: readonly [...V], options?: TSchemaOptions) =>
    as<TEnum<V>>({ enum: [...values], ...options }),
  Integer: (options?: TNumberOptions) => as<TInteger>({ type: 'integer', ...options }),
  Literal: <const V extends TLiteralValue>(value: V, options?: TSchemaOptions) =>
    as<TLiteral<V>>({ type: typeof value, const: value, ...options }),
  Null: (options?: TSchemaOptions) => as<TNull>({ type: 'null', ...options }),
  Number: (options?: TNumberOptions) => as<TNumber>({ type: 'number', ...options }),
  Object: <P extends TProperties>(properties: P, options?: TObjectOptions) => {
    const required = Object.keys(properties).filter((key) => !isOptional(properties[key]!));
    return as<TObject<P>>({ type: 'object', ...(required.length === 0 ? {} : { required }), properties, ...options });
  },
  /** A property that may be absent: in `Object` only. */
  Optional: <T extends TSchema>(schema: T) =>
    as<TOptional<T>>(Object.defineProperty({ ...schema }, OPTIONAL, { value: true })),
  /** Any number of properties with names that match the pattern of `key`. */
  Record: <V extends TSchema>(key: TString, value: V, options?: TObjectOptions) => {
    const pattern = 'pattern' in key ? String(key.pattern) : ANY_TEXT;
    return as<TRecord<string, V>>({ type: 'object', patternProperties: { [pattern]: value }, ...options });
  },
  String: (options?: TStringOptions) => as<TString>({ type: 'string', ...options }),
  Union: <T extends TSchema[]>(anyOf: [...T], options?: TSchemaOptions) => as<TUnion<T>>({ anyOf, ...options }),
  /** A schema written out, for a type of its own. */
  Unsafe: <T>(schema: TSchemaOptions) => as<TUnsafe<T>>({ ...schema }),
};
