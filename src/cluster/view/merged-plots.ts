// Measurements of several partitions as one: counts and rates are added up, of times the slowest partition counts. Pure.

import type { EpochMs } from '../../base/time.ts';

/** Samples as one partition gives them. */
export interface Plots {
  readonly stepMs: number;
  readonly at: readonly EpochMs[];
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
}

const ADDED = /^(?:messages|orders)\./;

/** The begin of the step behind `after`, which partitions are asked for: each samples at a time of its own within a step. */
export function askedAfter(after: EpochMs, stepMs: number): EpochMs {
  return after === 0 ? 0 : after + stepMs - 1;
}

/** Join samples by step. A step that is not over is left for the next time. */
export function mergedPlots(plots: readonly Plots[], stepMs: number, now: EpochMs): Plots {
  const steps = new Map<EpochMs, Map<string, number>>();
  const names = new Set<string>();
  // Each partition has sampled within a step and the next one.
  const end = Math.floor((now - stepMs) / stepMs) * stepMs;
  for (const { at, series } of plots) {
    for (const [nth, time] of at.entries()) {
      const step = Math.floor(time / stepMs) * stepMs;
      if (step >= end) continue;
      const values = steps.get(step) ?? new Map<string, number>();
      steps.set(step, values);
      for (const [name, all] of Object.entries(series)) {
        names.add(name);
        const value = all[nth] ?? null;
        const known = values.get(name);
        if (value === null) continue;
        values.set(name, known === undefined ? value : ADDED.test(name) ? known + value : Math.max(known, value));
      }
    }
  }
  const order = [...steps.keys()].sort((a, b) => a - b);
  const series: Record<string, (number | null)[]> = {};
  for (const name of names) series[name] = order.map((step) => steps.get(step)?.get(name) ?? null);
  return { stepMs, at: order, series };
}
