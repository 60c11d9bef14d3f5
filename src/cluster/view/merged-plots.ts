// Measurements of several partitions as one: counts and rates are added up, of times the slowest partition counts, and is named. Pure.

import type { EpochMs } from '../../base/time.ts';

/** Samples as one partition gives them. */
export interface Plots {
  readonly stepMs: number;
  readonly at: readonly EpochMs[];
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
}

export interface MergedPlots extends Plots {
  /** The partition with the longest time in the last step that has one, for each series of times. */
  readonly slowest: Readonly<Record<string, string>>;
}

const ADDED = /^(?:messages|orders)\./;

/** The begin of the step behind `after`, which partitions are asked for: each samples at a time of its own within a step. */
export function askedAfter(after: EpochMs, stepMs: number): EpochMs {
  return after === 0 ? 0 : after + stepMs - 1;
}

interface Value {
  readonly value: number;
  readonly partition: string;
}

/** Join samples by step. A step that is not over is left for the next time. */
export function mergedPlots(
  parts: readonly { readonly name: string; readonly plots: Plots }[],
  stepMs: number,
  now: EpochMs,
): MergedPlots {
  const steps = new Map<EpochMs, Map<string, Value>>();
  const names = new Set<string>();
  // Each partition has sampled within a step and the next one.
  const end = Math.floor((now - stepMs) / stepMs) * stepMs;
  for (const { name: partition, plots } of parts) {
    for (const [nth, time] of plots.at.entries()) {
      const step = Math.floor(time / stepMs) * stepMs;
      if (step >= end) continue;
      const values = steps.get(step) ?? new Map<string, Value>();
      steps.set(step, values);
      for (const [name, all] of Object.entries(plots.series)) {
        names.add(name);
        const value = all[nth] ?? null;
        if (value !== null) values.set(name, joined(name, values.get(name), { value, partition }));
      }
    }
  }
  const order = [...steps.keys()].sort((a, b) => a - b);
  const series: Record<string, (number | null)[]> = {};
  const slowest: Record<string, string> = {};
  for (const name of names) {
    const values = order.map((step) => steps.get(step)?.get(name) ?? null);
    series[name] = values.map((one) => one?.value ?? null);
    const last = values.findLast((one) => one !== null);
    if (last && !ADDED.test(name)) slowest[name] = last.partition;
  }
  return { stepMs, at: order, series, slowest };
}

function joined(name: string, known: Value | undefined, one: Value): Value {
  if (known === undefined) return one;
  if (ADDED.test(name)) return { ...known, value: known.value + one.value };
  return one.value > known.value ? one : known;
}
