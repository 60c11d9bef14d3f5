// Values that are absurdly long come back cut: Text(58) stays readable, whatever was sent.

import { expect, test } from 'vitest';
import { Desk, field, LIMIT } from './desk.ts';

test.each([
  ['OrderQty(38)', LIMIT.replace('38=2', `38=${'9'.repeat(5_000)}`)],
  ['Price(44)', LIMIT.replace('44=100', `44=${'1'.repeat(5_000)}.5`)],
])('a number of thousands of digits in %s is refused, named, and not repeated whole', (name, order) => {
  const [answer] = new Desk().oms(order);
  expect(field(answer, 39)).toBe('8');
  const text = field(answer, 58)!;
  expect(text).toContain(`${name}=`);
  expect(text).toContain('characters) has more digits than');
  expect(text.length).toBeLessThan(200);
});
