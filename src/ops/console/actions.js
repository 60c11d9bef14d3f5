// @ts-check
// What an operator can do, each in a dialog that says what will happen and asks for the reason. The gateway decides by the role of the
// token, audits, and answers in words. Leaves where the buttons stand to the panels.
import { h, render } from 'preact';
import * as api from './api.js';

/**
 * @typedef {object} Action
 * @property {string} title
 * @property {readonly string[] | ((form: FormData) => readonly string[])} effects what will happen, a sentence each
 * @property {string} button
 * @property {boolean} [isGrave] stops or ends something
 * @property {boolean} [needsNoWhy]
 * @property {import('preact').ComponentChildren} [fields] further fields of the form
 * @property {(why: string, form: FormData) => Promise<{ text: string }>} run
 */

const NAME_KEY = 'crossgate.operator';

/** The reader of the page, as the stream says. @type {api.Reader} */
let reader = { user: null, mayOperate: false, mayStop: false, mayLift: false };

/** @param {api.Reader} one */
export function setReader(one) {
  reader = one;
}

/** @returns {api.Reader} */
export function theReader() {
  return reader;
}

/** A button that opens the dialog of an action. @param {{ action: () => Action, children?: import('preact').ComponentChildren, isGrave?: boolean, label?: string }} props */
export function ActionButton({ action, children, isGrave = false, label }) {
  return h(
    'button',
    { type: 'button', class: isGrave ? 'plain grave' : 'plain', 'aria-label': label, onClick: () => open(action()) },
    children,
  );
}

/** @param {Action} action */
function open(action) {
  const place = document.createElement('div');
  document.body.append(place);
  const opener = /** @type {HTMLElement | null} */ (document.activeElement);
  const close = () => {
    render(null, place);
    place.remove();
    opener?.focus();
  };
  const state = { isRunning: false, /** @type {{ text: string, isDone: boolean } | null} */ result: null };
  const draw = () => render(h(Dialog, { action, state, draw, close }), place);
  draw();
  /** @type {HTMLDialogElement | null} */ (place.querySelector('dialog'))?.showModal();
}

/**
 * @param {object} props
 * @param {Action} props.action
 * @param {{ isRunning: boolean, result: { text: string, isDone: boolean } | null }} props.state
 * @param {() => void} props.draw
 * @param {() => void} props.close
 */
function Dialog({ action, state, draw, close }) {
  const { title, effects, button, isGrave = false, needsNoWhy = false, fields } = action;
  const { isRunning, result } = state;
  const form = /** @type {HTMLFormElement | null} */ (document.querySelector('dialog form'));
  const sentences =
    typeof effects === 'function' ? effects(form === null ? new FormData() : new FormData(form)) : effects;
  const isOver = result?.isDone === true;
  return h(
    'dialog',
    { 'aria-labelledby': 'dialog-title', onClose: close },
    h(
      'form',
      {
        onInput: draw,
        /** @param {SubmitEvent} event */
        onSubmit: async (event) => {
          event.preventDefault();
          const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
          sessionStorage.setItem(NAME_KEY, String(given.get('operator') ?? ''));
          Object.assign(state, { isRunning: true, result: null });
          draw();
          try {
            const { text } = await action.run(String(given.get('why') ?? '').trim(), given);
            state.result = { text, isDone: true };
          } catch (error) {
            const text =
              error instanceof api.Refused ? error.message : 'The gateway does not answer; look whether it is done.';
            state.result = { text, isDone: false };
          }
          state.isRunning = false;
          draw();
        },
      },
      h('h2', { id: 'dialog-title' }, title),
      h('div', { hidden: isOver }, fields),
      isOver ? null : h('ul', { class: 'effects' }, ...sentences.map((text) => h('li', { key: text }, text))),
      h(
        'label',
        { hidden: isOver || needsNoWhy },
        h('span', null, 'Reason, for the audit trail'),
        h('input', {
          class: 'box',
          name: 'why',
          maxLength: 500,
          required: !needsNoWhy,
          autocomplete: 'off',
          autofocus: true,
        }),
      ),
      h(
        'label',
        { hidden: isOver || reader.user !== null },
        h('span', null, 'Your name (the shared token names no person)'),
        h('input', {
          class: 'box',
          name: 'operator',
          maxLength: 64,
          required: reader.user === null,
          defaultValue: sessionStorage.getItem(NAME_KEY) ?? '',
        }),
      ),
      result === null ? null : h('p', { class: isOver ? 'done' : 'refusal', role: 'status' }, result.text),
      h(
        'div',
        { class: 'buttons' },
        h('button', { type: 'button', class: 'plain', onClick: closeDialog }, isOver ? 'Close' : 'Leave it'),
        isOver
          ? null
          : h('button', { type: 'submit', class: isGrave ? 'main grave' : 'main', disabled: isRunning }, button),
      ),
    ),
  );
}

/** @param {Event} event */
function closeDialog({ target }) {
  /** @type {HTMLElement} */ (target).closest('dialog')?.close();
}

/** @param {string} path @param {object} body @param {FormData} form */
function post(path, body, form) {
  return api.act(path, body, String(form.get('operator') ?? ''));
}

/** @param {string} name */
const at = (name) => `/api/sessions/${encodeURIComponent(name)}`;

/** @param {api.SessionView} session @returns {Action} */
export function logOutSession({ name, sessionId, openOrders }) {
  return {
    title: `Log ${name} out`,
    effects: [
      'The counterparty gets Logout(5) with your reason in Text(58).',
      `${ordersIn(openOrders)} treated by its cancel-on-disconnect rule.`,
      'It may log on again at once.',
    ],
    button: 'Log out the session',
    isGrave: true,
    run: (why, form) => post(`${at(sessionId)}/logout`, { why }, form),
  };
}

/** @param {api.SessionView} session @returns {Action} */
export function disableSession({ name, sessionId, openOrders }) {
  return {
    title: `Disable ${name}`,
    effects: [
      'A connected counterparty gets Logout(5); every Logon is refused until you enable it, or the gateway starts anew.',
      `${ordersIn(openOrders)} treated by its cancel-on-disconnect rule, without its grace time.`,
    ],
    button: 'Disable the session',
    isGrave: true,
    run: (why, form) => post(`${at(sessionId)}/disable`, { why }, form),
  };
}

/** @param {api.SessionView} session @returns {Action} */
export function enableSession({ name, sessionId }) {
  return {
    title: `Enable ${name}`,
    effects: ['The counterparty may log on from now on.'],
    button: 'Enable the session',
    run: (why, form) => post(`${at(sessionId)}/enable`, { why }, form),
  };
}

/** @param {number} count */
const ordersIn = (count) => (count === 1 ? 'Its open order is' : `Its ${count} open orders are`);

/** @param {api.SessionView} session @returns {Action} */
export function setNumbers(session) {
  const { name, sessionId, status } = session;
  const { nextSenderMsgSeqNum: out, nextTargetMsgSeqNum: into } = status.numbers;
  return {
    title: `Sequence numbers of ${name}`,
    fields: h(NumberFields, { out, into }),
    effects: (form) => numbersPreview(session, form),
    button: 'Change the numbers',
    isGrave: true,
    run: (why, form) => post(`${at(sessionId)}/numbers`, { ...numbersOf(form), why }, form),
  };
}

/** @param {{ out: number, into: number }} props */
function NumberFields({ out, into }) {
  /** @param {string} value @param {string} text */
  const choice = (value, text) =>
    h(
      'label',
      { class: 'choice', key: value },
      h('input', { type: 'radio', name: 'how', value, defaultChecked: value === 'reset' }),
      text,
    );
  /** @param {string} label @param {string} field @param {number} value */
  const number = (label, field, value) =>
    h(
      'label',
      null,
      h('span', null, label),
      h('input', { class: 'box', type: 'number', min: 1, name: field, placeholder: String(value) }),
    );
  return h(
    'fieldset',
    null,
    h('legend', null, `Now: next out ${out}, next in ${into}`),
    choice('reset', 'Both begin at 1, after a Logout'),
    choice('within', 'Both begin at 1 within the session'),
    choice('set', 'Set them:'),
    h('div', { class: 'pair' }, number('Next out (ours)', 'out', out), number('Next in (expected)', 'in', into)),
  );
}

/** @param {FormData} form */
function numbersOf(form) {
  const how = form.get('how') ?? 'reset';
  if (how !== 'set') return { reset: true, within: how === 'within' };
  const [out, into] = [Number(form.get('out')), Number(form.get('in'))];
  return { ...(out > 0 ? { nextSenderMsgSeqNum: out } : {}), ...(into > 0 ? { nextTargetMsgSeqNum: into } : {}) };
}

/** The messages that the counterparty will see. @param {api.SessionView} session @param {FormData} form */
function numbersPreview({ status }, form) {
  const { nextSenderMsgSeqNum: out, nextTargetMsgSeqNum: into } = status.numbers;
  const isOn = status.state === 'loggedOn';
  const leaves = isOn ? ['The counterparty gets Logout(5) first, with your reason.'] : [];
  const how = form.get('how') ?? 'reset';
  if (how === 'within') {
    return [
      'The counterparty sees TestRequest(1), then Logon(A) with MsgSeqNum(34)=1 and ResetSeqNumFlag(141)=Y.',
      'It has to answer with the same; reports not proven received follow with PossResend(97)=Y.',
    ];
  }
  if (how === 'reset') {
    return [
      ...leaves,
      `Next out ${out} → 1, next in ${into} → 1: its next Logon has to begin at MsgSeqNum(34)=1, as ours will.`,
      'Reports not proven received are sent again under new numbers, with PossResend(97)=Y.',
    ];
  }
  const { nextSenderMsgSeqNum: newOut = out, nextTargetMsgSeqNum: newIn = into } =
    /** @type {{ nextSenderMsgSeqNum?: number, nextTargetMsgSeqNum?: number }} */ (numbersOf(form));
  const lines = [...leaves];
  if (newOut > out)
    lines.push(`Next out ${out} → ${newOut}: it sees a gap, asks for ${out} to ${newOut - 1}, and gets a gap fill.`);
  if (newOut < out) lines.push(`Next out ${out} → ${newOut}: refused, ours may only rise within a series.`);
  if (newIn > into)
    lines.push(
      `Next in ${into} → ${newIn}: its messages ${into} to ${newIn - 1} are not asked for; a lower number of it ends the session.`,
    );
  if (newIn < into)
    lines.push(`Next in ${into} → ${newIn}: a message with ${newIn} is taken as new, and a higher one as a gap.`);
  return lines.length === leaves.length ? ['Nothing changes: write at least one number.'] : lines;
}

/** @param {api.OrderSnapshot} order @returns {Action} */
export function cancelOrder({ sessionId, clOrdID, symbol, side, leavesQty, price }) {
  return {
    title: `Cancel order ${clOrdID}`,
    effects: [
      `${side === '1' ? 'Buy' : 'Sell'} ${leavesQty} ${symbol} at ${price ?? 'market'} is canceled at the exchange.`,
      `Its OMS gets ExecutionReport(8) with ExecType(150)=4, unsolicited; fills that come before it are reported.`,
    ],
    button: 'Cancel the order',
    isGrave: true,
    run: (why, form) => post('/api/orders/cancel', { session: sessionId, clOrdID, why }, form),
  };
}

/** @param {readonly api.SessionView[]} sessions @returns {Action} */
export function throwKillSwitch(sessions) {
  const accounts = [...new Set(sessions.flatMap((session) => session.accounts))];
  /** @param {FormData} form */
  const scopeOf = (form) => {
    const [scope = 'all', ...name] = String(form.get('scope') ?? 'all').split(' ');
    return { scope, name: name.join(' ') };
  };
  return {
    title: 'Stop trading',
    fields: h(
      'label',
      null,
      h('span', null, 'Of'),
      h(
        'select',
        { class: 'box', name: 'scope' },
        h('option', { value: 'all' }, 'everything'),
        ...sessions.map(({ name, sessionId }) =>
          h('option', { key: sessionId, value: `session ${sessionId}` }, `session ${name}`),
        ),
        ...accounts.map((account) => h('option', { key: account, value: `account ${account}` }, `account ${account}`)),
      ),
    ),
    effects: (form) => {
      const { scope, name } = scopeOf(form);
      const open = sessions
        .filter(({ sessionId, accounts: own }) => scope === 'all' || sessionId === name || own.includes(name))
        .reduce((sum, { openOrders }) => sum + openOrders, 0);
      return [
        `${open === 1 ? '1 open order is' : `${open} open orders are`} canceled one by one, and new ones are refused, over restarts.`,
        'Only two people with role `lift` can undo it.',
      ];
    },
    button: 'Stop trading',
    isGrave: true,
    run: (why, form) => post('/api/kill-switches/throw', { ...scopeOf(form), why }, form),
  };
}

/** @param {api.KillSwitchView} one @returns {Action} */
export function liftKillSwitch({ scope, name, liftAskedBy }) {
  const first = ['This asks for it: a second person has to lift it within 15 minutes.'];
  const second = [`${liftAskedBy} asked for it: you lift it, and orders are taken again at once.`];
  return {
    title: `Lift the kill switch of ${scope === 'all' ? 'everything' : `${scope} ${name}`}`,
    effects: liftAskedBy === null ? first : second,
    button: liftAskedBy === null ? 'Ask for it' : 'Lift it',
    run: (why, form) => post('/api/kill-switches/lift', { scope, name, why }, form),
  };
}

/** @param {string | null} account @returns {Action} */
export function reconcile(account) {
  return {
    title: account === null ? 'Reconcile all accounts' : `Reconcile account ${account}`,
    effects: [
      'Orders and trades are read from the exchange and compared.',
      'Differences become reports to the OMS, or alarms.',
    ],
    button: 'Reconcile',
    needsNoWhy: true,
    run: (_why, form) => post('/api/reconcile', account === null ? {} : { account }, form),
  };
}

/** @param {api.OpenAlarm} alarm @returns {Action} */
export function acknowledge({ id, alarm, text, count }) {
  return {
    title: `Acknowledge ${alarm}`,
    effects: [
      `${text} (${count === 1 ? 'once' : `${count} times`})`,
      'It is not sent again unless it escalates; your note stands beside it.',
    ],
    button: 'Acknowledge',
    run: (why, form) => post('/api/alarms/acknowledge', { id, why }, form),
  };
}

/** @returns {Action} */
export function applyConfiguration() {
  return {
    title: 'Apply the configuration',
    effects: [
      'The files are read now. Changed sessions take their settings over; new ones are added, removed ones end.',
      'A fault in any file leaves everything as it is, and the answer names it.',
    ],
    button: 'Apply',
    needsNoWhy: true,
    run: async (_why, form) => post('/api/configuration/apply', {}, form),
  };
}
