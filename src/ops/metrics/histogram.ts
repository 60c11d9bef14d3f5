// A Prometheus histogram for events of every order: an observation is two additions. The library's own looks up its
// labels and its buckets by their names each time, which cost as much as everything else that is counted together.
// Leaves naming, labels and text to prom-client, which asks for the values when somebody scrapes.

import type { Metric, Registry } from 'prom-client';

interface TallyOptions {
  readonly name: string;
  readonly help: string;
  /** One label or none. */
  readonly labels: readonly string[];
  /** Upper bounds, ascending; larger values are counted separately. */
  readonly bounds: readonly number[];
}

/** One line of a scrape. */
interface Value {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** Observations under one label value. */
interface Counts {
  readonly buckets: Float64Array;
  sum: number;
}

export class Tally {
  readonly name: string;
  readonly #options: TallyOptions;
  readonly #counts = new Map<string, Counts>();

  constructor(registry: Registry, options: TallyOptions) {
    this.name = options.name;
    this.#options = options;
    // Without a label there is one series, and it is there from the start.
    if (options.labels.length === 0) this.#countsOf('');
    // The registry calls nothing but `get` of it, and reads its name.
    registry.registerMetric(this as unknown as Metric);
  }

  /** Have a series before its first observation: a counter that begins at 1 has not increased. */
  begin(labelled: string): void {
    this.#countsOf(labelled);
  }

  /** Count one observation; `labelled` is the label's value, any text where there is no label. */
  observe(labelled: string, value: number): void {
    const { bounds } = this.#options;
    const counts = this.#countsOf(labelled);
    let bucket = 0;
    while (bucket < bounds.length && value > bounds[bucket]!) bucket++;
    counts.buckets[bucket]!++;
    counts.sum += value;
  }

  #countsOf(labelled: string): Counts {
    let counts = this.#counts.get(labelled);
    if (counts === undefined) {
      counts = { buckets: new Float64Array(this.#options.bounds.length + 1), sum: 0 };
      this.#counts.set(labelled, counts);
    }
    return counts;
  }

  /** The values in the library's form: every bucket with those below it, then sum and count. */
  get(): Promise<{ name: string; help: string; type: 'histogram'; values: readonly Value[] }> {
    const { name, help, labels: names, bounds } = this.#options;
    const [label] = names;
    const values: Value[] = [];
    for (const [labelled, { buckets, sum }] of this.#counts) {
      const labels: Record<string, string> = label === undefined ? {} : { [label]: labelled };
      let count = 0;
      for (const [i, inBucket] of buckets.entries()) {
        count += inBucket;
        values.push({ labels: { le: bounds[i] ?? '+Inf', ...labels }, value: count, metricName: `${name}_bucket` });
      }
      values.push({ labels, value: sum, metricName: `${name}_sum` });
      values.push({ labels, value: count, metricName: `${name}_count` });
    }
    return Promise.resolve({ name, help, type: 'histogram', values });
  }
}
