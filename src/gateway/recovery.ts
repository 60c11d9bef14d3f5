// Start-up: orders from their last records, and the queries to repeat (rules U2, O5). Timers begin with the first
// input, because only inputs bring the time.

import { unreachable } from '../base/assert.ts';
import { isDone, isTerminal, type Order } from './book/order.ts';
import { decodeRecord } from './book/order-record.ts';
import { runOf } from './book/order-runtime.ts';
import type { GatewayRecord, ReferencesRecord, TradesRecord } from './book/record-kinds.ts';
import { recoverTrades } from './book/trade-records.ts';
import { enterKillSwitch } from './lifecycle/kill-switch.ts';
import { recoverCancels } from './requests/cancel-many.ts';
import { sendStatusesLater } from './requests/status-request.ts';
import { rejectRecovered } from './requests/throttled-message.ts';
import { recoverSwitch } from './rules/dead-mans-switch.ts';
import { ELSEWHERE } from './state/drop-copy-scope.ts';
import type { SessionState } from './state/session-state.ts';
import type { GatewayState, Turn } from './state/state.ts';
import { unreadableRecord } from './state/unreadable-record.ts';
import { namesIn } from './vocabulary/one-or-many.ts';

/**
 * Enter the recorded orders; unreadable ones are kept as such.
 * @param lostBytes how many bytes of the journal are lost: references may have been given out there
 */
export function recover(state: GatewayState, records: ReadonlyMap<string, string>, lostBytes: number): void {
  const ceilings: ReferencesRecord[] = [];
  const trades: TradesRecord[] = [];
  let lost = lostBytes;
  for (const [key, text] of records) {
    let reason = 'it was written by another version';
    try {
      const record = decodeRecord(text, state.registry.parts);
      if (record !== null) {
        if (record.kind === 'trades') trades.push(record);
        else enter(state, record, ceilings);
        continue;
      }
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
    lost += text.length;
    const unreadable = unreadableRecord(key, text, reason, state.sessions.keys());
    state.unreadable.set(key, unreadable);
    state.registry.keepUsed(unreadable.keys);
  }
  recoverTrades(state.registry, trades);
  // The orders say less: those that ended are not among them.
  for (const ceiling of ceilings) state.allocator.recover(ceiling);
  if (lost > 0) state.allocator.skip(lost);
}

function enter(state: GatewayState, record: Exclude<GatewayRecord, TradesRecord>, ceilings: ReferencesRecord[]): void {
  switch (record.kind) {
    case 'massCancel':
      state.registry.addMassCancel(record.sessionId, record.clOrdID);
      return;
    case 'killSwitch':
      enterKillSwitch(state, record);
      return;
    case 'plannedStop':
      if (record.stopAt > 0) state.plannedStop = record;
      return;
    case 'cancelChoice':
      if (record.cancels !== null) state.cancelChoices.set(record.sessionId, record.cancels);
      return;
    case 'deadMansSwitch':
      recoverSwitch(state, record);
      return;
    case 'references':
      // Recovered after all orders; invalid numbers show now.
      BigInt(record.ceiling);
      ceilings.push(record);
      return;
    case 'adopted':
      state.allocator.recoverAdopted(record.tradingAccountId, record.references);
      return;
    case 'held':
      if (record.frame !== null) state.recoveredHeld.push(record);
      return;
    case 'list':
      state.registry.keepList(record);
      return;
    case 'untold':
      if (record.first < record.next) state.untold.set(record.sessionId, record);
      return;
    case 'untoldReport':
      state.registry.keepRecord(record);
      return;
    case 'cancels':
    case 'statuses':
      if (record.orders.length > 0) state.recoveredPieces.push(record);
      return;
    case 'grace':
      if (record.endsAt !== null) state.gracesAside.push(record);
      return;
    case 'status':
      if (state.sessions.has(record.sessionId)) state.unasked.recover(record);
      return;
    case 'liquidations':
      state.dropCopies.recover(record, state.sessions.has(record.sessionId));
      return;
    case 'copied':
      state.dropCopies.recoverNamed(record, (sessionId) => state.sessions.has(sessionId));
      return;
    case 'order':
      enterOrder(state, record.order);
      return;
    default:
      unreachable(record);
  }
}

function enterOrder(state: GatewayState, order: Order): void {
  for (const reference of namesIn(order.references)) state.allocator.observe(order.tradingAccountId, reference);
  // Whatever was under way when the process ended has no known outcome.
  if (order.stage === 'submitted') order.stage = 'unknown';
  for (const request of order.requests) if (request.stage === 'submitted') request.stage = 'unknown';
  state.registry.add(order);
  if (isDone(order)) state.unkeyed.push(order);
  // Its own login, by the nonces that sent it, unless that no longer reaches the account: keys are exchanged, and
  // logins renamed, while orders rest.
  const account = state.accounts.get(order.tradingAccountId);
  if (account === undefined) state.account(order.tradingAccountId, order.credential);
  else if (!account.credentials.has(order.credential)) order.credential = state.credentialOf(order.sessionId, account);
}

/**
 * Set aside the unreadable records of a session, or with null all of them: they no longer keep sessions out. Their keys
 * stay used.
 */
export function putAside(turn: Turn, sessionId: string | null): void {
  for (const record of turn.state.unreadable.values()) {
    if (sessionId !== null && record.sessionId !== sessionId) continue;
    turn.record(record.sessionId ?? '', record.key, record.text, record.keys);
  }
}

/** Arm the timers of recovered orders: each without a known outcome is looked up at once. */
export function rearmRecovered(turn: Turn): void {
  const { state } = turn;
  for (const { sessionId, key, reason } of state.unreadable.values()) {
    if (sessionId !== ELSEWHERE) continue;
    turn.alarm('record-unreadable', `The record ${key}, of an external order: ${reason}`, null);
  }
  putAside(turn, ELSEWHERE);
  rejectRecovered(turn);
  for (const record of state.recoveredPieces.splice(0)) {
    if (record.kind === 'cancels') recoverCancels(turn, record);
    else sendStatusesLater(turn, record);
  }
  for (const sessionId of [ELSEWHERE, ...state.registry.sessionsWithOpenOrders()]) {
    const open = state.registry.openOrders(sessionId);
    if (open.size > 0) alarmOutOfReach(turn, sessionId);
    for (const order of open) if (!isTerminal(order.state)) rearmOpen(turn, order, state.sessions.get(sessionId));
  }
  for (const order of state.registry.all()) if (isTerminal(order.state) && !isDone(order)) rearmEnded(turn, order);
}

/** Open orders of a session that is gone, or that cannot cancel them. */
function alarmOutOfReach(turn: Turn, sessionId: string): void {
  const session = turn.state.sessions.get(sessionId);
  const isDropCopy = session?.config.kind === 'dropCopy';
  if (sessionId === ELSEWHERE || (session !== undefined && !isDropCopy)) return;
  const what = isDropCopy ? 'that is a drop copy now, and cannot cancel them' : 'that is not configured';
  turn.alarm('session-missing', `Open orders belong to a session ${what}`, null, { session: sessionId });
}

function rearmOpen(turn: Turn, order: Order, session: SessionState | undefined): void {
  const run = runOf(order);
  const { steady } = turn;
  const { config } = turn.state;
  if (order.state === 'A' || order.requests.length > 0 || order.end !== null) {
    run.lookupAt = steady;
    run.alarmAt = steady + config.pendingAlarmMs;
  }
  // The clock may have been set back since: look-ups from now on are later than the answer.
  for (const request of order.requests) {
    if ((request.acknowledgedAt ?? 0) > steady) request.acknowledgedAt = steady;
  }
  if (order.cancelWanted !== null) run.cancelAgainAt = steady;
  if (order.end !== null) run.endAt = steady + config.terminalWaitMs;
  if (order.state === 'A' && !order.pendingNewReported && session?.isVenue === false) {
    run.pendingNewAt = steady + session.config.pendingNewAfterMs;
  }
  turn.rearm(order);
}

/** It ended here, but works on at the exchange and is being cancelled there, or fills of it are missing (rules O1, U2). */
function rearmEnded(turn: Turn, order: Order): void {
  const run = runOf(order);
  run.lookupAt = turn.steady;
  if (order.requests.length > 0) run.alarmAt = turn.steady + turn.state.config.pendingAlarmMs;
  if (order.cancelWanted !== null) run.cancelAgainAt = turn.steady;
  turn.rearm(order);
}
