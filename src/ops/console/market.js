// @ts-check
// What stands beside sessions and orders: auctions with their phase, exchange logins, alarms.
import { h } from 'preact';
import { acknowledge, reconcile } from './actions/actions.js';
import { ActionButton, theReader } from './actions/dialog.js';
import { dateTimeOf, durationOf, inWords } from './format.js';
import { fieldsOf, Mark, Pairs, Panel, partitionOf } from './parts.js';

/** @type {Readonly<Record<string, readonly [string, string]>>} */
const PHASES = {
  COOLING: ['Cooling', 'quiet'],
  ACCUMULATION: ['Accumulation', 'good'],
  LOCKDOWN: ['Lockdown', 'wait'],
  CROSS: ['Cross', 'done'],
};

/** @param {{ auctions: readonly import('./api.js').AuctionPhase[], now: number }} props */
export function Auctions({ auctions, now }) {
  const list = auctions.map((auction) => {
    const [name, look] = PHASES[auction.phase] ?? [auction.phase, 'quiet'];
    return h(
      'li',
      { key: auction.symbol },
      h(
        'div',
        { class: 'head' },
        h('b', null, auction.symbol),
        h(Mark, { name, look }),
        h('span', { class: 'due' }, due(auction, now)),
      ),
      h('div', { class: 'rest' }, `auction ${auction.auctionId}; ${entitled(auction)}`),
    );
  });
  return h(
    Panel,
    { id: 'auctions', title: 'Auctions' },
    list.length === 0
      ? h('p', { class: 'empty' }, 'No auction was heard of yet.')
      : h('ul', { class: 'auctions' }, ...list),
  );
}

/** @param {import('./api.js').AuctionPhase} auction @param {number} now */
function due({ phase, eventType, startTime, lockdownTime, scheduledCrossTime }, now) {
  /** @param {string} what @param {number} at */
  const ahead = (what, at) => (at > now ? `${what} in ${durationOf(at - now + 999)}` : `${what} due`);
  if (eventType === 'AUCTION_CROSS_COMPLETED') return 'crossed';
  if (phase === 'ACCUMULATION') return ahead('lockdown', lockdownTime);
  if (phase === 'LOCKDOWN')
    return ahead(eventType === 'AUCTION_CROSS_POSTPONED' ? 'postponed cross' : 'cross', scheduledCrossTime);
  return phase === 'COOLING' ? ahead('start', startTime) : '';
}

/** @param {import('./api.js').AuctionPhase} auction */
function entitled({ createAuctionOrderEnabled, amendAuctionOrderEnabled, cancelAuctionOrderEnabled }) {
  const allowed = [];
  if (createAuctionOrderEnabled) allowed.push('enter');
  if (amendAuctionOrderEnabled) allowed.push('amend');
  if (cancelAuctionOrderEnabled) allowed.push('cancel');
  return allowed.length === 0 ? 'takes no GTX orders now' : `GTX orders: ${allowed.join(', ')}`;
}

/** @param {{ logins: readonly import('./api.js').ExchangeLoginView[] }} props */
export function Exchange({ logins }) {
  return h(
    Panel,
    {
      id: 'exchange',
      title: 'Exchange',
      aside: theReader().mayOperate ? h(ActionButton, { action: () => reconcile(null) }, 'Reconcile …') : null,
    },
    ...logins.map((login) => {
      const { name, up, privateFeedLive, inFlight, tradingAccountIds } = login;
      const partition = partitionOf(login);
      return h(Pairs, {
        key: name,
        pairs: [
          ['Login', name],
          ...(partition === null ? [] : [/** @type {const} */ (['Partition', partition])]),
          ['State', h(Mark, up ? { look: 'good', name: 'Up' } : { look: 'bad', name: 'Down' })],
          ['Stream', h(Mark, privateFeedLive ? { look: 'good', name: 'Live' } : { look: 'bad', name: 'Not live' })],
          ['In flight', inFlight === 1 ? '1 command' : `${inFlight} commands`],
          ['Accounts', tradingAccountIds.join(' ')],
        ],
      });
    }),
  );
}

/** @param {{ alarms: readonly import('./api.js').Alarm[], open: readonly import('./api.js').OpenAlarm[] }} props */
export function Alarms({ alarms, open }) {
  const list = alarms.map((one, index) => {
    const { at, alarm, text, more = 0 } = one;
    return h(
      'li',
      { key: `${at} ${index}` },
      h('time', null, dateTimeOf(at)),
      h('b', null, alarm),
      h('p', null, text),
      // The order, session or login that it is about.
      h('p', { class: 'fields' }, inWords(fieldsOf(one))),
      more > 0 ? h('p', { class: 'fields' }, `and ${more} more of this name before`) : null,
    );
  });
  return h(
    Panel,
    { id: 'alarms', title: 'Alarms', aside: alarms.length === 0 ? '' : `latest ${alarms.length}` },
    open.length === 0
      ? null
      : h('ol', { class: 'alarms open' }, ...open.map((one) => h(OpenAlarm, { key: one.id, one }))),
    list.length === 0 ? h('p', { class: 'empty' }, 'None since the start.') : h('ol', { class: 'alarms' }, ...list),
  );
}

/** One that needs somebody: how often it came, and who took it. @param {{ one: import('./api.js').OpenAlarm }} props */
function OpenAlarm({ one }) {
  const { alarm, severity, count, lastAt, acknowledged } = one;
  const taken = acknowledged === null ? null : h('p', null, `${acknowledged.by}: ${acknowledged.why}`);
  return h(
    'li',
    null,
    h(Mark, { look: acknowledged !== null ? 'quiet' : severity === 'info' ? 'wait' : 'bad', name: alarm }),
    h(
      'span',
      { class: 'count' },
      `${partitionOf(one) === null ? '' : `${partitionOf(one)}: `}${count === 1 ? 'once' : `${count} times`}, last ${dateTimeOf(lastAt)}`,
    ),
    taken,
    acknowledged === null && theReader().mayOperate
      ? h(ActionButton, { action: () => acknowledge(one), label: `Acknowledge ${alarm}` }, 'Acknowledge …')
      : null,
  );
}
