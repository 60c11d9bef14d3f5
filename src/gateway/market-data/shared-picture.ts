// Market data of a symbol that many sessions share: its picture, the changes since the picture before, and the body of the
// message in each version and dialect. Each is worked out once. A session adds its own MDReqID(262), and its header and trailer.

import type { MarketDataBoard } from '../state/market-data-board.ts';
import { changesBetween, type MDChange, type Picture, pictureOf, type Wanted } from './market-data-entry.ts';

/** Earlier pictures, of one symbol and depth, that changes are kept for: slow sessions have older ones. */
const BEFORE_MAX = 8;
/** Symbols, depths and kinds of data that are kept; a counterparty chooses the depth. */
const PICTURES_MAX = 1_000;
/** Versions and names of a symbol that a body is kept for. */
const BODIES_MAX = 16;

/** The news since an earlier picture (null: since nothing), and its body in each style. */
export class News<T> {
  readonly before: Picture | null;
  /** Null for a full refresh. */
  readonly changes: readonly MDChange[] | null;
  private readonly bodies = new Map<string, T>();

  constructor(before: Picture | null, changes: readonly MDChange[] | null) {
    this.before = before;
    this.changes = changes;
  }

  /** The body in this style, written the first time. */
  body(style: string, write: () => T): T {
    const known = this.bodies.get(style);
    if (known !== undefined) return known;
    const written = write();
    if (this.bodies.size < BODIES_MAX) this.bodies.set(style, written);
    return written;
  }
}

/** The present of a symbol to a depth. */
export interface SharedPicture<T> {
  readonly picture: Picture;
  /** Of the board when it was made. */
  readonly revision: number;
  readonly news: News<T>[];
}

/** By subject: one present each, so that no slow reader keeps what is past. */
export class SharedPictures<T> {
  private readonly latest = new Map<string, SharedPicture<T>>();

  /** The picture as it is now. `name`: the same for all who want the same. */
  of(board: MarketDataBoard, name: string, wanted: Wanted): SharedPicture<T> {
    const revision = board.revision(wanted.exchangeSymbol);
    const known = this.latest.get(name);
    if (known?.revision === revision) return known;
    if (known === undefined && this.latest.size >= PICTURES_MAX) this.latest.clear();
    const made = { picture: pictureOf(board, wanted), revision, news: [] };
    this.latest.set(name, made);
    return made;
  }
}

/** The changes since `before`, worked out once for all sessions that have that picture; with null, everything. */
export function newsSince<T>({ picture, news }: SharedPicture<T>, before: Picture | null): News<T> {
  const known = news.find((one) => one.before === before);
  if (known !== undefined) return known;
  const made = new News<T>(before, before === null ? null : before === picture ? [] : changesBetween(before, picture));
  if (news.length < BEFORE_MAX) news.push(made);
  return made;
}
