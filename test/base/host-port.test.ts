// A host and a port in one text.

import { expect, test } from 'vitest';
import { hostPort } from '../../src/base/host-port.ts';

test('an IPv6 address stands in brackets: without them nobody could tell where it ends and the port begins', () => {
  expect(hostPort('::1', 9876)).toBe('[::1]:9876');
  expect(hostPort('fe80::1%eth0', 1)).toBe('[fe80::1%eth0]:1');
  expect([hostPort('127.0.0.1', 9876), hostPort('fix.example', 443)]).toEqual(['127.0.0.1:9876', 'fix.example:443']);
});
