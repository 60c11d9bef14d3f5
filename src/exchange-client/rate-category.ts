// Which of the exchange's rate limits a read counts against (exchange reference §6).

import type { RateCategory } from './rate-budget.ts';

const CUSTODY = /^\/trading-api\/v1\/wallets(?:[/?]|$)/;
const ORDERS = /^\/trading-api\/v2\/orders(?:[/?]|$)/;

/** The category of a read that carries a login. */
export function categoryOf(target: string): Exclude<RateCategory, 'public'> {
  if (CUSTODY.test(target)) return 'custody';
  return ORDERS.test(target) ? 'orders' : 'other';
}
