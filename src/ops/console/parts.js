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

/**
 * @template Row
 * @typedef {{ title: string, cell: (row: Row) => Children, number?: boolean, code?: boolean }} Column
 */

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
export function Table({ label, columns, rows, keyOf, empty, selected = null, onSelect }) {
  if (rows.length === 0) return h('p', { class: 'empty' }, empty);
  /** @param {Column<Row>} column */
  const look = ({ number, code }) => [number ? 'number' : '', code ? 'code' : ''].join(' ').trim();
  return h(
    'div',
    { class: 'scroll' },
    h(
      'table',
      { 'aria-label': label },
      h('thead', null, h('tr', null, ...columns.map((column) => h('th', { class: look(column) }, column.title)))),
      h(
        'tbody',
        null,
        ...rows.map((row) => {
          const key = keyOf(row);
          const choose = onSelect === undefined ? undefined : () => onSelect(row);
          return h(
            'tr',
            {
              key,
              class: [onSelect === undefined ? '' : 'choice', key === selected ? 'selected' : ''].join(' ').trim(),
              'aria-selected': onSelect === undefined ? undefined : key === selected,
              tabIndex: onSelect === undefined ? undefined : 0,
              onClick: choose,
              /** @param {KeyboardEvent} event */
              onKeyDown: (event) => {
                if (event.key !== 'Enter' && event.key !== ' ') return;
                event.preventDefault();
                choose?.();
              },
            },
            ...columns.map((column) => h('td', { class: look(column) }, column.cell(row))),
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
