// Questions of FIX sessions about accounts, through the exchange login that reaches each account; every answer returns as
// an input, also the one that there is none.

import { askAccount, type ExchangeClient } from '../../exchange-client/mod.ts';
import type { GatewayEffect, GatewayInput } from '../../gateway/mod.ts';

type Ask = Extract<GatewayEffect, { kind: 'ask' }>;

/** Ask about an account. `isOver`: the gateway stops, and takes no more answers. */
export function askThrough(
  clients: ReadonlyMap<string, ExchangeClient>,
  { questionId, credential, question }: Ask,
  input: (input: GatewayInput) => void,
  isOver: () => boolean,
): void {
  const client = clients.get(credential);
  const text = `no exchange login ${credential} is configured any more`;
  const answer =
    client === undefined
      ? Promise.resolve({ kind: 'failed', message: text } as const)
      : askAccount(client, question).catch((error: unknown) => ({ kind: 'failed', message: String(error) }) as const);
  void answer.then((said) => {
    if (!isOver()) input({ kind: 'answered', questionId, answer: said });
  });
}
