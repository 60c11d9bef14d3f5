// Properties whose seed is told whatever ends their test: fast-check names it with a counterexample, but a test that runs out
// of time has none.

import process from 'node:process';
import fc from 'fast-check';
import { onTestFailed } from 'vitest';

/** Check a property, `runs` times unless CROSSGATE_RUNS says how often; CROSSGATE_SEED repeats a run. */
export function checkProperty<Ts>(property: fc.IRawProperty<Ts, false>, runs: number): void {
  const seed = Number(process.env.CROSSGATE_SEED ?? Date.now() % 1_000_000_000);
  onTestFailed(() => console.error(`seed ${seed}: CROSSGATE_SEED=${seed} repeats it`));
  fc.assert(property, { numRuns: Number(process.env.CROSSGATE_RUNS ?? runs), seed });
}
