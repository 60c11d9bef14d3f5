// The long campaign of simulated days: `npm run nightly -- simulation [days] [first seed]`, 20,000 days by default, on two
// workers. A failing day is printed, shrunk, and kept in test/simulation/kept-seeds.ts.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { addTally, describe, newTally, silent } from '../simulation/tally.ts';
import type { Assignment, Report } from '../simulation/worker.ts';

const SIMULATION = join(import.meta.dirname, '..', 'simulation');
const STEPS = 5_000;
const DAYS_DEFAULT = 20_000;
const WORKERS = 2;
const BATCH = 50;
/** Failures after which going on says nothing new. */
const FAILURES_MAX = 20;

/** Add lines to the list of kept seeds, unless they are there. */
function keep(lines: readonly string[]): void {
  const path = join(SIMULATION, 'kept-seeds.ts');
  const text = readFileSync(path, 'utf8');
  const added = lines.filter((line) => !text.includes(line));
  const end = text.lastIndexOf('];');
  const list = `${text.slice(0, end).trimEnd()}\n${added.join('\n')}`;
  if (added.length > 0) writeFileSync(path, `${list}\n${text.slice(end)}`);
}

export async function run(args: readonly string[]): Promise<boolean> {
  const days = Number(args[0] ?? DAYS_DEFAULT);
  const first = Number(args[1] ?? Math.floor(Math.random() * 1_000_000_000));
  if (!(days > 0) || !(first >= 0)) throw new Error('usage: npm run nightly -- simulation [days] [first seed]');
  console.log(`${days} days of at least ${STEPS} steps, seeds from ${first}`);
  const tally = newTally();
  let next = first;
  let failures = 0;
  let announced = 0;
  const begun = performance.now();

  const take = (): Assignment | null => {
    const count = Math.min(BATCH, first + days - next);
    if (count <= 0 || failures >= FAILURES_MAX) return null;
    next += count;
    return { from: next - count, count, steps: STEPS };
  };
  const report = (part: Report): void => {
    addTally(tally, part.tally);
    for (const { seed, keptLine, text } of part.failures) {
      failures++;
      console.log(`seed ${seed} fails: ${text}\nkept as\n${keptLine}`);
    }
    keep(part.failures.map(({ keptLine }) => keptLine));
    if (tally.days - announced < 500 && tally.days < days) return;
    announced = tally.days;
    const minutes = (performance.now() - begun) / 60_000;
    console.log(`${tally.days} of ${days} days in ${minutes.toFixed(1)} min, ${failures} failing`);
  };
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(join(SIMULATION, 'worker.ts'));
      const assign = (): void => {
        const assignment = take();
        if (assignment !== null) worker.postMessage(assignment);
        else void worker.terminate().then(() => resolve());
      };
      worker.on('message', (part: Report) => {
        report(part);
        assign();
      });
      worker.on('error', reject);
      assign();
    });
  await Promise.all(Array.from({ length: WORKERS }, work));

  console.log(describe(tally));
  const missing = silent(tally);
  if (missing.length > 0) console.log(`never happened: ${missing.join(', ')}`);
  return failures === 0 && missing.length === 0;
}
