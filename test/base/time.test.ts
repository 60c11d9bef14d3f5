// UTC time arithmetic against the runtime's own calendar.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  endOfUtcDay,
  formatIso,
  formatUtcTimestamp,
  isEpochMs,
  parseIso,
  parseUtcTimestamp,
  startOfUtcDay,
} from '../../src/base/time.ts';
import { checkProperty } from '../support/random/seeded-property.ts';

const instants = fc.integer({ min: 0, max: 253_402_300_799_999 });

describe('UTCTimestamp', () => {
  test('is written with milliseconds', () => {
    expect(formatUtcTimestamp(Date.UTC(2026, 1, 3, 4, 5, 6, 7))).toBe('20260203-04:05:06.007');
  });

  test.each([
    ['20260203-04:05:06', Date.UTC(2026, 1, 3, 4, 5, 6)],
    ['20260203-04:05:06.789', Date.UTC(2026, 1, 3, 4, 5, 6, 789)],
    ['20260203-04:05:06.789123', Date.UTC(2026, 1, 3, 4, 5, 6, 789)],
    ['20260203-04:05:06.789123456', Date.UTC(2026, 1, 3, 4, 5, 6, 789)],
    ['20240229-00:00:00.000', Date.UTC(2024, 1, 29)],
    ['20000229-00:00:00', Date.UTC(2000, 1, 29)],
    ['99991231-23:59:59.999', Date.UTC(9999, 11, 31, 23, 59, 59, 999)],
    ['20261231-23:59:60', Date.UTC(2027, 0, 1)],
  ])('%s is read', (text, expected) => {
    expect(parseUtcTimestamp(text)).toBe(expected);
  });

  test.each([
    '',
    '20260203',
    '20260230-00:00:00',
    '20250229-00:00:00',
    '21000229-00:00:00',
    '20240230-00:00:00',
    '20260132-00:00:00',
    '20260431-00:00:00',
    '20260631-00:00:00',
    '20260931-00:00:00',
    '20261131-00:00:00',
    '20260200-00:00:00',
    '20260001-00:00:00',
    '20261301-00:00:00',
    '20260203-24:00:00',
    '20260203-04:60:06',
    '20260203-04:05:61',
    '20260203-04:05:06.',
    '20260203-04:05:06.7x',
    '2026-02-03T04:05:06Z',
  ])('"%s" is malformed', (text) => {
    expect(parseUtcTimestamp(text)).toBeNull();
  });

  test('every instant agrees with the runtime and is read back', () => {
    checkProperty(
      fc.property(instants, (at) => {
        expect(formatIso(at)).toBe(new Date(at).toISOString());
        expect(parseUtcTimestamp(formatUtcTimestamp(at))).toBe(at);
        expect(parseIso(formatIso(at))).toBe(at);
      }),
    );
  });
});

test('an ISO time without Z or with an impossible date is malformed', () => {
  expect(parseIso('2026-02-03T04:05:06.000')).toBeNull();
  expect(parseIso('2026-02-31T04:05:06.000Z')).toBeNull();
  expect(parseIso('2026-02-03T04:05:06Z')).toBe(Date.UTC(2026, 1, 3, 4, 5, 6));
});

test('a UTC day begins and ends at midnight', () => {
  const noon = Date.UTC(2026, 10, 21, 12);
  expect(startOfUtcDay(noon)).toBe(Date.UTC(2026, 10, 21));
  expect(endOfUtcDay(noon)).toBe(Date.UTC(2026, 10, 22) - 1);
});

test('an instant is a whole number of milliseconds in four-digit years', () => {
  expect(isEpochMs(0)).toBe(true);
  expect(isEpochMs(1.5)).toBe(false);
  expect(isEpochMs(-1)).toBe(false);
  expect(isEpochMs(253_402_300_800_000)).toBe(false);
});
