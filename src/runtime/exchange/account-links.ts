// Through which exchange login a command or a question about an order goes: the one of the order, or, where that is configured
// no more, whichever reaches its account now. Where none does, the order is out of reach, and that is the answer.

import { refusedHere } from '../../exchange/mod.ts';
import type { GatewayEffect, GatewayInput } from '../../gateway/mod.ts';
import type { ExchangeLink } from './exchange-link.ts';

type Links = ReadonlyMap<string, ExchangeLink>;
type Submit = Extract<GatewayEffect, { kind: 'submit' }>;
type Lookup = Extract<GatewayEffect, { kind: 'lookup' }>;

function linkOf(links: Links, credential: string, tradingAccountId: string): ExchangeLink | null {
  const named = links.get(credential);
  if (named !== undefined) return named;
  for (const link of links.values()) if (link.tradingAccountIds.includes(tradingAccountId)) return link;
  return null;
}

const outOfReach = (credential: string, tradingAccountId: string): string =>
  `no exchange login of the configuration reaches account ${tradingAccountId} any more, it was reached by ${credential}`;

/** Send a command. If no login can send it, it is reported as unsent. */
export function submitThrough(links: Links, effect: Submit, input: (input: GatewayInput) => void): void {
  const { commandId, credential, command } = effect;
  const link = linkOf(links, credential, command.tradingAccountId);
  if (link !== null) {
    link.submit(effect);
    return;
  }
  input({ kind: 'outcome', commandId, outcome: refusedHere(outOfReach(credential, command.tradingAccountId)) });
}

/** Ask for an order. */
export function lookupThrough(links: Links, effect: Lookup, input: (input: GatewayInput) => void): void {
  const { lookupId, credential, tradingAccountId } = effect;
  const link = linkOf(links, credential, tradingAccountId);
  if (link !== null) {
    link.lookup(effect);
    return;
  }
  input({
    kind: 'lookedUp',
    lookupId,
    outcome: { kind: 'failed', message: outOfReach(credential, tradingAccountId) },
  });
}
