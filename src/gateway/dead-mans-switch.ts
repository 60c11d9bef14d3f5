// The exchange's delayed cancel-all as a dead man's switch (rule C2): armed again and again for an account while sessions
// that ask for it are connected or have open orders there, so that it fires when this gateway is no more; unset when
// nothing is left to protect. Which accounts may have one is checked with the configuration.

import { assert } from '../base/assert.ts';
import type { EpochMs } from '../base/time.ts';
import type { CommandOutcome, DelayedCancelAllCommand } from '../exchange/mod.ts';
import type { GatewayConfig, GatewaySessionConfig } from './config.ts';
import type { GatewayState, SessionState, Turn } from './state.ts';

type DelayS = DelayedCancelAllCommand['delayBySeconds'];
const DELAYS_S: readonly DelayS[] = ['5', '10', '15', '20', '25', '30', '40', '50', '60'];

/** How often it is armed within its delay: two answers may be lost before it fires. */
const ARMED_PER_DELAY = 3;
/** Pause after it could not be armed or unset. */
const RETRY_MS = 1_000;
const ID = 'dead-mans-switch';

/** The switch of one account. */
export interface DeadMansSwitch {
  readonly tradingAccountId: string;
  readonly credential: string;
  readonly delayS: DelayS;
  readonly atShutdown: 'unset' | 'letFire';
  readonly sessionIds: readonly string[];
  /** When it is to be armed again, or unset; null while an answer is awaited or nothing is to do. */
  nextAt: EpochMs | null;
  /** The exchange may have it armed. */
  armed: boolean;
  commandId: string | null;
  count: number;
  /** Its last command failed, and people were told. */
  failing: boolean;
}

/** The switches that sessions ask for. @throws AssertionError if a delay is none of the exchange's, or differs on one account */
export function deadMansSwitches(config: GatewayConfig, sessions: Iterable<SessionState>): Map<string, DeadMansSwitch> {
  const switches = new Map<string, DeadMansSwitch>();
  const exclusive = new Set(config.exclusiveAccounts ?? []);
  for (const { config: session } of sessions) {
    const delayS = DELAYS_S.find((delay) => Number(delay) === session.cancelOnDisconnect.deadMansSwitchS);
    if (delayS === undefined) {
      assert((session.cancelOnDisconnect.deadMansSwitchS ?? 0) === 0, `${session.sessionId}: a delay of the exchange`);
      continue;
    }
    for (const account of session.accounts) addSwitch(switches, session, account, delayS, exclusive);
  }
  return switches;
}

function addSwitch(
  switches: Map<string, DeadMansSwitch>,
  session: GatewaySessionConfig,
  { tradingAccountId, credential }: GatewaySessionConfig['accounts'][number],
  delayS: DelayS,
  exclusive: ReadonlySet<string>,
): void {
  const { sessionId, cancelOnDisconnect } = session;
  assert(exclusive.has(tradingAccountId), `${sessionId}: account ${tradingAccountId} is declared exclusive (rule C2)`);
  const previous = switches.get(tradingAccountId);
  switches.set(tradingAccountId, {
    tradingAccountId,
    credential,
    // The most careful of several sessions decides.
    delayS: previous !== undefined && Number(previous.delayS) < Number(delayS) ? previous.delayS : delayS,
    atShutdown: previous?.atShutdown ?? cancelOnDisconnect.deadMansSwitchAtShutdown ?? 'unset',
    sessionIds: [...(previous?.sessionIds ?? []), sessionId],
    nextAt: 0,
    armed: false,
    commandId: null,
    count: 0,
    failing: false,
  });
}

/**
 * Take over what is known of switches that stay. One that no session asks for any more stays for as long as the exchange may
 * have it armed: forgotten, it would fire.
 */
export function keepSwitches(previous: ReadonlyMap<string, DeadMansSwitch>, next: Map<string, DeadMansSwitch>): void {
  for (const [id, one] of previous) {
    const { nextAt, armed, commandId, count, failing } = one;
    const kept = next.get(id);
    if (kept !== undefined) Object.assign(kept, { nextAt, armed, commandId, count, failing });
    else if (armed || commandId !== null) next.set(id, { ...one, sessionIds: [], nextAt: nextAt === null ? null : 0 });
  }
}

/** When the next one is due, or null. */
export function switchesDueAt(state: GatewayState): EpochMs | null {
  let at: EpochMs | null = null;
  for (const { nextAt, commandId, armed, sessionIds } of state.deadMansSwitches.values()) {
    if (nextAt === null || commandId !== null || (!armed && !isNeeded(state, sessionIds))) continue;
    if (at === null || nextAt < at) at = nextAt;
  }
  return at;
}

/** Whether a session that asked for it is connected, or has open orders. */
function isNeeded({ sessions, registry }: GatewayState, sessionIds: readonly string[]): boolean {
  return sessionIds.some((id) => sessions.get(id)?.isUp === true || registry.openOrderCount(id) > 0);
}

/** Arm and unset what is due; called after every input. */
export function tendSwitches(turn: Turn): void {
  const { state } = turn;
  for (const one of state.deadMansSwitches.values()) {
    if (one.commandId !== null) continue;
    if (isNeeded(state, one.sessionIds)) {
      if (one.armed && one.nextAt !== null && one.nextAt > turn.now) continue;
      if (!one.armed && one.failing && one.nextAt !== null && one.nextAt > turn.now) continue;
      arm(turn, one);
    } else if (one.armed && (!one.failing || (one.nextAt ?? 0) <= turn.now)) {
      standDown(turn, one);
    }
  }
}

function arm(turn: Turn, one: DeadMansSwitch): void {
  one.armed = true;
  const { tradingAccountId, credential, delayS } = one;
  send(turn, one, { kind: 'delayedCancelAll', delayBySeconds: delayS, cancelId: null, tradingAccountId }, credential);
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

function send(
  turn: Turn,
  one: DeadMansSwitch,
  command: DelayedCancelAllCommand | { readonly kind: 'unsetDelayedCancelAll'; readonly tradingAccountId: string },
  credential: string,
): void {
  one.count++;
  const what = command.kind === 'delayedCancelAll' ? 'arm' : 'unset';
  one.commandId = `${ID}/${one.tradingAccountId}/${what}/${turn.now}-${one.count}`;
  one.nextAt = null;
  turn.command(one.commandId, credential, command);
}

/** Take the outcome of one of its commands; false if the command is not one of them. */
export function handleSwitchOutcome(turn: Turn, commandId: string, outcome: CommandOutcome): boolean {
  if (!commandId.startsWith(`${ID}/`)) return false;
  const [, tradingAccountId = '', what] = commandId.split('/');
  const one = turn.state.deadMansSwitches.get(tradingAccountId);
  if (one?.commandId !== commandId) return true;
  one.commandId = null;
  if (outcome.kind === 'accepted') {
    one.failing = false;
    one.armed = what === 'arm';
    one.nextAt = what === 'arm' ? turn.now + Math.floor((Number(one.delayS) * 1_000) / ARMED_PER_DELAY) : null;
    return true;
  }
  // A refused arming is not armed; without an answer it may be.
  if (what === 'arm' && outcome.kind === 'refused' && outcome.httpStatus === 400) one.armed = false;
  one.nextAt = turn.now + RETRY_MS;
  if (one.failing) return true;
  one.failing = true;
  const done = what === 'arm' ? 'armed' : 'unset';
  turn.alarm('dead-mans-switch', `The dead man's switch could not be ${done}: ${outcome.message}`, null, {
    tradingAccountId,
  });
  return true;
}
