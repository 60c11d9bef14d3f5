// The delayed cancel-all of a bridge caller (rules B5, C2). The exchange has one per account: where the gateway's own dead
// man's switch uses it, the gateway keeps the caller's time itself, and arms the exchange's no longer than that.

import { assert } from '../../base/assert.ts';
import type { EpochMs } from '../../base/time.ts';
import type { DelayedCancelAllCommand } from '../../exchange/mod.ts';
import type { CallersSwitch, DeadMansSwitch } from '../state/account-switches.ts';
import type { GatewayState, Turn } from '../state/state.ts';
import { delayOf, recordSwitch } from './dead-mans-switch.ts';

/** A command of a caller, and the exchange login that sends it. */
interface CallersCommand {
  readonly commandId: string;
  readonly credential: string;
  readonly who: string;
}

/** Why an account takes no delayed cancel-all over the bridge, in words; null if it does (rule C2). */
export function delayedCancelRefusal({ config }: GatewayState, tradingAccountId: string): string | null {
  if (config.exclusiveAccounts?.includes(tradingAccountId) === true) return null;
  return `account ${tradingAccountId} is not declared exclusive, so that it would cancel the orders of others`;
}

/** Arm it, or take its time anew. */
export function armForCaller(turn: Turn, by: CallersCommand, command: DelayedCancelAllCommand): void {
  const { tradingAccountId, delayBySeconds } = command;
  assert(delayedCancelRefusal(turn.state, tradingAccountId) === null, 'the bridge asks only for exclusive accounts');
  const own = ownSwitch(turn.state, tradingAccountId);
  if (own === null) {
    send(turn, by, command);
    return;
  }
  own.caller = { who: by.who, delayS: delayBySeconds, firesAt: turn.steady + Number(delayBySeconds) * 1_000 };
  sendShared(turn, by, own);
  recordSwitch(turn, own);
}

/** Take it back; the gateway's own stays armed where its sessions need it. */
export function unsetForCaller(turn: Turn, by: CallersCommand, tradingAccountId: string): void {
  const own = ownSwitch(turn.state, tradingAccountId);
  if (own === null || !own.armed) {
    send(turn, by, { kind: 'unsetDelayedCancelAll', tradingAccountId });
    return;
  }
  own.caller = null;
  recordSwitch(turn, own);
  // Behind a shorter time that was the caller's; where no session needs one, the next turn unsets it.
  sendShared(turn, by, own);
}

/** Those that are due; each is said once. */
export function* takeDueCallers(
  turn: Turn,
): Generator<CallersSwitch & Pick<DeadMansSwitch, 'tradingAccountId' | 'credential'>> {
  for (const one of turn.state.deadMansSwitches.values()) {
    const { caller, tradingAccountId, credential } = one;
    if (caller === null || caller.firesAt > turn.steady) continue;
    one.caller = null;
    recordSwitch(turn, one);
    yield { ...caller, tradingAccountId, credential };
  }
}

/** The switch of an account that sessions ask for. */
function ownSwitch({ deadMansSwitches }: GatewayState, tradingAccountId: string): DeadMansSwitch | null {
  const one = deadMansSwitches.get(tradingAccountId);
  return one === undefined || (one.sessionIds.length === 0 && one.caller === null) ? null : one;
}

function sendShared(turn: Turn, by: CallersCommand, own: DeadMansSwitch): void {
  const { tradingAccountId } = own;
  const delayBySeconds = delayOf(own);
  own.armed = true;
  own.firesBy = turn.steady + Number(delayBySeconds) * 1_000;
  own.nextAt = earlier(own.nextAt, turn.steady + Math.floor((Number(delayBySeconds) * 1_000) / 3));
  send(turn, by, { kind: 'delayedCancelAll', delayBySeconds, cancelId: null, tradingAccountId });
}

const earlier = (a: EpochMs | null, b: EpochMs): EpochMs => (a === null ? b : Math.min(a, b));

/** No order waits for its outcome: what it cancels is reported as the exchange says it. */
function send(turn: Turn, { commandId, credential }: CallersCommand, command: Parameters<Turn['command']>[2]): void {
  turn.state.together.set(commandId, []);
  turn.command(commandId, credential, command);
}
