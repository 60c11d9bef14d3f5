// Alarms that are kept for people, where more come than are kept.

import { expect, test } from 'vitest';
import { forgetOne } from '../../../src/engine/sessions/alarm-eviction.ts';

test('an alarm that comes again and again pushes out its own, and no other', () => {
  const alarms = [{ alarm: 'late-fill', at: 0 }];
  for (let at = 1; at < 1_000; at++) {
    alarms.push({ alarm: at % 10 === 0 ? 'address-blocked' : 'gap-not-closed', at });
    if (alarms.length > 20) forgetOne(alarms);
  }
  const names = alarms.map(({ alarm }) => alarm);
  expect(alarms).toHaveLength(20);
  expect(alarms[0]).toEqual({ alarm: 'late-fill', at: 0 });
  expect(alarms.at(-1)).toEqual({ alarm: 'gap-not-closed', at: 999 });
  // Two that flood share the room.
  expect(names.filter((name) => name === 'address-blocked').length).toBeGreaterThanOrEqual(9);
});
