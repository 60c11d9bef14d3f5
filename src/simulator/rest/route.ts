// The shape of one REST endpoint, and the input of every handler: the request, its login, the clock, the host.

import type { EpochMs } from '../../base/time.ts';
import type { Headers, SignedCommand } from '../access/authentication.ts';
import type { Login } from '../access/logins.ts';
import type { LimitCategory } from '../access/rate-limits.ts';
import type { Operation } from '../control/faults.ts';
import type { Host } from '../host.ts';
import type { Floor, MarketState } from '../venue/floor.ts';
import { invalidRequest, notFound, unauthorized, unauthorizedCommand } from './refusal.ts';

export interface RouteRequest {
  readonly host: Host;
  readonly floor: Floor;
  readonly now: EpochMs;
  readonly address: string;
  readonly headers: Headers;
  readonly params: Readonly<Record<string, string>>;
  /** Query values by name; of one that is given several times the last. Blanks in names are left out. */
  readonly query: Readonly<Record<string, string>>;
  /** Query values that may be given several times, or with commas. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  /** Path without query, as signed. */
  readonly path: string;
  readonly body: string;
  /** Null on public endpoints. */
  readonly login: Login | null;
  /** Null unless the endpoint is signed. */
  readonly signed: SignedCommand | null;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Fastify pattern with `/trading-api`. */
  readonly path: string;
  readonly auth: 'none' | 'login' | 'signed';
  /** Custody takes ECDSA logins only, OTC has error codes of its own; default `trading`. */
  readonly area?: 'trading' | 'custody' | 'otc';
  readonly limit: LimitCategory;
  /** Kind of request for the fault knobs; default `get` for GET, by commandType for signed. `exempt`: never hit. */
  readonly operation?: Operation | 'exempt';
  /** Answer with JSON (undefined: an empty body). @throws Refusal */
  readonly handle: (request: RouteRequest) => unknown;
}

/** The login of an endpoint that has one. */
export function loginOf(request: RouteRequest): Login {
  if (request.login === null) throw unauthorized();
  return request.login;
}

/** The user's own account named in the query. Absent: 404, as reads by id answer (exchange reference §1.4). @throws Refusal */
export function queriedAccount(request: RouteRequest, absent: 'notFound' | 'invalid'): string {
  const { tradingAccountId } = request.query;
  if (tradingAccountId === undefined) {
    throw absent === 'notFound' ? notFound('Not found') : invalidRequest('tradingAccountId is missing');
  }
  return ownAccount(request, tradingAccountId);
}

/** @throws Refusal 403 if the account is not the user's */
export function ownAccount(request: RouteRequest, tradingAccountId: string): string {
  const account = request.floor.ledger.account(tradingAccountId);
  if (account === null || account.user !== loginOf(request).key.user.name) {
    throw unauthorizedCommand('Not an account of this user');
  }
  return tradingAccountId;
}

/** The market named in the path, or null. */
export function pathMarket(request: RouteRequest): MarketState | null {
  return request.floor.markets.get(request.params.symbol ?? '') ?? null;
}

/** Every trading account of the user. */
export function ownAccounts(request: RouteRequest): string[] {
  const user = loginOf(request).key.user.name;
  return request.floor.world.accounts
    .filter((account) => account.user === user)
    .map(({ tradingAccountId }) => tradingAccountId);
}

/** An answer that is a page for people. */
export class Page {
  readonly html: string;

  constructor(html: string) {
    this.html = html;
  }
}
