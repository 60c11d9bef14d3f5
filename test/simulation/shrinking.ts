// A failing day made smaller: fewer kinds of faults and fewer steps, as long as it still fails.

import { FAULTS, type Fault } from './randomness.ts';
import { type SimulationOptions, type SimulationResult, simulate } from './simulation.ts';

export interface ShrunkDay {
  readonly result: SimulationResult;
  readonly steps: number;
  readonly without: readonly Fault[];
  readonly runs: number;
}

/** Runs that may be spent on one day. */
const RUNS_MAX = 120;

/**
 * Shrink a day that fails: leave out every kind of fault that it does not need, then steps. The rest may fail for
 * another reason than the first; it is a failing day all the same.
 * @param tampering made anew for every run; null for none
 */
export function shrink(seed: number, options: SimulationOptions, tampering: (() => object) | null = null): ShrunkDay {
  const without = new Set<Fault>(options.without);
  let { steps } = options;
  let runs = 0;
  const attempt = (tried: number, leftOut: ReadonlySet<Fault>): SimulationResult => {
    runs++;
    return simulate(seed, { steps: tried, without: leftOut, tampering: tampering?.() ?? {} });
  };
  let result = attempt(steps, without);
  const keep = (next: SimulationResult): boolean => {
    if (next.failure === null) return false;
    result = next;
    steps = Math.min(steps, next.failure.step);
    return true;
  };
  if (!keep(result)) return { result, steps, without: [...without], runs };
  for (const fault of FAULTS) {
    if (without.has(fault) || runs >= RUNS_MAX) continue;
    if (keep(attempt(steps, new Set([...without, fault])))) without.add(fault);
  }
  // A day that fails at its end may fail with a shorter day before it.
  for (let tried = steps >> 1; tried > 10 && runs < RUNS_MAX; tried >>= 1) if (!keep(attempt(tried, without))) break;
  return { result, steps, without: [...without], runs };
}

/** The line that keeps a day in kept-seeds.ts. */
export function keptLine({ result, steps, without }: ShrunkDay): string {
  const what = (result.failure?.error.message ?? '').split(':')[0]!.replaceAll("'", '’').slice(0, 80);
  const faults = without.map((fault) => `'${fault}'`).join(', ');
  return `  { seed: ${result.seed}, steps: ${steps}, without: [${faults}], what: '${what}' },`;
}
