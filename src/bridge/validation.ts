// Schema complaints in words.

import type { ErrorObject } from 'ajv';

/** What is wrong with a value, in one sentence; `what` names the whole of it. */
export function complaint(
  what: string,
  errors: readonly Pick<ErrorObject, 'instancePath' | 'keyword' | 'message' | 'params'>[],
): string {
  const error = errors[0];
  if (error === undefined) return `${what} is not valid.`;
  const path = error.instancePath.slice(1).replaceAll('/', '.').slice(0, 80);
  const place = path === '' ? what : `${what}: ${path}`;
  const params = error.params as Readonly<Record<string, unknown>>;
  switch (error.keyword) {
    case 'additionalProperties':
      return `${what}: ${path === '' ? '' : `${path}.`}${clean(params.additionalProperty)} is not known here.`;
    case 'required':
      return `${what}: ${path === '' ? '' : `${path}.`}${clean(params.missingProperty)} is missing.`;
    case 'type':
      return `${place} must be ${params.type === 'string' ? 'text (in quotes, amounts and ids too)' : `of type ${clean(params.type)}`}.`;
    default:
      return `${place} ${error.message ?? 'is not valid'}.`;
  }
}

function clean(value: unknown): string {
  return String(value)
    .replace(/[^\x20-\x7e]+/g, ' ')
    .slice(0, 60);
}
