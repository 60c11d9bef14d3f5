// People with a token of their own at the admin API: how they are checked and recognised. admin-user-schema.ts has the
// configuration, admin-token.ts the shared token, admin-routes.ts the needs of each request.

import { createHash, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { CrossgateError } from '../../base/errors.ts';
import type { IsNamed, Renewal } from '../../base/renewal.ts';
import type { SecretReference } from '../../engine/mod.ts';
import { ADMIN_TOKEN_REMEDY, adminTokenFile, isAdminToken, NO_ADMIN_TOKEN } from '../admin/admin-access.ts';
import type { Report } from '../configuration/config-problem.ts';
import { type ConfigProblem, keyPath } from '../configuration/config-problem.ts';
import type { PlaceOf } from '../configuration/schema-check.ts';
import type { AdminRole } from '../schema/admin-user-schema.ts';
import type { GatewaySettings } from '../schema/gateway-schema.ts';
import { type Environment, secretProblem, secretReference } from '../secrets/secrets.ts';

export interface AdminUser {
  readonly name: string;
  readonly token: SecretReference;
  readonly roles: readonly AdminRole[];
}

/** People who have to agree: to lift a kill switch, and where `admin.twoPeople` asks for it. */
const TWO = 2;

/** How many of these users can take part in lifting a kill switch, where they are too few, in words; else null. */
export function tooFewToLift(users: readonly Pick<AdminUser, 'roles'>[]): string | null {
  const few = tooFew(users, 'lift');
  return few === null ? null : `lifting a kill switch ${few}`;
}

function tooFew(users: readonly Pick<AdminUser, 'roles'>[], role: AdminRole): string | null {
  const count = users.filter(({ roles }) => roles.includes(role)).length;
  if (count >= TWO) return null;
  return `takes two users with role \`${role}\`, and ${count === 0 ? 'none is' : 'one is'} configured`;
}

/** Whether somebody can do without the shared token. */
export function hasOperator(users: readonly Pick<AdminUser, 'roles'>[]): boolean {
  return users.some(({ roles }) => roles.includes('operate'));
}

/** Roles that stand alone: who has one may do less than others without any. */
const ALONE = ['look', 'metrics'] as const satisfies readonly AdminRole[];

/** Advice for it. */
export const NAME_LIFTERS = 'give two people a token each under `admin.users` in gateway.yaml';

/** The caller: a user, or null for the shared token. */
export interface Caller {
  readonly user: string | null;
  readonly roles: readonly AdminRole[];
  /** The parent process, which asks for others (parent-caller.ts). */
  readonly isParent?: true;
}

/** The shared token operates. It identifies no person, and counts for none if two must agree. */
const SHARED: Caller = { user: null, roles: ['operate'] };

/** Another process of this gateway. */
const PARENT: Caller = { user: null, roles: [], isParent: true };

/** No token has it. */
const NO_DIGEST = Buffer.alloc(32);
const TOKEN_MIN = 24;
/** A longer token, or other characters, fit no request to the admin API. */
const TOKEN_MAX = 256;
const TOKEN = /^[\x21-\x7e]+$/;

/** Check who may enter: somebody who operates, each name and each token once, and no role beside one that stands alone. */
export function checkAdminUsers({ admin }: GatewaySettings, report: Report): void {
  for (const [index, { roles }] of admin.users.entries()) {
    const alone = ALONE.find((role) => roles.includes(role));
    if (alone === undefined || roles.length === 1) continue;
    const problem = `\`${alone}\` stands alone: it takes everything else away`;
    report(['admin', 'users', index, 'roles'], roles, problem, `write \`[${alone}]\`, or leave it out`);
  }
  if (admin.enabled && !admin.sharedToken && !hasOperator(admin.users)) {
    const problem = 'without the shared token no one could operate: no user has the role `operate`';
    report(['admin', 'sharedToken'], false, problem, 'give a person a token under `admin.users`, or remove the key');
  }
  const few = tooFew(admin.users, 'operate');
  if (admin.enabled && admin.twoPeople.length > 0 && few !== null) {
    report(['admin', 'twoPeople'], admin.twoPeople, few, 'give two people a token each under `admin.users`');
  }
  for (const key of ['name', 'token'] as const) {
    const seen = new Set<string>();
    for (const [index, user] of admin.users.entries()) {
      if (seen.has(user[key])) {
        const remedy = 'two people must have two names and two tokens';
        report(['admin', 'users', index, key], user[key], `two users have this ${key}`, remedy);
      }
      seen.add(user[key]);
    }
  }
}

/** The users with their tokens to be read; a token that cannot be theirs is added to the problems. */
export function adminUsers(
  stateDirectory: string,
  { settings, placeOf }: { readonly settings: GatewaySettings; readonly placeOf: PlaceOf },
  environment: Environment,
  problems: ConfigProblem[],
): AdminUser[] {
  const tokens: string[] = [];
  const shared = secretReference(`file:${adminTokenFile(stateDirectory)}`, stateDirectory, environment);
  const sharedProblem = secretProblem(shared);
  const sharedToken = settings.admin.sharedToken && sharedProblem === null ? shared.read().trim() : null;
  const useless = uselessShared(stateDirectory, sharedToken, sharedProblem, settings);
  if (useless !== null) problems.push({ ...placeOf(['admin', 'sharedToken']), ...useless });
  return settings.admin.users.map(({ name, token: reference, roles }, index) => {
    const token = secretReference(reference, stateDirectory, environment);
    const path = ['admin', 'users', index, 'token'];
    const unreadable = secretProblem(token);
    const problem = unreadable ?? tokenProblem(token.read(), tokens, sharedToken);
    if (unreadable === null) tokens.push(token.read());
    const remedy = 'give the person a token of 24 to 256 printable characters, or correct the reference';
    if (problem !== null) problems.push({ ...placeOf(path), key: keyPath(path), value: reference, problem, remedy });
    return { name, token, roles };
  });
}

/** A start makes one that is missing, and would end at another one only once counterparties have logged on. */
function uselessShared(
  stateDirectory: string,
  token: string | null,
  unreadable: string | null,
  { admin }: GatewaySettings,
): Pick<ConfigProblem, 'key' | 'value' | 'problem' | 'remedy'> | null {
  const file = adminTokenFile(stateDirectory);
  if (!admin.enabled || !admin.sharedToken || !existsSync(file)) return null;
  const problem = unreadable ?? (isAdminToken(token ?? '') ? null : `${file} ${NO_ADMIN_TOKEN}`);
  return problem === null ? null : { key: 'admin.sharedToken', value: null, problem, remedy: ADMIN_TOKEN_REMEDY };
}

function tokenProblem(token: string, others: readonly string[], sharedToken: string | null): string | null {
  if (token.length < TOKEN_MIN) return `it is shorter than ${TOKEN_MIN} characters`;
  if (token.length > TOKEN_MAX) return `it is longer than ${TOKEN_MAX} characters: no request could carry it`;
  if (!TOKEN.test(token)) return 'it has blanks or characters beyond ASCII in it: no request could carry it';
  if (token === sharedToken) return 'it is the shared token: every holder of it would be this person';
  return others.includes(token) ? 'another user has the same token; then two people are one' : null;
}

interface KnownCaller {
  readonly digest: Buffer;
  readonly caller: Caller;
  /** Null for the shared one, which the configuration does not name. */
  readonly token: SecretReference | null;
}

/** Recognises callers by their tokens; keeps digests only. @throws CrossgateError XG_SECRET_MISSING */
export class CallerBook {
  private known: readonly KnownCaller[];

  /** The parent's token lasts as long as this process: it is no part of `known`, which can be renewed. */
  private readonly parent: Buffer | null;

  /** @param sharedToken null if it is not accepted @param parentToken of the process that names callers; null: none */
  constructor(sharedToken: string | null, users: readonly AdminUser[], parentToken: string | null = null) {
    this.parent = parentToken === null ? null : digestOf(parentToken);
    this.known = [
      ...(sharedToken === null ? [] : [{ digest: digestOf(sharedToken), caller: SHARED, token: null }]),
      ...users.map(({ name, token, roles }) => ({
        digest: digestOf(token.read()),
        caller: { user: name, roles },
        token,
      })),
    ];
  }

  /**
   * Replace changed tokens. @throws CrossgateError XG_SECRET_MISSING, XG_CONFIG_INVALID for one that could not be a
   * token
   */
  renewals(isNamed: IsNamed, sharedToken: string | null): Renewal[] {
    const others: string[] = [];
    const renewals: Renewal[] = [];
    const isGone = ({ token }: KnownCaller): boolean => token !== null && !isNamed(token.reference);
    const gone = new Set(this.known.filter(isGone).map(({ caller }) => caller));
    for (const { digest, caller, token } of this.known) {
      if (gone.has(caller)) continue;
      const text = token === null ? sharedToken! : token.read();
      const fault = token === null ? null : tokenProblem(text, others, sharedToken);
      if (fault !== null) throw new CrossgateError('XG_CONFIG_INVALID', `the token of user ${caller.user}: ${fault}`);
      others.push(text);
      const read = digestOf(text);
      if (read.equals(digest)) continue;
      const take = (): void => {
        this.known = this.known.map((one) => {
          if (one.caller === caller) return { ...one, digest: read };
          // One token is one person's: who is named no more has it no more.
          return gone.has(one.caller) && one.digest.equals(read) ? { ...one, digest: NO_DIGEST } : one;
        });
      };
      const whose = caller.user === null ? 'the shared token of the admin API is' : `user ${caller.user} has`;
      renewals.push({ text: `${whose} another ${caller.user === null ? 'one' : 'token'}`, take });
    }
    return renewals;
  }

  /** The owner of a token; null if unknown. Compares all of them in any case. */
  find(token: string): Caller | null {
    const digest = digestOf(token);
    let found: Caller | null = null;
    for (const { digest: own, caller } of this.known) if (timingSafeEqual(own, digest)) found = caller;
    return this.parent !== null && timingSafeEqual(this.parent, digest) ? PARENT : found;
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
