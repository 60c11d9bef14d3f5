// @ts-check
// The pieces that every panel is made of: panel, table, mark of a state, pairs of name and value.
import { h } from 'preact';

/** @typedef {import('preact').ComponentChildren} Children */

/** A word with a mark of its meaning; the colour never says it alone. @param {{ look: string, name: string }} props */
export function Mark({ look, name }) {
  return h('span', { class: `mark ${look}` }, name);
}

/** @param {{ id: string, title: string, aside?: Children, children?: Children }} props */
export function Panel({ id, title, aside, children }) {
  return h(
    'section',
    { class: 'panel', id, 'aria-labelledby': `${id}-title` },
    h('header', null, h('h2', { id: `${id}-title` }, title), h('div', { class: 'aside' }, aside)),
    children,
  );
}

/** A field that narrows a list. @param {{ label: string, value: string, onFilter: (value: string) => void }} props */
export function SearchField({ label, value, onFilter }) {
  return h('input', {
    type: 'search',
    placeholder: label,
    'aria-label': label,
    maxLength: 64,
    value,
    /** @param {Event} event */
    onInput: (event) => onFilter(/** @type {HTMLInputElement} */ (event.target).value),
  });
}

/** Characters at the end of an id that are always seen: there ids of one owner differ. */
const ID_END = 9;

/** An id, as long as its owner likes: without room its middle gives way. @param {{ text: string }} props */
export function Id({ text }) {
  return h(
    'span',
    { class: 'id-text', title: text },
    h('span', { class: 'id-head' }, text.slice(0, -ID_END)),
    h('span', null, text.slice(-ID_END)),
  );
}

/** Where the arrow keys lead. @type {Readonly<Record<string, (items: readonly HTMLElement[], at: number) => HTMLElement | undefined>>} */
const STEPS = {
  ArrowDown: (items, at) => items[at + 1],
  ArrowUp: (items, at) => items[at - 1],
  Home: (items) => items[0],
  End: (items) => items.at(-1),
};

/** Move the focus along a list that Tab enters once, however long it is. @param {KeyboardEvent} event @param {string} items */
export function step(event, items) {
  const list = /** @type {HTMLElement} */ (event.currentTarget);
  const all = [.../** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll(items))];
  const at = all.indexOf(/** @type {HTMLElement} */ (event.target));
  const next = at < 0 ? undefined : STEPS[event.key]?.(all, at);
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

/**
 * @template Row
 * @typedef {{ title: string, cell: (row: Row) => Children, number?: boolean, code?: boolean, id?: boolean }} Column
 */

/** The partition that a row comes from; null for a gateway that runs none. @param {unknown} row @returns {string | null} */
export function partitionOf(row) {
  const { partition } = /** @type {{ partition?: unknown }} */ (row ?? {});
  return typeof partition === 'string' ? partition : null;
}

/** The fields of an alarm, with its partition. @param {{ fields: Readonly<Record<string, string>> }} alarm */
export function fieldsOf(alarm) {
  const partition = partitionOf(alarm);
  return partition === null ? alarm.fields : { partition, ...alarm.fields };
}

/** @type {Column<unknown>} */
const PARTITION = { title: 'Partition', cell: (row) => partitionOf(row) ?? '–' };

/**
 * @template Row
 * @param {object} props
 * @param {string} props.label
 * @param {readonly Column<Row>[]} props.columns
 * @param {readonly Row[]} props.rows
 * @param {(row: Row) => string} props.keyOf
 * @param {string} props.empty
 * @param {string | null} [props.selected] key of the selected row
 * @param {(row: Row) => void} [props.onSelect]
 */
export function Table({ label, columns: own, rows, keyOf, empty, selected = null, onSelect }) {
  if (rows.length === 0) return h('p', { class: 'empty' }, empty);
  const columns = rows.some((row) => partitionOf(row) !== null)
    ? [...own.slice(0, 1), PARTITION, ...own.slice(1)]
    : own;
  /** @param {Column<Row>} column */
  const look = ({ number, code, id }) =>
    [number ? 'number' : '', code ? 'code' : '', id ? 'id' : ''].join(' ').replace(/ +/g, ' ').trim();
  const entered = rows.find((row) => keyOf(row) === selected) ?? rows[0];
  return h(
    'div',
    { class: 'scroll' },
    h(
      'table',
      { 'aria-label': label, role: onSelect === undefined ? undefined : 'grid' },
      h('thead', null, h('tr', null, ...columns.map((column) => h('th', { class: look(column) }, column.title)))),
      h(
        'tbody',
        { onKeyDown: (/** @type {KeyboardEvent} */ event) => step(event, 'tr') },
        ...rows.map((row) => {
          const key = keyOf(row);
          const choose = onSelect === undefined ? undefined : () => onSelect(row);
          return h(
            'tr',
            {
              key,
              class: [onSelect === undefined ? '' : 'choice', key === selected ? 'selected' : ''].join(' ').trim(),
              'aria-selected': onSelect === undefined ? undefined : key === selected,
              tabIndex: onSelect === undefined ? undefined : row === entered ? 0 : -1,
              onClick: choose,
              /** @param {KeyboardEvent} event */
              onKeyDown: (event) => {
                if (event.key !== 'Enter' && event.key !== ' ') return;
                event.preventDefault();
                choose?.();
              },
            },
            ...columns.map((column) => h('td', { class: look(column), 'data-title': column.title }, column.cell(row))),
          );
        }),
      ),
    ),
  );
}

/** @param {{ pairs: readonly (readonly [string, Children])[] }} props */
export function Pairs({ pairs }) {
  return h(
    'dl',
    null,
    ...pairs.map(([name, value]) => h('div', { key: name }, h('dt', null, name), h('dd', null, value))),
  );
}
