// @ts-check
// The way of one order as a drawing: FIX in, checks, journal, signed command, exchange, report, each hop a bar on one scale of time. The
// hops of an order of this process are exact; of an older one the journal has events in milliseconds, and they stand below.
import { h } from 'preact';

/** @typedef {import('../metrics/order-hops.ts').Hops} Hops */

/** Each hop, where it ends, and its work. @type {readonly (readonly [keyof Hops, string, string])[]} */
const HOPS = [
  ['taken', 'FIX in', 'framed, numbered and validated by the session'],
  ['checked', 'Checks', 'rules and risk limits'],
  ['recorded', 'Journal', 'recorded before anything is sent'],
  ['sent', 'Command', 'turn, rate, nonce, signature, POST'],
  ['answered', 'Exchange', 'until its answer or stream event came'],
  ['reported', 'Report', 'ExecutionReport(8) handed to the socket'],
];

/** @param {number} ms */
function spent(ms) {
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  return ms < 100 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}

/** @param {{ hops: Hops }} props */
export function OrderDrawing({ hops }) {
  const passed = HOPS.filter(([name]) => hops[name] !== null);
  const ends = passed.map(([name]) => hops[name] ?? 0);
  const whole = Math.max(hops.reported, 0.001);
  const bars = passed.map(([, name, work], index) => {
    const begin = ends[index - 1] ?? 0;
    return { name, work, begin, ms: Math.max(0, (ends[index] ?? 0) - begin) };
  });
  const longest = Math.max(...bars.map(({ ms }) => ms));
  const share = (/** @type {number} */ ms) => `${(100 * ms) / whole}%`;
  return h(
    'figure',
    { class: 'way-of-order' },
    h('figcaption', null, `${spent(hops.reported)} from D to its first 8`),
    h(
      'ol',
      null,
      ...bars.map(({ name, work, begin, ms }) =>
        h(
          'li',
          { key: name, class: 'hop-row', title: work },
          h('span', { class: 'hop' }, name),
          h(
            'span',
            { class: 'rail' },
            h('span', {
              class: ms === longest ? 'hop-bar longest' : 'hop-bar',
              style: { left: share(begin), width: share(ms) },
            }),
          ),
          h('span', { class: 'spent' }, spent(ms)),
        ),
      ),
    ),
  );
}
