// The roles of callers of the admin API, and their permissions. Leaves finding the caller to admin-users.ts and admin-api.ts.

import type { FastifyRequest } from 'fastify';
import type { Caller } from '../checks/admin-users.ts';
import { NAME_LIFTERS } from '../checks/admin-users.ts';

export const METRICS = '/metrics';
const KILL_SWITCHES = '/api/kill-switches/';
export const RESTART_WITH_LIFTERS = `${NAME_LIFTERS[0]!.toUpperCase()}${NAME_LIFTERS.slice(1)} and start the gateway again: the switch stays on meanwhile.`;
const NO_ROLE =
  'Your token has no role and may see and do nothing: list one under `admin.users[].roles` in gateway.yaml (`look` to look, `kill` to throw kill switches too).';

/** The operator, for the audit trail: a user's own name; for the shared token the unproven name in the header. */
export function nameOf(request: FastifyRequest, { user }: Caller): string {
  if (user !== null) return `user ${user}`;
  const name = String(request.headers['x-crossgate-operator'] ?? '')
    .replace(/[^\w.@ -]/g, '')
    .slice(0, 64);
  return name === '' ? 'shared token' : `${name} (shared token)`;
}

/** The reason to refuse a request by the roles of its caller; null if the caller may send it. */
export function refusalOf({ method, routeOptions }: FastifyRequest, { roles }: Caller): string | null {
  const { url = '' } = routeOptions;
  const isLook = method === 'GET' || method === 'HEAD';
  if (roles.length === 0) return NO_ROLE;
  if (roles.includes('metrics')) {
    return url === METRICS && isLook ? null : 'Your token may read /metrics only: its role is `metrics`.';
  }
  if (isLook || roles.includes('operate')) return null;
  if (roles.includes('look')) return 'Your token may look only: its role is `look`.';
  if (url.startsWith(KILL_SWITCHES)) return null;
  return 'Your token may look and throw kill switches only: it has no role `operate`.';
}

/** The reason to refuse a caller as one of the two people who lift a kill switch (rule O12); null if it may be one. */
export function liftRefusal({ user, roles }: Caller, areTooFew: boolean): string | null {
  if (user === null) {
    const remedy = areTooFew
      ? RESTART_WITH_LIFTERS
      : 'Two users with role `lift` ask for it one after the other, each with a token of their own (`--token-file`).';
    return `Lifting a kill switch takes two people, and the shared token names no person. ${remedy}`;
  }
  return roles.includes('lift') ? null : 'Your token has no role `lift`.';
}
