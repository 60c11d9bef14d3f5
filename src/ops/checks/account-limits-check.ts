// Whether the limits of trading accounts can hold: accounts that exist, each once, amounts that let an order through, and some
// where trades are negotiated. Leaves the limits of sessions to cross-checks.ts.

import { Decimal } from '../../base/decimal.ts';
import type { Report } from '../configuration/config-problem.ts';
import type { GatewaySettings } from '../schema/gateway-schema.ts';

const AMOUNTS = ['orderQtyMax', 'notionalMax', 'priceBandPercent'] as const;

/** Check `orders.accountLimits` (rule O12). */
export function checkAccountLimits({ orders, exchange }: GatewaySettings, report: Report): void {
  const reached = exchange.credentials.flatMap(({ tradingAccounts }) => tradingAccounts);
  const seen = new Set<string>();
  for (const [index, limits] of orders.accountLimits.entries()) {
    const path = ['orders', 'accountLimits', index];
    const { tradingAccount } = limits;
    if (!reached.includes(tradingAccount)) {
      const remedy = `choose among: ${reached.join(', ')}`;
      report([...path, 'tradingAccount'], tradingAccount, 'no credential reaches this account', remedy);
    }
    if (seen.has(tradingAccount)) {
      report([...path, 'tradingAccount'], tradingAccount, 'its limits stand here twice', 'keep one of them');
    }
    seen.add(tradingAccount);
    for (const key of AMOUNTS) {
      const amount = limits[key];
      if (amount === undefined || Decimal.of(amount).isPositive()) continue;
      report([...path, key], amount, 'a limit of zero refuses every order', 'write a positive amount, or remove it');
    }
  }
}

/** Check that callers with negotiated trades over the bridge use accounts with limits that cover them (rule O12). */
export function checkNegotiatingCallers({ orders, bridge }: GatewaySettings, report: Report): void {
  const weighed = orders.accountLimits
    .filter(({ orderQtyMax, notionalMax }) => orderQtyMax !== undefined || notionalMax !== undefined)
    .map(({ tradingAccount }) => tradingAccount);
  for (const [index, { functions, tradingAccounts }] of bridge.callers.entries()) {
    if (!functions.includes('otc-write')) continue;
    for (const [at, account] of tradingAccounts.entries()) {
      if (weighed.includes(account)) continue;
      const problem = 'no limit weighs the negotiated trades of this account, which the function otc-write enters';
      const remedy = 'name it in orders.accountLimits, with orderQtyMax or notionalMax, or take otc-write away';
      report(['bridge', 'callers', index, 'tradingAccounts', at], account, problem, remedy);
    }
  }
}
