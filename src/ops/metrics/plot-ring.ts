// The last hour of measurements in memory, for the plots of the console: one sample every two seconds, bounded whatever happens.
// Prometheus keeps what is older, if there is one (metrics.ts).

import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Administration } from '../../administration/mod.ts';
import type { EpochMs } from '../../base/time.ts';
import type { EngineObserver, OrderTimes } from '../../runtime/mod.ts';
import { ORDER_STAGES } from './declarations.ts';
import { stagesOf } from './order-stages.ts';

export const STEP_MS = 2_000;
const SAMPLES = 1_800;
/** Times of one step; of more, percentiles are those of the first. */
const TIMES_MAX = 20_000;
const NANOS_PER_MS = 1e6;
const PERCENTILES = { p50: 0.5, p90: 0.9, p99: 0.99, p999: 0.999 } as const;

/** Series by name, in the order of the samples. Times in milliseconds; null: nothing was measured in that step. */
export interface Plots {
  readonly stepMs: number;
  readonly at: readonly EpochMs[];
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
}

/** Times of one step, of one kind. */
class Times {
  #values: number[] = [];

  add(ms: number): void {
    if (this.#values.length < TIMES_MAX) this.#values.push(ms);
  }

  /** The percentiles since the last call, by name. */
  take(name: string, into: Map<string, number>): void {
    if (this.#values.length === 0) return;
    const sorted = Float64Array.from(this.#values).sort();
    this.#values = [];
    for (const [percentile, share] of Object.entries(PERCENTILES)) {
      const at = Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1);
      into.set(`${name}.${percentile}`, sorted[Math.max(0, at)]!);
    }
  }
}

export class PlotRing {
  readonly #administration: Administration;
  readonly #delay: ReturnType<typeof monitorEventLoopDelay>;
  readonly #timer: NodeJS.Timeout;
  readonly #at = new Float64Array(SAMPLES);
  readonly #series = new Map<string, Float64Array>();
  readonly #times = new Map<string, Times>();
  #count = 0;
  #messages = { in: 0, out: 0 };

  constructor(administration: Administration) {
    this.#administration = administration;
    this.#delay = monitorEventLoopDelay({ resolution: 10 });
    this.#delay.enable();
    this.#messages = this.#messagesSoFar();
    this.#timer = setInterval(() => this.sample(), STEP_MS).unref();
  }

  /** The part of an observer that the plots need. */
  get observer(): Pick<EngineObserver, 'committed' | 'outcome' | 'orderReported'> {
    return {
      committed: (_count, ms) => this.#timesOf('journal').add(ms),
      outcome: (_kind, ms) => this.#timesOf('exchange').add(ms),
      orderReported: (times) => this.#order(times),
    };
  }

  /** Take one sample, as every two seconds. */
  sample(): void {
    const values = new Map<string, number>();
    const { in: before, out: sentBefore } = this.#messages;
    this.#messages = this.#messagesSoFar();
    values.set('messages.in', Math.max(0, this.#messages.in - before) / (STEP_MS / 1000));
    values.set('messages.out', Math.max(0, this.#messages.out - sentBefore) / (STEP_MS / 1000));
    for (const [name, times] of this.#times) times.take(name, values);
    const { pendingNew, new: open, partiallyFilled } = this.#administration.orders.counts();
    values.set('orders.pendingNew', pendingNew).set('orders.new', open).set('orders.partiallyFilled', partiallyFilled);
    const { mean, max } = this.#delay;
    values.set('loop.p99', this.#delay.percentile(99) / NANOS_PER_MS).set('loop.max', max / NANOS_PER_MS);
    values.set('loop.mean', mean / NANOS_PER_MS);
    this.#delay.reset();
    this.#keep(values);
  }

  /** Samples later than `after`, the oldest first. */
  plots(after: EpochMs): Plots {
    const first = Math.max(0, this.#count - SAMPLES);
    const wanted: number[] = [];
    for (let n = first; n < this.#count; n++) if (this.#at[n % SAMPLES]! > after) wanted.push(n % SAMPLES);
    const series: Record<string, (number | null)[]> = {};
    for (const [name, ring] of this.#series)
      series[name] = wanted.map((slot) => (Number.isNaN(ring[slot]!) ? null : Number(ring[slot]!.toPrecision(4))));
    return { stepMs: STEP_MS, at: wanted.map((slot) => this.#at[slot]!), series };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#delay.disable();
  }

  #order(times: OrderTimes): void {
    this.#timesOf('order').add(times.reportedAt - times.readAt);
    const spent = stagesOf(times);
    if (spent !== null)
      for (const stage of ORDER_STAGES) this.#timesOf(`stage.${stage}`).add(Math.max(0, spent[stage]));
  }

  #timesOf(name: string): Times {
    let times = this.#times.get(name);
    if (times === undefined) {
      times = new Times();
      this.#times.set(name, times);
    }
    return times;
  }

  #keep(values: ReadonlyMap<string, number>): void {
    const slot = this.#count % SAMPLES;
    this.#at[slot] = this.#administration.now();
    for (const [name, value] of values) {
      const ring = this.#series.get(name) ?? new Float64Array(SAMPLES).fill(Number.NaN);
      this.#series.set(name, ring);
      ring[slot] = value;
    }
    for (const [name, ring] of this.#series) if (!values.has(name)) ring[slot] = Number.NaN;
    this.#count++;
  }

  #messagesSoFar(): { in: number; out: number } {
    const sum = { in: 0, out: 0 };
    for (const counts of this.#administration.messageCounts()) {
      for (const direction of ['in', 'out'] as const)
        for (const count of counts[direction].values()) sum[direction] += count;
    }
    return sum;
  }
}
