// @ts-check
// The view of the plots: the last hour live, or hours and days from Prometheus, of the gateway and of one session; and auctions over their
// phase clock. plot-lines.js says what each plot has, plot-drawing.js draws it.
import { Component, h } from 'preact';
import * as api from '../api.js';
import { Panel } from '../parts.js';
import { addressOf, go } from '../views.js';
import { AuctionPlot } from './auction-plot.js';
import { Drawing } from './plot-drawing.js';
import { lineOptions, PLOTS, SESSION_PLOTS } from './plot-lines.js';

const REFRESH_MS = 2000;
/** Ranges of Prometheus move by their step, a minute at least. */
const RANGE_REFRESH_MS = 60_000;
const HOUR_S = 3600;

/** @typedef {import('./plot-lines.js').Plot} Plot */
/**
 * @typedef {object} Samples
 * @property {number} stepMs
 * @property {number[]} at
 * @property {Record<string, (number | null)[]>} series
 * @property {Record<string, string>} [slowest] of several partitions: the one that each series of times shows last
 */

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
  const slowest = { ...samples.slowest, ...more.slowest };
  return { stepMs: more.stepMs, at: at.slice(Math.max(0, drop)), series, slowest };
}

/** @typedef {'1h' | '6h' | '24h' | '7d'} Range */
const RANGES = /** @type {readonly Range[]} */ (['1h', '6h', '24h', '7d']);

/** @typedef {{ params: URLSearchParams, sessions: readonly api.SessionView[], hasPrometheus: boolean }} Props */

/** @returns {Samples} */
const nothing = () => ({ stepMs: REFRESH_MS, at: [], series: {} });

/**
 * The view: asks for what is new every two seconds while it is seen.
 * @extends {Component<Props>}
 */
export class Plots extends Component {
  constructor() {
    super();
    this.ofGateway = nothing();
    this.ofSession = nothing();
    /** @type {string | null} */
    this.refusal = null;
    /** @type {number | undefined} */
    this.timer = undefined;
    /** Answers of an earlier choice are not taken. */
    this.round = 0;
  }

  /** @override */
  componentDidMount() {
    void this.ask(this.round);
  }

  /** @override @param {Props} before */
  componentDidUpdate(before) {
    const [was, is] = [chosenIn(before), chosenIn(/** @type {Props} */ (this.props))];
    if (was.range === is.range && was.session?.sessionId === is.session?.sessionId) return;
    clearTimeout(this.timer);
    this.round += 1;
    if (was.range !== is.range) this.ofGateway = nothing();
    this.ofSession = nothing();
    void this.ask(this.round);
  }

  /** @override */
  componentWillUnmount() {
    this.round += 1;
    clearTimeout(this.timer);
  }

  /** @param {number} round */
  async ask(round) {
    const { range, session } = chosenIn(/** @type {Props} */ (this.props));
    try {
      const [ofGateway, ofSession] = await this.asked(range, session);
      if (round !== this.round) return;
      Object.assign(this, { ofGateway, ofSession, refusal: null });
    } catch (error) {
      if (round !== this.round) return;
      // Of a gateway that does not answer the head of the page says so.
      this.refusal = error instanceof api.Refused ? error.message : null;
    }
    this.forceUpdate();
    this.timer = window.setTimeout(() => void this.ask(round), range === '1h' ? REFRESH_MS : RANGE_REFRESH_MS);
  }

  /** @param {Range} range @param {api.SessionView | undefined} session @returns {Promise<readonly [Samples, Samples]>} */
  async asked(range, session) {
    const of = (/** @type {Promise<unknown>} */ answer) => /** @type {Promise<Samples>} */ (answer);
    if (range !== '1h') {
      return await Promise.all([
        of(api.rangePlots(range, null)),
        session === undefined ? nothing() : of(api.rangePlots(range, session.name)),
      ]);
    }
    const last = (/** @type {Samples} */ { at }) => at.at(-1) ?? 0;
    const [gateway, own] = await Promise.all([
      of(api.plots(last(this.ofGateway))),
      session === undefined
        ? nothing()
        : of(api.sessionPlots(session.sessionId, last(this.ofSession))).catch(orNothing),
    ]);
    const more = (/** @type {Samples} */ before, /** @type {Samples} */ now) =>
      now.at.length === 0 ? before : joined(before, now);
    return [more(this.ofGateway, gateway), more(this.ofSession, own)];
  }

  /** @override */
  render() {
    const props = /** @type {Props} */ (this.props);
    const { range, session } = chosenIn(props);
    const panel = (/** @type {Plot} */ plot, /** @type {Samples} */ samples, /** @type {string} */ id) =>
      h(
        Panel,
        { key: `${id} ${range}`, id, title: plot.title, aside: asideOf(plot, samples) },
        h(Drawing, { make: lineOptions(plot), data: dataOf(plot, samples) }),
      );
    return h(
      'main',
      { class: 'view plots' },
      h(Choice, { ...props, range, session }),
      this.refusal === null ? null : h('p', { class: 'refusal whole-row', role: 'alert' }, this.refusal),
      ...PLOTS.map((plot, index) => panel(plot, this.ofGateway, `plot-${index}`)),
      ...(session === undefined
        ? []
        : SESSION_PLOTS.map((plot, index) =>
            panel({ ...plot, title: `${plot.title} of ${session.name}` }, this.ofSession, `session-plot-${index}`),
          )),
      h(AuctionPlot, { symbol: props.params.get('symbol') ?? '', params: props.params }),
    );
  }
}

/** The unit, and the slowest partition where there are several. @param {Plot} plot @param {Samples} samples */
function asideOf({ unit, lines }, { slowest = {} }) {
  if (unit !== 'ms') return '';
  const names = [...new Set(lines.flatMap(([name]) => slowest[name] ?? []))].sort();
  return names.length === 0 ? 'in milliseconds' : `in milliseconds, slowest: ${names.join(', ')}`;
}

/** Of several partitions the server keeps no plots of one session. @param {unknown} error @returns {Samples} */
function orNothing(error) {
  if (error instanceof api.NotFound) return nothing();
  throw error;
}

/** What the address chooses; the first session that is logged on if it names none. @param {Props} props @returns {{ range: Range, session: api.SessionView | undefined }} */
function chosenIn({ params, sessions }) {
  const range = RANGES.find((one) => one === params.get('range')) ?? '1h';
  const named = sessions.find(({ sessionId }) => sessionId === params.get('session'));
  return { range, session: named ?? sessions.find(({ status }) => status.state === 'loggedOn') ?? sessions[0] };
}

/** @param {Props & { range: Range, session: api.SessionView | undefined }} props */
function Choice({ params, sessions, hasPrometheus, range, session }) {
  const to = (/** @type {Record<string, string>} */ other) =>
    addressOf('plots', { ...Object.fromEntries(params), ...other });
  return h(
    'div',
    { class: 'plot-choice whole-row' },
    h(
      'nav',
      { class: 'tabs', 'aria-label': 'Range' },
      ...(hasPrometheus ? RANGES : RANGES.slice(0, 1)).map((one) =>
        h(
          'a',
          { key: one, href: to({ range: one }), 'aria-current': one === range ? 'true' : undefined },
          one === '1h' ? 'Last hour, live' : one.replace('h', ' h').replace('d', ' d'),
        ),
      ),
    ),
    hasPrometheus ? null : h('span', { class: 'more' }, 'Longer ranges: write admin.prometheus in gateway.yaml.'),
    h(
      'label',
      null,
      'Session ',
      h(
        'select',
        {
          /** @param {Event} event */
          onChange: (event) => go(to({ session: /** @type {HTMLSelectElement} */ (event.target).value })),
        },
        ...sessions.map(({ name, sessionId }) =>
          h('option', { key: sessionId, value: sessionId, selected: sessionId === session?.sessionId }, name),
        ),
      ),
    ),
  );
}

/** @param {Plot} plot @param {Samples} samples @returns {import('uplot').AlignedData} */
function dataOf(plot, samples) {
  const none = samples.at.map(() => null);
  // A logarithm has no zero.
  const shown = (/** @type {number | null} */ value) => (plot.isLog && value !== null ? Math.max(value, 0.001) : value);
  return [samples.at.map((at) => at / 1000), ...plot.lines.map(([name]) => (samples.series[name] ?? none).map(shown))];
}
