// Words for problems: what was meant, what may be shown.

import { expect, test } from 'vitest';
import { didYouMean, keyPath, showValue } from '../../src/ops/config-problem.ts';

test.each([
  ['heartBtInt', 'heartBtIntS'],
  ['targetCompId', 'targetCompID'],
  ['tsl', 'tls'],
  ['sendercompid', 'senderCompID'],
  ['colour', null],
  ['x', null],
  ['y'.repeat(10_000), null],
])('%.20s was meant as %s', (word, meant) => {
  expect(didYouMean(word, ['heartBtIntS', 'heartBtIntMinS', 'targetCompID', 'senderCompID', 'tls'])).toBe(meant);
});

test('a path of keys reads as people write it', () => {
  expect(keyPath(['fix', 'listen', 0, 'port'])).toBe('fix.listen[0].port');
});

test('a value is shown short, and not at all under a name that says secret', () => {
  expect(showValue('a', 'x'.repeat(500))?.length).toBeLessThan(100);
  expect(showValue('a.b', { c: 1 })).toBe('{"c":1}');
  expect(showValue('a', undefined)).toBeNull();
  expect(showValue('session.apiToken', 'hunter2')).toBe('[redacted]');
  expect(showValue('password', 'hunter2')).toBe('[redacted]');
  expect(showValue('password', 'env:OMS')).toBe('env:OMS');
  expect(showValue('exchange.credentials[0].key', 'file:a.json')).toBe('file:a.json');
});
