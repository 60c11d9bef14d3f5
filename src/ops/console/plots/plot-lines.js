// @ts-check
// Plots over time: the series of each, by their names in the gateway's answer, their labels and colours, and how uPlot draws them.
import uPlot from 'uplot';

const HOUR_S = 3600;
const DAY_S = 86_400;
const SHORTEST_S = 300;

/**
 * @typedef {object} Plot
 * @property {string} title
 * @property {string} unit
 * @property {boolean} [isLog] times over several powers of ten
 * @property {boolean} [isWhole] numbers that only rise: the plot begins at the lowest
 * @property {readonly (readonly [name: string, label: string, colour: string])[]} lines
 */

const TIMES = /** @type {const} */ ([
  ['p50', 'p50', '--plot-1'],
  ['p90', 'p90', '--plot-2'],
  ['p99', 'p99', '--plot-3'],
  ['p999', 'p99.9', '--plot-4'],
]);

/** @param {string} name */
const percentiles = (name) =>
  TIMES.map(([one, label, colour]) => /** @type {const} */ ([`${name}.${one}`, label, colour]));

/** @type {readonly Plot[]} */
export const PLOTS = [
  {
    title: 'Messages per second',
    unit: 'messages',
    lines: [
      ['messages.in', 'in', '--plot-1'],
      ['messages.out', 'out', '--plot-2'],
    ],
  },
  { title: 'From D to its first 8', unit: 'ms', isLog: true, lines: percentiles('order') },
  {
    title: 'Stages of an order, p99',
    unit: 'ms',
    isLog: true,
    lines: [
      ['stage.receive.p99', 'receive', '--plot-1'],
      ['stage.check.p99', 'check', '--plot-2'],
      ['stage.journal.p99', 'journal', '--plot-3'],
      ['stage.send.p99', 'send', '--plot-4'],
      ['stage.exchange.p99', 'exchange', '--plot-5'],
      ['stage.report.p99', 'report', '--plot-6'],
    ],
  },
  { title: 'Answer of the exchange', unit: 'ms', isLog: true, lines: percentiles('exchange') },
  {
    title: 'Open orders by state',
    unit: '',
    lines: [
      ['orders.pendingNew', 'pending new', '--plot-4'],
      ['orders.new', 'new', '--plot-1'],
      ['orders.partiallyFilled', 'partially filled', '--plot-2'],
    ],
  },
  { title: 'Journal, until recorded', unit: 'ms', isLog: true, lines: percentiles('journal') },
  {
    title: 'Delay of the event loop',
    unit: 'ms',
    isLog: true,
    lines: [
      ['loop.mean', 'mean', '--plot-1'],
      ['loop.p99', 'p99', '--plot-3'],
      ['loop.max', 'max', '--plot-4'],
    ],
  },
];

/** Samples without a neighbour: no line shows them. @param {uPlot} plot @param {number} series @returns {number[]} */
function alone({ data }, series) {
  const values = data[series] ?? [];
  /** @type {number[]} */
  const found = [];
  for (let k = 0; k < values.length; k++) {
    const isAlone = (values[k - 1] ?? null) === null && (values[k + 1] ?? null) === null;
    if (isAlone && (values[k] ?? null) !== null) found.push(k);
  }
  return found;
}

/** Of one session. @type {readonly Plot[]} */
export const SESSION_PLOTS = [
  {
    title: 'Sequence numbers',
    unit: '',
    isWhole: true,
    lines: [
      ['session.out', 'next out', '--plot-2'],
      ['session.in', 'next in', '--plot-1'],
    ],
  },
  {
    title: 'Gaps',
    unit: '',
    lines: [
      ['session.waiting', 'messages behind a gap', '--plot-4'],
      ['session.resends', 'ResendRequests(2)', '--plot-3'],
    ],
  },
];

/** From the first sample on, five minutes at least. uPlot's own ends are those of a day where there is one sample. @param {uPlot} plot @returns {[number, number]} */
function rangeOf({ data: [at] }) {
  const end = at.at(-1) ?? Date.now() / 1000;
  return [Math.min(at[0] ?? end, end - SHORTEST_S), end];
}

/** A moment on the axis of time, in UTC. @param {number} at in seconds @param {number} span of the axis */
function momentOf(at, span) {
  const text = new Date(at * 1000).toISOString();
  return span > 2 * DAY_S ? text.slice(5, 10) : text.slice(11, 16);
}

/** @param {number} value @param {Plot} plot */
function readingOf(value, { unit, isWhole = false }) {
  const text = isWhole || value >= 10 ? Math.round(value) : Number(value.toPrecision(2));
  return `${text}${unit === 'ms' ? ' ms' : ''}`;
}

/** How uPlot draws one of these. @param {Plot} plot @returns {import('./plot-drawing.js').Make} */
export function lineOptions(plot) {
  return ({ colourOf, axis, font }) => ({
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC'),
    scales: {
      x: { time: true, range: rangeOf },
      y: plot.isLog
        ? { distr: 3 }
        : {
            range: (_plot, min, max) =>
              plot.isWhole ? [Math.max(0, (min ?? 0) - 2), (max ?? 1) + 2] : [0, Math.max(1, (max ?? 1) * 1.1)],
          },
    },
    axes: [
      {
        ...axis,
        font,
        size: 28,
        values: (drawn, splits) => {
          const span = (drawn.scales.x?.max ?? HOUR_S) - (drawn.scales.x?.min ?? 0);
          return splits.map((at) => momentOf(at, span));
        },
      },
      { ...axis, font, size: 56 },
    ],
    series: [
      {
        label: 'UTC',
        value: (_plot, at) => (at === null ? '–' : new Date(at * 1000).toISOString().slice(5, 19).replace('T', ' ')),
      },
      ...plot.lines.map(([, label, colour]) => ({
        label,
        stroke: colourOf(colour),
        width: 1.5,
        points: { show: true, size: 4, filter: alone },
        value: (/** @type {uPlot} */ _plot, /** @type {number | null} */ value) =>
          value === null ? '–' : readingOf(value, plot),
      })),
    ],
  });
}
