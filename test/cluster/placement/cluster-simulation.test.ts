import process from 'node:process';
import { expect, test } from 'vitest';
import { seedOfTest } from '../../support/random/seeded-property.ts';
import { simulateCluster } from './cluster-simulation.ts';

const RUNS = Number(process.env.CROSSGATE_RUNS ?? 12);

test('no two nodes transmit for a partition, and each is served in the end, whatever fails', () => {
  const first = seedOfTest();
  let takeOvers = 0;
  for (let seed = first; seed < first + RUNS; seed++) {
    const { broken, takeOvers: epochs, transmitted } = simulateCluster({ seed });
    expect({ seed, broken }).toEqual({ seed, broken: [] });
    expect(transmitted).toBeGreaterThan(1_000);
    takeOvers += epochs;
  }
  expect(takeOvers).toBeGreaterThan(RUNS * 10);
});
