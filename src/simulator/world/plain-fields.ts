// Fields of a plain object, of a request to the control endpoint or of a fault file, each read as what it has to be.
// Every reader throws a Refusal that names the field.

import { invalidRequest } from '../rest/refusal.ts';

/** A plain object of a request or a file. */
export type Fields = Readonly<Record<string, unknown>>;

/** The fields as they are. A misspelt one would be passed over, and what was wanted not done. @throws Refusal that names it */
export function only(fields: Fields, names: readonly string[]): Fields {
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown === undefined) return fields;
  throw invalidRequest(`'${unknown.slice(0, 40)}' is not possible here; possible: ${names.join(', ')}`);
}

export function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw invalidRequest(`${name} must be a string`);
  return value;
}

export function textOrNull(fields: Fields, name: string): string | null {
  return fields[name] === undefined || fields[name] === null ? null : text(fields, name);
}

export function whole(fields: Fields, name: string, otherwise: number): number {
  const value = fields[name] ?? otherwise;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) {
    throw invalidRequest(`${name} must be a whole number`);
  }
  return value;
}

export function flag(fields: Fields, name: string): boolean {
  const value = fields[name] ?? false;
  if (typeof value !== 'boolean') throw invalidRequest(`${name} must be true or false`);
  return value;
}

export function list(fields: Fields, name: string): Fields[] {
  const value = fields[name] ?? [];
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'object' || item === null)) {
    throw invalidRequest(`${name} must be a list of objects`);
  }
  return value as Fields[];
}

export function oneOf<T extends string>(fields: Fields, name: string, values: readonly T[]): T {
  const value = values.find((candidate) => candidate === fields[name]);
  if (value === undefined) throw invalidRequest(`${name} must be one of ${values.join(', ')}`);
  return value;
}
