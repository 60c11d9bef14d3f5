// @ts-check
// Orders, searched and listed, and one of them with its chain and everything that happened to it.
import { h } from 'preact';
import { cancelOrder } from './actions/actions.js';
import { ActionButton, theReader } from './actions/dialog.js';
import { happeningOf, kindOf, STATUSES, statusOf, timeOf } from './format.js';
import { OrderDrawing } from './order-drawing.js';
import { Id, Mark, Pairs, Panel, partitionOf, SearchField, Table } from './parts.js';
import { addressOf } from './views.js';

/**
 * @typedef {import('./api.js').ListedOrder} ListedOrder
 * @typedef {import('./api.js').OrderSnapshot} OrderSnapshot
 * @typedef {import('./api.js').OrderFilter} OrderFilter
 */

/** The terms of an order, for every table of orders. @type {readonly import('./parts.js').Column<ListedOrder>[]} */
export const TERMS = [
  { title: 'ClOrdID', cell: ({ clOrdID }) => h(Id, { text: clOrdID }), id: true },
  { title: 'Status', cell: ({ ordStatus }) => h(Mark, statusOf(ordStatus)) },
  { title: 'Symbol', cell: ({ symbol }) => symbol },
  { title: 'Order', cell: (order) => `${order.side === '1' ? 'Buy' : 'Sell'} ${kindOf(order)}` },
  { title: 'Quantity', cell: ({ orderQty }) => orderQty, number: true },
  { title: 'Price', cell: ({ price }) => price ?? '–', number: true },
];

/** Where an order stands. @type {readonly import('./parts.js').Column<ListedOrder>[]} */
export const PLACE = [
  { title: 'OrderID', cell: ({ exchangeOrderId }) => h(Id, { text: exchangeOrderId ?? '–' }), id: true },
  { title: 'Session', cell: ({ sessionId }) => h('span', { title: sessionId }, sessionId.split('->')[1] ?? sessionId) },
];

/** @type {readonly import('./parts.js').Column<ListedOrder>[]} */
const COLUMNS = [
  { title: 'Received', cell: ({ receivedAt }) => timeOf(receivedAt), code: true },
  ...TERMS,
  { title: 'Filled', cell: ({ cumQty, avgPx }) => (cumQty === '0' ? '0' : `${cumQty} at ${avgPx}`), number: true },
  ...PLACE,
];

/**
 * @param {object} props
 * @param {readonly ListedOrder[]} props.orders
 * @param {boolean} props.more
 * @param {import('./api.js').OrderCounts} props.counts
 * @param {readonly import('./api.js').SessionView[]} props.sessions
 * @param {readonly import('./api.js').Partition[]} props.partitions of a gateway that runs several
 * @param {OrderFilter} props.filter
 * @param {(filter: OrderFilter) => void} props.onFilter
 * @param {string | null} props.selected
 * @param {(order: ListedOrder) => void} props.onSelect
 */
export function Orders({ orders, more, counts, sessions, partitions, filter, onFilter, selected, onSelect }) {
  const open = counts.pendingNew + counts.new + counts.partiallyFilled;
  return h(
    Panel,
    { id: 'orders', title: 'Orders', aside: `${open} open, ${counts.ended} ended` },
    h(Filter, { sessions, partitions, filter, onFilter }),
    h(/** @type {typeof Table<ListedOrder>} */ (Table), {
      label: 'Orders',
      columns: COLUMNS,
      rows: orders,
      keyOf: ({ key }) => key,
      empty: 'No order matches. Listed are open orders and those since the start; History has the others.',
      selected,
      onSelect,
    }),
    more ? h('p', { class: 'more' }, 'There are more: narrow the search.') : null,
  );
}

/**
 * @param {object} props
 * @param {readonly import('./api.js').SessionView[]} props.sessions
 * @param {readonly import('./api.js').Partition[]} props.partitions
 * @param {OrderFilter} props.filter
 * @param {(filter: OrderFilter) => void} props.onFilter
 */
function Filter({ sessions, partitions, filter, onFilter }) {
  /** @param {keyof OrderFilter} key @param {string} label */
  const text = (key, label) =>
    h(SearchField, {
      label,
      value: String(filter[key]),
      onFilter: (/** @type {string} */ value) => onFilter({ ...filter, [key]: value.trim() }),
    });
  return h(
    'div',
    { class: 'filter', role: 'search' },
    h(
      'select',
      {
        'aria-label': 'Session',
        /** @param {Event} event */
        onChange: (event) => onFilter({ ...filter, session: /** @type {HTMLSelectElement} */ (event.target).value }),
      },
      h('option', { value: '', selected: filter.session === '' }, 'Any session'),
      ...sessions.map(({ name, sessionId }) =>
        h(
          'option',
          { key: sessionId, value: sessionId, title: sessionId, selected: filter.session === sessionId },
          name,
        ),
      ),
    ),
    partitions.length < 2 ? null : h(PartitionChoice, { partitions, filter, onFilter }),
    text('clOrdID', 'ClOrdID'),
    text('orderID', 'OrderID'),
    text('symbol', 'Symbol'),
    h(
      'select',
      {
        'aria-label': 'Status',
        /** @param {Event} event */
        onChange: (event) => onFilter({ ...filter, status: /** @type {HTMLSelectElement} */ (event.target).value }),
      },
      h('option', { value: '', selected: filter.status === '' }, 'Any status'),
      ...STATUSES.map(({ value, name }) => h('option', { key: value, value, selected: filter.status === value }, name)),
    ),
    h(
      'label',
      null,
      h('input', {
        type: 'checkbox',
        checked: filter.open,
        /** @param {Event} event */
        onChange: (event) => onFilter({ ...filter, open: /** @type {HTMLInputElement} */ (event.target).checked }),
      }),
      'Open only',
    ),
  );
}

/** @param {{ partitions: readonly import('./api.js').Partition[], filter: OrderFilter, onFilter: (filter: OrderFilter) => void }} props */
function PartitionChoice({ partitions, filter, onFilter }) {
  return h(
    'select',
    {
      'aria-label': 'Partition',
      /** @param {Event} event */
      onChange: (event) => onFilter({ ...filter, partition: /** @type {HTMLSelectElement} */ (event.target).value }),
    },
    h('option', { value: '', selected: filter.partition === '' }, 'Any partition'),
    ...partitions.map(({ name }) => h('option', { key: name, value: name, selected: filter.partition === name }, name)),
  );
}

/** Filled, Canceled, Rejected, Expired. */
const ENDED = new Set(['2', '4', '8', 'C']);

/** @param {{ order: OrderSnapshot, hops?: import('./order-drawing.js').Hops | null, onClose: () => void }} props */
export function Order({ order, hops = null, onClose }) {
  const { name, look } = statusOf(order.ordStatus);
  const close = h('button', { type: 'button', class: 'plain', onClick: onClose }, 'Close');
  return h(
    Panel,
    { id: 'order', title: 'Order', aside: close },
    h(Pairs, {
      pairs: [
        ['Status', h(Mark, { name, look })],
        [
          'Order',
          `${order.side === '1' ? 'Buy' : 'Sell'} ${order.orderQty} ${order.symbol} at ${order.price ?? 'market'}`,
        ],
        ['Kind', kindOf(order)],
        ...(order.stopPx === null ? [] : [/** @type {const} */ (['Stop price', order.stopPx])]),
        ['Done', `${order.cumQty} at ${order.avgPx}, leaves ${order.leavesQty}`],
        ['Account', order.account],
        ['Session', order.sessionId],
        ...(partitionOf(order) === null ? [] : [/** @type {const} */ (['Partition', partitionOf(order)])]),
        ['OrderID', order.exchangeOrderId ?? '–'],
        ['Reference', order.references.join(' → ') || '–'],
        ['Trace', order.traceId],
        ...(order.stage === 'live' ? [] : [/** @type {const} */ (['At exchange', order.stage])]),
        ...(order.auctionId === null ? [] : [/** @type {const} */ (['Auction', order.auctionId])]),
        ...(order.pending.length === 0 ? [] : [/** @type {const} */ (['Waiting for', order.pending.join(', ')])]),
        ...(order.text === null ? [] : [/** @type {const} */ (['Text', order.text])]),
      ],
    }),
    h(
      'p',
      { class: 'links' },
      theReader().mayOperate && !ENDED.has(order.ordStatus)
        ? h(ActionButton, { action: () => cancelOrder(order), isGrave: true }, 'Cancel …')
        : null,
      h(
        'a',
        { href: addressOf('history', { of: 'messages', session: order.sessionId, clOrdID: order.clOrdID }) },
        'Its messages in the journal',
      ),
    ),
    hops === null ? null : h(OrderDrawing, { hops }),
    h('h3', null, 'Chain'),
    h('ol', { class: 'chain' }, ...order.chain.map((clOrdID) => h('li', { key: clOrdID }, clOrdID))),
    h('h3', null, 'What happened'),
    h(
      'ol',
      { class: 'timeline' },
      ...order.timeline.map(([at, what], index) =>
        h('li', { key: index }, h('time', null, timeOf(at)), h('span', null, happeningOf(what))),
      ),
    ),
  );
}
