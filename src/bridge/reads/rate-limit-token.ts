// A trading account as callers may see it, without its rate limit token. That token belongs to the gateway: any holder
// could spend the account's order rate from anywhere (rule B4).

import { toObject } from '../../exchange/mod.ts';

/** The account, or whatever stands in its place, without the token. */
export function withoutRateLimitToken(account: unknown): unknown {
  const entry = toObject(account);
  if (entry === null || !Object.hasOwn(entry, 'rateLimitToken')) return account;
  const { rateLimitToken: _, ...shown } = entry;
  return shown;
}
