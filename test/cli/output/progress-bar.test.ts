// The bar on a terminal while something long goes on.

import type { WriteStream } from 'node:tty';
import { expect, test } from 'vitest';
import { ProgressBar } from '../../../src/cli/output/progress-bar.ts';

test('the bar stays on one line of a narrow terminal, and is thirty wide at most', () => {
  const shown = (columns: number): string[] => {
    const lines: string[] = [];
    const stream = { isTTY: true, columns, write: (text: string) => lines.push(text) > 0 } as unknown as WriteStream;
    new ProgressBar(stream, 1000).show(1000);
    return lines;
  };
  expect(shown(120)).toEqual([`\r[${'#'.repeat(30)}] 1000/1000`]);
  expect(shown(40)).toEqual([`\r[${'#'.repeat(27)}] 1000/1000`]);
  expect(shown(8)).toEqual(['\r[] 1000/1000']);
});
