// Requests that a parent process sends for somebody. It has checked who that is, and names them in a header, which counts beside the
// token of this start only.

import { Buffer } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../checks/admin-users.ts';
import type { AdminRole } from '../schema/admin-user-schema.ts';

/** Name and roles of a caller, as base64url of JSON: names of people are no ASCII. */
export const CALLER_HEADER = 'x-crossgate-caller';
const ROLES: ReadonlySet<unknown> = new Set<AdminRole>(['operate', 'lift', 'kill', 'look', 'metrics']);
const NAME_MAX = 256;

/** The header for a caller. */
export function callerHeader({ user, roles }: Caller): string {
  return Buffer.from(JSON.stringify({ user, roles })).toString('base64url');
}

/** The caller that a parent names; the parent itself, who may look only, if it names none. */
export function callerNamedBy(headers: IncomingHttpHeaders): Caller {
  const given = headers[CALLER_HEADER];
  if (typeof given !== 'string') return { user: null, roles: ['look'], isParent: true };
  const { user = null, roles } = parsed(given);
  const known = Array.isArray(roles) ? roles.filter((role): role is AdminRole => ROLES.has(role)) : [];
  return { user: typeof user === 'string' ? user.slice(0, NAME_MAX) : null, roles: known, isParent: true };
}

function parsed(text: string): { readonly user?: unknown; readonly roles?: unknown } {
  try {
    const json: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return typeof json === 'object' && json !== null ? json : {};
  } catch {
    return {};
  }
}
