// A trading account as callers may see it. Its rate limit token is the gateway's alone: whoever has it can spend, from anywhere,
// the rate of the orders of that account (rule B4).

import { toObject } from '../exchange/mod.ts';

/** The account, or whatever stands in its place, without the token. */
export function withoutRateLimitToken(account: unknown): unknown {
  const entry = toObject(account);
  if (entry === null || !Object.hasOwn(entry, 'rateLimitToken')) return account;
  const { rateLimitToken: _, ...shown } = entry;
  return shown;
}
