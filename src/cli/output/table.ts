// Tables for people: columns aligned, as wide as their widest cell, no lines and no colours, so that they can be piped.

import { terminalText } from '../../base/terminal-text.ts';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  /** Numbers stand at the right. */
  readonly right?: boolean;
}

/** Of rows that come from several partitions of a gateway; those of a single gateway name none. */
const PARTITION: Column<unknown> = { title: 'PARTITION', cell: (row) => partitionOf(row) ?? '-' };

function partitionOf(row: unknown): string | null {
  const { partition } = (row ?? {}) as { readonly partition?: unknown };
  return typeof partition === 'string' ? partition : null;
}

/** The rows as aligned text, one line each, the titles first; nothing in a cell steers a terminal. */
export function formatTable<Row>(shown: readonly Column<Row>[], rows: readonly Row[]): string {
  const columns = rows.some((row) => partitionOf(row) !== null) ? [PARTITION, ...shown] : shown;
  const cells = rows.map((row) => columns.map(({ cell }) => terminalText(cell(row))));
  const widths = columns.map(({ title }, i) => Math.max(title.length, ...cells.map((line) => line[i]!.length)));
  const layOut = (line: readonly string[]): string =>
    line
      .map((cell, i) => (columns[i]!.right ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd();
  return [layOut(columns.map(({ title }) => title)), ...cells.map(layOut)].join('\n');
}

/** Names and values as two aligned columns. */
export function formatPairs(pairs: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(0, ...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${terminalText(value)}`).join('\n');
}
