// @ts-check
// The dialog of an action: it says what will happen, asks for the reason, and shows what the gateway answers. The gateway decides by the
// role of the token, and audits. Leaves what an action is to the files that have them.
import { h, render } from 'preact';
import * as api from '../api.js';

/**
 * @typedef {object} Action
 * @property {string} title
 * @property {readonly string[] | ((form: FormData) => readonly string[])} [effects] what will happen, a sentence each
 * @property {() => Promise<Loaded>} [load] asks the gateway before anything can be done
 * @property {string} button
 * @property {boolean} [isGrave] stops or ends something
 * @property {boolean} [isWide]
 * @property {boolean} [needsNoWhy]
 * @property {import('preact').ComponentChildren} [fields] further fields of the form
 * @property {(why: string, form: FormData) => Promise<api.Done>} run
 * @property {(done: api.Done) => void} [onDone]
 */

/**
 * The gateway's answer before an action: fields, and the effect; a refusal leaves nothing to do.
 * @typedef {{ effects: readonly string[], fields?: import('preact').ComponentChildren, refusal?: string }} Loaded
 */

/**
 * @typedef {object} State
 * @property {boolean} isRunning
 * @property {{ text: string, isDone: boolean, password?: string } | null} result
 * @property {Loaded | null} loaded
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

/** @param {string} path @param {object} body @param {FormData} form */
export function post(path, body, form) {
  return api.act(path, body, String(form.get('operator') ?? ''));
}

/** @param {Action} action */
export function open(action) {
  const place = document.createElement('div');
  document.body.append(place);
  const opener = /** @type {HTMLElement | null} */ (document.activeElement);
  const close = () => {
    render(null, place);
    place.remove();
    opener?.focus();
  };
  /** @type {State} */
  const state = { isRunning: false, result: null, loaded: null };
  const draw = () => render(h(Dialog, { action, state, draw, close }), place);
  draw();
  /** @type {HTMLDialogElement | null} */ (place.querySelector('dialog'))?.showModal();
  if (action.load !== undefined) void load(action.load, state, draw);
}

/** @param {NonNullable<Action['load']>} ask @param {State} state @param {() => void} draw */
async function load(ask, state, draw) {
  try {
    state.loaded = await ask();
  } catch (error) {
    state.loaded = { effects: [], refusal: inWords(error, 'The gateway does not answer.') };
  }
  draw();
}

/** @param {unknown} error @param {string} otherwise */
function inWords(error, otherwise) {
  return error instanceof api.Refused ? error.message : otherwise;
}

/** @param {Action} action @param {State} state @param {FormData} given @param {() => void} draw */
async function run(action, state, given, draw) {
  sessionStorage.setItem(NAME_KEY, String(given.get('operator') ?? ''));
  Object.assign(state, { isRunning: true, result: null });
  draw();
  try {
    const done = await action.run(String(given.get('why') ?? '').trim(), given);
    state.result = { ...done, isDone: true };
    action.onDone?.(done);
  } catch (error) {
    const text = inWords(error, 'The gateway does not answer; look whether it is done.');
    state.result = { text, isDone: false };
  }
  state.isRunning = false;
  draw();
}

/** @param {{ action: Action, state: State, draw: () => void, close: () => void }} props */
function Dialog({ action, state, draw, close }) {
  const { title, effects = [], isWide = false, fields } = action;
  const { result, loaded } = state;
  const form = /** @type {HTMLFormElement | null} */ (document.querySelector('dialog form'));
  const own = typeof effects === 'function' ? effects(form === null ? new FormData() : new FormData(form)) : effects;
  const isWaiting = action.load !== undefined && loaded === null;
  const isOver = result?.isDone === true;
  return h(
    'dialog',
    { 'aria-labelledby': 'dialog-title', class: isWide ? 'wide-dialog' : undefined, onClose: close },
    h(
      'form',
      {
        onInput: draw,
        /** @param {SubmitEvent} event */
        onSubmit: (event) => {
          event.preventDefault();
          void run(action, state, new FormData(/** @type {HTMLFormElement} */ (event.target)), draw);
        },
      },
      h('h2', { id: 'dialog-title' }, title),
      h('div', { hidden: isOver, class: 'dialog-fields' }, fields, loaded?.fields),
      isWaiting ? h('p', { class: 'more', role: 'status' }, 'Asking the gateway …') : null,
      isOver ? null : h(Effects, { sentences: [...own, ...(loaded?.effects ?? [])] }),
      loaded?.refusal === undefined ? null : h('p', { class: 'refusal', role: 'status' }, loaded.refusal),
      h(Signature, { action, isOver: isOver || loaded?.refusal !== undefined }),
      result === null ? null : h('p', { class: isOver ? 'done' : 'refusal', role: 'status' }, result.text),
      result?.password === undefined
        ? null
        : h('output', { class: 'password', 'aria-label': 'Password' }, result.password),
      h(Buttons, { action, state, isWaiting }),
    ),
  );
}

/** @param {{ sentences: readonly string[] }} props */
function Effects({ sentences }) {
  return h('ul', { class: 'effects' }, ...sentences.map((text) => h('li', { key: text }, text)));
}

/** Why, and who. @param {{ action: Action, isOver: boolean }} props */
function Signature({ action: { needsNoWhy = false, fields }, isOver }) {
  return [
    h(
      'label',
      { hidden: isOver || needsNoWhy, key: 'why' },
      h('span', null, 'Reason, for the audit trail'),
      h('input', {
        class: 'box',
        name: 'why',
        maxLength: 500,
        required: !needsNoWhy,
        autocomplete: 'off',
        autofocus: fields === undefined,
      }),
    ),
    h(
      'label',
      { hidden: isOver || reader.user !== null, key: 'operator' },
      h('span', null, 'Your name (the shared token names no person)'),
      h('input', {
        class: 'box',
        name: 'operator',
        maxLength: 64,
        required: reader.user === null,
        defaultValue: sessionStorage.getItem(NAME_KEY) ?? '',
      }),
    ),
  ];
}

/** @param {{ action: Action, state: State, isWaiting: boolean }} props */
function Buttons({ action: { isGrave = false, button }, state: { isRunning, result, loaded }, isWaiting }) {
  const isOver = result?.isDone === true;
  const cannot = isOver || loaded?.refusal !== undefined;
  return h(
    'div',
    { class: 'buttons' },
    h('button', { type: 'button', class: 'plain', onClick: closeDialog }, cannot ? 'Close' : 'Leave it'),
    cannot
      ? null
      : h(
          'button',
          { type: 'submit', class: isGrave ? 'main grave' : 'main', disabled: isRunning || isWaiting },
          button,
        ),
  );
}

/** @param {Event} event */
function closeDialog({ target }) {
  /** @type {HTMLElement} */ (target).closest('dialog')?.close();
}
