// Properties that print their seed at any end of their test: fast-check names it with a counterexample, but a test that
// runs out of time has none.

import process from 'node:process';
import fc from 'fast-check';
import { onTestFailed } from 'vitest';

/** Check a property, `runs` times unless CROSSGATE_RUNS says how often; CROSSGATE_SEED repeats a run. */
export function checkProperty<Ts>(property: fc.IRawProperty<Ts, false>, runs = 100): void {
  fc.assert(property, { numRuns: runsOr(runs), seed: seedOfTest() });
}

/** The same of a property that awaits. */
export async function checkAsyncProperty<Ts>(property: fc.IAsyncProperty<Ts>, runs = 100): Promise<void> {
  await fc.assert(property, { numRuns: runsOr(runs), seed: seedOfTest() });
}

/** A seed, another one each time unless CROSSGATE_SEED is set; printed when the requesting test fails. */
export function seedOfTest(): number {
  const seed = Number(process.env.CROSSGATE_SEED ?? Date.now() % 1_000_000_000);
  onTestFailed(() => console.error(`seed ${seed}: CROSSGATE_SEED=${seed} repeats it`));
  return seed;
}

function runsOr(runs: number): number {
  return Number(process.env.CROSSGATE_RUNS ?? runs);
}
