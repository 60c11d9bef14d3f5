// Time of an order at each stage, from the marks of a process (marks.ts). The way in runs from reading the bytes of a D
// to handing over the signed POST. The way out runs from reading the order's frame to handing over the 8. Signing and
// the wait for the disk lie within these times: they are taken out and shown beside; writing the journal is not taken
// out. Sending orders is round-trip-stages.ts.

import { type KeptMarks, type Mark, percentile } from './marks.ts';

/** Microseconds of orders by stage. */
interface Stages {
  readonly inbound: number[];
  readonly outbound: number[];
  readonly sum: number[];
  readonly write: number[];
  readonly socket: number[];
  readonly signing: number[];
  readonly sync: number[];
}

/** Orders sent one after the other, and when, in epoch milliseconds: everything of them happened between. */
export interface Block {
  readonly from: number;
  readonly to: number;
  /** The first ones find caches cold that others had used: they are not counted. */
  readonly lead: number;
}

type Part = 'signing' | 'journal' | 'sync' | 'socket';

/** The time between two marks, less signing and sync between `begins` and `ends`. */
function split(marks: readonly Mark[], from: number, to: number): { own: number } & Record<Part, number> {
  const first = marks[from]!.at;
  const spent: Record<Part, number> = { signing: 0, journal: 0, sync: 0, socket: 0 };
  const begun: Record<Part, number | null> = { signing: null, journal: null, sync: null, socket: null };
  for (let i = from; i <= to; i++) {
    const { at, name } = marks[i]!;
    if (i === to && begun.socket !== null) spent.socket += at - begun.socket;
    const [what, how] = name.split(' ') as [Part, string];
    if (!(what in spent)) continue;
    if (how === 'begins') begun[what] = at;
    else {
      // A stage begun before the order counts from the order.
      spent[what] += at - (begun[what] ?? first);
      begun[what] = null;
    }
  }
  return { own: marks[to]!.at - first - spent.signing - spent.sync, ...spent };
}

/** Stages of the orders of one pace; one that another overlapped is left out, and counted. */
export class StageTimes {
  overlapped = 0;
  readonly #stages: Stages = { inbound: [], outbound: [], sum: [], write: [], socket: [], signing: [], sync: [] };

  get orders(): number {
    return this.#stages.sum.length;
  }

  /** Median of both stages together, in microseconds. */
  get median(): number {
    return percentile(sorted(this.#stages.sum), 0.5);
  }

  add({ origin, clock }: KeptMarks, { from, to, lead }: Block): void {
    const marks = clock.filter(({ at }) => {
      const time = origin + at / 1000;
      return time >= from && time <= to;
    });
    const starts = marks.flatMap(({ name }, i) => (name === 'frame in' ? [i] : []));
    for (let n = lead; n < starts.length; n++) this.#addOrder(marks, starts[n]!, starts[n + 1] ?? marks.length);
  }

  #addOrder(marks: readonly Mark[], start: number, next: number): void {
    const names = marks.slice(start, next).map(({ name }) => name);
    const sent = names.indexOf('request out');
    const told = sent === -1 ? -1 : names.indexOf('bytes out', sent);
    // The first: others of the order that were read with it stand in the way of its report.
    const heard = told === -1 ? -1 : names.indexOf('stream frame in', sent);
    if (heard === -1 || heard > told) {
      this.overlapped++;
      return;
    }
    const way = split(marks, start, start + sent);
    const back = split(marks, start + heard, start + told);
    const stages = this.#stages;
    stages.inbound.push(way.own);
    stages.outbound.push(back.own);
    stages.sum.push(way.own + back.own);
    stages.write.push(way.journal + back.journal);
    stages.socket.push(way.socket + back.socket);
    stages.signing.push(way.signing);
    stages.sync.push(way.sync + back.sync);
  }

  /** A row of a table: each stage as p50/p99/p99.9, and how often the median of another goes into ours. */
  row(name: string, other: number): string {
    const cells = COLUMNS.map(([stage]) => {
      const times = sorted(this.#stages[stage]);
      return [0.5, 0.99, 0.999].map((p) => percentile(times, p).toFixed(0)).join('/');
    });
    return line(name, [...cells, `${(this.median / other).toFixed(2)} x`, `${this.orders}`, `${this.overlapped}`]);
  }
}

const COLUMNS: readonly (readonly [keyof Stages, string])[] = [
  ['inbound', 'D to request'],
  ['outbound', 'frame to 8'],
  ['sum', 'sum of both'],
  ['write', 'journal of it'],
  ['socket', 'sockets of it'],
  ['signing', 'signing beside'],
  ['sync', 'disk beside'],
];

/** The heading above the rows. */
export function head(title: string): string {
  return line(title, [...COLUMNS.map(([, name]) => name), 'to the first', 'orders', 'overlapped']);
}

function line(name: string, cells: readonly string[]): string {
  return name.padEnd(30) + cells.map((cell) => cell.padStart(17)).join('');
}

function sorted(times: readonly number[]): number[] {
  return times.toSorted((a, b) => a - b);
}
