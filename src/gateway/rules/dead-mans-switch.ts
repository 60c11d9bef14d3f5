// The exchange's delayed cancel-all as a dead man's switch (rule C2). It is re-armed for an account while sessions that
// ask for it are connected or have open orders there, so that it fires if this gateway dies, and is unset when no order
// needs it. The configuration check decides which accounts may have one.

import type { EpochMs } from '../../base/time.ts';
import type { CommandOutcome, DelayedCancelAllCommand } from '../../exchange/mod.ts';
import { encodeRecord } from '../book/order-record.ts';
import type { DeadMansSwitchRecord } from '../book/record-kinds.ts';
import type { DeadMansSwitch } from '../state/account-switches.ts';
import type { GatewayState, Turn } from '../state/state.ts';

/** How often it is armed within its delay, whether or not the arming before was answered: two may be lost before it fires. */
const ARMED_PER_DELAY = 3;
/** Pause after it could not be armed or unset. */
const RETRY_MS = 1_000;
const ID = 'dead-mans-switch';

/** When the next one is due, or null. */
export function switchesDueAt(state: GatewayState): EpochMs | null {
  let at: EpochMs | null = null;
  for (const one of state.deadMansSwitches.values()) {
    const { nextAt, underWay, armed, caller } = one;
    const isWanted = isNeeded(state, one);
    if (caller !== null && (at === null || caller.firesAt < at)) at = caller.firesAt;
    if (nextAt === null || isBusy(one)) continue;
    if (!isWanted && (!armed || underWay.length > 0)) continue;
    if (at === null || nextAt < at) at = nextAt;
  }
  return at;
}

/** Whether an answer has to come before anything else is sent. */
const isBusy = ({ underWay }: DeadMansSwitch): boolean => underWay.length >= ARMED_PER_DELAY;

const countOf = (commandId: string): number => Number(commandId.slice(commandId.lastIndexOf('-') + 1));

/** Whether a session that asked for it is connected, or has open orders, or a caller of the bridge wants one too. */
function isNeeded({ sessions, registry }: GatewayState, { sessionIds, caller }: DeadMansSwitch): boolean {
  if (caller !== null) return true;
  return sessionIds.some((id) => sessions.get(id)?.isUp === true || registry.openOrderCount(id) > 0);
}

/** Arm and unset due switches; called after every input. */
export function tendSwitches(turn: Turn): void {
  const { state } = turn;
  for (const one of state.deadMansSwitches.values()) {
    const isWanted = isNeeded(state, one);
    if (!isBusy(one)) tend(turn, one, isWanted);
    // One that the exchange refuses again and again is not recorded each time.
    if (one.armed ? !one.recorded : one.recorded && !one.failing) recordSwitch(turn, one);
  }
}

/** Its being unset waits for every answer, and holds up no arming: the one before it may run on, and would fire. */
function tend(turn: Turn, one: DeadMansSwitch, isWanted: boolean): void {
  const isEarly = one.nextAt !== null && one.nextAt > turn.steady;
  if (isWanted) {
    if (!(isEarly && (one.armed || one.failing))) arm(turn, one);
  } else if (one.armed && one.underWay.length === 0 && !(isEarly && one.failing)) {
    if (!hasFired(turn, one)) standDown(turn, one);
  }
}

/** Whether one that is not wanted was not taken back in time: nothing of it is left that could be. */
function hasFired({ steady }: Turn, one: DeadMansSwitch): boolean {
  one.firesBy ??= steady + Number(one.delayS) * 1_000;
  if (one.firesBy > steady) return false;
  one.armed = false;
  one.failing = false;
  return true;
}

/** Before it is armed, and once it is not: a process that dies meanwhile leaves it to the next one. */
export function recordSwitch(turn: Turn, one: DeadMansSwitch): void {
  const { tradingAccountId, credential, delayS, armed, caller } = one;
  const key = `deadMansSwitch|${tradingAccountId}`;
  const state = {
    tradingAccountId,
    credential,
    delayS,
    armed,
    ...(caller === null ? {} : { caller: { ...caller, firesAt: turn.state.time.clockAt(caller.firesAt) } }),
  };
  const text = encodeRecord({ kind: 'deadMansSwitch', key, ...state });
  turn.record('', key, text, armed ? undefined : []);
  one.recorded = armed;
}

/** The delay that it is armed with: the caller's where that is shorter. */
export function delayOf({ delayS, caller }: DeadMansSwitch): DeadMansSwitch['delayS'] {
  return caller !== null && Number(caller.delayS) < Number(delayS) ? caller.delayS : delayS;
}

function arm(turn: Turn, one: DeadMansSwitch): void {
  one.armed = true;
  const { tradingAccountId, credential } = one;
  send(
    turn,
    one,
    { kind: 'delayedCancelAll', delayBySeconds: delayOf(one), cancelId: null, tradingAccountId },
    credential,
  );
}

function standDown(turn: Turn, one: DeadMansSwitch): void {
  const { tradingAccountId, credential, atShutdown, delayS } = one;
  if (turn.state.shuttingDown && atShutdown === 'letFire') {
    one.armed = false;
    one.nextAt = null;
    const text = `dead man's switch is left to fire within ${delayS} s, as configured`;
    turn.note('info', text, { tradingAccountId });
    return;
  }
  const why = one.sessionIds.length === 0 ? 'no session asks for it any more' : 'nothing is open';
  if (!one.failing) turn.note('info', `dead man's switch is unset: ${why}`, { tradingAccountId });
  send(turn, one, { kind: 'unsetDelayedCancelAll', tradingAccountId }, credential);
}

/** The process ends: which ones the exchange may have armed still is said, for they fire. */
export function tellSwitchesLeft(turn: Turn): void {
  for (const one of turn.state.deadMansSwitches.values()) {
    const { armed, tradingAccountId, delayS } = one;
    if (!armed) continue;
    const why = isNeeded(turn.state, one) ? 'orders are still open' : 'its being unset has no answer';
    turn.note('warn', `dead man's switch is left to fire within ${delayS} s: ${why}`, { tradingAccountId });
  }
}

function send(
  turn: Turn,
  one: DeadMansSwitch,
  command: DelayedCancelAllCommand | { readonly kind: 'unsetDelayedCancelAll'; readonly tradingAccountId: string },
  credential: string,
): void {
  one.count++;
  const what = command.kind === 'delayedCancelAll' ? 'arm' : 'unset';
  const commandId = `${ID}/${one.tradingAccountId}/${what}/${turn.now}-${one.count}`;
  if (what === 'arm') one.armCount = one.count;
  one.underWay = [...one.underWay, commandId];
  one.nextAt = what === 'arm' ? turn.steady + Math.floor((Number(delayOf(one)) * 1_000) / ARMED_PER_DELAY) : null;
  turn.command(commandId, credential, command);
}

/** Take the outcome of one of its commands; false if the command is not one of them. */
export function handleSwitchOutcome(turn: Turn, commandId: string, outcome: CommandOutcome): boolean {
  if (!commandId.startsWith(`${ID}/`)) return false;
  const [, tradingAccountId = '', what] = commandId.split('/');
  const one = turn.state.deadMansSwitches.get(tradingAccountId);
  if (one?.underWay.includes(commandId) !== true) return true;
  one.underWay = one.underWay.filter((open) => open !== commandId);
  if (outcome.kind === 'accepted') {
    one.failing = false;
    // An arming behind an unsetting may have overtaken it, or not: it goes out again.
    one.armed = what === 'arm' || one.armCount > countOf(commandId);
    one.firesBy = one.armed ? turn.steady + Number(one.delayS) * 1_000 : null;
    if (what === 'unset') one.nextAt = null;
    return true;
  }
  if (what === 'arm') noteNotArmed(turn, one, outcome);
  const retryAt = turn.steady + RETRY_MS;
  one.nextAt = one.nextAt === null ? retryAt : Math.min(one.nextAt, retryAt);
  if (one.failing) return true;
  one.failing = true;
  const done = what === 'arm' ? 'armed' : 'unset';
  turn.alarm('dead-mans-switch', `The dead man's switch could not be ${done}: ${outcome.message}`, null, {
    tradingAccountId,
  });
  return true;
}

/** A refused arming is none, but one before it may still run; without an answer it may be one. */
function noteNotArmed(
  { steady }: Turn,
  one: DeadMansSwitch,
  outcome: Exclude<CommandOutcome, { kind: 'accepted' }>,
): void {
  if (outcome.kind !== 'refused' || outcome.httpStatus !== 400) one.firesBy = steady + Number(one.delayS) * 1_000;
  else one.armed = one.underWay.length > 0 || (one.firesBy !== null && one.firesBy > steady);
}

/**
 * A switch that the last process had armed: re-armed if a session asks for it, disarmed otherwise. Its last arming time
 * is unknown.
 */
export function recoverSwitch(
  state: GatewayState,
  { tradingAccountId, credential, delayS, armed, caller: kept }: DeadMansSwitchRecord,
): void {
  if (!armed) return;
  const caller = kept ?? null;
  const known = state.deadMansSwitches.get(tradingAccountId);
  if (known !== undefined) {
    known.caller = caller;
    known.armed = true;
    known.recorded = true;
    return;
  }
  const left: DeadMansSwitch = {
    tradingAccountId,
    credential: state.accounts.get(tradingAccountId)?.credential ?? credential,
    delayS,
    atShutdown: 'unset',
    sessionIds: [],
    nextAt: 0,
    armed: true,
    recorded: true,
    firesBy: null,
    underWay: [],
    count: 0,
    armCount: 0,
    caller,
    failing: false,
  };
  state.deadMansSwitches = new Map([...state.deadMansSwitches, [tradingAccountId, left]]);
}
