// A long list, in a frame as the snapshot of all open orders of an account, or as an answer as all markets: its entries are read
// some at a time, for all of them take as long as hundreds of orders do. Leaves what lists and entries say to others.

import { parseExactJson, toObject } from '../exchange/mod.ts';

/** Entries that are read at a time. */
const ENTRIES = 20;
const DATA = '"data":[';
const BETWEEN = '},{';
const END = /\]\s*\}\s*$/;
const ARRAY_END = /\][ \t\r\n]*$/;
/** Bytes in which a frame ends. */
const END_BYTES_MAX = 64;

/** Entries of a list in their order, some with each `next`; null for those that cannot be read. */
type Entries = Generator<readonly unknown[] | null, void>;

export interface LongList {
  /** All that the frame says but its entries. */
  readonly head: Readonly<Record<string, unknown>>;
  readonly entries: () => Entries;
}

/** A frame whose `data` is a list and stands last, as the exchange writes it; null for any other. */
export function longList(bytes: Buffer): LongList | null {
  const at = bytes.indexOf(DATA);
  const tail = bytes.toString('latin1', Math.max(0, bytes.length - END_BYTES_MAX));
  const end = END.exec(tail);
  if (at === -1 || end === null) return null;
  const from = at + DATA.length;
  const to = bytes.length - tail.length + end.index;
  // Somewhere else than in the frame itself, as in a text of it, it is none of its lists: then this is no JSON.
  const head = to < from ? null : toObject(parseExactJson(`${bytes.toString('utf8', 0, from)}]}`));
  const whole = (): unknown => toObject(parseExactJson(bytes.toString()))?.data;
  return head === null ? null : { head, entries: () => entriesOf(bytes, from, to, whole) };
}

/** The entries of a text that is a list and nothing else; null for any other. */
export function longArray(text: string): Entries | null {
  const end = ARRAY_END.exec(text.slice(-END_BYTES_MAX));
  if (!text.startsWith('[') || end === null) return null;
  const to = text.length - end[0].length;
  return to < 1 ? null : entriesOf(text, 1, to, () => parseExactJson(text));
}

/** `whole`: the list, read at once. */
function* entriesOf(list: Buffer | string, from: number, to: number, whole: () => unknown): Entries {
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
function endOf(list: Buffer | string, from: number, to: number, count: number): number {
  let end = from;
  for (let i = 0; i < count; i++) {
    const next = list.indexOf(BETWEEN, end);
    if (next === -1 || next >= to) return to;
    end = next + 1;
  }
  return end;
}

function partOf(list: Buffer | string, begin: number, end: number): string {
  return typeof list === 'string' ? list.slice(begin, end) : list.toString('utf8', begin, end);
}

function restOf(whole: unknown, told: number): unknown {
  return Array.isArray(whole) ? whole.slice(told) : null;
}
