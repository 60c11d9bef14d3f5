// Random days in virtual time under any failure. Each order reaches the exchange at most once, CumQty is the sum of
// fills, a terminal order stays terminal (O1), and acknowledged data survives every crash. Numbers are contiguous and
// never go back, each fill is reported once, and at the end OMS, gateway and exchange agree on every order. A failing
// seed is printed with the line that keeps it; `npm run nightly -- simulation` runs many more of them.

import { afterAll, describe, expect, test } from 'vitest';
import { KEPT_SEEDS } from './kept-seeds.ts';
import { PLANTED_BUGS } from './planted-bugs.ts';
import { keptLine, shrink } from './shrinking.ts';
import { simulate } from './simulation.ts';
import { addDay, describe as described, newTally, silent } from './tally.ts';

const STEPS = 5_000;
const SEEDS = 150;
const SEEDS_PER_TEST = 50;
/** No bound on how long fifty days may take on a machine that others keep busy. */
const HANGS_AFTER_MS = 600_000;
/** A planted bug must be found within so many days. */
const DAYS_TO_FIND = 120;
/** A bug that few days show is looked for from the first of them on, which saves the days before it. */
const SHOWN_LATE: ReadonlyMap<string, number> = new Map([['a look-up that failed is taken for an absent order', 66]]);

describe('a simulated day', () => {
  const tally = newTally();

  test.for(Array.from({ length: SEEDS / SEEDS_PER_TEST }, (_, i) => 1 + i * SEEDS_PER_TEST))(
    'holds its invariants at every step, seeds from %i',
    { timeout: HANGS_AFTER_MS },
    (first) => {
      for (let seed = first; seed < first + SEEDS_PER_TEST; seed++) {
        const day = simulate(seed, { steps: STEPS });
        addDay(tally, day);
        if (day.failure === null) continue;
        const shrunk = shrink(seed, { steps: STEPS });
        throw new Error(`seed ${seed}; keep it as\n${keptLine(shrunk)}`, { cause: shrunk.result.failure?.error });
      }
    },
  );

  test('every fault, order, cancel, replacement and auction occurs, and the days trade', () => {
    expect(tally.days).toBe(SEEDS);
    expect(silent(tally)).toEqual([]);
    expect(tally.steps / SEEDS).toBeGreaterThanOrEqual(STEPS);
    expect(tally.fills / SEEDS).toBeGreaterThan(100);
  });

  test('is the same day again from the same seed', () => {
    expect(simulate(7, { steps: 2_000 })).toEqual(simulate(7, { steps: 2_000 }));
  });

  afterAll(() => console.info(described(tally)));
});

describe.skipIf(KEPT_SEEDS.length === 0)('a day that once failed', () => {
  test.for(KEPT_SEEDS)('seed $seed: $what', ({ seed, steps, without }) => {
    expect(simulate(seed, { steps, without: new Set(without) }).failure).toBeNull();
  });
});

describe('the simulation finds a planted bug:', () => {
  test.for(Object.entries(PLANTED_BUGS))('%s', { timeout: HANGS_AFTER_MS }, ([name, plant]) => {
    let found = null;
    const first = SHOWN_LATE.get(name) ?? 1;
    for (let seed = first; seed < first + DAYS_TO_FIND && found === null; seed++) {
      found = simulate(seed, { steps: STEPS, tampering: plant() }).failure;
    }
    expect(found).not.toBeNull();
  });

  test('and makes the day that shows it smaller', () => {
    const plant = PLANTED_BUGS['a command without an answer is sent again']!;
    const first = simulate(2, { steps: STEPS, tampering: plant() });
    const shrunk = shrink(2, { steps: STEPS }, plant);
    expect(shrunk.result.failure).not.toBeNull();
    expect(shrunk.steps).toBeLessThan(first.failure!.step);
    expect(shrunk.without.length).toBeGreaterThan(10);
    // One of those that leave a command without an answer is needed.
    const silences = ['commandLost', 'commandLate', 'answerLost', 'serverError'] as const;
    expect(silences.filter((fault) => !shrunk.without.includes(fault))).not.toEqual([]);
  });
});
