// Carries out one read or question: account entitlement, the target as the exchange spells it, the answer cut to the token.

import { parseExactJson, toObject, toText } from '../../exchange/mod.ts';
import type { Caller } from '../access.ts';
import { Problem } from '../problem.ts';
import type { Endpoint } from './endpoints.ts';
import { parseKeepingDigits } from './exact-json.ts';
import { withoutRateLimitToken } from './rate-limit-token.ts';
import { bodyOf } from './upstream.ts';

/** A request that passed its schemas. */
export interface ReadRequest {
  readonly params: Readonly<Record<string, string>>;
  /** A list where a name stands more than once; the schema names the parameters that may. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
}

/** Ask the exchange; the JSON text to answer with. @throws Problem */
export async function readCall(endpoint: Endpoint, caller: Caller, request: ReadRequest): Promise<string> {
  for (const account of accountsIn(endpoint, request)) caller.requireAccount(account);
  const target = targetOf(endpoint, request);
  if (endpoint.method === 'POST') {
    // Written anew: of a key that stands twice, the exchange must read the same one that was checked here.
    return await bodyOf(await caller.exchange.post(target, JSON.stringify(request.body)));
  }
  const body = await bodyOf(await caller.exchange.get(target));
  if (endpoint.account === 'answer') return ownAccountsOnly(body, caller);
  return endpoint.account === 'path' ? tradingAccount(body) : body;
}

function accountsIn(endpoint: Endpoint, { params, query, body }: ReadRequest): string[] {
  const of = (value: unknown): string => toText(toObject(value)?.tradingAccountId) ?? '';
  switch (endpoint.account) {
    case 'none':
    case 'answer':
      return [];
    case 'query':
      return [query.tradingAccountId ?? ''].flat();
    case 'path':
      return [params.tradingAccountId ?? ''];
    case 'body':
      return [of(body)];
    case 'bodies':
      return Array.isArray(body) ? body.map(of) : [''];
  }
}

function targetOf(endpoint: Endpoint, { params, query }: ReadRequest): string {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  const search = new URLSearchParams(pairs).toString();
  return search === '' ? path : `${path}?${search}`;
}

/** The list of trading accounts is that of the login: accounts beyond the token's are removed. */
function ownAccountsOnly(body: string, caller: Caller): string {
  const list = parseKeepingDigits(body);
  // An id that is a number is text only there.
  const read = parseExactJson(body);
  if (!Array.isArray(list) || !Array.isArray(read)) {
    throw new Problem('exchange-error', 'The exchange answered something that is not a list of trading accounts.');
  }
  const isOwn = (account: unknown): boolean =>
    caller.tradingAccountIds.has(toText(toObject(account)?.tradingAccountId) ?? '');
  const own = list.filter((_, i) => isOwn(read[i]));
  return JSON.stringify(own.map(withoutRateLimitToken));
}

/** A request by an account in its path concerns that account. */
function tradingAccount(body: string): string {
  const account = parseKeepingDigits(body);
  if (account === undefined) throw new Problem('exchange-error', "The exchange's answer cannot be read.");
  return JSON.stringify(withoutRateLimitToken(account));
}
