// The long campaign of simulated days: `npm run nightly -- simulation [days] [workers] [minutes]`, 20,000 days by default, on
// two workers, without an end in time. It goes on where the last run stopped: the days that held stand in simulation.json
// with the commit that simulated them. A failing day is printed, shrunk, and kept in test/simulation/kept-seeds.ts.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { CampaignRecord } from '../simulation/campaign-record.ts';
import { addTally, describe, newTally, silent } from '../simulation/tally.ts';
import type { Assignment, Report } from '../simulation/worker.ts';

const SIMULATION = join(import.meta.dirname, '..', 'simulation');
const RECORD = join(import.meta.dirname, 'simulation.json');
const STEPS = 5_000;
const DAYS_DEFAULT = 20_000;
/** Beyond the seeds of `npm test`. */
const FIRST_SEED = 1_000_001;
const BATCH = 25;
const DAYS_PER_LINE = 250;
/** Failures after which going on says nothing new. */
const FAILURES_MAX = 20;
/** Days make much that is soon garbage: with room for it the collector copies less. */
const YOUNG_GENERATION_MB = 128;

/** Add lines to the list of kept seeds, unless they are there. */
function keep(lines: readonly string[]): void {
  const path = join(SIMULATION, 'kept-seeds.ts');
  const text = readFileSync(path, 'utf8');
  const added = lines.filter((line) => !text.includes(line));
  const end = text.lastIndexOf('];');
  const list = `${text.slice(0, end).trimEnd()}\n${added.join('\n')}`;
  if (added.length > 0) writeFileSync(path, `${list}\n${text.slice(end)}`);
}

/** The commit of the simulated code. */
function presentCommit(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: SIMULATION, encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--', '../../src', '.') !== '';
  return `${git('rev-parse', '--short', 'HEAD')}${changed ? '+' : ''}`;
}

/** Days to simulate, in batches: seeds from the first on that did not hold yet. */
function* assignments(record: CampaignRecord, days: number): Generator<Assignment> {
  let from = FIRST_SEED;
  for (let left = days - record.count; left > 0; ) {
    while (record.has(from)) from++;
    let count = 1;
    while (count < Math.min(BATCH, left) && !record.has(from + count)) count++;
    yield { from, count, steps: STEPS };
    from += count;
    left -= count;
  }
}

export async function run([days, workers, minutes]: readonly string[]): Promise<boolean> {
  const wanted = Number(days ?? DAYS_DEFAULT);
  const workersMax = Number(workers ?? 2);
  const until = performance.now() + Number(minutes ?? Number.POSITIVE_INFINITY) * 60_000;
  if (!(wanted > 0) || !(workersMax > 0) || Number.isNaN(until)) {
    throw new Error('usage: npm run nightly -- simulation [days] [workers] [minutes]');
  }
  const record = new CampaignRecord(RECORD);
  const commit = presentCommit();
  const todo = assignments(record, wanted);
  const tally = newTally();
  let failures = 0;
  let announced = 0;
  console.log(`${record.count} of ${wanted} days of at least ${STEPS} steps held before; going on at ${commit}`);

  const take = (): Assignment | null => {
    if (failures >= FAILURES_MAX || performance.now() > until) return null;
    const next = todo.next();
    return next.done === true ? null : next.value;
  };
  const report = ({ from, count }: Assignment, part: Report): void => {
    addTally(tally, part.tally);
    record.add(from, count, commit, new Set(part.failures.map(({ seed }) => seed)), part.tally);
    for (const { seed, keptLine, text } of part.failures) {
      failures++;
      console.log(`seed ${seed} fails at ${commit}: ${text}\nkept as\n${keptLine}`);
    }
    keep(part.failures.map(({ keptLine }) => keptLine));
    if (tally.days - announced < DAYS_PER_LINE) return;
    announced = tally.days;
    console.log(`${tally.days} days now, ${record.count} of ${wanted} in all, ${failures} failing`);
  };
  await Promise.all(Array.from({ length: workersMax }, () => work(take, report)));

  console.log(`${tally.days} days now, ${failures} failing; ${record.count} of ${wanted} held in all:`);
  for (const [by, count] of record.byCommit) console.log(`  ${count} at ${by}`);
  console.log(describe(record.tally));
  const missing = silent(record.tally);
  if (missing.length > 0) console.log(`never happened: ${missing.join(', ')}`);
  return failures === 0 && missing.length === 0;
}

/** One worker at its days, until there are none to take. */
function work(take: () => Assignment | null, report: (of: Assignment, part: Report) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const limits = { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB } };
    const worker = new Worker(join(SIMULATION, 'worker.ts'), limits);
    let taken: Assignment | null = null;
    const assign = (): void => {
      taken = take();
      if (taken !== null) worker.postMessage(taken);
      else void worker.terminate().then(() => resolve());
    };
    worker.on('message', (part: Report) => {
      if (taken !== null) report(taken, part);
      assign();
    });
    worker.on('error', reject);
    assign();
  });
}
