// The party that a connection counts for.

import { expect, test } from 'vitest';
import { originOf } from '../../../src/base/places/origin.ts';

test('counts IPv4 by address, IPv4-mapped IPv6 as IPv4, and other IPv6 by its /64', () => {
  for (const [address, origin] of [
    ['198.51.100.7', '198.51.100.7'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ] as const)
    expect(originOf(address), address).toBe(origin);
});
