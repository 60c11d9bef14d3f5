// An order in the words of a session that did not enter it: its names for account and symbol, nothing that only the owner
// wrote. Used for drop copies (rule S9) and for requests that reach orders of other sessions (rule O7).

import type { Order, OrderEcho } from '../book/order.ts';
import type { GatewaySessionConfig } from '../vocabulary/config.ts';

/** A session's names, by those of the exchange. */
export interface SessionNames {
  /** Account(1) as the session calls it, by trading account id. */
  readonly accounts: ReadonlyMap<string, string>;
  /** Symbol(55) as the session calls it, by the exchange's name, where it has a name of its own. */
  readonly symbols: ReadonlyMap<string, string>;
}

/** Of several names for one symbol the first counts. */
export function namesOf({ accounts, symbolAliases }: GatewaySessionConfig): SessionNames {
  const symbols = new Map<string, string>();
  for (const [alias, symbol] of Object.entries(symbolAliases)) if (!symbols.has(symbol)) symbols.set(symbol, alias);
  return {
    accounts: new Map(accounts.map(({ tradingAccountId, account }) => [tradingAccountId, account])),
    symbols,
  };
}

/** The order with these names; of its owner's texts only those that `kept` names. */
export function inWordsOf({ accounts, symbols }: SessionNames, order: Order, kept: Omit<OrderEcho, 'account'>): Order {
  const { echo, terms } = order;
  return {
    ...order,
    echo: { ...kept, account: accounts.get(order.tradingAccountId) ?? echo.account },
    terms: { ...terms, symbol: symbols.get(terms.exchangeSymbol) ?? terms.exchangeSymbol },
  };
}
