// The kill switch (rule O12). One operator throws it for a session, an account or everything: it cancels open orders
// one by one and refuses new ones, across restarts. Lifting takes two operators. The admin API identifies them.

import type { EpochMs } from '../../base/time.ts';
import type { Order } from '../book/order.ts';
import { encodeRecord } from '../book/order-record.ts';
import type { KillSwitchRecord } from '../book/record-kinds.ts';
import { covers } from '../rules/kill-switch-check.ts';
import type { GatewayState, Turn } from '../state/state.ts';
import type { KillSwitchScope } from '../vocabulary/input.ts';
import { cancelOrders } from './cancel-orders.ts';

/** How long the word of the first of the two people counts. */
export const LIFT_ASKED_MS = 900_000;
/** Orders named in one alarm. */
const NAMED_MAX = 20;

/** A kill switch that is on. */
export interface KillSwitchView {
  readonly scope: KillSwitchScope;
  /** SessionID or trading account id; empty for everything. */
  readonly name: string;
  readonly thrownBy: string;
  readonly thrownAt: number;
  readonly why: string;
  /** The operator who asked to lift it, while the request is valid; a second operator must confirm in that time. */
  readonly liftAskedBy: string | null;
  readonly liftAskedAt: EpochMs | null;
  /** When that lapses. */
  readonly liftAskedUntil: EpochMs | null;
  /** Orders in its scope that are still open. */
  readonly openOrders: number;
}

interface KillSwitchAction {
  readonly scope: KillSwitchScope;
  readonly name: string;
  readonly who: string;
  readonly why: string;
}

const keyOf = (scope: KillSwitchScope, name: string): string => `kill|${scope}|${name}`;

/** Throw a switch: everything in its scope is cancelled and refused from now on. Thrown again, it cancels again. */
export function throwKillSwitch(turn: Turn, { scope, name, who, why }: KillSwitchAction): void {
  const { state } = turn;
  const key = keyOf(scope, name);
  const previous = state.killSwitches.get(key);
  const record: KillSwitchRecord = {
    kind: 'killSwitch',
    key,
    scope,
    name,
    thrownBy: previous?.thrownBy ?? who,
    thrownAt: previous?.thrownAt ?? turn.now,
    why: previous?.why ?? why,
    // Throwing it again withdraws a request to lift it.
    liftAskedBy: null,
    liftAskedAt: null,
    on: true,
  };
  keep(turn, record);
  const { cancelled, staying, underWay } = cancelOrders(turn, ordersIn(state, scope, name), 'kill');
  const where = scope === 'all' ? 'everything' : `${scope} ${name}`;
  const sent = `cancels sent: ${cancelled.length}, already on their way: ${underWay}`;
  const held = staying.length === 0 ? '' : `; auction orders that cannot be cancelled in this phase: ${staying.length}`;
  turn.alarm(
    'kill-switch',
    `Kill switch for ${where} thrown by ${who}: ${why}; ${sent}${held}; \`crossgate kill-switch status\` counts the orders still open`,
    null,
    {
      scope,
      name,
      ...(staying.length === 0 ? {} : { clOrdIDs: staying.slice(0, NAMED_MAX).join(',') }),
    },
  );
}

/**
 * Ask to lift a switch, or lift it as the second operator. A repeated request of the same operator stays a request. An
 * old request has lapsed: both operators must judge the same market.
 */
export function liftKillSwitch(turn: Turn, { scope, name, who }: KillSwitchAction): void {
  const record = turn.state.killSwitches.get(keyOf(scope, name));
  if (record === undefined) return;
  const { liftAskedBy } = liftAsked(record, turn.now);
  if (liftAskedBy === who) return;
  if (liftAskedBy === null) {
    keep(turn, { ...record, liftAskedBy: who, liftAskedAt: turn.now });
    return;
  }
  keep(turn, { ...record, on: false });
  const where = scope === 'all' ? 'everything' : `${scope} ${name}`;
  turn.note('warn', `kill switch for ${where} lifted by ${liftAskedBy} and ${who}`, { scope, name });
}

type LiftAsked = Pick<KillSwitchView, 'liftAskedBy' | 'liftAskedAt' | 'liftAskedUntil'>;

/** A request that has not lapsed; a clock set back a little does not end it. */
function liftAsked({ liftAskedBy, liftAskedAt = null }: KillSwitchRecord, now: EpochMs): LiftAsked {
  if (liftAskedBy === null || liftAskedAt === null || Math.abs(now - liftAskedAt) >= LIFT_ASKED_MS) {
    return { liftAskedBy: null, liftAskedAt: null, liftAskedUntil: null };
  }
  return { liftAskedBy, liftAskedAt, liftAskedUntil: liftAskedAt + LIFT_ASKED_MS };
}

function keep(turn: Turn, record: KillSwitchRecord): void {
  enterKillSwitch(turn.state, record);
  turn.record(
    record.scope === 'session' ? record.name : '',
    record.key,
    encodeRecord(record),
    record.on ? undefined : [],
  );
}

/** Take a record over, new or recovered. */
export function enterKillSwitch(state: GatewayState, record: KillSwitchRecord): void {
  if (record.on) state.killSwitches.set(record.key, record);
  else state.killSwitches.delete(record.key);
}

function* ordersIn(state: GatewayState, scope: KillSwitchScope, name: string): Generator<Order> {
  const { registry } = state;
  const sessionIds = scope === 'session' ? [name] : registry.sessionsWithOpenOrders();
  for (const sessionId of sessionIds) {
    for (const order of registry.openOrders(sessionId)) {
      if (covers(scope, name, sessionId, order.tradingAccountId)) yield order;
    }
  }
}

/** The switches that are on. */
export function killSwitchViews(state: GatewayState, now: EpochMs): KillSwitchView[] {
  return [...state.killSwitches.values()].map((record) => {
    const { scope, name, thrownBy, thrownAt, why } = record;
    let openOrders = 0;
    for (const _ of ordersIn(state, scope, name)) openOrders++;
    return { scope, name, thrownBy, thrownAt, why, ...liftAsked(record, now), openOrders };
  });
}
