// One worker of the campaign: simulates the seeds that it is given and says what came of them.

import { parentPort } from 'node:worker_threads';
import { keptLine, shrink } from './shrinking.ts';
import { simulate } from './simulation.ts';
import { addDay, newTally, type Tally } from './tally.ts';

export interface Assignment {
  readonly from: number;
  readonly count: number;
  readonly steps: number;
}

export interface Report {
  readonly tally: Tally;
  readonly failures: readonly { readonly seed: number; readonly keptLine: string; readonly text: string }[];
}

parentPort?.on('message', ({ from, count, steps }: Assignment) => {
  const tally = newTally();
  const failures: Report['failures'][number][] = [];
  for (let seed = from; seed < from + count; seed++) {
    const day = simulate(seed, { steps });
    addDay(tally, day);
    if (day.failure === null) continue;
    const text = `step ${day.failure.step}: ${day.failure.error.stack ?? day.failure.error.message}`;
    failures.push({ seed, keptLine: keptLine(shrink(seed, { steps })), text });
  }
  parentPort?.postMessage({ tally, failures } satisfies Report);
});
