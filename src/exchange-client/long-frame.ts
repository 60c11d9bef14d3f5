// A frame with a long list, as the snapshot of all open orders of an account: its entries are read some at a time, for all of
// them take as long as hundreds of orders do. Leaves what frames and entries say to others.

import { parseExactJson, toObject } from '../exchange/mod.ts';

/** Entries that are read at a time. */
const ENTRIES = 20;
const DATA = '"data":[';
const BETWEEN = Buffer.from('},{');
const END = /\]\s*\}\s*$/;
/** Bytes in which a frame ends. */
const END_BYTES_MAX = 64;

export interface LongList {
  /** All that the frame says but its entries. */
  readonly head: Readonly<Record<string, unknown>>;
  /** Its entries in their order, some with each `next`; null for those that cannot be read. */
  readonly entries: () => Generator<readonly unknown[] | null, void>;
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
  return head === null ? null : { head, entries: () => entriesOf(bytes, from, to) };
}

function* entriesOf(bytes: Buffer, from: number, to: number): ReturnType<LongList['entries']> {
  let told = 0;
  for (let begin = from; begin < to; ) {
    let entries: unknown;
    let end = begin;
    // What looks like the end of an entry may stand within one: then what comes before it is no list, and the next one is tried.
    for (let [count, more] = [ENTRIES, 1]; entries === undefined && end < to; [count, more] = [more, more * 2]) {
      end = endOf(bytes, end, to, count);
      entries = parseExactJson(`[${bytes.toString('utf8', begin, end)}]`);
    }
    // Behind the list there is another one.
    entries ??= restOf(bytes, told);
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
function endOf(bytes: Buffer, from: number, to: number, count: number): number {
  let end = from;
  for (let i = 0; i < count; i++) {
    const next = bytes.indexOf(BETWEEN, end);
    if (next === -1 || next >= to) return to;
    end = next + 1;
  }
  return end;
}

function restOf(bytes: Buffer, told: number): unknown {
  const data = toObject(parseExactJson(bytes.toString()))?.data;
  return Array.isArray(data) ? data.slice(told) : null;
}
