// @ts-check
// The frame of every view: the head with its links, thrown kill switches, and what needs somebody's eye.
import { h } from 'preact';
import { confirmProposal, throwKillSwitch, withdrawProposal, withdrawStop } from './actions/actions.js';
import { ActionButton, theReader } from './actions/dialog.js';
import { dateTimeOf, durationOf, secondOf } from './format.js';
import { KillSwitches } from './kill-switches.js';
import { Mark, Panel } from './parts.js';
import { addressOf } from './views.js';

/** @typedef {import('./api.js').Overview} Overview */

/**
 * @typedef {object} Around
 * @property {Overview} overview
 * @property {import('./views.js').ViewName} view
 * @property {number | null} lostAt since when the gateway does not answer
 * @property {string | null} notGiven what it did not give, the last time
 * @property {() => void} onLeave
 */

/** @param {Around & { children?: import('preact').ComponentChildren }} props */
export function Frame({ children, ...around }) {
  return h(
    'div',
    { class: around.lostAt === null ? 'console' : 'console lost' },
    h(Bar, around),
    h(KillSwitches, { switches: around.overview.killSwitches }),
    h(Notices, around),
    children,
  );
}

/**
 * Whether orders can be taken: those of all, of some, or none.
 * @param {Overview['health']} health
 */
function readiness({ ready, partlyReady }) {
  if (ready) return { look: 'good', name: 'Ready for orders' };
  return partlyReady ? { look: 'wait', name: 'Partly ready' } : { look: 'bad', name: 'Not ready' };
}

const VIEW_LINKS = /** @type {const} */ ([
  ['desk', 'Desk'],
  ['history', 'History'],
  ['plots', 'Plots'],
  ['configuration', 'Configuration'],
  // Of a gateway that runs several partitions.
  ['cluster', 'Cluster'],
]);

/** @param {Around} props */
function Bar({ overview, view: chosen, lostAt, onLeave }) {
  const { health, venue, now, startedAt } = overview;
  return h(
    'header',
    { class: 'bar' },
    h('h1', null, 'Crossgate'),
    h('span', { class: 'venue' }, `on ${venue}`),
    h(
      'nav',
      { class: 'views', 'aria-label': 'Views' },
      ...VIEW_LINKS.filter(([view]) => view !== 'cluster' || overview.partitions !== undefined).map(([view, name]) =>
        h('a', { key: view, href: addressOf(view), 'aria-current': chosen === view ? 'page' : undefined }, name),
      ),
    ),
    // Of a gateway that is gone nobody knows what it was ready for.
    h(Mark, lostAt === null ? readiness(health) : { look: 'bad', name: 'Does not answer' }),
    h('span', null, `up ${durationOf(now - startedAt)}`),
    h('span', { class: 'clock' }, `${secondOf(now)} UTC`),
    theReader().mayStop
      ? h(ActionButton, { action: () => throwKillSwitch(overview.sessions), isGrave: true }, 'Stop trading …')
      : null,
    h('a', { href: '/docs/' }, 'Documentation'),
    h('button', { type: 'button', class: 'plain', onClick: onLeave }, 'Log out'),
  );
}

/** @param {Around} props */
function Notices({ overview, lostAt, notGiven }) {
  const { health, configuration, proposals = [], plannedStop = null } = overview;
  const notices = [...health.reasons, ...overview.notices];
  if (lostAt !== null)
    notices.unshift(`The gateway does not answer since ${secondOf(lostAt)} UTC; this is what was known then.`);
  if (notGiven !== null) notices.unshift(`Not all of this page is up to date: ${notGiven}.`);
  if (configuration?.ok === false) notices.push(`The changed configuration is not used. ${configuration.text}`);
  const waiting = configuration?.restartNeeded ?? [];
  if (waiting.length > 0) notices.push(`Waiting for a restart: ${waiting.join(', ')}.`);
  if (notices.length === 0 && plannedStop === null) return null;
  return h(
    'div',
    { class: 'notices', role: 'status' },
    ...notices.map((text) =>
      h('p', { key: text }, text, h(ProposalActions, { one: proposals.find(({ id }) => text.includes(` ${id}`)) })),
    ),
    plannedStop === null ? null : h(PlannedStop, { stop: plannedStop }),
  );
}

/** Beside the notice of a proposal. @param {{ one: import('./api.js').Proposal | undefined }} props */
function ProposalActions({ one }) {
  if (one === undefined || !theReader().mayOperate) return null;
  const isOwn = one.proposedBy === `user ${theReader().user}`;
  return h(
    'span',
    { class: 'notice-actions' },
    isOwn ? null : h(ActionButton, { action: () => confirmProposal(one), label: `Confirm ${one.id}` }, 'Confirm …'),
    h(ActionButton, { action: () => withdrawProposal(one), label: `Withdraw ${one.id}` }, 'Withdraw …'),
  );
}

/** @param {{ stop: NonNullable<Overview['plannedStop']> }} props */
function PlannedStop({ stop }) {
  return h(
    'p',
    { class: 'announced' },
    `A stop at ${dateTimeOf(stop.stopAt)} UTC is announced: ${stop.headline}`,
    theReader().mayOperate
      ? h('span', { class: 'notice-actions' }, h(ActionButton, { action: () => withdrawStop(stop) }, 'Withdraw …'))
      : null,
  );
}

/** How the files were taken over last, and the way to all of it. @param {{ last: Overview['configuration'] }} props */
export function LastConfiguration({ last }) {
  const text = last === null ? 'As at the start.' : `${secondOf(last.at)} UTC by ${last.who}: ${last.text}`;
  const aside = h('a', { href: addressOf('configuration') }, 'Difference and versions');
  return h(Panel, { id: 'configuration', title: 'Configuration', aside }, h('p', { class: 'more' }, text));
}
