// Questions of FIX sessions about accounts, and commands that concern no order, through the exchange login that reaches each account; every answer returns as
// an input, also the one that there is none.

import { refusedHere } from '../../exchange/mod.ts';
import { askAccount, type ExchangeClient } from '../../exchange-client/mod.ts';
import type { GatewayEffect, GatewayInput } from '../../gateway/mod.ts';

type Manage = Extract<GatewayEffect, { kind: 'manage' }>;
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

/** Send a command that concerns no order. */
export function manageThrough(
  clients: ReadonlyMap<string, ExchangeClient>,
  { commandId, credential, command }: Manage,
  input: (input: GatewayInput) => void,
  isOver: () => boolean,
): void {
  const client = clients.get(credential);
  if (client === undefined) {
    const outcome = refusedHere(`no exchange login ${credential} is configured any more`);
    input({ kind: 'managed', commandId, outcome });
    return;
  }
  const sent = client.send(commandId, command).then(
    ({ outcome }) => outcome,
    (error: unknown) => ({ kind: 'unknown', message: String(error) }) as const,
  );
  void sent.then((outcome) => {
    if (!isOver()) input({ kind: 'managed', commandId, outcome });
  });
}
