// @ts-check
// Plots of the last hour, live: rates, times by stage, orders, the event loop and the journal. Drawn by uPlot, which draws thousands of
// points in a few milliseconds; its colours are those of the page.
import { Component, h } from 'preact';
import uPlot from 'uplot';
import * as api from './api.js';
import { Panel } from './parts.js';

const REFRESH_MS = 2000;
const HEIGHT = 180;
const HOUR_S = 3600;
const SHORTEST_S = 300;

/**
 * @typedef {object} Plot
 * @property {string} title
 * @property {string} unit
 * @property {boolean} [isLog] times over several powers of ten
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
const PLOTS = [
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

/** From the first sample on, an hour at most and five minutes at least. @param {number | null} first @param {number | null} last @returns {[number, number]} */
function rangeOf(first, last) {
  const end = last ?? Date.now() / 1000;
  return [Math.max(end - HOUR_S, Math.min(first ?? end, end - SHORTEST_S)), end];
}

/** @typedef {{ stepMs: number, at: number[], series: Record<string, (number | null)[]> }} Samples */

/** @param {Samples} samples @param {Samples} more */
function joined(samples, more) {
  const at = [...samples.at, ...more.at];
  const drop = at.findIndex((one) => one > (at.at(-1) ?? 0) - HOUR_S * 1000);
  /** @type {Record<string, (number | null)[]>} */
  const series = {};
  const blank = (/** @type {number} */ count) => Array.from({ length: count }, () => null);
  for (const name of new Set([...Object.keys(samples.series), ...Object.keys(more.series)])) {
    const before = samples.series[name] ?? blank(samples.at.length);
    series[name] = [...before, ...(more.series[name] ?? blank(more.at.length))].slice(Math.max(0, drop));
  }
  return { stepMs: more.stepMs, at: at.slice(Math.max(0, drop)), series };
}

/** The view: asks for what is new every two seconds while it is seen. */
export class Plots extends Component {
  constructor() {
    super();
    /** @type {Samples} */
    this.samples = { stepMs: REFRESH_MS, at: [], series: {} };
    /** @type {number | undefined} */
    this.timer = undefined;
    this.isGone = false;
  }

  /** @override */
  componentDidMount() {
    void this.ask();
  }

  /** @override */
  componentWillUnmount() {
    this.isGone = true;
    clearTimeout(this.timer);
  }

  async ask() {
    try {
      const more = /** @type {Samples} */ (await api.plots(this.samples.at.at(-1) ?? 0));
      // A gateway that was restarted begins again.
      if (more.at.length > 0) this.samples = joined(this.samples, more);
      if (!this.isGone) this.forceUpdate();
    } catch {
      // The head of the page says that the gateway does not answer.
    }
    if (!this.isGone) this.timer = window.setTimeout(() => void this.ask(), REFRESH_MS);
  }

  /** @override */
  render() {
    return h(
      'main',
      { class: 'view plots' },
      ...PLOTS.map((plot, index) =>
        h(
          Panel,
          {
            key: plot.title,
            id: `plot-${index}`,
            title: plot.title,
            aside: plot.unit === 'ms' ? 'in milliseconds' : '',
          },
          h(Drawing, { plot, samples: this.samples }),
        ),
      ),
    );
  }
}

/** One plot; uPlot draws into the element that preact leaves alone. */
class Drawing extends Component {
  /** @param {{ plot: Plot, samples: Samples }} props */
  constructor(props) {
    super(props);
    /** @type {uPlot | null} */
    this.drawn = null;
    /** @type {HTMLElement | null} */
    this.place = null;
    this.resized = new ResizeObserver(() => this.fit());
    this.scheme = matchMedia('(prefers-color-scheme: dark)');
    this.redraw = () => {
      this.drawn?.destroy();
      this.draw();
    };
  }

  /** @override */
  componentDidMount() {
    this.draw();
    if (this.place !== null) this.resized.observe(this.place);
    this.scheme.addEventListener('change', this.redraw);
  }

  /** @override */
  componentWillUnmount() {
    this.resized.disconnect();
    this.scheme.removeEventListener('change', this.redraw);
    this.drawn?.destroy();
  }

  /** @override */
  componentDidUpdate() {
    this.drawn?.setData(this.data());
  }

  fit() {
    if (this.place !== null) this.drawn?.setSize({ width: this.place.clientWidth, height: HEIGHT });
  }

  /** @returns {uPlot.AlignedData} */
  data() {
    const { plot, samples } = /** @type {{ plot: Plot, samples: Samples }} */ (this.props);
    const none = samples.at.map(() => null);
    // A logarithm has no zero.
    const shown = (/** @type {number | null} */ value) =>
      plot.isLog && value !== null ? Math.max(value, 0.001) : value;
    return [
      samples.at.map((at) => at / 1000),
      ...plot.lines.map(([name]) => (samples.series[name] ?? none).map(shown)),
    ];
  }

  draw() {
    const { plot } = /** @type {{ plot: Plot, samples: Samples }} */ (this.props);
    if (this.place === null) return;
    const colours = getComputedStyle(document.documentElement);
    const probe = document.createElement('span');
    this.place.append(probe);
    const colourOf = (/** @type {string} */ name) => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    };
    const axis = { stroke: colourOf('--soft'), grid: { stroke: colourOf('--line'), width: 1 }, ticks: { show: false } };
    const font = `11px ${colours.fontFamily}`;
    const series = plot.lines.map(([, label, colour]) => ({
      label,
      stroke: colourOf(colour),
      width: 1.5,
      points: { show: true, size: 4, filter: alone },
      value: (/** @type {uPlot} */ _plot, /** @type {number | null} */ value) =>
        value === null
          ? '–'
          : `${value < 10 ? Number(value.toPrecision(2)) : Math.round(value)}${plot.unit === 'ms' ? ' ms' : ''}`,
    }));
    probe.remove();
    this.drawn = new uPlot(
      {
        width: this.place.clientWidth || 400,
        height: HEIGHT,
        tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC'),
        scales: {
          x: { time: true, range: (_plot, first, last) => rangeOf(first, last) },
          y: plot.isLog ? { distr: 3 } : { range: (_plot, _min, max) => [0, Math.max(1, (max ?? 1) * 1.1)] },
        },
        axes: [
          {
            ...axis,
            font,
            size: 28,
            values: (_plot, splits) => splits.map((at) => new Date(at * 1000).toISOString().slice(11, 16)),
          },
          { ...axis, font, size: 52 },
        ],
        series: [
          { label: 'UTC', value: (_plot, at) => (at === null ? '–' : new Date(at * 1000).toISOString().slice(11, 19)) },
          ...series,
        ],
        cursor: { points: { size: 6 } },
      },
      this.data(),
      this.place,
    );
  }

  /** @override */
  render() {
    return h('div', {
      class: 'drawing',
      ref: (/** @type {HTMLElement | null} */ place) => {
        if (place !== null) this.place = place;
      },
    });
  }
}
