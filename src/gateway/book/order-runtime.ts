// Run-time state of an order beyond its record: timers, look-ups, commands under way. It restarts empty. Most orders
// rest and have no such state: they share one object until they need their own.

import type { EpochMs } from '../../base/time.ts';
import type { ExchangeErrorNotice, ExchangeTrade } from '../../exchange/mod.ts';
import type { OrderTerms } from './order-terms.ts';

/** State of a running gateway beyond the record. */
export interface OrderRun {
  pendingNewAt: EpochMs | null;
  lookupAt: EpochMs | null;
  endAt: EpochMs | null;
  alarmAt: EpochMs | null;
  /** When `cancelWanted` is sent again, and how often it was. */
  cancelAgainAt: EpochMs | null;
  cancelAttempts: number;
  /** The earliest of them, as queued in the timer heap. */
  dueAt: EpochMs | null;
  /** Its place there among those of the same time; 0 before it has one. */
  duePlace: number;
  lookupId: string | null;
  /** The record's part for these terms (order-record.ts). */
  head: { readonly terms: OrderTerms; readonly json: string } | null;
  lookups: number;
  /** The latest request without an answer when the look-up under way began; null if the order itself was asked for. */
  lookedUpRequest: number | null;
  /** When that look-up began. */
  lookedUpAt: EpochMs;
  /** The exchange mentioned the order since then: an order that the look-up misses was not there yet. */
  isHeardSince: boolean;
  /** When the exchange last said that it does not know the order; null once it speaks of it. */
  notFoundAt: EpochMs | null;
  /** When a list without times first showed an order as open that had ended here; null once that is settled. */
  suspectedAt: EpochMs | null;
  /** Reconciliation must ask the exchange about this order, even if its state is known. */
  mustAsk: boolean;
  /** Commands of this process; an earlier process's outcomes never come. */
  commandIds: readonly string[];
  /**
   * Terms replaced by a G that was reported as executed without a time of the exchange; null once other terms are seen.
   */
  replaced: OrderTerms | null;
  /** Refusals that name a command which the answers still to come may turn out to be. */
  notices: readonly ExchangeErrorNotice[];
  /** Fills that wait for the exchange's word whether the order was made larger, since when, and until when. */
  waiting: readonly ExchangeTrade[];
  waitingSince: EpochMs;
  waitingUntil: EpochMs | null;
}

const NONE: readonly string[] = [];
const NO_NOTICES: readonly ExchangeErrorNotice[] = [];
const NO_TRADES: readonly ExchangeTrade[] = [];

function newRun(): OrderRun {
  return {
    pendingNewAt: null,
    lookupAt: null,
    endAt: null,
    alarmAt: null,
    cancelAgainAt: null,
    cancelAttempts: 0,
    dueAt: null,
    duePlace: 0,
    lookupId: null,
    head: null,
    lookups: 0,
    lookedUpRequest: null,
    lookedUpAt: 0,
    isHeardSince: false,
    notFoundAt: null,
    suspectedAt: null,
    mustAsk: false,
    commandIds: NONE,
    replaced: null,
    notices: NO_NOTICES,
    waiting: NO_TRADES,
    waitingSince: 0,
    waitingUntil: null,
  };
}

/** Of every order with which nothing is under way. */
export const AT_REST: Readonly<OrderRun> = Object.freeze(newRun());

interface Running {
  run: Readonly<OrderRun>;
}

/** The order's own, to be written to; made if it was at rest. */
export function runOf(order: Running): OrderRun {
  if (order.run === AT_REST) order.run = newRun();
  return order.run;
}

/** Let go of the order's own if it says nothing. */
export function rest(order: Running): void {
  if (order.run !== AT_REST && saysNothing(order.run)) order.run = AT_REST;
}

/** The subject of a finished look-up proves nothing more. */
function saysNothing(run: Readonly<OrderRun>): boolean {
  const { pendingNewAt, lookupAt, endAt, alarmAt, cancelAgainAt, dueAt } = run;
  const isTimed =
    pendingNewAt !== null ||
    lookupAt !== null ||
    endAt !== null ||
    alarmAt !== null ||
    cancelAgainAt !== null ||
    dueAt !== null;
  if (isTimed || run.lookupId !== null || run.head !== null || run.notFoundAt !== null || run.mustAsk) return false;
  if (run.suspectedAt !== null || run.replaced !== null || run.waiting.length > 0) return false;
  return run.commandIds.length === 0 && run.lookups === 0 && run.cancelAttempts === 0;
}
