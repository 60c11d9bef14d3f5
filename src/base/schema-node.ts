// Building blocks of the schemas of settings: kinds of values with annotations, and the view of a schema for code that
// walks it. engine/settings and ops/schema have the keys.

import { type TSchema, Type } from './schema.ts';

/** Nature of a text value beyond its JSON type: decides the words of a problem, and whether the value may be shown. */
export type ValueKind = 'secret' | 'decimal' | 'quoted';

/** Keywords of ours inside the schema, ignored by the validator. */
export const ANNOTATIONS = ['kind', 'requiredWhen', 'refusal', 'form', 'libraryMinimum'] as const;

/** A path, but no address: that of a database has its password in it. */
const SECRET_PATTERN = '^(env:[A-Za-z_][A-Za-z0-9_]*|file:(?!.*://)\\P{Cc}+)$';
/** Unknown keys are errors. */
export const CLOSED = { additionalProperties: false } as const;

interface Notes {
  readonly requiredWhen?: string;
  /** Explanation for a refused value, if the range alone does not give it. */
  readonly refusal?: string;
  /** How to write a value of this form, if the description does not say it; advice for an invalid one. */
  readonly form?: string;
  /** Least number for programs that use the library; `minimum` protects operators, who write files. */
  readonly libraryMinimum?: number;
}

/** A whole number within bounds. */
export const whole = (
  minimum: number,
  maximum: number,
  byDefault: number | undefined,
  description: string,
  extra: Notes = {},
) =>
  Type.Integer({ minimum, maximum, description, ...(byDefault === undefined ? {} : { default: byDefault }), ...extra });

/** A number within bounds. */
export const ratio = (minimum: number, maximum: number, byDefault: number, description: string) =>
  Type.Number({ minimum, maximum, description, default: byDefault });

/** `true` or `false`. */
export const yesNo = (byDefault: boolean, description: string) => Type.Boolean({ description, default: byDefault });

/** A text of a form. */
export const text = (pattern: string, description: string, extra: Notes & { readonly default?: string } = {}) =>
  Type.String({ pattern, maxLength: 1024, description, ...extra });

/** Where a file or folder is. */
export const path = (description: string, extra: Notes & { readonly default?: string } = {}) =>
  text('^\\P{Cc}+$', description, { form: 'write a path without control characters', ...extra });

/** Digits that are a name, not a number: refused unquoted, because YAML would read a number. */
export const quoted = (pattern: string, description: string, extra: Notes & { readonly default?: string } = {}) =>
  Type.String({ pattern, maxLength: 64, description, kind: 'quoted', ...extra });

/** An amount of money, a quantity, a percentage: exact, so a text. */
export const decimal = (description: string, extra: Notes & { readonly default?: string } = {}) =>
  Type.String({ pattern: '^[0-9]{1,30}(\\.[0-9]{1,18})?$', description, kind: 'decimal', ...extra });

/** A reference to a secret. */
export const secret = (description: string, extra: Notes = {}) =>
  Type.String({ pattern: SECRET_PATTERN, maxLength: 1024, description, kind: 'secret', ...extra });

/** Opens an encrypted private key. */
export const passphrase = () =>
  secret('Passphrase of `key`, by reference, if the key is encrypted.', { requiredWhen: '`key` is encrypted' });

/** One word of a list. */
export function choice<const V extends string>(
  values: readonly V[],
  description: string,
  byDefault?: V,
  extra: Notes = {},
) {
  const given = byDefault === undefined ? {} : { default: byDefault };
  return Type.Unsafe<V>({ type: 'string', enum: [...values], description, ...given, ...extra });
}

/** Names of listeners and credentials. */
export const NAME = '^[A-Za-z0-9_.-]{1,64}$';
export const HOUR_MS = 3_600_000;

/** A schema node as plain JSON Schema with our annotations, for code that walks it. */
export interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly requiredWhen?: string;
  readonly refusal?: string;
  readonly form?: string;
  readonly libraryMinimum?: number;
  readonly kind?: ValueKind;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

/** View the properties of a schema as their JSON Schemas. */
export function schemaNodes<P extends Readonly<Record<string, TSchema>>>(properties: P): Record<keyof P, SchemaNode> {
  return properties as Record<keyof P, SchemaNode>;
}

/** View a typebox schema as its JSON Schema. */
export function schemaNode(schema: TSchema): SchemaNode {
  return schema as SchemaNode;
}
