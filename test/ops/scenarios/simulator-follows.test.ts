// simulator.follows of gateway.yaml reaches the embedded exchange of a gateway that starts with it: what that takes differs where
// the document of the exchange and its client libraries disagree.

import { expect, test } from 'vitest';
import { Caller, v2Order } from '../../simulator/exchange-caller.ts';
import { GATEWAY, runningGateway } from '../running-gateway.ts';

test.each([
  ['document', { nonceWithoutLogin: 401, commandWithoutPrehash: 400 }],
  ['clients', { nonceWithoutLogin: 200, commandWithoutPrehash: 200 }],
] as const)(
  'a gateway that starts with simulator.follows: %s has an exchange that answers so',
  async (follows, expected) => {
    const yaml = GATEWAY.replace('embedded: true, port: 0', `embedded: true, port: 0, follows: ${follows}`);
    const { engine } = await runningGateway({ 'gateway.yaml': yaml });
    const simulator = engine.simulator!;
    const nonce = await fetch(`${simulator.url}/trading-api/v1/nonce`);
    const caller = await Caller.loggedIn(simulator, 'demo-ecdsa');
    const command = await caller.send(v2Order({ price: '50000.0', quantity: '0.01' }), { prehash: 'none' });
    expect({ nonceWithoutLogin: nonce.status, commandWithoutPrehash: command.status }, command.text).toEqual(expected);
    // The gateway itself signs as the document says, and is understood by both.
    expect((await caller.send(v2Order({ price: '50000.0', quantity: '0.01' }))).status).toBe(200);
  },
);
