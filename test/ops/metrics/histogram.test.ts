// Our histogram prints the same as the library's.

import { Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { Tally } from '../../../src/ops/metrics/histogram.ts';

const BOUNDS = [0.001, 0.5, 2];
const VALUES = [0.0005, 0.001, 0.3, 0.5, 1.75, 2, 30];

test.each([null, 'outcome'])(
  'the text of a scrape is the same, before the first observation and after many (label %s)',
  async (label) => {
    const [ours, theirs] = [new Registry(), new Registry()];
    const about = { name: 'crossgate_test_seconds', help: 'Of a test.' };
    const labelNames = label === null ? [] : [label];
    const tally = new Tally(ours, { ...about, labels: labelNames, bounds: BOUNDS });
    const histogram = new Histogram<string>({ ...about, labelNames, buckets: BOUNDS, registers: [theirs] });
    expect(await ours.metrics()).toBe(await theirs.metrics());
    for (const [i, value] of VALUES.entries()) {
      const labelled = i % 2 === 0 ? 'accepted' : 'refused';
      tally.observe(label === null ? '' : labelled, value);
      histogram.observe(label === null ? {} : { [label]: labelled }, value);
    }
    expect(await ours.metrics()).toBe(await theirs.metrics());
  },
);
