// @ts-check
// One auction over its phase clock: seconds before and after the lockdown on the axis, the indicative price and the imbalance above, the
// phases as bands. The exchange tells both in lockdown only.
import { Component, h } from 'preact';
import uPlot from 'uplot';
import * as api from '../api.js';
import { Panel } from '../parts.js';
import { addressOf, go } from '../views.js';
import { Drawing } from './plot-drawing.js';

/** @typedef {import('../../metrics/auction-ring.ts').AuctionCourse} AuctionCourse */

const REFRESH_MS = 2000;

/** @typedef {{ symbol: string, params: URLSearchParams }} Props */

/** @extends {Component<Props>} */
export class AuctionPlot extends Component {
  constructor() {
    super();
    /** @type {{ symbols: readonly string[], auctions: readonly AuctionCourse[] }} */
    this.known = { symbols: [], auctions: [] };
    /** @type {number | undefined} */
    this.timer = undefined;
    this.isGone = false;
  }

  /** @override */
  componentDidMount() {
    void this.ask();
  }

  /** @override @param {Props} before */
  componentDidUpdate(before) {
    if (before.symbol === this.props.symbol) return;
    clearTimeout(this.timer);
    void this.ask();
  }

  /** @override */
  componentWillUnmount() {
    this.isGone = true;
    clearTimeout(this.timer);
  }

  async ask() {
    const { symbol } = /** @type {Props} */ (this.props);
    try {
      const known = await api.auctionPlots(symbol);
      if (symbol === this.props.symbol) this.known = known;
    } catch {
      // The head of the page says that the gateway does not answer.
    }
    if (this.isGone) return;
    this.forceUpdate();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.ask(), REFRESH_MS);
  }

  /** @override */
  render() {
    const { symbols, auctions } = this.known;
    const { params } = /** @type {Props} */ (this.props);
    // The present one says nothing before its lockdown: the one before stays until then.
    const course = auctions.findLast(({ points }) => points.length > 0) ?? auctions.at(-1);
    const select = h(
      'select',
      {
        'aria-label': 'Symbol',
        /** @param {Event} event */
        onChange: (event) => {
          const symbol = /** @type {HTMLSelectElement} */ (event.target).value;
          go(addressOf('plots', { ...Object.fromEntries(params), symbol }));
        },
      },
      ...symbols.map((one) => h('option', { key: one, value: one, selected: one === course?.symbol }, one)),
    );
    return h(
      Panel,
      { id: 'auction-plot', title: 'Auction, over its phase clock', aside: symbols.length === 0 ? '' : select },
      course === undefined
        ? h('p', { class: 'empty' }, 'No auction was heard of yet.')
        : [
            h('p', { class: 'plot-note', key: 'note' }, `auction ${course.auctionId}, seconds from its lockdown`),
            h(Drawing, { key: course.auctionId, make: options(course), data: dataOf(course) }),
          ],
    );
  }
}

/** @param {AuctionCourse} course @returns {uPlot.AlignedData} */
function dataOf({ lockdownTime, scheduledCrossTime, points: told }) {
  // What was told holds until the next word, to the cross at the latest.
  const last = told.at(-1);
  const until = Math.min(Date.now(), scheduledCrossTime);
  const points = last === undefined || last.at >= until ? told : [...told, { ...last, at: until }];
  return [
    points.map(({ at }) => (at - lockdownTime) / 1000),
    points.map(({ price }) => price),
    points.map(({ imbalance }) => imbalance),
  ];
}

/** @param {AuctionCourse} course @returns {import('./plot-drawing.js').Make} */
function options({ startTime, lockdownTime, scheduledCrossTime, points }) {
  const seconds = (/** @type {number} */ at) => (at - lockdownTime) / 1000;
  const cross = seconds(scheduledCrossTime);
  // Of a long accumulation its end is enough: nothing is told before the lockdown.
  const begin = Math.max(seconds(startTime), -Math.max(cross, 1) / 2);
  const end = Math.max(cross, seconds(points.at(-1)?.at ?? lockdownTime)) * 1.05;
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  return ({ colourOf, axis, font }) => {
    /** @param {string} label @param {string} scale @param {string} colour */
    const series = (label, scale, colour) => ({
      label,
      scale,
      stroke: colourOf(colour),
      width: 1.5,
      ...(stepped === undefined ? {} : { paths: stepped }),
      points: { show: points.length < 3 },
      value: (/** @type {uPlot} */ _plot, /** @type {number | null} */ value) => (value === null ? '–' : String(value)),
    });
    const phases = /** @type {const} */ ([
      ['accumulation', begin, 0],
      ['lockdown', 0, cross],
    ]);
    return {
      scales: {
        x: { time: false, range: () => [begin, end] },
        price: { range: (_plot, min, max) => roomAround(min, max) },
        imbalance: { range: (_plot, min, max) => aroundZero(min, max) },
      },
      axes: [
        { ...axis, font, size: 28 },
        { ...axis, font, size: 64, scale: 'price' },
        { ...axis, font, size: 52, scale: 'imbalance', side: 1, grid: { show: false } },
      ],
      series: [
        { label: 's', value: (_plot, at) => (at === null ? '–' : at.toFixed(1)) },
        series('indicative price', 'price', '--plot-1'),
        series('imbalance, buys above zero', 'imbalance', '--plot-3'),
      ],
      hooks: {
        drawAxes: [
          (plot) => {
            const { ctx, bbox } = plot;
            ctx.save();
            ctx.font = font;
            ctx.fillStyle = colourOf('--soft');
            ctx.strokeStyle = colourOf('--soft');
            ctx.textBaseline = 'bottom';
            for (const [name, from, to] of phases) {
              const [left, right] = [plot.valToPos(from, 'x', true), plot.valToPos(to, 'x', true)];
              ctx.textAlign = 'center';
              if (right - left > 6 * name.length) ctx.fillText(name, (left + right) / 2, bbox.top + bbox.height - 4);
              ctx.setLineDash([4, 4]);
              ctx.beginPath();
              ctx.moveTo(right, bbox.top);
              ctx.lineTo(right, bbox.top + bbox.height);
              ctx.stroke();
            }
            ctx.restore();
          },
        ],
      },
    };
  };
}

/** A scale with some room above and below. @param {number | null} min @param {number | null} max @returns {[number, number]} */
function roomAround(min, max) {
  if (min === null || max === null) return [0, 1];
  const room = Math.max((max - min) * 0.15, Math.abs(max) * 0.001);
  return [min - room, max + room];
}

/** A scale with zero in its middle. @param {number | null} min @param {number | null} max @returns {[number, number]} */
function aroundZero(min, max) {
  const most = Math.max(Math.abs(min ?? 0), Math.abs(max ?? 0), 1e-6) * 1.15;
  return [-most, most];
}
