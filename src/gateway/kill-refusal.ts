// What a kill switch covers and refuses (rule O12). Throwing and lifting it is kill-switch.ts.

import type { KillSwitchScope } from './input.ts';
import { exchangeClosed, type Refusal } from './refusal.ts';
import type { GatewayState } from './state.ts';

/** Whether a switch concerns an order of this session on this account. */
export function covers(scope: KillSwitchScope, name: string, sessionId: string, tradingAccountId: string): boolean {
  return scope === 'all' || (scope === 'session' ? name === sessionId : name === tradingAccountId);
}

/** The refusal of a new order or of new terms while a switch covers them, or null. */
export function killRefusal(state: GatewayState, sessionId: string, tradingAccountId: string): Refusal | null {
  if (state.killSwitches.size === 0) return null;
  for (const { scope, name, why } of state.killSwitches.values()) {
    if (!covers(scope, name, sessionId, tradingAccountId)) continue;
    const whose = scope === 'all' ? 'this gateway' : `this ${scope}`;
    // Who threw it is for our own people.
    return exchangeClosed(`The kill switch of ${whose} is on (${why}); no orders are taken`);
  }
  return null;
}
