// The fills of an order that has very many: which trades were counted is recorded a hundred at a time, by themselves, and the
// order's own record names only those since. Else each fill would write all fills before it anew. Once the order is done, its
// record has all of them, and these are gone.

import { keyOf, type Order, tradesOf } from './order.ts';
import { encodeRecord } from './order-record.ts';
import type { OrderRegistry } from './order-registry.ts';
import type { TradesRecord } from './record-kinds.ts';

const TRADES_PER_RECORD = 100;

/** Receiver of records: the turn (state.ts). */
interface Recorder {
  record(sessionId: string, key: string, record: string, ended?: readonly string[]): void;
}

/** Record trades of an order that is about to be recorded by themselves, where its record would grow too long. */
export function recordTrades(turn: Recorder, order: Order): void {
  const { tradeIds } = order;
  if (!(tradeIds instanceof Set) || tradeIds.size - order.tradesRecorded < TRADES_PER_RECORD) return;
  const all = [...tradeIds];
  while (all.length - order.tradesRecorded >= TRADES_PER_RECORD) {
    const first = order.tradesRecorded;
    put(turn, order, first, all.slice(first, first + TRADES_PER_RECORD));
    order.tradesRecorded += TRADES_PER_RECORD;
  }
}

/** The record of the order has all its trades from now on, or there is none any more. */
export function gatherTrades(turn: Recorder, order: Order): void {
  for (let first = 0; first < order.tradesRecorded; first += TRADES_PER_RECORD) put(turn, order, first, []);
  order.tradesRecorded = 0;
}

function put(turn: Recorder, order: Order, first: number, tradeIds: readonly string[]): void {
  const { sessionId } = order;
  const orderKey = keyOf(order);
  const key = `trades|${orderKey}|${first}`;
  const record: TradesRecord = { kind: 'trades', key, sessionId, orderKey, first, tradeIds };
  turn.record(sessionId, key, encodeRecord(record), tradeIds.length === 0 ? [] : undefined);
}

/** Give recovered orders the trades that were recorded by themselves. */
export function recoverTrades(registry: OrderRegistry, records: readonly TradesRecord[]): void {
  if (records.length === 0) return;
  const byOrder = Map.groupBy(records, ({ orderKey }) => orderKey);
  for (const order of registry.all()) {
    if (order.tradesRecorded === 0) continue;
    const own = byOrder.get(keyOf(order)) ?? [];
    const recorded = own.sort((a, b) => a.first - b.first).flatMap(({ tradeIds }) => tradeIds);
    order.tradeIds = tradesOf([...recorded, ...(order.tradeIds ?? [])]);
    // Where some could not be read, those that are there are recorded anew.
    if (recorded.length !== order.tradesRecorded) order.tradesRecorded = 0;
  }
}
