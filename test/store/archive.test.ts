// How long archived segments are kept where the clock is not to be trusted. That old ones go is in snapshot.test.ts.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { archiveNext } from '../../src/store/archive.ts';
import { archivedPath } from '../../src/store/archive-files.ts';
import { segmentFileName } from '../../src/store/segment.ts';

const DAY_MS = 86_400_000;
const YEAR_DAYS = 366;

let directory: string;
afterEach(() => rmSync(directory, { recursive: true }));

/** Archive one segment on each of these days, kept for five years; which are left after each. */
function leftAfter(days: readonly number[]): number[][] {
  directory = mkdtempSync(join(tmpdir(), 'crossgate-archive-'));
  return days.map((day, i) => {
    const segment = i + 1;
    writeFileSync(join(directory, segmentFileName(segment)), `segment ${segment}`);
    const now = 1_700_000_000_000 + day * DAY_MS;
    archiveNext({ directory, retentionDays: 5 * YEAR_DAYS, now, before: segment + 1 });
    return days.flatMap((_, j) => (existsSync(archivedPath(directory, j + 1)) ? [j + 1] : []));
  });
}

test('J4 a clock that is years ahead for a while deletes nothing early, once and for all', () => {
  const wrong = [0, 10, 6 * YEAR_DAYS, 6 * YEAR_DAYS + 1, 20, 30];
  expect(leftAfter(wrong).at(-1)).toEqual([1, 2, 3, 4, 5, 6]);
});

test('J4 after such a time, and after one in which the clock was years behind, years count as before', () => {
  const months = Array.from({ length: 61 }, (_, month) => 40 + month * 31);
  const left = leftAfter([0, 6 * YEAR_DAYS, 10, -8 * YEAR_DAYS, ...months]);
  expect(left.at(-5)).toContain(1);
  expect(left.at(-1)).not.toContain(1);
  expect(left.at(-1)).toContain(6);
});
