// The count of a long reading: on a terminal only, and gone at the end.

import type { WriteStream } from 'node:tty';
import { expect, test } from 'vitest';
import { ReadingCount } from '../../../src/cli/output/reading-count.ts';

function written(isTTY: boolean, items: number): string {
  let text = '';
  const stream = { isTTY, write: (piece: string) => (text += piece) } as unknown as WriteStream;
  const count = new ReadingCount('records read', stream);
  for (let i = 0; i < items; i++) count.add();
  count.end();
  return text;
}

test('shows a count on a terminal, and leaves the line empty', () => {
  expect(written(true, 1_500)).toBe('\r\x1b[K500 records read\r\x1b[K');
});

test('shows nothing for a short reading, or where there is no terminal', () => {
  expect([written(true, 400), written(false, 100_000)]).toEqual(['', '']);
});
