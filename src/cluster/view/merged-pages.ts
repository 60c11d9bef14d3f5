// Pages of the past out of several journals, the latest first. The place where the next page begins names a place in each journal. Pure.

import type { EpochMs } from '../../base/time.ts';
import type { Row } from './merged-lists.ts';

/** A page of one journal, as its admin API gives it. */
export interface PageOfOne<T> {
  readonly found: readonly T[];
  readonly next: string | null;
  readonly reachedAt: EpochMs | null;
  readonly unread: readonly string[];
}

export interface MergedPage<T> {
  readonly found: readonly Row<T>[];
  readonly next: string | null;
  readonly reachedAt: EpochMs | null;
  readonly unread: readonly string[];
}

/** A row with its place in its journal, `frame.record.time`. */
interface Placed {
  readonly place: string;
}

function timeOf({ place }: Placed): EpochMs {
  return Number(place.slice(place.lastIndexOf('.') + 1));
}

/** Where a journal's next page begins: undefined for its newest page, null when it has nothing older. */
export type Cursors = ReadonlyMap<string, string | null>;

const CURSOR = /^([\w.-]{1,64})=(-|\d[\d.]{0,59})$/;
/** Of a journal with nothing older. */
const OVER = '-';
/** A thousand partitions. */
const CURSORS_MAX = 1_000;

/** Read the place of a next page; null if no page gave it. */
export function cursorsOf(text: string | undefined): Cursors | null {
  const cursors = new Map<string, string | null>();
  if (text === undefined) return cursors;
  for (const part of text.split(',', CURSORS_MAX)) {
    const [, name, place] = CURSOR.exec(part) ?? [];
    if (name === undefined) return null;
    cursors.set(name, place === OVER ? null : place!);
  }
  return cursors;
}

function cursorText(cursors: Cursors): string {
  return [...cursors].map(([name, place]) => `${name}=${place ?? OVER}`).join(',');
}

/**
 * One page of `limit` rows. A row that does not fit is read again with the next page.
 * @param before the places of this page @param pages by partition; one that gave none is read from the same place again
 */
export function mergedPage<T extends Placed>(
  pages: ReadonlyMap<string, PageOfOne<T>>,
  before: Cursors,
  limit: number,
): MergedPage<T> {
  // Where a search ended early, rows of another journal that are older than that place have to wait: others may stand between.
  const floor = Math.max(
    ...[...pages.values()].map(({ next, reachedAt }) => (next === null ? 0 : (reachedAt ?? 0))),
    0,
  );
  const rows = [...pages].flatMap(([partition, page]) => page.found.map((row) => ({ partition, row })));
  rows.sort((a, b) => timeOf(b.row) - timeOf(a.row));
  const fitting = rows.filter(({ row }) => timeOf(row) >= floor).slice(0, limit);
  const taken = new Map<string, number>();
  for (const { partition } of fitting) taken.set(partition, (taken.get(partition) ?? 0) + 1);
  const cursors = new Map(before);
  for (const [partition, page] of pages) {
    const count = taken.get(partition) ?? 0;
    if (count === page.found.length) cursors.set(partition, page.next);
    else if (count > 0) cursors.set(partition, page.found[count - 1]!.place);
    else if (!before.has(partition)) cursors.delete(partition);
  }
  const isOver = [...pages.keys()].every((partition) => cursors.get(partition) === null);
  const last = fitting.at(-1);
  return {
    found: fitting.map(({ partition, row }) => ({ ...row, place: `${partition}/${row.place}`, partition })),
    next: isOver ? null : cursorText(cursors),
    reachedAt: isOver ? null : fitting.length === limit ? timeOf(last!.row) : floor,
    unread: [...pages].flatMap(([partition, { unread }]) => unread.map((text) => `${partition}: ${text}`)),
  };
}
