// Trading accounts of sessions that templates make when their counterparties log on: known from the beginning, so that they are
// compared with the exchange before the first of these Logons (rule J3).

import { isTemplate } from '../engine/mod.ts';
import type { TradingAccount } from '../gateway/mod.ts';
import type { CredentialConfig, EngineSessionConfig } from './gateway-config.ts';

/** Whether a trading account is left open: the Logon says which it is. */
export const isOpenAccount = (tradingAccountId: string): boolean => tradingAccountId.includes('{');

/** The accounts that templates name; where one leaves them open, all of its exchange login. */
export function accountsOfTemplates(
  sessions: readonly EngineSessionConfig[],
  credentials: readonly CredentialConfig[],
): TradingAccount[] {
  const accounts = new Map<string, TradingAccount>();
  for (const { tradingAccountId, credential } of sessions.filter(isTemplate).flatMap((one) => one.gateway.accounts)) {
    const login = credentials.find(({ name }) => name === credential);
    for (const id of isOpenAccount(tradingAccountId) ? (login?.tradingAccountIds ?? []) : [tradingAccountId]) {
      accounts.set(id, { tradingAccountId: id, credential });
    }
  }
  return [...accounts.values()];
}
