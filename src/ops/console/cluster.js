// @ts-check
// The partitions of a gateway, the node that each of them lives on, and how they are. Leaves their sessions and orders to the desk.
import { h } from 'preact';
import { dateTimeOf } from './format.js';
import { Mark, Panel, Table } from './parts.js';
import { addressOf } from './views.js';

/** @typedef {import('./api.js').Partition} Partition */

/** @param {Partition} partition */
function stateOf({ answered, ready, state }) {
  if (!answered) return { look: 'bad', name: state };
  return ready ? { look: 'good', name: 'Ready for orders' } : { look: 'wait', name: 'Not ready' };
}

/** @type {readonly import('./parts.js').Column<Partition>[]} */
const COLUMNS = [
  { title: 'Name', cell: ({ name }) => h('a', { href: addressOf('desk', { sessions: name, partition: name }) }, name) },
  { title: 'Node', cell: ({ node }) => node },
  { title: 'State', cell: (partition) => h(Mark, stateOf(partition)) },
  { title: 'Sessions logged on', cell: ({ loggedOn, sessions }) => `${loggedOn} of ${sessions}`, number: true },
  { title: 'Open orders', cell: ({ openOrders }) => openOrders, number: true },
  { title: 'Since (UTC)', cell: ({ startedAt }) => (startedAt === null ? '–' : dateTimeOf(startedAt)), code: true },
];

/** @param {{ overview: import('./api.js').Overview }} props */
export function Cluster({ overview: { partitions = [], node = '' } }) {
  const nodes = [...new Set(partitions.map((one) => one.node))].sort();
  const count = nodes.length === 1 ? `1 node` : `${nodes.length} nodes`;
  return h(
    'main',
    { class: 'view' },
    h(
      Panel,
      { id: 'partitions', title: 'Partitions', aside: `${partitions.length} on ${count}; ${node} answers` },
      h(/** @type {typeof Table<Partition>} */ (Table), {
        label: 'Partitions',
        columns: COLUMNS,
        rows: partitions,
        keyOf: ({ name }) => name,
        empty: 'No partition is known.',
      }),
    ),
  );
}
