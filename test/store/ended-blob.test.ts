// Runs of ended orders: found by every key, the later of two with one key, and nothing else.

import { expect, test } from 'vitest';
import { encodeEndedOrders, findEnded } from '../../src/store/ended-blob.ts';

test('an order is found by each of its keys, the later record of a key counts, and other keys find nothing', () => {
  const orders = Array.from({ length: 500 }, (_, n) => ({
    keys: [`c|FIX.4.4:A->B|order-${n}`, `r|111/${n}`, `x|${9_000 + n}`],
    text: JSON.stringify({ n, text: 'é'.repeat(n % 40) }),
  }));
  const again = { keys: ['c|FIX.4.4:A->B|order-7', 'x|9007'], text: '{"n":"again"}' };
  const run = encodeEndedOrders([...orders, again]);
  for (const { keys, text } of orders) {
    for (const key of keys) expect(findEnded(run, key)).toBe(again.keys.includes(key) ? again.text : text);
  }
  expect(findEnded(run, 'r|111/500')).toBeNull();
  expect(findEnded(run, '')).toBeNull();
  expect(findEnded(encodeEndedOrders([]), 'r|111/1')).toBeNull();
});
