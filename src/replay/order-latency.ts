// How long the first ExecutionReport(8) of each NewOrderSingle(D) of a log took, per session.

import { AgedSet } from '../base/collections/aged-set.ts';
import { isStatusReport, type MessageView, MsgType, Tag } from '../wire/mod.ts';
import type { Direction } from './log-sessions.ts';
import type { LoggedMessage } from './logged-message.ts';
import { isAgain } from './orders/logged-order.ts';

/** Orders of a session without an answer; the oldest beyond that count as unanswered. */
const WAITING_MAX = 200_000;
export const PERCENTILES = [50, 90, 95, 99, 99.9] as const;
/** Upper ends of the histogram's buckets, in ms. */
const STEPS = [1, 2, 5];

export interface LatencyBucket {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  readonly count: number;
}

export interface SessionLatency {
  /** The way of the orders: `FIX.4.4:OMS->GATE`. */
  readonly session: string;
  readonly orders: number;
  readonly answered: number;
  /** Answered earlier than sent, by the times of the log: they count in no percentile. */
  readonly backwards: number;
  /** Null where none was answered. */
  readonly minMs: number | null;
  readonly maxMs: number | null;
  /** By nearest rank, such as `p99`. */
  readonly percentilesMs: Readonly<Record<string, number>>;
  readonly histogram: readonly LatencyBucket[];
}

class Way {
  orders = 0;
  backwards = 0;
  /** By ClOrdID, when the D was written. */
  readonly waiting = new Map<string, number>();
  readonly ages = new AgedSet<string>();
  /** By ms: a day has few values, and many orders. */
  readonly counts = new Map<number, number>();
}

export class OrderLatency {
  private readonly ways = new Map<string, Way>();

  /** A message of the log, in its order. One without a time is passed over. */
  add({ view, at }: LoggedMessage, way: Direction): void {
    if (view === null || at === null) return;
    if (view.msgType === MsgType.NewOrderSingle) this.order(view, at, way.name);
    else if (view.msgType === MsgType.ExecutionReport) this.answer(view, at, way.opposite);
  }

  private order(view: MessageView, at: number, name: string): void {
    const clOrdID = view.string(Tag.ClOrdID);
    let way = this.ways.get(name);
    if (way === undefined) {
      way = new Way();
      this.ways.set(name, way);
    }
    if (clOrdID === null || isAgain(view) || way.waiting.has(clOrdID)) return;
    way.orders++;
    way.waiting.set(clOrdID, at);
    way.ages.add(clOrdID);
    if (way.ages.size > WAITING_MAX) way.waiting.delete(way.ages.takeOldest()!);
  }

  private answer(view: MessageView, at: number, name: string): void {
    const clOrdID = view.string(Tag.ClOrdID);
    const way = this.ways.get(name);
    const sentAt = clOrdID === null ? undefined : way?.waiting.get(clOrdID);
    if (way === undefined || clOrdID === null || sentAt === undefined || isAgain(view) || isStatusReport(view)) return;
    way.waiting.delete(clOrdID);
    way.ages.delete(clOrdID);
    const ms = at - sentAt;
    if (ms < 0) way.backwards++;
    else way.counts.set(ms, (way.counts.get(ms) ?? 0) + 1);
  }

  /** Sessions that sent orders, in the order of the log. */
  sessions(): SessionLatency[] {
    return [...this.ways].map(([session, { orders, backwards, counts }]) => {
      const sorted = [...counts].sort(([a], [b]) => a - b);
      const timed = sorted.reduce((sum, [, count]) => sum + count, 0);
      return {
        session,
        orders,
        answered: timed + backwards,
        backwards,
        minMs: sorted[0]?.[0] ?? null,
        maxMs: sorted.at(-1)?.[0] ?? null,
        percentilesMs: Object.fromEntries(
          timed === 0 ? [] : PERCENTILES.map((percent) => [`p${percent}`, percentile(sorted, timed, percent)]),
        ),
        histogram: histogram(sorted),
      };
    });
  }
}

type Counts = readonly (readonly [ms: number, count: number])[];

function percentile(sorted: Counts, total: number, percent: number): number {
  // In thousandths: 99.9 has no exact binary value.
  const rank = Math.ceil((total * Math.round(percent * 10)) / 1000);
  let seen = 0;
  for (const [ms, count] of sorted) {
    seen += count;
    if (seen >= rank) return ms;
  }
  return sorted.at(-1)![0];
}

/** From the bucket of the least value to that of the greatest, empty ones between them included. */
function histogram(sorted: Counts): LatencyBucket[] {
  const buckets: { fromMs: number; toMs: number; count: number }[] = [];
  let [fromMs, i] = [0, 0];
  for (let power = 1; i < sorted.length; power *= 10) {
    for (const step of STEPS) {
      const toMs = step * power;
      let count = 0;
      for (; i < sorted.length && sorted[i]![0] < toMs; i++) count += sorted[i]![1];
      if (count > 0 || (buckets.length > 0 && i < sorted.length)) buckets.push({ fromMs, toMs, count });
      fromMs = toMs;
    }
  }
  return buckets;
}
