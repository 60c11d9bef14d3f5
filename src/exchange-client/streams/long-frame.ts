// A frame with a long list, as the snapshot of all open orders of an account. The exchange's long list reads its
// entries; callers interpret them.

import { type Entries, entriesOf, parseExactJson, toObject } from '../../exchange/mod.ts';

const DATA = '"data":[';
const END = /\]\s*\}\s*$/;
/** Bytes in which a frame ends. */
const END_BYTES_MAX = 64;

export interface LongList {
  /** All that the frame says but its entries. */
  readonly head: Readonly<Record<string, unknown>>;
  readonly entries: () => Entries;
}

/** A frame with a list as its last member `data`, as the exchange writes it; null for any other. */
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
