// Pages over several journals: whatever the pages of each are, the pages of all hold every row once, the latest first.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Cursors, cursorsOf, mergedPage, type PageOfOne } from '../../../src/cluster/view/merged-pages.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';

interface Row {
  readonly place: string;
}

const timeOf = ({ place }: Row): number => Number(place.split('.').at(-1));

/** A journal that gives pages as the store does: bounded, and cut short now and then. */
class Journal {
  private readonly rows: readonly Row[];
  private readonly shorten: () => boolean;

  constructor(times: readonly number[], shorten: () => boolean) {
    const ordered = times.toSorted((a, b) => a - b);
    this.rows = ordered.map((time, nth) => ({ place: `${nth + 1}.0.${time}` })).reverse();
    this.shorten = shorten;
  }

  page(before: string | undefined, limit: number): PageOfOne<Row> {
    const frame = (place: string): number => Number(place.split('.')[0]);
    const older = this.rows.filter(({ place }) => before === undefined || frame(place) < frame(before));
    const count = this.shorten() ? Math.min(older.length, 1) : Math.min(older.length, limit);
    const found = older.slice(0, count);
    const last = found.at(-1);
    const isOver = count === older.length || last === undefined;
    return { found, next: isOver ? null : last.place, reachedAt: isOver ? null : timeOf(last), unread: [] };
  }
}

test('every row of every journal comes once, and no page goes back in time', () => {
  const journals = fc.array(fc.array(fc.nat(40), { maxLength: 12 }), { minLength: 1, maxLength: 4 });
  checkProperty(
    fc.property(
      journals,
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.boolean(), { maxLength: 30 }),
      (all, limit, cuts) => {
        let cut = 0;
        const shorten = (): boolean => cuts[cut++] === true;
        const stores = new Map(all.map((times, nth) => [`p${nth}`, new Journal(times, shorten)]));
        const found: Row[] = [];
        let next: string | null | undefined;
        for (let page = 0; next !== null; page++) {
          expect(page).toBeLessThan(200);
          const before: Cursors = cursorsOf(next)!;
          const pages = new Map(
            [...stores].map(([name, store]) => {
              const from = before.get(name);
              const over = { found: [], next: null, reachedAt: null, unread: [] };
              return [name, from === null ? over : store.page(from, limit)];
            }),
          );
          const merged = mergedPage<Row>(pages, before, limit);
          found.push(...merged.found);
          next = merged.next;
        }
        const times = found.map(timeOf);
        expect(times).toEqual(times.toSorted((a, b) => b - a));
        expect(new Set(found.map(({ place }) => place)).size).toBe(found.length);
        expect(found).toHaveLength(all.flat().length);
      },
    ),
  );
});
