// Cancel on disconnect (rule C1): what happens to a session's open orders when it ends, after its grace time.
// Leaves the session protocol to the session room; each order is cancelled by a command of its own.

import type { EpochMs } from '../base/time.ts';
import { lockdownRefusal } from './gtx.ts';
import type { SessionEnd } from './input.ts';
import { isBeingCancelled } from './order.ts';
import { requestCancel } from './order-cancel.ts';
import { encodeRecord } from './order-record.ts';
import type { SessionState, Turn } from './state.ts';

/** Orders named in one alarm. */
const NAMED_MAX = 20;

/** Whether this end counts by the session's setting. Our own Logout and shutdown count always (rule C1). */
function counts(session: SessionState, end: SessionEnd): boolean {
  const { on } = session.config.cancelOnDisconnect;
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

/** The session ended. */
export function handleSessionDown(turn: Turn, session: SessionState, end: SessionEnd): void {
  session.lastEnd = end;
  if (!counts(session, end)) return;
  // Shutdown waits for nobody: this process will not be there when the grace time ends.
  const { graceMs } = session.config.cancelOnDisconnect;
  if (graceMs > 0 && end !== 'shutdown') setGrace(turn, session, turn.now + graceMs);
  else cancelAllOf(turn, session);
}

function setGrace(turn: Turn, session: SessionState, endsAt: EpochMs | null): void {
  if (session.graceEndsAt === endsAt) return;
  session.graceEndsAt = endsAt;
  const { sessionId } = session.config;
  const key = `grace|${sessionId}`;
  turn.record(sessionId, key, encodeRecord({ kind: 'grace', key, sessionId, endsAt }));
}

/** The session is back: a grace time that still runs keeps its orders. */
export function handleSessionUp(turn: Turn, session: SessionState): void {
  setGrace(turn, session, null);
  session.lastEnd = null;
}

/** Cancel every open order of the session that is not being cancelled already; name what cannot be. */
export function cancelAllOf(turn: Turn, session: SessionState): void {
  setGrace(turn, session, null);
  const { registry, board } = turn.state;
  const { sessionId } = session.config;
  const staying: string[] = [];
  let cancelled = 0;
  for (const order of registry.openOrders(sessionId)) {
    if (isBeingCancelled(order)) continue;
    if (lockdownRefusal(board, session, order, 'cancel') !== null) {
      staying.push(order.clOrdID);
      // Sent as soon as a phase allows it: a cross may be postponed for long.
      order.cancelWanted = 'disconnect';
      turn.touch(order);
      continue;
    }
    // Each end of the session has its own retries.
    order.run.cancelAttempts = 0;
    requestCancel(turn, order, 'disconnect', null, order.echo.senderSubID, null);
    cancelled++;
  }
  if (cancelled > 0) {
    const text = `cancel on disconnect: ${cancelled} orders`;
    turn.note('info', text, { session: sessionId, end: session.lastEnd ?? 'unknown' });
  }
  if (staying.length === 0) return;
  turn.alarm(
    'cancel-on-disconnect-incomplete',
    `${staying.length} auction orders stay open: the phase of the auction forbids cancelling them`,
    null,
    { session: sessionId, clOrdIDs: staying.slice(0, NAMED_MAX).join(',') },
  );
}
