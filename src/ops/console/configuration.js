// @ts-check
// The view of the configuration: what saved files would change, the session files with an editor, and every version that counted. Asks the
// gateway when it is opened and after each action. configuration-actions.js has what can be done.
import { Component, h } from 'preact';
import {
  applyConfiguration,
  COUNTS,
  newSession,
  replacePassword,
  rollBack,
  saveFile,
} from './actions/configuration-actions.js';
import { ActionButton, theReader } from './actions/dialog.js';
import * as api from './api.js';
import { dateTimeOf } from './format.js';
import { Panel, Table } from './parts.js';
import { addressOf, go } from './views.js';

const VERSIONS_SHOWN = 50;

/** @typedef {{ session: string | null, sessions: readonly api.SessionView[] }} Props */
/** @typedef {{ file: api.SessionFile, text: string, writable: boolean }} Edited */

/** @extends {Component<Props>} */
export class Configuration extends Component {
  constructor() {
    super();
    /** @type {api.Preview | null} */
    this.preview = null;
    /** @type {readonly api.Version[]} */
    this.versions = [];
    /** @type {{ names: readonly string[], writable: boolean } | null} */
    this.files = null;
    /** @type {Edited | null} */
    this.edited = null;
    /** @type {string | null} */
    this.refusal = null;
    this.isGone = false;
    this.again = () => void this.ask();
  }

  /** @override */
  componentDidMount() {
    void this.ask();
  }

  /** @override */
  componentWillUnmount() {
    this.isGone = true;
  }

  /** @override @param {Props} before */
  componentDidUpdate(before) {
    if (before.session !== this.props.session) void this.open();
  }

  async ask() {
    try {
      const isOperator = theReader().mayOperate;
      const [preview, { versions }, files] = await Promise.all([
        api.difference(),
        api.versions(),
        isOperator ? api.sessionFiles().catch(orNone) : null,
      ]);
      Object.assign(this, { preview, versions, files, refusal: null });
      await this.open();
    } catch (error) {
      this.refusal = error instanceof api.Refused ? error.message : 'The gateway does not answer.';
    }
    if (!this.isGone) this.forceUpdate();
  }

  /** Read the file that the address names. */
  async open() {
    const { session } = this.props;
    if (session === null || this.files?.names.includes(session) !== true) this.edited = null;
    else {
      const { file, writable } = await api.sessionFile(session);
      if (this.props.session !== session) return;
      this.edited = { file, text: file.text, writable };
    }
    if (!this.isGone) this.forceUpdate();
  }

  /** @override */
  render() {
    const { preview, refusal, files } = this;
    return h(
      'main',
      { class: 'view configuration' },
      refusal === null ? null : h('p', { class: 'refusal', role: 'alert' }, refusal),
      h(Waiting, { preview, onDone: this.again }),
      files === null
        ? null
        : h(Files, {
            names: files.names,
            writable: files.writable,
            sessions: this.props.sessions,
            edited: this.edited,
            onEdit: (/** @type {string} */ text) => {
              if (this.edited !== null) this.edited = { ...this.edited, text };
              this.forceUpdate();
            },
            onDone: this.again,
          }),
      h(Versions, { versions: this.versions, onDone: this.again }),
    );
  }
}

/** Of several partitions the server has no files to change. @param {unknown} error */
function orNone(error) {
  if (error instanceof api.NotFound) return null;
  throw error;
}

/** @type {readonly import('./parts.js').Column<api.Preview['changes'][number]>[]} */
const CHANGES = [
  { title: 'Of', cell: ({ of }) => of },
  { title: 'Setting', cell: ({ key }) => key || 'the whole session', code: true },
  { title: 'Before', cell: ({ before }) => h('span', { class: 'long' }, before ?? '–') },
  { title: 'After', cell: ({ after }) => h('span', { class: 'long' }, after ?? '–') },
  { title: 'Counts', cell: ({ counts }) => COUNTS[counts] ?? counts },
];

/** The effect of the saved files. @param {{ preview: api.Preview | null, onDone: () => void }} props */
function Waiting({ preview, onDone }) {
  const apply = theReader().mayOperate
    ? h(ActionButton, { action: () => applyConfiguration(onDone) }, 'Apply …')
    : null;
  const aside = h(
    'div',
    { class: 'actions' },
    h('button', { type: 'button', class: 'plain', onClick: onDone }, 'Look again'),
    apply,
  );
  const body =
    preview === null
      ? h('p', { class: 'empty', role: 'status' }, 'Reading the files …')
      : preview.problems.length > 0
        ? h(
            'ul',
            { class: 'problems' },
            ...preview.problems.map(({ file, line, key, problem, remedy }, index) =>
              h(
                'li',
                { key: index },
                h('b', null, `${file}${line === null ? '' : `:${line}`} ${key}`),
                ` ${problem}: ${remedy}.`,
              ),
            ),
          )
        : h(/** @type {typeof Table<api.Preview['changes'][number]>} */ (Table), {
            label: 'Changes that wait',
            columns: CHANGES,
            rows: preview.changes,
            keyOf: ({ of, key }) => `${of} ${key}`,
            empty: 'The gateway runs what the files say.',
          });
  return h(Panel, { id: 'waiting-changes', title: 'Saved and not applied', aside }, body);
}

/**
 * @param {object} props
 * @param {readonly string[]} props.names
 * @param {boolean} props.writable
 * @param {readonly api.SessionView[]} props.sessions
 * @param {Edited | null} props.edited
 * @param {(text: string) => void} props.onEdit
 * @param {() => void} props.onDone
 */
function Files({ names, writable, sessions, edited, onEdit, onDone }) {
  const accounts = [...new Set(sessions.flatMap((session) => session.accounts))];
  const made = (/** @type {string} */ name) => {
    onDone();
    go(addressOf('configuration', { session: name }));
  };
  const aside = writable
    ? h(ActionButton, { action: () => newSession(accounts, made) }, 'New session …')
    : 'changed where they lie: admin.sessionFiles is false';
  return h(
    Panel,
    { id: 'session-files', title: 'Session files', aside },
    h(
      'div',
      { class: 'filter' },
      h(
        'select',
        {
          'aria-label': 'Session file',
          /** @param {Event} event */
          onChange: (event) =>
            go(addressOf('configuration', { session: /** @type {HTMLSelectElement} */ (event.target).value })),
        },
        h('option', { value: '', selected: edited === null }, 'Choose one'),
        ...names.map((name) => h('option', { key: name, value: name, selected: edited?.file.name === name }, name)),
      ),
    ),
    edited === null ? null : h(Editor, { edited, onEdit, onDone }),
  );
}

/** @param {{ edited: Edited, onEdit: (text: string) => void, onDone: () => void }} props */
function Editor({ edited: { file, text, writable }, onEdit, onDone }) {
  const { name, digest } = file;
  const isChanged = text !== file.text;
  return h(
    'div',
    { class: 'editor' },
    h('textarea', {
      'aria-label': `Text of ${name}.yaml`,
      rows: Math.min(32, Math.max(8, text.split('\n').length + 1)),
      spellcheck: false,
      readOnly: !writable,
      maxLength: 12_000,
      value: text,
      /** @param {Event} event */
      onInput: (event) => onEdit(/** @type {HTMLTextAreaElement} */ (event.target).value),
    }),
    writable
      ? h(
          'div',
          { class: 'actions' },
          isChanged
            ? h(ActionButton, { action: () => saveFile({ name, text, replaces: digest }, onDone) }, 'Save …')
            : null,
          isChanged ? h('button', { type: 'button', class: 'plain', onClick: () => onEdit(file.text) }, 'Undo') : null,
          h(ActionButton, { action: () => replacePassword(name) }, 'Password …'),
          h(
            ActionButton,
            { action: () => saveFile({ name, remove: true, replaces: digest }, onDone), isGrave: true },
            'Remove …',
          ),
        )
      : null,
  );
}

/** @param {{ versions: readonly api.Version[], onDone: () => void }} props */
function Versions({ versions, onDone }) {
  const mayOperate = theReader().mayOperate;
  const newest = versions[0]?.version;
  /** @type {readonly import('./parts.js').Column<api.Version>[]} */
  const columns = [
    { title: 'Version', cell: ({ version }) => version },
    { title: 'Since (UTC)', cell: ({ at }) => dateTimeOf(at), code: true },
    { title: 'Who', cell: ({ who }) => who },
    { title: 'Why', cell: ({ why }) => h('span', { class: 'long' }, why || '–') },
    { title: 'Changed files', cell: ({ changed }) => h('span', { class: 'long' }, changed.join(' ')) },
    {
      title: '',
      cell: ({ version }) =>
        version === newest
          ? 'in effect'
          : mayOperate
            ? h(
                ActionButton,
                { action: () => rollBack(version, onDone), label: `Roll back to ${version}` },
                'Roll back …',
              )
            : '',
    },
  ];
  const shown = versions.slice(0, VERSIONS_SHOWN);
  const aside = versions.length > shown.length ? `the latest ${shown.length} of ${versions.length}` : '';
  return h(
    Panel,
    { id: 'versions', title: 'Versions', aside },
    h(/** @type {typeof Table<api.Version>} */ (Table), {
      label: 'Versions of the configuration',
      columns,
      rows: shown,
      keyOf: ({ version }) => String(version),
      empty: 'None is kept.',
    }),
  );
}
