// The short form of the log flood.

import { expect, test } from 'vitest';
import { logFlood } from './log-flood.ts';

test('800 refused connections from 10 addresses write at most two lines of log for each address', async () => {
  const { refused, lines, addresses } = await logFlood(10, 20);
  expect(refused).toBe(800);
  // One for the address, one for the configured session that it names.
  expect(lines).toBeLessThanOrEqual(2 * addresses);
  expect(lines).toBeGreaterThanOrEqual(addresses);
}, 180_000);
