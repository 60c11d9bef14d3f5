// Trading accounts with a dead man's switch (rule C2), by their sessions' settings, and the state of each. Leaves
// arming and unsetting them to dead-mans-switch.ts.

import { assert } from '../../base/assert.ts';
import type { EpochMs } from '../../base/time.ts';
import type { DelayedCancelAllCommand } from '../../exchange/mod.ts';
import type { GatewayConfig, GatewaySessionConfig } from '../vocabulary/config.ts';
import type { SessionState } from './session-state.ts';

type DelayS = DelayedCancelAllCommand['delayBySeconds'];
const DELAYS_S: readonly DelayS[] = ['5', '10', '15', '20', '25', '30', '40', '50', '60'];

/** A delayed cancel-all of a bridge caller on an account with a switch of its sessions (rule B5). */
export interface CallersSwitch {
  readonly who: string;
  readonly delayS: DelayS;
  readonly firesAt: EpochMs;
}

/** The switch of one account. */
export interface DeadMansSwitch {
  readonly tradingAccountId: string;
  readonly credential: string;
  readonly delayS: DelayS;
  readonly atShutdown: 'unset' | 'letFire';
  readonly sessionIds: readonly string[];
  /** When it is to be armed again, or unset; null while it is being unset or nothing is to do. */
  nextAt: EpochMs | null;
  /** The exchange may have it armed. */
  armed: boolean;
  /** The journal says so. */
  recorded: boolean;
  /** Until when an arming that it took, or may have taken, has fired; null if there is none. */
  firesBy: EpochMs | null;
  /** Its commands without an answer yet: an arming that hangs holds up no other, which would let it fire. */
  underWay: readonly string[];
  count: number;
  /** `count` as of its latest arming. */
  armCount: number;
  /** The wish of a bridge caller besides; null for none. */
  caller: CallersSwitch | null;
  /** Its last command failed, and operators were alerted. */
  failing: boolean;
}

/** Whether a session asks for a switch on its accounts. */
export function asksForSwitch({ cancelOnDisconnect }: GatewaySessionConfig): boolean {
  return (cancelOnDisconnect.deadMansSwitchS ?? 0) !== 0;
}

/** The switches that sessions ask for. @throws AssertionError if a delay is none of the exchange's, or differs on one account */
export function deadMansSwitches(config: GatewayConfig, sessions: Iterable<SessionState>): Map<string, DeadMansSwitch> {
  const switches = new Map<string, DeadMansSwitch>();
  const exclusive = new Set(config.exclusiveAccounts ?? []);
  for (const { config: session } of sessions) {
    const delayS = DELAYS_S.find((delay) => Number(delay) === session.cancelOnDisconnect.deadMansSwitchS);
    if (delayS === undefined) {
      assert(!asksForSwitch(session), `${session.sessionId}: a delay of the exchange`);
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
    atShutdown:
      previous?.atShutdown === 'letFire' ? 'letFire' : (cancelOnDisconnect.deadMansSwitchAtShutdown ?? 'unset'),
    sessionIds: [...(previous?.sessionIds ?? []), sessionId],
    nextAt: 0,
    armed: false,
    recorded: false,
    firesBy: null,
    underWay: [],
    count: 0,
    armCount: 0,
    caller: null,
    failing: false,
  });
}

/**
 * Take over the state of switches that stay. One that no session asks for any more stays for as long as the exchange
 * may have it armed, as it may while a command has no answer: forgotten, it would fire.
 */
export function keepSwitches(previous: ReadonlyMap<string, DeadMansSwitch>, next: Map<string, DeadMansSwitch>): void {
  for (const [id, one] of previous) {
    const { nextAt, armed, recorded, firesBy, underWay, count, armCount, caller, failing } = one;
    const kept = next.get(id);
    if (kept !== undefined)
      Object.assign(kept, { nextAt, armed, recorded, firesBy, underWay, count, armCount, caller, failing });
    else if (armed) next.set(id, { ...one, sessionIds: [], nextAt: nextAt === null ? null : 0 });
  }
}
