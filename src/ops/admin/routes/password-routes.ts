// Passwords of counterparties over HTTP: a new session's, and another one in the place of the one before. The answer has the password
// once; nothing else keeps it, neither log nor audit trail.

import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Administration } from '../../../administration/mod.ts';
import { CrossgateError } from '../../../base/errors.ts';
import { type Static, Type } from '../../../base/schema.ts';
import { formatIso } from '../../../base/time.ts';
import type { Reloader } from '../../configuration/reload.ts';
import { isPattern } from '../../configuration/session-template.ts';
import { secretFile } from '../../secrets/secrets.ts';
import { makeSessionPassword } from '../../secrets/session-password.ts';
import { problem } from '../problem.ts';

const HOUR_MS = 3_600_000;
/** A year. */
const VALID_HOURS_MAX = 8_760;
const PasswordBody = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
    /** Time for which the one before stays valid. */
    oldValidHours: Type.Integer({ minimum: 0, maximum: VALID_HOURS_MAX, default: 24 }),
    why: Type.String({ minLength: 1, maxLength: 500 }),
  },
  { additionalProperties: false },
);

export interface PasswordRoutesOptions {
  readonly administration: Administration;
  readonly reloader: Reloader;
  readonly secretsDirectory: string;
  readonly sessionFiles: boolean;
}

/** Add POST /api/configuration/password. */
export function addPasswordRoutes(
  app: FastifyInstance,
  { administration, reloader, secretsDirectory, sessionFiles }: PasswordRoutesOptions,
  who: (request: FastifyRequest) => string,
): void {
  app.post<{ Body: Static<typeof PasswordBody> }>(
    '/api/configuration/password',
    { schema: { body: PasswordBody } },
    async (request, reply) => {
      const { name, oldValidHours, why } = request.body;
      if (!sessionFiles)
        return problem(reply, 403, 'Passwords are made where they lie: `admin.sessionFiles` is false.');
      const place = placeOf(name, reloader, secretsDirectory);
      if (typeof place !== 'string') return problem(reply, 409, place.refusal);
      const now = administration.now();
      try {
        const made = await makeSessionPassword(place, now + oldValidHours * HOUR_MS, now);
        const until = made.oldValidUntil === null ? '' : `, the old one valid until ${formatIso(made.oldValidUntil)}`;
        const action = made.isNew ? 'password made' : 'password replaced';
        administration.audit(who(request), action, `${name}${until}: ${why}`);
        return answer(reply, name, made.password, until);
      } catch (error) {
        if (!(error instanceof CrossgateError)) throw error;
        return problem(reply, 409, error.message, error.code);
      }
    },
  );
}

function answer(
  _reply: FastifyReply,
  name: string,
  password: string,
  until: string,
): { readonly done: true; readonly text: string; readonly password: string; readonly reference: string } {
  const text = `The password of ${name} is made${until}. It is shown once: hand it over now.`;
  return { done: true, text, password, reference: `file:secrets/${name}.password` };
}

/** The file of a session's password; one that is not there yet is that of a new session. */
function placeOf(name: string, reloader: Reloader, secretsDirectory: string): string | { readonly refusal: string } {
  const session = reloader.sessionNamed(name);
  if (session === null) return join(secretsDirectory, 'secrets', `${name}.password`);
  if (session.connect !== null)
    return { refusal: `${name} connects to its counterparty, which makes the password: write it into its file.` };
  const reference = session.password?.reference ?? null;
  const path = reference === null || isPattern(reference) ? null : secretFile(reference, secretsDirectory);
  if (path === null)
    return { refusal: `The password of ${name} lies in no file of its own: change it where it is kept.` };
  return path;
}
