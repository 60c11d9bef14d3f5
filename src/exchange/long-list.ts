// Reads a long JSON list, such as all markets or all open orders, a few entries at a time. Reading all at once would
// delay orders by as long as hundreds of them take. The reader yields between the parts. Callers interpret the entries.

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
    // An apparent end of an entry may stand inside one. Then the text before it is no valid list, and the next
    // candidate is tried.
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
