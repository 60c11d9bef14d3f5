// The short form of the loops of resets: `npm run nightly -- hostile resetLoop` measures them for longer.

import { expect, test } from 'vitest';
import { resetLoop } from './reset-loops.ts';

test('S2 a loop of Logons with 141=Y is refused beyond its rate, named by an alarm, and writes little', async () => {
  const { logons, attempts, megabytesWritten, alarms, delays } = await resetLoop(3, 'logon: { perMinute: 20 }');
  // The first one made the reports.
  expect(logons).toBe(20);
  expect(attempts).toBeGreaterThan(20);
  expect(alarms.length).toBe(1);
  expect(alarms[0]).toContain('LOOP');
  expect(alarms[0]).toContain('20 Logons within a minute');
  // The 200 reports are repeated after each Logon that is taken.
  expect(megabytesWritten).toBeGreaterThan(0.01);
  // 29.7 MB without the rate. The Logons that are taken, and the Logouts of ten refusals.
  expect(megabytesWritten).toBeLessThan(0.5);
  expect(delays.unanswered).toBe(0);
});
