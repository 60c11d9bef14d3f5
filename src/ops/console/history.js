// @ts-check
// The past, out of the journal: messages, orders that ended, alarms and actions, searched and in pages, the latest first. The address
// holds the search, so that it can be sent to a colleague.
import { h } from 'preact';
import * as api from './api.js';
import { dateTimeOf, instantOf, inWords } from './format.js';
import { Order, PLACE, TERMS } from './orders.js';
import { fieldsOf, Panel, Table } from './parts.js';
import { MessageLines } from './sessions.js';
import { addressOf, go } from './views.js';

/**
 * @typedef {import('./api.js').PastMessage} PastMessage
 * @typedef {import('./api.js').OrderSnapshot} OrderSnapshot
 * @typedef {'messages' | 'orders' | 'alarms' | 'actions'} Subject
 * @typedef {PastMessage | OrderSnapshot | import('./api.js').PastAlarm | import('./api.js').PastAction} Found
 */

/** What is searched, and the fields of its form. @type {Readonly<Record<Subject, readonly string[]>>} */
const FIELDS = {
  messages: ['session', 'clOrdID', 'orderID', 'type', 'tag', 'from', 'to'],
  orders: ['session', 'clOrdID', 'orderID', 'symbol', 'status', 'from', 'to'],
  alarms: ['text', 'from', 'to'],
  actions: ['text', 'from', 'to'],
};
const SUBJECTS = /** @type {readonly Subject[]} */ (Object.keys(FIELDS));

/** @type {Readonly<Record<string, string>>} */
const LABELS = {
  session: 'Session',
  clOrdID: 'ClOrdID(11)',
  orderID: 'OrderID(37)',
  symbol: 'Symbol(55)',
  status: 'OrdStatus(39)',
  type: 'MsgType(35)',
  tag: 'Tag or tag=value',
  text: 'Words',
  from: 'From (UTC)',
  to: 'To (UTC)',
};

/** @type {Readonly<Record<string, string>>} */
const EXAMPLES = {
  type: 'D, 8',
  tag: '44=50000',
  status: 'filled',
  from: '2026-11-21T09:30',
  to: '2026-11-21T17:00',
};

/** Pages asked for by themselves while nothing is found: the search goes on, further back. */
const EMPTY_PAGES_MAX = 200;

const state = {
  /** The address of the results. @type {string | null} */
  address: null,
  /** @type {readonly Found[]} */
  found: [],
  /** @type {string | null} */
  next: null,
  /** @type {number | null} */
  reachedAt: null,
  /** @type {readonly string[]} */
  unread: [],
  isAsking: false,
  /** Why nothing more came. @type {string | null} */
  refusal: null,
  /** Place of the opened message, or key of the opened order. @type {string | null} */
  opened: null,
};

/** @param {URLSearchParams} params @returns {Subject} */
function subjectOf(params) {
  return SUBJECTS.find((one) => one === params.get('of')) ?? 'messages';
}

/**
 * Begin the search of an address, unless its results are shown.
 * @param {URLSearchParams} params
 * @param {() => void} draw
 */
export function openHistory(params, draw) {
  const address = params.toString();
  if (state.address === address && (state.isAsking || state.refusal === null)) return;
  Object.assign(state, { address, found: [], next: null, reachedAt: null, unread: [], refusal: null, opened: null });
  void search(params, draw);
}

/** @param {URLSearchParams} params @param {() => void} draw */
async function search(params, draw) {
  const address = params.toString();
  const isStill = () => state.address === address;
  state.isAsking = true;
  draw();
  try {
    for (let page = 0, before = state.next; page < EMPTY_PAGES_MAX; page++) {
      const { found, next, reachedAt, unread } = await api.past(subjectOf(params), queryOf(params, before));
      if (!isStill()) return;
      Object.assign(state, {
        found: [...state.found, ...found],
        next,
        reachedAt,
        unread: [...state.unread, ...unread],
      });
      if (found.length > 0 || next === null) break;
      before = next;
      draw();
    }
  } catch (error) {
    if (!isStill()) return;
    // The stream hears it too, and asks for another token; the search begins again behind that.
    if (error instanceof api.Unauthorized) Object.assign(state, { address: null, isAsking: false });
    if (error instanceof api.Unauthorized) return;
    state.refusal = error instanceof api.Refused ? error.message : 'The gateway does not answer.';
  }
  state.isAsking = false;
  draw();
}

/** @param {URLSearchParams} params @param {string | null} before */
function queryOf(params, before) {
  const query = new URLSearchParams();
  for (const name of FIELDS[subjectOf(params)]) {
    const text = params.get(name)?.trim() ?? '';
    if (text === '') continue;
    if (name === 'type' || name === 'tag') for (const one of text.split(/[\s,;]+/)) query.append(name, one);
    else query.set(name, text);
  }
  if (before !== null) query.set('before', before);
  return query;
}

/** @param {{ params: URLSearchParams, sessions: readonly api.SessionView[], draw: () => void }} props */
export function History({ params, sessions, draw }) {
  const subject = subjectOf(params);
  return h(
    'main',
    { class: 'view' },
    h(
      Panel,
      { id: 'history', title: 'History', aside: 'from the journal, the latest first' },
      h(Subjects, { subject }),
      h(SearchForm, { key: params.toString(), subject, params, sessions }),
      h(
        'div',
        { class: 'results', 'aria-live': 'polite' },
        h(Results, { subject, draw }),
        h(Further, { params, draw }),
      ),
    ),
  );
}

/** @param {{ subject: Subject }} props */
function Subjects({ subject }) {
  return h(
    'nav',
    { class: 'tabs', 'aria-label': 'What is searched' },
    ...SUBJECTS.map((one) =>
      h(
        'a',
        { key: one, href: addressOf('history', { of: one }), 'aria-current': one === subject ? 'page' : undefined },
        `${one[0]?.toUpperCase()}${one.slice(1)}`,
      ),
    ),
  );
}

/** @param {{ subject: Subject, params: URLSearchParams, sessions: readonly api.SessionView[] }} props */
function SearchForm({ subject, params, sessions }) {
  return h(
    'form',
    {
      class: 'search',
      role: 'search',
      /** @param {SubmitEvent} event */
      onSubmit: (event) => {
        event.preventDefault();
        const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
        const given = Object.fromEntries(FIELDS[subject].map((name) => [name, String(form.get(name) ?? '').trim()]));
        go(addressOf('history', { of: subject, ...given }));
      },
    },
    ...FIELDS[subject].map((name) =>
      h(
        'label',
        { key: name },
        h('span', null, LABELS[name]),
        h('input', {
          name,
          // Not `value`: what somebody types stays while pages come.
          defaultValue: params.get(name) ?? '',
          placeholder: EXAMPLES[name] ?? '',
          list: name === 'session' ? 'session-names' : undefined,
          maxLength: 200,
          autocomplete: 'off',
          spellcheck: false,
        }),
      ),
    ),
    h('datalist', { id: 'session-names' }, ...sessions.map(({ name }) => h('option', { key: name, value: name }))),
    h('button', { type: 'submit', class: 'main' }, 'Search'),
  );
}

/** @param {{ subject: Subject, draw: () => void }} props */
function Results({ subject, draw }) {
  const { found } = state;
  if (found.length === 0) return null;
  /** @param {string} key */
  const open = (key) => {
    state.opened = state.opened === key ? null : key;
    draw();
  };
  if (subject === 'orders') return h(PastOrders, { orders: /** @type {OrderSnapshot[]} */ (found), open });
  if (subject === 'messages') {
    const messages = /** @type {PastMessage[]} */ (found);
    return h(/** @type {typeof MessageLines<PastMessage>} */ (MessageLines), {
      messages,
      keyOf: ({ place }) => place,
      openedKey: state.opened,
      onOpen: open,
      isPast: true,
    });
  }
  if (subject === 'alarms') return h(PastAlarms, { alarms: /** @type {import('./api.js').PastAlarm[]} */ (found) });
  return h(PastActions, { actions: /** @type {import('./api.js').PastAction[]} */ (found) });
}

/** @type {readonly import('./parts.js').Column<OrderSnapshot>[]} */
const ORDER_COLUMNS = [
  { title: 'Received (UTC)', cell: ({ receivedAt }) => instantOf(receivedAt), code: true },
  ...TERMS,
  { title: 'Filled', cell: ({ cumQty }) => cumQty, number: true },
  ...PLACE,
];

/** @param {{ orders: readonly OrderSnapshot[], open: (key: string) => void }} props */
function PastOrders({ orders, open }) {
  const opened = orders.find(({ key }) => key === state.opened) ?? null;
  return h(
    'div',
    null,
    h(/** @type {typeof Table<OrderSnapshot>} */ (Table), {
      label: 'Orders that ended',
      columns: ORDER_COLUMNS,
      rows: orders,
      keyOf: ({ key }) => key,
      empty: '',
      selected: state.opened,
      onSelect: ({ key }) => open(key),
    }),
    opened === null ? null : h(Order, { order: opened, onClose: () => open(opened.key) }),
  );
}

/** @param {{ alarms: readonly import('./api.js').PastAlarm[] }} props */
function PastAlarms({ alarms }) {
  return h(
    'ol',
    { class: 'alarms whole' },
    ...alarms.map((one) =>
      h(
        'li',
        { key: one.place },
        h('time', null, dateTimeOf(one.at)),
        h('b', null, one.alarm),
        h('p', null, one.text),
        h('p', { class: 'fields' }, inWords(fieldsOf(one))),
      ),
    ),
  );
}

/** @type {readonly import('./parts.js').Column<import('./api.js').PastAction>[]} */
const ACTION_COLUMNS = [
  { title: 'Time (UTC)', cell: ({ at }) => instantOf(at), code: true },
  { title: 'Who', cell: ({ who }) => who },
  { title: 'Action', cell: ({ action }) => action },
  { title: 'Detail', cell: ({ detail }) => h('span', { class: 'long' }, detail) },
];

/** @param {{ actions: readonly import('./api.js').PastAction[] }} props */
function PastActions({ actions }) {
  return h(/** @type {typeof Table<import('./api.js').PastAction>} */ (Table), {
    label: 'Actions',
    columns: ACTION_COLUMNS,
    rows: actions,
    keyOf: ({ place }) => place,
    empty: '',
  });
}

/** How far the search came, and the way further back. @param {{ params: URLSearchParams, draw: () => void }} props */
function Further({ params, draw }) {
  const { isAsking, refusal, found, next, reachedAt, unread } = state;
  const warnings = [...new Set(unread)].map((text) =>
    h('p', { key: text, class: 'refusal' }, `May be missing: ${text}`),
  );
  const back = reachedAt === null ? '' : `, back to ${dateTimeOf(reachedAt)} UTC`;
  if (refusal !== null) return h('p', { class: 'refusal', role: 'alert' }, refusal);
  if (isAsking) return h('p', { class: 'more', role: 'status' }, `Searching the journal${back} …`);
  const count = `${found.length} found`;
  if (next === null) {
    const whole = found.length === 0 ? 'Nothing matches' : `${count}, nothing older`;
    return h(
      'div',
      null,
      ...warnings,
      h('p', { class: 'more' }, `${whole}: the journal was searched as far back as it goes.`),
    );
  }
  const older = h('button', { type: 'button', class: 'plain', onClick: () => void search(params, draw) }, 'Older');
  return h('div', null, ...warnings, h('p', { class: 'more' }, `${count}${back}. `, older));
}
