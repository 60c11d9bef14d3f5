// @ts-check
// The sessions with their live state and numbers, and the last messages of the chosen one, decoded.
import { h } from 'preact';
import { disableSession, enableSession, fileOf, logOutSession, sendNews, setNumbers } from './actions/actions.js';
import { changeLimits } from './actions/configuration-actions.js';
import { ActionButton, theReader } from './actions/dialog.js';
import { instantOf, secondOf, stateOf, timeOf } from './format.js';
import { Mark, Panel, partitionOf, SearchField, step, Table } from './parts.js';
import { addressOf } from './views.js';

/**
 * @typedef {import('./api.js').SessionView} SessionView
 * @typedef {import('./api.js').DecodedMessage} DecodedMessage
 */

/** @type {readonly import('./parts.js').Column<SessionView>[]} */
const COLUMNS = [
  {
    title: 'Session',
    cell: ({ name, sessionId }) => h('span', { class: 'name', title: `${name}\n${sessionId}` }, name),
  },
  { title: 'State', cell: (session) => h(Mark, stateOf(session)) },
  { title: 'Since', cell: ({ status }) => secondOf(status.since), code: true },
  { title: 'Next out', cell: ({ status }) => status.numbers.nextSenderMsgSeqNum, number: true },
  { title: 'Next in', cell: ({ status }) => status.numbers.nextTargetMsgSeqNum, number: true },
  { title: 'Last in', cell: ({ status }) => secondOf(status.lastReceivedAt), code: true },
  { title: 'Last out', cell: ({ status }) => secondOf(status.lastSentAt), code: true },
  { title: 'Open', cell: ({ openOrders }) => openOrders, number: true },
  { title: 'FIX', cell: ({ beginString, dialect }) => `${beginString} ${dialect}` },
  { title: 'Durability', cell: ({ durability }) => durability },
  { title: 'Remote', cell: ({ status }) => status.remote ?? '–', code: true },
  { title: 'Notes', cell: notes },
];

const FILTER = 'Sessions by name or state';

/** @param {SessionView} session */
function notes({ status, alarms }) {
  const { gap, replay } = status;
  const words = [];
  if (gap !== null) words.push(`gap ${gap.beginSeqNo}–${gap.endSeqNo}, ${gap.queued} wait`);
  if (replay !== null) words.push(`resending ${replay.next}–${replay.end}`);
  if (status.testRequestOutstanding) words.push('TestRequest unanswered');
  if (alarms > 0) words.push(alarms === 1 ? '1 alarm' : `${alarms} alarms`);
  return words.join('; ');
}

/** Whether every word stands in its names, its state or its notes. @param {SessionView} session @param {string} words */
function matches(session, words) {
  const place = partitionOf(session) ?? '';
  const text = `${session.name} ${session.sessionId} ${stateOf(session).name} ${notes(session)} ${place}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/**
 * @param {object} props
 * @param {readonly SessionView[]} props.sessions
 * @param {string} props.filter words that a session must have to be listed
 * @param {(filter: string) => void} props.onFilter
 * @param {string | null} props.selected
 * @param {(session: SessionView) => void} props.onSelect
 */
export function Sessions({ sessions, filter, onFilter, selected, onSelect }) {
  const up = sessions.filter(({ status }) => status.state === 'loggedOn').length;
  const none = 'No session yet: the template makes one when a counterparty logs on.';
  const chosen = sessions.find(({ sessionId }) => sessionId === selected);
  return h(
    Panel,
    {
      id: 'sessions',
      title: 'Sessions',
      aside: h(
        'div',
        { class: 'actions' },
        `${up} of ${sessions.length} logged on`,
        theReader().mayOperate && up > 0 ? h(ActionButton, { action: () => sendNews(sessions) }, 'News …') : null,
      ),
    },
    h('div', { class: 'filter', role: 'search' }, h(SearchField, { label: FILTER, value: filter, onFilter })),
    h(/** @type {typeof Table<SessionView>} */ (Table), {
      label: 'Sessions',
      columns: COLUMNS,
      rows: sessions.filter((session) => matches(session, filter)),
      keyOf: ({ sessionId }) => sessionId,
      empty: sessions.length === 0 ? none : 'No session matches.',
      selected,
      onSelect,
    }),
    chosen === undefined || !theReader().mayOperate ? null : h(SessionActions, { session: chosen }),
  );
}

/** For the chosen session. @param {{ session: SessionView }} props */
function SessionActions({ session }) {
  const isOn = session.status.state === 'loggedOn';
  const file = fileOf(session);
  const turn = session.enabled ? [disableSession, 'Disable …'] : [enableSession, 'Enable …'];
  const [change, name] = /** @type {[typeof enableSession, string]} */ (turn);
  return h(
    'div',
    { class: 'actions', role: 'group', 'aria-label': `Actions on ${session.name}` },
    h('span', { class: 'of' }, session.name),
    isOn ? h(ActionButton, { action: () => logOutSession(session) }, 'Log out …') : null,
    session.retired ? null : h(ActionButton, { action: () => change(session) }, name),
    h(ActionButton, { action: () => setNumbers(session) }, 'Numbers …'),
    file === null ? null : h(ActionButton, { action: () => changeLimits(file) }, 'Limits …'),
    file === null ? null : h('a', { href: addressOf('configuration', { session: file }) }, 'Its file'),
  );
}

/** Fields that only address a message; they stand in the raw line. */
const ENVELOPE = new Set([8, 9, 35, 49, 56, 10]);

/**
 * @param {object} props
 * @param {SessionView | null} props.session
 * @param {readonly DecodedMessage[]} props.messages the oldest first
 * @param {number | null} props.opened serial of the message shown in full
 * @param {(serial: number | null) => void} props.onOpen
 */
export function Messages({ session, messages, opened, onOpen }) {
  const title = session === null ? 'Messages' : `Messages of ${session.name}`;
  const aside = session === null ? '' : `${session.messagesIn} in, ${session.messagesOut} out since the start`;
  if (messages.length === 0) {
    const empty = session === null ? 'No session yet.' : 'No message since the gateway was started.';
    return h(Panel, { id: 'messages', title, aside }, h('p', { class: 'empty' }, empty));
  }
  const lines = h(MessageLines, {
    messages: messages.toReversed(),
    keyOf: ({ serial }) => String(serial),
    openedKey: opened === null ? null : String(opened),
    onOpen: (/** @type {string} */ key) => onOpen(Number(key) === opened ? null : Number(key)),
  });
  return h(Panel, { id: 'messages', title, aside }, lines);
}

/**
 * Messages, one a line; the opened one in full. Of the past, with date and session.
 * @template {DecodedMessage & { sessionId?: string | null, place?: string }} M
 * @param {object} props
 * @param {readonly M[]} props.messages the latest first
 * @param {(message: M) => string} props.keyOf
 * @param {string | null} props.openedKey
 * @param {(key: string) => void} props.onOpen
 * @param {boolean} [props.isPast]
 */
export function MessageLines({ messages, keyOf, openedKey, onOpen, isPast = false }) {
  const entered = messages.find((message) => keyOf(message) === openedKey) ?? messages[0];
  return h(
    'ol',
    {
      class: isPast ? 'messages past' : 'messages',
      onKeyDown: (/** @type {KeyboardEvent} */ event) => step(event, '.line'),
    },
    ...messages.map((message) => {
      const key = keyOf(message);
      const isOpen = key === openedKey;
      const { at, direction, msgSeqNum, sessionId = null } = message;
      return h(
        'li',
        { key },
        h(
          'button',
          {
            type: 'button',
            class: 'line',
            'aria-expanded': isOpen,
            tabIndex: message === entered ? 0 : -1,
            onClick: () => onOpen(key),
          },
          h('time', null, isPast ? instantOf(at) : timeOf(at)),
          h('span', { class: `way ${direction}` }, direction),
          h('span', { class: 'sequence' }, msgSeqNum ?? '–'),
          isPast ? h('span', { class: 'whose', title: sessionId }, sessionId?.split('->')[1] ?? '–') : null,
          h('span', { class: 'text' }, ...lineOf(message)),
        ),
        isOpen ? h(Message, { message }) : null,
      );
    }),
  );
}

/** The name of the message, then the rest. @param {DecodedMessage} message */
function lineOf({ line, note }) {
  const end = line.indexOf(' ');
  const name = end < 0 ? line : line.slice(0, end);
  return [h('b', null, name), ` ${end < 0 ? '' : line.slice(end + 1)}`, note === '' ? '' : ` (${note})`];
}

/** @param {{ message: DecodedMessage }} props */
function Message({ message }) {
  const fields = message.fields.filter(({ tag }) => !ENVELOPE.has(tag));
  return h(
    'div',
    { class: 'message' },
    h(
      'div',
      { class: 'fields' },
      ...fields.map(({ tag, name, value, meaning, depth }, index) =>
        h(
          'div',
          { key: index, class: `field depth${Math.min(depth, 2)}` },
          h('span', { class: 'tag' }, tag),
          h('span', { class: 'name-of' }, name),
          h('span', { class: 'value' }, meaning === null ? value : `${value} (${meaning})`),
        ),
      ),
    ),
    h('code', { class: 'raw' }, message.raw),
  );
}
