// @ts-check
// Actions of an operator on the nodes of a cluster: drain one, move a partition, share them out anew.
import { h } from 'preact';
import * as api from '../api.js';

/** @typedef {import('./dialog.js').Action} Action */

/** @param {string} path @param {object} body @param {FormData} form */
function post(path, body, form) {
  return api.act(`/api/cluster/${path}`, body, String(form.get('operator') ?? ''));
}

/** @param {api.ClusterNode} node @param {number} served partitions that it serves @returns {Action} */
export function drainNode({ name, isDraining }, served) {
  const drains = [
    `Its ${served === 1 ? 'partition moves' : `${served} partitions move`} to the other nodes, one after the other.`,
    'Counterparties of a partition that moves are logged out for about a second; orders stay open.',
    'It gets no partitions until you let it serve some again.',
  ];
  return {
    title: isDraining ? `Let node ${name} serve partitions again` : `Drain node ${name}`,
    effects: isDraining ? ['It gets partitions again, as they are placed.'] : drains,
    button: isDraining ? 'Let it serve again' : 'Drain the node',
    isGrave: !isDraining,
    needsNoWhy: true,
    run: (_why, form) => post(isDraining ? 'undrain' : 'drain', { node: name }, form),
  };
}

/** @param {api.Partition} partition @param {readonly api.ClusterNode[]} nodes @returns {Action} */
export function movePartition({ name, node }, nodes) {
  const others = nodes.filter((one) => one.name !== node && one.isLive && !one.isDraining);
  return {
    title: `Move partition ${name}`,
    fields: h(
      'label',
      null,
      h('span', null, 'To node'),
      h(
        'select',
        { class: 'box', name: 'node', required: true },
        ...others.map((one) => h('option', { key: one.name, value: one.name }, one.name)),
      ),
    ),
    effects: [
      'Its counterparties are logged out for about a second; sequence numbers and orders go along.',
      'It stays there until a rebalance, a drain or the end of the node.',
    ],
    button: 'Move the partition',
    needsNoWhy: true,
    run: (_why, form) => post('move', { partition: name, node: String(form.get('node') ?? '') }, form),
  };
}

/** @returns {Action} */
export function rebalance() {
  return {
    title: 'Share the partitions out anew',
    effects: [
      'Partitions move, one after the other, until each node has its share; moved ones may move again.',
      'Counterparties of a partition that moves are logged out for about a second.',
    ],
    button: 'Share them out',
    needsNoWhy: true,
    run: (_why, form) => post('rebalance', {}, form),
  };
}
