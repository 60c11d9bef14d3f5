// @ts-check
// The console: asks for a token, then shows the gateway as it is, once a second while the page is seen. Holds what is shown
// in one place and draws it anew after every change. What each panel looks like stands in the file named after it.
import { h, render } from 'preact';
import { setReader } from './actions/dialog.js';
import * as api from './api.js';
import { Certifications } from './certifications.js';
import { Cluster } from './cluster.js';
import { Configuration } from './configuration.js';
import { Frame, LastConfiguration } from './frame.js';
import { History, openHistory } from './history.js';
import { Alarms, Auctions, Exchange } from './market.js';
import { Order, Orders } from './orders.js';
import { Plots } from './plots/plots.js';
import { Messages, Sessions } from './sessions.js';
import { LiveStream } from './stream.js';
import { addressOf, tell, viewOf } from './views.js';

const MESSAGES_MAX = 100;

const shown = {
  /** As the address says. */
  view: viewOf(location.hash),
  loggedIn: api.hasToken(),
  /** Why the login form is shown again. */
  refusal: '',
  /** Since when the gateway does not answer; null while it does. @type {number | null} */
  lostAt: null,
  /** What it did not give, the last time. @type {string | null} */
  notGiven: null,
  /** @type {api.Overview | null} */
  overview: null,
  /** False until the first piece of a stream is taken. */
  isWhole: false,
  /** The session with the messages that are there. @type {string | null} */
  followed: null,
  /** @type {{ orders: readonly api.ListedOrder[], more: boolean }} */
  found: { orders: [], more: false },
  /** @type {api.OrderFilter} */
  filter: { session: '', partition: '', clOrdID: '', orderID: '', symbol: '', status: '', open: false },
  /** @type {{ key: string, sessionId: string, clOrdID: string } | null} */
  chosenOrder: null,
  /** @type {api.OrderSnapshot | null} */
  order: null,
  /** The way of that order, hop by hop. @type {import('./order-drawing.js').Hops | null} */
  hops: null,
  /** SessionID. @type {string | null} */
  session: null,
  sessionFilter: '',
  /** Sessions that certify. @type {readonly string[]} */
  certifications: [],
  /** The one that is shown; a look opens it. @type {string | null} */
  certification: null,
  /** @type {import('../../certification/mod.ts').DeskView | null} */
  desk: null,
  /** @type {api.DecodedMessage[]} */
  messages: [],
  /** @type {number | null} */
  opened: null,
};

/** As in console.css. */
const oneColumn = matchMedia('(max-width: 68.75em)');

const root = /** @type {HTMLElement} */ (document.getElementById('console'));
/** Key of the order that was brought into view. @type {string | null} */
let revealed = null;

function draw() {
  tellAddress();
  render(shown.loggedIn ? h(Console, null) : h(Login, null), root);
  const key = shown.order?.key ?? null;
  if (key === revealed) return;
  revealed = key;
  // It stands below the list that it was chosen from, or above alarms that were read: out of sight maybe.
  document.getElementById('order')?.scrollIntoView({ block: 'nearest' });
}

/** The desk's address has what is chosen on it; the other views go by theirs. */
function tellAddress() {
  if (shown.view.view !== 'desk' || !shown.loggedIn || shown.overview === null) return;
  const { session, sessionFilter, filter, chosenOrder } = shown;
  const order = chosenOrder === null ? {} : { orderSession: chosenOrder.sessionId, order: chosenOrder.clOrdID };
  const { session: orders, ...rest } = filter;
  tell(
    addressOf('desk', {
      ...(session === chosenByItself() ? {} : { session }),
      sessions: sessionFilter,
      orders,
      ...rest,
      ...order,
    }),
  );
}

/** Take over what an address says. */
function readAddress() {
  shown.view = viewOf(location.hash);
  const { view, params } = shown.view;
  if (view === 'history' && shown.loggedIn) openHistory(params, draw);
  if (view !== 'desk') return;
  const text = (/** @type {string} */ name) => params.get(name) ?? '';
  const session = params.get('session') ?? chosenByItself();
  if (session !== shown.session) Object.assign(shown, { session, messages: [], opened: null });
  shown.sessionFilter = text('sessions');
  const [partition, clOrdID, orderID, symbol, status] = ['partition', 'clOrdID', 'orderID', 'symbol', 'status'].map(
    text,
  );
  shown.filter = /** @type {api.OrderFilter} */ ({
    session: text('orders'),
    partition,
    clOrdID,
    orderID,
    symbol,
    status,
    open: params.has('open'),
  });
  const [sessionId, order] = [params.get('orderSession'), params.get('order')];
  if (sessionId === null || order === null) Object.assign(shown, { chosenOrder: null, order: null });
  else if (shown.chosenOrder?.clOrdID !== order || shown.chosenOrder.sessionId !== sessionId) {
    Object.assign(shown, { chosenOrder: { sessionId, clOrdID: order, key: '' }, order: null });
  }
}

/** The session that is shown where none was chosen. */
function chosenByItself() {
  const sessions = shown.overview?.sessions ?? [];
  return (sessions.find(({ messagesIn }) => messagesIn > 0) ?? sessions[0])?.sessionId ?? null;
}

const stream = new LiveStream({
  onOpen: () =>
    Object.assign(shown, {
      isWhole: false,
      messages: [],
      opened: shown.followed === shown.session ? shown.opened : null,
      followed: shown.session,
    }),
  onPiece: (piece) => {
    take(piece);
    Object.assign(shown, { lostAt: null, notGiven: null });
    // The first piece says who reads; what there is to see comes with the next.
    if (piece.reader !== undefined) return;
    draw();
    refresh();
  },
  onLost: (error) => {
    if (error instanceof api.Unauthorized) logOut('This token is not accepted.');
    else if (error instanceof api.Refused) Object.assign(shown, { lostAt: null, notGiven: error.message });
    else if (!(error instanceof api.Outdated)) shown.lostAt ??= Date.now();
    draw();
  },
});

/** Have the stream follow what is chosen; it goes on as it is if nothing else was. */
function refresh() {
  if (!shown.loggedIn || document.hidden) {
    stream.close();
    return;
  }
  const { session, filter, chosenOrder, certification, view } = shown;
  if (view.view !== 'desk') {
    stream.follow('brief=true');
    return;
  }
  const query = new URLSearchParams();
  const { session: orders, open, ...names } = filter;
  const order = chosenOrder === null ? {} : { orderSession: chosenOrder.sessionId, order: chosenOrder.clOrdID };
  for (const [name, value] of Object.entries({ session, orders, ...names, ...order, certification })) {
    if (value !== null && value !== '') query.set(name, value);
  }
  if (open) query.set('open', 'true');
  stream.follow(query.toString());
}

/** @param {import('./stream.js').Piece} piece */
function take({
  reader,
  overview: { gone = [], sessions: changed = [], ...parts },
  found,
  order,
  hops,
  messages = [],
  desk,
}) {
  if (reader !== undefined) {
    setReader(reader);
    return;
  }
  const before = shown.isWhole ? (shown.overview?.sessions ?? []) : [];
  const sessions = new Map(before.map((session) => [session.sessionId, session]));
  for (const session of changed) sessions.set(session.sessionId, session);
  for (const sessionId of gone) sessions.delete(sessionId);
  const inOrder = [...sessions.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  shown.overview = /** @type {api.Overview} */ ({
    ...(shown.isWhole ? shown.overview : {}),
    ...parts,
    sessions: inOrder,
  });
  shown.isWhole = true;
  const { certifications = [] } = shown.overview;
  // A restarted gateway may not have the session any more, nor the order.
  const isThere = (/** @type {string | null} */ id) => sessions.has(id ?? '');
  if (!isThere(shown.session)) shown.session = null;
  if (!isThere(shown.filter.session)) shown.filter = { ...shown.filter, session: '' };
  shown.session ??= chosenByItself();
  shown.certifications = certifications;
  if (shown.certification !== null && !certifications.includes(shown.certification))
    Object.assign(shown, { certification: null, desk: null });
  if (found !== undefined) shown.found = found;
  if (hops !== undefined) shown.hops = hops;
  if (order !== undefined && shown.chosenOrder !== null) {
    if (order === null) Object.assign(shown, { order, chosenOrder: null });
    else if (order.chain.includes(shown.chosenOrder.clOrdID)) shown.order = order;
  }
  if (messages.length > 0) shown.messages = [...shown.messages, ...messages].slice(-MESSAGES_MAX);
  if (desk !== undefined) shown.desk = desk;
}

/** @param {string} name */
function chooseCertification(name) {
  Object.assign(shown, { certification: shown.certification === name ? null : name, desk: null });
  draw();
  refresh();
}

/**
 * Sessions of one name by their SessionIDs too: a file that says another identity has the one before as well, which was removed.
 * @param {readonly api.SessionView[]} sessions
 */
function toldApart(sessions) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { name } of sessions) counts.set(name, (counts.get(name) ?? 0) + 1);
  return sessions.map((session) => {
    const { name, sessionId } = session;
    return counts.get(name) === 1 ? session : { ...session, name: `${name}, ${sessionId}` };
  });
}

/** @param {string} refusal */
function logOut(refusal) {
  api.forgetToken();
  stream.close();
  Object.assign(shown, { loggedIn: false, refusal, overview: null, order: null, chosenOrder: null, messages: [] });
}

/** A browser does it by itself for the first page only, not when the form is shown again. @param {HTMLElement | null} field */
function takeFocus(field) {
  field?.focus();
}

function Login() {
  return h(
    'form',
    {
      class: 'login',
      /** @param {SubmitEvent} event */
      onSubmit: (event) => {
        event.preventDefault();
        const field = /** @type {HTMLInputElement} */ (document.getElementById('token'));
        api.keepToken(field.value.trim());
        Object.assign(shown, { loggedIn: true, refusal: '' });
        readAddress();
        draw();
        refresh();
      },
    },
    h('h1', null, 'Crossgate'),
    h('label', { for: 'token' }, 'Admin token'),
    h('input', { id: 'token', type: 'password', autocomplete: 'off', required: true, ref: takeFocus }),
    h(
      'p',
      { class: 'hint' },
      'One of your own, or the shared one where that is taken: it lies in ',
      h('code', null, 'secrets/admin.token'),
      " of the gateway's state folder.",
    ),
    shown.refusal === '' ? null : h('p', { class: 'refusal', role: 'alert' }, shown.refusal),
    h('button', { type: 'submit' }, 'Log in'),
  );
}

function Console() {
  const { overview: live } = shown;
  if (live === null) {
    const refused = shown.notGiven === null ? 'Asking the gateway …' : `Nothing can be shown: ${shown.notGiven}.`;
    const text = shown.lostAt === null ? refused : 'The gateway does not answer; trying again.';
    return h('p', { class: 'waiting', role: 'status' }, text);
  }
  const overview = { ...live, sessions: toldApart(live.sessions) };
  const { view, params } = shown.view;
  const { sessions } = overview;
  const around = { overview, view, lostAt: shown.lostAt, notGiven: shown.notGiven, onLeave: leave };
  if (view === 'plots') {
    const { hasPrometheus = false } = overview;
    return h(Frame, around, h(Plots, { params, sessions, hasPrometheus }));
  }
  if (view === 'history') return h(Frame, around, h(History, { params, sessions, draw }));
  if (view === 'cluster') return h(Frame, around, h(Cluster, { overview }));
  if (view === 'configuration') return h(Frame, around, h(Configuration, { session: params.get('session'), sessions }));
  const chosen = overview.sessions.find(({ sessionId }) => sessionId === shown.session) ?? null;
  const order = shown.order === null ? null : h(Order, { order: shown.order, hops: shown.hops, onClose: closeOrder });
  return h(
    Frame,
    around,
    h(
      'main',
      null,
      h(
        'div',
        { class: 'wide' },
        h(Sessions, {
          sessions: overview.sessions,
          filter: shown.sessionFilter,
          onFilter: setSessionFilter,
          selected: shown.session,
          onSelect: chooseSession,
        }),
        shown.certifications.length === 0
          ? null
          : h(Certifications, {
              names: shown.certifications,
              selected: shown.certification,
              desk: shown.desk,
              onSelect: chooseCertification,
            }),
        h(Orders, {
          ...shown.found,
          counts: overview.orderCounts,
          sessions: overview.sessions,
          partitions: overview.partitions ?? [],
          filter: shown.filter,
          onFilter: setFilter,
          selected: shown.order?.key ?? shown.chosenOrder?.key ?? null,
          onSelect: chooseOrder,
        }),
        // In one column Tab leads to it where it is seen: below where it was chosen.
        oneColumn.matches ? order : null,
        h(Messages, { session: chosen, messages: shown.messages, opened: shown.opened, onOpen: openMessage }),
      ),
      h(
        'div',
        { class: 'side' },
        oneColumn.matches ? null : order,
        h(Auctions, { auctions: overview.auctions, now: overview.now }),
        h(Exchange, { logins: overview.exchangeLogins }),
        h(LastConfiguration, { last: overview.configuration }),
        h(Alarms, { alarms: overview.alarms, open: overview.openAlarms ?? [] }),
      ),
    ),
  );
}

function leave() {
  logOut('');
  draw();
}

/** @param {api.SessionView} session */
function chooseSession({ sessionId }) {
  if (shown.session !== sessionId) Object.assign(shown, { session: sessionId, messages: [], opened: null });
  draw();
  refresh();
}

/** @param {string} filter */
function setSessionFilter(filter) {
  shown.sessionFilter = filter;
  draw();
}

/** @param {api.OrderFilter} filter */
function setFilter(filter) {
  shown.filter = filter;
  draw();
  refresh();
}

/** @param {api.ListedOrder} order */
function chooseOrder(order) {
  Object.assign(shown, { chosenOrder: order, hops: null });
  draw();
  refresh();
}

function closeOrder() {
  const isIn = document.getElementById('order')?.contains(document.activeElement);
  // Else the focus would be nowhere.
  if (isIn) /** @type {HTMLElement | null} */ (document.querySelector('#orders .selected'))?.focus();
  Object.assign(shown, { chosenOrder: null, order: null });
  draw();
}

/** @param {number | null} serial */
function openMessage(serial) {
  shown.opened = serial;
  draw();
}

document.addEventListener('keydown', ({ key, target }) => {
  // In a field of the filter it is the field's.
  if (key === 'Escape' && !(/** @type {Element} */ (target).closest('.filter'))) closeOrder();
});
addEventListener('hashchange', () => {
  readAddress();
  draw();
  refresh();
});
document.addEventListener('visibilitychange', () => refresh());
oneColumn.addEventListener('change', draw);
// What the page itself said while this was loading would stay above everything.
root.replaceChildren();
readAddress();
draw();
refresh();
