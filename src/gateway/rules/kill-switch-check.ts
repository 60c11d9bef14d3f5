// Scope and refusals of a kill switch (rule O12). kill-switch.ts throws and lifts it.

import type { GatewayState } from '../state/state.ts';
import type { KillSwitchScope } from '../vocabulary/input.ts';
import { exchangeClosed, type Refusal } from '../vocabulary/refusal.ts';

/** Length of a reason in a refusal: the text after it must still fit Text(58). */
const WHY_MAX = 200;

/** A reason as somebody typed or pasted it, in one line. */
function inOneLine(why: string): string {
  const line = why.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  // Half of a character beyond the first plane is none: strict readers of JSON refuse a whole text for it.
  return line.length > WHY_MAX ? `${line.slice(0, WHY_MAX - 3).replace(/[\uD800-\uDBFF]$/, '')}...` : line;
}

/** Whether a switch concerns an order of this session on this account. */
export function covers(scope: KillSwitchScope, name: string, sessionId: string, tradingAccountId: string): boolean {
  return scope === 'all' || (scope === 'session' ? name === sessionId : name === tradingAccountId);
}

/** That a switch is on which covers orders of this session on this account, in words; null if none is. */
export function killSwitchOn(state: GatewayState, sessionId: string, tradingAccountId: string): string | null {
  if (state.killSwitches.size === 0) return null;
  for (const { scope, name, why } of state.killSwitches.values()) {
    if (!covers(scope, name, sessionId, tradingAccountId)) continue;
    const whose = scope === 'all' ? 'this gateway' : `this ${scope}`;
    // Only our own operators learn the name of the operator.
    return `The kill switch of ${whose} is on (${inOneLine(why)})`;
  }
  return null;
}

/** The refusal of a new order or of new terms while a switch covers them, or null. */
export function killRefusal(state: GatewayState, sessionId: string, tradingAccountId: string): Refusal | null {
  const on = killSwitchOn(state, sessionId, tradingAccountId);
  return on === null ? null : exchangeClosed(`${on}; no orders are taken`);
}
