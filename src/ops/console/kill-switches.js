// @ts-check
// The sign that trading is stopped: one line per kill switch that is on, above everything else. Throwing and lifting is done
// on the command line.
import { h } from 'preact';
import { durationOf } from './format.js';

/** @typedef {import('../../engine/mod.ts').KillSwitchView} KillSwitchView */

/** @param {{ switches: readonly KillSwitchView[], now: number }} props */
export function KillSwitches({ switches, now }) {
  if (switches.length === 0) return null;
  return h(
    'section',
    { class: 'stopped', id: 'kill-switches', role: 'alert', 'aria-label': 'Kill switches that are on' },
    ...switches.map((one) =>
      h(
        'p',
        { key: `${one.scope} ${one.name}` },
        h('strong', null, one.scope === 'all' ? 'Trading is stopped' : `Trading is stopped: ${one.scope} ${one.name}`),
        ` by ${one.thrownBy}, ${durationOf(now - one.thrownAt)} ago: ${one.why}. `,
        one.openOrders === 0 ? 'No order is open there. ' : `${one.openOrders} orders are still open there. `,
        one.liftAskedBy === null
          ? 'Lifting takes two people.'
          : `${one.liftAskedBy} asked to lift it; a second person has to.`,
      ),
    ),
  );
}
