// A long list in JSON, as all markets or all open orders: its entries are read some at a time, for all of them take as long as
// hundreds of orders do. Between them whoever reads lets everybody else have a turn. What entries say is others'.

import { parseExactJson } from './json.ts';

/** Entries that are read at a time. */
const ENTRIES = 20;
const BETWEEN = '},{';
const ARRAY_END = /\][ \t\r\n]*$/;
/** Characters in which a list ends. */
const END_MAX = 64;

/** Entries of a list in their order, some with each `next`; null for those that cannot be read. */
export type Entries = Generator<readonly unknown[] | null, void>;

/** Text, or the bytes of one. */
type Source =
  | string
  | { indexOf(text: string, from: number): number; toString(as: 'utf8', from: number, to: number): string };

/** The entries of a text that is a list and nothing else; null for any other. */
export function longArray(text: string): Entries | null {
  const end = ARRAY_END.exec(text.slice(-END_MAX));
  if (!text.startsWith('[') || end === null) return null;
  const to = text.length - end[0].length;
  return to < 1 ? null : entriesOf(text, 1, to, () => parseExactJson(text));
}

/** The entries of the list that stands from here to there. `whole`: the list, read at once. */
export function* entriesOf(list: Source, from: number, to: number, whole: () => unknown): Entries {
  let told = 0;
  for (let begin = from; begin < to; ) {
    let entries: unknown;
    let end = begin;
    // What looks like the end of an entry may stand within one: then what comes before it is no list, and the next one is tried.
    for (let [count, more] = [ENTRIES, 1]; entries === undefined && end < to; [count, more] = [more, more * 2]) {
      end = endOf(list, end, to, count);
      entries = parseExactJson(`[${partOf(list, begin, end)}]`);
    }
    // Behind the list there is another one.
    entries ??= restOf(whole(), told);
    if (!Array.isArray(entries)) {
      yield null;
      return;
    }
    told += entries.length;
    yield entries;
    begin = end + 1;
  }
}

/** Where so many entries from here on end, or the list does. */
function endOf(list: Source, from: number, to: number, count: number): number {
  let end = from;
  for (let i = 0; i < count; i++) {
    const next = list.indexOf(BETWEEN, end);
    if (next === -1 || next >= to) return to;
    end = next + 1;
  }
  return end;
}

function partOf(list: Source, begin: number, end: number): string {
  return typeof list === 'string' ? list.slice(begin, end) : list.toString('utf8', begin, end);
}

function restOf(whole: unknown, told: number): unknown {
  return Array.isArray(whole) ? whole.slice(told) : null;
}
