// Names of time zones on Windows.

import { expect, test } from 'vitest';
import { ianaZoneOf, isTimeZone } from '../../../src/session/mod.ts';
import { WINDOWS_ZONES } from '../../../src/session/time/windows-zones.ts';

test('each name of a time zone on Windows stands for an IANA zone that this runtime knows', () => {
  expect(WINDOWS_ZONES).toHaveLength(139);
  for (const name of WINDOWS_ZONES) expect(isTimeZone(ianaZoneOf(name)!), name).toBe(true);
});

test('a name of Windows is matched in its exact case, and no other name is one', () => {
  expect(ianaZoneOf('Eastern Standard Time')).toBe('America/New_York');
  expect(ianaZoneOf('GMT Standard Time')).toBe('Europe/London');
  expect(ianaZoneOf('Russia Time Zone 3')).toBe('Europe/Samara');
  for (const name of ['eastern standard time', 'Eastern', 'Europe/London', '', '__proto__']) {
    expect(ianaZoneOf(name)).toBeNull();
  }
});
