// @ts-check
// The partitions of a gateway, the node that each of them lives on, and how they are; the nodes of a cluster. Leaves sessions and
// orders to the desk.
import { h } from 'preact';
import { drainNode, movePartition, rebalance } from './actions/cluster-actions.js';
import { ActionButton, theReader } from './actions/dialog.js';
import { dateTimeOf } from './format.js';
import { Mark, Panel, Table } from './parts.js';
import { addressOf } from './views.js';

/**
 * @typedef {import('./api.js').Partition} Partition
 * @typedef {import('./api.js').ClusterNode} Node
 */

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

/** The lease of the journal: which start of the partition may write. @type {import('./parts.js').Column<Partition>} */
const EPOCH = { title: 'Epoch', cell: ({ epoch }) => epoch ?? '–', number: true };

/** @param {readonly Node[]} nodes @returns {import('./parts.js').Column<Partition>} */
function moveColumn(nodes) {
  return {
    title: 'Move',
    cell: (partition) =>
      h(
        ActionButton,
        { action: () => movePartition(partition, nodes), label: `Move partition ${partition.name}` },
        'Move …',
      ),
  };
}

/** @param {Node} node */
function nodeState({ isLive, isDraining }) {
  if (!isLive) return { look: 'bad', name: 'Gone' };
  return isDraining ? { look: 'wait', name: 'Drains' } : { look: 'good', name: 'Lives' };
}

/** @param {{ nodes: readonly Node[], partitions: readonly Partition[] }} props */
function Nodes({ nodes, partitions }) {
  /** @param {Node} node */
  const served = ({ name }) => partitions.filter((one) => one.node === name && one.answered).length;
  const { mayOperate } = theReader();
  /** @type {import('./parts.js').Column<Node>[]} */
  const columns = [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'State', cell: (node) => h(Mark, nodeState(node)) },
    { title: 'Partitions', cell: (node) => served(node), number: true },
    { title: 'Weight', cell: ({ weight }) => weight, number: true },
    { title: 'Version', cell: ({ version }) => version },
    { title: 'Since (UTC)', cell: ({ joinedAt }) => dateTimeOf(joinedAt), code: true },
  ];
  if (mayOperate) {
    columns.push({
      title: 'Drain',
      cell: (node) =>
        h(
          ActionButton,
          {
            action: () => drainNode(node, served(node)),
            label: `${node.isDraining ? 'Undrain' : 'Drain'} node ${node.name}`,
          },
          node.isDraining ? 'Undrain …' : 'Drain …',
        ),
    });
  }
  return h(
    Panel,
    { id: 'nodes', title: 'Nodes', aside: mayOperate ? h(ActionButton, { action: rebalance }, 'Rebalance …') : null },
    h(/** @type {typeof Table<Node>} */ (Table), {
      label: 'Nodes',
      columns,
      rows: nodes,
      keyOf: ({ name }) => name,
      empty: 'No node is known yet.',
    }),
  );
}

/** @param {{ overview: import('./api.js').Overview }} props */
export function Cluster({ overview: { partitions = [], node = '', nodes = [] } }) {
  const places = new Set(partitions.map((one) => one.node)).size;
  const count = places === 1 ? '1 node' : `${places} nodes`;
  const mayMove = theReader().mayOperate && nodes.length > 1;
  const columns = [...COLUMNS, ...(nodes.length === 0 ? [] : [EPOCH]), ...(mayMove ? [moveColumn(nodes)] : [])];
  return h(
    'main',
    { class: 'view' },
    h(
      Panel,
      { id: 'partitions', title: 'Partitions', aside: `${partitions.length} on ${count}; ${node} answers` },
      h(/** @type {typeof Table<Partition>} */ (Table), {
        label: 'Partitions',
        columns,
        rows: partitions,
        keyOf: ({ name }) => name,
        empty: 'No partition is known.',
      }),
    ),
    nodes.length === 0 ? null : h(Nodes, { nodes, partitions }),
  );
}
