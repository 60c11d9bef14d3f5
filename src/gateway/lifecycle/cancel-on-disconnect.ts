// Cancel on disconnect (rule C1): the treatment of open orders when a session ends, after its grace time, by the
// session's setting and by ExecInst(18)=o (rule D3). Leaves the cancels themselves to cancel-orders.ts.

import type { EpochMs } from '../../base/time.ts';
import type { Order } from '../book/order.ts';
import { encodeRecord } from '../book/order-record.ts';
import { dropHeld, dropHeldOfLeft, rejectRecovered } from '../requests/throttled-message.ts';
import type { SessionState } from '../state/session-state.ts';
import type { GatewayState, Turn } from '../state/state.ts';
import type { CancelOnDisconnect } from '../vocabulary/config.ts';
import type { SessionEnd } from '../vocabulary/input.ts';
import { cancelOrders } from './cancel-orders.ts';

/** Orders named in one alarm. */
const NAMED_MAX = 20;

/** When its orders are cancelled: by its setting, or as its counterparty chose in the Logon. */
function cancelsOn({ cancelChoices }: GatewayState, { config }: SessionState): CancelOnDisconnect['on'] {
  const { on } = config.cancelOnDisconnect;
  const choice = cancelChoices.get(config.sessionId);
  if (choice === undefined) return on;
  if (!choice) return 'off';
  return on === 'disconnect' ? on : 'both';
}

/** Whether this end counts. Our own Logout and shutdown count always (rule C1). */
function counts(state: GatewayState, session: SessionState, end: SessionEnd): boolean {
  const on = cancelsOn(state, session);
  if (on === 'off') return false;
  switch (end) {
    case 'shutdown':
      return true;
    case 'logout':
      return on === 'logout' || on === 'both';
    case 'disconnect':
    case 'crash':
      return on === 'disconnect' || on === 'both';
  }
}

/** True if the connection was lost, which ExecInst(18)=o covers. */
function isLoss(end: SessionEnd): boolean {
  return end === 'disconnect' || end === 'crash';
}

/** A Logout(5) may have to wait for a resend, or a gap: waiting messages are not sent meanwhile (rule C1). */
export function handleSessionLeaving(
  turn: Turn,
  session: SessionState,
  by: 'us' | 'counterparty',
  forGood: boolean,
): void {
  if (session.leftBy !== 'us') session.leftBy = by;
  dropHeldOfLeft(turn, session);
  if (!forGood) return;
  session.leftForGood = true;
  // The counterparty cannot return within it.
  if (!session.isUp && turn.state.graces.has(session.config.sessionId)) cancelAllOf(turn, session);
}

/** The session ended. */
export function handleSessionDown(turn: Turn, session: SessionState, end: SessionEnd): void {
  // This process will not be there when a grace time ends.
  if (end === 'shutdown' && turn.state.graces.has(session.config.sessionId)) cancelAllOf(turn, session);
  session.lastEnd = end;
  session.isUp = false;
  dropHeld(turn, session.config.sessionId, 'the session ended');
  if (!counts(turn.state, session, end) && !isLoss(end)) return;
  const { graceMs } = session.config.cancelOnDisconnect;
  if (graceMs > 0 && end !== 'shutdown' && !session.leftForGood) setGrace(turn, session, turn.steady + graceMs);
  else cancelAllOf(turn, session);
}

function setGrace(turn: Turn, session: SessionState, endsAt: EpochMs | null): void {
  const { sessionId } = session.config;
  const { graces } = turn.state;
  if ((graces.get(sessionId) ?? null) === endsAt) return;
  if (endsAt === null) graces.delete(sessionId);
  else graces.set(sessionId, endsAt);
  const key = `grace|${sessionId}`;
  const recorded = endsAt === null ? null : turn.state.time.clockAt(endsAt);
  turn.record(
    sessionId,
    key,
    encodeRecord({ kind: 'grace', key, sessionId, endsAt: recorded, end: session.lastEnd }),
    endsAt === null ? [] : undefined,
  );
}

/**
 * Grace times that ran when the last process ended, or when the session got new settings, go on, each once its session is
 * configured. How the session ended counts at their end as it did at the beginning (rule C1).
 */
export function resumeGraces({ state, steady }: Turn): void {
  for (const record of state.gracesAside.splice(0)) {
    const session = state.sessions.get(record.sessionId);
    if (session === undefined) {
      state.gracesAside.push(record);
      continue;
    }
    session.lastEnd = record.end ?? null;
    // No grace is longer than it is set: it may be shorter now, and the clock may have been set back since (rule C1).
    const longest = steady + session.config.cancelOnDisconnect.graceMs;
    state.graces.set(record.sessionId, Math.min(record.endsAt ?? steady, longest));
  }
}

/** The session is back: a grace time that still runs keeps its orders. `cancels`: as its counterparty chose; null: nothing. */
export function handleSessionUp(turn: Turn, session: SessionState, cancels: boolean | null = null): void {
  setGrace(turn, session, null);
  choose(turn, session.config.sessionId, cancels);
  session.isUp = true;
  session.leftBy = null;
  session.leftForGood = false;
  rejectRecovered(turn);
}

function choose(turn: Turn, sessionId: string, cancels: boolean | null): void {
  const { cancelChoices } = turn.state;
  if ((cancelChoices.get(sessionId) ?? null) === cancels) return;
  if (cancels === null) cancelChoices.delete(sessionId);
  else cancelChoices.set(sessionId, cancels);
  const key = `cancels|${sessionId}`;
  const record = encodeRecord({ kind: 'cancelChoice', key, sessionId, cancels });
  turn.record(sessionId, key, record, cancels === null ? [] : undefined);
}

/**
 * Cancel the orders that the session's setting covers and that are not being cancelled already; return them, and name
 * those that cannot be.
 */
export function cancelAllOf(turn: Turn, session: SessionState): void {
  setGrace(turn, session, null);
  const { sessionId } = session.config;
  // Older records of a grace time do not say how it began.
  const end = session.lastEnd ?? 'disconnect';
  const orders = new Set(counts(turn.state, session, end) ? ordersOf(turn, session) : []);
  if (isLoss(end)) for (const order of ordersThatAsked(turn, session)) orders.add(order);
  const { cancelled, staying } = cancelOrders(turn, orders, 'disconnect', sessionId);
  const named = (clOrdIDs: readonly string[]): string => clOrdIDs.slice(0, NAMED_MAX).join(',');
  if (cancelled.length > 0) {
    const fields = { session: sessionId, end, clOrdIDs: named(cancelled) };
    turn.note('info', `cancel on disconnect: ${cancelled.length} orders`, fields);
  }
  if (staying.length === 0) return;
  turn.alarm(
    'cancel-on-disconnect-incomplete',
    `${staying.length} auction orders are not cancelled yet: the phase of the auction forbids it, they are as soon as it does not`,
    null,
    { session: sessionId, clOrdIDs: named(staying) },
  );
}

/** Open orders that the end of the session concerns: its own, those of them on its symbols, or its own and all on its accounts. */
function* ordersOf(turn: Turn, session: SessionState): Generator<Order> {
  const { registry } = turn.state;
  const { sessionId, accounts, cancelOnDisconnect } = session.config;
  const { scope = 'session', symbols = [] } = cancelOnDisconnect;
  if (scope !== 'account') {
    for (const order of registry.openOrders(sessionId)) {
      if (scope === 'symbols' && !symbols.includes(order.terms.exchangeSymbol)) continue;
      yield order;
    }
    return;
  }
  const tradingAccountIds = new Set(accounts.map(({ tradingAccountId }) => tradingAccountId));
  for (const owner of registry.sessionsWithOpenOrders()) {
    for (const order of registry.openOrders(owner)) {
      // Its own on an account that was taken off its list since, too.
      if (owner === sessionId || tradingAccountIds.has(order.tradingAccountId)) yield order;
    }
  }
}

/** Orders that asked for it with ExecInst(18)=o, whatever the session's setting says (rule D3). */
function* ordersThatAsked(turn: Turn, session: SessionState): Generator<Order> {
  for (const order of turn.state.registry.openOrders(session.config.sessionId)) {
    if (order.terms.cancelOnLoss === true) yield order;
  }
}
