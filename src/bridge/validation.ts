// The check of a request against its schema, and its complaints in words.

import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';

/** Result of a Fastify check: whether the value fits, and why not. */
export interface RequestCheck {
  (data: unknown): boolean;
  errors?: ErrorObject[] | null;
}

/** Nothing is converted or dropped in silence. The schemas are ours: they are not checked themselves at every start. */
const VALIDATION = {
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  allErrors: false,
  meta: false,
  validateSchema: false,
} as const;

/** Compiler of the checks of one server: each is made when the first request needs it, since most never are. */
export function requestChecks(): (route: { readonly schema: unknown }) => RequestCheck {
  const ajv = new Ajv(VALIDATION);
  return ({ schema }) => {
    let compiled: ValidateFunction | null = null;
    const check: RequestCheck = (data) => {
      compiled ??= ajv.compile(schema as object);
      const fits = compiled(data) === true;
      check.errors = compiled.errors ?? null;
      return fits;
    };
    return check;
  };
}

/** Fault of a value, in one sentence; `what` names the whole value. */
export function complaint(
  what: string,
  errors: readonly Pick<ErrorObject, 'instancePath' | 'keyword' | 'message' | 'params'>[],
): string {
  // Of several forms that something may have, the one that it comes closest to is looked into the deepest.
  const error = errors.toSorted((a, b) => depthOf(b) - depthOf(a))[0];
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
      // Query values are text, or lists of texts.
      if (what === 'The query') return `${place} stands more than once.`;
      return `${place} must be ${params.type === 'string' ? 'text (in quotes, amounts and ids too)' : `of type ${clean(params.type)}`}.`;
    default:
      return `${place} ${error.message ?? 'is not valid'}.`;
  }
}

function depthOf({ instancePath }: Pick<ErrorObject, 'instancePath'>): number {
  return instancePath.split('/').length;
}

function clean(value: unknown): string {
  return String(value)
    .replace(/[^\x20-\x7e]+/g, ' ')
    .slice(0, 60);
}
