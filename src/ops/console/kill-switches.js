// @ts-check
// The sign that trading is stopped: one line per kill switch that is on, above everything else.
import { h } from 'preact';
import { liftKillSwitch } from './actions/actions.js';
import { ActionButton, theReader } from './actions/dialog.js';
import { secondOf } from './format.js';
import { partitionOf } from './parts.js';

/** @typedef {import('../../runtime/mod.ts').KillSwitchView} KillSwitchView */

/** Its words change only when something happened: a screen reader says each change at once. @param {{ switches: readonly KillSwitchView[] }} props */
export function KillSwitches({ switches }) {
  if (switches.length === 0) return null;
  return h(
    'section',
    { class: 'stopped', id: 'kill-switches', role: 'alert', 'aria-label': 'Kill switches that are on' },
    ...switches.map((one) =>
      h(
        'p',
        { key: `${one.scope} ${one.name} ${partitionOf(one) ?? ''}` },
        h('strong', null, one.scope === 'all' ? 'Trading is stopped' : `Trading is stopped: ${one.scope} ${one.name}`),
        partitionOf(one) === null ? '' : ` in ${partitionOf(one)}`,
        ` by ${one.thrownBy} at ${secondOf(one.thrownAt)} UTC: ${one.why}. `,
        one.openOrders === 0 ? 'No order is open there. ' : `${one.openOrders} orders are still open there. `,
        one.liftAskedBy === null
          ? 'Lifting takes two people.'
          : `${one.liftAskedBy} asked to lift it at ${secondOf(one.liftAskedAt)} UTC; a second person has to, until ${secondOf(one.liftAskedUntil)}.`,
        theReader().mayLift ? h(ActionButton, { action: () => liftKillSwitch(one) }, 'Lift …') : null,
      ),
    ),
  );
}
