// The short form of the silent connections: `npm run nightly -- hostile silence` tries for longer.

import { expect, test } from 'vitest';
import { silence } from './silence.ts';

test('beside 1,000 silent connections a session comes back within 1 s, and a new one in within 3 s', async () => {
  const { back, first } = await silence(3);
  expect(Math.max(...back)).toBeLessThan(1_000);
  expect(Math.max(...first)).toBeLessThan(3_000);
}, 180_000);
